/* SPDX-License-Identifier: Apache-2.0 */
/* The default: rows by their products, a kernel for each kind, entries counted before they are
 * computed, and every sum in the order of A's row. */
#include <string.h>

#include "gpu/primitives.h"
#include "spgemm/gpu/hash_rows.cuh"
#include "spgemm/gpu/near_rows.cuh"
#include "spgemm/gpu/wide_rows.cuh"
#include "spgemm/gpu/windows.cuh"

namespace TULLE_GPU_NAMESPACE {

using long_shape = wide_shape<long_most>;
using widest_shape = wide_shape<wide_most>;

/* One product on its way. Arrays live in scratch. */
template <class V, class O, class C>
struct product {
    tulle__spgemm_task *task;
    const tulle__place *place;
    scratch memory;
    factors<V, O, C> f;
    int64_t kind_rows[kinds] = {}; /* how many of each, of the kinds that are listed now */
    int64_t large_products = 0;
    int64_t *products = nullptr; /* of each row, with its kind */
    int64_t *counts = nullptr;   /* entries of each row, then where rows begin */
    int64_t *sums = nullptr;     /* rows of each kind, and how many of these are listed */
    C *list = nullptr;
    /* Of large rows. */
    row_list<C> large = {};
    window_shape shape = {};
    int64_t item_bound = 0;
    int64_t *first_item = nullptr, *item_counts = nullptr;
    window_item *items = nullptr;

    int64_t held = 0; /* bytes of scratch so far */

    explicit product(tulle__spgemm_task *t)
        : task(t), place(t->place), memory(t->place), f(make_factors<V, O, C>(t)) {}

    row_list<C> rows_of(int kind) const {
        if (kind_rows[kind] == f.rows) return {nullptr, f.rows};
        int64_t before = 0;
        for (int k = kind_tiny; k < kind; k++) before += kind_rows[k];
        return {list + before, kind_rows[kind]};
    }
    bool rows_are_alike() const {
        for (int kind = 0; kind < kinds; kind++) {
            if (kind_rows[kind] == f.rows) return true;
        }
        return false;
    }
    /* A warp's lanes take count_lanes-th parts of a row. */
    grid for_rows(int64_t rows) const { return loop_grid(rows * count_lanes, 8 * loop_blocks); }

