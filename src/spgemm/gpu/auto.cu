/* SPDX-License-Identifier: Apache-2.0 */
/* The default: rows by their products, a kernel for each kind, entries counted before they are
 * computed, and every sum in the order of A's row. */
#include "gpu/primitives.h"
#include "spgemm/gpu/hash_rows.cuh"
#include "spgemm/gpu/near_rows.cuh"
#include "spgemm/gpu/wide_rows.cuh"
#include "spgemm/gpu/windows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* One product on its way. Arrays live in scratch. */
template <class V, class O, class C>
struct product {
    tulle__spgemm_task *task;
    const tulle__place *place;
    scratch memory;
    factors<V, O, C> f;
    row_totals totals;
    int64_t *counts = nullptr; /* products, then entries of each row; then where rows begin */
    C *list = nullptr;
    /* Of large rows. */
    row_list<C> large = {};
    int64_t item_bound = 0;
    int64_t *first_item = nullptr, *item_counts = nullptr;
    window_item *items = nullptr;
    window_shape shape = {};

    explicit product(tulle__spgemm_task *t)
        : task(t), place(t->place), memory(t->place), f(make_factors<V, O, C>(t)), totals() {}

    row_list<C> rows_of(int kind) const {
        if (totals.rows[kind] == f.rows) return {nullptr, f.rows};
        int64_t before = 0;
        for (int k = kind_small; k < kind; k++) before += totals.rows[k];
        return {list + before, totals.rows[kind]};
    }
    /* A warp's lanes take count_lanes-th parts of a row. */
    grid for_rows(int64_t rows) const { return loop_grid(rows * count_lanes, 8 * loop_blocks); }

    tulle_status zero(void *array, size_t bytes) const {
        return GPU_SYMBOL(set_bytes)(place, array, 0, bytes);
    }

    tulle_status analyse() {
        row_totals *sums = nullptr;
        GPU_TRY(memory.get(f.rows + 1, &counts));
        GPU_TRY(memory.get(1, &sums));
        GPU_TRY(zero(sums, sizeof *sums));
        GPU_TRY(launch(place, count_products<V, O, C>, for_rows(f.rows), f, counts, sums));
        GPU_TRY(to_host(place, &totals, sums, sizeof totals));
        task->products = totals.products;
        bool alike = false;
        for (int kind = 0; kind < kinds; kind++) alike = alike || totals.rows[kind] == f.rows;
        if (!alike) {
            int64_t *taken = nullptr;
            GPU_TRY(memory.get(f.rows - totals.rows[kind_empty], &list));
            GPU_TRY(memory.get(kinds, &taken));
            GPU_TRY(zero(taken, kinds * sizeof *taken));
            GPU_TRY(
                launch(place, list_rows<C>, loop_grid(f.rows), f.rows, counts, sums, taken, list));
        }
        return list_items();
    }

    tulle_status list_items() {
        large = rows_of(kind_large);
        shape = window_shape_for<V>(task->b.cols, task->device->shared_per_block);
        if (large.count == 0) return TULLE_OK;
        item_bound = large.count + totals.large_products / item_products;
        GPU_TRY(memory.get(large.count + 1, &first_item));
        GPU_TRY(memory.get(item_bound, &items));
        GPU_TRY(memory.get(item_bound + 1, &item_counts));
        GPU_TRY(launch(place, count_items<C>, loop_grid(large.count + 1), large, task->b.cols,
                       counts, first_item));
        GPU_TRY(exclusive_scan(place, first_item, first_item, large.count + 1));
        return launch(place, make_items<C>, loop_grid(large.count), large, task->b.cols, first_item,
                      items);
    }

    template <class S>
    grid hash_grid(const row_list<C> &rows, bool values) const {
        return {(rows.count + S::groups - 1) / S::groups, hash_threads,
                hash_bytes<S, V, C>(values)};
    }

    template <class S>
    tulle_status count_kind(int kind) const {
        row_list<C> rows = rows_of(kind);
        if (rows.count == 0) return TULLE_OK;
        return launch(place, hash_count<S, V, O, C>, hash_grid<S>(rows, false), f, rows, counts);
    }

