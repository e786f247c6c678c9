/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps of the smoother on the CPU. A thread goes through its rows in runs so short that the
 * numbers of a run stay in the first cache between the product and the steps behind it. */
#include <omp.h>

#include "amg/functions.h"
#include "core/threads/sizes.h"
#include "spmv/cpu/csr_rows.h"
#include "spmv/cpu/simd/simd.h"
#include "spmv/cpu/threads.h"

/* Number of rows of a run. */
enum { RUN = 512 };

/* The steps of rows begin to end - 1; the product is in r_to. */
#define STEPS(VALUE, name)                                                                         \
    static void name(const tulle__amg_sweep *t, int64_t begin, int64_t end) {                      \
        const VALUE scale = (VALUE)t->scale, keeps = (VALUE)(t->keeps * t->scale);                 \
        const VALUE takes = (VALUE)t->takes;                                                       \
        const VALUE *v = t->product.x, *r = t->r, *d = t->d, *x = t->x;                            \
        VALUE *r_to = t->r_to, *z = t->z, *x_to = t->x_to;                                         \
        const bool adds_r = t->product.values && r != r_to;                                        \
        for (int64_t i = begin; adds_r && i < end; i++) r_to[i] += r[i];                           \
        if (t->steps && !z) { /* the last step goes straight into x */                             \
            for (int64_t i = begin; i < end; i++) {                                                \
                const VALUE step = takes * (d ? d[i] * r_to[i] : r_to[i]);                         \
                const VALUE both = keeps != 0 ? keeps * v[i] + step : step;                        \
                x_to[i] = ((x ? x[i] : 0) + (t->adds_v ? scale * v[i] : 0)) + both;                \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = begin; t->steps && i < end; i++) {                                        \
            const VALUE step = takes * (d ? d[i] * r_to[i] : r_to[i]);                             \
            z[i] = keeps != 0 ? keeps * v[i] + step : step;                                        \
        }                                                                                          \
        for (int64_t i = begin; x_to && x != x_to && i < end; i++) x_to[i] = x ? x[i] : 0;         \
        for (int64_t i = begin; x_to && t->adds_v && i < end; i++) x_to[i] += scale * v[i];        \
        for (int64_t i = begin; x_to && t->steps && i < end; i++) x_to[i] += z[i];                 \
    }
STEPS(float, steps_f32)
STEPS(double, steps_f64)

static void sweep_rows(const tulle__amg_sweep *t, int64_t begin, int64_t end) {
    const tulle__spmv_task *product = &t->product;
    for (int64_t i = begin; i < end; i += RUN) {
        const int64_t to = end - i < RUN ? end : i + RUN;
        if (product->values) tulle__csr_rows(product, i, to);
        (product->shape.type == TULLE_F32 ? steps_f32 : steps_f64)(t, i, to);
    }
}

tulle_status tulle__cpu_amg_sweep(const tulle__place *place, const tulle__amg_sweep *sweep) {
    tulle__amg_sweep own = *sweep;
    tulle__spmv_task *product = &own.product;
    const int64_t n = product->shape.rows;
    int params[TULLE__MAX_PARAMS] = {0};
    int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 5 * n);
    if (product->values) {
        tulle__simd_defaults(&product->shape, params);
        product->params = params;
        product->y = own.r_to;
        product->alpha = tulle_num(-own.scale);
        product->beta = tulle_num(own.r == own.r_to ? 1 : 0);
        threads = tulle__spmv_threads(product);
    }
#pragma omp parallel num_threads(threads)
    {
        const int p = omp_get_thread_num(), parts = omp_get_num_threads();
        const int64_t begin = product->values ? tulle__csr_share(product, p, parts) : n * p / parts;
        const int64_t end =
            product->values ? tulle__csr_share(product, p + 1, parts) : n * (p + 1) / parts;
        sweep_rows(&own, begin, end);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_amg_sweep_blocks(const tulle__place *place, const tulle__amg_sweep *sweep) {
    (void)place;
    (void)sweep;
    return TULLE_UNSUPPORTED;
}
