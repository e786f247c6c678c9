/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of entries in any order to CSR, by a stable radix sort of as few bits as the given
 * order of the entries leaves to sort by: none when it is sorted, those of the row when columns
 * ascend (a transpose of sorted rows), else row and column in one key where 64 bits hold both,
 * else one after the other. */
#include "core/search.h"
#include "format/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "matrix/functions.h"

namespace {

/* The entries in their final order. */
template <class In>
struct sorted_entries {
    const uint64_t *keys; /* (row << shift) | column; without columns, shift is 0 */
    const int64_t *perm;  /* number of the given entry that each entry was */
    const In *cols_of;    /* columns given, where keys have none */
    int shift;
    bool packed;

    GPU_FUNCTION int64_t row(int64_t k) const {
        return static_cast<int64_t>(gpu::load(keys + k) >> shift);
    }
    GPU_FUNCTION int64_t column(int64_t k) const {
        if (!packed) return gpu::load(cols_of + perm[k]);
        return static_cast<int64_t>(keys[k] & ((uint64_t{1} << shift) - 1));
    }
    GPU_FUNCTION bool same_place(int64_t a, int64_t b) const {
        return keys[a] == keys[b] && (packed || column(a) == column(b));
    }
};

/* Disorder of the given entries, on which the choice of the sort relies. */
struct falls {
    int places, columns; /* nonzero: places, or columns, fall somewhere */
};

template <class In>
GPU_KERNEL void look(int64_t nnz, const In *rows_of, const In *cols_of, falls *found) {
    bool places = false, columns = false;
    for (int64_t k = gpu::loop_first() + 1; k < nnz; k += gpu::loop_stride()) {
        columns |= cols_of[k] < cols_of[k - 1];
        places |= rows_of[k] < rows_of[k - 1] ||
                  (rows_of[k] == rows_of[k - 1] && cols_of[k] < cols_of[k - 1]);
    }
    places = gpu::any(gpu::full_warp, places);
    columns = gpu::any(gpu::full_warp, columns);
    if (gpu::lane() == 0 && places) gpu::atomic_exchange(&found->places, 1);
    if (gpu::lane() == 0 && columns) gpu::atomic_exchange(&found->columns, 1);
}

/* Makes keys from rows, columns, or both; an array that is not used is NULL. */
template <class In>
GPU_KERNEL void make_keys(int64_t nnz, const In *rows_of, int shift, const In *cols_of,
                          uint64_t *keys) {
    for (int64_t k = gpu::loop_first(); k < nnz; k += gpu::loop_stride()) {
        uint64_t key = rows_of ? static_cast<uint64_t>(rows_of[k]) << shift : 0;
        keys[k] = key | (cols_of ? static_cast<uint64_t>(cols_of[k]) : 0);
    }
}

template <class In>
GPU_KERNEL void make_keys_in_order(int64_t nnz, const In *rows_of, const int64_t *order,
                                   uint64_t *keys) {
    for (int64_t k = gpu::loop_first(); k < nnz; k += gpu::loop_stride()) {
        keys[k] = static_cast<uint64_t>(gpu::load(rows_of + order[k]));
    }
}

GPU_KERNEL void number_entries(int64_t nnz, int64_t *order) {
    for (int64_t k = gpu::loop_first(); k < nnz; k += gpu::loop_stride()) order[k] = k;
}

/* starts[k] := 1 where entry k begins a new place, 0 where it joins the one before; 0 at the end.
 */
template <class In>
GPU_KERNEL void mark_starts(int64_t nnz, sorted_entries<In> entries, int64_t *starts) {
    for (int64_t k = gpu::loop_first(); k <= nnz; k += gpu::loop_stride()) {
        starts[k] = k < nnz && (k == 0 || !entries.same_place(k - 1, k));
    }
}

/* Finds the beginning of each row: the first entry that is not above it. result: place of each
 * entry, or NULL where all stay. */
template <class In, class Offset>
GPU_KERNEL void write_offsets(int64_t rows, int64_t nnz, sorted_entries<In> entries,
                              const int64_t *result, Offset *offsets) {
    for (int64_t row = gpu::loop_first(); row <= rows; row += gpu::loop_stride()) {
        int64_t low = 0;
        TULLE__LOWER_BOUND(low, nnz, middle, entries.row(middle) < row);
        offsets[row] = static_cast<Offset>(result ? result[low] : low);
    }
}

template <class In, class Index>
GPU_KERNEL void write_columns(int64_t nnz, sorted_entries<In> entries, const int64_t *result,
                              Index *columns) {
    for (int64_t k = gpu::loop_first(); k < nnz; k += gpu::loop_stride()) {
        if (result && result[k] == result[k + 1]) continue;
        columns[result ? result[k] : k] = static_cast<Index>(entries.column(k));
    }
}

/* One thread adds up all entries of a place, in their order, as a CPU does. */
template <class Value>
GPU_KERNEL void sum_values(int64_t nnz, const int64_t *perm, const int64_t *result,
                           const Value *values, Value *sums) {
    for (int64_t k = gpu::loop_first(); k < nnz; k += gpu::loop_stride()) {
        if (result[k] == result[k + 1]) continue;
        Value sum = gpu::load(values + perm[k]);
        for (int64_t j = k + 1; j < nnz && result[j] == result[j + 1]; j++) {
            sum += gpu::load(values + perm[j]);
        }
        sums[result[k]] = sum;
    }
}

}  // namespace

