/* SPDX-License-Identifier: Apache-2.0 */
/* Solves level after level.
 *
 *   level     launch                                                  between two levels
 *   thin      one block has a run of such levels, 1536 at most        a barrier of the block
 *   wide      its own, of as many blocks as its rows need             the end of the launch
 *
 * A level is thin if the warps of the one block need few turns for its rows (`turns`). While the
 * block ends one level, it has loaded the data of the next. Launches start early.
 *
 * Memory: the numbers of X by place, in the workspace. Sums are in the order of trisolve_poll
 * (rows.cuh), so that bits repeat. Sources: Saad, "Iterative Methods for Sparse Linear Systems",
 * 11.6; Naumov 2011. */
#define TULLE__PARTS 3
#include "gpu/parts.cuh"
#include "trisolve/gpu/rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int thin_threads = 512, wide_threads = 256;

enum { COOP, TURNS };

/* Most successive thin levels of a launch; the numbers of their places travel with the launch. */
constexpr int most_thin = 1536;
struct thin_levels {
    int64_t first;
    int count;
    uint16_t places[most_thin];
};

template <class S, class V, class I, int most>
GPU_KERNEL GPU_RESIDENT(thin_threads, 1) void solve_thin(triangular<S, V, I> a,
                                                         tulle__row_shape shape, thin_levels levels,
                                                         V *known) {
    allow_next();
    await_previous();
    solve_in_block<S, V, I, most>(
        a, shape, levels.first, levels.count, [&](int64_t l) { return int64_t{levels.places[l]}; },
        known);
}

template <class S, class V, class I, int most>
GPU_KERNEL void solve_wide(triangular<S, V, I> a, tulle__row_shape shape, place_range range,
                           V *known) {
    allow_next();
    await_previous();
    const int64_t turn = loop_first() / warp_lanes;
    lane_row<S, V, I, most> row(a, shape);
    row.fetch(a, shape, range, turn);
    row.solve(a, known);
}

int64_t known_count(const tulle__trisolve_task *task) {
    return task->schedule->rows * task->block * task->vectors;
}

template <class S, class V, class I, int most>
class solving {
  public:
    solving(const tulle__trisolve_task *task, V *known)
        : task_(task),
          a_(make_triangular<S, V, I>(task)),
          shape_(tulle__row_shape_of(task->params[COOP], task->block, task->vectors)),
          known_(known) {}

    tulle_status run() {
        const int64_t *begins = task_->schedule->level_begins;
        for (int64_t l = 0; l < task_->schedule->levels; l++) {
            const place_range range = {begins[l], begins[l + 1]};
            if (is_thin(range)) {
                GPU_TRY(add(range));
            } else {
                GPU_TRY(run_thin());
                GPU_TRY(run_wide(range));
            }
        }
        return run_thin();
    }

  private:
    const tulle__trisolve_task *task_;
    const triangular<S, V, I> a_;
    const tulle__row_shape shape_;
    V *known_;
    thin_levels thin_ = {};

    int64_t turns_of(place_range range) const {
        return tulle__ceil_div(range.end - range.first, shape_.groups) * shape_.strips;
    }
    bool is_thin(place_range range) const {
        return turns_of(range) <= int64_t{task_->params[TURNS]} * (thin_threads / warp_lanes);
    }
    tulle_status add(place_range range) {
        if (thin_.count == most_thin) GPU_TRY(run_thin());
        if (thin_.count == 0) thin_.first = range.first;
        thin_.places[thin_.count++] = static_cast<uint16_t>(range.end - range.first);
        return TULLE_OK;
    }
    tulle_status run_thin() {
        if (thin_.count == 0) return TULLE_OK;
        GPU_TRY(launch_early(task_->place, solve_thin<S, V, I, most>, {1, thin_threads}, a_, shape_,
                             thin_, known_));
        thin_.count = 0;
        return TULLE_OK;
    }
    tulle_status run_wide(place_range range) const {
        constexpr int warps = wide_threads / warp_lanes;
        return launch_early(task_->place, solve_wide<S, V, I, most>,
                            {tulle__ceil_div(turns_of(range), warps), wide_threads}, a_, shape_,
                            range, known_);
    }
};

}  // namespace

template <class S, class V, class I>
tulle_status run_levels(const tulle__trisolve_task *task) {
    parts room(task->place, task->workspace);
    V *known = nullptr;
    GPU_TRY(room.take(known_count(task), &known));
    if (task->block == 1) return solving<S, V, I, 1>(task, known).run();
    return solving<S, V, I, TULLE__MOST_BLOCK>(task, known).run();
}

TRISOLVE_PARTS_ALL(run_levels);

#if TULLE__IN_PART(1)
namespace {

const int coops[] = {1, 2, 4, 8, 16, 32}, turns[] = {1, 2, 4, 8, 16};
const tulle__param params[] = {
    {"coop", "lanes that share a row", 6, coops},
    {"turns", "how often the warps of the one block may turn to rows of a thin level", 5, turns},
};

void defaults(const tulle__trisolve_task *task, int *values) {
    values[COOP] = tulle__row_coop(task->schedule);
    values[TURNS] = 4;
}

size_t workspace(const tulle__trisolve_task *task) {
    return tulle__computed_type(task->values) == TULLE_F64 ? part_bytes<double>(known_count(task))
                                                           : part_bytes<float>(known_count(task));
}

}  // namespace
#endif
}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
extern "C" const tulle__trisolve_kernel GPU_SYMBOL(trisolve_levels);
const tulle__trisolve_kernel GPU_SYMBOL(trisolve_levels) = {
    .head = {.name = "trisolve_levels",
             .summary = "level after level: a launch for each wide one, one for a run of thin ones",
             .source =
                 "Saad, Iterative Methods, 11.6; Naumov 2011; runs of thin levels in one block",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .workspace = gpu::workspace,
    .run = TRISOLVE_RUN_ALL(gpu::run_levels),
};
#endif
