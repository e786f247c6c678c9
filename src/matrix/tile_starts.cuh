/* SPDX-License-Identifier: Apache-2.0 */
/* Places of the entries of each tile in each bucket: the sum of the counts before them, buckets
 * first. Counts stand tile by tile, so that a tile's are written and read in full lines, and not
 * in the order of the sum, where each is in a sector of its own. So runs of a few tiles are
 * summed, the sums of all runs scanned, and each run goes on from its scanned sum. */
#ifndef TULLE_MATRIX_TILE_STARTS_CUH
#define TULLE_MATRIX_TILE_STARTS_CUH

#include "matrix/bucket_cut.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of tiles of a run: a thread has their counts on their way at once. */
constexpr int run_tiles = 8;

template <class O, class C>
int64_t runs_of(const bucket_cut<O, C> &a) {
    return (a.tiles + run_tiles - 1) / run_tiles;
}

/* Counts of a bucket in the tiles of a run. */
template <class O, class C>
GPU_FUNCTION void load_run(const bucket_cut<O, C> &a, const O *counts, int64_t run, int64_t bucket,
                           O *some) {
    GPU_UNROLL
    for (int t = 0; t < run_tiles; t++) {
        const int64_t tile = run * run_tiles + t;
        some[t] = tile < a.tiles ? counts[tile * a.buckets + bucket] : 0;
    }
}

template <class O, class C>
GPU_KERNEL void sum_runs(bucket_cut<O, C> a, int64_t runs, const O *counts, O *sums) {
    for (loop_pairs i(a.buckets); i.outer < runs; i.next()) {
        O some[run_tiles], sum = 0;
        load_run(a, counts, i.outer, i.inner, some);
        GPU_UNROLL
        for (int t = 0; t < run_tiles; t++) sum += some[t];
        sums[i.inner * runs + i.outer] = sum;
    }
}

/* Makes places of counts; sums: scanned. */
template <class O, class C>
GPU_KERNEL void start_runs(bucket_cut<O, C> a, int64_t runs, const O *sums, O *starts) {
    for (loop_pairs i(a.buckets); i.outer < runs; i.next()) {
        O some[run_tiles], before = load(sums + i.inner * runs + i.outer);
        load_run(a, starts, i.outer, i.inner, some);
        GPU_UNROLL
        for (int t = 0; t < run_tiles; t++) {
            const int64_t tile = i.outer * run_tiles + t;
            if (tile < a.tiles) starts[tile * a.buckets + i.inner] = before;
            before += some[t];
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
