/* SPDX-License-Identifier: Apache-2.0 */
/* Division by a diagonal entry: a fragment for one pair of value types (each_values.h). */

/* Returns sum / value, by way of the inverse, which does not wait for the sum, unless that could
 * leave the normal numbers. */
static inline COMPUTED NAME(over)(COMPUTED sum, COMPUTED value) {
    const double size = fabs((double)value);
    return size > TRISOLVE_INVERTIBLE(COMPUTED) && size < 1 / TRISOLVE_INVERTIBLE(COMPUTED)
               ? sum * (1 / value)
               : sum / value;
}
