/* SPDX-License-Identifier: Apache-2.0 */
/* Puts buckets in the order of their columns, each by a block, and large ones by several. */
#ifndef TULLE_MATRIX_SORT_BUCKETS_CUH
#define TULLE_MATRIX_SORT_BUCKETS_CUH

#include "gpu/loop.cuh"
#include "matrix/bucket_cut.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Tiles of buckets that do not fit in shared memory. A bucket has a table of counts, a row for
 * each key and a column for each of its tiles; the tables, scanned, are the places of entries. */
template <class O>
struct large_buckets {
    int64_t tiles;
    O *begins; /* first tile of each bucket */
    O *starts; /* tables of all buckets */
};

/* tiles[b] := the number of tiles of bucket b, for a scan; one more number is for the sum. */
template <class O, class C>
GPU_KERNEL void count_large(bucket_cut<O, C> a, const O *starts, O *tiles) {
    for (int64_t b = loop_first(); b <= a.buckets; b += loop_stride()) {
        const int64_t size = bucket_start(a, starts, b + 1) - bucket_start(a, starts, b);
        tiles[b] = static_cast<O>(
            size > bucket_entries ? (size + bucket_entries - 1) / bucket_entries : 0);
    }
}

/* The work of a block: a bucket, or a tile of a large one. */
struct bucket_tile {
    int64_t begin, end, column; /* first entry, end and first column of the bucket */
    int64_t at;
    int keys, count;
    int64_t number, tiles, table; /* number of the tile in its bucket, number of these tiles, and
                                     beginning of their table; for a large bucket */
};

template <class O, class C>
GPU_FUNCTION bucket_tile tile_of(const bucket_cut<O, C> &a, const O *starts, int64_t bucket,
                                 int64_t number) {
    const int width = 1 << a.shift;
    bucket_tile t = {};
    t.begin = bucket_start(a, starts, bucket);
    t.end = bucket_start(a, starts, bucket + 1);
    t.column = bucket << a.shift;
    t.keys = a.cols - t.column < width ? static_cast<int>(a.cols - t.column) : width;
    t.number = number;
    t.at = t.begin + number * bucket_entries;
    t.count = t.end - t.at < bucket_entries ? static_cast<int>(t.end - t.at) : bucket_entries;
    return t;
}

template <class O, class C>
GPU_FUNCTION bucket_tile tile_of_large(const bucket_cut<O, C> &a, const O *starts, const O *begins,
                                       int64_t tile) {
    const int64_t bucket = row_of_entry(begins, a.buckets, tile, 0);
    const int64_t before = load(begins + bucket);
    bucket_tile t = tile_of(a, starts, bucket, tile - before);
    t.tiles = load(begins + bucket + 1) - before;
    t.table = before << a.shift;
    return t;
}

template <class O, class C>
GPU_KERNEL void count_keys(bucket_cut<O, C> a, const O *starts, large_buckets<O> large,
                           const uint16_t *lows) {
    GPU_DYNAMIC_SHARED(int, counts);
    const int me = static_cast<int>(thread());
    const bucket_tile t = tile_of_large(a, starts, large.begins, block());
    for (int k = me; k < 1 << a.shift; k += order_threads) counts[k] = 0;
    sync();
    for (int e = me; e < t.count; e += order_threads) {
        atomic_add(counts + load(lows + t.at + e), 1);
    }
    sync();
    for (int k = me; k < 1 << a.shift; k += order_threads) {
        const int some = counts[k];
        large.starts[t.table + k * t.tiles + t.number] = some;
    }
}

/* Heads and rows of a bucket, and then the values or numbers that go with them, in shared
 * memory. */
template <class C>
constexpr int sort_words = bucket_entries / 2 *
                           (1 + static_cast<int>(sizeof(C) / sizeof(unsigned)));

/* A block's bucket, or tile of one, on its way. */
template <class O, class C>
struct sorted_tile {
    static constexpr int rounds = bucket_entries / order_threads;

    bucket_tile t;
    tile_order<bucket_entries> tile;
    shared<unsigned> heads, bits;
    shared<C> rows;
    const O *table; /* table of a large bucket, or NULL */
    O base;         /* number from which those in the table, or places in the tile, are counted */
    int me;
    C row[rounds];
    unsigned keyed[rounds]; /* keys, above the slots */
    own_slots<O, rounds> own;

