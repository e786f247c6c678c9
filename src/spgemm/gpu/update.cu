/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a product whose pattern is known: the products of each entry, listed once, where lists
 * may take so much; else rows by kind, found once, and then one kernel for each kind. Both go
 * without a word to the host. */
#include "spgemm/functions.h"
#include "spgemm/gpu/analysis.cuh"
#include "spgemm/gpu/product_lists.cuh"
#include "spgemm/gpu/update_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* What is kept: lists, or, where there are none, rows by kind. */
template <class V, class C>
struct known_product {
    rows_by_kind<V, C> rows;
    product_lists lists;
};

/* How rows are shared out, on its way into what is kept. */
template <class V, class O, class C>
struct keeping : analysis<V, O, C> {
    using base = analysis<V, O, C>;
    using base::counts, base::f, base::first_item, base::item_bound, base::item_counts, base::items;
    using base::kind_rows, base::large, base::list, base::memory, base::place, base::products;
    using base::task, base::totals, base::zero;
    int64_t *offsets = nullptr, *outside = nullptr;
    product_lists lists = {};

    explicit keeping(tulle__spgemm_task *t) : base(t) {}
    const C *cols() const { return static_cast<const C *>(task->c.cols_of); }

    tulle_status find_kinds() {
        GPU_TRY(base::get(f.rows + 1, &offsets));
        GPU_TRY(launch(place, get_offsets_kernel, loop_grid(f.rows + 1), f.rows + 1,
                       task->c.offsets, tulle_offset_size(task->c.index), offsets));
        GPU_TRY(zero(totals, sizeof *totals));
        GPU_TRY(launch(place, kinds_to_update<V, O, C>, loop_grid(f.rows, loop_blocks_once), f,
                       offsets, cols(), products, totals));
        counts = offsets;
        GPU_TRY(base::read_totals());
        return base::list_kinds(nullptr);
    }
    tulle_status find_items() {
        GPU_TRY(base::list_items());
        if (large.count == 0) return TULLE_OK;
        GPU_TRY(zero(item_counts, static_cast<size_t>(item_bound + 1) * sizeof *item_counts));
        GPU_TRY(launch(place, narrow_items<C>, loop_grid(item_bound), large,
                       first_item + large.count, offsets, cols(), items, item_counts));
        return exclusive_scan(place, item_counts, item_counts, item_bound + 1);
    }
    tulle_status find_outside(int64_t *host) {
        constexpr int64_t none = INT64_MAX;
        GPU_TRY(base::get(1, &outside));
        GPU_TRY(GPU_SYMBOL(copy)(place, outside, &none, sizeof none));
        GPU_TRY(launch(
            place, fit_rows<V, O, C>,
            grid{(f.rows * small_shape::lanes + hash_threads - 1) / hash_threads, hash_threads}, f,
            products, offsets, cols(), outside));
        GPU_TRY(launch(place, fit_large_rows<V, O, C>,
                       grid{large.count, window_threads, tile_bytes<window_threads>}, f, large,
                       offsets, cols(), outside));
        GPU_TRY(to_host(place, host, outside, sizeof *host));
        if (*host == none) *host = -1;
        return TULLE_OK;
    }
    /* Where they cannot be kept lists.tiles stays 0. */
    tulle_status list_products(int64_t all_products) {
        const int64_t entries = task->c.nnz, a_nnz = task->a.nnz;
        if (!lists_fit(all_products, entries, a_nnz, task->b.nnz)) return TULLE_OK;
        const grid teams = loop_grid(a_nnz * small_shape::lanes);
        scratch beside(place);
        product_lists l = {entries / list_threads + (entries % list_threads != 0)};
        int32_t *ends = nullptr;
        uint32_t *of_a = nullptr;
        unsigned *unfit = nullptr, unfit_here = 0;
        GPU_TRY(base::get(l.tiles + 1, &l.first_products));
        GPU_TRY(base::get(l.tiles, &l.first_a));
        GPU_TRY(base::get(entries, &l.begins));
        GPU_TRY(base::get(all_products, &l.a));
        GPU_TRY(base::get(all_products, &l.b));
        GPU_TRY(beside.get(entries, &ends));
        GPU_TRY(beside.get(all_products, &of_a));
        GPU_TRY(beside.get(1, &unfit));
        GPU_TRY(zero(unfit, sizeof *unfit));
        GPU_TRY(zero(ends, static_cast<size_t>(entries) * sizeof *ends));
        GPU_TRY(launch(place, count_lists<V, O, C>, teams, f, a_nnz, offsets, cols(), ends));
        GPU_TRY(exclusive_scan(place, ends, ends, entries));
        GPU_TRY(
            launch(place, fill_lists<V, O, C>, teams, f, a_nnz, offsets, cols(), ends, of_a, l.b));
        GPU_TRY(launch(place, sort_lists<O>, grid{l.tiles, list_threads}, f.rows, entries,
                       f.a_offsets, offsets, ends, of_a, l, unfit));
        GPU_TRY(to_host(place, &unfit_here, unfit, sizeof unfit_here));
        if (unfit_here == 0) lists = l;
        return TULLE_OK;
    }
    void hand_over_rows(tulle__spgemm_kept *kept) {
        kept->arrays[0] = memory.hand_over(offsets);
        kept->arrays[1] = memory.hand_over(list);
        kept->arrays[2] = memory.hand_over(first_item);
        kept->bytes = (f.rows + 1) * static_cast<int64_t>(sizeof *offsets);
        if (list) kept->bytes += f.rows * static_cast<int64_t>(sizeof(C));
        if (first_item) kept->bytes += base::item_bytes();
    }
    void hand_over_lists(tulle__spgemm_kept *kept, int64_t all_products) {
        kept->arrays[0] = memory.hand_over(lists.first_products);
        kept->arrays[1] = memory.hand_over(lists.first_a);
        kept->arrays[2] = memory.hand_over(lists.begins);
        kept->arrays[3] = memory.hand_over(lists.a);
        kept->arrays[4] = memory.hand_over(lists.b);
        kept->bytes = lists_bytes(all_products, task->c.nnz);
    }
    void hand_over(tulle__spgemm_kept *kept, int64_t all_products) {
        static_assert(sizeof(known_product<V, C>) <= sizeof kept->own, "room for what is kept");
        if (lists.tiles > 0) {
            hand_over_lists(kept, all_products);
        } else {
            hand_over_rows(kept);
        }
        const known_product<V, C> own = {*this, lists};
        memcpy(kept->own, &own, sizeof own);
    }
};

