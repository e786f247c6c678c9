/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar L U or L L^T whose steps are listed (factor/steps.h). Numbers are their own flags: a first
 * launch fills the factors' memory with bits that no number is stored as (awaited.cuh); in the
 * second launch a step polls its number until the number has arrived.
 *
 *   rows                                     one row per             the row's numbers
 *   all have few steps                       lane                    shared memory
 *   the same, levels are narrow (a chain)    lane                    shared memory, for the warp
 *   others                                   team of `coop` lanes    shared memory
 *   longer than a team has room for there    team                    scratch
 *
 * Waiting. Warps take places of the schedule by a ticket, in order, as many as they have teams of
 * lanes. A row waits only for lower places. Those were taken earlier, by a warp that runs or has
 * ended; or at the same time by the same warp, whose teams wait for each other only in votes. So
 * the lowest row that is not done can always go on, whatever blocks run.
 *
 * A team loads the next steps of its row ahead, and takes them in order as their numbers arrive: so
 * a number of the row is the same sum for every size of teams. The code between the arrival of a
 * number and the storing of the next one is as short as possible: levels are a chain, and the code
 * of a long loop has to be fetched too.
 *
 * Memory: the ticket and, if some row needs it, scratch as long as the pattern, in the workspace.
 * Barriers are those of a warp. Source: tulle; rows by level as in Anderson and Saad 1989. */
#include "factor/gpu/chain_steps.cuh"
#include "factor/gpu/lone_steps.cuh"
#include "factor/gpu/team_steps.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 128, block_warps = threads / warp_lanes;
constexpr int64_t most_shared = 40 << 10;
constexpr int few_steps = 4, most_steps = 8; /* most steps of rows that one lane works on alone */

enum { COOP, WARPS, CHAIN };

/* Marks all values as awaited, and resets the ticket. */
template <class T, class O, class W>
GPU_KERNEL void await_all(int64_t count, T *values, listed_steps<O, W> steps) {
    T awaited;
    make_awaited(&awaited);
    for (int64_t e = loop_first(); e < count; e += loop_stride()) values[e] = awaited;
    if (loop_first() == 0) *steps.ticket = 0;
}

/* Calls do_row(row) for the row of each team at the next places, until no row is left. */
template <class T, class O, class I, class Do>
GPU_FUNCTION void each_row(const factor_job<T, O, I> &job, uint64_t *ticket, const row_team &t,
                           int longest, Do do_row) {
    const int teams = warp_lanes >> t.bits;
    for (;;) {
        uint64_t taken = 0;
        if (lane() == 0) taken = atomic_add(ticket, static_cast<uint64_t>(teams));
        taken = shuffle(full_warp, taken, 0);
        if (taken >= static_cast<uint64_t>(job.rows)) return;
        do_row(listed_row<T, O, I>(
            job, static_cast<int64_t>(taken) + (static_cast<int>(lane()) >> t.bits), longest));
    }
}

/* Factorises rows with at most `slots` steps each, one lane per row. */
template <int slots, class T, class O, class I, class W>
GPU_KERNEL void factor_alone(factor_job<T, O, I> job, listed_steps<O, W> steps, int longest) {
    GPU_DYNAMIC_SHARED(T, rows);
    const row_team alone(1);
    const row_numbers<T, false> row(rows + thread(), threads, nullptr);
    each_row(job, steps.ticket, alone, longest, [&](const listed_row<T, O, I> &r) {
        const bool works = r.length > 0;
        lone_steps<slots, T, O, W> walk(steps, job.values, job.values + r.begin,
                                        works ? load(steps.begins + r.place) : 0,
                                        works ? load(steps.begins + r.place + 1) : 0);
        r.load_numbers(job, alone, row);
        const double most = r.most(job, alone, row);
        for (bool stored = !works;;) {
            walk.look();
            if (walk.take(row) && !stored) {
                r.store(job, alone, row, most);
                stored = true;
            }
            if (all(full_warp, stored)) break;
            spin_awake();
        }
    });
}

