/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but values of factors whose blocks are about as wide: a block of threads a task. */
#include "batch/factor_rows.cuh"
#include "batch/factor_widths.cuh"
#include "batch/root_rows.cuh"
#include "batch/stretches.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Of a task that has a multiprocessor to itself, and of others. */
constexpr int alone_threads = 2 * loop_threads, few_threads = loop_threads;

template <class V, int most>
GPU_KERNEL GPU_RESIDENT(alone_threads, 1) void run_factors(tulle__batch_job job, int begin) {
    factor_by_levels<V, most>(job, job.task[begin + static_cast<int>(block())]);
}

template <class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_roots(tulle__batch_job job, int begin) {
    roots_by_levels<V>(job, job.task[begin + static_cast<int>(block())]);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_factors)(const tulle__place *place, const tulle__batch_job *job,
                                       tulle__stretch s) {
    static void (*const of[2][TULLE__ROOTS + 1])(tulle__batch_job, int) = {
        {TULLE__EACH_WIDTH(gpu::run_factors, float), gpu::run_roots<float>},
        {TULLE__EACH_WIDTH(gpu::run_factors, double), gpu::run_roots<double>}};
    const tulle__task &first = job->host_task[s.begin];
    const bool alone = first.variant < TULLE__ROOTS &&
                       s.end - s.begin <= first.factor.whole.device->multiprocessors;
    return gpu::launch(place, of[first.type == TULLE_F64][first.variant],
                       {s.end - s.begin, alone ? gpu::alone_threads : gpu::few_threads}, *job,
                       s.begin);
}
