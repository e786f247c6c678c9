/* SPDX-License-Identifier: Apache-2.0 */
/* Expand, sort, contract: all multiplications of a slice of rows, in the order of A's entries;
 * sorted by row and column, which keeps that order among those that meet; neighbours in one place
 * added up.
 */
#include "spgemm/published/gpu/slices.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { SLICE };
const tulle__param params[] = {
    {"slice", "0: as published, all products at once; else 2^slice at a time, if a row has no more",
     4, slice_values}};

void defaults(const tulle__spgemm_task *, int *values) {
    values[SLICE] = slice_default;
}

/* A term's bits, as the sort carries them. */
template <class V>
GPU_FUNCTION int64_t bits_of(V value) {
    int64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class V>
GPU_FUNCTION V value_of(int64_t bits) {
    V value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A key is row << shift | column. */
template <class V, class O, class C>
GPU_KERNEL void expand(factors<V, O, C> f, multiplication_places<O> places, int64_t entries,
                       row_slice slice, int shift, uint64_t *keys, int64_t *terms) {
    each_in_slice(f, places, entries, slice, [&](int64_t p, int64_t row, O e, O q) {
        keys[p] = static_cast<uint64_t>(row) << shift | static_cast<uint64_t>(load(f.b_cols + q));
        terms[p] = bits_of<V>(load(f.a_values + e) * load(f.b_values + q));
    });
}

/* starts[k] := 1 where a place begins, for a scan; starts[count] := 0. */
GPU_KERNEL void mark_places(int64_t count, const uint64_t *keys, int64_t *starts) {
    for (int64_t k = loop_first(); k <= count; k += loop_stride()) {
        starts[k] = k < count && (k == 0 || load(keys + k) != load(keys + k - 1));
    }
}

/* counts[i] := the number of places of row i, which stand where its multiplications stood. */
template <class O>
GPU_KERNEL void count_places(int64_t rows, place_in_slice<O> place_of, const int64_t *starts,
                             int64_t *counts) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        counts[i] = load(starts + place_of(i + 1)) - load(starts + place_of(i));
    }
}

template <class V, class O, class C>
GPU_KERNEL void contract(int64_t count, place_in_slice<O> place_of, int shift, const uint64_t *keys,
                         const int64_t *terms, const int64_t *starts, scalar<V> scale, C *cols,
                         V *values) {
    const V alpha = scale.value();
    for (int64_t k = loop_first(); k < count; k += loop_stride()) {
        int64_t start = load(starts + k);
        if (start == load(starts + k + 1)) continue;
        const uint64_t key = load(keys + k);
        V sum = value_of<V>(load(terms + k));
        for (int64_t j = k + 1; j < count && load(keys + j) == key; j++) {
            sum += value_of<V>(load(terms + j));
        }
        int64_t first = place_of(static_cast<int64_t>(key >> shift));
        int64_t to = first + start - load(starts + first);
        cols[to] = static_cast<C>(key & ((uint64_t{1} << shift) - 1));
        values[to] = alpha * sum;
    }
}

template <class V, class O, class C>
struct esc_work {
    int shift; /* number of bits of a column */

    /* Bytes of keys and terms, twice, and of the sort's scratch: as much again, and some. */
    int64_t bytes(int64_t multiplications) const {
        constexpr int64_t some = 1 << 20, pair = sizeof(uint64_t) + sizeof(int64_t);
        return (multiplications + 1) * (3 * pair + 1) + scan_bytes(multiplications) + some;
    }
    tulle_status run(const slice_job<V, O, C> &job) const {
        const int64_t count = job.slice.multiplications, rows = job.slice.rows;
        const tulle__place *place = job.place;
        const int bits = shift + key_bits(rows);
        scratch memory(place);
        uint64_t *keys = nullptr, *sorted = nullptr;
        int64_t *terms = nullptr, *in_order = nullptr;
        GPU_TRY(memory.get(count, &keys));
        GPU_TRY(memory.get(count, &sorted));
        GPU_TRY(memory.get(count + 1, &terms));
        GPU_TRY(memory.get(count, &in_order));
        GPU_TRY(launch(place, expand<V, O, C>, loop_grid(count), job.f, job.places, job.entries,
                       job.slice, shift, keys, terms));
        GPU_TRY(sort_pairs(place, count, keys, sorted, terms, in_order, bits));
        int64_t *starts = terms; /* free for starts: terms have been sorted into the other
                                       array */
        GPU_TRY(launch(place, mark_places, loop_grid(count + 1), count, sorted, starts));
        GPU_TRY(exclusive_scan(place, starts, starts, count + 1));
        GPU_TRY(launch(place, count_places<O>, loop_grid(rows), rows, job.place_of(), starts,
                       job.counts));
        return launch(place, contract<V, O, C>, loop_grid(count), count, job.place_of(), shift,
                      sorted, in_order, starts, job.alpha, job.cols, job.values);
    }
};

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    const int slice = task->params[SLICE], most_row_bits = slice == 0 ? 62 : 30;
    const esc_work<V, O, C> work = {key_bits(task->b.cols)};
    const int left = 64 - work.shift;
    task->no_pieces = slice == 0;
    sliced_product<V, O, C, esc_work<V, O, C>> product(
        task, work, slice_multiplications(slice),
        int64_t{1} << (left < most_row_bits ? left : most_row_bits));
    return product.run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_esc);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_esc) = {
    .head = {.name = "spgemm_esc",
             .summary =
                 "expand, sort, contract: all products of some rows, sorted by row and column",
             .source = "Bell, Dalton, Olson, SISC 2012 (CUSP), as paper 4 compares with",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .run = GPU_RUN_ALL(gpu::run),
};
