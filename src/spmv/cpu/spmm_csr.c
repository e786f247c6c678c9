/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a multivector with all threads, by strips of columns. A X: the pieces of the merge
 * path (pieces.h), each strip in turn; a piece's sums of a row that goes on after it are a
 * carry, and carries are added at the end, in order. A^T X: each strip of columns of Y is one
 * thread's, who goes through A and adds every entry where it belongs, so that no sums of
 * different threads meet. Both are bitwise the same for any number of threads: a number of Y is
 * the same sum whatever the strips are. */
#ifndef VALUE

#include <string.h>

#include "core/search.h"
#include "format/formats.h"
#include "spmv/bytes.h"
#include "spmv/cpu/pieces.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

/* Largest number of columns of a strip: WIDE_BYTES of sums, which fit in registers, and no more
 * than TULLE__WIDE; where X or Y is column-major, STREAMS, since each column is a stream of memory
 * accesses of its own. */
enum { TULLE__WIDE = 32, WIDE_BYTES = 128, STREAMS = 8 };

/* Numbers of a cache line, which two threads should not both write. */
enum { LINE = 64 };

static bool by_row(tulle_layout layout) {
    return layout == TULLE_ROW_MAJOR;
}

static int widest(const tulle__spmv_shape *shape, tulle_layout layout) {
    return by_row(layout) ? WIDE_BYTES / (int)tulle_type_size(shape->type) : STREAMS;
}

/* Number of columns of the strip that begins with `left` columns to go. */
static int width_of(int64_t left, int most) {
    while (most > left) most /= 2;
    return most;
}

static int64_t strips_of(int64_t vectors, int64_t most) {
    return tulle__ceil_div(vectors, most);
}

/* Number of strips of A X: they follow from X's layout, and the sums of eight columns or fewer
 * from the width. */
static int64_t forward_strips(const tulle__spmv_shape *shape) {
    return strips_of(shape->vectors, widest(shape, shape->x_layout));
}

/* Width of the strips of A^T X, which are Y's: enough strips for all threads, but in a row-major
 * Y of whole cache lines. */
static int64_t transposed_width(const tulle__spmv_shape *shape, int threads) {
    int64_t size = tulle_type_size(shape->type), most = widest(shape, shape->y_layout);
    int64_t width = tulle__ceil_div(shape->vectors, threads);
    if (by_row(shape->y_layout)) width = tulle__ceil_div(width, LINE / size) * (LINE / size);
    return width < most ? width : most;
}

#define TULLE__SELF "spmv/cpu/spmm_csr.c"
#include "core/each_type.h"

/* Bytes of a carry for each piece: its row, and a sum for each column. */
static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    if (shape->trans == TULLE_T) return 0;
    size_t sums = (size_t)shape->vectors * (size_t)tulle_type_size(shape->type);
    return (size_t)tulle__pieces(shape) * (sizeof(int64_t) + sums);
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    if (!tulle__spmv_countable(shape)) return TULLE__UNCOUNTED;
    int64_t value = tulle_type_size(shape->type), k = shape->vectors, times = beta_zero ? 1 : 2;
    int64_t matrix = (shape->rows + 1) * tulle_offset_size(shape->index) +
                     shape->nnz * (tulle_index_size(shape->index) + value);
    if (shape->trans == TULLE_N) {
        return forward_strips(shape) * matrix + (shape->nnz + times * shape->rows) * k * value +
               2 * (int64_t)workspace(shape, params);
    }
    return strips_of(k, widest(shape, shape->y_layout)) * matrix +
           (shape->rows + 2 * shape->nnz + times * shape->cols) * k * value;
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    return 200e3 + (double)tulle__spmv_minimal_bytes(shape, true);
}

