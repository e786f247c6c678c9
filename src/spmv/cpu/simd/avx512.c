/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of simd.h for AVX-512. */
#if defined(__x86_64__)

#include "spmv/cpu/simd/avx512.h"

#define SIMD_NAME tulle__simd_avx512
#include "spmv/cpu/simd/loops.h"

#endif
