/* SPDX-License-Identifier: Apache-2.0 */
/* Solves one block row of op(T) X = alpha B at a time, for a strip of X's columns: fragments of the
 * CPU's kernels, for one pair of value types (each_values.h). Every unknown begins as its number of
 * alpha B, subtracts its products one by one in the order of its row's entries, within a block by
 * ascending column, and is divided by its diagonal last. So all kernels give the same bits. Rows of
 * scalars with one column have another order, which all kernels share too (scalar_rows.c). */

#include "trisolve/cpu/over.h"

/* Numbers of a strip, as many as a vector of AVX2 has; or as many as a vector that all processors
 * have. */
typedef COMPUTED NAME(vec_256)
    __attribute__((vector_size(32), aligned(sizeof(COMPUTED)), may_alias));
typedef COMPUTED NAME(vec_128)
    __attribute__((vector_size(16), aligned(sizeof(COMPUTED)), may_alias));

typedef struct NAME(system) {
    const tulle__trisolve_task *task;
    /* number of scalar rows and of block rows; bytes of a number of the schedule */
    int64_t n, block_rows, size;
    int b, words; /* size of a block; number of words of its mask */
    /* true when op(T) is lower; true when blocks are read transposed */
    bool lower, turned;
    const STORED *blocks;
    const uint32_t *mask; /* mask of the blocks; NULL: all cells are entries */
    COMPUTED alpha;
    const COMPUTED *from; /* numbers of B */
    COMPUTED *x;
    int64_t from_row, from_col, x_row, x_col;
} NAME(system);

static NAME(system) NAME(system_of)(const tulle__trisolve_task *task) {
    return (NAME(system)){.task = task,
                          .n = task->n,
                          .block_rows = task->schedule->rows,
                          .size = tulle_offset_size(task->index),
                          .b = task->block,
                          .words = (int)tulle__mask_words(task->block * task->block),
                          .lower = task->upper == (task->op == TULLE_T),
                          .turned = task->op == TULLE_T,
                          .blocks = task->blocks,
                          .mask = task->pattern->format == TULLE_CSR || task->pattern->storage.full
                                      ? NULL
                                      : task->pattern->mask,
                          .alpha = tulle__scalar_value(COMPUTED, task->alpha),
                          .from = task->b.data,
                          .x = task->x.data,
                          .from_row = task->b.row,
                          .from_col = task->b.col,
                          .x_row = task->x.row,
                          .x_col = task->x.col};
}

/* The distances of the numbers of a multivector. */
typedef struct NAME(steps) {
    int64_t row, col;
} NAME(steps);

static __attribute__((noinline)) void NAME(load_part)(const COMPUTED *at, NAME(steps) steps,
                                                      int64_t rows, int columns, int b,
                                                      COMPUTED *to) {
    for (int r = 0; r < b; r++) {
        for (int c = 0; c < TRISOLVE_WIDE; c++) {
            const bool is = r < rows && c < columns;
            to[r * TRISOLVE_WIDE + c] = is ? at[r * steps.row + c * steps.col] : 0;
        }
    }
}

TRISOLVE_INLINE void NAME(load_strip)(const COMPUTED *at, NAME(steps) steps, int64_t rows,
                                      int columns, int b, COMPUTED *restrict to) {
    if (rows < b || columns < TRISOLVE_WIDE) {
        NAME(load_part)(at, steps, rows, columns, b, to);
    } else if (steps.col == 1) {
        for (int r = 0; r < b; r++) {
            for (int c = 0; c < TRISOLVE_WIDE; c++)
                to[r * TRISOLVE_WIDE + c] = at[r * steps.row + c];
        }
    } else {
        for (int r = 0; r < b; r++) {
            for (int c = 0; c < TRISOLVE_WIDE; c++) {
                to[r * TRISOLVE_WIDE + c] = at[r * steps.row + c * steps.col];
            }
        }
    }
}

static __attribute__((noinline)) void NAME(store_strip)(COMPUTED *at, NAME(steps) steps,
                                                        int64_t rows, int columns,
                                                        const COMPUTED *from) {
    for (int64_t r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            at[r * steps.row + c * steps.col] = from[r * TRISOLVE_WIDE + c];
        }
    }
}

/* Loads the numbers of block row i for w columns of the strip; numbers behind the last row and the
 * last column are 0. */
TRISOLVE_INLINE void NAME(load)(const NAME(system) * s, const COMPUTED *from, NAME(steps) steps,
                                int64_t i, tulle__strip strip, int b, int w, COMPUTED *to) {
    const int64_t left = s->n - i * b;
    const COMPUTED *at = from + i * b * steps.row + strip.first * steps.col;
    if (w > 1) {
        NAME(load_strip)(at, steps, left, strip.count, b, to);
        return;
    }
    for (int r = 0; r < b; r++) to[r] = b == 1 || r < left ? at[r * steps.row] : 0;
}

TRISOLVE_INLINE void NAME(load_b)(const NAME(system) * s, int64_t i, tulle__strip strip, int b,
                                  int w, COMPUTED *to) {
    const NAME(steps) steps = {s->from_row, s->from_col};
    NAME(load)(s, s->from, steps, i, strip, b, w, to);
    for (int k = 0; k < b * w; k++) to[k] *= s->alpha;
}