extern const tulle__spmv_kernel tulle__cpu_spmm_csr;
const tulle__spmv_kernel tulle__cpu_spmm_csr = {
    .head = {.name = "spmm_csr",
             .summary =
                 "all threads: strips of columns in registers, rows and entries in equal pieces",
             .source = "Merrill and Garland, SC 2016, for the pieces",
             .format = TULLE_CSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REPEATABLE_T | TULLE__REFERENCE},
    .workspace = workspace,
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spmv/cpu/cut_row.h"
#include "spmv/cpu/spmm_sum.h"

/* Scratch: a carry for each piece; row -1: nothing is carried. */
typedef struct NAME(carries) {
    int64_t *row;
    VALUE *sums; /* sums, `vectors` for each piece */
} NAME(carries);

/* Some columns of Y: number (i, j) of the strip is at[i * down + j * right]. */
typedef struct NAME(strip) {
    VALUE *at;
    int64_t down, right;
    int width;
} NAME(strip);

static NAME(strip) NAME(strip_of)(const tulle__spmv_task *task, int64_t column, int width) {
    bool rows = by_row(task->shape.y_layout);
    VALUE *y = task->y;
    return (NAME(strip)){.at = y + (rows ? column : column * task->ldy),
                         .down = rows ? task->ldy : 1,
                         .right = rows ? 1 : task->ldy,
                         .width = width};
}

/* Sums the entries from `first` on, times the strip's columns of X. */
static void NAME(sum_columns)(const tulle__spmv_task *task, int64_t first, int64_t count,
                              int64_t column, int width, COMPUTED *sums) {
    const VALUE *values = (const VALUE *)task->values + first, *x = task->x;
    const INDEX *cols = (const INDEX *)task->cols_of + first;
    if (by_row(task->shape.x_layout)) {
        NAME(sum_by_row)(values, cols, count, x + column, task->ldx, sums, width);
    } else {
        NAME(sum_by_column)(values, cols, count, x + column * task->ldx, task->ldx, sums, width);
    }
}

/* Stores a row's numbers of the strip; a vector at a time where they follow each other. */
static inline void NAME(store)(VALUE *restrict to, int64_t right, int width, COMPUTED alpha,
                               COMPUTED beta, const COMPUTED *restrict sums) {
    if (right == 1 && beta == 0) {
        for (int j = 0; j < width; j++) to[j] = alpha * sums[j];
        return;
    }
    for (int j = 0; j < width; j++) {
        VALUE *number = to + j * right;
        *number = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * *number;
    }
}

static void NAME(piece)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta, int p,
                        int pieces, int64_t column, int width, NAME(carries) carries) {
    const OFFSET *offsets = task->offsets;
    NAME(strip) y = NAME(strip_of)(task, column, width);
    int64_t begin = tulle__piece_begin(&task->shape, p, pieces);
    int64_t end = tulle__piece_begin(&task->shape, p + 1, pieces);
    int64_t row = NAME(cut_row)(task, begin), last = NAME(cut_row)(task, end);
    int64_t entry = offsets[0] + begin - row, stop = offsets[0] + end - last;
    COMPUTED sums[TULLE__WIDE];
    for (; row < last; row++) {
        NAME(sum_columns)(task, entry, offsets[row + 1] - entry, column, width, sums);
        NAME(store)(y.at + row * y.down, y.right, width, alpha, beta, sums);
        entry = offsets[row + 1];
    }
    NAME(sum_columns)(task, entry, stop - entry, column, width, sums);
    VALUE *carried = carries.sums + p * task->shape.vectors + column;
    for (int j = 0; j < width; j++) carried[j] = sums[j];
    carries.row[p] = entry < stop ? last : -1;
}

static void NAME(add_carry)(const tulle__spmv_task *task, COMPUTED alpha, int64_t row,
                            const VALUE *sums) {
    NAME(strip) y = NAME(strip_of)(task, 0, 0);
    for (int64_t j = 0; j < task->shape.vectors; j++) {
        y.at[row * y.down + j * y.right] += alpha * sums[j];
    }
}

static void NAME(forward)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta) {
    int pieces = tulle__pieces(&task->shape), most = widest(&task->shape, task->shape.x_layout);
    int64_t vectors = task->shape.vectors, *carry_row = task->workspace;
    NAME(carries) carries = {carry_row, (VALUE *)(carry_row + pieces)};
#pragma omp parallel for schedule(dynamic, 1) num_threads(tulle__spmv_threads(task)) if (pieces > 1)
    for (int p = 0; p < pieces; p++) {
        for (int64_t c = 0; c < vectors; c += width_of(vectors - c, most)) {
            NAME(piece)
            (task, alpha, beta, p, pieces, c, width_of(vectors - c, most), carries);
        }
    }
    for (int p = 0; p < pieces; p++) {
        if (carries.row[p] < 0) continue;
        NAME(add_carry)(task, alpha, carries.row[p], carries.sums + p * vectors);
    }
}

/* Computes Y := beta Y, for some columns. */
static void NAME(scale)(NAME(strip) y, int64_t rows, COMPUTED beta) {
    for (int64_t i = 0; i < rows; i++) {
        for (int j = 0; j < y.width; j++) {
            VALUE *number = y.at + i * y.down + j * y.right;
            *number = beta == 0 ? 0 : beta * *number;
        }
    }
}

static void NAME(scatter)(const tulle__spmv_task *task, COMPUTED alpha, int64_t column,
                          NAME(strip) y) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    bool rows = by_row(task->shape.x_layout);
    int64_t down = rows ? task->ldx : 1, right = rows ? 1 : task->ldx;
    for (int64_t i = 0; i < task->shape.rows; i++) {
        COMPUTED own[TULLE__WIDE];
        for (int j = 0; j < y.width; j++) own[j] = x[i * down + (column + j) * right];
        for (OFFSET e = offsets[i]; e < offsets[i + 1]; e++) {
            VALUE *to = y.at + cols[e] * y.down;
            for (int j = 0; j < y.width; j++) to[j * y.right] += alpha * (values[e] * own[j]);
        }
    }
}

static void NAME(transposed)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta) {
    int64_t vectors = task->shape.vectors;
    int64_t width = transposed_width(&task->shape, task->place->threads);
    int64_t strips = strips_of(vectors, width);
#pragma omp parallel for schedule(dynamic, 1) num_threads(tulle__spmv_threads(task)) if (strips > 1)
    for (int64_t s = 0; s < strips; s++) {
        int64_t column = s * width, left = vectors - column;
        NAME(strip) y = NAME(strip_of)(task, column, (int)(left < width ? left : width));
        NAME(scale)(y, task->shape.cols, beta);
        NAME(scatter)(task, alpha, column, y);
    }
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    if (task->shape.trans == TULLE_N) {
        NAME(forward)(task, alpha, beta);
    } else {
        NAME(transposed)(task, alpha, beta);
    }
    return TULLE_OK;
}

#endif
