/* SPDX-License-Identifier: Apache-2.0 */
/* GMRES' small problem on the GPU: one thread. */
#include "gpu/gpu.cuh"
#include "solve/functions.h"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void add_column(tulle__column column) {
    allow_next();
    await_previous();
    const tulle__solve_state s = tulle__rule_column(&column);
    if (s.iterations != column.from->iterations) {
        column.history[s.iterations % TULLE__HISTORY] = s.norm;
    }
    *column.to = s;
}

GPU_KERNEL void combine_columns(tulle__column column) {
    allow_next();
    await_previous();
    tulle__rule_combine(&column);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(column)(const tulle__place *place, const tulle__column *column) {
    return gpu::launch_early(place, gpu::add_column, {1, 1}, *column);
}

tulle_status GPU_SYMBOL(combine)(const tulle__place *place, const tulle__column *column) {
    return gpu::launch_early(place, gpu::combine_columns, {1, 1}, *column);
}
