/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of few multiplications by heaps: a thread takes all multiplications of a row into a heap in
 * shared memory, by column and, for those that meet, by their order, and adds them up as they come
 * out. */
#ifndef TULLE_SPGEMM_PUBLISHED_HEAP_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_HEAP_ROWS_CUH

#include "gpu/rounded.cuh"
#include "spgemm/published/gpu/rows_job.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int heap_most = 32, heap_place_bits = 5, heap_threads = 64;
template <class V>
constexpr size_t heap_bytes = size_t{heap_threads} * heap_most *(sizeof(int64_t) + sizeof(V));

/* A heap of (key, value), the least key first; a thread's own, whose places are heap_threads apart,
 * so that neighbours do not meet in a bank. */
template <class V>
struct multiplication_heap {
    shared<int64_t> keys;
    shared<V> values;
    int count;

    GPU_FUNCTION static int at(int place) {
        return place * heap_threads + static_cast<int>(thread());
    }
    GPU_FUNCTION void put(int64_t key, V value) {
        int place = count++;
        while (place > 0) {
            const int above = (place - 1) / 2;
            const int64_t above_key = keys[at(above)];
            if (above_key <= key) break;
            const V above_value = values[at(above)];
            keys[at(place)] = above_key;
            values[at(place)] = above_value;
            place = above;
        }
        keys[at(place)] = key;
        values[at(place)] = value;
    }
    /* Takes the first entry; the last one takes its place, and sinks. */
    GPU_FUNCTION void take(int64_t *key, V *value) {
        *key = keys[at(0)];
        *value = values[at(0)];
        count--;
        const int64_t last_key = keys[at(count)];
        const V last_value = values[at(count)];
        int place = 0;
        for (;;) {
            int below = 2 * place + 1;
            if (below >= count) break;
            int64_t below_key = keys[at(below)];
            if (below + 1 < count) {
                const int64_t other_key = keys[at(below + 1)];
                if (other_key < below_key) {
                    below_key = other_key;
                    below++;
                }
            }
            if (last_key <= below_key) break;
            const V below_value = values[at(below)];
            keys[at(place)] = below_key;
            values[at(place)] = below_value;
            place = below;
        }
        keys[at(place)] = last_key;
        values[at(place)] = last_value;
    }
};

/* Makes the rows of a bin; a row of one multiplication has no heap. */
template <class V, class O, class C, class Place>
GPU_KERNEL void copy_multiplications(rows_job<V, O, C> job, Place place_of, row_list<C> rows) {
    const int64_t k = static_cast<int64_t>(block()) * block_size() + thread();
    if (k >= rows.count) return;
    const factors<V, O, C> &f = job.f;
    const int64_t row = rows.at(k), to = place_of(row), i = job.first + row;
    const O end = load(f.a_offsets + i + 1);
    for (O e = load(f.a_offsets + i); e < end; e++) {
        const C b_row = load(f.a_cols + e);
        const O q = load(f.b_offsets + b_row);
        if (q == load(f.b_offsets + b_row + 1)) continue;
        job.cols[to] = load(f.b_cols + q);
        job.values[to] =
            job.alpha.value() * rounded_product(load(f.a_values + e), load(f.b_values + q));
    }
    job.counts[row] = 1;
}

template <class V, class O, class C, class Place>
GPU_KERNEL void heap_rows(rows_job<V, O, C> job, Place place_of, row_list<C> rows) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    const int64_t k = static_cast<int64_t>(block()) * block_size() + thread();
    if (k >= rows.count) return;
    const int room = heap_threads * heap_most;
    multiplication_heap<V> heap = {part_of(all, 0, room), part_of(shared<V>(all + room), 0, room),
                                   0};
    const factors<V, O, C> &f = job.f;
    const int64_t row = rows.at(k), i = job.first + row;
    int64_t to = place_of(row), first = to;
    const O end = load(f.a_offsets + i + 1);
    for (O e = load(f.a_offsets + i); e < end; e++) {
        const C b_row = load(f.a_cols + e);
        const O stop = load(f.b_offsets + b_row + 1);
        const V a = load(f.a_values + e);
        for (O q = load(f.b_offsets + b_row); q < stop; q++) {
            const auto column = static_cast<int64_t>(load(f.b_cols + q));
            heap.put(column << heap_place_bits | heap.count,
                     rounded_product(a, load(f.b_values + q)));
        }
    }
    const V alpha = job.alpha.value();
    int64_t column = -1;
    V sum = 0;
    while (heap.count > 0) {
        int64_t key = 0;
        V value = 0;
        heap.take(&key, &value);
        if (key >> heap_place_bits == column) {
            sum += value;
            continue;
        }
        if (column >= 0) {
            job.cols[to] = static_cast<C>(column);
            job.values[to++] = alpha * sum;
        }
        column = key >> heap_place_bits;
        sum = value;
    }
    job.cols[to] = static_cast<C>(column);
    job.values[to++] = alpha * sum;
    job.counts[row] = to - first;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
