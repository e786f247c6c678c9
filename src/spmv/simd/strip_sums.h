/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a strip's rows with vectors, once for each type combination: a vec of rows, slot by slot.
 * Where the columns of neighbouring rows ascend by one, as in stencils and bands, x is read as it
 * lies in memory. No include guard, on purpose. */

/* Whether the columns of a vec of rows are entries that ascend by one. */
static SIMD_TARGET bool NAME(in_a_line)(const INDEX *cols) {
    enum { LANES = BY_VALUE(LANES) };
    bool ends = cols[0] >= 0 && cols[LANES - 1] == cols[0] + LANES - 1;
    return ends && BY_INDEX(ascend)(cols, LANES);
}

#ifdef SIMD_GATHERS

#define ANY_SLOT TULLE__PASTE(BY_VALUE(gather_slot), INDEX)

#else

static SIMD_TARGET BY_VALUE(vec)
    NAME(padded_slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    COMPUTED lane[BY_VALUE(LANES)];
    BY_VALUE(store)(lane, sum);
    for (int r = 0; r < BY_VALUE(LANES); r++) {
        if (cols[r] >= 0) lane[r] = BY_VALUE(fma)(values[r], x[cols[r]], lane[r]);
    }
    return BY_VALUE(load)(lane);
}

static SIMD_TARGET BY_VALUE(vec)
    NAME(any_slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    if (!BY_INDEX(none_padded)(cols, BY_VALUE(LANES))) {
        return NAME(padded_slot)(values, cols, x, sum);
    }
    BY_VALUE(vec) numbers = TULLE__PASTE(BY_VALUE(pick_vec), INDEX)(x, cols);
    return BY_VALUE(vec_fma)(BY_VALUE(load)(values), numbers, sum);
}

#define ANY_SLOT NAME(any_slot)

#endif

/* A slot of a vec of rows, added to their sums. */
static SIMD_TARGET BY_VALUE(vec)
    NAME(slot)(const VALUE *values, const INDEX *cols, const VALUE *x, BY_VALUE(vec) sum) {
    if (!NAME(in_a_line)(cols)) return ANY_SLOT(values, cols, x, sum);
    return BY_VALUE(vec_fma)(BY_VALUE(load)(values), BY_VALUE(load)(x + cols[0]), sum);
}

#undef ANY_SLOT

/* Slots from k to end - 1 of all rows. Returns whether there was an entry. */
static SIMD_TARGET bool NAME(slots)(const tulle__simd_strip *s, int64_t k, int64_t end,
                                    const VALUE *x, COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES) };
    INDEX all = -1;
    int64_t r = 0;
    for (; r + LANES <= s->rows; r += LANES) {
        BY_VALUE(vec) sum = BY_VALUE(load)(sums + r);
        for (int64_t j = k; j < end; j++) {
            const INDEX *cols = (const INDEX *)s->cols + j * s->step + r;
            sum = NAME(slot)((const VALUE *)s->values + j * s->step + r, cols, x, sum);
        }
        BY_VALUE(store)(sums + r, sum);
        const INDEX *first = (const INDEX *)s->cols + k * s->step + r;
        for (int l = 0; l < LANES; l++) all &= first[l];
    }
    for (; r < s->rows; r++) {
        for (int64_t j = k; j < end; j++) {
            int64_t slot = j * s->step + r;
            INDEX col = ((const INDEX *)s->cols)[slot];
            all &= col;
            if (col >= 0) {
                sums[r] = BY_VALUE(fma)(((const VALUE *)s->values)[slot], x[col], sums[r]);
            }
        }
    }
    return all >= 0;
}

/* Entries come before padding, so that nothing follows slots that no row uses. */
static SIMD_TARGET void NAME(strip)(const tulle__simd_strip *s, const void *x, void *sums) {
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k += s->depth) {
        int64_t end = k + s->depth < s->width ? k + s->depth : s->width;
        more = NAME(slots)(s, k, end, x, sums);
    }
}
