/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of a sweep on a GPU, row by row. */
#ifndef TULLE_AMG_STEPS_CUH
#define TULLE_AMG_STEPS_CUH

#include "amg/jobs.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The steps of a row, and the numbers of vectors that they read. */
template <class V>
struct row_steps {
    V scale, keeps, takes;
    const V *v, *r, *d, *x;
    V *r_to, *z, *x_to;
    bool steps, adds_v;

    struct numbers {
        V v, r, d, x;
    };
    GPU_FUNCTION numbers fetch(int64_t i) const {
        return {v && (steps || adds_v) ? scale * v[i] : V(0), r ? r[i] : V(0), d ? d[i] : V(1),
                x ? x[i] : V(0)};
    }
    GPU_FUNCTION void take(int64_t i, V sum, const numbers &of) const {
        const V left = of.r - scale * sum,
                step = steps ? keeps * of.v + takes * (of.d * left) : V(0);
        if (r_to) r_to[i] = left;
        if (z) z[i] = step;
        if (x_to) x_to[i] = (adds_v ? of.x + of.v : of.x) + step;
    }
};

template <class V>
row_steps<V> steps_of(const tulle__amg_sweep *t) {
    return {static_cast<V>(t->scale),
            static_cast<V>(t->keeps),
            static_cast<V>(t->takes),
            static_cast<const V *>(t->product.x),
            static_cast<const V *>(t->r),
            static_cast<const V *>(t->d),
            static_cast<const V *>(t->x),
            t->product.values ? static_cast<V *>(t->r_to) : nullptr,
            static_cast<V *>(t->z),
            static_cast<V *>(t->x_to),
            t->steps,
            t->adds_v};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
