/* SPDX-License-Identifier: Apache-2.0 */
/* GMRES' small problem on the GPU. */
#include "solver/column.cuh"
#include "solver/functions.h"

namespace TULLE_GPU_NAMESPACE {

constexpr int most_columns = TULLE__MOST_RESTART;

GPU_KERNEL void add_column(tulle__column column) {
    GPU_SHARED(double, h, most_columns);
    GPU_SHARED(double, cosines, most_columns);
    GPU_SHARED(double, sines, most_columns);
    allow_next();
    await_previous();
    add_column_by_block(column, {h, cosines, sines});
}

/* Solves R y = g from the last row up: thread i holds the rest of g[i], and loads the next
 * number of its row of R ahead. */
GPU_KERNEL void combine_columns(tulle__column column) {
    GPU_SHARED(double, y, most_columns);
    allow_next();
    await_previous();
    const int i = static_cast<int>(thread()), columns = static_cast<int>(column.from->columns);
    const double *row = column.R + i;
    double left = i < columns ? column.g[i] : 0;
    double next = i < columns ? row[int64_t{columns - 1} * column.most] : 0;
    for (int k = columns - 1; k >= 0; k--) {
        const double here = next;
        if (i < k) next = row[int64_t{k - 1} * column.most];
        if (i == k) y[k] = tulle__rounded_entry(&column, left / here);
        sync();
        if (i < k) left -= here * y[k];
    }
    if (i < column.most) tulle__put_entry(&column, column.y, i, i < columns ? double(y[i]) : 0);
}

/* Number of threads of a block for this many columns. */
inline int threads_for(int columns) {
    return (columns + warp_lanes - 1) / warp_lanes * warp_lanes;
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(column)(const tulle__place *place, const tulle__column *column) {
    const gpu::grid one{1, gpu::threads_for(column->j + 1)};
    return gpu::launch_early(place, gpu::add_column, one, *column);
}

tulle_status GPU_SYMBOL(combine)(const tulle__place *place, const tulle__column *column) {
    const gpu::grid one{1, gpu::threads_for(column->most)};
    return gpu::launch_early(place, gpu::combine_columns, one, *column);
}
