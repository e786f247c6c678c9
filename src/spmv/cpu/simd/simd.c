/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/cpu/simd/simd.h"

#include "spmv/cpu/simd/widths.h"

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

/* Width of a wide vector in bits: the measured one, but under the repeatable setting the
 * table's. */
static int wide_bits(const tulle__spmv_shape *shape) {
    int widest = shape->device->vector_bits;
    if (widest < 512) return widest;
    const tulle__widths *w =
        shape->repeatable ? tulle__widths_by_table() : tulle__widths_measured();
    bool long_rows = shape->stats->mean_row > TULLE__SIMD_SHORT_ROW;
    return w
        ->bits[tulle__type_index(shape->type)][long_rows ? TULLE__LONG_ROWS : TULLE__SHORT_ROWS];
}

void tulle__simd_defaults(const tulle__spmv_shape *shape, int *params) {
    params[0] = wide_bits(shape);
}

/* Four rows of binary64 at once lose on rows that do not continue each other
 * (docs/lab-notes.md), but where gathers are fast. The table of processors decides that here:
 * without vectors, sums have other bits, which no measurement may decide. */
void tulle__simd_strip_defaults(const tulle__spmv_shape *shape, int *params) {
    bool gathers =
        shape->device->vector_bits == 512 &&
        tulle__widths_by_table()->bits[tulle__type_index(shape->type)][TULLE__LONG_ROWS] == 512;
    params[0] = shape->type == TULLE_F64 && !gathers ? 0 : wide_bits(shape);
}

/* True when this machine has the vectors: one with those of 512 bits has all that those of 256
 * need. */
bool tulle__simd_eligible(const tulle__spmv_shape *shape, const int *params) {
    return params[0] == 0 || (tulle__simd_of(params[0]) && params[0] <= shape->device->vector_bits);
}