template <class In>
static tulle_status look_at_order(const tulle__place *place, const tulle__coo_to_csr *job,
                                  falls *host) {
    gpu::scratch memory(place);
    falls *found = nullptr;
    GPU_TRY(memory.get(1, &found));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, found, 0, sizeof *found));
    GPU_TRY(gpu::launch(place, look<In>, gpu::loop_grid(job->nnz), job->nnz,
                        static_cast<const In *>(job->rows_of),
                        static_cast<const In *>(job->cols_of), found));
    return gpu::to_host(place, host, found, sizeof *host);
}

/* Sorts by one key, which rows_of and cols_of make; either may be NULL. */
template <class In>
static tulle_status sort_once(const tulle__place *place, int64_t nnz, const In *rows_of, int shift,
                              const In *cols_of, int bits, uint64_t *keys, int64_t *perm) {
    gpu::scratch memory(place);
    uint64_t *unsorted = nullptr;
    int64_t *order = nullptr;
    GPU_TRY(memory.get(nnz, &unsorted));
    GPU_TRY(memory.get(nnz, &order));
    GPU_TRY(gpu::launch(place, make_keys<In>, gpu::loop_grid(nnz), nnz, rows_of, shift, cols_of,
                        unsorted));
    GPU_TRY(gpu::launch(place, number_entries, gpu::loop_grid(nnz), nnz, order));
    return gpu::sort_pairs(place, nnz, unsorted, keys, order, perm, bits);
}

/* Sorts by column, then by row, for sizes whose bits do not fit into one key. */
template <class In>
static tulle_status sort_twice(const tulle__place *place, const tulle__coo_to_csr *job,
                               uint64_t *keys, int64_t *perm) {
    const int64_t nnz = job->nnz;
    gpu::scratch memory(place);
    uint64_t *unsorted = nullptr;
    int64_t *order = nullptr;
    GPU_TRY(memory.get(nnz, &unsorted));
    GPU_TRY(memory.get(nnz, &order));
    GPU_TRY(gpu::launch(place, make_keys<In>, gpu::loop_grid(nnz), nnz, nullptr, 0,
                        static_cast<const In *>(job->cols_of), unsorted));
    GPU_TRY(gpu::launch(place, number_entries, gpu::loop_grid(nnz), nnz, perm));
    GPU_TRY(gpu::sort_pairs(place, nnz, unsorted, keys, perm, order, gpu::key_bits(job->cols)));
    GPU_TRY(gpu::launch(place, make_keys_in_order<In>, gpu::loop_grid(nnz), nnz,
                        static_cast<const In *>(job->rows_of), order, unsorted));
    return gpu::sort_pairs(place, nnz, unsorted, keys, order, perm, gpu::key_bits(job->rows));
}

template <class In>
static tulle_status sort_entries(const tulle__place *place, const tulle__coo_to_csr *job,
                                 uint64_t *keys, int64_t *perm, sorted_entries<In> *entries) {
    auto rows_of = static_cast<const In *>(job->rows_of);
    auto cols_of = static_cast<const In *>(job->cols_of);
    const int row_bits = gpu::key_bits(job->rows), column_bits = gpu::key_bits(job->cols);
    const int64_t nnz = job->nnz;
    falls found;
    GPU_TRY(look_at_order<In>(place, job, &found));
    *entries = {keys, perm, cols_of, 0, false};
    if (!found.places) {
        GPU_TRY(gpu::launch(place, number_entries, gpu::loop_grid(nnz), nnz, perm));
        return gpu::launch(place, make_keys<In>, gpu::loop_grid(nnz), nnz, rows_of, 0, nullptr,
                           keys);
    }
    if (!found.columns) {
        const In *no_columns = nullptr;
        return sort_once(place, nnz, rows_of, 0, no_columns, row_bits, keys, perm);
    }
    if (row_bits + column_bits > 64) return sort_twice<In>(place, job, keys, perm);
    entries->shift = column_bits;
    entries->packed = true;
    return sort_once(place, nnz, rows_of, column_bits, cols_of, row_bits + column_bits, keys, perm);
}

