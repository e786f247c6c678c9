/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which csr_rows.h and strip_sums.h are written, for AVX2 with FMA. A quad is four
 * neighbours of a row; a vec is a number of each of so many rows (LANES). Numbers of x are
 * loaded one by one, which is twice as fast as a gather on AMD's processors; two 32-bit columns
 * come in one load, since loads limit such a loop (docs/lab-notes.md). */
#ifndef TULLE_SPMV_CPU_SIMD_AVX2_H
#define TULLE_SPMV_CPU_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef SIMD_TARGET
#define SIMD_TARGET __attribute__((target("avx2,fma")))
#endif
#define SIMD static inline SIMD_TARGET
#define SIMD_CHUNKS /* chunks of rows are by csr_chunk.h */

enum { LANES_float = 8, LANES_double = 4 };
typedef __m128 quad_float;
typedef __m256d quad_double;
typedef __m256 vec_float;
typedef __m256d vec_double;

/* Four columns, as numbers that address x. */
typedef struct addresses {
    uint64_t at[4];
} addresses;

SIMD addresses columns_int32_t(const int32_t *cols) {
    uint64_t low, high;
    memcpy(&low, cols, sizeof low);
    memcpy(&high, cols + 2, sizeof high);
    return (addresses){{(uint32_t)low, low >> 32, (uint32_t)high, high >> 32}};
}

SIMD addresses columns_int64_t(const int64_t *cols) {
    addresses c;
    memcpy(&c, cols, sizeof c);
    return c;
}

SIMD quad_float pick_float(const float *x, addresses c) {
    quad_float q = _mm_load_ss(x + c.at[0]);
    q = _mm_insert_ps(q, _mm_load_ss(x + c.at[1]), 0x10);
    q = _mm_insert_ps(q, _mm_load_ss(x + c.at[2]), 0x20);
    return _mm_insert_ps(q, _mm_load_ss(x + c.at[3]), 0x30);
}