TRISOLVE_INLINE void NAME(load_x)(const NAME(system) * s, int64_t i, tulle__strip strip, int b,
                                  int w, COMPUTED *to) {
    const NAME(steps) steps = {s->x_row, s->x_col};
    NAME(load)(s, s->x, steps, i, strip, b, w, to);
}

TRISOLVE_INLINE void NAME(store_x)(const NAME(system) * s, int64_t i, tulle__strip strip, int b,
                                   int w, const COMPUTED *from) {
    const NAME(steps) steps = {s->x_row, s->x_col};
    const int64_t left = s->n - i * b, rows = left < b ? left : b;
    COMPUTED *at = s->x + i * b * steps.row + strip.first * steps.col;
    if (w > 1) {
        NAME(store_strip)(at, steps, rows, strip.count, from);
        return;
    }
    for (int r = 0; r < b && (b == 1 || r < rows); r++) at[r * steps.row] = from[r];
}

/* Gets number (r, c) of op(block); returns false if it is no entry. */
static inline bool NAME(cell)(const NAME(system) * s, int64_t slot, int r, int c, COMPUTED *value) {
    const int cell = s->turned ? c * s->b + r : r * s->b + c;
    if (s->mask && !tulle__bit(s->mask + slot * s->words, cell)) return false;
    *value = (COMPUTED)s->blocks[slot * s->b * s->b + cell];
    return true;
}

/* Computes sum := sum - op(block) x, cell by cell. */
static __attribute__((noinline)) void NAME(subtract_cells)(const NAME(system) * s, int64_t slot,
                                                           int w, const COMPUTED *x,
                                                           COMPUTED *sum) {
    COMPUTED value = 0;
    for (int r = 0; r < s->b; r++) {
        for (int c = 0; c < s->b; c++) {
            if (!NAME(cell)(s, slot, r, c, &value)) continue;
            for (int v = 0; v < w; v++) sum[r * w + v] -= value * x[c * w + v];
        }
    }
}

/* Computes sum := sum - op(block) x with the rows of a full block; the numbers of one row are in
 * registers. */
#define SUBTRACT_ROWS(lanes)                                                                       \
    for (int r = 0; r < b; r++) {                                                                  \
        enum { VECTORS = TRISOLVE_WIDE * sizeof(COMPUTED) / sizeof(lanes) };                       \
        lanes *to = (lanes *)(sum + r * w), part[VECTORS];                                         \
        for (int v = 0; v < VECTORS; v++) part[v] = to[v];                                         \
        for (int c = 0; c < b; c++) {                                                              \
            const COMPUTED value = (COMPUTED)block[r * row + c * col];                             \
            const lanes *from = (const lanes *)(x + c * w);                                        \
            for (int v = 0; v < VECTORS; v++) part[v] -= value * from[v];                          \
        }                                                                                          \
        for (int v = 0; v < VECTORS; v++) to[v] = part[v];                                         \
    }

/* Computes sum := sum - op(block) x. If all cells are entries and there is one column, the rows of
 * the block are independent sums side by side; with several columns, the columns are. */
TRISOLVE_INLINE void NAME(subtract)(const NAME(system) * s, int64_t slot, tulle__strip strip, int b,
                                    int w, bool turned, const COMPUTED *restrict x,
                                    COMPUTED *restrict sum) {
    const STORED *restrict block = s->blocks + slot * b * b;
    const int row = turned ? 1 : b, col = turned ? b : 1;
    if (b > 1 && s->mask && !tulle__all_cells(s->mask + slot * s->words, b * b)) {
        NAME(subtract_cells)(s, slot, w, x, sum);
    } else if (w == 1) {
#pragma GCC unroll 1
        for (int c = 0; c < b; c++) {
            for (int r = 0; r < b; r++) sum[r] -= (COMPUTED)block[r * row + c * col] * x[c];
        }
    } else if (b == 1) {
        const COMPUTED value = (COMPUTED)block[0];
        for (int v = 0; v < w; v++) sum[v] -= value * x[v];
    } else if (strip.avx2) {
        SUBTRACT_ROWS(NAME(vec_256));
    } else {
        SUBTRACT_ROWS(NAME(vec_128));
    }
}

#undef SUBTRACT_ROWS

/* Computes x := op(D)^-1 x with the triangle of D, one unknown after the other. */
TRISOLVE_INLINE void NAME(solve_triangle)(const NAME(system) * s, int64_t i, int64_t slot,
                                          bool unit, int w, COMPUTED *x) {
    const int64_t left = s->n - i * s->b;
    const int rows = left < s->b ? (int)left : s->b;
    COMPUTED value = 0;
    for (int t = 0; t < rows; t++) {
        const int r = s->lower ? t : rows - 1 - t, end = s->lower ? r : rows;
        for (int c = s->lower ? 0 : r + 1; c < end; c++) {
            if (!NAME(cell)(s, slot, r, c, &value)) continue;
            for (int v = 0; v < w; v++) x[r * w + v] -= value * x[c * w + v];
        }
        if (unit || !NAME(cell)(s, slot, r, r, &value)) continue;
        for (int v = 0; v < w; v++) x[r * w + v] /= value;
    }
}

