/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of many threads over many elements, or over the entries of rows. */
#ifndef TULLE_GPU_LOOP_CUH
#define TULLE_GPU_LOOP_CUH

#include "core/search.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int warp_lanes = 32;
constexpr int loop_threads = 256;

/* Most blocks of a loop: one thread for each element, up to a grid that fills the largest GPU a few
 * times over; with loop_blocks_once about once, for kernels whose blocks have work at their end. */
constexpr int64_t loop_blocks = 4096, loop_blocks_once = 1024;
inline grid loop_grid(int64_t count, int64_t most_blocks = loop_blocks) {
    int64_t blocks = count / loop_threads + (count % loop_threads != 0);
    return {blocks < most_blocks ? blocks : most_blocks, loop_threads};
}

/* The loop of a thread is for (int64_t i = loop_first(); i < count; i += loop_stride()). */
GPU_FUNCTION int64_t loop_first() {
    return static_cast<int64_t>(block()) * block_size() + thread();
}
GPU_FUNCTION int64_t loop_stride() {
    return static_cast<int64_t>(grid_size()) * block_size();
}

/* The elements of such a loop as pairs (outer, inner), element = outer * inner_count + inner, with
 * one division at the start and none per step. */
class loop_pairs {
  public:
    GPU_FUNCTION explicit loop_pairs(int64_t inner_count)
        : outer(loop_first() / inner_count),
          inner(loop_first() % inner_count),
          count_(inner_count),
          outer_step_(loop_stride() / inner_count),
          inner_step_(loop_stride() % inner_count) {}
    GPU_FUNCTION void next() {
        outer += outer_step_;
        inner += inner_step_;
        if (inner >= count_) {
            inner -= count_;
            outer++;
        }
    }
    int64_t outer, inner;

  private:
    int64_t count_, outer_step_, inner_step_;
};

/* A warp's own stretch of consecutive elements. The lanes take neighbours, so that loads coalesce;
 * the next element of a lane is 32 further, so that its row is near the last one. */
struct warp_stretch {
    int64_t begin, end;
    GPU_FUNCTION explicit warp_stretch(int64_t count) {
        int64_t warps = loop_stride() / warp_lanes;
        int64_t rounds = count / (warps * warp_lanes) + (count % (warps * warp_lanes) != 0);
        begin = loop_first() / warp_lanes * rounds * warp_lanes;
        end = begin + rounds * warp_lanes;
        if (begin > count) begin = count;
        if (end > count) end = count;
    }
};

/* Returns the row of entry k: the last row with offsets[row] <= k, searched from row `from` on,
 * which must not be behind it. Steps double and then halve: cheap when the row is near, logarithmic
 * when it is not. */
template <class Offset>
GPU_FUNCTION int64_t row_of_entry(const Offset *offsets, int64_t rows, int64_t k, int64_t from) {
    int64_t low = from, step = 1;
    while (low + step < rows && load(offsets + low + step) <= k) {
        low += step;
        step *= 2;
    }
    int64_t high = low + step < rows ? low + step : rows;
    low++;
    TULLE__LOWER_BOUND(low, high, row, load(offsets + row) <= k);
    return low - 1;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
