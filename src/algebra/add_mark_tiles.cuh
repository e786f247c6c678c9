/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass of a sum over tiles, whose threads take equal numbers of items whatever the
 * lengths of rows. */
#ifndef TULLE_ALGEBRA_ADD_MARK_TILES_CUH
#define TULLE_ALGEBRA_ADD_MARK_TILES_CUH

#include "algebra/add_tile.cuh"
#include "gpu/scan.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The items that a thread passes: marks of entries of C, and ends of rows with the number of
 * entries before each end. */
struct passed_items {
    static constexpr int bits = 4;
    static_assert(add_items < 1 << bits && bits * add_items <= 64, "counts fit");

    marked found;
    int first_row, rows;
    uint64_t counts;

    GPU_FUNCTION void pass_row() {
        counts |= static_cast<uint64_t>(found.count()) << bits * rows;
        rows++;
    }
    GPU_FUNCTION int count_at(int row) const {
        return static_cast<int>(counts >> bits * row & ((1u << bits) - 1));
    }
};

/* Marks the entries of each tile: counts[t] is the number of entries of C in tile t, whose words
 * begin at add_tile_words * t; row_ends[row] is the number of entries of C in the tile up to the
 * end of the row. */
template <class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads, 6) void mark_tiles(addend<O, C> a, addend<O, C> b,
                                                        const tulle__cut *cuts, int64_t *counts,
                                                        add_marks *marks, uint16_t *row_ends) {
    static_assert(add_tile_room <= UINT16_MAX, "ends of rows fit");
    GPU_SHARED(C, cols, add_tile_room);
    GPU_SHARED(unsigned, ends, add_tile_room);
    GPU_SHARED(unsigned, of_a, add_tile_words);
    GPU_SHARED(unsigned, of_b, add_tile_words);
    GPU_SHARED(int, room, add_warps);
    const int me = static_cast<int>(thread());
    if (me < add_tile_words) {
        of_a[me] = 0;
        of_b[me] = 0;
    }
    const add_tile_of<O, C> t(cuts, a, b);
    stage(t, cols, ends);
    const int begin = me * add_items, items = t.items();
    const int end = begin + add_items < items ? begin + add_items : items;
    passed_items own = {{0, 0}, 0, 0, 0};
    int to = 0, all_twice = 0;
    if (begin < end) {
        add_walk<C> walk(t, begin, cols, ends);
        own.first_row = walk.row;
        to = walk.entries();
        for (int passed = walk.passed(); passed < end;) {
            if (walk.at_row_end()) {
                own.pass_row();
                walk.pass_row();
                passed++;
            } else {
                const bool with_a = walk.takes_a(), with_b = walk.takes_b();
                own.found.add(with_a, with_b);
                passed += with_a + with_b;
                walk.pass_entry();
            }
        }
    }
    to -= block_scan(own.found.twice(), room, &all_twice);
    const mark_words words = {of_a, of_b};
    words.put(to, own.found);
    GPU_KEEP_LOOP
    for (int k = 0; k < own.rows; k++) {
        row_ends[t.row + own.first_row + k] = static_cast<uint16_t>(to + own.count_at(k));
    }
    sync();
    const int entries = t.entries() - all_twice;
    if (me < (entries + 31) / 32) marks[int64_t{block()} * add_tile_words + me] = words.at(me);
    if (me == 0) counts[block()] = entries;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
