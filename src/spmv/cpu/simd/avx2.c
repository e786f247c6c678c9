/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of simd.h for AVX2 with FMA. */
#if defined(__x86_64__)

#include "spmv/cpu/simd/avx2_lines.h"

#define SIMD_NAME tulle__simd_avx2
#include "spmv/cpu/simd/loops.h"

#endif
