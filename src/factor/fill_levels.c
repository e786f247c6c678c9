/* SPDX-License-Identifier: Apache-2.0 */
/* Finds fill by levels, row by row: row i is a linked list of columns, to which the rows that
 * eliminate it add their columns. Source: Y. Saad, "Iterative Methods for Sparse Linear Systems",
 * 2nd edition, section 10.3.3. */
#include <string.h>

#include "factor/host_rows.h"

/* Rows that are being made; cols and levels grow. */
typedef struct grown {
    const tulle__fill_room *limits;
    tulle_ctx *ctx;
    int64_t room, count;
    /* upper[i]: index of the first entry behind the diagonal of row i */
    int64_t *begins, *cols, *upper;
    int *levels;
    int64_t work; /* number of steps along lists since the last report of progress */
} grown;

/* The row that is being worked on: next[j] is the column after j in the list, n the end; level[j]
 * is the level of column j. */
typedef struct list {
    int64_t n, first;
    int64_t *next;
    int *level;
} list;

static void *larger(tulle_ctx *ctx, void *old, size_t used, size_t bytes) {
    void *new = tulle__host_alloc(ctx, bytes);
    if (new &&used > 0) memcpy(new, old, used);
    if (new) tulle__host_free(ctx, old);
    return new;
}

static tulle_status make_room(grown *g, int64_t more) {
    if (g->count + more <= g->room) return TULLE_OK;
    TULLE__TRY(tulle__fill_fits(g->limits, (double)(g->count + more), true));
    int64_t room = 2 * g->room > g->count + more ? 2 * g->room : g->count + more;
    int64_t *cols =
        larger(g->ctx, g->cols, (size_t)g->count * sizeof *cols, (size_t)room * sizeof *cols);
    if (!cols) return TULLE_OUT_OF_MEMORY;
    g->cols = cols;
    int *levels =
        larger(g->ctx, g->levels, (size_t)g->count * sizeof *levels, (size_t)room * sizeof *levels);
    if (!levels) return TULLE_OUT_OF_MEMORY;
    g->levels = levels;
    g->room = room;
    return TULLE_OK;
}

static void start_row(const tulle__host_rows *from, int64_t row, list *l) {
    int64_t last = -1;
    for (int64_t i = from->begins[row]; i < from->begins[row + 1]; i++) {
        int64_t col = from->cols[i];
        if (last < 0) {
            l->first = col;
        } else {
            l->next[last] = col;
        }
        l->level[col] = 0;
        last = col;
    }
    l->next[last] = l->n;
}

/* Adds the columns of row k behind k to the list, which has column k. Both ascend: `at` is the last
 * column of the list before the column that is looked for. */
static void merge(grown *g, int64_t k, int most, list *l) {
    int64_t at = k, steps = g->begins[k + 1] - g->upper[k];
    for (int64_t i = g->upper[k]; i < g->begins[k + 1]; i++) {
        int64_t col = g->cols[i];
        int level = l->level[k] + g->levels[i] + 1;
        if (level > most) continue;
        for (; l->next[at] < col; steps++) at = l->next[at];
        if (l->next[at] == col) {
            if (level < l->level[col]) l->level[col] = level;
        } else {
            l->next[col] = l->next[at];
            l->next[at] = col;
            l->level[col] = level;
        }
    }
    g->work += steps;
}

static tulle_status end_row(grown *g, int64_t row, const list *l) {
    int64_t count = 0;
    for (int64_t col = l->first; col < l->n; col = l->next[col]) count++;
    TULLE__TRY(make_room(g, count));
    for (int64_t col = l->first; col < l->n; col = l->next[col]) {
        g->cols[g->count] = col;
        g->levels[g->count++] = l->level[col];
        if (col == row) g->upper[row] = g->count;
    }
    g->begins[row + 1] = g->count;
    g->work += count;
    return TULLE_OK;
}

/* Reports progress about every few milliseconds, however long rows are. */
static tulle_status tell(grown *g, int64_t row, int64_t rows) {
    enum { WORK_A_TELL = 1 << 20 };
    if (g->work < WORK_A_TELL) return TULLE_OK;
    g->work = 0;
    return tulle__progress(g->ctx, "finding fill", row, rows);
}

static tulle_status fill_rows(const tulle__host_rows *from, int most, grown *g, list *l) {
    TULLE__TRY(tulle__progress(g->ctx, "finding fill", 0, from->rows));
    for (int64_t row = 0; row < from->rows; row++) {
        start_row(from, row, l);
        for (int64_t k = l->first; k < row; k = l->next[k]) {
            merge(g, k, most, l);
            TULLE__TRY(tell(g, row, from->rows));
        }
        TULLE__TRY(end_row(g, row, l));
    }
    return TULLE_OK;
}

static tulle_status take(const grown *g, const tulle__host_rows *from, tulle__host_rows *to) {
    TULLE__TRY(tulle__host_rows_make(g->ctx, from->rows, g->count, to));
    memcpy(to->begins, g->begins, ((size_t)from->rows + 1) * sizeof *to->begins);
    if (g->count > 0) memcpy(to->cols, g->cols, (size_t)g->count * sizeof *to->cols);
    tulle__host_rows_sources(from, to);
    return TULLE_OK;
}

tulle_status tulle__fill_levels(const tulle__fill_room *room, const tulle__host_rows *from,
                                int most, tulle__host_rows *to) {
    tulle_ctx *ctx = room->ctx;
    const size_t n = (size_t)from->rows;
    grown g = {.limits = room, .ctx = ctx};
    list l = {.n = from->rows};
    g.begins = tulle__host_alloc(ctx, (n + 1) * sizeof *g.begins);
    g.upper = tulle__host_alloc(ctx, (n + 1) * sizeof *g.upper);
    l.next = tulle__host_alloc(ctx, (n + 1) * sizeof *l.next);
    l.level = tulle__host_alloc(ctx, (n + 1) * sizeof *l.level);
    tulle_status status = g.begins && g.upper && l.next && l.level ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = make_room(&g, 2 * from->begins[from->rows] + 1);
    if (status == TULLE_OK) status = fill_rows(from, most, &g, &l);
    if (status == TULLE_OK) status = tulle__fill_fits(room, (double)g.count, false);
    if (status == TULLE_OK) status = take(&g, from, to);
    tulle__host_free(ctx, g.begins);
    tulle__host_free(ctx, g.upper);
    tulle__host_free(ctx, g.cols);
    tulle__host_free(ctx, g.levels);
    tulle__host_free(ctx, l.next);
    tulle__host_free(ctx, l.level);
    return status;
}
