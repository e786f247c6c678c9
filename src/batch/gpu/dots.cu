/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but dots of one kind: their kernels have the registers to load ahead. Three are resident,
 * so that while a piece begins or ends, others keep memory busy. */
#include "batch/gpu/items.cuh"
#include "batch/gpu/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int tiles, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads, 3) void run_dots(tulle__batch_job job, stretch_of_items s) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    const item_of item = own_item(job, s);
    const tulle__task &t = job.task[item.number];
    const some_rows rows(t, item.piece);
    dot_in_tiles<V, tiles, how, next_slabs::early>(t, rows.begin, rows.end, room,
                                                   put_partial<V>(job, t, item.piece));
    ends_task<V>(job, t, item.number, room, word);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_dots)(const tulle__place *place, const tulle__batch_job *job,
                                    tulle__stretch s) {
    using gpu::lie;
    static void (*const of[2][4])(tulle__batch_job, gpu::stretch_of_items) = {
        {gpu::run_dots<float, 1, lie::columns>, gpu::run_dots<float, 1, lie::rows>,
         gpu::run_dots<float, 2, lie::columns>, gpu::run_dots<float, 2, lie::rows>},
        {gpu::run_dots<double, 1, lie::columns>, gpu::run_dots<double, 1, lie::rows>,
         gpu::run_dots<double, 2, lie::columns>, gpu::run_dots<double, 2, lie::rows>}};
    const tulle__task &first = job->host_task[s.begin];
    return gpu::launch(place, of[first.type == TULLE_F64][first.variant],
                       {tulle__items_of(job, s), gpu::loop_threads}, *job, gpu::items_of(job, s));
}
