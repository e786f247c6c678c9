/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of C from lists of the multiplications of each entry. A tile is some neighbouring entries
 * of C with their multiplications; all tiles are about equal work, and one thread block computes a
 * tile. No table is searched.
 *
 * A tile of short lists stores its multiplications in the order of C, in six bytes each, and one
 * thread adds up the terms of its entry in that order. Any other tile stores its multiplications in
 * the order of A and B, as runs: a run is neighbouring entries of B that are multiplied by the same
 * entry of A. A run takes 8 bytes, a multiplication 2 bytes for its place among the multiplications
 * of C, and 32 multiplications 4 bytes. Neighbouring lanes then read neighbouring entries of B, so
 * that not each of them costs a sector of memory. The terms wait in shared memory, where each
 * thread adds up those of its entry in order.
 */
#ifndef TULLE_SPGEMM_GPU_MULTIPLICATION_LISTS_CUH
#define TULLE_SPGEMM_GPU_MULTIPLICATION_LISTS_CUH

#include "gpu/kept.cuh"
#include "gpu/rounded.cuh"
#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Largest number of entries of C in a tile. */
constexpr int list_threads = 256;

/* Length of a short list, and largest number of multiplications of a tile of short lists. */
constexpr int short_list = 8, most_direct = 4 * list_threads;

/* Number of terms that wait in shared memory at once, and of the places for them. Every other
 * list leaves a place free, so that lists of one length, be it a power of two, do not all begin
 * in the same banks. */
constexpr int room_multiplications = 2048, room_places = room_multiplications + list_threads / 2;
GPU_FUNCTION int places_before(int list) {
    return list / 2;
}

/* Code of a term that waits: its place, and a bit that is set where a run begins with it. */
constexpr unsigned run_head = 1u << 15, place_mask = run_head - 1;

/* Unit of memory at whose multiples tiles begin. */
using list_unit = uint64_t;

/* Numbers that describe a tile: index of its first entry of C, number of its multiplications, place
 * of its lists in units, its mark, and number of its entries. The mark of a tile of short lists is
 * the index of the first entry of A, from which the other indices are counted. The mark of a tile
 * by runs is the complement of the number of runs. */
enum { tile_entry, tile_multiplications, tile_unit, tile_mark, tile_count, tile_numbers = 8 };
using list_tile = pack<int32_t, tile_numbers>;

/* A run: index of an entry of A, and the difference between the index of an entry of B and the
 * index of its multiplication in the tile. */
using multiplication_run = pack<int32_t, 2>;

struct multiplication_lists {
    int64_t tiles;   /* number of tiles; 0: nothing is listed */
    int64_t by_runs; /* number of tiles whose multiplications are listed by runs; they are the first
                        tiles */
    bool alike;      /* true when no tile is listed by runs, and all tiles but the last have
                        list_threads entries */
    list_tile *tile;
    uint16_t *begins; /* beginning of each entry's list, among the multiplications of its tile */
    list_unit *units;
};

GPU_FUNCTION int64_t whole_units(int64_t bytes) {
    constexpr int64_t unit = sizeof(list_unit);
    return (bytes + unit - 1) / unit;
}

/* Places of the multiplications of a tile: of short lists, and by runs. */
struct direct_tile {
    uint32_t *b;
    uint16_t *a;
    GPU_FUNCTION direct_tile(list_unit *units, int multiplications)
        : b(reinterpret_cast<uint32_t *>(units)),
          a(reinterpret_cast<uint16_t *>(b + multiplications)) {}
    GPU_FUNCTION static int64_t units(int64_t multiplications) {
        constexpr int64_t each = sizeof(uint32_t) + sizeof(uint16_t);
        return whole_units(multiplications * each);
    }
};
struct run_tile {
    multiplication_run *runs;
    int32_t *before; /* number of runs that begin before each 32 multiplications */
    uint16_t *codes;
    GPU_FUNCTION run_tile(list_unit *units, int run_count, int multiplications)
        : runs(reinterpret_cast<multiplication_run *>(units)),
          before(reinterpret_cast<int32_t *>(runs + run_count)),
          codes(reinterpret_cast<uint16_t *>(before + groups(multiplications))) {}
    GPU_FUNCTION static int groups(int multiplications) {
        return multiplications / warp_lanes + (multiplications % warp_lanes != 0);
    }
    GPU_FUNCTION static int64_t units(int64_t run_count, int multiplications) {
        constexpr int64_t run = sizeof(multiplication_run), group = sizeof(int32_t),
                          code = sizeof(uint16_t);
        return whole_units(run_count * run + groups(multiplications) * group +
                           multiplications * code);
    }
};

