/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but products with blocks of one size. The tiles of lines of all tasks are one list, of
 * which each block of threads takes a stretch, whichever tasks it is of: about equal work, and no
 * queue. Its warps take them in turns, so that neighbours, which share rows of X, run side by side.
 */
#include "batch/gpu/items.cuh"
#include "batch/gpu/lines.cuh"
#include "batch/gpu/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int warps_of_block = loop_threads / warp_lanes;

template <class M, class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, (tile_resident<M, V>)) void run_products(tulle__batch_job job,
                                                                               int begin, int end,
                                                                               int steps) {
    const int64_t share = int64_t{steps} * warps_of_block, warp = thread() / warp_lanes;
    const int64_t all = load(job.first_tile + end);
    int64_t tile = load(job.first_tile + begin) + block() * share;
    const int64_t stop = tile + share < all ? tile + share : all;
    int number = task_of(job.first_tile, begin, end, tile);
    GPU_KEEP_LOOP
    while (tile < stop) {
        const tulle__task &t = job.task[number];
        const int64_t first = load(job.first_tile + number);
        const int64_t behind = load(job.first_tile + number + 1);
        const int64_t until = stop < behind ? stop : behind;
        const int64_t last = (until - first) * M::lines;
        multiply_lines<M, false, V>(t, last < t.units ? last : t.units,
                                    {tile - first + warp, warps_of_block, steps});
        tile = until;
        number++;
    }
}

/* Tiles that a warp takes: its share, or less where that is long, so that who is late has less to
 * end with. */
static int steps_of(int64_t tiles, int64_t blocks) {
    constexpr int64_t long_share = 32, most_rounds = 8;
    const int64_t warps = blocks * warps_of_block;
    int64_t rounds = tiles / (warps * long_share);
    if (rounds < 1) rounds = 1;
    if (rounds > most_rounds) rounds = most_rounds;
    const int64_t steps = tulle__ceil_div(tiles, warps * rounds);
    return static_cast<int>(steps < 1 ? 1 : steps);
}

template <class M, class V>
static tulle_status launch_products(const tulle__place *place, const tulle__batch_job *job,
                                    tulle__stretch s) {
    const int64_t tiles = job->host_tile[s.end] - job->host_tile[s.begin];
    int64_t blocks;
    if (tiles == 0) return TULLE_OK;
    GPU_TRY(resident_blocks(place, run_products<M, V>, loop_threads, 0, &blocks));
    const int steps = steps_of(tiles, blocks);
    const int64_t share = int64_t{steps} * warps_of_block;
    return launch(place, run_products<M, V>, {tulle__ceil_div(tiles, share), loop_threads}, *job,
                  s.begin, s.end, steps);
}

template <class V>
static tulle_status start_products(const tulle__place *place, const tulle__batch_job *job,
                                   tulle__stretch s) {
#define TULLE__ROW(number, size, tall, wide)                                                       \
    launch_products<line_mapping<size, tall, wide, false>, V>,                                     \
        launch_products<line_mapping<size, tall, wide, true>, V>,
    static tulle_status (*const of[])(const tulle__place *, const tulle__batch_job *,
                                      tulle__stretch) = {TULLE__LINES_VARIANTS(TULLE__ROW)};
#undef TULLE__ROW
    return of[job->host_task[s.begin].variant](place, job, s);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_products)(const tulle__place *place, const tulle__batch_job *job,
                                        tulle__stretch s) {
    return job->host_task[s.begin].type == TULLE_F32 ? gpu::start_products<float>(place, job, s)
                                                     : gpu::start_products<double>(place, job, s);
}