/* Computes x := L^-1 x or U^-1 x, or with the transpose, for a block that has both; L has ones on
 * its diagonal. */
TRISOLVE_INLINE void NAME(solve_factor)(const NAME(system) * s, const STORED *block, bool lower,
                                        bool unit, int w, COMPUTED *x) {
    const int b = s->b, row = s->turned ? 1 : b, col = s->turned ? b : 1;
    for (int t = 0; t < b; t++) {
        const int r = lower ? t : b - 1 - t, end = lower ? r : b;
        for (int c = lower ? 0 : r + 1; c < end; c++) {
            const COMPUTED value = (COMPUTED)block[r * row + c * col];
            for (int v = 0; v < w; v++) x[r * w + v] -= value * x[c * w + v];
        }
        if (unit) continue;
        for (int v = 0; v < w; v++) x[r * w + v] /= (COMPUTED)block[r * b + r];
    }
}

/* Solves with factors L U = P D: D^-1 x = U^-1 L^-1 P x, and D'^-1 x = P' L'^-1 U'^-1 x. */
TRISOLVE_INLINE void NAME(solve_factors)(const NAME(system) * s, int64_t i, int64_t slot, int w,
                                         COMPUTED *x) {
    const int b = s->b;
    const STORED *block = s->blocks + slot * b * b;
    const uint8_t *pivots = s->task->pivots + i * b;
    COMPUTED given[TRISOLVE_ROOM];
    if (s->turned) {
        NAME(solve_factor)(s, block, true, false, w, x);
        NAME(solve_factor)(s, block, false, true, w, x);
    }
    for (int k = 0; k < b * w; k++) given[k] = x[k];
    for (int r = 0; r < b; r++) {
        const int from = s->turned ? r : pivots[r], to = s->turned ? pivots[r] : r;
        for (int v = 0; v < w; v++) x[to * w + v] = given[from * w + v];
    }
    if (s->turned) return;
    NAME(solve_factor)(s, block, true, true, w, x);
    NAME(solve_factor)(s, block, false, false, w, x);
}

TRISOLVE_INLINE void NAME(multiply)(const NAME(system) * s, int64_t slot, int w, COMPUTED *x) {
    const int b = s->b, row = s->turned ? 1 : b, col = s->turned ? b : 1;
    const STORED *block = s->blocks + slot * b * b;
    COMPUTED given[TRISOLVE_ROOM];
    for (int k = 0; k < b * w; k++) given[k] = x[k];
    for (int r = 0; r < b; r++) {
        for (int v = 0; v < w; v++) x[r * w + v] = 0;
        for (int c = 0; c < b; c++) {
            const COMPUTED value = (COMPUTED)block[r * row + c * col];
            for (int v = 0; v < w; v++) x[r * w + v] += value * given[c * w + v];
        }
    }
}

/* Computes x := op(D)^-1 x for the diagonal block of block row i; slot -1: the row has none. */
TRISOLVE_INLINE void NAME(meet_block_of)(const NAME(system) * s, int64_t i, int64_t slot, int w,
                                         COMPUTED *x) {
    if (slot < 0) return;
    switch (s->task->diagonal) {
        case TULLE__DIAGONAL_UNIT:
            return;
        case TULLE__DIAGONAL_UNIT_TRIANGLE:
            NAME(solve_triangle)(s, i, slot, true, w, x);
            return;
        case TULLE__DIAGONAL_TRIANGLE:
            NAME(solve_triangle)(s, i, slot, false, w, x);
            return;
        case TULLE__DIAGONAL_INVERTED:
            NAME(multiply)(s, slot, w, x);
            return;
        case TULLE__DIAGONAL_FACTORISED:
            NAME(solve_factors)(s, i, slot, w, x);
    }
}

static __attribute__((noinline)) void NAME(meet_block)(const NAME(system) * s, int64_t i,
                                                       int64_t slot, COMPUTED *x) {
    NAME(meet_block_of)(s, i, slot, 1, x);
}

TRISOLVE_INLINE void NAME(meet_diagonal)(const NAME(system) * s, int64_t i, int64_t slot, int b,
                                         int w, COMPUTED *x) {
    const tulle__diagonal diagonal = s->task->diagonal;
    if (b > 1) {
        if (w == 1) {
            NAME(meet_block)(s, i, slot, x);
        } else {
            NAME(meet_block_of)(s, i, slot, w, x);
        }
    } else if (diagonal != TULLE__DIAGONAL_UNIT && diagonal != TULLE__DIAGONAL_UNIT_TRIANGLE) {
        const COMPUTED value = (COMPUTED)s->blocks[slot];
        for (int v = 0; v < w; v++) {
            x[v] = diagonal == TULLE__DIAGONAL_INVERTED ? value * x[v] : NAME(over)(x[v], value);
        }
    }
}
