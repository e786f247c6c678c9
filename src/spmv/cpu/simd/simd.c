/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/cpu/simd/simd.h"

#include "core/cpu_vectors.h"

#if defined(__x86_64__)
extern const tulle__simd tulle__simd_avx2, tulle__simd_avx512;
#elif defined(__ARM_NEON) && defined(__aarch64__)
extern const tulle__simd tulle__simd_neon;
#endif

const tulle__simd *tulle__simd_of(int bits) {
#if defined(__x86_64__)
    if (bits == 256) return &tulle__simd_avx2;
    if (bits == 512) return &tulle__simd_avx512;
#elif defined(__ARM_NEON) && defined(__aarch64__)
    if (bits == 128) return &tulle__simd_neon;
#endif
    (void)bits;
    return NULL;
}

static const int bits[] = {0, 128, 256, 512};

const tulle__param tulle__simd_params[1] = {
    {"bits", "of the vectors: 0 none, 128 NEON, 256 AVX2 and FMA, 512 AVX-512", 4, bits}};

/* AVX-512 is here for its gathers; where they are slow, AVX2 is faster (docs/lab-notes.md). */
void tulle__simd_defaults(const tulle__spmv_shape *shape, int *params) {
    int widest = shape->device->vector_bits;
    params[0] = widest == 512 && !tulle__cpu_gathers_fast() ? 256 : widest;
}

/* Four rows of binary64 at once lose on rows that do not continue each other (docs/lab-notes.md).
 */
void tulle__simd_strip_defaults(const tulle__spmv_shape *shape, int *params) {
    tulle__simd_defaults(shape, params);
    if (shape->type == TULLE_F64 && params[0] < 512) params[0] = 0;
}

/* What 256 needs, a machine with 512 has. */
bool tulle__simd_eligible(const tulle__spmv_shape *shape, const int *params) {
    return params[0] == 0 || (tulle__simd_of(params[0]) && params[0] <= shape->device->vector_bits);
}