    GPU_FUNCTION O start_of(int k) const {
        return base + (table ? load(table + k * t.tiles) : static_cast<O>(tile.begin(k)));
    }
    template <class P>
    GPU_FUNCTION void ask(const entry_lists<P, C> &from) {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = me + r * order_threads;
            const bool some = e < t.count;
            keyed[r] = some ? unsigned{load(from.lows + t.at + e)} << head_bits : 0;
            row[r] = some ? from.rows_of[t.at + e] : 0;
        }
    }
    /* Counts the entries of keys; returns true when a key has more than a few. */
    GPU_FUNCTION bool count_keys() {
        tile.clear();
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            if (me + r * order_threads >= t.count) continue;
            keyed[r] |= static_cast<unsigned>(tile.add(entry_of(keyed[r])));
        }
        return tile.scan();
    }
    GPU_FUNCTION void put_offsets(const bucket_cut<O, C> &a, O *offsets) const {
        if (t.number != 0) return;
        for (int k = me; k < t.keys; k += order_threads) offsets[t.column + k] = start_of(k);
        if (me == 0 && t.column + t.keys == a.cols) offsets[a.cols] = static_cast<O>(a.nnz);
    }
    /* Stores number and key of each entry in its slot, and its row. */
    GPU_FUNCTION void put_heads(bool many) {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = me + r * order_threads, k = entry_of(keyed[r]);
            if (e >= t.count) continue;
            keyed[r] += static_cast<unsigned>(tile.begin(k));
            heads[keyed[r] & head_mask] = head_of(e, static_cast<unsigned>(k));
        }
        if (many) tile.rank_many(bits);
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            if (me + r * order_threads < t.count) rows[keyed[r] & head_mask] = row[r];
        }
        sync();
    }
    GPU_FUNCTION void send_rows(C *rows_of) {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int p = me + r * order_threads;
            own.place[r] = 0;
            own.entry[r] = 0;
            if (p >= t.count) continue;
            const unsigned head = heads[p];
            const int k = static_cast<int>(head & head_mask);
            own.entry[r] = entry_of(head);
            own.place[r] = start_of(k);
            own.place[r] += tile.rank(p, head, k);
            rows_of[own.place[r]] = rows[p];
        }
        sync();
    }
    template <class P>
    GPU_FUNCTION void send_payload(shared<P> staged, const P *payload, P *values) const {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = me + r * order_threads;
            if (e < t.count) staged[e] = payload[t.at + e];
        }
        spread(staged, t.count, own, values);
    }
};

/* Puts the entries of a bucket, or of a tile of a large one, in the order of columns, and finds
 * where columns begin. The lists may be the result where no bucket is large: all of one is read
 * before it is written. */
template <class P, class O, class C>
GPU_KERNEL GPU_RESIDENT(order_threads, 2) void sort_buckets(bucket_cut<O, C> a, const O *starts,
                                                            large_buckets<O> large,
                                                            entry_lists<P, C> from, O *offsets,
                                                            C *rows_of, P *values) {
    GPU_DYNAMIC_SHARED(uint64_t, all);
    GPU_SHARED(uint16_t, ranks, bucket_entries);
    GPU_SHARED(int, room, order_warps);
    const int64_t number = block();
    const bool is_large = number >= a.buckets;
    const bucket_tile t = is_large ? tile_of_large(a, starts, large.begins, number - a.buckets)
                                   : tile_of(a, starts, number, 0);
    if (!is_large && t.end - t.begin > bucket_entries) return;
    shared<unsigned> heads = part_of(shared<unsigned>(all), 0, bucket_entries);
    shared<uint64_t> apart = all + bucket_entries / 2;
    shared<int> begins = part_of(shared<int>(all + sort_words<C>), 0, (1 << a.shift) + 1);
    const O *table = is_large ? large.starts + t.table : nullptr;
    const O begin = static_cast<O>(t.begin);
    sorted_tile<O, C> tile = {t,
                              tile_order<bucket_entries>(begins, t.keys, heads, ranks, room),
                              heads,
                              part_of(shared<unsigned>(apart), 0, bucket_entries),
                              part_of(shared<C>(apart), 0, bucket_entries),
                              table ? table + t.number : nullptr,
                              table ? begin - load(table) : begin,
                              static_cast<int>(thread()),
                              {},
                              {},
                              {}};
    tile.ask(from);
    const bool many = tile.count_keys();
    tile.put_offsets(a, offsets);
    tile.put_heads(many);
    tile.send_rows(rows_of);
    tile.send_payload(shared<P>(all), from.payload, values);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
