/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of entries for the facts of a matrix (tulle/facts.h), in f64. All devices compute
 * them with these lines, and products are rounded before they are added, so counts are the same
 * everywhere. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_MATRIX_ALIKE_H
#define TULLE_MATRIX_ALIKE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/rounded.h"
#include "tulle/types.h"

/* Numbers that depend on the type of the values; u is its unit roundoff. */
typedef struct tulle__fact_units {
    double rounding; /* 2 u */
    double above;    /* 1 + 8 u */
    double widened;  /* 1 / (32 u) */
} tulle__fact_units;

TULLE_INLINE tulle__fact_units tulle__fact_units_of(tulle_type type) {
    const double twice = type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON;
    tulle__fact_units units;
    units.rounding = twice;
    units.above = 1 + 4 * twice;
    units.widened = 1 / (16 * twice);
    return units;
}

/* True when |x - y| <= 8 u (max(|x|, |y|) + mean), where mean is sqrt(|a_ii|) sqrt(|a_jj|). Both
 * sides are multiplied by 1 / (32 u): the right side cannot overflow, and the left side does so
 * only where it is the greater one. With Inf or NaN among the numbers only equal ones are alike. */
TULLE_INLINE bool tulle__fact_alike(const tulle__fact_units *units, double x, double y,
                                    double mean) {
    const double size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    const double limit = tulle__rounded_product(0.25, size) + tulle__rounded_product(0.25, mean);
    return x == y ||
           (limit <= DBL_MAX && tulle__rounded_product(fabs(x - y), units->widened) <= limit);
}

/* True when x and y, which are not alike, are near each other: |x - y| <= mean / 64. */
TULLE_INLINE bool tulle__fact_near(double x, double y, double mean) {
    return mean <= DBL_MAX && fabs(x - y) <= mean / 64;
}

/* True when x is too large to stand between two diagonal entries of a definite matrix. */
TULLE_INLINE bool tulle__fact_indefinite(const tulle__fact_units *units, double x, double mean) {
    return fabs(x) > tulle__rounded_product(mean, units->above);
}

/* True when the least size of a row's entries off the diagonal is below a quarter of the greatest
 * one. Four times a number is exact, or infinite where no size is greater. */
TULLE_INLINE bool tulle__fact_uneven(double least, double greatest) {
    return 4 * least < greatest;
}

/* True for an entry that is 0, or what rounding leaves of 0, beside the greatest one of its row. */
TULLE_INLINE bool tulle__fact_dust(double size, double greatest) {
    const double share = 1.0 / (INT64_C(1) << 33);
    return !(size > share * greatest);
}

/* The rounding that a sum of sizes is allowed beside the diagonal entry, whose size is own. */
TULLE_INLINE double tulle__fact_allowed(const tulle__fact_units *units, int64_t length,
                                        double own) {
    return tulle__rounded_product(tulle__rounded_product((double)(length + 4), units->rounding),
                                  own);
}

/* True when the sum of |a_ij| over j != i, in the order of the columns, is not above |a_ii| = own
 * by more than rounding. It is so for no sum with NaN, and not for Inf and Inf. */
TULLE_INLINE bool tulle__fact_dominant(const tulle__fact_units *units, int64_t length, double own,
                                       double sum) {
    return sum - own <= tulle__fact_allowed(units, length, own);
}

/* Returns tulle__fact_dominant from a sum in any order: 1 or 0, and -1 where it depends on the
 * order. Two orders differ by less than 2 (length - 1) roundings of f64. */
TULLE_INLINE int tulle__fact_dominance(const tulle__fact_units *units, int64_t length, double own,
                                       double sum) {
    const double allowed = tulle__fact_allowed(units, length, own);
    const double error =
        tulle__rounded_product(tulle__rounded_product((double)length, DBL_EPSILON), sum);
    if (sum + error - own <= allowed) return 1;
    return sum - error - own > allowed ? 0 : -1;
}

#endif
