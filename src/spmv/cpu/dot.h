/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a row times x, once for each type combination; in four partial sums, so that the
 * additions do not wait for each other. No include guard, on purpose. */

static COMPUTED NAME(dot)(const VALUE *restrict values, const INDEX *restrict cols,
                          const VALUE *restrict x, int64_t count) {
    COMPUTED a = 0, b = 0, c = 0, d = 0;
    int64_t e = 0;
    for (; e + 4 <= count; e += 4) {
        a += values[e] * x[cols[e]];
        b += values[e + 1] * x[cols[e + 1]];
        c += values[e + 2] * x[cols[e + 2]];
        d += values[e + 3] * x[cols[e + 3]];
    }
    for (; e < count; e++) a += values[e] * x[cols[e]];
    return (a + b) + (c + d);
}
