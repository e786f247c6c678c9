/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of spmm_row.cuh for a matrix, and what they cost. */
#ifndef TULLE_SPMV_SPMM_ROW_MODEL_CUH
#define TULLE_SPMV_SPMM_ROW_MODEL_CUH

#include "spmv/spmm_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Words of 16 bytes, one for each lane up to eight lanes, then up to most_tiles. */
inline int lanes_for_columns(const tulle__spmv_shape *shape) {
    int64_t columns = shape->vectors < most_columns ? shape->vectors : most_columns;
    int64_t width = 16 / tulle_type_size(shape->type);
    while (columns % width != 0) width /= 2;
    int lanes = 1;
    while (lanes < 8 && lanes * width < columns) lanes *= 2;
    while (lanes * most_tiles * width < columns) lanes *= 2;
    return lanes;
}

/* Whether the matrix looks like that of a grid of many planes: even rows, and a band that is wider
 * than a step and much narrower than the matrix. */
inline bool has_planes(const tulle__spmv_shape *shape, int at_once) {
    constexpr int planes = 16;
    int64_t bandwidth = shape->stats->bandwidth;
    return unevenness(shape) < 0.5 && bandwidth >= 2 * at_once && bandwidth <= shape->rows / planes;
}

/* Long sweeps, as long as that leaves work for all multiprocessors four times over, with two blocks
 * on each. */
inline row_settings settings_for(const tulle__spmv_shape *shape) {
    constexpr int block = 512, longest_sweep = 8, waves = 4;
    row_settings s = {lanes_for_columns(shape), longest_sweep, 0, block};
    int at_once = block / s.lanes;
    int64_t wanted = static_cast<int64_t>(2 * waves) * shape->device->multiprocessors;
    while (s.steps > 1 && shape->rows / (at_once * s.steps) < wanted) s.steps /= 2;
    s.apart = s.steps > 1 && has_planes(shape, at_once);
    return s;
}

/* Bytes of A that launches after the first read again. */
inline int64_t rows_again(const tulle__spmv_shape *shape) {
    int64_t launches = tulle__ceil_div(shape->vectors, most_columns);
    if (!tulle__spmv_countable(shape)) return 0;
    return (launches - 1) *
           ((shape->rows + 1) * tulle_offset_size(shape->index) +
            shape->nnz * (tulle_index_size(shape->index) + tulle_type_size(shape->type)));
}

/* What the L1s give while a copy moves a byte: 128 bytes a cycle against 18.6, at 1.755 GHz. Each
 * entry takes a row of X and, for its own eight or twelve bytes, about two sectors. A model without
 * a fit. */
inline double gather_cost(const tulle__spmv_shape *shape) {
    constexpr double l1_to_copy = 6.9, busy = 0.75, sectors = 24;
    double entries = static_cast<double>(shape->nnz);
    return (vector_bytes(shape, entries) + sectors * entries) / (l1_to_copy * busy);
}

/* The slower of memory and L1, for uneven rows longer, as in csr_vector; or the longest row, whose
 * groups wait for X one after the other. */
inline double rows_cost(const tulle__spmv_shape *shape) {
    constexpr double us_a_group = 0.45;
    double memory =
        1.15 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true) + rows_again(shape));
    double gather = gather_cost(shape);
    double all = (1 + 0.25 * unevenness(shape)) * (memory > gather ? memory : gather);
    double launches = static_cast<double>(tulle__ceil_div(shape->vectors, most_columns));
    double longest = launches * us_a_group * static_cast<double>(shape->stats->max_row) /
                     group_size * bytes_a_microsecond(shape);
    return launches * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
