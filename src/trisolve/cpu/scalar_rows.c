/* SPDX-License-Identifier: Apache-2.0 */
/* Solves rows of a scalar T with ascending columns, for one column of B, directly from A's arrays,
 * whose integers have sizes that the compiler knows. A row takes its products in the order in which
 * their unknowns become known, the nearest one last; in a long row, groups of four are added up
 * side by side before. The end of a row's entries is known beforehand, so that a column is read
 * only to find its unknown. Memory that later rows use is prefetched: in A's arrays every other
 * stretch belongs to the other triangle, and a processor takes the rest for many short streams. */
#ifndef STORED

#include "trisolve/cpu/scalar_rows.h"

#include "trisolve/cpu/cells.h"
#include "trisolve/cpu/gather.h"

#define TULLE__SELF "trisolve/cpu/scalar_rows.c"
#include "trisolve/cpu/each_values.h"

void tulle__solve_scalars(const tulle__trisolve_task *task, const void *order, int64_t begin,
                          int64_t end) {
    switch (task->values) {
        case TULLE__VALUES_F32:
            solve_f32(task, order, begin, end);
            break;
        case TULLE__VALUES_F64:
            solve_f64(task, order, begin, end);
            break;
        default:
            solve_f32_f64(task, order, begin, end);
    }
}

#else /* once for each pair of value types */

#include "trisolve/cpu/over.h"

typedef struct NAME(scalars) {
    const void *offsets, *cols, *bounds;
    const STORED *values;
    bool unit, lower; /* true for ones on the diagonal; true when op(T) is lower */
    COMPUTED alpha;
    const COMPUTED *from;
    COMPUTED *x;
    int64_t rows, from_row, x_row;
    /* distance, in entries of A, from the one in use to the one that is prefetched; 0: nothing
     * is */
    int64_t ahead;
} NAME(scalars);

static inline NAME(scalars) NAME(scalars_of)(const tulle__trisolve_task *task, bool streams) {
    const tulle__diagonal diagonal = task->diagonal;
    return (NAME(scalars)){
        .offsets = task->pattern->offsets,
        .cols = task->pattern->cols_of,
        .bounds = task->schedule->bounds,
        .values = task->blocks,
        .unit = diagonal == TULLE__DIAGONAL_UNIT || diagonal == TULLE__DIAGONAL_UNIT_TRIANGLE,
        .lower = task->upper == (task->op == TULLE_T),
        .alpha = tulle__scalar_value(COMPUTED, task->alpha),
        .from = task->b.data,
        .x = task->x.data,
        .rows = task->n,
        .from_row = task->b.row,
        .x_row = task->x.row,
        .ahead = streams ? TRISOLVE_AHEAD : 0};
}

/* The unknown that was found last: a row that uses it next need not wait until it can be loaded. */
typedef struct NAME(newest) {
    int64_t row;
    COMPUTED number;
} NAME(newest);

/* Prefetches the memory that entry e will use; the entry need not exist. */
TRISOLVE_INLINE void NAME(ask_for)(const NAME(scalars) * a, int64_t e, int col_size) {
    tulle__ask_for(a->values, e * (int64_t)sizeof *a->values);
    tulle__ask_for(a->cols, e * col_size);
}

/* Returns the prefetch distance in whole rows of so many entries, which leads to the same triangle
 * of a similar row. */
TRISOLVE_INLINE int64_t NAME(rows_ahead)(const NAME(scalars) * a, int64_t entries) {
    if (entries >= a->ahead) return a->ahead > 0 ? entries : 0;
    return (int64_t)((uint32_t)a->ahead / (uint32_t)entries + 1) * entries;
}

/* A row of op(T) = T that is being solved: its next entry, the number of entries left, and the
 * length of A's row. */
typedef struct NAME(row) {
    int64_t i, e, left, entries, diagonal;
    COMPUTED sum;
} NAME(row);

TRISOLVE_INLINE NAME(row)
    NAME(begin_row)(const NAME(scalars) * a, int64_t i, int offset_size, bool lower) {
    const int64_t begin = tulle__get(a->offsets, offset_size, i);
    const int64_t end = tulle__get(a->offsets, offset_size, i + 1);
    const int64_t bound = tulle__get(a->bounds, offset_size, i);
    return (NAME(row)){.i = i,
                       .e = lower ? begin : end - 1,
                       .left = lower ? bound - begin : end - bound,
                       .entries = end - begin,
                       .diagonal = lower ? bound : bound - 1,
                       .sum = a->alpha * a->from[i * a->from_row]};
}

#define COL(e) tulle__get(a->cols, col_size, e)
#define PRODUCT(e) ((COMPUTED)a->values[e] * a->x[COL(e) * x_row])
TRISOLVE_INLINE void NAME(take_fours)(const NAME(scalars) * a, NAME(row) * r, int col_size,
                                      bool lower, int64_t x_row) {
    const int64_t step = lower ? 1 : -1, ahead = step * NAME(rows_ahead)(a, r->entries);
    COMPUTED part[4] = {0, 0, 0, 0};
    do {
        NAME(ask_for)(a, r->e + ahead, col_size);
        for (int k = 0; k < 4; k++) part[k] += PRODUCT(r->e + k * step);
        r->e += 4 * step;
        r->left -= 4;
    } while (r->left > 4);
    r->sum -= (part[0] + part[1]) + (part[2] + part[3]);
}