/* Factorises rows with at most `slots` steps each that mostly wait for rows of their own warp. */
template <int slots, class T, class O, class I, class W>
GPU_KERNEL void factor_chains(factor_job<T, O, I> job, listed_steps<O, W> steps, int longest) {
    GPU_DYNAMIC_SHARED(T, rows);
    const row_team alone(1);
    const row_numbers<T, false> row(rows + thread(), threads, nullptr);
    each_row(job, steps.ticket, alone, longest, [&](const listed_row<T, O, I> &r) {
        chain_steps<slots, T, O, W> walk(job, steps, r, rows, threads);
        r.load_numbers(job, alone, row);
        const double most = r.most(job, alone, row);
        walk.await_others();
        unsigned ready = ballot(full_warp, r.length == 0);
        while (ready != full_warp) {
            const bool works = (ready >> lane() & 1) == 0 && walk.can_begin(ready);
            if (works) {
                walk.take(row);
                row.put(r.diagonal, r.divisor(job, row, most));
            }
            sync_warp(full_warp);
            ready |= ballot(full_warp, works);
        }
        r.store_whole(job, row);
    });
}

/* Factorises rows, one team per row. room: numbers of a row in shared memory; longer rows are in
 * scratch, which is as long as the pattern. */
template <bool in_scratch, class T, class O, class I, class W>
GPU_KERNEL void factor_by_teams(factor_job<T, O, I> job, listed_steps<O, W> steps, int longest,
                                int lanes, int room, T *scratch) {
    GPU_DYNAMIC_SHARED(T, rows);
    const row_team t(lanes);
    const auto near = part_of(rows, (static_cast<int>(thread()) >> t.bits) * room, room);
    each_row(job, steps.ticket, t, longest, [&](const listed_row<T, O, I> &r) {
        const bool works = r.length > 0;
        const row_numbers<T, in_scratch> row(
            near, 1, in_scratch && r.length > room ? scratch + r.begin : nullptr);
        team_steps<T, O, W> walk(steps, job.values, t, works ? load(steps.begins + r.place) : 0,
                                 works ? load(steps.begins + r.place + 1) : 0);
        r.load_numbers(job, t, row);
        const double most = r.most(job, t, row);
        sync_warp(full_warp);
        T *own = job.values + r.begin;
        for (bool stored = !works;;) {
            walk.take(own, row, t);
            if (walk.done() && !stored) {
                r.store(job, t, row, most);
                stored = true;
            }
            if (all(full_warp, stored)) break;
            walk.look();
            spin_awake();
        }
        sync_warp(full_warp);
    });
}

int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* Returns the numbers of a row in shared memory: always all if dropped products count. */
int64_t room_of(const tulle__factor_task *task, int64_t coop) {
    const int64_t a_number = task->type == TULLE_F32 ? sizeof(float) : sizeof(double);
    if (task->modified > 0) return 2 * task->longest;
    const int64_t most = most_shared / a_number * coop / threads;
    return task->longest < most ? task->longest : most;
}

/* Returns true when every row is short enough for one lane. */
bool all_are_short(const tulle__factor_task *task) {
    return task->steps->longest <= most_steps && room_of(task, 1) >= task->longest;
}

size_t workspace(const tulle__factor_task *task) {
    const size_t ticket = part_bytes<uint64_t>(1);
    if (room_of(task, task->params[COOP]) >= task->longest) return ticket;
    return ticket + (task->type == TULLE_F32 ? part_bytes<float>(task->entries)
                                             : part_bytes<double>(task->entries));
}

/* Chooses the lanes of a team and the number of warps. A team loads the steps of a row of mean
 * length at the same time, and takes no more than a few turns for the longest row. Rows of narrow
 * levels, of which the next few are under way whatever the lanes, get more lanes: the fewer rows a
 * warp has, the sooner it sees a number arrive. There are as many warps as take the rows of the
 * next few levels; more would only poll and wait, most of all where each of their lanes does so for
 * a row of its own (p3d7: 2.8 ms with 8, 12.4 with 32). Where rows are short and a level is at most
 * half as wide as a warp, the rows of a warp mostly wait for each other: one lane has a row. */
