/* SPDX-License-Identifier: Apache-2.0 */
/* Analysis of a product before anything is counted: the multiplications of each row, its kind, and
 * lists of rows by kind. */
#ifndef TULLE_SPGEMM_GPU_ANALYSIS_CUH
#define TULLE_SPGEMM_GPU_ANALYSIS_CUH

#include <string.h>

#include "gpu/primitives.h"
#include "spgemm/gpu/rows_by_kind.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The analysis and its arrays, which live in scratch. */
template <class V, class O, class C>
struct analysis : rows_by_kind<V, C> {
    using by_kind = rows_by_kind<V, C>;
    using by_kind::first_item, by_kind::item_bound, by_kind::item_counts, by_kind::items;
    using by_kind::kind_rows, by_kind::large, by_kind::list, by_kind::shape, by_kind::counts;

    tulle__spgemm_task *task;
    const tulle__place *place;
    scratch memory;
    factors<V, O, C> f;
    int64_t large_multiplications = 0;
    int lightest = kind_empty; /* lightest kind in use: rows of lighter kinds are treated as rows
                                  of this kind */
    bool in_turn = false;      /* true when most merged rows have the columns of the row before
                                  them, or these moved by one */
    int fuller = kind_merged;  /* kind that rows of kind_fuller are treated as */
    bool sorts = false;        /* true when rows may be sorted in registers */
    int64_t *multiplications = nullptr; /* number of multiplications of each row, with its kind */
    int64_t *sums = nullptr; /* rows of each kind, and the number of these that are listed */
    row_totals *totals = nullptr;

    int64_t held = 0; /* bytes of scratch so far */

    explicit analysis(tulle__spgemm_task *t)
        : task(t), place(t->place), memory(t->place), f(make_factors<V, O, C>(t)) {
        by_kind::row_count = f.rows;
    }

    tulle_status count_all_multiplications(const long_rows<C> &later) const {
        if (task->a.stats->max_row <= count_by_one) {
            return launch(place, count_multiplications<1, V, O, C>,
                          loop_grid(f.rows, loop_blocks_once), f, multiplications, totals, later,
                          sorts);
        }
        return launch(place, count_multiplications<count_lanes, V, O, C>,
                      loop_grid(f.rows * count_lanes, 8 * loop_blocks), f, multiplications, totals,
                      later, sorts);
    }

    /* Allocates scratch: one array, or memory from which several arrays are cut. */
    template <class T>
    tulle_status get(int64_t count, T **array) {
        held += count * static_cast<int64_t>(sizeof(T));
        return memory.get(count, array);
    }
    tulle_status zero(void *array, size_t bytes) const {
        return GPU_SYMBOL(set_bytes)(place, array, 0, bytes);
    }

    /* Lists the rows of each kind, of which kind_rows has the number. offsets: offsets of C, by
     * which the kinds for computing are found; NULL: the kinds for counting are listed. */
    tulle_status list_kinds(const int64_t *offsets) {
        return list_kinds_by(listed_kind{multiplications, offsets, lightest, fuller});
    }
    /* Lists the rows of each kind, where kind_of_row(i) is the kind of row i. */
    template <class KindOf>
    tulle_status list_kinds_by(KindOf kind_of_row) {
        if (by_kind::rows_are_alike()) return TULLE_OK;
        if (!list) GPU_TRY(get(f.rows, &list));
        int64_t *taken = sums + kinds;
        GPU_TRY(GPU_SYMBOL(copy)(place, sums, kind_rows, sizeof kind_rows));
        GPU_TRY(zero(taken, kinds * sizeof *taken));
        return launch(place, list_rows<kinds, C, KindOf>, loop_grid(f.rows), f.rows, kind_of_row,
                      sums, taken, list);
    }

