/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but solutions with factors whose blocks are about as wide: a block of threads a task. */
#define TULLE__PARTS 3
#include "batch/gpu/factor_widths.cuh"
#include "batch/gpu/solve_rows.cuh"
#include "batch/gpu/stretches.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class S, class V, int most>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_solves(tulle__batch_job job, int begin) {
    solve_by_levels<S, V, most>(job, job.task[begin + static_cast<int>(block())]);
}

template <class S, class V>
tulle_status launch_solves(const tulle__place *place, const tulle__batch_job *job,
                           tulle__stretch s) {
    static void (*const of[])(tulle__batch_job, int) = {TULLE__EACH_WIDTH(run_solves, S, V)};
    return launch(place, of[job->host_task[s.begin].variant % TULLE__WIDTHS],
                  {s.end - s.begin, loop_threads}, *job, s.begin);
}

using solves = tulle_status(const tulle__place *, const tulle__batch_job *, tulle__stretch);
GPU_PART(1, solves launch_solves<float, float>);
GPU_PART(2, solves launch_solves<double, double>);
GPU_PART(3, solves launch_solves<float, double>);

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(batch_solves)(const tulle__place *place, const tulle__batch_job *job,
                                      tulle__stretch s) {
    const tulle__task &first = job->host_task[s.begin];
    return first.type == TULLE_F32          ? gpu::launch_solves<float, float>(place, job, s)
           : first.variant >= TULLE__WIDTHS ? gpu::launch_solves<float, double>(place, job, s)
                                            : gpu::launch_solves<double, double>(place, job, s);
}
#endif
