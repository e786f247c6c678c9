/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of random length with random columns: uniform, power law, webs, circuits. Lengths: the
 * chance that a row reaches the class [low 2^c, low 2^(c+1)) is tail^c; within its class the length
 * is uniform, and at most `cap`. Every hub_stride-th row is a hub, with numbers of its own. A share
 * of the other rows is empty. One row, the star, has a length of its own. A row gets one entry more
 * when its random bits are below `extra`, by which the number of entries is met exactly. Columns: a
 * share of the entries is within `width` of the diagonal, a share in columns of hubs, and the rest
 * at cols * u^skew, where u is uniform in [0, 1). */
#ifndef TULLE_IO_ROWS_SCATTER_H
#define TULLE_IO_ROWS_SCATTER_H

#include "io/rows_common.h"

/* Indices in number[]. Shares are in units of 1/65536. */
enum {
    TULLE__SCATTER_LOW,
    TULLE__SCATTER_CAP,
    TULLE__SCATTER_HUB_LOW,
    TULLE__SCATTER_HUB_STRIDE, /* distance of two hubs; 0: no hubs */
    TULLE__SCATTER_HUB_RUN,
    TULLE__SCATTER_HUB_SHARE,
    TULLE__SCATTER_STAR,
    TULLE__SCATTER_STAR_LENGTH, /* length of the star; 0: no star */
    TULLE__SCATTER_EXTRA,       /* threshold `extra`, a uint64_t */
    TULLE__SCATTER_LOCAL_SHARE,
    TULLE__SCATTER_WIDTH,
    TULLE__SCATTER_SKEW,
    TULLE__SCATTER_EMPTY_SHARE
};
/* Indices in real[]. */
enum { TULLE__SCATTER_TAIL, TULLE__SCATTER_HUB_TAIL };

/* Counters that keep the uses of random bits apart. */
enum {
    TULLE__SCATTER_DRAW_CLASS = -1,
    TULLE__SCATTER_DRAW_LENGTH = -2,
    TULLE__SCATTER_DRAW_EMPTY = -3,
    TULLE__SCATTER_DRAW_EXTRA = -4
};

ROWS_FUNCTION uint64_t tulle__scatter_draw(const tulle__rows_args *g, int64_t row, int64_t use) {
    return tulle__bits(g->seed, (uint64_t)row, (uint64_t)use);
}

ROWS_FUNCTION bool tulle__scatter_is_hub(const tulle__rows_args *g, int64_t row) {
    int64_t stride = g->number[TULLE__SCATTER_HUB_STRIDE];
    return stride > 0 && row / g->number[TULLE__SCATTER_HUB_RUN] % stride == 0;
}

/* Returns true when the length of a row is drawn at random. */
ROWS_FUNCTION bool tulle__scatter_is_plain(const tulle__rows_args *g, int64_t row) {
    if (g->number[TULLE__SCATTER_STAR_LENGTH] > 0 && row == g->number[TULLE__SCATTER_STAR]) {
        return false;
    }
    int64_t empty = g->number[TULLE__SCATTER_EMPTY_SHARE];
    return empty == 0 || tulle__scatter_is_hub(g, row) ||
           (int64_t)(tulle__scatter_draw(g, row, TULLE__SCATTER_DRAW_EMPTY) >> 48) >= empty;
}

/* Returns the length of a row without the extra entry. */
ROWS_FUNCTION int64_t tulle__scatter_base(const tulle__rows_args *g, int64_t row) {
    bool hub = tulle__scatter_is_hub(g, row);
    int64_t low = g->number[hub ? TULLE__SCATTER_HUB_LOW : TULLE__SCATTER_LOW];
    int64_t cap = g->number[TULLE__SCATTER_CAP];
    double tail = g->real[hub ? TULLE__SCATTER_HUB_TAIL : TULLE__SCATTER_TAIL], chance = tail;
    if (tail == 0) return low;
    double u = tulle__unit(tulle__scatter_draw(g, row, TULLE__SCATTER_DRAW_CLASS));
    while (u < chance && 2 * low <= cap) {
        low *= 2;
        chance *= tail;
    }
    int64_t room = (2 * low <= cap ? 2 * low : cap + 1) - low;
    double v = tulle__unit(tulle__scatter_draw(g, row, TULLE__SCATTER_DRAW_LENGTH));
    return low + (int64_t)(v * (double)room);
}

ROWS_FUNCTION int64_t tulle__scatter_length(const tulle__rows_args *g, int64_t row) {
    int64_t star = g->number[TULLE__SCATTER_STAR_LENGTH];
    if (!tulle__scatter_is_plain(g, row)) return row == g->number[TULLE__SCATTER_STAR] ? star : 0;
    int64_t base = tulle__scatter_base(g, row);
    uint64_t extra = (uint64_t)g->number[TULLE__SCATTER_EXTRA];
    if (extra == 0 || base >= g->number[TULLE__SCATTER_CAP]) return base;
    return base + (tulle__scatter_draw(g, row, TULLE__SCATTER_DRAW_EXTRA) < extra ? 1 : 0);
}

ROWS_FUNCTION int64_t tulle__scatter_column(const tulle__rows_args *g, int64_t row, int64_t k) {
    uint64_t bits = tulle__scatter_draw(g, row, k);
    int64_t choice = (int64_t)(bits & 0xffff), local = g->number[TULLE__SCATTER_LOCAL_SHARE];
    double u = (double)(bits >> 16) * 0x1p-48;
    if (choice < local) {
        int64_t width = g->number[TULLE__SCATTER_WIDTH];
        int64_t column = row + (int64_t)(u * (double)(2 * width + 1)) - width;
        if (column < 0) column = -column;
        if (column >= g->cols) column = 2 * (g->cols - 1) - column;
        return column < 0 ? 0 : column >= g->cols ? g->cols - 1 : column;
    }
    double power = u;
    for (int64_t p = 1; p < g->number[TULLE__SCATTER_SKEW]; p++) power *= u;
    int64_t column = (int64_t)(power * (double)g->cols);
    if (choice - local >= g->number[TULLE__SCATTER_HUB_SHARE]) return column;
    int64_t length = g->number[TULLE__SCATTER_HUB_RUN], run = column / length;
    return column - run % g->number[TULLE__SCATTER_HUB_STRIDE] * length;
}

ROWS_FUNCTION int64_t tulle__rows_scatter(const tulle__rows_args *g, int64_t row,
                                          tulle__columns columns) {
    int64_t count = tulle__scatter_length(g, row);
    if (!tulle__columns_wanted(columns)) return count;
    for (int64_t k = 0; k < count; k++) {
        tulle__column_set(columns, k, tulle__scatter_column(g, row, k));
    }
    tulle__columns_settle(columns, count, g->cols);
    return count;
}

ROWS_FUNCTION double tulle__value_scatter(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
