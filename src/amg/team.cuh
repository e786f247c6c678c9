/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of threads that make a row of interpolation each: a thread, some lanes of a warp, a warp,
 * or a thread block. */
#ifndef TULLE_AMG_TEAM_CUH
#define TULLE_AMG_TEAM_CUH

#include "amg/rules.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int team_threads = 128;

/* size_: number of threads of a team: 1, 8, 32 or team_threads. */
template <int size_>
struct team {
    static constexpr int size = size_, teams = team_threads / size_;
    static constexpr int lanes = size < warp_lanes ? size : warp_lanes;
    static constexpr int warps = size / lanes;

    /* Number of the thread in its team, and of the team in its block. */
    GPU_FUNCTION static int own() { return static_cast<int>(thread()) % size; }
    GPU_FUNCTION static int number() { return static_cast<int>(thread()) / size; }
    /* The loop of a team over rows is for (i = first(); i < rows; i += stride()). */
    GPU_FUNCTION static int64_t first() { return static_cast<int64_t>(block()) * teams + number(); }
    GPU_FUNCTION static int64_t stride() { return static_cast<int64_t>(grid_size()) * teams; }
    /* Lanes of the warp that belong to the team. */
    GPU_FUNCTION static unsigned mask() {
        return (full_warp >> (warp_lanes - lanes)) << (lane() / lanes * lanes);
    }
    /* Barrier of the team. */
    GPU_FUNCTION static void sync() {
        if constexpr (size <= warp_lanes) {
            sync_warp(mask());
        } else {
            gpu::sync();
        }
    }
    /* Sum over a team within a warp, to all its threads. */
    template <class T>
    GPU_FUNCTION static T sum(T v) {
        static_assert(size <= warp_lanes, "a block sums up in shared memory");
        for (int step = lanes / 2; step > 0; step /= 2) v += shuffle_xor(mask(), v, step);
        return v;
    }
    /* Greatest number of a team within a warp, to all its threads. */
    GPU_FUNCTION static double greatest(double v) {
        static_assert(size <= warp_lanes, "a block compares in shared memory");
        for (int step = lanes / 2; step > 0; step /= 2) {
            const double other = shuffle_xor(mask(), v, step);
            v = other > v ? other : v;
        }
        return v;
    }
    /* Number of lanes of a team within a warp for which p is true; *before: of those before this
     * one. */
    GPU_FUNCTION static int count(bool p, int *before) {
        static_assert(size <= warp_lanes, "a block counts in shared memory");
        const unsigned those = ballot(mask(), p) & mask();
        *before = count_bits(those & ((1u << lane()) - 1u));
        return count_bits(those);
    }
};

using thread_team = team<1>;
using lanes_team = team<8>;
using warp_team = team<warp_lanes>;
using block_team = team<team_threads>;

/* Calls call(T()) with the team T that suits rows of the mean length: a thread walks along some ten
 * entries faster than lanes agree on them, and a warp has no idle lanes from some hundred on. All
 * wait for the team that walks along the longest row, which may have 64 times as many. */
template <class Call>
tulle_status with_team(const tulle__amg_split *s, Call call) {
    constexpr int64_t of_thread = 12, of_lanes = 100, alone = 64;
    const int64_t nnz = s->csr.nnz, rows = s->csr.rows;
    if (nnz <= of_thread * rows && s->longest <= alone * of_thread) return call(thread_team());
    if (nnz <= of_lanes * rows && s->longest <= alone * of_lanes) return call(lanes_team());
    return call(warp_team());
}

/* Grid of teams for so many rows: as many blocks as there are rows for, so that their waits for
 * memory overlap; or at most `most_blocks`, where most rows need a look only, which takes less time
 * than the start of a block. */
template <class T>
grid team_grid(int64_t rows, int64_t most_blocks = int64_t{1} << 30) {
    const int64_t blocks = rows / T::teams + (rows % T::teams != 0);
    return {blocks < most_blocks ? blocks : most_blocks, team_threads};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
