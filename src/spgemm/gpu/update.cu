/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a product whose pattern is known: the multiplications of each entry, listed once, where
 * lists fit in memory; else rows by kind, found once, and then one kernel for each kind. Both go
 * without a word to the host. */
#include "spgemm/functions.h"
#include "spgemm/gpu/analysis.cuh"
#include "spgemm/gpu/list_maker.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Kept data: lists, or, where there are none, rows by kind. */
template <class V, class C>
struct known_product {
    rows_by_kind<V, C> rows;
    multiplication_lists lists;
};

/* The rows by kind and the lists of multiplications, while they are made and before they are kept.
 */
template <class V, class O, class C>
struct keeping : analysis<V, O, C> {
    using base = analysis<V, O, C>;
    using base::counts, base::f, base::first_item, base::item_bound, base::item_counts, base::items;
    using base::kind_rows, base::large, base::list, base::memory, base::place,
        base::multiplications;
    using base::task, base::totals, base::zero;
    int64_t *offsets = nullptr, *outside = nullptr;
    multiplication_lists lists = {};
    int64_t list_bytes = 0;

    explicit keeping(tulle__spgemm_task *t) : base(t) {}
    const C *cols() const { return static_cast<const C *>(task->c.cols_of); }

    tulle_status find_kinds() {
        GPU_TRY(base::get(f.rows + 1, &offsets));
        GPU_TRY(launch(place, get_offsets_kernel, loop_grid(f.rows + 1), f.rows + 1,
                       task->c.offsets, tulle_offset_size(task->c.index), offsets));
        GPU_TRY(zero(totals, sizeof *totals));
        GPU_TRY(launch(place, kinds_to_update<V, O, C>, loop_grid(f.rows, loop_blocks_once), f,
                       offsets, cols(), multiplications, totals));
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
            multiplications, offsets, cols(), outside));
        GPU_TRY(launch(place, fit_large_rows<V, O, C>,
                       grid{large.count, window_threads, tile_bytes<window_threads>}, f, large,
                       offsets, cols(), outside));
        GPU_TRY(to_host(place, host, outside, sizeof *host));
        if (*host == none) *host = -1;
        return TULLE_OK;
    }
    /* Lists multiplications; lists.tiles stays 0 where they cannot be kept. */
    tulle_status list_multiplications(int64_t all_multiplications) {
        if (!lists_fit(all_multiplications, task->c.nnz, task->a.nnz, task->b.nnz)) return TULLE_OK;
        list_maker<V, O, C> maker(task, f, offsets, all_multiplications);
        GPU_TRY(maker.make(&memory, &list_bytes));
        lists = maker.lists;
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
    void hand_over_lists(tulle__spgemm_kept *kept) {
        kept->arrays[0] = memory.hand_over(lists.tile);
        kept->arrays[1] = memory.hand_over(lists.begins);
        kept->arrays[2] = memory.hand_over(lists.units);
        kept->bytes = list_bytes;
    }
    void hand_over(tulle__spgemm_kept *kept) {
        static_assert(sizeof(known_product<V, C>) <= sizeof kept->own, "room for what is kept");
        if (lists.tiles > 0) {
            hand_over_lists(kept);
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
    const int64_t multiplications = task->multiplications;
    GPU_TRY(k.find_kinds());
    GPU_TRY(k.find_items());
    GPU_TRY(k.find_outside(host_outside));
    if (*host_outside >= 0) return TULLE_OK;
    /* Without memory for lists, rows by kind do. */
    tulle_status status = k.list_multiplications(multiplications);
    if (status != TULLE_OK && status != TULLE_OUT_OF_MEMORY) return status;
    k.hand_over(kept);
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

/* Number of tiles that are not by runs, for each multiprocessor, from which they get a launch of
 * their own, as more of them run at once without the others. */
constexpr int64_t many_direct = 16;

template <class V>
tulle_status update_listed(const tulle__spgemm_task *task, const multiplication_lists &lists) {
    const V *a = static_cast<const V *>(task->a.values),
            *b = static_cast<const V *>(task->b.values);
    const scalar<V> alpha = make_scalar<V>(task->alpha);
    V *c = static_cast<V *>(task->c.values);
    if (lists.alike) {
        return launch(task->place, update_alike<V>, grid{lists.tiles, list_threads}, lists,
                      task->c.nnz, a, b, alpha, c);
    }
    const int64_t direct = lists.tiles - lists.by_runs;
    const bool apart = direct >= many_direct * task->device->multiprocessors;
    GPU_TRY(launch(task->place, update_lists<V>,
                   grid{apart ? lists.by_runs : lists.tiles, list_threads}, lists, a, b, alpha, c));
    if (!apart) return TULLE_OK;
    return launch(task->place, update_direct<V>, grid{direct, list_threads}, lists, a, b, alpha, c);
}

template <class V, class O, class C>
tulle_status update(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    known_product<V, C> own;
    memcpy(&own, kept->own, sizeof own);
    if (own.lists.tiles > 0) return update_listed<V>(task, own.lists);
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
    return gpu::keep_of[tulle__values_of(task->type)][task->index](task, kept, outside);
}

tulle_status GPU_SYMBOL(update_product)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return gpu::update_of[tulle__values_of(task->type)][task->index](task, kept);
}