    /* Scratch that parts are cut from, or an array. */
    template <class T>
    tulle_status get(int64_t count, T **array) {
        held += count * static_cast<int64_t>(sizeof(T));
        return memory.get(count, array);
    }
    /* What the call may hold at most: what it holds by now, what it may still ask for, C. */
    int64_t bound() const {
        constexpr double scan_bytes = 1 << 16, scan_bytes_a_number = 1.0 / 16;
        double rows = static_cast<double>(f.rows), c = rows * static_cast<double>(task->b.cols);
        if (static_cast<double>(task->products) < c) c = static_cast<double>(task->products);
        double all = static_cast<double>(held) + c * static_cast<double>(sizeof(C) + sizeof(V)) +
                     (rows + 1) * sizeof(int64_t) + scan_bytes + rows * scan_bytes_a_number +
                     static_cast<double>(large.count) * static_cast<double>(sizeof(C));
        if (!list) all += rows * static_cast<double>(sizeof(C));
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    tulle_status zero(void *array, size_t bytes) const {
        return GPU_SYMBOL(set_bytes)(place, array, 0, bytes);
    }

    /* Lists rows of the kinds whose totals the host knows; offsets: NULL for those of counting. */
    tulle_status list_kinds(const int64_t *offsets) {
        if (rows_are_alike()) return TULLE_OK;
        if (!list) GPU_TRY(get(f.rows, &list));
        int64_t *taken = sums + kinds;
        GPU_TRY(GPU_SYMBOL(copy)(place, sums, kind_rows, sizeof kind_rows));
        GPU_TRY(zero(taken, kinds * sizeof *taken));
        return launch(place, list_rows<C>, loop_grid(f.rows), f.rows, products, offsets, sums,
                      taken, list);
    }

    tulle_status analyse() {
        row_totals *totals = nullptr, host;
        long_rows<C> later = {};
        const int64_t long_bound = task->a.nnz / count_alone + 1;
        char *all = nullptr;
        GPU_TRY(get(static_cast<int64_t>(
                        part_bytes<int64_t>(f.rows) + part_bytes<int64_t>(f.rows + 1) +
                        part_bytes<int64_t>(int64_t{2} * kinds) + part_bytes<row_totals>(1) +
                        part_bytes<int64_t>(1) + part_bytes<C>(long_bound)),
                    &all));
        parts cut(place, all);
        GPU_TRY(cut.take(f.rows, &products));
        GPU_TRY(cut.take(f.rows + 1, &counts));
        GPU_TRY(cut.take(int64_t{2} * kinds, &sums));
        GPU_TRY(cut.take(1, &totals));
        GPU_TRY(cut.take(1, &later.count));
        GPU_TRY(cut.take(long_bound, &later.rows));
        GPU_TRY(zero(totals, sizeof *totals));
        GPU_TRY(zero(later.count, sizeof *later.count));
        GPU_TRY(
            launch(place, count_products<V, O, C>, for_rows(f.rows), f, products, totals, later));
        if (task->a.stats->max_row > count_alone) {
            GPU_TRY(launch(place, count_long_rows<V, O, C>,
                           loop_grid(long_bound * loop_threads, loop_blocks_once), f, products,
                           totals, later));
        }
        GPU_TRY(to_host(place, &host, totals, sizeof host));
        memcpy(kind_rows, host.rows, sizeof kind_rows);
        task->products = host.products;
        large_products = host.large_products;
        GPU_TRY(list_kinds(nullptr));
        GPU_TRY(list_items());
        task->bound_bytes = bound();
        return TULLE_OK;
    }

    tulle_status list_items() {
        large = rows_of(kind_large);
        shape = window_shape_for<V>(task->b.cols, task->device->shared_per_block);
        if (large.count == 0) return TULLE_OK;
        const int64_t each = item_products_for(large_products);
        item_bound = large.count + large_products / each;
        char *all = nullptr;
        GPU_TRY(get(static_cast<int64_t>(part_bytes<int64_t>(large.count + 1) +
                                         part_bytes<window_item>(item_bound) +
                                         part_bytes<int64_t>(item_bound + 1)),
                    &all));
        parts cut(place, all);
        GPU_TRY(cut.take(large.count + 1, &first_item));
        GPU_TRY(cut.take(item_bound, &items));
        GPU_TRY(cut.take(item_bound + 1, &item_counts));
        GPU_TRY(launch(place, count_items<C>, loop_grid(large.count + 1), large, task->b.cols, each,
                       products, first_item));
        GPU_TRY(exclusive_scan(place, first_item, first_item, large.count + 1));
        return launch(place, make_items<C>, loop_grid(large.count), large, task->b.cols, first_item,
                      items);
    }

    template <class S>
    grid hash_grid(const row_list<C> &rows, bool values) const {
        return {(rows.count + S::groups - 1) / S::groups, hash_threads,
                hash_bytes<S, V, C>(values)};
    }
    grid near_grid(const row_list<C> &rows, bool values) const {
        return {(rows.count + near_warps - 1) / near_warps, near_threads, near_bytes<V>(values)};
    }
    template <class S>
    grid wide_grid(const row_list<C> &rows, bool values) const {
        return {rows.count, wide_threads, wide_bytes<S, V, C>(values)};
    }
    grid window_grid(bool values) const {
        return {item_bound, window_threads, window_bytes<V>(shape, values)};
    }

    template <class S>
    tulle_status count_hash(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, hash_count<S, V, O, C>, hash_grid<S>(rows, false), f, rows, counts);
    }
    template <class S>
    tulle_status count_wide(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, wide_count<S, V, O, C>, wide_grid<S>(rows, false), f, rows, products,
                      counts);
    }
    tulle_status count_large() const {
        size_t bytes = static_cast<size_t>(item_bound + 1) * sizeof *item_counts;
        GPU_TRY(zero(item_counts, bytes));
        GPU_TRY(launch(place, window_count<V, O, C>, window_grid(false), f, large,
                       first_item + large.count, shape, items, item_counts));
        GPU_TRY(exclusive_scan(place, item_counts, item_counts, item_bound + 1));
        return launch(place, add_items<C>, loop_grid(large.count), large, first_item, item_counts,
                      counts);
    }
    tulle_status count_kind(const tulle__place *on, int kind) const {
        const row_list<C> rows = rows_of(kind);
        switch (kind) {
            case kind_tiny:
                return count_hash<tiny_shape>(on, rows);
            case kind_small:
                return count_hash<small_shape>(on, rows);
            case kind_medium:
                return count_hash<medium_shape>(on, rows);
            case kind_near:
                return launch(on, near_count<V, O, C>, near_grid(rows, false), f, rows, counts);
            case kind_long:
                return count_wide<long_shape>(on, rows);
            case kind_wide:
                return count_wide<widest_shape>(on, rows);
            default:
                return count_large();
        }
    }

