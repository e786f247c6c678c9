/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of simd.h for NEON of 64-bit Arm. */
#if defined(__ARM_NEON) && defined(__aarch64__)

#include "spmv/cpu/simd/neon_lines.h"

#define SIMD_NAME tulle__simd_neon
#include "spmv/cpu/simd/loops.h"

#endif
