/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the entries of tiles into lists by bucket, in runs. */
#ifndef TULLE_MATRIX_FILL_BUCKETS_CUH
#define TULLE_MATRIX_FILL_BUCKETS_CUH

#include "matrix/bucket_cut.cuh"
#include "matrix/tile_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A block's tile on its way. At first a warp has neighbours in columns and rows; later a thread
 * has some slots. */
template <class O, class C>
struct filled_tile {
    static constexpr int rounds = tile_entries / order_threads;

    const bucket_cut<O, C> &a;
    int64_t first; /* first entry of the tile */
    int count, me, mine;
    int64_t row, row_end; /* first row of the tile, and the row behind its last */
    bool near;            /* true when rows are few enough to be marked */
    tile_order<tile_entries> tile;
    tile_rows rows;
    shared<unsigned> heads, columns;
    shared<O> start_of; /* places of the tile's entries in each bucket */
    unsigned column[rounds];
    int slot[rounds];
    own_slots<O, rounds> own;

    GPU_FUNCTION void ask_columns() {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = mine + r * warp_lanes;
            column[r] = e < count ? static_cast<unsigned>(load_once(a.cols_of + first + e)) : 0;
        }
    }
    GPU_FUNCTION void find_rows(const C *first_rows) {
        const int64_t next = static_cast<int64_t>(block()) + 1;
        row = load(first_rows + block());
        row_end = next < a.tiles ? load(first_rows + next) + int64_t{1} : a.rows;
        near = row_end - row <= tile_rows::most_rows;
    }
    /* Gives entries slots in their bucket, in any order, and stores the index and the row of each
     * entry there. */
    GPU_FUNCTION void put_heads(const O *starts) {
        rows.clear(tile_entries);
        tile.clear();
        const O *own_starts = starts + static_cast<int64_t>(block()) * a.buckets;
        for (int b = me; b < a.buckets; b += order_threads) start_of[b] = load(own_starts + b);
        if (near) rows.mark(a.offsets + row, static_cast<int>(row_end - row), first, count);
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const bool some = mine + r * warp_lanes < count;
            slot[r] = some ? tile.add(static_cast<int>(column[r] >> a.shift)) : 0;
        }
        const bool many = tile.scan();
        const int word = me / warp_lanes * rounds;
        unsigned row_before = rows.before(word);
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = mine + r * warp_lanes;
            const unsigned its_row = rows.of(word + r, &row_before);
            if (e >= count) continue;
            slot[r] += tile.begin(static_cast<int>(column[r] >> a.shift));
            heads[slot[r]] = head_of(e, its_row);
        }
        if (many) tile.rank_many(columns);
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            if (mine + r * warp_lanes < count) columns[slot[r]] = column[r];
        }
        sync();
    }
    /* Finds the places of entries in the lists; columns and rows go there. */
    template <class P>
    GPU_FUNCTION void send_heads(const entry_lists<P, C> &to) {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int p = me + r * order_threads;
            own.place[r] = 0;
            own.entry[r] = 0;
            if (p >= count) continue;
            const unsigned head = heads[p], its_column = columns[p];
            const int b = static_cast<int>(its_column >> a.shift);
            own.entry[r] = entry_of(head);
            own.place[r] = start_of[b];
            own.place[r] += tile.rank(p, head, b);
            to.lows[own.place[r]] = static_cast<uint16_t>(its_column & ((1u << a.shift) - 1));
            if (near) to.rows_of[own.place[r]] = static_cast<C>(row + (head & head_mask));
        }
        sync();
    }
    /* Stores the rows of entries; rows that are not marked are searched. */
    GPU_FUNCTION void send_rows(shared<C> staged, C *rows_of) const {
        GPU_KEEP_LOOP
        for (int e = me; e < count; e += order_threads) {
            staged[e] = static_cast<C>(row_of_entry(a.offsets, a.rows, first + e, row));
        }
        spread(staged, count, own, rows_of);
        sync();
    }
    template <class P>
    GPU_FUNCTION void send_payload(shared<P> staged, const P *values, P *payload) const {
        GPU_UNROLL
        for (int r = 0; r < rounds; r++) {
            const int e = me + r * order_threads;
            if (e < count) staged[e] = payload_of(values, first + e);
        }
        spread(staged, count, own, payload);
    }
};

/* Moves the entries of a tile into the lists. */
template <class P, class O, class C>
GPU_KERNEL GPU_RESIDENT(order_threads, 2) void fill_buckets(bucket_cut<O, C> a, const O *starts,
                                                            const C *first_rows, const P *values,
                                                            entry_lists<P, C> to) {
    GPU_DYNAMIC_SHARED(uint64_t, all);
    GPU_SHARED(uint16_t, numbers, tile_entries);
    GPU_SHARED(unsigned, row_starts, tile_entries / 32);
    GPU_SHARED(int, room, order_warps);
    using tile_type = filled_tile<O, C>;
    const int me = static_cast<int>(thread());
    const int64_t first = static_cast<int64_t>(block()) * tile_entries;
    shared<unsigned> words = shared<unsigned>(all);
    shared<unsigned> heads = part_of(words, 0, tile_entries);
    shared<O> start_room = shared<O>(all + tile_entries);
    shared<int> begins = part_of(shared<int>(start_room + a.buckets), 0, a.buckets + 1);
    tile_type tile = {a,
                      first,
                      entries_of_tile(a, first),
                      me,
                      me / warp_lanes * tile_type::rounds * warp_lanes + me % warp_lanes,
                      0,
                      0,
                      false,
                      tile_order<tile_entries>(begins, a.buckets, heads, numbers, room),
                      tile_rows(row_starts, numbers),
                      heads,
                      part_of(words, tile_entries, tile_entries),
                      part_of(start_room, 0, a.buckets),
                      {},
                      {},
                      {}};
    tile.ask_columns();
    tile.find_rows(first_rows);
    tile.put_heads(starts);
    tile.send_heads(to);
    if (!tile.near) tile.send_rows(shared<C>(all), to.rows_of);
    tile.send_payload(shared<P>(all), values, to.payload);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
