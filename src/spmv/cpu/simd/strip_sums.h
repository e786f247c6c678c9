/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a strip's rows with vectors, once for each type combination: a vec of rows, slot by slot.
 * Where the columns of neighbouring rows ascend by one, as in stencils and bands, x is read as it
 * lies in memory. No include guard, on purpose. */

/* True when the columns of a vec of rows are entries that ascend by one. */
static inline SIMD_TARGET bool NAME(in_a_line)(const INDEX *cols) {
    enum { LANES = BY_VALUE(LANES) };
    bool ends = cols[0] >= 0 && cols[LANES - 1] == cols[0] + LANES - 1;
    return ends && BY_INDEX(ascend)(cols, LANES);
}

#ifdef SIMD_GATHERS

#define ANY_SLOT TULLE__PASTE(BY_VALUE(gather_slot), INDEX)

#else

/* Adds a slot without padding of a vec of rows. */
static inline SIMD_TARGET BY_VALUE(vec)
    NAME(whole_slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    BY_VALUE(vec) numbers = TULLE__PASTE(BY_VALUE(pick_vec), INDEX)(x, cols);
    return BY_VALUE(vec_fma)(BY_VALUE(load)(values), numbers, sum);
}

/* Adds a slot of a vec of rows. Lanes of padding fetch x[0], which is there since A has columns,
 * and add 0 times 0. */
static inline SIMD_TARGET BY_VALUE(vec)
    NAME(padded_slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    enum { LANES = BY_VALUE(LANES) };
    INDEX safe[LANES];
    for (int r = 0; r < LANES; r++) safe[r] = cols[r] < 0 ? 0 : cols[r];
    BY_VALUE(vec) numbers = TULLE__PASTE(BY_VALUE(pick_vec), INDEX)(x, safe);
    numbers = TULLE__PASTE(BY_VALUE(entries), INDEX)(numbers, cols);
    BY_VALUE(vec) own = TULLE__PASTE(BY_VALUE(entries), INDEX)(BY_VALUE(load)(values), cols);
    return BY_VALUE(vec_fma)(own, numbers, sum);
}

static SIMD_TARGET BY_VALUE(vec)
    NAME(any_slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    return BY_INDEX(none_padded)(cols, BY_VALUE(LANES)) ? NAME(whole_slot)(values, cols, x, sum)
                                                        : NAME(padded_slot)(values, cols, x, sum);
}

#define ANY_SLOT NAME(any_slot)

#endif

/* Adds a slot of a vec of rows to their sums. */
static inline SIMD_TARGET BY_VALUE(vec)
    NAME(slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    if (!NAME(in_a_line)(cols)) return ANY_SLOT(values, cols, x, sum);
    return BY_VALUE(vec_fma)(BY_VALUE(load)(values), BY_VALUE(load)(x + cols[0]), sum);
}

#undef ANY_SLOT

/* Adds slots k to end - 1 of the rows r to r + VECS * LANES - 1, their sums in registers. */
static SIMD_TARGET void NAME(many_rows)(const tulle__simd_strip *s, int64_t r, int64_t k,
                                        int64_t end, const VALUE *x, COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES) };
    BY_VALUE(vec) sum[VECS];
    for (int v = 0; v < VECS; v++) sum[v] = BY_VALUE(load)(sums + r + v * LANES);
    for (; k < end; k++) {
        const VALUE *values = (const VALUE *)s->values + k * s->step + r;
        const INDEX *cols = (const INDEX *)s->cols + k * s->step + r;
        for (int v = 0; v < VECS; v++) {
            sum[v] = NAME(slot)(values + v * LANES, cols + v * LANES, x, sum[v]);
        }
    }
    for (int v = 0; v < VECS; v++) BY_VALUE(store)(sums + r + v * LANES, sum[v]);
}

static SIMD_TARGET void NAME(vec_rows)(const tulle__simd_strip *s, int64_t r, int64_t k,
                                       int64_t end, const VALUE *x, COMPUTED *sums) {
    BY_VALUE(vec) sum = BY_VALUE(load)(sums + r);
    for (; k < end; k++) {
        int64_t slot = k * s->step + r;
        sum = NAME(slot)((const VALUE *)s->values + slot, (const INDEX *)s->cols + slot, x, sum);
    }
    BY_VALUE(store)(sums + r, sum);
}

static SIMD_TARGET void NAME(one_strip_row)(const tulle__simd_strip *s, int64_t r, int64_t k,
                                            int64_t end, const VALUE *x, COMPUTED *sums) {
    for (; k < end; k++) {
        int64_t slot = k * s->step + r;
        INDEX col = ((const INDEX *)s->cols)[slot];
        if (col < 0) return;
        sums[r] = BY_VALUE(fma)(((const VALUE *)s->values)[slot], x[col], sums[r]);
    }
}

/* Adds slots from k to end - 1 of all rows. Returns true when there was an entry. */
static SIMD_TARGET bool NAME(slots)(const tulle__simd_strip *s, int64_t k, int64_t end,
                                    const VALUE *x, COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES) };
    const INDEX *cols = (const INDEX *)s->cols + k * s->step;
    INDEX all = -1;
    for (int64_t i = 0; i < s->rows; i++) all &= cols[i];
    if (all < 0) return false;
    int64_t r = 0;
    for (; r + VECS * LANES <= s->rows; r += VECS * LANES) NAME(many_rows)(s, r, k, end, x, sums);
    for (; r + LANES <= s->rows; r += LANES) NAME(vec_rows)(s, r, k, end, x, sums);
    for (; r < s->rows; r++) NAME(one_strip_row)(s, r, k, end, x, sums);
    return true;
}

/* Sums a strip. Entries come before padding, so that nothing follows slots that no row uses. */
static SIMD_TARGET void NAME(strip)(const tulle__simd_strip *s, const void *x, void *sums) {
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k += s->depth) {
        int64_t end = k + s->depth < s->width ? k + s->depth : s->width;
        more = NAME(slots)(s, k, end, x, sums);
    }
}
