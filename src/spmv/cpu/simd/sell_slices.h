/* SPDX-License-Identifier: Apache-2.0 */
/* SELL in slices of TULLE__SIMD_SLICE rows, once for each type combination. The sums of a vec of
 * rows stay in a register for all slots of a narrow slice: a row of one to four entries then costs
 * its loads and the store of its number of y, and no branch. Padding comes behind the entries of a
 * row, so that often only the last slot of a slice has some. Other slices are summed as strips
 * (strip_sums.h). Every row is summed from left to right. No include guard, on purpose. */

/* Computes the sums of a slice of `width` slots, a constant; `padded`: the last of them has
 * padding. */
static ALWAYS_INLINE void NAME(narrow_slice)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t width, bool padded, COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES), ROWS = TULLE__SIMD_SLICE };
    const int64_t last = (width - 1) * ROWS;
#pragma GCC unroll 1
    for (int64_t r = 0; r < ROWS; r += LANES) {
        BY_VALUE(vec) sum = BY_VALUE(zero)();
        for (int64_t slot = r; slot < last; slot += ROWS) {
            sum = NAME(whole_slot)(values + slot, cols + slot, x, sum);
        }
        sum = padded ? NAME(padded_slot)(values + last + r, cols + last + r, x, sum)
                     : NAME(whole_slot)(values + last + r, cols + last + r, x, sum);
        BY_VALUE(store)(sums + r, sum);
    }
}

static SIMD_TARGET __attribute__((noinline)) void NAME(strip_slice)(const VALUE *values,
                                                                    const INDEX *cols,
                                                                    const VALUE *x, int64_t width,
                                                                    COMPUTED *sums) {
    enum { STEP = VECS * BY_VALUE(LANES), ROWS = TULLE__SIMD_SLICE };
    const tulle__simd_strip strip = {.values = values, .cols = cols, .rows = ROWS, .step = ROWS};
    for (int64_t r = 0; r < ROWS; r++) sums[r] = 0;
    for (int64_t r = 0; r < ROWS; r += STEP) NAME(many_rows)(&strip, r, 0, width, x, sums);
}

/* True when some row of a vec, or each, has padding in the slot whose columns are given. */
static inline SIMD_TARGET bool NAME(some_padded)(const INDEX *cols) {
    return !BY_INDEX(none_padded)(cols, BY_VALUE(LANES));
}

static inline SIMD_TARGET bool NAME(all_padded)(const INDEX *cols) {
    INDEX all = -1;
    for (int r = 0; r < BY_VALUE(LANES); r++) all &= cols[r];
    return all < 0;
}

/* True when a row of a slice has padding in the slot whose columns are given. */
static inline SIMD_TARGET bool NAME(slot_padded)(const INDEX *cols) {
    INDEX all = 0;
    for (int r = 0; r < TULLE__SIMD_SLICE; r++) all |= cols[r];
    return all < 0;
}

/* Adds the slots of a vec of rows from k on to its sum. */
static inline SIMD_TARGET BY_VALUE(vec)
    NAME(last_slots)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t k,
                     int64_t width, BY_VALUE(vec) sum) {
    enum { ROWS = TULLE__SIMD_SLICE };
    for (; k < width && !NAME(some_padded)(cols + k * ROWS); k++) {
        sum = NAME(whole_slot)(values + k * ROWS, cols + k * ROWS, x, sum);
    }
    for (; k < width && !NAME(all_padded)(cols + k * ROWS); k++) {
        sum = NAME(padded_slot)(values + k * ROWS, cols + k * ROWS, x, sum);
    }
    return sum;
}

/* Computes the sums of a slice of many slots, or of rows of unlike length: the slots that each row
 * has in the order of memory, as the slice need not fit in the cache, the others row by row. */
