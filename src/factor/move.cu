/* SPDX-License-Identifier: Apache-2.0 */
#include "factor/functions.h"
#include "gpu/gpu.cuh"
#include "gpu/loop.cuh"

template <class V, class S>
GPU_KERNEL void move_rows(tulle__move m, V *natural, V *ordered, const S *scale) {
    for (gpu::loop_pairs at(m.cols); at.outer < m.rows; at.next()) {
        int64_t row = m.order ? gpu::load(m.order + at.outer) : at.outer;
        V *here = natural + row * m.natural.row + at.inner * m.natural.col;
        V *there = ordered + at.outer * m.ordered.row + at.inner * m.ordered.col;
        double by = scale ? static_cast<double>(gpu::load(scale + at.outer)) : 1;
        if (m.back) {
            *here = static_cast<V>(by * static_cast<double>(*there));
        } else {
            *there = static_cast<V>(by * static_cast<double>(*here));
        }
    }
}

template <class V, class S>
static tulle_status move(const tulle__place *place, const tulle__move *m) {
    return gpu::launch(place, move_rows<V, S>, gpu::loop_grid(m->rows * m->cols), *m,
                       static_cast<V *>(m->natural.data), static_cast<V *>(m->ordered.data),
                       static_cast<const S *>(m->scale));
}

tulle_status GPU_SYMBOL(move_rows)(const tulle__place *place, const tulle__move *m) {
    if (m->rows == 0 || m->cols == 0) return TULLE_OK;
    if (m->type == TULLE_F32) {
        return m->scale_type == TULLE_F32 ? move<float, float>(place, m)
                                          : move<float, double>(place, m);
    }
    return m->scale_type == TULLE_F32 ? move<double, float>(place, m)
                                      : move<double, double>(place, m);
}
