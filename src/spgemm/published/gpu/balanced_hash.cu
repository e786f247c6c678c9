/* SPDX-License-Identifier: Apache-2.0 */
/* Balanced hashing: a worklist says for each multiplication of which entries of A and B it is; a
 * block takes the multiplications of a row into a table of fixed size, where a column has one slot
 * and no other. A multiplication that finds its slot taken by another column goes into a queue. The
 * table is stored and cleared, and the queue is the next worklist, until it is empty: columns of a
 * queue are never those of a table before it, so that stored sums are complete. */
#include "gpu/scan.cuh"
#include "spgemm/published/gpu/block_tables.cuh"
#include "spgemm/published/gpu/slices.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { SLOTS, SLICE };
const int slots_values[] = {64, 1024, 4096};
const tulle__param params[] = {
    {"slots", "columns that a row's table has room for", 3, slots_values}, slice_param};

void defaults(const tulle__spgemm_task *, int *values) {
    values[SLOTS] = 1024;
    values[SLICE] = slice_default;
}

constexpr int balanced_threads = 256;

/* A multiplication: an entry of A and one of B. */
template <class O>
struct factor_pair {
    O a, b;
};

template <class V, class O, class C>
GPU_KERNEL void list_work(factors<V, O, C> f, multiplication_places<O> places, int64_t entries,
                          row_slice slice, factor_pair<O> *work) {
    each_in_slice(f, places, entries, slice, [&](int64_t p, int64_t, O e, O q) {
        work[p] = {e, q};
    });
}

/* Returns the slot of a column, or says that another column has it. */
template <class C>
GPU_FUNCTION bool take_slot(shared<C> slot, C column) {
    C old = peek(slot);
    if (old == C(-1)) old = atomic_cas(slot, C(-1), column);
    return old == C(-1) || old == column;
}

/* Multiplies: a block for each row of the slice; work and queue: where each row's multiplications
 * are. */
template <class V, class O, class C>
GPU_KERNEL void work_off(slice_job<V, O, C> job, place_in_slice<O> place_of, int slots,
                         factor_pair<O> *work, factor_pair<O> *queue) {
    GPU_DYNAMIC_SHARED(V, all);
    GPU_SHARED(int64_t, room, block_table_warps);
    GPU_SHARED(int64_t, queued, 1);
    shared<V> sums = part_of(all, 0, slots);
    shared<C> keys = part_of(shared<C>(all + slots), 0, slots);
    scattered_table<shared<C>, unsigned> table = {keys, static_cast<unsigned>(slots) - 1};
    const factors<V, O, C> &f = job.f;
    const int64_t begin = place_of(block());
    int64_t left = place_of(block() + int64_t{1}) - begin, found = 0;
    C *cols = job.cols + begin;
    V *values = job.values + begin;
    work += begin;
    queue += begin;
    while (left > 0) {
        if (thread() == 0) queued[0] = 0;
        table.clear(thread(), block_size(), sums);
        sync();
        for (int64_t k = thread(); k < left; k += block_size()) {
            factor_pair<O> pair = work[k];
            C column = load(f.b_cols + pair.b);
            unsigned slot = table.slot_of(column);
            if (take_slot(keys + slot, column)) {
                atomic_add(sums + slot, load(f.a_values + pair.a) * load(f.b_values + pair.b));
            } else {
                queue[atomic_add(queued + 0, 1)] = pair;
            }
        }
        sync();
        left = queued[0];
        found += shrink<V, C>(table, sums, cols + found, values + found, room);
        factor_pair<O> *next = queue;
        queue = work;
        work = next;
    }
    if (!job.unsorted) sort_entries<V, C>(cols, values, found);
    const V alpha = job.alpha.value();
    for (int64_t k = thread(); k < found; k += block_size()) values[k] = alpha * values[k];
    if (thread() == 0) job.counts[block()] = found;
}

template <class V, class O, class C>
struct balanced_work {
    int slots;

    int64_t bytes(int64_t multiplications) const {
        constexpr int64_t pair = sizeof(factor_pair<O>);
        return multiplications * 2 * pair;
    }
    tulle_status run(const slice_job<V, O, C> &job) const {
        const tulle__place *place = job.place;
        const int64_t count = job.slice.multiplications;
        scratch memory(place);
        factor_pair<O> *work = nullptr, *queue = nullptr;
        GPU_TRY(memory.get(count, &work));
        GPU_TRY(memory.get(count, &queue));
        GPU_TRY(launch(place, list_work<V, O, C>, loop_grid(count), job.f, job.places, job.entries,
                       job.slice, work));
        return launch(place, work_off<V, O, C>,
                      grid{job.slice.rows, balanced_threads,
                           static_cast<size_t>(slots) * (sizeof(V) + sizeof(C))},
                      job, job.place_of(), slots, work, queue);
    }
};

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    constexpr int64_t most_rows = 1 << 24;
    sliced_product<V, O, C, balanced_work<V, O, C>> product(
        task, balanced_work<V, O, C>{task->params[SLOTS]},
        slice_multiplications(task->params[SLICE]), most_rows);
    return product.run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_balanced_hash);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_balanced_hash) = {
    .head = {.name = "spgemm_balanced_hash",
             .summary =
                 "products by a worklist into tables of fixed size, collisions queued; atomic "
                 "sums",
             .source = "Anh, Fan, Wen, ICS 2016, as paper 4 compares with",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__HISTORICAL,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .run = GPU_RUN_ALL(gpu::run),
};
