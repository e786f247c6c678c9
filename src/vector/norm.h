/* SPDX-License-Identifier: Apache-2.0 */
/* Partial results of sums and norms, the same on every device. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_VECTOR_NORM_H
#define TULLE_VECTOR_NORM_H

#include <math.h>

#if defined(__CUDACC__)
#define TULLE__NORM_FUNCTION static __host__ __device__ __forceinline__
#else
#define TULLE__NORM_FUNCTION static inline
#endif

/* The three sums of squares: of numbers as they are, of large numbers times TULLE__LARGE_BY, and of
 * small ones times TULLE__SMALL_BY. The limits and factors of binary64 are those of J. L. Blue
 * (1978), as E. Anderson derives them, "Algorithm 978: safe scaling in the level 1 BLAS" (2017). */
enum { TULLE__MEDIUM, TULLE__LARGE, TULLE__SMALL };
#define TULLE__LARGE_FROM 0x1p486
#define TULLE__LARGE_BY 0x1p-538
#define TULLE__SMALL_TO 0x1p-511
#define TULLE__SMALL_BY 0x1p537

/* Returns the 2-norm from the three sums; NaN comes from the sum of the numbers that are neither
 * large nor small. */
TULLE__NORM_FUNCTION double tulle__norm_of(const double *sums) {
    const double medium = sums[TULLE__MEDIUM], large = sums[TULLE__LARGE];
    const double small = sums[TULLE__SMALL];
    if (medium != medium) return medium;
    if (large > 0) {
        return sqrt(large + medium * TULLE__LARGE_BY * TULLE__LARGE_BY) / TULLE__LARGE_BY;
    }
    if (medium > 0) return sqrt(medium + small / TULLE__SMALL_BY / TULLE__SMALL_BY);
    return sqrt(small) / TULLE__SMALL_BY;
}

/* Returns the larger of two sizes; NaN is larger than all. */
TULLE__NORM_FUNCTION double tulle__larger(double a, double b) {
    return b > a || b != b ? b : a;
}

#endif
