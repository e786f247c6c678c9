/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but solutions with factors whose blocks are about as wide: a block of threads a task. */
#include "batch/factor_widths.cuh"
#include "batch/solve_rows.cuh"
#include "batch/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class S, class V, int most>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_solves(tulle__batch_job job, int begin) {
    solve_by_levels<S, V, most>(job, job.task[begin + static_cast<int>(block())]);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_solves)(const tulle__place *place, const tulle__batch_job *job,
                                      tulle__stretch s) {
    static void (*const of[2][2 * TULLE__WIDTHS])(tulle__batch_job, int) = {
        {TULLE__EACH_WIDTH(gpu::run_solves, float, float)},
        {TULLE__EACH_WIDTH(gpu::run_solves, double, double),
         TULLE__EACH_WIDTH(gpu::run_solves, float, double)}};
    const tulle__task &first = job->host_task[s.begin];
    return gpu::launch(place, of[first.type == TULLE_F64][first.variant],
                       {s.end - s.begin, gpu::loop_threads}, *job, s.begin);
}
