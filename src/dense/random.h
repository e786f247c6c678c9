/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in (-1, 1) that are functions of a seed and an element's index alone, so that
 * every device makes the same bits in any order. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_DENSE_RANDOM_H
#define TULLE_DENSE_RANDOM_H

#include <stdint.h>

#if defined(__CUDACC__)
#define TULLE__RANDOM_FUNCTION static __host__ __device__ __forceinline__
#else
#define TULLE__RANDOM_FUNCTION static inline
#endif

/* Mixes 64 bits by a bijection in which every input bit moves every output bit: the finaliser of
 * Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with the
 * constants of its variant 13. */
TULLE__RANDOM_FUNCTION uint64_t tulle__random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns 64 random bits. The seed is mixed first, so that the streams of neighbouring seeds are
 * unrelated. */
TULLE__RANDOM_FUNCTION uint64_t tulle__random_bits(uint64_t seed, uint64_t number) {
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio, made odd */
    return tulle__random_mix(tulle__random_mix(seed + golden) + golden * (number + 1));
}

/* Returns (the top 53 bits, made odd, minus 2^52) times 2^-52: the first factor is an odd number
 * below 2^52 in size, so that the product is exact, never 0, and the same on every device. */
TULLE__RANDOM_FUNCTION double tulle__random_f64(uint64_t seed, uint64_t number) {
    const int64_t odd = (int64_t)((tulle__random_bits(seed, number) >> 11) | 1);
    return (double)(odd - (INT64_C(1) << 52)) * 0x1p-52;
}

/* Returns a number of f32 in the same way, from the top 24 bits. */
TULLE__RANDOM_FUNCTION float tulle__random_f32(uint64_t seed, uint64_t number) {
    const int32_t odd = (int32_t)((tulle__random_bits(seed, number) >> 40) | 1);
    return (float)(odd - (INT32_C(1) << 23)) * 0x1p-23f;
}

#endif
