/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a smoother, and its diagonal, on the CPU. */
#include "amg/functions.h"
#include "core/threads/sizes.h"

#define STEP(VALUE, name)                                                                          \
    static void name(int threads, const tulle__amg_step *t) {                                      \
        const VALUE keeps = (VALUE)t->keeps, takes = (VALUE)t->takes;                              \
        const VALUE *d = t->d, *r = t->r;                                                          \
        VALUE *z = t->z, *x = t->x;                                                                \
        _Pragma("omp parallel for simd num_threads(threads) schedule(static)") for (int64_t i = 0; \
                                                                                    i < t->n;      \
                                                                                    i++) {         \
            const VALUE step = takes * (d[i] * r[i]) + (keeps != 0 ? keeps * z[i] : 0);            \
            z[i] = step;                                                                           \
            x[i] = t->first ? step : x[i] + step;                                                  \
        }                                                                                          \
    }                                                                                              \
    static void invert_##name(int threads, int64_t n, VALUE *d) {                                  \
        _Pragma("omp parallel for simd num_threads(threads) schedule(static)") for (int64_t i = 0; \
                                                                                    i < n; i++) {  \
            d[i] = d[i] == 0 ? 0 : 1 / d[i];                                                       \
        }                                                                                          \
    }
STEP(float, step_f32)
STEP(double, step_f64)

tulle_status tulle__cpu_amg_step(const tulle__place *place, const tulle__amg_step *step) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 5 * step->n);
    (step->type == TULLE_F32 ? step_f32 : step_f64)(threads, step);
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_invert(const tulle__place *place, tulle_type type, int64_t n, void *d) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 2 * n);
    if (type == TULLE_F32) {
        invert_step_f32(threads, n, d);
    } else {
        invert_step_f64(threads, n, d);
    }
    return TULLE_OK;
}
