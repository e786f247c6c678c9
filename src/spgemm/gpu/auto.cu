/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_auto, the kernel that runs where none is forced. It sorts the rows of C into kinds by
 * their multiplications, has a device function for each kind, and counts the entries of C before
 * it computes them. Each sum adds its terms in the order of A's row. */
#define TULLE__PARTS 6
#include "gpu/parts.cuh"
#include "spgemm/gpu/analysis.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Makes counts of lengths that are known. */
GPU_KERNEL void put_lengths(int64_t rows, const uint8_t *lengths, int64_t *counts) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) counts[i] = load(lengths + i);
}

/* The kinds of rows of a product that was made before. */
struct kept_kind {
    const uint8_t *ways;
    GPU_FUNCTION int operator()(int64_t i) const { return load(ways + i); }
};

GPU_KERNEL void put_ways(int64_t rows, listed_kind kind_of_row, uint8_t *ways) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        ways[i] = static_cast<uint8_t>(kind_of_row(i));
    }
}

/* The making of one product. */
template <class V, class O, class C>
struct product : analysis<V, O, C> {
    using base = analysis<V, O, C>;
    using base::counts, base::f, base::first_item, base::item_bound, base::item_counts, base::items;
    using base::held, base::kind_rows, base::large, base::list, base::place, base::multiplications;
    using base::in_turn, base::fuller, base::lightest, base::shape, base::sums, base::task,
        base::each_kind, base::zero;
    bool listed_again = false; /* true when rows were listed by their kinds for computing */

    explicit product(tulle__spgemm_task *t) : base(t) { base::sorts = t->b.cols < sorted_columns; }

