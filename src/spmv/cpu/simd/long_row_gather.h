/* SPDX-License-Identifier: Apache-2.0 */
/* A long row by gathers, once for each type combination: sixteen entries at once, in as many wides
 * as they fill, whose lanes are those of the four quads of long_row.h, so that the sum is the same
 * bits; the rest as there. No include guard, on purpose. */

static ALWAYS_INLINE COMPUTED NAME(long_row)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t count, bool foreseen) {
    enum { WIDE = BY_VALUE(WIDE), WIDES = 16 / WIDE };
    const __mmask16 all = first_lanes(WIDE);
    BY_VALUE(wide) s[WIDES];
    for (int w = 0; w < WIDES; w++) s[w] = BY_VALUE(wide_zero)();
    int64_t k = 0;
    for (; k + 16 <= count; k += 16) {
        for (int w = 0; w < WIDES; w++) {
            int64_t e = k + w * WIDE;
            BY_VALUE(wide)
            numbers = TULLE__PASTE(BY_VALUE(wide_gather), INDEX)(x, cols + e, all);
            s[w] = BY_VALUE(wide_fma)(BY_VALUE(wide_load)(values + e, all), numbers, s[w]);
        }
    }
    return BY_VALUE(quad_sum)(BY_VALUE(wide_sum)(s)) +
           (foreseen ? NAME(plain_row)(values + k, cols + k, x, count - k)
                     : NAME(short_row)(values + k, cols + k, x, count - k));
}
