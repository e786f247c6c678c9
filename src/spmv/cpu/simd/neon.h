/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which csr_rows.h and strip_sums.h are written (avx2.h), for NEON of 64-bit Arm: a
 * quad and a vec are four numbers, of binary64 in two registers. */
#ifndef TULLE_SPMV_CPU_SIMD_NEON_H
#define TULLE_SPMV_CPU_SIMD_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

#define SIMD_TARGET
#define SIMD static inline

enum { LANES_float = 4, LANES_double = 4 };
typedef float32x4_t quad_float, vec_float;
typedef struct quad_double {
    float64x2_t low, high;
} quad_double, vec_double;

typedef struct addresses {
    int64_t at[4];
} addresses;

SIMD addresses columns_int32_t(const int32_t *cols) {
    return (addresses){{cols[0], cols[1], cols[2], cols[3]}};
}

SIMD addresses columns_int64_t(const int64_t *cols) {
    return (addresses){{cols[0], cols[1], cols[2], cols[3]}};
}

SIMD quad_float quad_load_float(const float *a) {
    return vld1q_f32(a);
}

SIMD quad_double quad_load_double(const double *a) {
    return (quad_double){vld1q_f64(a), vld1q_f64(a + 2)};
}

SIMD quad_float pick_float(const float *x, addresses c) {
    float q[4] = {x[c.at[0]], x[c.at[1]], x[c.at[2]], x[c.at[3]]};
    return quad_load_float(q);
}

SIMD quad_double pick_double(const double *x, addresses c) {
    double q[4] = {x[c.at[0]], x[c.at[1]], x[c.at[2]], x[c.at[3]]};
    return quad_load_double(q);
}

/* Loads the first `count` of four columns; the others are 0. */
SIMD addresses some_columns_int32_t(const int32_t *cols, int64_t count) {
    addresses c = {{0}};
    for (int64_t k = 0; k < count; k++) c.at[k] = cols[k];
    return c;
}

SIMD addresses some_columns_int64_t(const int64_t *cols, int64_t count) {
    addresses c = {{0}};
    for (int64_t k = 0; k < count; k++) c.at[k] = cols[k];
    return c;
}

/* Loads the first `count` lanes; the others are 0. */
SIMD quad_float quad_some_float(const float *a, int64_t count) {
    float some[4] = {0};
    for (int64_t k = 0; k < count; k++) some[k] = a[k];
    return quad_load_float(some);
}

SIMD quad_double quad_some_double(const double *a, int64_t count) {
    double some[4] = {0};
    for (int64_t k = 0; k < count; k++) some[k] = a[k];
    return quad_load_double(some);
}

SIMD quad_float quad_keep_float(quad_float a, int64_t count) {
    float all[4];
    vst1q_f32(all, a);
    return quad_some_float(all, count);
}

SIMD quad_double quad_keep_double(quad_double a, int64_t count) {
    double all[4];
    vst1q_f64(all, a.low);
    vst1q_f64(all + 2, a.high);
    return quad_some_double(all, count);
}

SIMD quad_float quad_zero_float(void) {
    return vdupq_n_f32(0);
}

SIMD quad_double quad_zero_double(void) {
    return (quad_double){vdupq_n_f64(0), vdupq_n_f64(0)};
}

SIMD quad_float quad_mul_float(quad_float a, quad_float b) {
    return vmulq_f32(a, b);
}

SIMD quad_double quad_mul_double(quad_double a, quad_double b) {
    return (quad_double){vmulq_f64(a.low, b.low), vmulq_f64(a.high, b.high)};
}

/* Computes a b + c, rounded once. */
SIMD quad_float quad_fma_float(quad_float a, quad_float b, quad_float c) {
    return vfmaq_f32(c, a, b);
}

SIMD quad_double quad_fma_double(quad_double a, quad_double b, quad_double c) {
    return (quad_double){vfmaq_f64(c.low, a.low, b.low), vfmaq_f64(c.high, a.high, b.high)};
}

SIMD quad_float quad_add_float(quad_float a, quad_float b) {
    return vaddq_f32(a, b);
}

SIMD quad_double quad_add_double(quad_double a, quad_double b) {
    return (quad_double){vaddq_f64(a.low, b.low), vaddq_f64(a.high, b.high)};
}

/* Computes (a0 + a2) + (a1 + a3). */
SIMD float quad_sum_float(quad_float a) {
    float32x2_t halves = vadd_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(halves, 0) + vget_lane_f32(halves, 1);
}

SIMD double quad_sum_double(quad_double a) {
    float64x2_t halves = vaddq_f64(a.low, a.high);
    return vgetq_lane_f64(halves, 0) + vgetq_lane_f64(halves, 1);
}

/* The four partial sums of a row as plain_row in csr_rows.h adds them up: one by one, out of the
 * reach of vectorisers. */
typedef struct partial_float {
    float at[4];
} partial_float;

SIMD partial_float partial_zero_float(void) {
    return (partial_float){{0}};
}

