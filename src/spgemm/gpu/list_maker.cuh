/* SPDX-License-Identifier: Apache-2.0 */
/* Making lists of multiplications: each one's entry of C is looked up, lists are put into the order
 * of A, and tiles into the form that their lists ask for. */
#ifndef TULLE_SPGEMM_GPU_LIST_MAKER_CUH
#define TULLE_SPGEMM_GPU_LIST_MAKER_CUH

#include "gpu/primitives.h"
#include "spgemm/gpu/bitonic.cuh"
#include "spgemm/gpu/multiplication_lists.cuh"
#include "spgemm/gpu/update_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Largest number of multiplications that are all listed in any case; and largest number of
 * multiplications for each entry of C with which more are, an entry itself taking 12 bytes (f64,
 * 32-bit columns). */
constexpr int64_t few_multiplications = 50000000, multiplications_an_entry = 10;

inline bool lists_fit(int64_t multiplications, int64_t entries, int64_t a_nnz, int64_t b_nnz) {
    return entries > 0 && multiplications <= INT32_MAX && entries < INT32_MAX &&
           a_nnz <= INT32_MAX && b_nnz <= INT32_MAX &&
           (multiplications <= few_multiplications ||
            multiplications / entries < multiplications_an_entry);
}

/* Tiles have about the same weight, that of an entry being its multiplications, or this, if they
 * are fewer: so no tile has more entries than threads, and, but for lists longer than the
 * difference, none has more multiplications than there is room for. Where a GPU has more places for
 * blocks than there would be tiles, these are lighter. */
constexpr int64_t least_weight = 7, tile_weight = list_threads * least_weight,
                  light_tile = tile_weight / 4;
static_assert(tile_weight < room_multiplications,
              "lists that go beyond the end of a tile have room");

/* Number of neighbouring entries of A that some lanes take: their rows are quickly found one
 * after the other. */
constexpr int entries_together = 16;

/* Calls each(index of an entry of A, index of an entry of B, index of the entry of C to which their
 * multiplication is added). */
