/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but values of factors whose steps are listed, with blocks of one size: a block of threads
 * a task, level after level, and a team of lanes a block row. */
#include "batch/gpu/listed_rows.cuh"
#include "batch/gpu/stretches.cuh"
#include "batch/gpu/telling.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Warps of a task, at most, and tasks of a multiprocessor: where rows have 27 blocks, one for each
 * neighbour of a cell in space, they fill shared memory. */
template <class V, int b>
struct listed_launch {
    static constexpr int rows_of_warp = warp_lanes / listed_blocks<V, b>::lanes;
    static constexpr int warps = rows_of_warp > 1 ? 8 : 12, tasks = rows_of_warp > 1 ? 2 : 1;
};

/* Rows of a task that a team takes, by place. */
struct rows_of_team {
    const int64_t *begins; /* first position of each level */
    int64_t levels;
    int team, teams;
    /* The first one from level l on, or -1. */
    GPU_FUNCTION int64_t first(int64_t l) const {
        for (; l < levels; l++) {
            const int64_t place = load(begins + l) + team;
            if (place < load(begins + l + 1)) return place;
        }
        return -1;
    }
    /* The one behind `place`, which is of level l. */
    GPU_FUNCTION int64_t next(int64_t place, int64_t l) const {
        return place + teams < load(begins + l + 1) ? place + teams : first(l + 1);
    }
};

template <class V, int b>
GPU_KERNEL GPU_RESIDENT((listed_launch<V, b>::warps * warp_lanes),
                        (listed_launch<V, b>::tasks)) void run_listed(tulle__batch_job job,
                                                                      int begin, int row_packs) {
    using blocks = listed_blocks<V, b>;
    GPU_DYNAMIC_SHARED(typename blocks::few, memory);
    const tulle__task &t = job.task[begin + static_cast<int>(block())];
    const tulle__schedule &s = t.factor.schedule;
    const int team = static_cast<int>(thread()) / blocks::lanes, all = row_packs + blocks::packs;
    listed_row<V, b> row(t.factor, part_of(memory, int64_t{team} * all, row_packs),
                         part_of(memory, int64_t{team} * all + row_packs, blocks::packs));
    const rows_of_team rows = {s.level_begins, s.levels, team,
                               static_cast<int>(block_size()) / blocks::lanes};
    int64_t place = rows.first(0);
    if (place >= 0) row.begin(place);
    forget_pivots(t.factor);
    for (int64_t l = 0; l < s.levels; l++) {
        const int64_t end = load(s.level_begins + l + 1);
        bool works = place >= 0 && place < end;
        while (any(full_warp, works)) {
            row.factorise(works);
            if (works) {
                place = rows.next(place, l);
                if (place >= 0) row.begin(place);
            }
            works = place >= 0 && place < end;
        }
        sync();
    }
    if (thread() == 0) tell(job, t, t.factor.whole.seen, t.factor.order);
}

/* No more warps than the widest level has rows for, nor than shared memory holds rows for. */
template <class V, int b>
static tulle_status launch_listed(const tulle__place *place, const tulle__batch_job *job,
                                  tulle__stretch s) {
    using launching = listed_launch<V, b>;
    using blocks = listed_blocks<V, b>;
    constexpr int64_t most_shared = (226 << 10) / launching::tasks - (1 << 10);
    int64_t longest = 1, widest = 1;
    for (int p = s.begin; p < s.end; p++) {
        const tulle__task_factor &f = job->host_task[p].factor;
        if (f.whole.longest > longest) longest = f.whole.longest;
        if (f.schedule.widest > widest) widest = f.schedule.widest;
    }
    const int row_packs = blocks::row_packs(static_cast<int>(longest));
    const int64_t bytes = int64_t{row_packs + blocks::packs} * launching::rows_of_warp *
                          static_cast<int64_t>(sizeof(typename blocks::few));
    int64_t warps = tulle__ceil_div(widest, launching::rows_of_warp);
    if (warps > launching::warps) warps = launching::warps;
    if (warps > most_shared / bytes) warps = most_shared / bytes;
    return launch(
        place, run_listed<V, b>,
        {s.end - s.begin, static_cast<int>(warps) * warp_lanes, static_cast<size_t>(warps * bytes)},
        *job, s.begin, row_packs);
}

template <class V>
static tulle_status start_listed(const tulle__place *place, const tulle__batch_job *job,
                                 tulle__stretch s) {
#define TULLE__ROW(number, size) launch_listed<V, size>,
    static tulle_status (*const of[])(const tulle__place *, const tulle__batch_job *,
                                      tulle__stretch) = {TULLE__LISTED_VARIANTS(TULLE__ROW)};
#undef TULLE__ROW
    return of[job->host_task[s.begin].variant](place, job, s);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_listed)(const tulle__place *place, const tulle__batch_job *job,
                                      tulle__stretch s) {
    return job->host_task[s.begin].type == TULLE_F32 ? gpu::start_listed<float>(place, job, s)
                                                     : gpu::start_listed<double>(place, job, s);
}