SIMD quad_double pick_double(const double *x, addresses c) {
    __m128d low = _mm_loadh_pd(_mm_load_sd(x + c.at[0]), x + c.at[1]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(x + c.at[2]), x + c.at[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* Masks of the first `count` lanes of a row's quads, to be loaded from number MASKS - count of
 * these arrays on: MASKS ones, then zeros. */
enum { MASKS = 16 };
#define MASK_ONES -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
static const int32_t lanes_float[2 * MASKS] = {MASK_ONES};
static const int64_t lanes_double[2 * MASKS] = {MASK_ONES};
#undef MASK_ONES

SIMD __m128i first_float(int64_t count) {
    return _mm_loadu_si128((const __m128i *)(lanes_float + MASKS - count));
}

SIMD __m256i first_double(int64_t count) {
    return _mm256_loadu_si256((const __m256i *)(lanes_double + MASKS - count));
}

/* Loads the first `count` of four columns; the others are 0. */
SIMD addresses some_columns_int32_t(const int32_t *cols, int64_t count) {
    __m128i c = _mm_maskload_epi32(cols, first_float(count));
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(c), high = (uint64_t)_mm_extract_epi64(c, 1);
    return (addresses){{(uint32_t)low, low >> 32, (uint32_t)high, high >> 32}};
}

SIMD addresses some_columns_int64_t(const int64_t *cols, int64_t count) {
    addresses c;
    __m256i some = _mm256_maskload_epi64((const long long *)cols, first_double(count));
    memcpy(&c, &some, sizeof c);
    return c;
}

/* Loads the first `count` lanes; the others are 0, so that their products are 0 whatever x has
 * there. */
SIMD quad_float quad_some_float(const float *a, int64_t count) {
    return _mm_maskload_ps(a, first_float(count));
}

SIMD quad_double quad_some_double(const double *a, int64_t count) {
    return _mm256_maskload_pd(a, first_double(count));
}

SIMD quad_float quad_keep_float(quad_float a, int64_t count) {
    return _mm_and_ps(a, _mm_castsi128_ps(first_float(count)));
}

SIMD quad_double quad_keep_double(quad_double a, int64_t count) {
    return _mm256_and_pd(a, _mm256_castsi256_pd(first_double(count)));
}

SIMD quad_float quad_zero_float(void) {
    return _mm_setzero_ps();
}

SIMD quad_double quad_zero_double(void) {
    return _mm256_setzero_pd();
}

/* Sets all lanes to a number. */
SIMD quad_float quad_all_float(float a) {
    return _mm_set1_ps(a);
}

SIMD quad_double quad_all_double(double a) {
    return _mm256_set1_pd(a);
}

SIMD quad_float quad_load_float(const float *a) {
    return _mm_loadu_ps(a);
}

SIMD quad_double quad_load_double(const double *a) {
    return _mm256_loadu_pd(a);
}

/* Loads the lanes below count, which may lie outside of a quad: 4 - MASKS to MASKS. */
SIMD quad_float quad_masked_float(const float *a, int64_t count) {
    return quad_some_float(a, count);
}

SIMD quad_double quad_masked_double(const double *a, int64_t count) {
    return quad_some_double(a, count);
}

SIMD void quad_store_float(float *a, quad_float q) {
    _mm_storeu_ps(a, q);
}

SIMD void quad_store_double(double *a, quad_double q) {
    _mm256_storeu_pd(a, q);
}

SIMD quad_float quad_mul_float(quad_float a, quad_float b) {
    return _mm_mul_ps(a, b);
}

SIMD quad_double quad_mul_double(quad_double a, quad_double b) {
    return _mm256_mul_pd(a, b);
}

/* Computes a b + c, rounded once. */
SIMD quad_float quad_fma_float(quad_float a, quad_float b, quad_float c) {
    return _mm_fmadd_ps(a, b, c);
}

SIMD quad_double quad_fma_double(quad_double a, quad_double b, quad_double c) {
    return _mm256_fmadd_pd(a, b, c);
}

SIMD quad_float quad_add_float(quad_float a, quad_float b) {
    return _mm_add_ps(a, b);
}

SIMD quad_double quad_add_double(quad_double a, quad_double b) {
    return _mm256_add_pd(a, b);
}

/* Computes (a0 + a2) + (a1 + a3). */
SIMD float quad_sum_float(quad_float a) {
    quad_float halves = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(halves, _mm_shuffle_ps(halves, halves, 1)));
}

SIMD double quad_sum_double(quad_double a) {
    __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
}

/* Computes quad_sum of each of four quads. */
SIMD quad_float quad_sums_float(const quad_float q[4]) {
    quad_float low = _mm_add_ps(_mm_unpacklo_ps(q[0], q[1]), _mm_unpackhi_ps(q[0], q[1]));
    quad_float high = _mm_add_ps(_mm_unpacklo_ps(q[2], q[3]), _mm_unpackhi_ps(q[2], q[3]));
    return _mm_add_ps(_mm_movelh_ps(low, high), _mm_movehl_ps(high, low));
}

SIMD __m256d halves_of(quad_double a, quad_double b) {
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

SIMD quad_double quad_sums_double(const quad_double q[4]) {
    return _mm256_hadd_pd(halves_of(q[0], q[2]), halves_of(q[1], q[3]));
}

/* Computes p0 + p1 of each two of eight numbers. */
SIMD quad_float quad_pairs_float(const quad_float q[2]) {
    return _mm_hadd_ps(q[0], q[1]);
}

SIMD quad_double quad_pairs_double(const quad_double q[2]) {
    return _mm256_permute4x64_pd(_mm256_hadd_pd(q[0], q[1]), 0xd8);
}

/* Computes (p0 + p2) + p1 of each three of twelve numbers. */
SIMD quad_float quad_threes_float(const quad_float q[3]) {
    quad_float p0 = _mm_blend_ps(_mm_blend_ps(q[0], q[1], 4), q[2], 2); /* lanes 0, 3, 2, 1 */
    quad_float p1 = _mm_blend_ps(_mm_blend_ps(q[0], q[1], 9), q[2], 4); /* lanes 1, 0, 3, 2 */
    quad_float p2 = _mm_blend_ps(_mm_blend_ps(q[0], q[1], 2), q[2], 9); /* lanes 2, 1, 0, 3 */
    p0 = _mm_shuffle_ps(p0, p0, _MM_SHUFFLE(1, 2, 3, 0));
    p1 = _mm_shuffle_ps(p1, p1, _MM_SHUFFLE(2, 3, 0, 1));
    p2 = _mm_shuffle_ps(p2, p2, _MM_SHUFFLE(3, 0, 1, 2));
    return _mm_add_ps(_mm_add_ps(p0, p2), p1);
}

SIMD quad_double quad_threes_double(const quad_double q[3]) {
    quad_double p0 = _mm256_blend_pd(_mm256_blend_pd(q[0], q[1], 4), q[2], 2);
    quad_double p1 = _mm256_blend_pd(_mm256_blend_pd(q[0], q[1], 9), q[2], 4);
    quad_double p2 = _mm256_blend_pd(_mm256_blend_pd(q[0], q[1], 2), q[2], 9);
    p0 = _mm256_permute4x64_pd(p0, _MM_SHUFFLE(1, 2, 3, 0));
    p1 = _mm256_permute4x64_pd(p1, _MM_SHUFFLE(2, 3, 0, 1));
    p2 = _mm256_permute4x64_pd(p2, _MM_SHUFFLE(3, 0, 1, 2));
    return _mm256_add_pd(_mm256_add_pd(p0, p2), p1);
}

/* The four partial sums of a row as plain_row in csr_rows.h adds them up: without masks, and with
 * few loads of vectors, of which a cycle has two. */
typedef __m128 partial_float;
typedef struct partial_double {
    __m128d low, high;
} partial_double;

SIMD partial_float partial_zero_float(void) {
    return _mm_setzero_ps();
}

SIMD partial_double partial_zero_double(void) {
    return (partial_double){_mm_setzero_pd(), _mm_setzero_pd()};
}

SIMD partial_float partial_four_float(partial_float s, const float *values, const float *x0,
                                      const float *x1, const float *x2, const float *x3) {
    quad_float q = _mm_insert_ps(_mm_load_ss(x0), _mm_load_ss(x1), 0x10);
    q = _mm_insert_ps(q, _mm_load_ss(x2), 0x20);
    q = _mm_insert_ps(q, _mm_load_ss(x3), 0x30);
    return _mm_add_ps(s, _mm_mul_ps(q, _mm_loadu_ps(values)));
}

SIMD __m128 two_floats(const float *a) {
    return _mm_castsi128_ps(_mm_loadu_si64(a));
}

SIMD partial_float partial_three_float(partial_float s, const float *values, const float *x0,
                                       const float *x1, const float *x2) {
    quad_float q = _mm_insert_ps(_mm_load_ss(x0), _mm_load_ss(x1), 0x10);
    q = _mm_insert_ps(q, _mm_load_ss(x2), 0x20);
    quad_float v = _mm_insert_ps(two_floats(values), _mm_load_ss(values + 2), 0x20);
    return _mm_add_ps(s, _mm_mul_ps(q, v));
}

SIMD partial_float partial_two_float(partial_float s, const float *values, const float *x0,
                                     const float *x1) {
    quad_float q = _mm_insert_ps(_mm_load_ss(x0), _mm_load_ss(x1), 0x10);
    return _mm_add_ps(s, _mm_mul_ps(q, two_floats(values)));
}

SIMD partial_float partial_one_float(partial_float s, const float *values, const float *x0) {
    return _mm_add_ss(s, _mm_mul_ss(_mm_load_ss(x0), _mm_load_ss(values)));
}

SIMD __m128d two_products(const double *values, const double *x0, const double *x1) {
    return _mm_mul_pd(_mm_loadh_pd(_mm_load_sd(x0), x1), _mm_loadu_pd(values));
}

SIMD __m128d add_product_of(__m128d s, const double *value, const double *x0) {
    return _mm_add_sd(s, _mm_mul_sd(_mm_load_sd(x0), _mm_load_sd(value)));
}

SIMD partial_double partial_four_double(partial_double s, const double *values, const double *x0,
                                        const double *x1, const double *x2, const double *x3) {
    s.low = _mm_add_pd(s.low, two_products(values, x0, x1));
    s.high = _mm_add_pd(s.high, two_products(values + 2, x2, x3));
    return s;
}

SIMD partial_double partial_three_double(partial_double s, const double *values, const double *x0,
                                         const double *x1, const double *x2) {
    s.low = _mm_add_pd(s.low, two_products(values, x0, x1));
    s.high = add_product_of(s.high, values + 2, x2);
    return s;
}

SIMD partial_double partial_two_double(partial_double s, const double *values, const double *x0,
                                       const double *x1) {
    s.low = _mm_add_pd(s.low, two_products(values, x0, x1));
    return s;
}

SIMD partial_double partial_one_double(partial_double s, const double *values, const double *x0) {
    s.low = add_product_of(s.low, values, x0);
    return s;
}

SIMD float partial_sum_float(partial_float s) {
    return quad_sum_float(s);
}

SIMD double partial_sum_double(partial_double s) {
    __m128d halves = _mm_add_pd(s.low, s.high);
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
}

SIMD float fma_float(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

SIMD double fma_double(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

SIMD vec_float zero_float(void) {
    return _mm256_setzero_ps();
}

SIMD vec_double zero_double(void) {
    return _mm256_setzero_pd();
}

SIMD vec_float load_float(const float *a) {
    return _mm256_loadu_ps(a);
}

SIMD vec_double load_double(const double *a) {
    return _mm256_loadu_pd(a);
}

SIMD void store_float(float *a, vec_float v) {
    _mm256_storeu_ps(a, v);
}

SIMD void store_double(double *a, vec_double v) {
    _mm256_storeu_pd(a, v);
}

SIMD vec_float vec_fma_float(vec_float a, vec_float b, vec_float c) {
    return _mm256_fmadd_ps(a, b, c);
}

SIMD vec_double vec_fma_double(vec_double a, vec_double b, vec_double c) {
    return _mm256_fmadd_pd(a, b, c);
}

SIMD vec_float vec_mul_float(vec_float a, vec_float b) {
    return _mm256_mul_ps(a, b);
}

SIMD vec_double vec_mul_double(vec_double a, vec_double b) {
    return _mm256_mul_pd(a, b);
}

SIMD vec_float add_float(vec_float a, vec_float b) {
    return _mm256_add_ps(a, b);
}

SIMD vec_double add_double(vec_double a, vec_double b) {
    return _mm256_add_pd(a, b);
}

/* Loads four numbers of one row, and four of the row that lies four rows of `stride` later. */
SIMD vec_float two_rows(const float *a, int64_t stride) {
    __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(a));
    return _mm256_insertf128_ps(low, _mm_loadu_ps(a + 4 * stride), 1);
}

/* t[j] := number j, 0 to 3, of each of LANES rows that lie `stride` apart. */
SIMD void transpose_float(const float *a, int64_t stride, vec_float t[4]) {
    vec_float r0 = two_rows(a, stride), r1 = two_rows(a + stride, stride);
    vec_float r2 = two_rows(a + 2 * stride, stride), r3 = two_rows(a + 3 * stride, stride);
    vec_float low01 = _mm256_unpacklo_ps(r0, r1), high01 = _mm256_unpackhi_ps(r0, r1);
    vec_float low23 = _mm256_unpacklo_ps(r2, r3), high23 = _mm256_unpackhi_ps(r2, r3);
    t[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    t[1] = _mm256_shuffle_ps(low01, low23, 0xee);
    t[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    t[3] = _mm256_shuffle_ps(high01, high23, 0xee);
}

SIMD void transpose_double(const double *a, int64_t stride, vec_double t[4]) {
    vec_double r0 = load_double(a), r1 = load_double(a + stride);
    vec_double r2 = load_double(a + 2 * stride), r3 = load_double(a + 3 * stride);
    vec_double even01 = _mm256_unpacklo_pd(r0, r1), odd01 = _mm256_unpackhi_pd(r0, r1);
    vec_double even23 = _mm256_unpacklo_pd(r2, r3), odd23 = _mm256_unpackhi_pd(r2, r3);
    t[0] = _mm256_permute2f128_pd(even01, even23, 0x20);
    t[1] = _mm256_permute2f128_pd(odd01, odd23, 0x20);
    t[2] = _mm256_permute2f128_pd(even01, even23, 0x31);
    t[3] = _mm256_permute2f128_pd(odd01, odd23, 0x31);
}

/* Number of columns that are compared at once, 8 or 4: later[k] - cols[k] must be 1 for each of
 * them. */
enum { ONES_AT_ONCE_int32_t = 8, ONES_AT_ONCE_int64_t = 4 };

SIMD bool ones_int32_t(const int32_t *cols, const int32_t *later) {
    __m256i from = _mm256_loadu_si256((const __m256i *)cols);
    __m256i to = _mm256_loadu_si256((const __m256i *)later);
    __m256i is_one = _mm256_cmpeq_epi32(_mm256_sub_epi32(to, from), _mm256_set1_epi32(1));
    return _mm256_movemask_epi8(is_one) == -1;
}

SIMD bool ones_int64_t(const int64_t *cols, const int64_t *later) {
    __m256i from = _mm256_loadu_si256((const __m256i *)cols);
    __m256i to = _mm256_loadu_si256((const __m256i *)later);
    __m256i is_one = _mm256_cmpeq_epi64(_mm256_sub_epi64(to, from), _mm256_set1_epi64x(1));
    return _mm256_movemask_epi8(is_one) == -1;
}

/* Number of rows whose lengths are compared at once. Bit r of the result is set if row r has
 * `count` entries. */
enum { ROWS_AT_ONCE_int32_t = 8, ROWS_AT_ONCE_int64_t = 4 };

SIMD uint64_t rows_of_length_int32_t(const int32_t *offsets, int32_t count) {
    __m256i from = _mm256_loadu_si256((const __m256i *)offsets);
    __m256i to = _mm256_loadu_si256((const __m256i *)(offsets + 1));
    __m256i same = _mm256_cmpeq_epi32(_mm256_sub_epi32(to, from), _mm256_set1_epi32(count));
    return (uint64_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}

SIMD uint64_t rows_of_length_int64_t(const int64_t *offsets, int64_t count) {
    __m256i from = _mm256_loadu_si256((const __m256i *)offsets);
    __m256i to = _mm256_loadu_si256((const __m256i *)(offsets + 1));
    __m256i same = _mm256_cmpeq_epi64(_mm256_sub_epi64(to, from), _mm256_set1_epi64x(count));
    return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

/* True when each of so many rows, 4 or 8, has `count` entries. */
SIMD bool all_of_length_int32_t(const int32_t *offsets, int rows, int32_t count) {
    if (rows == 8) return rows_of_length_int32_t(offsets, count) == 0xff;
    __m128i from = _mm_loadu_si128((const __m128i *)offsets);
    __m128i to = _mm_loadu_si128((const __m128i *)(offsets + 1));
    __m128i same = _mm_cmpeq_epi32(_mm_sub_epi32(to, from), _mm_set1_epi32(count));
    return _mm_movemask_epi8(same) == 0xffff;
}

SIMD bool all_of_length_int64_t(const int64_t *offsets, int rows, int64_t count) {
    uint64_t same = rows_of_length_int64_t(offsets, count);
    if (rows == 8) same &= rows_of_length_int64_t(offsets + 4, count);
    return same == 0xf;
}

/* True when four columns are from, from + 1, ... */
SIMD bool count_up_int32_t(const int32_t *cols, int32_t from) {
    __m128i want = _mm_add_epi32(_mm_set1_epi32(from), _mm_setr_epi32(0, 1, 2, 3));
    __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)cols), want);
    return _mm_movemask_epi8(same) == 0xffff;
}

SIMD bool count_up_int64_t(const int64_t *cols, int64_t from) {
    __m256i want = _mm256_add_epi64(_mm256_set1_epi64x(from), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i same = _mm256_cmpeq_epi64(_mm256_loadu_si256((const __m256i *)cols), want);
    return _mm256_movemask_epi8(same) == -1;
}

/* True when the columns of a vec ascend by one. */
SIMD bool ascend_int32_t(const int32_t *cols, int lanes) {
    bool low = count_up_int32_t(cols, cols[0]);
    return lanes == 4 ? low : low && count_up_int32_t(cols + 4, cols[0] + 4);
}

SIMD bool ascend_int64_t(const int64_t *cols, int lanes) {
    bool low = count_up_int64_t(cols, cols[0]);
    return lanes == 4 ? low : low && count_up_int64_t(cols + 4, cols[0] + 4);
}

/* True when all columns of a vec are entries, and no padding. */
SIMD bool none_padded_int32_t(const int32_t *cols, int lanes) {
    __m128i all = _mm_loadu_si128((const __m128i *)cols);
    if (lanes == 8) all = _mm_or_si128(all, _mm_loadu_si128((const __m128i *)(cols + 4)));
    return _mm_movemask_ps(_mm_castsi128_ps(all)) == 0;
}

SIMD bool none_padded_int64_t(const int64_t *cols, int lanes) {
    __m256i all = _mm256_loadu_si256((const __m256i *)cols);
    if (lanes == 8) all = _mm256_or_si256(all, _mm256_loadu_si256((const __m256i *)(cols + 4)));
    return _mm256_movemask_pd(_mm256_castsi256_pd(all)) == 0;
}

/* Loads the numbers of x that a vec of columns addresses. */
SIMD vec_float two_quads(quad_float low, quad_float high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

SIMD vec_float pick_vec_float_int32_t(const float *x, const int32_t *cols) {
    return two_quads(pick_float(x, columns_int32_t(cols)),
                     pick_float(x, columns_int32_t(cols + 4)));
}

SIMD vec_float pick_vec_float_int64_t(const float *x, const int64_t *cols) {
    return two_quads(pick_float(x, columns_int64_t(cols)),
                     pick_float(x, columns_int64_t(cols + 4)));
}

SIMD vec_double pick_vec_double_int32_t(const double *x, const int32_t *cols) {
    return pick_double(x, columns_int32_t(cols));
}

SIMD vec_double pick_vec_double_int64_t(const double *x, const int64_t *cols) {
    return pick_double(x, columns_int64_t(cols));
}

/* Keeps the lanes of a vec that are entries; padding becomes 0. */
SIMD vec_float entries_float_int32_t(vec_float a, const int32_t *cols) {
    __m256i c = _mm256_loadu_si256((const __m256i *)cols);
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(c, 31)), a);
}

SIMD vec_float entries_float_int64_t(vec_float a, const int64_t *cols) {
    __m256 low = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)cols));
    __m256 high = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(cols + 4)));
    __m256i signs = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
    signs = _mm256_srai_epi32(_mm256_permute4x64_epi64(signs, 0xd8), 31);
    return _mm256_andnot_ps(_mm256_castsi256_ps(signs), a);
}

SIMD vec_double entries_double_int64_t(vec_double a, const int64_t *cols) {
    __m256i c = _mm256_loadu_si256((const __m256i *)cols);
    __m256i padding = _mm256_cmpgt_epi64(_mm256_setzero_si256(), c);
    return _mm256_andnot_pd(_mm256_castsi256_pd(padding), a);
}

SIMD vec_double entries_double_int32_t(vec_double a, const int32_t *cols) {
    __m128i padding = _mm_srai_epi32(_mm_loadu_si128((const __m128i *)cols), 31);
    return _mm256_andnot_pd(_mm256_castsi256_pd(_mm256_cvtepi32_epi64(padding)), a);
}

#endif
