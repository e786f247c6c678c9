/* SPDX-License-Identifier: Apache-2.0 */
/* A long row, once for each type combination: sixteen entries at once, in four quads. The
 * entries left over are summed without masks where the processor foresees their number. No
 * include guard, on purpose. */

static ALWAYS_INLINE COMPUTED NAME(long_row)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t count, bool foreseen) {
    BY_VALUE(quad) s[4];
    for (int q = 0; q < 4; q++) s[q] = BY_VALUE(quad_zero)();
    int64_t k = 0;
    for (; k + 16 <= count; k += 16) {
        for (int q = 0; q < 4; q++) {
            s[q] = BY_VALUE(quad_fma)(BY_VALUE(quad_load)(values + k + 4 * q),
                                      BY_VALUE(pick)(x, BY_INDEX(columns)(cols + k + 4 * q)), s[q]);
        }
    }
    s[0] = BY_VALUE(quad_add)(BY_VALUE(quad_add)(s[0], s[1]), BY_VALUE(quad_add)(s[2], s[3]));
    return BY_VALUE(quad_sum)(s[0]) + (foreseen
                                           ? NAME(plain_row)(values + k, cols + k, x, count - k)
                                           : NAME(short_row)(values + k, cols + k, x, count - k));
}