    /* Joins light kinds where rows are so few that all can be computed at the same time, one
     * warp per row: the launches of a kind then cost more than the kind saves, so all rows that
     * fit in a warp's table become one kind. */
    void join_light_kinds() {
        constexpr int64_t rows_at_once = 32; /* rows that a multiprocessor has at once */
        if (f.rows > rows_at_once * task->device->multiprocessors || by_kind::rows_are_alike())
            return;
        lightest = kind_medium;
        for (int kind = kind_empty; kind < lightest; kind++) {
            kind_rows[lightest] += kind_rows[kind];
            kind_rows[kind] = 0;
        }
    }

    /* Finds the multiplications and the kinds of all rows, and the totals of the kinds.
     * with_list: also takes memory for the list of rows, since one request takes less time than
     * two. */
    tulle_status look_at_rows(bool with_list) {
        long_rows<C> later = {};
        const int64_t long_bound = task->a.nnz / count_alone + 1;
        char *all = nullptr;
        GPU_TRY(get(static_cast<int64_t>(
                        part_bytes<int64_t>(f.rows) + part_bytes<int64_t>(f.rows + 1) +
                        part_bytes<int64_t>(int64_t{2} * kinds) + part_bytes<row_totals>(1) +
                        part_bytes<C>(long_bound) + (with_list ? part_bytes<C>(f.rows) : 0)),
                    &all));
        parts cut(place, all);
        GPU_TRY(cut.take(f.rows, &multiplications));
        GPU_TRY(cut.take(f.rows + 1, &counts));
        GPU_TRY(cut.take(int64_t{2} * kinds, &sums));
        GPU_TRY(cut.take(1, &totals));
        GPU_TRY(cut.take(long_bound, &later.rows));
        if (with_list) GPU_TRY(cut.take(f.rows, &list));
        later.count = &totals->alone;
        GPU_TRY(zero(totals, sizeof *totals));
        GPU_TRY(count_all_multiplications(later));
        if (task->a.stats->max_row > count_alone) {
            GPU_TRY(launch(place, count_long_rows<V, O, C>,
                           loop_grid(long_bound * loop_threads, loop_blocks_once), f,
                           multiplications, totals, later));
        }
        return read_totals();
    }
    tulle_status read_totals() {
        row_totals host;
        GPU_TRY(to_host(place, &host, totals, sizeof host));
        memcpy(kind_rows, host.rows, sizeof kind_rows);
        task->multiplications = host.multiplications;
        large_multiplications = host.large_multiplications;
        in_turn = 2 * host.shifted > host.compared;
        if (!in_turn) fuller = kind_sorted_64;
        kind_rows[fuller] += kind_rows[kind_fuller];
        kind_rows[kind_fuller] = 0;
        return TULLE_OK;
    }

    /* Bytes of the items, of which there are at most item_bound. */
    int64_t item_bytes() const {
        return static_cast<int64_t>(part_bytes<int64_t>(large.count + 1) +
                                    part_bytes<window_item>(item_bound) +
                                    part_bytes<int64_t>(item_bound + 1));
    }
    tulle_status list_items() {
        large = by_kind::rows_of(kind_large);
        shape = window_shape_for<V>(task->b.cols, task->device->shared_per_block);
        if (large.count == 0) return TULLE_OK;
        const item_rule rule = item_rule_for(task->b.cols, large_multiplications, shape);
        item_bound = large.count * rule.least + large_multiplications / rule.each;
        char *all = nullptr;
        GPU_TRY(get(item_bytes(), &all));
        parts cut(place, all);
        GPU_TRY(cut.take(large.count + 1, &first_item));
        GPU_TRY(cut.take(item_bound, &items));
        GPU_TRY(cut.take(item_bound + 1, &item_counts));
        GPU_TRY(launch(place, count_items<C>, loop_grid(large.count + 1), large, rule,
                       multiplications, first_item));
        GPU_TRY(exclusive_scan(place, first_item, first_item, large.count + 1));
        return launch(place, make_items<C>, loop_grid(large.count), large, task->b.cols, first_item,
                      items);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
