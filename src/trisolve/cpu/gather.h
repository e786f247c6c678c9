/* SPDX-License-Identifier: Apache-2.0 */
/* Four numbers of X at once, by AVX2's gathers; and the parameters of kernels that can do so. */
#ifndef TULLE_TRISOLVE_CPU_GATHER_H
#define TULLE_TRISOLVE_CPU_GATHER_H

#include "trisolve/cpu/bits.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float tulle__quad_float __attribute__((vector_size(16)));
typedef double tulle__quad_double __attribute__((vector_size(32)));

/* Their names of a type: float or double, which may come from a macro. */
#define TRISOLVE_OF_(name, computed) name##_##computed
#define TRISOLVE_OF(name, computed) TRISOLVE_OF_(name, computed)

#if defined(__x86_64__)
FOR_AVX2 static inline tulle__quad_float tulle__gather_float(const float *x, const int32_t *cols) {
    return (tulle__quad_float)_mm_i32gather_ps(x, _mm_loadu_si128((const __m128i *)cols),
                                               sizeof *x);
}
FOR_AVX2 static inline tulle__quad_double tulle__gather_double(const double *x,
                                                               const int32_t *cols) {
    return (tulle__quad_double)_mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)cols),
                                                   sizeof *x);
}
#else
static inline tulle__quad_float tulle__gather_float(const float *x, const int32_t *cols) {
    return (tulle__quad_float){x[cols[0]], x[cols[1]], x[cols[2]], x[cols[3]]};
}
static inline tulle__quad_double tulle__gather_double(const double *x, const int32_t *cols) {
    return (tulle__quad_double){x[cols[0]], x[cols[1]], x[cols[2]], x[cols[3]]};
}
#endif

static const int tulle__gather_values[] = {0, 1};
static const tulle__param tulle__solve_params[] = {
    {"bits", "of the vectors: 0 those of all processors, 256 AVX2 where it is there", 2,
     tulle__bits_values},
    {"gather", "1: long rows of scalars gather numbers of X by AVX2, where it is there", 2,
     tulle__gather_values}};

enum { TULLE__SOLVE_PARAMS = sizeof tulle__solve_params / sizeof *tulle__solve_params };

static inline void tulle__solve_defaults(int *params) {
    params[0] = TULLE__BITS_OF_AVX2;
    params[1] = tulle__cpu_gathers();
}

static inline bool tulle__takes_gathers(const int *params) {
    return params[1] && tulle__takes_avx2(params);
}

#endif
