/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cpu_vectors.h"

#if defined(__x86_64__)

int tulle__cpu_vector_bits(void) {
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!avx2) return 0;
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    return avx512 ? 512 : 256;
}

bool tulle__cpu_gathers_fast(void) {
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
}

#else

int tulle__cpu_vector_bits(void) {
#if defined(__ARM_NEON) && defined(__aarch64__)
    return 128;
#else
    return 0;
#endif
}

bool tulle__cpu_gathers_fast(void) {
    return false;
}

#endif