template <class V, class O, class C, class Each>
GPU_FUNCTION void each_place(const factors<V, O, C> &f, int64_t a_nnz, const int64_t *offsets,
                             const C *cols, Each each) {
    constexpr int lanes = small_shape::lanes;
    int64_t row = 0;
    for (int64_t first = loop_first() / lanes * entries_together; first < a_nnz;
         first += loop_stride() / lanes * entries_together) {
        for (int64_t e = first; e < first + entries_together && e < a_nnz; e++) {
            row = row_of_entry(f.a_offsets, f.rows, e, row);
            const int64_t begin = load(offsets + row), end = load(offsets + row + 1);
            const C k = load(f.a_cols + e);
            const O stop = load(f.b_offsets + k + 1), own = static_cast<O>(thread() % lanes);
            for (O q = load(f.b_offsets + k) + own; q < stop; q += lanes) {
                each(e, q, lower_bound(cols, begin, end, load(f.b_cols + q)));
            }
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void count_lists(factors<V, O, C> f, int64_t a_nnz, const int64_t *offsets,
                            const C *cols, int32_t *counts) {
    each_place(f, a_nnz, offsets, cols,
               [&](int64_t, O, int64_t place) { atomic_add(counts + place, 1); });
}

/* Lists multiplications, in any order within a list. ends[c]: the beginning of entry c's list, and
 * then its end. */
template <class V, class O, class C>
GPU_KERNEL void fill_lists(factors<V, O, C> f, int64_t a_nnz, const int64_t *offsets, const C *cols,
                           int32_t *ends, uint32_t *a, uint32_t *b) {
    each_place(f, a_nnz, offsets, cols, [&](int64_t e, O q, int64_t place) {
        const int32_t at = atomic_add(ends + place, 1);
        a[at] = static_cast<uint32_t>(e);
        b[at] = static_cast<uint32_t>(q);
    });
}

/* longest := at least the length of the longest list. */
GPU_KERNEL void find_longest(int64_t entries, const int32_t *counts, int64_t *longest) {
    GPU_SHARED(int64_t, room, loop_warps);
    int64_t own = 0;
    for (int64_t c = loop_first(); c < entries; c += loop_stride()) {
        own = most::of(own, load(counts + c));
    }
    own = block_extreme<most>(own, room);
    if (thread() == 0) atomic_max(longest, own);
}

GPU_KERNEL void weigh_lists(int64_t entries, const int32_t *counts, int64_t *weights) {
    for (int64_t c = loop_first(); c < entries; c += loop_stride()) {
        weights[c] = most::of(least_weight, load(counts + c));
    }
    if (loop_first() == 0) weights[entries] = 0;
}

/* Finds the first entries of tiles, and of one behind the last. weights: of all entries before,
 * or NULL, where tiles have as many entries. */
GPU_KERNEL void cut_tiles(int64_t tiles, int64_t entries, const int64_t *weights, int64_t weight,
                          int32_t *first) {
    for (int64_t t = loop_first(); t <= tiles; t += loop_stride()) {
        int64_t c = t * list_threads, end = entries;
        if (weights) {
            c = 0;
            TULLE__LOWER_BOUND(c, end, at, load(weights + at) < t * weight);
        }
        first[t] = static_cast<int32_t>(t < tiles ? c : entries);
    }
}

/* A tile's entries and multiplications. ends: of each entry's list. */
struct tile_span {
    int entry, count, first, all;
    GPU_FUNCTION static int before(const int32_t *ends, int c) {
        return c > 0 ? load(ends + c - 1) : 0;
    }
    GPU_FUNCTION tile_span(const int32_t *first_entry, const int32_t *ends)
        : entry(load(first_entry + block())),
          count(load(first_entry + block() + 1) - entry),
          first(before(ends, entry)),
          all(before(ends, entry + count) - first) {}
};

/* Sorts a list by the entries of A, which differ (Shell 1959, with steps of Knuth 1973). */
template <class Numbers>
GPU_FUNCTION void sort_list(Numbers a, Numbers b, int count) {
    int step = 1;
    while (step < count / 3) step = 3 * step + 1;
    for (; step > 0; step /= 3) {
        for (int k = step; k < count; k++) {
            const uint32_t one_a = a[k], one_b = b[k];
            int hole = k;
            for (; hole >= step && a[hole - step] > one_a; hole -= step) {
                a[hole] = a[hole - step];
                b[hole] = b[hole - step];
            }
            a[hole] = one_a;
            b[hole] = one_b;
        }
    }
}

/* A longer list is sorted by all threads of the block, as the diagonal entries of a graph's hubs
 * have multiplications by the thousand. */
constexpr int most_alone = 128;

/* Sorts the lists of a tile, of which the longest is so long. begins: of each thread's list, and
 * of the one behind the last. */
template <class Numbers>
GPU_FUNCTION void sort_each(shared<int> begins, int64_t longest, Numbers a, Numbers b) {
    const int own = static_cast<int>(thread()), begin = begins[own], end = begins[own + 1];
    if (end - begin <= most_alone) sort_list(a + begin, b + begin, end - begin);
    for (int k = 0; longest > most_alone && k < list_threads; k++) {
        const int at = begins[k], many = begins[k + 1] - at;
        if (many > most_alone) sort_entries<uint32_t, uint32_t>(a + at, b + at, many);
    }
    sync();
}

/* Results of sorting the tiles: units that each takes, its mark, and whether it is by runs. */
struct tile_findings {
    int32_t *units, *marks, *by_runs;
};

/* Returns the list of the tile that has a multiplication. */
GPU_FUNCTION int list_of(shared<int> begins, int multiplication) {
    int after = 1, lists = list_threads;
    TULLE__LOWER_BOUND(after, lists, k, begins[k] <= multiplication);
    return after - 1;
}

/* Puts multiplications from `first` on, which are in the order of C and no more than there is room
 * for, in the order of A and B; returns the number of this thread's multiplications that begin a
 * run. */
GPU_FUNCTION int order_by_operands(shared<int> begins, int first, shared<uint32_t> a,
                                   shared<uint32_t> b, shared<uint64_t> keys, int count,
                                   uint32_t *to_a, uint32_t *to_b, uint16_t *codes) {
    constexpr int place_bits = 16;
    int heads = 0;
    for (int p = static_cast<int>(thread()); p < count; p += list_threads) {
        const uint64_t entry = a[p];
        keys[p] = entry << place_bits | static_cast<uint64_t>(p);
    }
    /* Multiplications with the same entry of A have those of B in the order of C. */
    sort_entries<uint32_t, uint64_t>(keys, b, count);
    for (int p = static_cast<int>(thread()); p < count; p += list_threads) {
        const uint64_t key = keys[p], before = p > 0 ? keys[p - 1] : key;
        const uint32_t of_b = b[p], b_before = p > 0 ? b[p - 1] : of_b;
        const bool head = before >> place_bits != key >> place_bits || b_before + 1 != of_b;
        const int from = static_cast<int>(key & UINT16_MAX);
        const int place = from + places_before(list_of(begins, first + from));
        to_a[p] = static_cast<uint32_t>(key >> place_bits);
        to_b[p] = of_b;
        codes[p] = static_cast<uint16_t>(static_cast<unsigned>(place) | (head ? run_head : 0u));
        heads += head;
    }
    sync();
    return heads;
}

/* Puts the multiplications of each tile in the order in which they are kept; codes: for tiles by
 * runs. */
GPU_KERNEL void sort_tiles(const int32_t *first_entry, const int32_t *ends, uint32_t *a,
                           uint32_t *b, uint16_t *codes, uint16_t *begins, tile_findings found) {
    GPU_SHARED(int, at, list_threads + 1);
    GPU_SHARED(uint32_t, some_a, room_multiplications);
    GPU_SHARED(uint32_t, some_b, room_multiplications);
    GPU_SHARED(uint64_t, keys, room_multiplications);
    GPU_SHARED(int64_t, room, list_threads / warp_lanes);
    const int own = static_cast<int>(thread());
    const tile_span tile(first_entry, ends);
    const int all = tile.all;
    const bool one_room = all <= room_multiplications;
    a += tile.first;
    b += tile.first;
    codes += tile.first;
    at[own] = own < tile.count ? tile_span::before(ends, tile.entry + own) - tile.first : all;
    if (own == 0) at[list_threads] = all;
    const auto bring = [&](int first, int count) {
        for (int p = own; p < count; p += list_threads) {
            some_a[p] = a[first + p];
            some_b[p] = b[first + p];
        }
        sync();
    };
    bring(0, one_room ? all : 0);
    const int begin = at[own], end = at[own + 1];
    if (own < tile.count) begins[tile.entry + own] = static_cast<uint16_t>(begin);
    const int64_t longest = block_extreme<most>(end - begin, room);
    if (one_room) {
        sort_each<shared<uint32_t>>(at, longest, some_a, some_b);
    } else {
        sort_each<uint32_t *>(at, longest, a, b);
    }
    int64_t low = INT32_MAX, high = 0;
    for (int p = own; one_room && p < all; p += list_threads) {
        const int64_t one = some_a[p];
        low = least::of(low, one);
        high = most::of(high, one);
    }
    low = block_extreme<least>(low, room);
    high = block_extreme<most>(high, room);
    if (all <= most_direct && longest <= short_list && high - low <= UINT16_MAX) {
        for (int p = own; p < all; p += list_threads) {
            a[p] = some_a[p];
            b[p] = some_b[p];
        }
        if (own != 0) return;
        found.units[block()] = static_cast<int32_t>(direct_tile::units(all));
        found.marks[block()] = all > 0 ? static_cast<int32_t>(low) : 0;
        found.by_runs[block()] = 0;
        return;
    }
    int heads = 0;
    for (int done = 0; done < all; done += room_multiplications) {
        const int some = all - done < room_multiplications ? all - done : room_multiplications;
        if (!one_room) bring(done, some);
        heads += order_by_operands(at, done, some_a, some_b, keys, some, a + done, b + done,
                                   codes + done);
    }
    const int64_t runs = block_total<int64_t>(heads, room);
    if (own != 0) return;
    found.units[block()] = static_cast<int32_t>(run_tile::units(runs, all));
    found.marks[block()] = ~static_cast<int32_t>(runs);
    found.by_runs[block()] = 1;
}

/* Packs the lists of each tile into the memory where they are kept. For each tile, found.units has
 * the number of units, and found.by_runs the number of tiles by runs, in all tiles before it. */
GPU_KERNEL void pack_tiles(const int32_t *first_entry, const int32_t *ends, tile_findings found,
                           const uint32_t *a, const uint32_t *b, const uint16_t *codes,
                           multiplication_lists l) {
    GPU_SHARED(int, room, list_threads / warp_lanes);
    const int own = static_cast<int>(thread());
    const tile_span tile(first_entry, ends);
    const int all = tile.all, unit = load(found.units + block());
    const int mark = load(found.marks + block()), by_runs = load(found.by_runs + block());
    list_unit *to = l.units + unit;
    a += tile.first;
    b += tile.first;
    codes += tile.first;
    if (own == 0) {
        const int64_t at = mark < 0 ? by_runs : l.by_runs + block() - by_runs;
        l.tile[at] = {{tile.entry, all, unit, mark, tile.count, 0, 0, 0}};
    }
    if (mark >= 0) {
        const direct_tile kept(to, all);
        for (int p = own; p < all; p += list_threads) {
            kept.b[p] = load(b + p);
            kept.a[p] = static_cast<uint16_t>(load(a + p) - static_cast<uint32_t>(mark));
        }
        return;
    }
    const run_tile kept(to, ~mark, all);
    for (int first = 0, before = 0; first < all; first += list_threads) {
        const int p = first + own;
        const uint16_t code = p < all ? load(codes + p) : uint16_t{0};
        int begun = 0, head = (code & run_head) != 0;
        const int run = before + block_scan(head, room, &begun);
        if (head) {
            kept.runs[run] = {
                {static_cast<int32_t>(load(a + p)), static_cast<int32_t>(load(b + p)) - p}};
        }
        if (p < all) kept.codes[p] = code;
        if (p < all && lane() == 0) kept.before[p / warp_lanes] = run;
        before += begun;
    }
}

/* Lists all multiplications of a task; C's offsets are given with 64 bits. */
template <class V, class O, class C>
struct list_maker {
    const tulle__spgemm_task *task;
    factors<V, O, C> f;
    const int64_t *offsets;
    int64_t multiplications;
    const tulle__place *place;
    scratch beside;
    int64_t entries, weight = 0, longest = 0;
    int32_t *ends = nullptr, *first_entry = nullptr;
    int64_t *weights = nullptr;
    uint32_t *a = nullptr, *b = nullptr;
    uint16_t *codes = nullptr;
    tile_findings found = {};
    multiplication_lists lists = {};

    list_maker(const tulle__spgemm_task *t, const factors<V, O, C> &given, const int64_t *of_c,
               int64_t all_multiplications)
        : task(t),
          f(given),
          offsets(of_c),
          multiplications(all_multiplications),
          place(t->place),
          beside(t->place),
          entries(t->c.nnz) {}

    const C *cols() const { return static_cast<const C *>(task->c.cols_of); }
    tulle_status zero(void *array, size_t bytes) const {
        return GPU_SYMBOL(set_bytes)(place, array, 0, bytes);
    }
    grid teams() const {
        return loop_grid((task->a.nnz / entries_together + 1) * small_shape::lanes);
    }
    grid tiles() const { return {lists.tiles, list_threads}; }

    tulle_status count() {
        int64_t *most_of_lists = nullptr;
        GPU_TRY(beside.get(entries, &ends));
        GPU_TRY(beside.get(1, &most_of_lists));
        GPU_TRY(zero(ends, static_cast<size_t>(entries) * sizeof *ends));
        GPU_TRY(zero(most_of_lists, sizeof *most_of_lists));
        GPU_TRY(
            launch(place, count_lists<V, O, C>, teams(), f, task->a.nnz, offsets, cols(), ends));
        GPU_TRY(launch(place, find_longest, loop_grid(entries, loop_blocks_once), entries, ends,
                       most_of_lists));
        return to_host(place, &longest, most_of_lists, sizeof longest);
    }
    tulle_status weigh() {
        int64_t all = entries * least_weight;
        weight = tile_weight;
        if (longest > short_list) {
            GPU_TRY(beside.get(entries + 1, &weights));
            GPU_TRY(launch(place, weigh_lists, loop_grid(entries + 1), entries, ends, weights));
            GPU_TRY(exclusive_scan(place, weights, weights, entries + 1));
            GPU_TRY(to_host(place, &all, weights + entries, sizeof all));
            const int64_t blocks_at_once = int64_t{list_blocks} * task->device->multiprocessors;
            weight = all / blocks_at_once + 1;
            if (weight < light_tile) weight = light_tile;
            if (weight > tile_weight) weight = tile_weight;
        }
        lists.tiles = all / weight + (all % weight != 0);
        return TULLE_OK;
    }
    tulle_status cut() {
        GPU_TRY(beside.get(lists.tiles + 1, &first_entry));
        return launch(place, cut_tiles, loop_grid(lists.tiles + 1), lists.tiles, entries, weights,
                      weight, first_entry);
    }
    tulle_status fill() {
        GPU_TRY(beside.get(multiplications, &a));
        GPU_TRY(beside.get(multiplications, &b));
        GPU_TRY(exclusive_scan(place, ends, ends, entries));
        return launch(place, fill_lists<V, O, C>, teams(), f, task->a.nnz, offsets, cols(), ends, a,
                      b);
    }
    tulle_status sort(int64_t *units) {
        int32_t all = 0, by_runs = 0;
        GPU_TRY(beside.get(multiplications, &codes));
        GPU_TRY(beside.get(lists.tiles + 1, &found.units));
        GPU_TRY(beside.get(lists.tiles + 1, &found.by_runs));
        GPU_TRY(beside.get(lists.tiles, &found.marks));
        GPU_TRY(zero(found.units + lists.tiles, sizeof *found.units));
        GPU_TRY(zero(found.by_runs + lists.tiles, sizeof *found.by_runs));
        GPU_TRY(launch(place, sort_tiles, tiles(), first_entry, ends, a, b, codes, lists.begins,
                       found));
        GPU_TRY(exclusive_scan(place, found.units, found.units, lists.tiles + 1));
        GPU_TRY(exclusive_scan(place, found.by_runs, found.by_runs, lists.tiles + 1));
        GPU_TRY(GPU_SYMBOL(copy)(place, &all, found.units + lists.tiles, sizeof all));
        GPU_TRY(to_host(place, &by_runs, found.by_runs + lists.tiles, sizeof by_runs));
        lists.by_runs = by_runs;
        lists.alike = longest <= short_list && by_runs == 0;
        *units = all;
        return TULLE_OK;
    }
    /* Makes the lists. kept: gets their arrays; bytes: of these. */
    tulle_status make(scratch *kept, int64_t *bytes) {
        int64_t units = 0;
        GPU_TRY(count());
        GPU_TRY(weigh());
        GPU_TRY(cut());
        GPU_TRY(fill());
        GPU_TRY(kept->get(lists.tiles, &lists.tile));
        GPU_TRY(kept->get(entries, &lists.begins));
        GPU_TRY(sort(&units));
        GPU_TRY(kept->get(units, &lists.units));
        *bytes = lists.tiles * static_cast<int64_t>(sizeof *lists.tile) +
                 entries * static_cast<int64_t>(sizeof *lists.begins) +
                 units * static_cast<int64_t>(sizeof *lists.units);
        return launch(place, pack_tiles, tiles(), first_entry, ends, found, a, b, codes, lists);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
