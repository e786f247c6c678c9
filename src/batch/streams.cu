/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of one block for each task, on streams side by side; two fit on a multiprocessor, of
 * half as many threads where they have factors (Afanasyev and others 2015). */
#include "batch/functions.h"
#include "batch/solve_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL GPU_RESIDENT(most_task_threads, 2) void run_task(const tulle__task *task) {
    GPU_SHARED(double, room, task_room);
    const tulle__task &t = *task;
    run_piece<V>(t, 0, t.units, room, [&](int e, double sum) { store_dot<V>(t, e, sum); });
}

constexpr int factor_threads = 512;

template <class V, int most>
GPU_KERNEL GPU_RESIDENT(factor_threads, 2) void run_factor_task(tulle__batch_job job, int task) {
    run_on_factors<V, most>(job, job.task[task]);
}

template <class V>
static tulle_status launch_task(const tulle__place *place, const tulle__batch_job *job, int task) {
    const tulle__task &t = job->host_task[task];
    if (t.kind != TULLE__TASK_FACTOR && t.kind != TULLE__TASK_SOLVE) {
        return launch(place, run_task<V>, {1, most_task_threads}, job->task + task);
    }
    const int block = t.kind == TULLE__TASK_FACTOR ? t.factor.whole.block : t.solve.block;
    const auto kernel = block <= small_block ? run_factor_task<V, small_block>
                                             : run_factor_task<V, TULLE__MOST_BLOCK>;
    return launch(place, kernel, {1, factor_threads}, *job, task);
}

/* Streams that take tasks in turns. */
constexpr int stream_count = 8;

static tulle_status run_level(const tulle__place *place, const tulle__batch_job *job, int begin,
                              int end) {
    side_by_side beside(place);
    const tulle__place *stream[stream_count];
    for (const tulle__place *&one : stream) one = place;
    const int streams = end - begin < stream_count ? end - begin : stream_count;
    for (int s = 0; s < streams; s++) GPU_TRY(beside.next(stream + s));
    for (int i = begin; i < end; i++) {
        const auto run =
            job->host_task[i].type == TULLE_F32 ? launch_task<float> : launch_task<double>;
        GPU_TRY(run(stream[(i - begin) % streams], job, i));
    }
    return beside.join();
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_streams)(const tulle__place *place, const tulle__batch_job *job) {
    for (int l = 0; l < job->levels; l++) {
        GPU_TRY(gpu::run_level(place, job, job->level[l], job->level[l + 1]));
    }
    return TULLE_OK;
}