void defaults(const tulle__factor_task *task, int *params) {
    constexpr int64_t on_their_way = 4, most_turns = 64, levels_ahead = 8, few_warps = 8;
    const tulle__steps *s = task->steps;
    const int64_t lanes = int64_t{task->device->multiprocessors} * warp_lanes;
    const int64_t wide = ceil_div(task->rows, task->schedule->levels), rows = levels_ahead * wide;
    const bool are_short = all_are_short(task), chain = are_short && 2 * wide <= warp_lanes;
    int64_t coop = 1;
    if (!are_short || (!chain && rows * warp_lanes <= few_warps * lanes)) {
        while (coop < warp_lanes &&
               (coop * on_their_way * task->rows < s->count || coop * most_turns < s->longest ||
                2 * coop * rows <= few_warps * lanes)) {
            coop *= 2;
        }
    }
    const int most_warps = coop == 1 ? 8 : 32;
    params[COOP] = static_cast<int>(coop);
    params[CHAIN] = chain;
    params[WARPS] = 4;
    while (params[WARPS] * lanes < rows * coop && params[WARPS] < most_warps) params[WARPS] *= 2;
}

bool eligible(const tulle__factor_task *task) {
    return task->steps != nullptr;
}

/* Returns the number of blocks that take rows, and their sizes. */
grid grid_of(const tulle__factor_task *t, size_t number_bytes) {
    const int64_t teams = threads / t->params[COOP], needed = ceil_div(t->rows, teams);
    const int64_t blocks =
        ceil_div(int64_t{t->device->multiprocessors} * t->params[WARPS], block_warps);
    const int64_t numbers = teams * room_of(t, t->params[COOP]);
    return {needed < blocks ? needed : blocks, threads,
            static_cast<size_t>(numbers) * number_bytes};
}

template <class T, class O, class I, class W>
tulle_status start(const tulle__factor_task *t, const listed_steps<O, W> &steps, T *scratch) {
    const factor_job<T, O, I> job = factor_job_of<T, O, I>(t);
    const grid g = grid_of(t, sizeof(T));
    const int lanes = t->params[COOP], room = static_cast<int>(room_of(t, lanes));
    const int longest = static_cast<int>(t->longest);
    if (lanes > 1 || !all_are_short(t)) {
        const auto kernel =
            scratch ? factor_by_teams<true, T, O, I, W> : factor_by_teams<false, T, O, I, W>;
        return launch(t->place, kernel, g, job, steps, longest, lanes, room, scratch);
    }
    const bool few = t->steps->longest <= few_steps;
    const auto alone =
        few ? factor_alone<few_steps, T, O, I, W> : factor_alone<most_steps, T, O, I, W>;
    const auto chains =
        few ? factor_chains<few_steps, T, O, I, W> : factor_chains<most_steps, T, O, I, W>;
    return launch(t->place, t->params[CHAIN] ? chains : alone, g, job, steps, longest);
}

template <class T, class O, class I, class W>
tulle_status follow(const tulle__factor_task *t) {
    listed_steps<O, W> steps = {static_cast<const O *>(t->steps->begins),
                                static_cast<const W *>(t->steps->words), nullptr};
    T *scratch = nullptr;
    parts cut(t->place, t->workspace);
    GPU_TRY(cut.take(1, &steps.ticket));
    if (room_of(t, t->params[COOP]) < t->longest) GPU_TRY(cut.take(t->entries, &scratch));
    GPU_TRY(launch(t->place, await_all<T, O, W>, loop_grid(t->entries), t->entries,
                   static_cast<T *>(t->values), steps));
    return start<T, O, I, W>(t, steps, scratch);
}

template <class T, class O, class I>
tulle_status run(const tulle__factor_task *t) {
    if constexpr (sizeof(O) == sizeof(int32_t)) {
        if (!t->steps->wide) return follow<T, O, I, int32_t>(t);
    }
    return follow<T, O, I, int64_t>(t);
}

const int coops[] = {1, 2, 4, 8, 16, 32}, warps[] = {2, 4, 8, 16, 32, 64}, chains[] = {0, 1};
const tulle__param params[] = {
    {"coop", "lanes that share a row", 6, coops},
    {"warps", "warps of a multiprocessor", 6, warps},
    {"chain", "1: a warp keeps short rows, one a lane", 2, chains},
};

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__factor_kernel GPU_SYMBOL(factor_listed);
const tulle__factor_kernel GPU_SYMBOL(factor_listed) = {
    .head = {.name = "factor_listed",
             .summary = "scalars: steps are listed beforehand, numbers are their own flags",
             .source = "tulle; rows by level as in Anderson and Saad 1989",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .run = GPU_RUN_ALL(gpu::run)};