SIMD partial_float partial_add_float(partial_float s, int q, float product) {
    s.at[q] += product;
    __asm__("" : "+w"(s.at[q]));
    return s;
}

SIMD partial_float partial_four_float(partial_float s, const float *values, const float *x0,
                                      const float *x1, const float *x2, const float *x3) {
    s = partial_add_float(s, 0, values[0] * *x0);
    s = partial_add_float(s, 1, values[1] * *x1);
    s = partial_add_float(s, 2, values[2] * *x2);
    s = partial_add_float(s, 3, values[3] * *x3);
    return s;
}

SIMD partial_float partial_three_float(partial_float s, const float *values, const float *x0,
                                       const float *x1, const float *x2) {
    s = partial_add_float(s, 0, values[0] * *x0);
    s = partial_add_float(s, 1, values[1] * *x1);
    s = partial_add_float(s, 2, values[2] * *x2);
    return s;
}

SIMD partial_float partial_two_float(partial_float s, const float *values, const float *x0,
                                     const float *x1) {
    s = partial_add_float(s, 0, values[0] * *x0);
    s = partial_add_float(s, 1, values[1] * *x1);
    return s;
}

SIMD partial_float partial_one_float(partial_float s, const float *values, const float *x0) {
    s = partial_add_float(s, 0, values[0] * *x0);
    return s;
}

SIMD float partial_sum_float(partial_float s) {
    return (s.at[0] + s.at[2]) + (s.at[1] + s.at[3]);
}

typedef struct partial_double {
    double at[4];
} partial_double;

SIMD partial_double partial_zero_double(void) {
    return (partial_double){{0}};
}

SIMD partial_double partial_add_double(partial_double s, int q, double product) {
    s.at[q] += product;
    __asm__("" : "+w"(s.at[q]));
    return s;
}

SIMD partial_double partial_four_double(partial_double s, const double *values, const double *x0,
                                        const double *x1, const double *x2, const double *x3) {
    s = partial_add_double(s, 0, values[0] * *x0);
    s = partial_add_double(s, 1, values[1] * *x1);
    s = partial_add_double(s, 2, values[2] * *x2);
    s = partial_add_double(s, 3, values[3] * *x3);
    return s;
}

SIMD partial_double partial_three_double(partial_double s, const double *values, const double *x0,
                                         const double *x1, const double *x2) {
    s = partial_add_double(s, 0, values[0] * *x0);
    s = partial_add_double(s, 1, values[1] * *x1);
    s = partial_add_double(s, 2, values[2] * *x2);
    return s;
}

SIMD partial_double partial_two_double(partial_double s, const double *values, const double *x0,
                                       const double *x1) {
    s = partial_add_double(s, 0, values[0] * *x0);
    s = partial_add_double(s, 1, values[1] * *x1);
    return s;
}

SIMD partial_double partial_one_double(partial_double s, const double *values, const double *x0) {
    s = partial_add_double(s, 0, values[0] * *x0);
    return s;
}

SIMD double partial_sum_double(partial_double s) {
    return (s.at[0] + s.at[2]) + (s.at[1] + s.at[3]);
}

