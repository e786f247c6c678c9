/* SPDX-License-Identifier: Apache-2.0 */
/* The words of packed_lines.h for AVX2 with FMA, and for AVX-512 but for its gathers. */
#ifndef TULLE_SPMV_CPU_SIMD_AVX2_LINES_H
#define TULLE_SPMV_CPU_SIMD_AVX2_LINES_H

#include "spmv/cpu/simd/avx2.h"
#include "spmv/cpu/simd/packed_codes.h"

/* Loads a vec of values that are stored in binary32. */
SIMD vec_float widen_float(const float *a) {
    return _mm256_loadu_ps(a);
}

SIMD vec_double widen_double(const float *a) {
    return _mm256_cvtps_pd(_mm_loadu_ps(a));
}

/* Keeps the lanes of a vec whose bits are set; the others become 0. */
SIMD vec_float keep_float(vec_float a, uint32_t lanes) {
    __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)lanes), bit);
    return _mm256_and_ps(a, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bit)));
}

SIMD vec_double keep_double(vec_double a, uint32_t lanes) {
    __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i set = _mm256_and_si256(_mm256_set1_epi64x((int64_t)lanes), bit);
    return _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, bit)));
}

/* Loads codes from lane `from` on, as many as a vec of either type has lanes. */
SIMD __m256i eight_codes(const uint8_t *codes, int kind, int from) {
    if (kind == 1) return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(codes + from)));
    const __m128i *at = (const __m128i *)(codes + 2 * from);
    if (kind == 2) return _mm256_cvtepu16_epi32(_mm_loadu_si128(at));
    return _mm256_loadu_si256((const __m256i *)(codes + 4 * from));
}

SIMD __m256i four_codes(const uint8_t *codes, int kind, int from) {
    int32_t four;
    memcpy(&four, codes + from, sizeof four);
    if (kind == 1) return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
    const __m128i *at = (const __m128i *)(codes + 2 * from);
    if (kind == 2) return _mm256_cvtepu16_epi64(_mm_loadl_epi64(at));
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(codes + 4 * from)));
}

#ifndef SIMD_GATHERS

/* Loads the numbers of x at eight columns, which are stored as codes; x has `room` numbers. The
 * eight columns are often within eight numbers of each other, in blocks and where a diagonal
 * shifts, and then one load has all of them. Testing the same for four columns would take as long
 * as it saves. */
SIMD vec_float coded_float(const float *x, int64_t room, const uint8_t *codes, int kind, int from) {
    __m256i c = eight_codes(codes, kind, from);
    int64_t first = tulle__code_get(codes, kind, 0, from);
    __m256i d = _mm256_sub_epi32(c, _mm256_broadcastd_epi32(_mm256_castsi256_si128(c)));
    if (_mm256_testz_si256(d, _mm256_set1_epi32(-8)) && first + 8 <= room) {
        return _mm256_permutevar8x32_ps(_mm256_loadu_ps(x + first), d);
    }
    return two_quads(pick_float(x, columns_of_codes(codes, kind, from)),
                     pick_float(x, columns_of_codes(codes, kind, from + 4)));
}

SIMD vec_double coded_double(const double *x, int64_t room, const uint8_t *codes, int kind,
                             int from) {
    (void)room;
    return pick_double(x, columns_of_codes(codes, kind, from));
}

#endif

#endif
