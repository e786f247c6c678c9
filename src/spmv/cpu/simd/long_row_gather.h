/* SPDX-License-Identifier: Apache-2.0 */
/* A long row by gathers, once for each type combination: two wides at once, what is left under a
 * mask. No include guard, on purpose. */

static SIMD_TARGET BY_VALUE(wide)
    NAME(add_wide)(const VALUE *values, const INDEX *cols, const VALUE *x, __mmask16 lanes,
                   BY_VALUE(wide) sum) {
    BY_VALUE(wide) numbers = TULLE__PASTE(BY_VALUE(wide_gather), INDEX)(x, cols, lanes);
    return BY_VALUE(wide_fma)(BY_VALUE(wide_load)(values, lanes), numbers, sum);
}

static SIMD_TARGET COMPUTED NAME(long_row)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                           int64_t count) {
    enum { WIDE = BY_VALUE(WIDE) };
    BY_VALUE(wide) even = BY_VALUE(wide_zero)(), odd = even;
    const __mmask16 all = first_lanes(WIDE);
    int64_t k = 0;
    for (; k + 2 * WIDE <= count; k += 2 * WIDE) {
        even = NAME(add_wide)(values + k, cols + k, x, all, even);
        odd = NAME(add_wide)(values + k + WIDE, cols + k + WIDE, x, all, odd);
    }
    for (; k < count; k += WIDE) {
        int64_t lanes = count - k < WIDE ? count - k : WIDE;
        even = NAME(add_wide)(values + k, cols + k, x, first_lanes(lanes), even);
    }
    return BY_VALUE(wide_sum)(BY_VALUE(wide_add)(even, odd));
}
