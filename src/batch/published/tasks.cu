/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of one block for each task, on streams side by side; two fit on a multiprocessor, of
 * half as many threads where they have factors (Afanasyev and others 2015). Those that compute
 * values of factors have a multiprocessor's registers to themselves. */
#define TULLE__PARTS 5
#include "batch/factor_rows.cuh"
#include "batch/factor_widths.cuh"
#include "batch/functions.h"
#include "batch/root_rows.cuh"
#include "batch/side_streams.cuh"
#include "batch/solve_rows.cuh"
#include "batch/stretches.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL GPU_RESIDENT(most_task_threads, 2) void run_task(const tulle__task *task) {
    GPU_SHARED(double, room, task_room);
    const tulle__task &t = *task;
    run_piece<V>(t, 0, t.units, room, [&](int e, double sum) { store_dot<V>(t, e, sum); });
}

constexpr int factor_threads = 512;

template <class V, int most>
GPU_KERNEL GPU_RESIDENT(factor_threads, 1) void run_factor_task(tulle__batch_job job, int task) {
    factor_by_levels<V, most>(job, job.task[task]);
}

template <class V>
GPU_KERNEL GPU_RESIDENT(factor_threads, 2) void run_root_task(tulle__batch_job job, int task) {
    roots_by_levels<V>(job, job.task[task]);
}

template <class S, class V, int most>
GPU_KERNEL GPU_RESIDENT(factor_threads, 2) void run_solve_task(tulle__batch_job job, int task) {
    solve_by_levels<S, V, most>(job, job.task[task]);
}

constexpr grid narrow = {1, factor_threads};

template <class V>
tulle_status launch_factor(const tulle__place *place, const tulle__batch_job *job, int task) {
    static void (*const of[])(tulle__batch_job, int) = {TULLE__EACH_WIDTH(run_factor_task, V),
                                                        run_root_task<V>};
    return launch(place, of[job->host_task[task].variant], narrow, *job, task);
}

template <class S, class V>
tulle_status launch_solve(const tulle__place *place, const tulle__batch_job *job, int task) {
    static void (*const of[])(tulle__batch_job, int) = {TULLE__EACH_WIDTH(run_solve_task, S, V)};
    const int variant = job->host_task[task].variant;
    return launch(place, of[variant % TULLE__WIDTHS], narrow, *job, task);
}

using one_task = tulle_status(const tulle__place *, const tulle__batch_job *, int);
GPU_PART(1, one_task launch_factor<float>);
GPU_PART(2, one_task launch_factor<double>);
GPU_PART(3, one_task launch_solve<float, float>);
GPU_PART(4, one_task launch_solve<double, double>);
GPU_PART(5, one_task launch_solve<float, double>);

#if TULLE__IN_PART(1)
template <class V>
static tulle_status launch_task(const tulle__place *place, const tulle__batch_job *job, int task) {
    const tulle__task &t = job->host_task[task];
    if (t.family == TULLE__FAMILY_LISTED) {
        return GPU_SYMBOL(batch_listed)(place, job, {task, task + 1});
    }
    if (tulle__task_is_norm(t.kind)) return GPU_SYMBOL(batch_any)(place, job, {task, task + 1});
    if (t.kind == TULLE__TASK_FACTOR) return launch_factor<V>(place, job, task);
    if (t.kind == TULLE__TASK_SOLVE) {
        return t.variant < TULLE__WIDTHS ? launch_solve<V, V>(place, job, task)
                                         : launch_solve<float, double>(place, job, task);
    }
    return launch(place, run_task<V>, {1, most_task_threads}, job->task + task);
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(batch_tasks)(const tulle__place *place, const tulle__batch_job *job) {
    return gpu::on_streams(place, job, [=](const tulle__place *stream, int task) {
        const bool narrow = job->host_task[task].type == TULLE_F32;
        return narrow ? gpu::launch_task<float>(stream, job, task)
                      : gpu::launch_task<double>(stream, job, task);
    });
}
#endif
