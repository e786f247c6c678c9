/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but values of factors whose blocks are about as wide: a block of threads a task. */
#define TULLE__PARTS 2
#include "batch/gpu/factor_rows.cuh"
#include "batch/gpu/factor_widths.cuh"
#include "batch/gpu/root_rows.cuh"
#include "batch/gpu/stretches.cuh"
#include "gpu/loop.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of threads for a task that has a multiprocessor to itself, and for others. */
constexpr int alone_threads = 2 * loop_threads, few_threads = loop_threads;

template <class V, int most>
GPU_KERNEL GPU_RESIDENT(alone_threads, 1) void run_factors(tulle__batch_job job, int begin) {
    factor_by_levels<V, most>(job, job.task[begin + static_cast<int>(block())]);
}

template <class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_roots(tulle__batch_job job, int begin) {
    roots_by_levels<V>(job, job.task[begin + static_cast<int>(block())]);
}

template <class V>
tulle_status launch_factors(const tulle__place *place, const tulle__batch_job *job,
                            tulle__stretch s) {
    static void (*const of[])(tulle__batch_job, int) = {TULLE__EACH_WIDTH(run_factors, V),
                                                        run_roots<V>};
    const tulle__task &first = job->host_task[s.begin];
    const bool alone = first.variant < TULLE__ROOTS &&
                       s.end - s.begin <= first.factor.whole.device->multiprocessors;
    return launch(place, of[first.variant], {s.end - s.begin, alone ? alone_threads : few_threads},
                  *job, s.begin);
}

using factors = tulle_status(const tulle__place *, const tulle__batch_job *, tulle__stretch);
GPU_PART(1, factors launch_factors<float>);
GPU_PART(2, factors launch_factors<double>);

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(batch_factors)(const tulle__place *place, const tulle__batch_job *job,
                                       tulle__stretch s) {
    return job->host_task[s.begin].type == TULLE_F32 ? gpu::launch_factors<float>(place, job, s)
                                                     : gpu::launch_factors<double>(place, job, s);
}
#endif
