/* SPDX-License-Identifier: Apache-2.0 */
/* The words of csr_rows.h, strip_sums.h and packed_lines.h for AVX-512 (F and VL): those of AVX2,
 * and masked gathers. A wide is as many entries of a row as one vector holds, WIDE. */
#ifndef TULLE_SPMV_CPU_SIMD_AVX512_H
#define TULLE_SPMV_CPU_SIMD_AVX512_H

#define SIMD_TARGET __attribute__((target("avx2,fma,avx512f,avx512vl")))
#define SIMD_GATHERS

#include "spmv/cpu/simd/avx2_lines.h"

enum { WIDE_float = 16, WIDE_double = 8 };
typedef __m512 wide_float;
typedef __m512d wide_double;

/* Mask of the first `count` lanes. */
SIMD __mmask16 first_lanes(int64_t count) {
    return (__mmask16)((1u << count) - 1u);
}

SIMD wide_float wide_zero_float(void) {
    return _mm512_setzero_ps();
}

SIMD wide_double wide_zero_double(void) {
    return _mm512_setzero_pd();
}

/* Loads the lanes of the mask; the others are 0, and nothing is read for them. */
SIMD wide_float wide_load_float(const float *a, __mmask16 lanes) {
    return _mm512_maskz_loadu_ps(lanes, a);
}

SIMD wide_double wide_load_double(const double *a, __mmask16 lanes) {
    return _mm512_maskz_loadu_pd((__mmask8)lanes, a);
}

SIMD wide_float wide_fma_float(wide_float a, wide_float b, wide_float c) {
    return _mm512_fmadd_ps(a, b, c);
}

SIMD wide_double wide_fma_double(wide_double a, wide_double b, wide_double c) {
    return _mm512_fmadd_pd(a, b, c);
}

SIMD wide_float wide_mul_float(wide_float a, wide_float b) {
    return _mm512_mul_ps(a, b);
}

SIMD wide_double wide_mul_double(wide_double a, wide_double b) {
    return _mm512_mul_pd(a, b);
}

SIMD void wide_store_float(float *a, wide_float w) {
    _mm512_storeu_ps(a, w);
}

SIMD void wide_store_double(double *a, wide_double w) {
    _mm512_storeu_pd(a, w);
}

/* Computes (q0 + q1) + (q2 + q3) of the four quads of sixteen entries in wides, which are one or
 * two. */
SIMD quad_float wide_sum_float(const wide_float *w) {
    quad_float q0 = _mm512_castps512_ps128(w[0]), q1 = _mm512_extractf32x4_ps(w[0], 1);
    quad_float q2 = _mm512_extractf32x4_ps(w[0], 2), q3 = _mm512_extractf32x4_ps(w[0], 3);
    return _mm_add_ps(_mm_add_ps(q0, q1), _mm_add_ps(q2, q3));
}

SIMD quad_double wide_sum_double(const wide_double *w) {
    quad_double q0 = _mm512_castpd512_pd256(w[0]), q1 = _mm512_extractf64x4_pd(w[0], 1);
    quad_double q2 = _mm512_castpd512_pd256(w[1]), q3 = _mm512_extractf64x4_pd(w[1], 1);
    return _mm256_add_pd(_mm256_add_pd(q0, q1), _mm256_add_pd(q2, q3));
}

SIMD wide_float wide_gather_float_int32_t(const float *x, const int32_t *cols, __mmask16 lanes) {
    __m512i at = _mm512_maskz_loadu_epi32(lanes, cols);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, at, x, sizeof *x);
}

SIMD __m256 eight_of_int64_t(const float *x, const int64_t *cols, __mmask8 lanes) {
    __m512i at = _mm512_maskz_loadu_epi64(lanes, cols);
    return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), lanes, at, x, sizeof *x);
}

