/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of at most MOST_FEW entries, once for each type combination: four neighbours of one length
 * at once, and rows of a chunk by length, so that neither the end of a row nor the next length is a
 * branch. The sum of a row is (p0 + p2) + (p1 + p3) as in csr_rows.h, where a missing product is
 * +0: so a sum of nothing but -0 is +0. No include guard, on purpose. */

/* Computes the sums of four rows of `count` entries each, a constant from 1 to MOST_FEW. */
static ALWAYS_INLINE BY_VALUE(quad)
    NAME(four_rows)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t count) {
    BY_VALUE(quad) p[MOST_FEW], sums;
    for (int64_t k = 0; k < count; k++) {
        BY_VALUE(quad) numbers = BY_VALUE(pick)(x, BY_INDEX(columns)(cols + 4 * k));
        p[k] = BY_VALUE(quad_mul)(BY_VALUE(quad_load)(values + 4 * k), numbers);
    }
    sums = count == 1   ? p[0]
           : count == 2 ? BY_VALUE(quad_pairs)(p)
           : count == 3 ? BY_VALUE(quad_threes)(p)
                        : BY_VALUE(quad_sums)(p);
    return BY_VALUE(quad_add)(sums, BY_VALUE(quad_zero)());
}

/* Computes y := alpha A x + beta y for rows of `count` entries each, a constant up to MOST_FEW,
 * four at once; returns the number of rows done, which is less by up to three. */
static ALWAYS_INLINE int64_t NAME(fours_of_rows)(const VALUE *values, const INDEX *cols,
                                                 const VALUE *x, int64_t rows, int64_t count,
                                                 COMPUTED alpha, COMPUTED beta, VALUE *y) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        BY_VALUE(quad) sums = NAME(four_rows)(values, cols, x, count);
        sums = BY_VALUE(quad_mul)(BY_VALUE(quad_all)(alpha), sums);
        if (beta != 0) {
            BY_VALUE(quad) before = BY_VALUE(quad_load)(y + r);
            before = BY_VALUE(quad_mul)(BY_VALUE(quad_all)(beta), before);
            sums = BY_VALUE(quad_add)(sums, before);
        }
        BY_VALUE(quad_store)(y + r, sums);
        values += 4 * count;
        cols += 4 * count;
    }
    return r;
}

/* Rows of a chunk of CHUNK_ROWS rows, by length: bit r of of[c] is set if row r has c entries, and
 * of more if it has more than MOST_FEW. */
typedef struct NAME(rows_by_length) {
    uint64_t of[MOST_FEW + 1], more;
} NAME(rows_by_length);

static inline SIMD_TARGET NAME(rows_by_length) NAME(sort_by_length)(const OFFSET *offsets) {
    enum { STEP = BY_OFFSET(ROWS_AT_ONCE) };
    NAME(rows_by_length) rows = {0};
    for (int r = 0; r < CHUNK_ROWS; r += STEP) {
        for (int c = 0; c <= MOST_FEW; c++) {
            rows.of[c] |= BY_OFFSET(rows_of_length)(offsets + r, c) << r;
        }
    }
    uint64_t few = 0;
    for (int c = 0; c <= MOST_FEW; c++) few |= rows.of[c];
    rows.more = ~few;
    return rows;
}

/* Computes the sums of four neighbours at once where all four are in a set, whose rows have `count`
 * entries, a constant from 1 to MOST_FEW; returns the rest of the set. */
static ALWAYS_INLINE uint64_t NAME(sum_fours)(const tulle__spmv_task *task, const OFFSET *offsets,
                                              uint64_t set, int64_t count, COMPUTED *sums) {
    uint64_t first = set & set >> 1;
    first &= first >> 2 & UINT64_C(0x1111111111111111);
    for (uint64_t left = first; left != 0; left &= left - 1) {
        const int r = __builtin_ctzll(left);
        const VALUE *values = (const VALUE *)task->values + offsets[r];
        const INDEX *cols = (const INDEX *)task->cols_of + offsets[r];
        BY_VALUE(quad_store)(sums + r, NAME(four_rows)(values, cols, task->x, count));
    }
    return set & ~(15 * first);
}

/* Computes the sums of the rows of a set, which have `count` entries, a constant from 1 to
 * MOST_FEW. */
static ALWAYS_INLINE void NAME(sum_set)(const tulle__spmv_task *task, const OFFSET *offsets,
                                        uint64_t set, int64_t count, COMPUTED *sums) {
    const VALUE *x = task->x;
    if (__builtin_popcountll(set) >= MOSTLY) set = NAME(sum_fours)(task, offsets, set, count, sums);
    for (; set != 0; set &= set - 1) {
        const int r = __builtin_ctzll(set);
        const VALUE *values = (const VALUE *)task->values + offsets[r];
        const INDEX *cols = (const INDEX *)task->cols_of + offsets[r];
        COMPUTED even = 0, odd = 0;
        even += values[0] * x[cols[0]];
        if (count > 2) even += values[2] * x[cols[2]];
        if (count > 1) odd = values[1] * x[cols[1]];
        if (count > 3) odd += values[3] * x[cols[3]];
        sums[r] = count > 1 ? even + odd : even;
    }
}

/* Computes y of the CHUNK_ROWS rows from i on. */
static SIMD_TARGET __attribute__((noinline)) void NAME(few_by_length)(
    const tulle__spmv_task *task, int64_t i, const NAME(rows_by_length) * rows, COMPUTED alpha,
    COMPUTED beta) {
    COMPUTED sums[CHUNK_ROWS] = {0};
    const OFFSET *offsets = (const OFFSET *)task->offsets + i;
    VALUE *y = (VALUE *)task->y + i;
    NAME(sum_set)(task, offsets, rows->of[1], 1, sums);
    NAME(sum_set)(task, offsets, rows->of[2], 2, sums);
    NAME(sum_set)(task, offsets, rows->of[3], 3, sums);
    NAME(sum_set)(task, offsets, rows->of[4], 4, sums);
    for (uint64_t more = rows->more; more != 0; more &= more - 1) {
        const int r = __builtin_ctzll(more);
        sums[r] = (COMPUTED)NAME(entries)(task, offsets[r], offsets[r + 1]);
    }
    for (int r = 0; r < CHUNK_ROWS; r++) {
        y[r] = beta == 0 ? alpha * sums[r] : alpha * sums[r] + beta * y[r];
    }
}

/* Computes y of the rows of a chunk from i on by length and returns true, if few of its rows have
 * more than MOST_FEW entries. */
static SIMD_TARGET bool NAME(try_few)(const tulle__spmv_task *task, int64_t i, const chunk_rows *c,
                                      COMPUTED alpha, COMPUTED beta) {
    const OFFSET *offsets = (const OFFSET *)task->offsets + i;
    if (c->rows < CHUNK_ROWS || offsets[CHUNK_ROWS] - offsets[0] > CHUNK_ROWS * (MOST_FEW + 1)) {
        return false;
    }
    NAME(rows_by_length) rows = NAME(sort_by_length)(offsets);
    if (__builtin_popcountll(rows.more) > FEW_LONGER) return false;
    NAME(few_by_length)(task, i, &rows, alpha, beta);
    return true;
}