    /* Bytes that the call may hold at most: the scratch that it holds by now, the scratch that
     * it may still ask for, and C. */
    int64_t bound() const {
        constexpr double scan_bytes = 1 << 16, scan_bytes_a_number = 1.0 / 16;
        double rows = static_cast<double>(f.rows), c = rows * static_cast<double>(task->b.cols);
        if (static_cast<double>(task->multiplications) < c)
            c = static_cast<double>(task->multiplications);
        double all = static_cast<double>(held) + c * static_cast<double>(sizeof(C) + sizeof(V)) +
                     (rows + 1) * sizeof(int64_t) + scan_bytes + rows * scan_bytes_a_number +
                     static_cast<double>(large.count) * static_cast<double>(sizeof(C));
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    tulle_status analyse() {
        GPU_TRY(base::look_at_rows(true));
        base::join_light_kinds();
        GPU_TRY(base::list_kinds(nullptr));
        GPU_TRY(base::list_items());
        task->bound_bytes = bound();
        return TULLE_OK;
    }

    template <class S>
    tulle_status count_hash(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, hash_count<S, V, O, C>, base::template hash_grid<S>(rows, false), f, rows,
                      counts);
    }
    template <class S>
    tulle_status count_wide(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, wide_count<S, V, O, C>, base::template wide_grid<S>(rows, false), f, rows,
                      multiplications, counts);
    }
    template <class S>
    tulle_status count_sorted(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, sorted_count<S, V, O, C>, base::template sorted_grid<S>(rows), f, rows,
                      counts);
    }
    tulle_status count_large() const {
        size_t bytes = static_cast<size_t>(item_bound + 1) * sizeof *item_counts;
        GPU_TRY(zero(item_counts, bytes));
        GPU_TRY(launch(place, window_count<V, O, C>, base::window_grid(false), f, large,
                       first_item + large.count, shape, items, item_counts));
        GPU_TRY(exclusive_scan(place, item_counts, item_counts, item_bound + 1));
        return launch(place, add_items<C>, loop_grid(large.count), large, first_item, item_counts,
                      counts);
    }
    tulle_status count_kind(const tulle__place *on, int kind) const {
        const row_list<C> rows = base::rows_of(kind);
        switch (kind) {
            case kind_few:
            case kind_merged:
                return launch(on, merged_count<V, O, C>, base::merged_grid(rows, false), f, rows,
                              counts);
            case kind_sorted_64:
                return count_sorted<sorted_64>(on, rows);
            case kind_sorted_128:
                return count_sorted<sorted_128>(on, rows);
            case kind_sorted_256:
                return count_sorted<sorted_256>(on, rows);
            case kind_sorted_512:
                return count_sorted<sorted_512>(on, rows);
            case kind_lanes:
                return launch(on, lanes_count<sixteen_lanes, V, O, C>,
                              base::template lanes_grid<sixteen_lanes>(rows), f, rows, counts);
            case kind_small:
                return count_hash<small_shape>(on, rows);
            case kind_medium:
                return count_hash<medium_shape>(on, rows);
            case kind_near:
            case kind_far:
                return launch(on, near_count<V, O, C>, base::near_grid(rows, false), f, rows,
                              counts);
            case kind_long:
                return count_wide<long_shape>(on, rows);
            case kind_wide:
                return count_wide<wider_shape>(on, rows);
            case kind_widest:
                return count_wide<widest_shape<C>>(on, rows);
            case kind_sparse:
                return launch(on, sparse_count<widest_shape<C>, V, O, C>,
                              base::template wide_grid<widest_shape<C>>(rows, false), f, rows,
                              counts);
            default:
                return count_large();
        }
    }

    template <class S>
    tulle_status compute_hash(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, hash_compute<S, V, O, C>, base::template hash_grid<S>(rows, true), f,
                      rows, to());
    }
    template <class S>
    tulle_status compute_wide(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, wide_compute<S, V, O, C>, base::template wide_grid<S>(rows, true), f,
                      rows, to());
    }
    template <class S>
    tulle_status compute_lanes(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, lanes_compute<S, V, O, C>, base::template lanes_grid<S>(rows), f, rows,
                      to());
    }
    template <class S>
    tulle_status compute_sorted(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, sorted_compute<S, V, O, C>, base::template sorted_grid<S>(rows), f, rows,
                      to());
    }
    tulle_status compute_merged(const tulle__place *on, const row_list<C> &rows) const {
        return launch(on, merged_compute<V, O, C>, base::merged_grid(rows, true), f, rows, to());
    }
    tulle_status compute_kind(const tulle__place *on, int kind) const {
        const row_list<C> rows = base::rows_of(kind);
        switch (kind) {
            case kind_few:
                return compute_merged(on, rows);
            case kind_merged:
                return in_turn ? compute_merged(on, rows) : compute_lanes<eight_lanes>(on, rows);
            case kind_sorted_64:
                return compute_sorted<sorted_64>(on, rows);
            case kind_sorted_128:
                return compute_sorted<sorted_128>(on, rows);
            case kind_sorted_256:
                return compute_sorted<sorted_256>(on, rows);
            case kind_sorted_512:
                return compute_sorted<sorted_512>(on, rows);
            case kind_lanes:
                return compute_lanes<sixteen_lanes>(on, rows);
            case kind_small:
                return compute_hash<small_shape>(on, rows);
            case kind_modest:
                return compute_hash<modest_shape>(on, rows);
            case kind_medium:
                return compute_hash<medium_shape>(on, rows);
            case kind_near:
                return launch(on, near_compute<V, O, C>, base::near_grid(rows, true), f, rows,
                              to());
            case kind_long:
                return compute_wide<long_shape>(on, rows);
            case kind_wide:
                return compute_wide<wider_shape>(on, rows);
            case kind_widest:
                return compute_wide<widest_shape<C>>(on, rows);
            case kind_sparse:
                return launch(on, sparse_compute<widest_shape<C>, V, O, C>,
                              base::template wide_grid<widest_shape<C>>(rows, true), f, rows, to());
            default:
                return launch(on, window_compute<V, O, C>, base::window_grid(true), f, large,
                              first_item + large.count, shape, items, first_item, item_counts,
                              to());
        }
    }
    target<V, C> to() const {
        return {counts, static_cast<C *>(task->c.cols_of), static_cast<V *>(task->c.values),
                make_scalar<V>(task->alpha), task->unsorted};
    }

    /* Number of rows whose kind for computing is that of counting. */
    int64_t settled_rows() const {
        int64_t settled =
            kind_rows[kind_large] + kind_rows[kind_small] + kind_rows[kind_sorted_512];
        for (int kind = kind_empty; kind <= kind_sorted_256; kind++) settled += kind_rows[kind];
        if (lightest == kind_medium) settled += kind_rows[kind_medium];
        return settled;
    }
    tulle_status count_kinds() {
        return each_kind(place,
                         [&](const tulle__place *on, int kind) { return count_kind(on, kind); });
    }
    /* Takes the lengths of rows that are known; the windows of large rows are counted all the
     * same. */
    tulle_status take_known() {
        GPU_TRY(launch(place, put_lengths, loop_grid(f.rows), f.rows, task->lengths, counts));
        return large.count > 0 ? count_large() : TULLE_OK;
    }
    /* Counts the entries of each row of C, and turns these counts into offsets; *nnz is the last
     * offset. */
    tulle_status count(int64_t *nnz) {
        GPU_TRY(zero(counts, static_cast<size_t>(f.rows + 1) * sizeof *counts));
        GPU_TRY(task->lengths ? take_known() : count_kinds());
        if (settled_rows() == f.rows) {
            GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
            return to_host(place, nnz, counts + f.rows, sizeof *nnz);
        }
        GPU_TRY(zero(sums, kinds * sizeof *sums));
        GPU_TRY(launch(place, tally_rows<kinds, counted_kind>, loop_grid(f.rows, loop_blocks_once),
                       f.rows, counted_kind{multiplications, counts, lightest, fuller}, sums));
        GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
        GPU_TRY(read_kinds_and_last(nnz));
        listed_again = true;
        return list_to_compute();
    }
    /* Reads the number of rows of each kind and the last offset in one copy, because each copy
     * waits for the device. */
    tulle_status read_kinds_and_last(int64_t *nnz) {
        int64_t host[kinds + 1];
        GPU_TRY(GPU_SYMBOL(copy)(place, sums + kinds, counts + f.rows, sizeof *counts));
        GPU_TRY(to_host(place, host, sums, sizeof host));
        memcpy(kind_rows, host, sizeof kind_rows);
        *nnz = host[kinds];
        return TULLE_OK;
    }

    /* Lists the rows to compute by kind. The list of large rows stays as it is, because items
     * refer to rows by their index in that list. */
    tulle_status list_to_compute() {
        if (large.rows) {
            C *kept = nullptr;
            GPU_TRY(base::get(large.count, &kept));
            GPU_TRY(GPU_SYMBOL(copy)(place, kept, large.rows,
                                     static_cast<size_t>(large.count) * sizeof *kept));
            large.rows = kept;
        }
        return base::list_kinds(counts);
    }

    /* Keeps the kinds of rows for the same product with other numbers, but where there are large
     * rows, whose windows depend on more. */
    tulle_status keep_ways(int64_t nnz) const {
        tulle__spgemm_ways *ways = task->ways;
        static_assert(kinds + 1 <= sizeof ways->own / sizeof *ways->own, "a number for each kind");
        if (!ways || large.count > 0) return TULLE_OK;
        ways->known = true;
        ways->nnz = nnz;
        ways->multiplications = task->multiplications;
        memcpy(ways->own, kind_rows, sizeof kind_rows);
        ways->own[kinds] = in_turn;
        return launch(
            place, put_ways, loop_grid(f.rows), f.rows,
            listed_kind{multiplications, listed_again ? counts : nullptr, lightest, fuller},
            ways->rows);
    }
    /* Finds offsets and lists of rows from lengths and ways that are known, without a look at the
     * operands and without waiting. */
    tulle_status take_ways() {
        const tulle__spgemm_ways *ways = task->ways;
        char *all = nullptr;
        GPU_TRY(base::get(
            static_cast<int64_t>(part_bytes<int64_t>(f.rows + 1) +
                                 part_bytes<int64_t>(int64_t{2} * kinds) + part_bytes<C>(f.rows)),
            &all));
        parts cut(place, all);
        GPU_TRY(cut.take(f.rows + 1, &counts));
        GPU_TRY(cut.take(int64_t{2} * kinds, &sums));
        GPU_TRY(cut.take(f.rows, &list));
        memcpy(kind_rows, ways->own, sizeof kind_rows);
        in_turn = ways->own[kinds] != 0;
        task->multiplications = ways->multiplications;
        task->bound_bytes = bound();
        GPU_TRY(zero(counts + f.rows, sizeof *counts));
        GPU_TRY(launch(place, put_lengths, loop_grid(f.rows), f.rows, task->lengths, counts));
        GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
        return base::list_kinds_by(kept_kind{ways->rows});
    }

    tulle_status compute() const {
        return each_kind(place,
                         [&](const tulle__place *on, int kind) { return compute_kind(on, kind); });
    }
};