/* Number of multiplications of a list that a thread has on their way: with more of them fewer
 * blocks run at once, and the first level of cache loses lines that neighbours need. */
constexpr int multiplications_each = 2;

template <class V>
GPU_FUNCTION V add_terms(const uint16_t *a, const uint32_t *b, int count, const V *a_values,
                         const V *b_values) {
    V sum = 0;
    for (; count > 0;
         count -= multiplications_each, a += multiplications_each, b += multiplications_each) {
        int of_a[multiplications_each], of_b[multiplications_each];
        V left[multiplications_each], right[multiplications_each];
        GPU_UNROLL
        for (int k = 0; k < multiplications_each; k++) {
            if (k >= count) continue;
            of_a[k] = load(a + k);
            of_b[k] = static_cast<int>(load(b + k));
        }
        GPU_UNROLL
        for (int k = 0; k < multiplications_each; k++) {
            if (k >= count) continue;
            left[k] = load(a_values + of_a[k]);
            right[k] = load(b_values + of_b[k]);
        }
        GPU_UNROLL
        for (int k = 0; k < multiplications_each; k++) {
            if (k < count) sum += rounded_product(left[k], right[k]);
        }
    }
    return sum;
}

/* Adds up a list, from begin to end of the multiplications of a tile. */
template <class V>
GPU_FUNCTION V add_direct(list_unit *units, const list_tile &tile, int begin, int end,
                          const V *a_values, const V *b_values) {
    const direct_tile lists(units + tile.at[tile_unit], tile.at[tile_multiplications]);
    return add_terms(lists.a + begin, lists.b + begin, end - begin,
                     kept(a_values + tile.at[tile_mark]), b_values);
}

/* Number of multiplications by runs that a thread loads together, before it uses the first one. */
constexpr int runs_each = 4;

/* Computes the block's terms from `first` on, `rounds` each thread, and stores them at the
 * places in the codes. whole: there are so many; else a lane that has none loads another one's,
 * since loads that depend on a condition wait for each other. */
template <int rounds, bool whole, class V>
GPU_FUNCTION void multiply_rounds(const run_tile &tile, int first, int stop, const V *a_values,
                                  const V *b_values, shared<V> room) {
    const int own = static_cast<int>(thread());
    const unsigned up_to_own = full_warp >> (warp_lanes - 1 - lane());
    unsigned code[rounds];
    int run[rounds], of_a[rounds], of_b[rounds];
    V left[rounds], right[rounds];
    GPU_UNROLL
    for (int k = 0; k < rounds; k++) {
        const int ahead = k * list_threads + own;
        const unsigned p =
            static_cast<unsigned>(whole || first + ahead < stop ? first + ahead : first);
        code[k] = load(tile.codes + p);
        run[k] = load(tile.before + p / warp_lanes);
    }
    GPU_UNROLL
    for (int k = 0; k < rounds; k++) {
        const int p = first + k * list_threads + own;
        const bool there = whole || p < stop;
        const unsigned heads = ballot(full_warp, (code[k] & run_head) != 0);
        run[k] += count_bits(heads & up_to_own) - 1;
        const multiplication_run found = load(tile.runs + (there ? run[k] : 0));
        of_a[k] = found.at[0];
        of_b[k] = there ? found.at[1] + p : 0;
    }
    GPU_UNROLL
    for (int k = 0; k < rounds; k++) {
        left[k] = load(a_values + of_a[k]);
        right[k] = load(b_values + of_b[k]);
    }
    GPU_UNROLL
    for (int k = 0; k < rounds; k++) {
        const V term = rounded_product(left[k], right[k]);
        if (whole || first + k * list_threads + own < stop) room[code[k] & place_mask] = term;
    }
}

template <class V>
GPU_FUNCTION void multiply_runs(const run_tile &tile, int first, int stop, const V *a_values,
                                const V *b_values, shared<V> room) {
    GPU_KEEP_LOOP
    for (; first < stop; first += runs_each * list_threads) {
        const int left = stop - first;
        if (left >= runs_each * list_threads) {
            multiply_rounds<runs_each, true>(tile, first, stop, a_values, b_values, room);
        } else if (left > 2 * list_threads) {
            multiply_rounds<runs_each, false>(tile, first, stop, a_values, b_values, room);
        } else if (left > list_threads) {
            multiply_rounds<2, false>(tile, first, stop, a_values, b_values, room);
        } else {
            multiply_rounds<1, false>(tile, first, stop, a_values, b_values, room);
        }
    }
}

