/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are compiled twice, for processors with AVX2 and for all, and the parameter that
 * chooses; for solves and for factors. Both versions do the same operations in the same order,
 * without fused ones, so that results have the same bits. */
#ifndef TULLE_TRISOLVE_CPU_BITS_H
#define TULLE_TRISOLVE_CPU_BITS_H

#include "core/cpu_vectors.h"
#include "core/kernel.h"

#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#else
#define FOR_AVX2
#endif

enum { TULLE__BITS_OF_AVX2 = 256 };

static const int tulle__bits_values[] = {0, TULLE__BITS_OF_AVX2};
static const tulle__param tulle__bits_params[] = {
    {"bits", "of the vectors: 0 those of all processors, 256 AVX2 where it is there", 2,
     tulle__bits_values}};

static inline bool tulle__takes_avx2(const int *params) {
    return params[0] == TULLE__BITS_OF_AVX2 && tulle__cpu_vector_bits() >= TULLE__BITS_OF_AVX2;
}

#endif