/* Four numbers that are gathered, for 32-bit columns and an X without gaps. In an upper
 * triangle, whose entries are taken from the end, they are in reverse order, which does not
 * change their sum. */
typedef TRISOLVE_OF(tulle__quad, COMPUTED) NAME(quad);
typedef STORED NAME(stored_quad)
    __attribute__((vector_size(4 * sizeof(STORED)), aligned(sizeof(STORED)), may_alias));
FOR_GATHERS TRISOLVE_INLINE NAME(quad)
    NAME(gather_four)(const NAME(scalars) * a, int64_t e, bool lower) {
    const int64_t first = lower ? e : e - 3;
    const int32_t *cols = (const int32_t *)a->cols + first;
    const NAME(stored_quad) values = *(const NAME(stored_quad) *)(a->values + first);
    return __builtin_convertvector(values, NAME(quad)) *
           TRISOLVE_OF(tulle__gather, COMPUTED)(a->x, cols);
}

/* Gathers four products at a time. Memory is prefetched once per eight entries, a line of values in
 * f64. */
FOR_GATHERS TRISOLVE_INLINE void NAME(gather_fours)(const NAME(scalars) * a, NAME(row) * r,
                                                    bool lower) {
    const int64_t step = lower ? 1 : -1, ahead = step * NAME(rows_ahead)(a, r->entries);
    NAME(quad) part = {0, 0, 0, 0};
    for (; r->left > 8; r->left -= 8, r->e += 8 * step) {
        NAME(ask_for)(a, r->e + ahead, sizeof(int32_t));
        part += NAME(gather_four)(a, r->e, lower);
        part += NAME(gather_four)(a, r->e + 4 * step, lower);
    }
    if (r->left > 4) {
        part += NAME(gather_four)(a, r->e, lower);
        r->left -= 4;
        r->e += 4 * step;
    }
    r->sum -= (part[0] + part[1]) + (part[2] + part[3]);
}

/* Gathers all entries of a short row but the last. Missing products are 0 and change nothing, so
 * that no branch depends on the number of entries. */
FOR_GATHERS TRISOLVE_INLINE void NAME(gather_few)(const NAME(scalars) * a, NAME(row) * r,
                                                  bool lower) {
    COMPUTED products[TULLE__LONG_ROW - 1];
    const int64_t few = r->left - 1, first = lower ? r->e : r->e - few + 1;
    NAME(tulle__products)
    (a->values + first, a->x, (const int32_t *)a->cols + first, (int)few, products);
#pragma GCC unroll 8
    for (int k = 0; k < TULLE__LONG_ROW - 2; k++) {
        r->sum -= products[lower ? k : TULLE__LONG_ROW - 3 - k];
    }
    r->e += lower ? few : -few;
    r->left = 1;
}

/* Takes the last entries, among them the nearest unknown's, and the diagonal. */
TRISOLVE_INLINE void NAME(end_row)(const NAME(scalars) * a, const NAME(row) * r, int col_size,
                                   bool lower, int64_t x_row, NAME(newest) * newest) {
    const int64_t step = lower ? 1 : -1;
    int64_t e = r->e, left = r->left;
    COMPUTED sum = r->sum;
    for (; left > 1; left--, e += step) sum -= PRODUCT(e);
    if (left > 0) {
        sum -= COL(e) == newest->row ? (COMPUTED)a->values[e] * newest->number : PRODUCT(e);
    }
    if (!a->unit) sum = NAME(over)(sum, (COMPUTED)a->values[r->diagonal]);
    a->x[r->i * x_row] = sum;
    *newest = (NAME(newest)){r->i, sum};
}

/* Solves row i of op(T) = T. */
TRISOLVE_INLINE void NAME(solve_scalar)(const NAME(scalars) * a, int64_t i, int offset_size,
                                        int col_size, bool lower, int64_t x_row,
                                        NAME(newest) * newest) {
    NAME(row) r = NAME(begin_row)(a, i, offset_size, lower);
    if (r.left >= TULLE__LONG_ROW) {
        NAME(take_fours)(a, &r, col_size, lower, x_row);
    } else {
        NAME(ask_for)(a, r.e + (lower ? a->ahead : -a->ahead), col_size);
    }
    NAME(end_row)(a, &r, col_size, lower, x_row, newest);
}

FOR_GATHERS TRISOLVE_INLINE void NAME(gather_scalar)(const NAME(scalars) * a, int64_t i,
                                                     int offset_size, int col_size, bool lower,
                                                     int64_t x_row, NAME(newest) * newest) {
    NAME(row) r = NAME(begin_row)(a, i, offset_size, lower);
    if (r.left >= TULLE__LONG_ROW) {
        NAME(gather_fours)(a, &r, lower);
    } else {
        NAME(ask_for)(a, r.e + (lower ? a->ahead : -a->ahead), col_size);
        if (r.left > 0) NAME(gather_few)(a, &r, lower);
    }
    NAME(end_row)(a, &r, col_size, lower, x_row, newest);
}

