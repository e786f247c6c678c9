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

inline row_settings settings_for(const tulle__spmv_shape *shape) {
    constexpr int block = 512, resident = 2;
    row_settings s = {lanes_for_columns(shape), 1, 0, block};
    s.steps = steps_for(shape, block / s.lanes, resident);
    s.apart = s.steps > 1 && has_planes(shape, block / s.lanes);
    return s;
}

/* Launches: A is read once in each. */
inline int64_t launches_of(const tulle__spmv_shape *shape) {
    return tulle__ceil_div(shape->vectors, most_columns);
}

/* The slower of memory and L1, for uneven rows longer, as in csr_vector; or the longest row, whose
 * groups wait for X one after the other. A model without a fit. */
inline double rows_cost(const tulle__spmv_shape *shape) {
    constexpr double us_a_group = 0.45;
    double launches = static_cast<double>(launches_of(shape));
    double memory = 1.15 * (static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                            (launches - 1) * static_cast<double>(matrix_bytes(shape)));
    double gather = gather_cost(shape);
    double all = (1 + 0.25 * unevenness(shape)) * (memory > gather ? memory : gather);
    double longest = launches * us_a_group * static_cast<double>(shape->stats->max_row) /
                     group_size * bytes_a_microsecond(shape);
    return launches * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
