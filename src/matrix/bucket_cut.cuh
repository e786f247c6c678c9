/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts columns into buckets and entries into tiles, and counts the entries of each tile in each
 * bucket. */
#ifndef TULLE_MATRIX_BUCKET_CUT_CUH
#define TULLE_MATRIX_BUCKET_CUT_CUH

#include "gpu/fetch.cuh"
#include "matrix/entry.cuh"
#include "matrix/tile_order.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Entries of a tile and of a bucket that shared memory holds while two blocks run at once. */
constexpr int tile_entries = 8192, bucket_entries = 9216;

/* Limits of the number of buckets: a bucket has some thousand entries, and so has a tile some
 * for each bucket, unless the columns of a bucket would then be too many. */
constexpr int64_t mean_entries = 4096, usual_buckets = 2048, most_buckets = 4096;
constexpr int most_shift = 14;

constexpr int64_t most_columns = most_buckets << most_shift;
static_assert(most_columns <= INT32_MAX && most_shift <= head_bits, "columns have their bits");

template <class O, class C>
struct bucket_cut {
    int64_t rows, cols, nnz, tiles;
    const O *offsets;
    const C *cols_of;
    int shift, buckets; /* column j is in bucket j >> shift */
};

/* Entries by bucket: their rows, their values or numbers (payload), and their columns within the
 * bucket (lows). */
template <class P, class C>
struct entry_lists {
    C *rows_of;
    P *payload;
    uint16_t *lows;
};

template <class O, class C>
GPU_FUNCTION int entries_of_tile(const bucket_cut<O, C> &a, int64_t first) {
    return a.nnz - first < tile_entries ? static_cast<int>(a.nnz - first) : tile_entries;
}

/* Number of blocks whose warps find the first rows of tiles, one each. */
template <class O, class C>
int64_t finding_blocks(const bucket_cut<O, C> &a) {
    return (a.tiles + order_warps - 1) / order_warps;
}

/* Counts the entries of tile t in bucket b into starts[t * buckets + b], from which tile_starts.cuh
 * makes starts; and finds the first row of each tile. The search for a row waits for memory five
 * times, so thread blocks of their own search, and no counting block waits for a search. */
template <class O, class C>
GPU_KERNEL void count_tile(bucket_cut<O, C> a, int64_t finding, O *starts, C *first_rows) {
    GPU_SHARED(int, counts, most_buckets);
    constexpr int rounds = tile_entries / order_threads;
    const int me = static_cast<int>(thread());
    if (block() < finding) {
        const int64_t its = loop_first() / warp_lanes;
        if (its >= a.tiles) return;
        const int64_t row = find_row(a.offsets, 0, a.rows, its * tile_entries);
        if (lane() == 0) first_rows[its] = static_cast<C>(row);
        return;
    }
    const int64_t tile = block() - finding, first = tile * tile_entries;
    const int count = entries_of_tile(a, first);
    int bucket[rounds];
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * order_threads;
        bucket[r] = e < count ? static_cast<int>(load(a.cols_of + first + e) >> a.shift) : 0;
    }
    for (int b = me; b < a.buckets; b += order_threads) counts[b] = 0;
    sync();
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * order_threads < count) atomic_add(counts + bucket[r], 1);
    }
    sync();
    for (int b = me; b < a.buckets; b += order_threads) {
        const int some = counts[b];
        starts[tile * a.buckets + b] = some;
    }
}

template <class O, class C>
GPU_FUNCTION int64_t bucket_start(const bucket_cut<O, C> &a, const O *starts, int64_t bucket) {
    return bucket < a.buckets ? static_cast<int64_t>(load(starts + bucket)) : a.nnz;
}

/* The numbers in a thread's slots, and the places to which they go. */
template <class O, int rounds>
struct own_slots {
    O place[rounds];
    int entry[rounds];
};

/* Stores numbers that shared memory has for a tile's entries at their places. */
template <int rounds, class T, class O>
GPU_FUNCTION void spread(shared<T> staged, int count, const own_slots<O, rounds> &own, T *to) {
    const int me = static_cast<int>(thread());
    sync();
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * order_threads < count) to[own.place[r]] = staged[own.entry[r]];
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
