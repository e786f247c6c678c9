/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a scalar T with rising columns, and one column of B: straight from A's arrays, whose
 * integers have sizes that the compiler knows; fragments for one pair of value types, after
 * block_rows.h. A row takes its products in the order in which they become known, the nearest one
 * last; in a long row, fours of them are added up side by side before. */

typedef struct NAME(scalars) {
    const void *offsets, *cols;
    const STORED *values;
    bool unit, lower; /* ones on the diagonal; op(T) is lower */
    COMPUTED alpha;
    const COMPUTED *from;
    COMPUTED *x;
    int64_t rows, from_row, x_row;
} NAME(scalars);

static inline NAME(scalars) NAME(scalars_of)(const NAME(system) * s) {
    const tulle__diagonal diagonal = s->task->diagonal;
    return (NAME(scalars)){
        .offsets = s->task->pattern->offsets,
        .cols = s->task->pattern->cols_of,
        .values = s->blocks,
        .unit = diagonal == TULLE__DIAGONAL_UNIT || diagonal == TULLE__DIAGONAL_UNIT_TRIANGLE,
        .lower = s->lower,
        .alpha = s->alpha,
        .from = s->from,
        .x = s->x,
        .rows = s->n,
        .from_row = s->from_row,
        .x_row = s->x_row};
}

/* The unknown that was found last: a row that has it next need not wait until it can be loaded. */
typedef struct NAME(newest) {
    int64_t row;
    COMPUTED number;
} NAME(newest);

/* Row i of op(T) = T. */
TRISOLVE_INLINE void NAME(solve_scalar)(const NAME(scalars) * a, int64_t i, int offset_size,
                                        int col_size, bool lower, NAME(newest) * newest) {
#define COL(e) tulle__get(a->cols, col_size, e)
#define IS_FAR(e) (lower ? COL(e) < i - 1 : COL(e) > i + 1)
#define PRODUCT(e) ((COMPUTED)a->values[e] * a->x[COL(e) * a->x_row])
    const int64_t begin = tulle__get(a->offsets, offset_size, i);
    const int64_t end = tulle__get(a->offsets, offset_size, i + 1), step = lower ? 1 : -1;
    int64_t e = lower ? begin : end - 1, left = end - begin;
    COMPUTED sum = a->alpha * a->from[i * a->from_row];
    if (left >= TRISOLVE_LONG && IS_FAR(e + 3 * step)) {
        COMPUTED part[4] = {0, 0, 0, 0};
        do {
            for (int k = 0; k < 4; k++) part[k] += PRODUCT(e + k * step);
            e += 4 * step;
            left -= 4;
        } while (left >= 4 && IS_FAR(e + 3 * step));
        sum -= (part[0] + part[1]) + (part[2] + part[3]);
    }
    for (; left > 0 && IS_FAR(e); left--, e += step) sum -= PRODUCT(e);
    if (left > 0 && COL(e) == i - step) {
        sum -= newest->row == i - step ? (COMPUTED)a->values[e] * newest->number : PRODUCT(e);
        e += step;
    }
    if (!a->unit) sum = NAME(over)(sum, (COMPUTED)a->values[e]);
    a->x[i * a->x_row] = sum;
    *newest = (NAME(newest)){i, sum};
}

/* Row i of A, whose unknown of op(T) = T' is taken off those that wait for it. Memory is read in
 * the order of the rows: where they fall, from the end of the row on. */
TRISOLVE_INLINE void NAME(spread_scalar)(const NAME(scalars) * a, int64_t i, int offset_size,
                                         int col_size, bool lower, NAME(newest) * newest) {
    const int64_t begin = tulle__get(a->offsets, offset_size, i);
    const int64_t end = tulle__get(a->offsets, offset_size, i + 1), step = lower ? 1 : -1;
    int64_t e = lower ? begin : end - 1, left = end - begin;
    (void)newest;
    for (; left > 0 && (lower ? COL(e) < i : COL(e) > i); left--) e += step;
    COMPUTED own = a->x[i * a->x_row];
    if (!a->unit) own = NAME(over)(own, (COMPUTED)a->values[e]);
    a->x[i * a->x_row] = own;
    if (left > 0 && COL(e) == i) {
        e += step;
        left--;
    }
    for (; left > 0; left--, e += step) a->x[COL(e) * a->x_row] -= (COMPUTED)a->values[e] * own;
#undef PRODUCT
#undef IS_FAR
#undef COL
}

/* Rows [begin, end) of the order of A's rows, or of the places in `order`. */
#define ROWS(name, row, offset_size, col_size, lower)                                              \
    static void NAME(name)(const NAME(scalars) * a, const void *order, int64_t begin,              \
                           int64_t end) {                                                          \
        NAME(newest) newest = {-2, 0};                                                             \
        for (int64_t t = begin; t < end; t++) {                                                    \
            const int64_t i =                                                                      \
                order ? tulle__get(order, offset_size, t) : (lower ? t : a->rows - 1 - t);         \
            NAME(row)(a, i, offset_size, col_size, lower, &newest);                                \
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

/* Rows as numbered from 0 in the order in which one thread would solve them, or, where
 * it is given, in another order. */
static void NAME(solve_scalars)(const NAME(system) * s, const void *order, int64_t begin,
                                int64_t end) {
    typedef void (*rows)(const NAME(scalars) *, const void *, int64_t, int64_t);
#define SIZED(name)                                                                                \
    { NAME(name##_4_4), NAME(name##_8_4), NAME(name##_8_8) }
    static const rows of[2][2][3] = {{SIZED(solve_upper), SIZED(solve_lower)},
                                     {SIZED(spread_upper), SIZED(spread_lower)}};
#undef SIZED
    const NAME(scalars) a = NAME(scalars_of)(s);
    of[s->turned][s->lower][s->task->index](&a, order, begin, end);
}