    grid near_grid(bool values) const {
        int64_t rows = totals.rows[kind_near];
        return {(rows + near_warps - 1) / near_warps, near_threads, near_bytes<V>(values)};
    }
    grid wide_grid(bool values) const {
        return {totals.rows[kind_wide], wide_threads, wide_bytes<V, C>(values)};
    }

    tulle_status count_large() const {
        if (large.count == 0) return TULLE_OK;
        size_t bytes = static_cast<size_t>(item_bound + 1) * sizeof *item_counts;
        GPU_TRY(zero(item_counts, bytes));
        GPU_TRY(launch(place, window_count<V, O, C>,
                       {item_bound, window_threads, window_bytes<V>(shape, false)}, f, large,
                       first_item + large.count, shape, items, item_counts));
        GPU_TRY(exclusive_scan(place, item_counts, item_counts, item_bound + 1));
        return launch(place, add_items<C>, loop_grid(large.count), large, first_item, item_counts,
                      counts);
    }

    /* Counts become offsets; *nnz is the last. */
    tulle_status count(int64_t *nnz) const {
        GPU_TRY(count_kind<small_shape>(kind_small));
        GPU_TRY(count_kind<medium_shape>(kind_medium));
        GPU_TRY(count_kind<longer_shape>(kind_longer));
        GPU_TRY(
            launch(place, near_count<V, O, C>, near_grid(false), f, rows_of(kind_near), counts));
        GPU_TRY(
            launch(place, wide_count<V, O, C>, wide_grid(false), f, rows_of(kind_wide), counts));
        GPU_TRY(count_large());
        GPU_TRY(zero(counts + f.rows, sizeof *counts));
        GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
        return to_host(place, nnz, counts + f.rows, sizeof *nnz);
    }

    template <class S>
    tulle_status compute_kind(int kind, const target<V, C> &c) const {
        row_list<C> rows = rows_of(kind);
        if (rows.count == 0) return TULLE_OK;
        return launch(place, hash_compute<S, V, O, C>, hash_grid<S>(rows, true), f, rows, c);
    }

    tulle_status compute() const {
        target<V, C> c = {counts, static_cast<C *>(task->c.cols_of),
                          static_cast<V *>(task->c.values), make_scalar<V>(task->alpha),
                          task->unsorted};
        GPU_TRY(compute_kind<small_shape>(kind_small, c));
        GPU_TRY(compute_kind<medium_shape>(kind_medium, c));
        GPU_TRY(compute_kind<longer_shape>(kind_longer, c));
        GPU_TRY(launch(place, near_compute<V, O, C>, near_grid(true), f, rows_of(kind_near), c));
        GPU_TRY(launch(place, wide_compute<V, O, C>, wide_grid(true), f, rows_of(kind_wide), c));
        if (large.count == 0) return TULLE_OK;
        return launch(place, window_compute<V, O, C>,
                      {item_bound, window_threads, window_bytes<V>(shape, true)}, f, large,
                      first_item + large.count, shape, items, first_item, item_counts, c);
    }

    tulle_status put_offsets() const {
        tulle__spgemm_result *c = &task->c;
        int64_t size = tulle_offset_size(c->index);
        return launch(place, put_offsets_kernel, loop_grid(f.rows + 1), f.rows + 1, counts, size,
                      c->offsets);
    }
};

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    product<V, O, C> p(task);
    int64_t nnz = 0;
    GPU_TRY(p.analyse());
    GPU_TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    GPU_TRY(p.count(&nnz));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    GPU_TRY(task->make_c(task, nnz));
    GPU_TRY(p.compute());
    GPU_TRY(p.put_offsets());
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_auto);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_auto) = {
    .head = {.name = "spgemm_auto",
             .summary =
                 "rows by their products and columns: tables or bitmaps of lanes, a warp, a block",
             .source = "this library; rows by products and tables in shared memory: paper 4",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = GPU_RUN_ALL(gpu::run),
};