/* Adds `count` terms: each addition waits for the one before, but no load does. */
template <int count, class V>
GPU_FUNCTION V add_waiting(V sum, shared<V> waiting, int some) {
    V term[count];
    GPU_UNROLL
    for (int k = 0; k < count; k++) {
        if (k == 0 || k < some) term[k] = waiting[k];
    }
    GPU_UNROLL
    for (int k = 0; k < count; k++) {
        if (k == 0 || k < some) sum += term[k];
    }
    return sum;
}

/* Adds up this thread's list, from next to end of a tile's multiplications. */
template <class V>
GPU_FUNCTION V add_runs(const run_tile &tile, int next, int end, int all, const V *a_values,
                        const V *b_values, shared<V> room) {
    constexpr int many = 8, few = 4;
    const shared<V> own = room + places_before(static_cast<int>(thread()));
    V sum = 0;
    GPU_KEEP_LOOP
    for (int done = 0; done < all; done += room_multiplications) {
        const int stop = all - done < room_multiplications ? all : done + room_multiplications;
        int left = (end < stop ? end : stop) - next;
        shared<V> waiting = own + (next - done);
        multiply_runs(tile, done, stop, a_values, b_values, room);
        sync();
        if (left > 0) next += left;
        GPU_KEEP_LOOP
        for (; left >= many; left -= many) {
            sum = add_waiting<many>(sum, waiting, many);
            waiting = waiting + many;
        }
        GPU_KEEP_LOOP
        for (; left > 0; left -= few) {
            sum = add_waiting<few>(sum, waiting, left);
            waiting = waiting + few;
        }
        if (stop < all) sync();
    }
    return sum;
}

/* Computes values of C where all tiles are alike: begins are loaded together with the tile's
 * numbers. */
template <class V>
GPU_KERNEL GPU_RESIDENT(list_threads, 8) void update_alike(multiplication_lists l, int64_t entries,
                                                           const V *a_values, const V *b_values,
                                                           scalar<V> alpha, V *values) {
    const int64_t c = static_cast<int64_t>(block()) * list_threads + thread();
    if (c >= entries) return;
    const bool last = thread() + 1 == list_threads || c + 1 == entries;
    const list_tile tile = load(l.tile + block());
    const int begin = load(l.begins + c);
    const int end = last ? tile.at[tile_multiplications] : load(l.begins + c + 1);
    const V sum = add_direct(l.units, tile, begin, end, a_values, b_values);
    values[c] = alpha.value() * sum;
}

/* Computes values of C in the tiles that are not by runs. */
template <class V>
GPU_KERNEL GPU_RESIDENT(list_threads, 8) void update_direct(multiplication_lists l,
                                                            const V *a_values, const V *b_values,
                                                            scalar<V> alpha, V *values) {
    const list_tile tile = load(l.tile + l.by_runs + block());
    const int own = static_cast<int>(thread()), count = tile.at[tile_count];
    if (own >= count) return;
    const int64_t c = tile.at[tile_entry] + static_cast<int64_t>(own);
    const int begin = load(l.begins + c);
    const int end = own + 1 < count ? load(l.begins + c + 1) : tile.at[tile_multiplications];
    const V sum = add_direct(l.units, tile, begin, end, a_values, b_values);
    values[c] = alpha.value() * sum;
}

/* Number of blocks of a multiprocessor at once with which it has the most multiplications on their
 * way, each thread those of a round: more blocks leave registers for fewer. */
constexpr int list_blocks = 5;

/* Computes values of C in tiles of either kind. */
template <class V>
GPU_KERNEL GPU_RESIDENT(list_threads, list_blocks) void update_lists(multiplication_lists l,
                                                                     const V *a_values,
                                                                     const V *b_values,
                                                                     scalar<V> alpha, V *values) {
    GPU_SHARED(V, room, room_places);
    const list_tile tile = load(l.tile + block());
    const int count = tile.at[tile_count];
    const int all = tile.at[tile_multiplications], mark = tile.at[tile_mark];
    const int own = static_cast<int>(thread());
    const int64_t c = tile.at[tile_entry] + static_cast<int64_t>(own);
    const int begin = own < count ? load(l.begins + c) : all;
    const int end = own + 1 < count ? load(l.begins + c + 1) : all;
    V sum;
    if (mark < 0) {
        const run_tile runs(l.units + tile.at[tile_unit], ~mark, all);
        sum = add_runs(runs, begin, end, all, a_values, b_values, room);
    } else {
        sum = add_direct(l.units, tile, begin, end, a_values, b_values);
    }
    if (own < count) values[c] = alpha.value() * sum;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
