/* SPDX-License-Identifier: Apache-2.0 */
/* Solves a small system of scalars with one block per column of X. The block keeps the column in
 * its shared memory, where a row polls the numbers for which it waits; that is a tenth of the way
 * of those of trisolve_poll. One team of `coop` lanes per row.
 *
 * Waiting. Warps have places in turn, in the order of the schedule. A row waits only for lower
 * places; all warps of a block run, and a warp comes to a place when it has done its lower ones. So
 * the lowest place that is not solved yet can always be solved. Each of the next three turns of a
 * warp is one load further than the turn after it, so that a turn waits for memory only in rows of
 * many entries.
 *
 * Memory: shared memory for as many numbers as T has rows; no workspace. There is one barrier,
 * after that memory has been filled. Sums are in the order of trisolve_poll. Source: tulle; rows
 * that poll numbers as in Liu et al. 2016. */
#include "gpu/loop.cuh"
#include "trisolve/gpu/number_rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int most_warps = 16;

enum { COOP, WARPS };

template <class S, class V, class I>
GPU_KERNEL GPU_RESIDENT(most_warps *warp_lanes, 1) void solve_near(triangular<S, V, I> a,
                                                                   int coop) {
    GPU_DYNAMIC_SHARED(V, known);
    V awaited;
    make_awaited(&awaited);
    for (int64_t p = thread(); p < a.rows; p += block_size()) known[p] = awaited;
    const int me = static_cast<int>(lane()), group = me / coop, groups = warp_lanes / coop;
    const unsigned mates = coop == warp_lanes ? full_warp : (1u << coop) - 1;
    const number_team team = {coop, 1, me % coop, mates << (group * coop)};
    const number_rows<S, V, I, shared<V>> rows(a, team, block(), known, 1);
    const int64_t step = static_cast<int64_t>(block_size()) / warp_lanes * groups;
    int64_t turn = static_cast<int64_t>(thread()) / warp_lanes * groups, place = turn + group;
    number_row<V, I, shared<V>> now = rows.get(rows.ask(rows.find(place)));
    number_slots<V, I> next = rows.ask(rows.find(place + step));
    number_place<I> third = rows.find(place + 2 * step);
    sync();
    for (; turn < a.rows; turn += step, place += step) {
        const number_row<V, I, shared<V>> after = rows.get(next);
        next = rows.ask(third);
        third = rows.find(place + 3 * step);
        rows.solve(&now);
        now = after;
    }
}

const int coops[] = {1, 2, 4, 8, 16, 32}, warps[] = {4, 8, most_warps};
const tulle__param params[] = {
    {"coop", "lanes that share a row", 6, coops},
    {"warps", "warps of the block", 3, warps},
};

size_t bytes_of(const tulle__trisolve_task *task) {
    const bool wide = tulle__computed_type(task->values) == TULLE_F64;
    return static_cast<size_t>(task->schedule->rows) * (wide ? sizeof(double) : sizeof(float));
}

bool eligible(const tulle__trisolve_task *task) {
    return task->block == 1 &&
           bytes_of(task) <= static_cast<size_t>(task->device->shared_per_block);
}

/* Returns the number of lanes for the rows of a mean level, with as many lanes per row as
 * trisolve_poll, so that sums have the same bits. */
int64_t lanes_of_level(const tulle__schedule *s) {
    const int64_t lanes = s->rows * tulle__polling_coop(s, 1, TULLE__ROW_FLIGHT);
    return tulle__ceil_div(lanes, s->levels > 0 ? s->levels : 1);
}

/* Chooses warps for a few levels: more would share the multiprocessor with those whose turn it
 * is. */
void defaults(const tulle__trisolve_task *task, int *values) {
    constexpr int64_t levels_ahead = 4;
    const int64_t lanes = levels_ahead * lanes_of_level(task->schedule);
    values[COOP] = tulle__polling_coop(task->schedule, 1, TULLE__ROW_FLIGHT);
    values[WARPS] = 4;
    while (values[WARPS] < most_warps && int64_t{values[WARPS]} * warp_lanes < lanes) {
        values[WARPS] *= 2;
    }
}

/* Returns true for levels so narrow that one multiprocessor is as fast as all
 * (docs/lab-notes.md). */
bool suits(const tulle__trisolve_task *task) {
    constexpr int64_t most_rows = 32, most_lanes = 128;
    const tulle__schedule *s = task->schedule;
    return s->rows <= most_rows * s->levels && lanes_of_level(s) <= most_lanes &&
           task->vectors <= task->device->multiprocessors;
}

template <class S, class V, class I>
tulle_status run(const tulle__trisolve_task *task) {
    const grid g = {task->vectors > 1 ? task->vectors : 1, task->params[WARPS] * warp_lanes,
                    bytes_of(task)};
    return launch(task->place, solve_near<S, V, I>, g, make_triangular<S, V, I>(task),
                  task->params[COOP]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__trisolve_kernel GPU_SYMBOL(trisolve_near);
const tulle__trisolve_kernel GPU_SYMBOL(trisolve_near) = {
    .head = {.name = "trisolve_near",
             .summary = "small systems of scalars: a block a column, X in its shared memory",
             .source = "tulle; rows that look at numbers as in Liu et al. 2016",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__DEFAULT,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .suits = gpu::suits,
    .run = TRISOLVE_RUN_ALL(gpu::run),
};
