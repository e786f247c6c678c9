/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which blocks take the rows, so that lines that neighbouring rows read are still in
 * the L1. A block has `rows_at_once` rows at a time and takes `steps` steps: to the rows that
 * follow, or a stride further.
 *
 * The stride: entries of a matrix from a grid lie in clusters, one for each plane (line, in two
 * dimensions) of the grid that a row reaches, and rows a plane apart share two clusters of three.
 * So a block that steps from plane to plane reads a third of X anew. The distance of planes is
 * taken from one row: the mean distance of its entries beyond half the bandwidth. The blocked
 * sweeps of stencil codes (Rivera and Tseng, SC 2000: tiles in two dimensions, a sweep along the
 * third) are the source of the idea. For any matrix this is just an order of the rows. */
#ifndef TULLE_SPMV_GPU_SPMM_SWEEP_CUH
#define TULLE_SPMV_GPU_SPMM_SWEEP_CUH

#include "spmv/gpu/spmm_entries.cuh"

namespace TULLE_GPU_NAMESPACE {

struct sweep_plan {
    int64_t blocks;    /* number of blocks, enough for every stride */
    int64_t sample;    /* row that is looked at */
    int64_t bandwidth; /* bandwidth; 0: steps go to rows that follow each other */
    int steps;
};

inline sweep_plan plan_sweep(const tulle__spmv_shape *shape, int rows_at_once, int steps,
                             bool apart) {
    int64_t rows = shape->rows, bandwidth = shape->stats->bandwidth;
    int64_t step_rows = static_cast<int64_t>(rows_at_once) * steps;
    sweep_plan plan = {tulle__ceil_div(rows, step_rows), 0, 0, steps};
    if (!apart || bandwidth < int64_t{2} * rows_at_once) return plan;
    /* ceil(stride / rows_at_once) * ceil(rows / (steps * stride)), stride from bandwidth / 2 on */
    plan.blocks +=
        tulle__ceil_div(bandwidth, rows_at_once) + tulle__ceil_div(2 * rows, steps * bandwidth) + 2;
    plan.sample = static_cast<int64_t>(0.618 * static_cast<double>(rows));
    plan.bandwidth = bandwidth;
    return plan;
}

/* Returns a / b for numbers that are not negative, without the many instructions of 64 bits
 * where 32 do. */
GPU_FUNCTION int64_t quotient(int64_t a, int64_t b) {
    if ((a | b) >> 32 != 0) return a / b;
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
}

/* Returns the mean distance of the sample's entries beyond half the bandwidth, 0 if there are
 * none. All lanes of the warp take part. */
template <class V, class O, class C>
GPU_FUNCTION int64_t plane_distance(const sweep_plan &plan, const csr_product<V, O, C> &a) {
    constexpr O most = 8 * 32;
    O begin = load(a.offsets + plan.sample), end = load(a.offsets + plan.sample + 1);
    if (end - begin > most) end = begin + most;
    int64_t sum = 0;
    int count = 0;
    GPU_KEEP_LOOP
    for (O e = begin + static_cast<O>(lane()); e < end; e += 32) {
        int64_t distance = static_cast<int64_t>(load(a.cols_of + e)) - plan.sample;
        if (2 * distance <= plan.bandwidth) continue;
        sum += distance;
        count++;
    }
    GPU_UNROLL
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += shuffle_xor(full_warp, sum, lanes);
        count += shuffle_xor(full_warp, count, lanes);
    }
    return count > 0 ? quotient(sum + count / 2, count) : 0;
}

/* The rows that one group of lanes computes: `row` is the current one, and each step goes `stride`
 * rows further. */
struct row_sweep {
    int64_t row, stride;
    int64_t end; /* end of the rows that the block has in this step; the rows from there on belong
                    to other blocks or do not exist */
    bool works;  /* true when the row is before the end */

    template <class V, class O, class C>
    GPU_FUNCTION row_sweep(const sweep_plan &plan, const csr_product<V, O, C> &a, int rows_at_once,
                           int team) {
        int64_t distance = plan.bandwidth > 0 ? plane_distance(plan, a) : 0;
        stride = distance > rows_at_once ? distance : rows_at_once;
        int64_t parts = quotient(stride + rows_at_once - 1, rows_at_once);
        int64_t round = quotient(block(), parts), part = block() - round * parts;
        int64_t local = part * rows_at_once + team, first = round * plan.steps * stride;
        row = first + local;
        end = first + stride;
        works = local < stride;
    }
    GPU_FUNCTION void step() {
        row += stride;
        end += stride;
    }
    /* Returns the entries of the row; of a team without a row, none, where those of the last row
     * of the step end. */
    template <class V, class O, class C>
    GPU_FUNCTION row_entries<O> entries(const csr_product<V, O, C> &a) const {
        int64_t last = end < a.rows ? end : a.rows;
        if (row >= last) return {load(a.offsets + last), load(a.offsets + last)};
        return {load(a.offsets + row), load(a.offsets + row + 1)};
    }
};

/* True when the matrix looks like that of a grid of many planes: even rows, and a band that is
 * wider than a step and much narrower than the matrix. */
inline bool has_planes(const tulle__spmv_shape *shape, int rows_at_once) {
    constexpr int planes = 16;
    int64_t bandwidth = shape->stats->bandwidth;
    return unevenness(shape) < 0.5 && bandwidth >= int64_t{2} * rows_at_once &&
           bandwidth <= shape->rows / planes;
}

/* Number of steps of a sweep: as many as leave nearly every multiprocessor so many blocks once,
 * or, where rows are long and a step is much work, four times. From a sweep on an H200
 * (docs/lab-notes.md, "spmm: lanes, steps, and what was tried"). */
inline int steps_for(const tulle__spmv_shape *shape, int rows_at_once, int resident) {
    constexpr int most = 8, long_row = 32;
    double waves = shape->stats->mean_row < long_row ? 0.9 : 4;
    double wanted = waves * resident * shape->device->multiprocessors;
    int steps = most;
    auto blocks = [&] { return shape->rows / (static_cast<int64_t>(rows_at_once) * steps); };
    while (steps > 1 && static_cast<double>(blocks()) < wanted) steps /= 2;
    return steps;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
