/* SPDX-License-Identifier: Apache-2.0 */
/* CSR by rows with vectors, once for each type combination.
 *
 * Neighbouring rows of stencils and bands have the same length and the columns of the row before
 * plus one: then LANES rows are summed at once, x is read as it lies in memory, and the values of
 * four entries of each are transposed. Other rows are summed four entries at once.
 *
 * Which rows are summed together depends on where a thread begins, so the sum of a row must not: up
 * to SHORT_ROW entries it is, both ways, (s0 + s2) + (s1 + s3), where s_j has every fourth entry
 * from j on, from left to right. No include guard, on purpose. */

/* Adds one to three entries to the first lanes. A mask and no loop: how many they are is hard to
 * foresee for the processor. */
static SIMD_TARGET BY_VALUE(quad)
    NAME(add_some)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t count,
                   BY_VALUE(quad) sum) {
    BY_VALUE(quad) numbers = BY_VALUE(pick)(x, BY_INDEX(some_columns)(cols, count));
    numbers = BY_VALUE(quad_keep)(numbers, count);
    return BY_VALUE(quad_fma)(BY_VALUE(quad_some)(values, count), numbers, sum);
}

/* A row of fewer than FEWEST entries: as short_row would sum it, without vectors. */
static inline SIMD_TARGET COMPUTED NAME(few)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t count) {
    COMPUTED sum = count > 0 ? BY_VALUE(fma)(values[0], x[cols[0]], 0) : 0;
    if (count > 2) sum += BY_VALUE(fma)(values[2], x[cols[2]], 0);
    if (count > 1) sum += BY_VALUE(fma)(values[1], x[cols[1]], 0);
    return sum;
}

static SIMD_TARGET COMPUTED NAME(short_row)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                            int64_t count) {
    BY_VALUE(quad) sum = BY_VALUE(quad_zero)();
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        sum = BY_VALUE(quad_fma)(BY_VALUE(quad_load)(values + k),
                                 BY_VALUE(pick)(x, BY_INDEX(columns)(cols + k)), sum);
    }
    if (k < count) sum = NAME(add_some)(values + k, cols + k, x, count - k, sum);
    return BY_VALUE(quad_sum)(sum);
}

#ifdef SIMD_GATHERS
#include "spmv/cpu/simd/long_row_gather.h"
#else
#include "spmv/cpu/simd/long_row.h"
#endif

static inline SIMD_TARGET COMPUTED NAME(one_row)(const VALUE *values, const INDEX *cols,
                                                 const VALUE *x, int64_t count) {
    if (count < FEWEST) return NAME(few)(values, cols, x, count);
    return count <= SHORT_ROW ? NAME(short_row)(values, cols, x, count)
                              : NAME(long_row)(values, cols, x, count);
}

/* Whether the columns of LANES rows of `count` entries ascend by one from row to row. */
static SIMD_TARGET bool NAME(ascend)(const INDEX *cols, int64_t count) {
    enum { LANES = BY_VALUE(LANES), STEP = BY_INDEX(ONES_AT_ONCE) };
    const INDEX *next = cols + count;
    int64_t pairs = (LANES - 1) * count, k = 0;
    for (; k + STEP < pairs; k += STEP) {
        if (!BY_INDEX(ones)(cols + k, next + k)) return false;
    }
    return BY_INDEX(ones)(cols + pairs - STEP, next + pairs - STEP);
}

/* Whether LANES rows, whose offsets and first row's columns are given, have `count` entries each,
 * and columns that ascend by one. */
static inline SIMD_TARGET bool NAME(alike)(const OFFSET *offsets, const INDEX *cols,
                                           int64_t count) {
    enum { LANES = BY_VALUE(LANES) };
    OFFSET differs = offsets[LANES] - offsets[0] - (OFFSET)(LANES * count);
    if (differs || cols[count] != cols[0] + 1) return false;
    for (int r = 0; r < LANES; r++) differs |= (offsets[r + 1] - offsets[r]) ^ (OFFSET)count;
    return !differs && NAME(ascend)(cols, count);
}