/* result[k] := the place of entry k; also counts the results. */
template <class In>
static tulle_status find_results(const tulle__place *place, int64_t nnz,
                                 const sorted_entries<In> &entries, gpu::scratch *memory,
                                 int64_t **result, int64_t *host_nnz) {
    GPU_TRY(memory->get(nnz + 1, result));
    GPU_TRY(gpu::launch(place, mark_starts<In>, gpu::loop_grid(nnz + 1), nnz, entries, *result));
    GPU_TRY(gpu::exclusive_scan<int64_t>(place, *result, *result, nnz + 1));
    return gpu::to_host(place, host_nnz, *result + nnz, sizeof *host_nnz);
}

template <class In, class Offset, class Index>
static tulle_status write_pattern(const tulle__place *place, const tulle__coo_to_csr *job,
                                  const sorted_entries<In> &entries, const int64_t *result) {
    GPU_TRY(gpu::launch(place, write_offsets<In, Offset>, gpu::loop_grid(job->rows + 1), job->rows,
                        job->nnz, entries, result, static_cast<Offset *>(job->offsets)));
    return gpu::launch(place, write_columns<In, Index>, gpu::loop_grid(job->nnz), job->nnz, entries,
                       result, static_cast<Index *>(job->out_cols));
}

template <class Value>
static tulle_status sum(const tulle__place *place, const tulle__coo_to_csr *job,
                        const int64_t *perm, const int64_t *result) {
    return gpu::launch(place, sum_values<Value>, gpu::loop_grid(job->nnz), job->nnz, perm, result,
                       static_cast<const Value *>(job->values),
                       static_cast<Value *>(job->out_values));
}

static tulle_status write_values(const tulle__place *place, const tulle__coo_to_csr *job,
                                 const int64_t *perm, const int64_t *result) {
    if (!job->out_values) return TULLE_OK;
    if (!result) {
        return GPU_SYMBOL(gather_values)(place, job->nnz, job->type, perm, job->values,
                                         job->out_values);
    }
    return job->type == TULLE_F32 ? sum<float>(place, job, perm, result)
                                  : sum<double>(place, job, perm, result);
}

template <class In>
static tulle_status to_csr(const tulle__place *place, const tulle__coo_to_csr *job) {
    const char *what = "sorting entries";
    gpu::scratch memory(place);
    uint64_t *keys = nullptr;
    auto perm = static_cast<int64_t *>(job->perm);
    int64_t *result = nullptr;
    sorted_entries<In> entries;
    GPU_TRY(gpu::services->progress(place->ctx, what, 0, job->nnz));
    GPU_TRY(memory.get(job->nnz, &keys));
    if (!perm) GPU_TRY(memory.get(job->nnz, &perm));
    GPU_TRY(sort_entries<In>(place, job, keys, perm, &entries));
    int64_t nnz = job->nnz;
    if (job->sum_duplicates) {
        GPU_TRY(find_results<In>(place, nnz, entries, &memory, &result, &nnz));
    }
    switch (job->index) {
        case TULLE_I32:
            GPU_TRY((write_pattern<In, int32_t, int32_t>(place, job, entries, result)));
            break;
        case TULLE_I64_I32:
            GPU_TRY((write_pattern<In, int64_t, int32_t>(place, job, entries, result)));
            break;
        case TULLE_I64:
            GPU_TRY((write_pattern<In, int64_t, int64_t>(place, job, entries, result)));
            break;
    }
    GPU_TRY(write_values(place, job, perm, result));
    GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
    *job->host_nnz = nnz;
    return gpu::services->progress(place->ctx, what, job->nnz, job->nnz);
}

tulle_status GPU_SYMBOL(coo_to_csr)(const tulle__place *place, const tulle__coo_to_csr *job) {
    return job->in_index_size == 4 ? to_csr<int32_t>(place, job) : to_csr<int64_t>(place, job);
}
