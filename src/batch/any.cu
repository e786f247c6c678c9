/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of all kinds but on factors that wait for none of the same, a block of threads a piece. */
#include "batch/items.cuh"
#include "batch/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_FUNCTION void run_own(const tulle__batch_job &job, const own_item &item, shared<double> room,
                          shared<uint32_t> word) {
    const tulle__task &t = job.task[item.number];
    run_item<V, 0>(job, t, item.piece, room);
    if (t.kind == TULLE__TASK_DOT) ends_task<V>(job, t, item.number, word);
}

GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_items(tulle__batch_job job, int begin, int end) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    const own_item item(job, begin, end);
    if (job.task[item.number].type == TULLE_F32) {
        run_own<float>(job, item, room, word);
    } else {
        run_own<double>(job, item, room, word);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_any)(const tulle__place *place, const tulle__batch_job *job,
                                   tulle__stretch s) {
    return gpu::launch(place, gpu::run_items, {tulle__items_of(job, s), gpu::loop_threads}, *job,
                       s.begin, s.end);
}