template <class V, class O, class C>
tulle_status keep(tulle__spgemm_task *task, tulle__spgemm_kept *kept, int64_t *host_outside) {
    keeping<V, O, C> k(task);
    GPU_TRY(k.look_at_rows(false));
    const int64_t products = task->products;
    GPU_TRY(k.find_kinds());
    GPU_TRY(k.find_items());
    GPU_TRY(k.find_outside(host_outside));
    if (*host_outside >= 0) return TULLE_OK;
    /* Without memory for lists, rows do. */
    tulle_status status = k.list_products(products);
    if (status != TULLE_OK && status != TULLE_OUT_OF_MEMORY) return status;
    k.hand_over(kept, products);
    return TULLE_OK;
}

template <class V, class O, class C>
struct updating {
    rows_by_kind<V, C> rows;
    factors<V, O, C> f;
    known_rows<V, C> c;

    template <class S>
    tulle_status update_hash(const tulle__place *on, const row_list<C> &listed) const {
        const grid blocks = {(listed.count + S::groups - 1) / S::groups, hash_threads,
                             hash_update_bytes<S, V, C>};
        return launch(on, hash_update<S, V, O, C>, blocks, f, listed, c);
    }
    template <class S>
    tulle_status update_wide(const tulle__place *on, const row_list<C> &listed) const {
        return launch(on, wide_update<S, V, O, C>, rows.template wide_grid<S>(listed, true), f,
                      listed, c);
    }
    tulle_status update_kind(const tulle__place *on, int kind) const {
        const row_list<C> listed = rows.rows_of(kind);
        switch (kind) {
            case kind_small:
                return update_hash<small_shape>(on, listed);
            case kind_modest:
                return update_hash<modest_shape>(on, listed);
            case kind_medium:
                return update_hash<medium_shape>(on, listed);
            case kind_near:
                return launch(on, near_update<V, O, C>, rows.near_grid(listed, true), f, listed, c);
            case kind_long:
                return update_wide<long_shape>(on, listed);
            case kind_wide:
                return update_wide<wider_shape>(on, listed);
            default:
                return launch(on, window_update<V, O, C>, rows.window_grid(true), f, rows.large,
                              rows.first_item + rows.large.count, rows.shape, rows.items,
                              rows.first_item, rows.item_counts, c);
        }
    }
};

template <class V, class O, class C>
tulle_status update(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    known_product<V, C> own;
    memcpy(&own, kept->own, sizeof own);
    if (own.lists.tiles > 0) {
        return launch(task->place, update_lists<V>, grid{own.lists.tiles, list_threads}, own.lists,
                      task->c.nnz, static_cast<const V *>(task->a.values),
                      static_cast<const V *>(task->b.values), make_scalar<V>(task->alpha),
                      static_cast<V *>(task->c.values));
    }
    updating<V, O, C> u = {own.rows, make_factors<V, O, C>(task), {}};
    u.c = {u.rows.counts, static_cast<const C *>(task->c.cols_of), static_cast<V *>(task->c.values),
           make_scalar<V>(task->alpha)};
    return u.rows.each_kind(
        task->place, [&](const tulle__place *on, int kind) { return u.update_kind(on, kind); });
}

using keep_fn = tulle_status (*)(tulle__spgemm_task *, tulle__spgemm_kept *, int64_t *);
using update_fn = tulle_status (*)(tulle__spgemm_task *, const tulle__spgemm_kept *);
static const keep_fn keep_of[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = GPU_RUN_ALL(keep);
static const update_fn update_of[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = GPU_RUN_ALL(update);

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(keep_product)(tulle__spgemm_task *task, tulle__spgemm_kept *kept,
                                      int64_t *outside) {
    return gpu::keep_of[task->type][task->index](task, kept, outside);
}

tulle_status GPU_SYMBOL(update_product)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return gpu::update_of[task->type][task->index](task, kept);
}