/* Takes row i of A: finds the row's unknown for op(T) = T', and subtracts its products from the
 * unknowns that wait for it. Memory is read in the order of the rows: if that falls, from the end
 * of the row on. */
TRISOLVE_INLINE void NAME(spread_scalar)(const NAME(scalars) * a, int64_t i, int offset_size,
                                         int col_size, bool lower, int64_t x_row,
                                         NAME(newest) * newest) {
    const int64_t bound = tulle__get(a->bounds, offset_size, i), step = lower ? 1 : -1;
    const int64_t end = tulle__get(a->offsets, offset_size, lower ? i + 1 : i);
    int64_t e = lower ? bound : bound - 1, left = lower ? end - bound : bound - end;
    (void)newest;
    COMPUTED own = a->x[i * x_row];
    if (!a->unit) own = NAME(over)(own, (COMPUTED)a->values[lower ? bound - 1 : bound]);
    a->x[i * x_row] = own;
    for (; left > 0; left--, e += step) a->x[COL(e) * x_row] -= (COMPUTED)a->values[e] * own;
#undef PRODUCT
#undef COL
}

/* Solves rows [begin, end) of the order of A's rows, or of the places in `order`. The place of
 * unknowns that follow each other in memory is found without a multiplication. */
#define ROWS_BY(target, name, row, offset_size, col_size, lower)                                   \
    target TRISOLVE_INLINE void NAME(name##_by)(const NAME(scalars) * a, const void *order,        \
                                                int64_t begin, int64_t end, int64_t x_row) {       \
        NAME(newest) newest = {-2, 0};                                                             \
        for (int64_t t = begin; t < end; t++) {                                                    \
            const int64_t i =                                                                      \
                order ? tulle__get(order, offset_size, t) : (lower ? t : a->rows - 1 - t);         \
            NAME(row)(a, i, offset_size, col_size, lower, x_row, &newest);                         \
        }                                                                                          \
    }
#define ROWS(name, row, offset_size, col_size, lower)                                              \
    ROWS_BY(, name, row, offset_size, col_size, lower)                                             \
    static void NAME(name)(const NAME(scalars) * a, const void *order, int64_t begin,              \
                           int64_t end) {                                                          \
        if (a->x_row == 1) {                                                                       \
            NAME(name##_by)(a, order, begin, end, 1);                                              \
        } else {                                                                                   \
            NAME(name##_by)(a, order, begin, end, a->x_row);                                       \
        }                                                                                          \
    }
#define SIZES(name, row, lower)                                                                    \
    ROWS(name##_4_4, row, 4, 4, lower)                                                             \
    ROWS(name##_8_4, row, 8, 4, lower)                                                             \
    ROWS(name##_8_8, row, 8, 8, lower)
SIZES(solve_lower, solve_scalar, true)
SIZES(solve_upper, solve_scalar, false)
SIZES(spread_lower, spread_scalar, true)
SIZES(spread_upper, spread_scalar, false)
#undef SIZES
#undef ROWS

#define GATHER_ROWS(name, offset_size, lower)                                                      \
    ROWS_BY(FOR_GATHERS, name, gather_scalar, offset_size, 4, lower)                               \
    FOR_GATHERS static void NAME(name)(const NAME(scalars) * a, const void *order, int64_t begin,  \
                                       int64_t end) {                                              \
        NAME(name##_by)(a, order, begin, end, 1);                                                  \
    }
GATHER_ROWS(gather_lower_4, 4, true)
GATHER_ROWS(gather_upper_4, 4, false)
GATHER_ROWS(gather_lower_8, 8, true)
GATHER_ROWS(gather_upper_8, 8, false)
#undef GATHER_ROWS
#undef ROWS_BY

static void NAME(solve)(const tulle__trisolve_task *task, const void *order, int64_t begin,
                        int64_t end) {
    typedef void (*rows)(const NAME(scalars) *, const void *, int64_t, int64_t);
#define SIZED(name)                                                                                \
    { NAME(name##_4_4), NAME(name##_8_4), NAME(name##_8_8) }
    static const rows of[2][2][3] = {{SIZED(solve_upper), SIZED(solve_lower)},
                                     {SIZED(spread_upper), SIZED(spread_lower)}};
#undef SIZED
    static const rows gather[2][2] = {{NAME(gather_upper_4), NAME(gather_lower_4)},
                                      {NAME(gather_upper_8), NAME(gather_lower_8)}};
    const NAME(scalars) a = NAME(scalars_of)(task, !order);
    const tulle_index index = task->index;
    const bool turned = task->op == TULLE_T;
    const bool gathers = !turned && a.x_row == 1 && tulle_index_size(index) == 4 &&
                         tulle__takes_gathers(task->params);
    const rows take =
        gathers ? gather[tulle_offset_size(index) == 8][a.lower] : of[turned][a.lower][index];
    take(&a, order, begin, end);
}

#endif
