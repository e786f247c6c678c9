/* SPDX-License-Identifier: Apache-2.0 */
/* Products of small tiles by a whole warp, on the matrix units for doubles where the device has
 * them. */
#ifndef TULLE_GPU_TILE_CUH
#define TULLE_GPU_TILE_CUH

#include <math.h>

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int tile_side = 8;

/* Computes c += A B for A of 8 x 4, B of 4 x 8 and C of 8 x 8 doubles. They are spread over the
 * lanes of a warp as PTX has it for mma.m8n8k4: lane l holds A(l / 4, l % 4), B(l % 4, l / 4) and,
 * in c[0] and c[1], C(l / 4, 2 (l % 4)) and the number to its right. All lanes must call it. Each
 * sum is made of fused multiply-adds, in an order of the unit's own, which is the same from call to
 * call on one device. */
struct tile_f64 {
    double c[2];
};

GPU_FUNCTION void multiply_add_8x8x4(tile_f64 &c, double a, double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c.c[0]), "+d"(c.c[1])
                 : "d"(a), "d"(b));
#else
    int row = static_cast<int>(lane()) / 4, pair = static_cast<int>(lane()) % 4;
    for (int k = 0; k < 4; k++) {
        double a_k = shuffle(full_warp, a, 4 * row + k);
        c.c[0] = fma(a_k, shuffle(full_warp, b, 8 * pair + k), c.c[0]);
        c.c[1] = fma(a_k, shuffle(full_warp, b, 8 * pair + 4 + k), c.c[1]);
    }
#endif
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