/* The sums of LANES rows that are alike; cols are the first one's. */
static SIMD_TARGET BY_VALUE(vec)
    NAME(alike_rows)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t count) {
    BY_VALUE(vec) t[4], s0 = BY_VALUE(zero)(), s1 = s0, s2 = s0, s3 = s0;
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        BY_VALUE(transpose)(values + k, count, t);
        s0 = BY_VALUE(vec_fma)(t[0], BY_VALUE(load)(x + cols[k]), s0);
        s1 = BY_VALUE(vec_fma)(t[1], BY_VALUE(load)(x + cols[k + 1]), s1);
        s2 = BY_VALUE(vec_fma)(t[2], BY_VALUE(load)(x + cols[k + 2]), s2);
        s3 = BY_VALUE(vec_fma)(t[3], BY_VALUE(load)(x + cols[k + 3]), s3);
    }
    int64_t left = count - k;
    if (left > 0) BY_VALUE(transpose)(values + count - 4, count, t);
    if (left == 1) {
        s0 = BY_VALUE(vec_fma)(t[3], BY_VALUE(load)(x + cols[k]), s0);
    } else if (left == 2) {
        s0 = BY_VALUE(vec_fma)(t[2], BY_VALUE(load)(x + cols[k]), s0);
        s1 = BY_VALUE(vec_fma)(t[3], BY_VALUE(load)(x + cols[k + 1]), s1);
    } else if (left == 3) {
        s0 = BY_VALUE(vec_fma)(t[1], BY_VALUE(load)(x + cols[k]), s0);
        s1 = BY_VALUE(vec_fma)(t[2], BY_VALUE(load)(x + cols[k + 1]), s1);
        s2 = BY_VALUE(vec_fma)(t[3], BY_VALUE(load)(x + cols[k + 2]), s2);
    }
    return BY_VALUE(add)(BY_VALUE(add)(s0, s2), BY_VALUE(add)(s1, s3));
}

/* y := alpha sums + beta y for LANES rows. */
static inline SIMD_TARGET void NAME(combine)(BY_VALUE(vec) sum, COMPUTED alpha, COMPUTED beta,
                                             VALUE *y) {
    enum { LANES = BY_VALUE(LANES) };
    COMPUTED sums[LANES];
    BY_VALUE(store)(sums, sum);
    for (int r = 0; r < LANES; r++) sums[r] = alpha * sums[r];
    for (int r = 0; r < LANES && beta != 0; r++) sums[r] += beta * y[r];
    for (int r = 0; r < LANES; r++) y[r] = sums[r];
}

static SIMD_TARGET void NAME(rows)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    enum { LANES = BY_VALUE(LANES) };
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    const OFFSET *offsets = task->offsets;
    const VALUE *x = task->x;
    VALUE *y = task->y;
    for (int64_t i = begin; i < end;) {
        int64_t count = offsets[i + 1] - offsets[i];
        const INDEX *cols = (const INDEX *)task->cols_of + offsets[i];
        const VALUE *values = (const VALUE *)task->values + offsets[i];
        bool short_row = count >= FEWEST && count <= SHORT_ROW && i + LANES <= end;
        if (short_row && NAME(alike)(offsets + i, cols, count)) {
            NAME(combine)(NAME(alike_rows)(values, cols, x, count), alpha, beta, y + i);
            i += LANES;
            continue;
        }
        COMPUTED sum = alpha * NAME(one_row)(values, cols, x, count);
        y[i] = beta == 0 ? sum : sum + beta * y[i];
        i++;
    }
}

static SIMD_TARGET double NAME(entries)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    return NAME(one_row)((const VALUE *)task->values + begin, (const INDEX *)task->cols_of + begin,
                         task->x, end - begin);
}