SIMD wide_float wide_gather_float_int64_t(const float *x, const int64_t *cols, __mmask16 lanes) {
    __m256 low = eight_of_int64_t(x, cols, (__mmask8)lanes);
    __m256 high = eight_of_int64_t(x, cols + 8, (__mmask8)(lanes >> 8));
    __m512d both = _mm512_castpd256_pd512(_mm256_castps_pd(low));
    return _mm512_castpd_ps(_mm512_insertf64x4(both, _mm256_castps_pd(high), 1));
}

SIMD wide_double wide_gather_double_int32_t(const double *x, const int32_t *cols, __mmask16 lanes) {
    __m256i at = _mm256_maskz_loadu_epi32((__mmask8)lanes, cols);
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), (__mmask8)lanes, at, x, sizeof *x);
}

SIMD wide_double wide_gather_double_int64_t(const double *x, const int64_t *cols, __mmask16 lanes) {
    __m512i at = _mm512_maskz_loadu_epi64((__mmask8)lanes, cols);
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), (__mmask8)lanes, at, x, sizeof *x);
}

/* Loads a slot of a vec of rows: lanes of padding add 0 times 0. */
SIMD vec_float gather_slot_float_int32_t(const float *values, const int32_t *cols, const float *x,
                                         vec_float sum) {
    __m256i at = _mm256_loadu_si256((const __m256i *)cols);
    __mmask8 lanes = _mm256_cmpge_epi32_mask(at, _mm256_setzero_si256());
    vec_float numbers = _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), lanes, at, x, sizeof *x);
    return _mm256_fmadd_ps(_mm256_maskz_loadu_ps(lanes, values), numbers, sum);
}

SIMD vec_float gather_slot_float_int64_t(const float *values, const int64_t *cols, const float *x,
                                         vec_float sum) {
    __m512i at = _mm512_loadu_si512(cols);
    __mmask8 lanes = _mm512_cmpge_epi64_mask(at, _mm512_setzero_si512());
    vec_float numbers = _mm512_mask_i64gather_ps(_mm256_setzero_ps(), lanes, at, x, sizeof *x);
    return _mm256_fmadd_ps(_mm256_maskz_loadu_ps(lanes, values), numbers, sum);
}

SIMD vec_double gather_slot_double_int32_t(const double *values, const int32_t *cols,
                                           const double *x, vec_double sum) {
    __m128i at = _mm_loadu_si128((const __m128i *)cols);
    __mmask8 lanes = _mm_cmpge_epi32_mask(at, _mm_setzero_si128());
    vec_double numbers = _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), lanes, at, x, sizeof *x);
    return _mm256_fmadd_pd(_mm256_maskz_loadu_pd(lanes, values), numbers, sum);
}

SIMD vec_double gather_slot_double_int64_t(const double *values, const int64_t *cols,
                                           const double *x, vec_double sum) {
    __m256i at = _mm256_loadu_si256((const __m256i *)cols);
    __mmask8 lanes = _mm256_cmpge_epi64_mask(at, _mm256_setzero_si256());
    vec_double numbers = _mm256_mmask_i64gather_pd(_mm256_setzero_pd(), lanes, at, x, sizeof *x);
    return _mm256_fmadd_pd(_mm256_maskz_loadu_pd(lanes, values), numbers, sum);
}

/* Loads the numbers of x that the codes of a vec of PACKED address. Codes have no sign: they are
 * 64 bits wide here. */
SIMD vec_float coded_float(const float *x, int64_t room, const uint8_t *codes, int kind, int from) {
    (void)room;
    __m512i at = _mm512_cvtepu32_epi64(eight_codes(codes, kind, from));
    return _mm512_i64gather_ps(at, x, sizeof *x);
}

SIMD vec_double coded_double(const double *x, int64_t room, const uint8_t *codes, int kind,
                             int from) {
    (void)room;
    return _mm256_i64gather_pd(x, four_codes(codes, kind, from), sizeof *x);
}

#endif
