/* SPDX-License-Identifier: Apache-2.0 */
/* BHSPARSE: rows in bins by their products, which bound their entries: of one product a copy; of up
 * to 32 a heap a thread; of up to 512 expanded, sorted and contracted by a block; of more, rows of
 * B merged one after the other. The published one lets the memory of long rows grow; here slices of
 * rows have room for all their products. */
#include "spgemm/published/gpu/heap_rows.cuh"
#include "spgemm/published/gpu/joined_rows.cuh"
#include "spgemm/published/gpu/row_limits.cuh"
#include "spgemm/published/gpu/sorted_rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { SLICE };

void defaults(const tulle__spgemm_task *, int *values) {
    values[SLICE] = slice_default;
}

enum { bin_empty, bin_one, bin_heap, bin_sorted, bin_joined, bins };
constexpr row_limits bin_limits = {bins, {0, 1, heap_most, sorted_most, INT64_MAX}};

template <class V, class O, class C>
struct binned_work {
    int64_t most_rows; /* of a slice */

    int64_t list_bytes(int64_t rows) const {
        return static_cast<int64_t>(part_bytes<int64_t>(grouped_rows<C>::numbers) +
                                    part_bytes<C>(rows));
    }
    int64_t bytes(int64_t products) const {
        constexpr int64_t entry = sizeof(C) + sizeof(V);
        return list_bytes(most_rows) + products * entry;
    }
    static tulle_status join(const slice_job<V, O, C> &job, const row_list<C> &rows) {
        scratch memory(job.place);
        C *cols = nullptr;
        V *values = nullptr;
        GPU_TRY(memory.get(job.slice.products, &cols));
        GPU_TRY(memory.get(job.slice.products, &values));
        return launch(job.place, joined_rows<V, O, C>, grid{rows.count, joined_threads}, job,
                      job.place_of(), rows, cols, values);
    }
    static tulle_status do_bin(const slice_job<V, O, C> &job, int bin, const row_list<C> &rows) {
        const int64_t threads = heap_threads, blocks = (rows.count + threads - 1) / threads;
        switch (bin) {
            case bin_one:
                return launch(job.place, copy_products<V, O, C>, grid{blocks, heap_threads}, job,
                              job.place_of(), rows);
            case bin_heap:
                return launch(job.place, heap_rows<V, O, C>,
                              grid{blocks, heap_threads, heap_bytes<V>}, job, job.place_of(), rows);
            case bin_sorted:
                return launch(job.place, sorted_rows<V, O, C>,
                              grid{rows.count, sorted_threads, sorted_bytes<V>}, job,
                              job.place_of(), rows);
            default:
                return join(job, rows);
        }
    }
    tulle_status run(const slice_job<V, O, C> &job) const {
        const int64_t rows = job.slice.rows;
        const tulle__place *place = job.place;
        scratch memory(place);
        grouped_rows<C> groups = {};
        char *all = nullptr;
        GPU_TRY(memory.get(list_bytes(rows), &all));
        parts cut(place, all);
        GPU_TRY(cut.take(grouped_rows<C>::numbers, &groups.totals));
        GPU_TRY(cut.take(rows, &groups.list));
        GPU_TRY(groups.make(place, rows, job.numbers, bin_limits));
        GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
        for (int bin = bin_one; bin < bins; bin++) {
            if (groups.rows[bin] > 0) GPU_TRY(do_bin(job, bin, groups.of(bin)));
        }
        return TULLE_OK;
    }
};

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    constexpr int64_t most_rows = 1 << 24;
    const int64_t rows = task->a.rows < most_rows ? task->a.rows : most_rows;
    sliced_product<V, O, C, binned_work<V, O, C>> product(
        task, binned_work<V, O, C>{rows}, slice_products(task->params[SLICE]), most_rows);
    return product.run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_bhsparse);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_bhsparse) = {
    .head = {.name = "spgemm_bhsparse",
             .summary =
                 "rows in bins by their products: heaps, bitonic expand-sort-contract, merges",
             .source = "Liu, Vinter, IPDPS 2014 (BHSPARSE), as paper 4 compares with",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 1,
             .params = &gpu::slice_param},
    .defaults = gpu::defaults,
    .run = GPU_RUN_ALL(gpu::run),
};
