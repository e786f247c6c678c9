/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix. Where entries are few, columns are sorted, and rows with them. Of
 * more, columns are cut into buckets. Each tile of entries is put in the order of its buckets in
 * shared memory, from where it goes out in runs; then each bucket is put in the order of its
 * columns in the same way. An entry is read and written twice; where all buckets fit in shared
 * memory, in the arrays of the result itself, beside which it takes two bytes. All orders are
 * stable, so the entries of a column stay in the order of their rows. */
#include "format/functions.h"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "matrix/fill_buckets.cuh"
#include "matrix/functions.h"
#include "matrix/sort_buckets.cuh"
#include "matrix/sort_columns.cuh"
#include "matrix/tile_starts.cuh"

namespace {

/* Number of entries beyond which the passes of a sort take longer than those over buckets, which
 * are few but slow where they cannot fill a device; the sort also takes 24 bytes an entry and
 * more. */
constexpr int64_t few_entries_to_sort = int64_t{1} << 23;

/* Cuts columns into no more buckets than the entries are good for, unless a bucket would have
 * too many columns. */
template <class O, class C>
gpu::bucket_cut<O, C> cut_columns(const tulle__pattern_view *csr) {
    gpu::bucket_cut<O, C> a = {csr->rows,
                               csr->cols,
                               csr->nnz,
                               csr->nnz / gpu::tile_entries + (csr->nnz % gpu::tile_entries != 0),
                               static_cast<const O *>(csr->offsets),
                               static_cast<const C *>(csr->cols_of),
                               0,
                               0};
    int64_t wanted = a.nnz / gpu::mean_entries < gpu::usual_buckets ? a.nnz / gpu::mean_entries
                                                                    : gpu::usual_buckets;
    while (a.shift < gpu::most_shift && (a.cols - 1) >> a.shift > 0 &&
           (a.cols - 1) >> a.shift >= wanted) {
        a.shift++;
    }
    a.buckets = static_cast<int>((a.cols - 1) >> a.shift) + 1;
    return a;
}

/* Finds the places of tiles in buckets, and cuts large buckets. */
template <class O, class C>
tulle_status count_buckets(const tulle__place *place, const gpu::bucket_cut<O, C> &a, O *starts,
                           C *first_rows, O *sums, gpu::large_buckets<O> *large) {
    O tiles = 0;
    const int64_t runs = gpu::runs_of(a), numbers = runs * a.buckets;
    const int64_t finding = gpu::finding_blocks(a);
    GPU_TRY(gpu::launch(place, gpu::count_tile<O, C>, {a.tiles + finding, gpu::order_threads}, a,
                        finding, starts, first_rows));
    GPU_TRY(
        gpu::launch(place, gpu::sum_runs<O, C>, gpu::loop_grid(numbers), a, runs, starts, sums));
    GPU_TRY(gpu::exclusive_scan(place, sums, sums, numbers));
    GPU_TRY(
        gpu::launch(place, gpu::start_runs<O, C>, gpu::loop_grid(numbers), a, runs, sums, starts));
    GPU_TRY(gpu::launch(place, gpu::count_large<O, C>, gpu::loop_grid(a.buckets + int64_t{1}), a,
                        starts, large->begins));
    GPU_TRY(gpu::exclusive_scan(place, large->begins, large->begins, a.buckets + int64_t{1}));
    GPU_TRY(gpu::to_host(place, &tiles, large->begins + a.buckets, sizeof tiles));
    large->tiles = tiles;
    return TULLE_OK;
}

template <class P, class O, class C>
tulle_status fill(const tulle__place *place, const gpu::bucket_cut<O, C> &a, const O *starts,
                  const C *first_rows, const P *values, const gpu::entry_lists<P, C> &lists) {
    const size_t tables = static_cast<size_t>(a.buckets) * (sizeof(O) + sizeof(int));
    const size_t shared = gpu::tile_entries * sizeof(uint64_t) + tables + sizeof(uint64_t);
    return gpu::launch(place, gpu::fill_buckets<P, O, C>, {a.tiles, gpu::order_threads, shared}, a,
                       starts, first_rows, values, lists);
}

template <class P, class O, class C>
tulle_status sort(const tulle__place *place, const gpu::bucket_cut<O, C> &a, const O *starts,
                  const gpu::large_buckets<O> &large, const gpu::entry_lists<P, C> &lists,
                  O *offsets, C *rows_of, P *values) {
    const size_t table = sizeof(int) << a.shift;
    const size_t shared = (gpu::sort_words<C> + 1) * sizeof(uint64_t) + table;
    const int64_t numbers = large.tiles << a.shift;
    if (large.tiles > 0) {
        GPU_TRY(gpu::launch(place, gpu::count_keys<O, C>, {large.tiles, gpu::order_threads, table},
                            a, starts, large, lists.lows));
        GPU_TRY(gpu::exclusive_scan(place, large.starts, large.starts, numbers));
    }
    return gpu::launch(place, gpu::sort_buckets<P, O, C>,
                       {a.buckets + large.tiles, gpu::order_threads, shared}, a, starts, large,
                       lists, offsets, rows_of, values);
}

/* Gets memory for the tables of large buckets, and for lists beside the result. */
template <class P, class O, class C>
tulle_status get_large(const tulle__place *place, gpu::scratch *memory,
                       const gpu::bucket_cut<O, C> &a, gpu::large_buckets<O> *large,
                       gpu::entry_lists<P, C> *lists) {
    const int64_t numbers = large->tiles << a.shift;
    char *all = nullptr;
    GPU_TRY(memory->get(static_cast<int64_t>(gpu::part_bytes<O>(numbers) +
                                             gpu::part_bytes<C>(a.nnz) + gpu::part_bytes<P>(a.nnz)),
                        &all));
    gpu::parts cut(place, all);
    GPU_TRY(cut.take(numbers, &large->starts));
    GPU_TRY(cut.take(a.nnz, &lists->rows_of));
    return cut.take(a.nnz, &lists->payload);
}

/* Transposes by buckets. *done stays false where tables would take more than the entries. */
template <class P, class O, class C>
tulle_status by_buckets(const tulle__place *place, const tulle__turning *job, bool *done) {
    const gpu::bucket_cut<O, C> a = cut_columns<O, C>(job->csr);
    gpu::scratch memory(place);
    O *starts = nullptr, *sums = nullptr;
    C *first_rows = nullptr;
    gpu::large_buckets<O> large = {};
    auto rows_of = static_cast<C *>(job->out_cols);
    auto payload = static_cast<P *>(job->perm ? static_cast<void *>(job->perm) : job->out_values);
    gpu::entry_lists<P, C> lists = {rows_of, payload, nullptr};
    const int64_t buckets = a.buckets, counts = a.tiles * buckets;
    const int64_t numbers = gpu::runs_of(a) * buckets;
    char *all = nullptr; /* all scratch, in one request, for each request takes its time */
    GPU_TRY(memory.get(
        static_cast<int64_t>(gpu::part_bytes<O>(counts) + gpu::part_bytes<O>(numbers) +
                             gpu::part_bytes<C>(a.tiles) + gpu::part_bytes<O>(buckets + 1) +
                             gpu::part_bytes<uint16_t>(a.nnz)),
        &all));
    gpu::parts cut(place, all);
    GPU_TRY(cut.take(counts, &starts));
    GPU_TRY(cut.take(numbers, &sums));
    GPU_TRY(cut.take(a.tiles, &first_rows));
    GPU_TRY(cut.take(buckets + 1, &large.begins));
    GPU_TRY(cut.take(a.nnz, &lists.lows));
    GPU_TRY(count_buckets(place, a, starts, first_rows, sums, &large));
    if (large.tiles << a.shift > a.nnz) return TULLE_OK;
    if (large.tiles > 0) GPU_TRY(get_large(place, &memory, a, &large, &lists));
    GPU_TRY(fill(place, a, starts, first_rows, static_cast<const P *>(job->values), lists));
    GPU_TRY(sort(place, a, starts, large, lists, static_cast<O *>(job->offsets), rows_of, payload));
    *done = true;
    return TULLE_OK;
}

template <class P>
tulle_status by_buckets_wide(const tulle__place *place, const tulle__turning *job, bool *done) {
    switch (job->csr->index) {
        case TULLE_I32:
            return by_buckets<P, int32_t, int32_t>(place, job, done);
        case TULLE_I64_I32:
            return by_buckets<P, int64_t, int32_t>(place, job, done);
        default:
            return by_buckets<P, int64_t, int64_t>(place, job, done);
    }
}

bool have_buckets(const tulle__pattern_view *csr) {
    return csr->nnz > 0 && csr->cols <= gpu::most_columns;
}

template <class P, class O, class C>
tulle_status by_columns(const tulle__place *place, const tulle__turning *job) {
    const int64_t rows = job->csr->rows, cols = job->csr->cols, nnz = job->csr->nnz;
    const auto offsets = static_cast<const O *>(job->csr->offsets);
    const auto cols_of = static_cast<const C *>(job->csr->cols_of);
    void *out = job->perm ? static_cast<void *>(job->perm) : job->out_values;
    constexpr bool own_keys = sizeof(C) != sizeof(uint32_t);
    constexpr bool own_labels = sizeof(P) != sizeof(uint64_t); /* labels have memory of their
                                                                  own, or the result's place */
    gpu::scratch memory(place);
    uint32_t *keys = nullptr, *sorted_keys = nullptr;
    uint64_t *labels = static_cast<uint64_t *>(out), *sorted_labels = nullptr;
    GPU_TRY(memory.reserve((1 + own_keys) * gpu::part_bytes<uint32_t>(nnz) +
                           (1 + own_labels) * gpu::part_bytes<uint64_t>(nnz)));
    if (own_keys) GPU_TRY(memory.get(nnz, &keys));
    if (own_labels) GPU_TRY(memory.get(nnz, &labels));
    GPU_TRY(memory.get(nnz, &sorted_keys));
    GPU_TRY(memory.get(nnz, &sorted_labels));
    /* Half as many threads as entries: a warp searches for its first row, so it has two rounds
     * at least. */
    const gpu::grid half = gpu::loop_grid((nnz + 1) / 2, gpu::loop_blocks_once);
    GPU_TRY(gpu::launch(place, gpu::label_entries<O, C>, half, rows, nnz, offsets, cols_of, keys,
                        labels));
    const void *unsorted = own_keys ? keys : job->csr->cols_of;
    GPU_TRY(gpu::sort_pairs(place, nnz, static_cast<const uint32_t *>(unsorted), sorted_keys,
                            labels, sorted_labels, gpu::key_bits(cols)));
    return gpu::launch(
        place, gpu::write_sorted<P, O, C>, gpu::loop_grid(nnz > cols ? nnz : cols + 1), cols, nnz,
        sorted_keys, sorted_labels, static_cast<const P *>(job->values),
        static_cast<O *>(job->offsets), static_cast<C *>(job->out_cols), static_cast<P *>(out));
}

template <class P>
tulle_status by_columns_wide(const tulle__place *place, const tulle__turning *job) {
    switch (job->csr->index) {
        case TULLE_I32:
            return by_columns<P, int32_t, int32_t>(place, job);
        case TULLE_I64_I32:
            return by_columns<P, int64_t, int32_t>(place, job);
        default:
            return by_columns<P, int64_t, int64_t>(place, job);
    }
}

bool have_labels(const tulle__pattern_view *csr) {
    return csr->nnz <= gpu::most_labelled && csr->rows <= UINT32_MAX && csr->cols <= UINT32_MAX;
}

tulle_status by_pairs(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    const int64_t size = tulle_index_size(csr->index);
    gpu::scratch memory(place);
    char *rows_of = nullptr;
    int64_t nnz = 0;
    GPU_TRY(memory.get(csr->nnz * size, &rows_of));
    GPU_TRY(GPU_SYMBOL(expand_offsets)(place, csr, rows_of));
    // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization): the type is set below
    tulle__coo_to_csr sort = {};
    sort.rows = csr->cols;
    sort.cols = csr->rows;
    sort.nnz = csr->nnz;
    sort.in_index_size = size;
    sort.index = csr->index;
    sort.type = job->type;
    sort.rows_of = csr->cols_of;
    sort.cols_of = rows_of;
    sort.values = job->values;
    sort.offsets = job->offsets;
    sort.out_cols = job->out_cols;
    sort.out_values = job->out_values;
    sort.perm = job->perm;
    sort.host_nnz = &nnz;
    return GPU_SYMBOL(coo_to_csr)(place, &sort);
}

}  // namespace

tulle_status GPU_SYMBOL(turn_csr)(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    const bool wide = job->perm || job->type == TULLE_F64;
    tulle__turning_way way = job->way;
    if (way == TULLE__TURN_BY_SIZE) {
        way = csr->nnz <= few_entries_to_sort ? TULLE__TURN_SORTED : TULLE__TURN_BUCKETS;
    }
    if (way == TULLE__TURN_BUCKETS) {
        bool done = false;
        if (have_buckets(csr)) {
            GPU_TRY(wide ? by_buckets_wide<uint64_t>(place, job, &done)
                         : by_buckets_wide<uint32_t>(place, job, &done));
        }
        if (done) return TULLE_OK;
        way = TULLE__TURN_SORTED;
    }
    if (way == TULLE__TURN_SORTED && have_labels(csr)) {
        return wide ? by_columns_wide<uint64_t>(place, job) : by_columns_wide<uint32_t>(place, job);
    }
    return by_pairs(place, job);
}