SIMD float fma_float(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

SIMD double fma_double(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

SIMD vec_float zero_float(void) {
    return quad_zero_float();
}

SIMD vec_double zero_double(void) {
    return quad_zero_double();
}

SIMD vec_float load_float(const float *a) {
    return quad_load_float(a);
}

SIMD vec_double load_double(const double *a) {
    return quad_load_double(a);
}

SIMD void store_float(float *a, vec_float v) {
    vst1q_f32(a, v);
}

SIMD void store_double(double *a, vec_double v) {
    vst1q_f64(a, v.low);
    vst1q_f64(a + 2, v.high);
}

SIMD vec_float vec_fma_float(vec_float a, vec_float b, vec_float c) {
    return quad_fma_float(a, b, c);
}

SIMD vec_double vec_fma_double(vec_double a, vec_double b, vec_double c) {
    return quad_fma_double(a, b, c);
}

SIMD vec_float vec_mul_float(vec_float a, vec_float b) {
    return quad_mul_float(a, b);
}

SIMD vec_double vec_mul_double(vec_double a, vec_double b) {
    return quad_mul_double(a, b);
}

SIMD vec_float add_float(vec_float a, vec_float b) {
    return quad_add_float(a, b);
}

SIMD vec_double add_double(vec_double a, vec_double b) {
    return quad_add_double(a, b);
}

/* t[j] := number j, 0 to 3, of each of four rows that lie `stride` apart. */
SIMD void transpose_float(const float *a, int64_t stride, vec_float t[4]) {
    float32x4x2_t even = vzipq_f32(vld1q_f32(a), vld1q_f32(a + 2 * stride));
    float32x4x2_t odd = vzipq_f32(vld1q_f32(a + stride), vld1q_f32(a + 3 * stride));
    float32x4x2_t low = vzipq_f32(even.val[0], odd.val[0]);
    float32x4x2_t high = vzipq_f32(even.val[1], odd.val[1]);
    t[0] = low.val[0];
    t[1] = low.val[1];
    t[2] = high.val[0];
    t[3] = high.val[1];
}

SIMD void transpose_double(const double *a, int64_t stride, vec_double t[4]) {
    quad_double r0 = load_double(a), r1 = load_double(a + stride);
    quad_double r2 = load_double(a + 2 * stride), r3 = load_double(a + 3 * stride);
    t[0] = (vec_double){vzip1q_f64(r0.low, r1.low), vzip1q_f64(r2.low, r3.low)};
    t[1] = (vec_double){vzip2q_f64(r0.low, r1.low), vzip2q_f64(r2.low, r3.low)};
    t[2] = (vec_double){vzip1q_f64(r0.high, r1.high), vzip1q_f64(r2.high, r3.high)};
    t[3] = (vec_double){vzip2q_f64(r0.high, r1.high), vzip2q_f64(r2.high, r3.high)};
}

/* Number of k at once, 4, for which later[k] - cols[k] is checked to be 1. */
enum { ONES_AT_ONCE_int32_t = 4, ONES_AT_ONCE_int64_t = 4 };

SIMD bool ones_int32_t(const int32_t *cols, const int32_t *later) {
    int32x4_t steps = vsubq_s32(vld1q_s32(later), vld1q_s32(cols));
    return vminvq_u32(vceqq_s32(steps, vdupq_n_s32(1))) != 0;
}

SIMD bool ones_int64_t(const int64_t *cols, const int64_t *later) {
    int64x2_t low = vsubq_s64(vld1q_s64(later), vld1q_s64(cols));
    int64x2_t high = vsubq_s64(vld1q_s64(later + 2), vld1q_s64(cols + 2));
    int64x2_t one = vdupq_n_s64(1);
    uint64x2_t is_one = vandq_u64(vceqq_s64(low, one), vceqq_s64(high, one));
    return (vgetq_lane_u64(is_one, 0) & vgetq_lane_u64(is_one, 1)) != 0;
}

/* True when the columns of a vec ascend by one. */
SIMD bool ascend_int32_t(const int32_t *cols, int lanes) {
    (void)lanes;
    static const int32_t count[4] = {0, 1, 2, 3};
    int32x4_t want = vaddq_s32(vdupq_n_s32(cols[0]), vld1q_s32(count));
    return vminvq_u32(vceqq_s32(vld1q_s32(cols), want)) != 0;
}

SIMD bool ascend_int64_t(const int64_t *cols, int lanes) {
    (void)lanes;
    return cols[1] == cols[0] + 1 && cols[2] == cols[0] + 2 && cols[3] == cols[0] + 3;
}

/* True when all columns of a vec are entries, and no padding. */
SIMD bool none_padded_int32_t(const int32_t *cols, int lanes) {
    (void)lanes;
    return vminvq_s32(vld1q_s32(cols)) >= 0;
}

SIMD bool none_padded_int64_t(const int64_t *cols, int lanes) {
    (void)lanes;
    return (cols[0] | cols[1] | cols[2] | cols[3]) >= 0;
}

/* Loads the numbers of x that a vec of columns addresses. */
SIMD vec_float pick_vec_float_int32_t(const float *x, const int32_t *cols) {
    return pick_float(x, columns_int32_t(cols));
}

SIMD vec_float pick_vec_float_int64_t(const float *x, const int64_t *cols) {
    return pick_float(x, columns_int64_t(cols));
}

SIMD vec_double pick_vec_double_int32_t(const double *x, const int32_t *cols) {
    return pick_double(x, columns_int32_t(cols));
}

SIMD vec_double pick_vec_double_int64_t(const double *x, const int64_t *cols) {
    return pick_double(x, columns_int64_t(cols));
}

/* Keeps the lanes of a vec that are entries; padding becomes 0. */
SIMD vec_float entries_float(vec_float a, const bool entry[4]) {
    float all[4];
    store_float(all, a);
    for (int r = 0; r < 4; r++) all[r] = entry[r] ? all[r] : 0;
    return load_float(all);
}

SIMD vec_double entries_double(vec_double a, const bool entry[4]) {
    double all[4];
    store_double(all, a);
    for (int r = 0; r < 4; r++) all[r] = entry[r] ? all[r] : 0;
    return load_double(all);
}

#define ENTRY(cols) ((bool[4]){(cols)[0] >= 0, (cols)[1] >= 0, (cols)[2] >= 0, (cols)[3] >= 0})
#define entries_float_int32_t(a, cols) entries_float(a, ENTRY(cols))
#define entries_float_int64_t(a, cols) entries_float(a, ENTRY(cols))
#define entries_double_int32_t(a, cols) entries_double(a, ENTRY(cols))
#define entries_double_int64_t(a, cols) entries_double(a, ENTRY(cols))

#endif