static SIMD_TARGET __attribute__((noinline)) void NAME(wide_slice)(const VALUE *values,
                                                                   const INDEX *cols,
                                                                   const VALUE *x, int64_t width,
                                                                   COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES), ROWS = TULLE__SIMD_SLICE };
    BY_VALUE(vec) sum[ROWS / LANES];
    int64_t whole = width;
    while (whole > 0 && NAME(slot_padded)(cols + (whole - 1) * ROWS)) whole--;
    for (int v = 0; v < ROWS / LANES; v++) sum[v] = BY_VALUE(zero)();
    for (int64_t k = 0; k < whole; k++) {
        for (int v = 0; v < ROWS / LANES; v++) {
            const int64_t slot = k * ROWS + v * LANES;
            sum[v] = NAME(whole_slot)(values + slot, cols + slot, x, sum[v]);
        }
    }
    for (int v = 0; v < ROWS / LANES; v++) BY_VALUE(store)(sums + v * LANES, sum[v]);
#pragma GCC unroll 1
    for (int r = 0; r < ROWS && whole < width; r += LANES) {
        BY_VALUE(vec) more = BY_VALUE(load)(sums + r);
        more = NAME(last_slots)(values + r, cols + r, x, whole, width, more);
        BY_VALUE(store)(sums + r, more);
    }
}

/* Computes the sums of a slice that has slots. */
static ALWAYS_INLINE void NAME(slice_sums)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                           int64_t width, COMPUTED *sums) {
    const INDEX *last = cols + (width - 1) * TULLE__SIMD_SLICE;
    const bool padded = NAME(slot_padded)(last);
    const bool deep = padded && width > 1 && NAME(slot_padded)(last - TULLE__SIMD_SLICE);
    switch (deep ? 0 : width) {
        case 1:
            NAME(narrow_slice)(values, cols, x, 1, padded, sums);
            break;
        case 2:
            NAME(narrow_slice)(values, cols, x, 2, padded, sums);
            break;
        case 3:
            NAME(narrow_slice)(values, cols, x, 3, padded, sums);
            break;
        case 4:
            NAME(narrow_slice)(values, cols, x, 4, padded, sums);
            break;
        default:
            if (NAME(in_a_line)(cols)) {
                NAME(strip_slice)(values, cols, x, width, sums);
            } else {
                NAME(wide_slice)(values, cols, x, width, sums);
            }
    }
}

/* Computes y := sums + beta y for the rows at `rows` positions from `begin` on. */
static SIMD_TARGET __attribute__((noinline)) void NAME(put_some)(const tulle__spmv_task *task,
                                                                 int64_t begin, int64_t rows,
                                                                 const COMPUTED *sums,
                                                                 COMPUTED beta) {
    const INDEX *order = task->order;
    VALUE *y = task->y;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = order ? order[begin + r] : begin + r;
        y[i] = beta == 0 ? sums[r] : sums[r] + beta * y[i];
    }
}

/* Computes y := sums for the rows of a slice, whose first position is given. Numbers are copied to
 * scattered rows as bytes, since a processor may store two integers a cycle but one number. */
static ALWAYS_INLINE void NAME(put_slice)(const tulle__spmv_task *task, int64_t begin,
                                          const COMPUTED *sums) {
    enum { ROWS = TULLE__SIMD_SLICE };
    VALUE *y = task->y;
    if (!task->order) {
        memcpy(y + begin, sums, ROWS * sizeof *y);
        return;
    }
    const INDEX *order = (const INDEX *)task->order + begin;
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) memcpy(y + order[r], sums + r, sizeof *y);
}

/* Computes y := alpha A x + beta y for the rows of the slices begin to end - 1. */
static SIMD_TARGET void NAME(sell)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    enum { ROWS = TULLE__SIMD_SLICE };
    const COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    const COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    const OFFSET *offsets = task->offsets;
    for (int64_t s = begin; s < end; s++) {
        COMPUTED sums[ROWS] = {0};
        const OFFSET first = offsets[s];
        const int64_t slots = offsets[s + 1] - first, left = task->shape.rows - s * ROWS;
        if (slots > 0) {
            NAME(slice_sums)
            ((const VALUE *)task->values + first, (const INDEX *)task->cols_of + first, task->x,
             slots / ROWS, sums);
        }
        for (int r = 0; r < ROWS; r++) sums[r] = alpha * sums[r];
        if (left < ROWS || beta != 0) {
            NAME(put_some)(task, s * ROWS, left < ROWS ? left : ROWS, sums, beta);
        } else {
            NAME(put_slice)(task, s * ROWS, sums);
        }
    }
}