/* Makes a product once more, with other numbers. */
template <class V, class O, class C>
tulle_status run_again(tulle__spgemm_task *task) {
    product<V, O, C> p(task);
    GPU_TRY(p.take_ways());
    GPU_TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    GPU_TRY(task->make_c(task, task->ways->nnz));
    GPU_TRY(p.compute());
    GPU_TRY(put_offsets(task, p.counts));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

template <class V, class O, class C>
tulle_status run_auto(tulle__spgemm_task *task) {
    if (task->lengths && task->ways && task->ways->known) return run_again<V, O, C>(task);
    product<V, O, C> p(task);
    int64_t nnz = 0;
    GPU_TRY(p.analyse());
    GPU_TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    GPU_TRY(p.count(&nnz));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    GPU_TRY(task->make_c(task, nnz));
    GPU_TRY(p.compute());
    GPU_TRY(p.keep_ways(nnz));
    GPU_TRY(put_offsets(task, p.counts));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

GPU_PARTS_ALL(run_auto, tulle__spgemm_task *);

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_auto);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_auto) = {
    .head = {.name = "spgemm_auto",
             .summary =
                 "rows by their products and columns: merged in registers, or tables or bitmaps of "
                 "lanes, a warp, a block",
             .source = "this library; rows by products and tables in shared memory: paper 4",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = GPU_RUN_ALL(gpu::run_auto),
};
#endif
