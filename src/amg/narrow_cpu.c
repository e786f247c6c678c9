/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in f64 to f32 and back, on the CPU. */
#include <math.h>
#include <omp.h>

#include "amg/functions.h"
#include "core/threads/sizes.h"

/* Narrows rows begin to end - 1; returns true where all numbers are finite. An entry of a transpose
 * is looked up in its row of P, which has few entries. */
#define NARROW(OFFSET, INDEX, name)                                                                \
    static OFFSET place_##name(const tulle__amg_lookup *P, INDEX j, int64_t i) {                   \
        OFFSET k = ((const OFFSET *)P->offsets)[j];                                                \
        while (((const INDEX *)P->cols_of)[k] != i) k++;                                           \
        return k;                                                                                  \
    }                                                                                              \
    static bool name(const tulle__amg_narrowing *t, int64_t begin, int64_t end) {                  \
        const OFFSET *offsets = t->A.offsets;                                                      \
        const INDEX *columns = t->A.cols_of;                                                       \
        bool fits = true;                                                                          \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const double left = t->left ? t->left[i] : 1;                                          \
            for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {                                 \
                const double right = t->right ? t->right[columns[k]] : 1;                          \
                const OFFSET from = t->P.offsets ? place_##name(&t->P, columns[k], i) : k;         \
                const double number = right == 0 ? 0 : left * t->values[from] / right;             \
                if (!t->to) {                                                                      \
                    t->wide[k] = number;                                                           \
                    continue;                                                                      \
                }                                                                                  \
                t->to[k] = (float)number;                                                          \
                fits = fits && (t->exact ? (double)t->to[k] == number : isfinite(t->to[k]));       \
            }                                                                                      \
        }                                                                                          \
        return fits;                                                                               \
    }
NARROW(int32_t, int32_t, narrow_i32)
NARROW(int64_t, int32_t, narrow_i64_i32)
NARROW(int64_t, int64_t, narrow_i64)

tulle_status tulle__cpu_amg_narrow(const tulle__place *place,
                                   const tulle__amg_narrowing *narrowing) {
    static bool (*const narrow[])(const tulle__amg_narrowing *, int64_t, int64_t) = {
        [TULLE_I32] = narrow_i32, [TULLE_I64_I32] = narrow_i64_i32, [TULLE_I64] = narrow_i64};
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, narrowing->A.nnz);
    const int64_t n = narrowing->A.rows;
    bool fits = true;
#pragma omp parallel num_threads(threads) reduction(&& : fits)
    {
        const int64_t p = omp_get_thread_num(), parts = omp_get_num_threads();
        fits = narrow[narrowing->A.index](narrowing, n * p / parts, n * (p + 1) / parts);
    }
    if (!fits) *narrowing->unfit = TULLE__AMG_RANGE;
    return TULLE_OK;
}

/* Returns the largest exponent of d b; 0 where all numbers are 0 or none is finite. */
static int exponent_of(int threads, const tulle__amg_passage *t) {
    double largest = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(max : largest)
    for (int64_t i = 0; i < t->n; i++) {
        const double size = fabs(t->d ? t->d[i] * t->b[i] : t->b[i]);
        largest = size > largest && size < INFINITY ? size : largest;
    }
    return largest > 0 ? ilogb(largest) : 0;
}

/* A power of 2 as two factors of half its exponent each, which both are normal numbers. */
typedef struct power {
    double first, second;
} power;

static power power_of(int exponent) {
    return (power){ldexp(1, exponent / 2), ldexp(1, exponent - exponent / 2)};
}

tulle_status tulle__cpu_amg_enter(const tulle__place *place, const tulle__amg_passage *passage) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 3 * passage->n);
    const int exponent = exponent_of(threads, passage);
    const power by = power_of(-exponent);
    const double *d = passage->d, *b = passage->b;
    float *narrow = passage->narrow;
    passage->unit[TULLE__AMG_EXPONENT] = exponent;
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (int64_t i = 0; i < passage->n; i++) {
        narrow[i] = (float)((d ? d[i] * b[i] : b[i]) * by.first * by.second);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_leave(const tulle__place *place, const tulle__amg_passage *passage) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 2 * passage->n);
    const power by = power_of((int)passage->unit[TULLE__AMG_EXPONENT]);
    const float *narrow = passage->narrow;
    double *wide = passage->wide;
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (int64_t i = 0; i < passage->n; i++) wide[i] = narrow[i] * by.first * by.second;
    return TULLE_OK;
}
