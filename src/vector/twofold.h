/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in twice the precision, with the same code on every device. Compiles as C17 and as CUDA
 * C++. */
#ifndef TULLE_VECTOR_TWOFOLD_H
#define TULLE_VECTOR_TWOFOLD_H

#include <math.h>

#if defined(__CUDACC__)
#define TULLE__TWOFOLD static __host__ __device__ __forceinline__
#else
#define TULLE__TWOFOLD static inline
#endif

/* A sum in twice the precision, as two numbers; the second is the rounding error of the first. */
typedef struct tulle__twofold {
    double sum, lost;
} tulle__twofold;

/* Adds a number, and an error `lost`, by D. E. Knuth's sum without branches ("The Art of Computer
 * Programming", volume 2, 4.2.2). */
TULLE__TWOFOLD void tulle__twofold_add(tulle__twofold *to, double number, double lost) {
    const double sum = to->sum + number, back = sum - to->sum;
    to->lost += (to->sum - (sum - back)) + (number - back) + lost;
    to->sum = sum;
}

/* Adds a product (T. Ogita, S. M. Rump and S. Oishi, "Accurate sum and dot product", 2005). */
TULLE__TWOFOLD void tulle__twofold_add_product(tulle__twofold *to, double a, double b) {
    const double product = a * b;
    tulle__twofold_add(to, product, fma(a, b, -product));
}

#endif
