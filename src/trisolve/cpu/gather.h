/* SPDX-License-Identifier: Apache-2.0 */
/* Loads several numbers of X at a time with the gathers of AVX-512; and the parameters of kernels
 * that use them. For a target without gathers there are plain versions, which are never called. */
#ifndef TULLE_TRISOLVE_CPU_GATHER_H
#define TULLE_TRISOLVE_CPU_GATHER_H

#include "trisolve/cpu/bits.h"
#include "trisolve/schedule.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define FOR_GATHERS __attribute__((target("avx512f,avx512vl,avx2,bmi,bmi2")))
#else
#define FOR_GATHERS
#endif

typedef float tulle__quad_float __attribute__((vector_size(16)));
typedef double tulle__quad_double __attribute__((vector_size(32)));

/* The name of a function for a type, float or double, which may come from a macro. */
#define TRISOLVE_OF_(name, computed) name##_##computed
#define TRISOLVE_OF(name, computed) TRISOLVE_OF_(name, computed)

#if defined(__x86_64__)

#define GATHER FOR_GATHERS static inline

GATHER tulle__quad_float tulle__gather_float(const float *x, const int32_t *cols) {
    return (tulle__quad_float)_mm_i32gather_ps(x, _mm_loadu_si128((const __m128i *)cols),
                                               sizeof *x);
}
GATHER tulle__quad_double tulle__gather_double(const double *x, const int32_t *cols) {
    return (tulle__quad_double)_mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)cols),
                                                   sizeof *x);
}

/* Computes products[k] := values[k] x[cols[k]] for k < few, and 0 for the rest of eight. */
GATHER void tulle__products_f32(const float *values, const float *x, const int32_t *cols, int few,
                                float products[8]) {
    const __mmask8 some = (__mmask8)((1U << few) - 1);
    const __m256 numbers = _mm256_mmask_i32gather_ps(
        _mm256_setzero_ps(), some, _mm256_maskz_loadu_epi32(some, cols), x, sizeof *x);
    _mm256_storeu_ps(products, _mm256_mul_ps(_mm256_maskz_loadu_ps(some, values), numbers));
}
GATHER void tulle__products_in_f64(__m512d values, const double *x, const int32_t *cols,
                                   __mmask8 some, double products[8]) {
    const __m512d numbers = _mm512_mask_i32gather_pd(
        _mm512_setzero_pd(), some, _mm256_maskz_loadu_epi32(some, cols), x, sizeof *x);
    _mm512_storeu_pd(products, _mm512_mul_pd(values, numbers));
}
GATHER void tulle__products_f64(const double *values, const double *x, const int32_t *cols, int few,
                                double products[8]) {
    const __mmask8 some = (__mmask8)((1U << few) - 1);
    tulle__products_in_f64(_mm512_maskz_loadu_pd(some, values), x, cols, some, products);
}
GATHER void tulle__products_f32_f64(const float *values, const double *x, const int32_t *cols,
                                    int few, double products[8]) {
    const __mmask8 some = (__mmask8)((1U << few) - 1);
    const __m512d wide = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, values));
    tulle__products_in_f64(wide, x, cols, some, products);
}

#undef GATHER

#else

#define GATHER(computed)                                                                           \
    static inline TRISOLVE_OF(tulle__quad, computed)                                               \
        TRISOLVE_OF(tulle__gather, computed)(const computed *x, const int32_t *cols) {             \
        return (TRISOLVE_OF(tulle__quad, computed)){x[cols[0]], x[cols[1]], x[cols[2]],            \
                                                    x[cols[3]]};                                   \
    }
#define PRODUCTS(name, stored, computed)                                                           \
    static inline void name(const stored *values, const computed *x, const int32_t *cols, int few, \
                            computed products[8]) {                                                \
        for (int k = 0; k < 8; k++) products[k] = k < few ? (computed)values[k] * x[cols[k]] : 0;  \
    }
GATHER(float)
GATHER(double)
PRODUCTS(tulle__products_f32, float, float)
PRODUCTS(tulle__products_f64, double, double)
PRODUCTS(tulle__products_f32_f64, float, double)
#undef GATHER
#undef PRODUCTS

#endif

static const int tulle__gather_values[] = {0, 1};
#define TULLE__SOLVE_PARAMETERS                                                                    \
    {"bits", "of the vectors: 0 those of all processors, 256 AVX2 where it is there", 2,           \
     tulle__bits_values},                                                                          \
    {                                                                                              \
        "gather", "1: rows of scalars gather numbers of X by AVX-512, where it is there", 2,       \
            tulle__gather_values                                                                   \
    }
static const tulle__param tulle__solve_params[] = {TULLE__SOLVE_PARAMETERS};

enum { TULLE__SOLVE_PARAMS = sizeof tulle__solve_params / sizeof *tulle__solve_params };

/* Returns true when gathers pay: in long rows; and in short rows of unforeseeable lengths. A
 * processor foresees lengths that are alike, or few enough to be remembered from one solution to
 * the next (docs/lab-notes.md). */
static inline bool tulle__gathers_pay(const tulle__schedule *s) {
    const int64_t long_rows = 16, too_many = 20000;
    const bool unforeseen = s->rows > too_many && s->uneven > s->rows / 5 * 3;
    return s->bounds && (unforeseen || s->entries >= long_rows * s->rows);
}

static inline void tulle__solve_defaults(const tulle__schedule *s, int *params) {
    params[0] = TULLE__BITS_OF_AVX2;
    params[1] = tulle__gathers_pay(s) && tulle__cpu_gathers();
}

static inline bool tulle__takes_gathers(const int *params) {
    return params[1] && tulle__takes_avx2(params) && tulle__cpu_vector_bits() >= 512;
}

#endif
