/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of one block for each task, on streams side by side; two fit on a multiprocessor
 * (Afanasyev and others 2015). */
#include "batch/functions.h"
#include "batch/pieces.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL GPU_RESIDENT(most_task_threads, 2) void run_task(const tulle__task *task) {
    GPU_SHARED(double, room, task_room);
    const tulle__task &t = *task;
    run_piece<V>(t, 0, t.units, room, [&](int e, double sum) { store_dot<V>(t, e, sum); });
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
        const auto kernel =
            job->host_task[i].type == TULLE_F32 ? run_task<float> : run_task<double>;
        GPU_TRY(
            launch(stream[(i - begin) % streams], kernel, {1, most_task_threads}, job->task + i));
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
