/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the numbers of a system, with the same code on every device. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_UNIFORM_SCALE_H
#define TULLE_UNIFORM_SCALE_H

#include <math.h>
#include <stdbool.h>

#include "tulle/uniform.h"

#if defined(__CUDACC__)
#define TULLE__UNIFORM_RULE static __host__ __device__ __forceinline__
#else
#define TULLE__UNIFORM_RULE static inline
#endif

TULLE__UNIFORM_RULE bool tulle__uniform_is_number(double x) {
    return x - x == 0;
}

/* Returns true when a pivot's inverse, rounded to the type, can be a factor. */
TULLE__UNIFORM_RULE bool tulle__uniform_inverts(double inverse) {
    return tulle__uniform_is_number(inverse) && inverse != 0;
}

/* Returns the report of a system that has been factorised, given the first row with an unusable
 * pivot, or -1. */
TULLE__UNIFORM_RULE tulle_uniform_report tulle__uniform_factored(int row) {
    tulle_uniform_report report;
    report.outcome = row < 0 ? TULLE_CONVERGED : TULLE_BROKE_DOWN;
    report.row = row;
    report.iterations = 0;
    report.norm = 0;
    return report;
}

/* Returns a power of 2 that scales b, whose largest number is given, so that squares, and numbers
 * far below the largest, are far from the ends of the type; 1 if b is so already. The power and its
 * inverse are numbers of the type. */
TULLE__UNIFORM_RULE double tulle__uniform_scale(bool single, double largest) {
    const double least = single ? 1e-8 : 1e-100, most = single ? 1e8 : 1e100;
    const int far = single ? 120 : 1000;
    if (largest == 0 || (largest >= least && largest <= most)) return 1;
    const int exponent = -ilogb(largest);
    return ldexp(1.0, exponent > far ? far : exponent < -far ? -far : exponent);
}

#endif
