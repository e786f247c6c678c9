/* SPDX-License-Identifier: Apache-2.0 */
/* The words of packed_lines.h (avx2_lines.h) for NEON of 64-bit Arm. */
#ifndef TULLE_SPMV_CPU_SIMD_NEON_LINES_H
#define TULLE_SPMV_CPU_SIMD_NEON_LINES_H

#include "spmv/cpu/simd/neon.h"
#include "spmv/cpu/simd/packed_codes.h"

/* Loads a vec of values that are stored in binary32. */
SIMD vec_float widen_float(const float *a) {
    return vld1q_f32(a);
}

SIMD vec_double widen_double(const float *a) {
    float32x4_t narrow = vld1q_f32(a);
    return (vec_double){vcvt_f64_f32(vget_low_f32(narrow)), vcvt_high_f64_f32(narrow)};
}

/* Keeps the lanes of a vec whose bits are set; the others become 0. */
#define LANE_SET(lanes) ((bool[4]){(lanes)&1, (lanes)&2, (lanes)&4, (lanes)&8})
#define keep_float(a, lanes) entries_float(a, LANE_SET(lanes))
#define keep_double(a, lanes) entries_double(a, LANE_SET(lanes))

/* Loads the numbers of x that the codes of a vec address, from lane `from` on; x has `room` of
 * them. */
SIMD vec_float coded_float(const float *x, int64_t room, const uint8_t *codes, int kind, int from) {
    (void)room;
    return pick_float(x, columns_of_codes(codes, kind, from));
}

SIMD vec_double coded_double(const double *x, int64_t room, const uint8_t *codes, int kind,
                             int from) {
    (void)room;
    return pick_double(x, columns_of_codes(codes, kind, from));
}

#endif
