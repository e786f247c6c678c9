/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of all kinds but on factors. Where none waits for another, a block of threads has a piece.
 * Where some do, blocks take pieces by a ticket, in the order of tasks: what a piece waits for was
 * taken before, by a block that runs, so no order of blocks can stop it. One kernel does both,
 * since it has code for all kinds of tasks. */
#include "batch/gpu/items.cuh"
#include "batch/gpu/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

GPU_FUNCTION void await_tasks(const tulle__batch_job &job, const tulle__task &t) {
    for (int w = static_cast<int>(thread()); w < t.waits; w += static_cast<int>(block_size())) {
        while (load_acquire(job.done + job.wait[t.first_wait + w]) == 0) spin();
    }
    sync();
}

template <class V>
GPU_FUNCTION void run_item(const tulle__batch_job &job, const item_of &item, bool queued,
                           shared<double> room, shared<uint32_t> word) {
    const tulle__task &t = job.task[item.number];
    const bool norm = tulle__task_is_norm(t.kind);
    if (norm) {
        run_norms_piece<V>(job, t, item.piece, room);
    } else {
        const some_rows rows(t, item.piece);
        run_tiled<V>(t, rows.begin, rows.end, room, put_partial<V>(job, t, item.piece));
    }
    if (!queued && !norm && t.kind != TULLE__TASK_DOT) return;
    if (!ends_task<V>(job, t, item.number, room, word) || !queued) return;
    sync();
    if (thread() == 0) store_release(job.done + item.number, 1u);
}

GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_items(tulle__batch_job job, stretch_of_items s,
                                                        bool queued) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    GPU_SHARED(int64_t, ticket, 1);
    item_of item = {0, 0};
    if (!queued) item = own_item(job, s);
    do {
        if (queued) {
            sync();
            if (thread() == 0) {
                ticket[0] = static_cast<int64_t>(atomic_add(job.ticket, uint64_t{1}));
            }
            sync();
            const int64_t taken = ticket[0];
            if (taken >= load(job.first_item + s.end)) return;
            item = item_number(job, s, taken);
            await_tasks(job, job.task[item.number]);
        }
        if (job.task[item.number].type == TULLE_F32) {
            run_item<float>(job, item, queued, room, word);
        } else {
            run_item<double>(job, item, queued, room, word);
        }
    } while (queued);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_any)(const tulle__place *place, const tulle__batch_job *job,
                                   tulle__stretch s) {
    return gpu::launch(place, gpu::run_items, {tulle__items_of(job, s), gpu::loop_threads}, *job,
                       gpu::items_of(job, s), false);
}

tulle_status GPU_SYMBOL(batch_queue)(const tulle__place *place, const tulle__batch_job *job,
                                     tulle__stretch s) {
    int64_t blocks;
    GPU_TRY(gpu::resident_blocks(place, gpu::run_items, gpu::loop_threads, 0, &blocks));
    GPU_TRY(TULLE__HERE(set_bytes)(place, job->ticket, 0, job->queue_bytes));
    return gpu::launch(place, gpu::run_items, {blocks, gpu::loop_threads}, *job,
                       gpu::items_of(job, s), true);
}