    template <class S>
    tulle_status compute_hash(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, hash_compute<S, V, O, C>, hash_grid<S>(rows, true), f, rows, to());
    }
    template <class S>
    tulle_status compute_wide(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, wide_compute<S, V, O, C>, wide_grid<S>(rows, true), f, rows, to());
    }
    tulle_status compute_kind(const tulle__place *on, int kind) const {
        const row_list<C> rows = rows_of(kind);
        switch (kind) {
            case kind_tiny:
                return compute_hash<tiny_shape>(on, rows);
            case kind_small:
                return compute_hash<small_shape>(on, rows);
            case kind_medium:
                return compute_hash<medium_shape>(on, rows);
            case kind_near:
                return launch(on, near_compute<V, O, C>, near_grid(rows, true), f, rows, to());
            case kind_long:
                return compute_wide<long_shape>(on, rows);
            case kind_wide:
                return compute_wide<widest_shape>(on, rows);
            default:
                return launch(on, window_compute<V, O, C>, window_grid(true), f, large,
                              first_item + large.count, shape, items, first_item, item_counts,
                              to());
        }
    }
    target<V, C> to() const {
        return {counts, static_cast<C *>(task->c.cols_of), static_cast<V *>(task->c.values),
                make_scalar<V>(task->alpha), task->unsorted};
    }

    /* Kinds run beside each other; the last one, which alone takes scratch, in the place's own
     * stream. */
    template <class Run>
    tulle_status each_kind(Run run) const {
        int last = kinds - 1;
        while (last > kind_empty && kind_rows[last] == 0) last--;
        side_by_side beside(place);
        for (int kind = kind_tiny; kind < last; kind++) {
            const tulle__place *on = place;
            if (kind_rows[kind] == 0) continue;
            GPU_TRY(beside.next(&on));
            GPU_TRY(run(on, kind));
        }
        if (last > kind_empty) GPU_TRY(run(place, last));
        return beside.join();
    }

    /* Counts become offsets, of which the last is *nnz. */
    tulle_status count(int64_t *nnz) {
        GPU_TRY(zero(counts, static_cast<size_t>(f.rows + 1) * sizeof *counts));
        GPU_TRY(each_kind([&](const tulle__place *on, int kind) { return count_kind(on, kind); }));
        int64_t settled = kind_rows[kind_tiny] + kind_rows[kind_empty] + kind_rows[kind_large];
        if (settled < f.rows) {
            GPU_TRY(zero(sums, kinds * sizeof *sums));
            GPU_TRY(launch(place, tally_to_compute<C>, loop_grid(f.rows, loop_blocks_once), f.rows,
                           products, counts, sums));
            GPU_TRY(GPU_SYMBOL(copy)(place, kind_rows, sums, sizeof kind_rows));
        }
        GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
        GPU_TRY(to_host(place, nnz, counts + f.rows, sizeof *nnz));
        return settled < f.rows ? list_to_compute() : TULLE_OK;
    }

    /* Where large rows are listed, and their items know by number, stays as it is. */
    tulle_status list_to_compute() {
        if (large.rows) {
            C *kept = nullptr;
            GPU_TRY(get(large.count, &kept));
            GPU_TRY(GPU_SYMBOL(copy)(place, kept, large.rows,
                                     static_cast<size_t>(large.count) * sizeof *kept));
            large.rows = kept;
        }
        return list_kinds(counts);
    }

    tulle_status compute() const {
        return each_kind([&](const tulle__place *on, int kind) { return compute_kind(on, kind); });
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
