/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C of few multiplications, hardly two of which have the same column: some lanes of a warp
 * take the multiplications side by side and sort them in registers. A key has the column in its
 * upper bits and the place of the multiplication, in the order of A's row, in its lower bits.
 * Multiplications of one column are then neighbours, in the order in which their terms are added.
 * The time does not depend on how many columns there are: a table (hash_rows.cuh) is cleared,
 * searched and sorted, and a merge (lane_merge.cuh) takes a step for each column. */
#ifndef TULLE_SPGEMM_GPU_SORTED_ROWS_CUH
#define TULLE_SPGEMM_GPU_SORTED_ROWS_CUH

#include "gpu/rounded.cuh"
#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/kinds.cuh"
#include "spgemm/gpu/register_sort.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int sorted_threads = 128;

/* Shape of a row's group: lanes that share the row, each with the keys of so many multiplications.
 * A's row has at most as many entries as there are lanes. */
template <int lanes_, int keys_>
struct sorted_shape {
    static constexpr int lanes = lanes_, keys = keys_, most = lanes * keys;
    static constexpr int groups = sorted_threads / lanes;
    static constexpr int words = most / warp_lanes; /* words of a bit for each multiplication */
    /* Room for the keys in shared memory, with a gap behind those of each lane: without it the
     * lanes would store into few banks. */
    static constexpr int room = lanes * (keys + 1);
    GPU_FUNCTION static int place_of(int p) { return p + p / keys; }
};
using sorted_64 = sorted_shape<16, 4>;
using sorted_128 = sorted_shape<16, 8>;
using sorted_256 = sorted_shape<32, 8>;
using sorted_512 = sorted_shape<32, 16>;

/* A key: the column, then sorted_place_bits of the place. No key of a multiplication is no_key,
 * since columns are less than sorted_columns. */
constexpr unsigned no_key = ~0u;
GPU_FUNCTION unsigned column_in(unsigned key) {
    return key >> sorted_place_bits;
}
GPU_FUNCTION int place_in(unsigned key) {
    return static_cast<int>(key & ((1u << sorted_place_bits) - 1u));
}

/* The shared memory of a row's group. */
template <class V, class O>
struct sorted_room {
    shared<unsigned> starts; /* bits: the multiplications with which a row of B begins */
    shared<O> shift;         /* entry of B of a multiplication, less the multiplication's place */
    shared<V> factor;        /* entry of A by which a row of B is multiplied */
};

/* The multiplications of a row of C by the lanes of its group: lane l has those of places l, l +
 * lanes, l + 2 lanes and so on. */
template <class S, bool values, class V, class O, class C>
struct sorted_row {
    static constexpr unsigned every = S::lanes == 32 ? full_warp : (1u << S::lanes % 32) - 1u;

    const factors<V, O, C> &f;
    sorted_room<V, O> room;
    int own;
    unsigned first_lane;
    int count = 0; /* number of multiplications of the row */

    GPU_FUNCTION sorted_row(const factors<V, O, C> &all, sorted_room<V, O> its_room, int64_t row,
                            bool active)
        : f(all),
          room(its_room),
          own(static_cast<int>(thread()) % S::lanes),
          first_lane(lane() - static_cast<unsigned>(own)) {
        if (own < S::words) room.starts[own] = 0;
        sync_warp(full_warp);
        const O begin = active ? load(f.a_offsets + row) : 0;
        const O end = active ? load(f.a_offsets + row + 1) : 0;
        const O e = begin + static_cast<O>(own);
        O start = 0;
        int length = 0;
        V value = 0;
        if (e < end) {
            const C k = load(f.a_cols + e);
            start = load(f.b_offsets + k);
            length = static_cast<int>(load(f.b_offsets + k + 1) - start);
            if (values) value = load(f.a_values + e);
        }
        const int first = sum_before(length);
        const int list = count_bits(lanes_that_say(length > 0) & lanes_before());
        if (length > 0) {
            room.shift[list] = start - static_cast<O>(first);
            if (values) room.factor[list] = value;
            atomic_or(room.starts + first / warp_lanes, 1u << first % warp_lanes);
        }
        sync_warp(full_warp);
    }

    GPU_FUNCTION unsigned lanes_that_say(bool p) const {
        return ballot(full_warp, p) >> first_lane & every;
    }
    GPU_FUNCTION unsigned lanes_before() const { return (1u << own) - 1u; }

    /* Loads the multiplications: key[u] has that of place own + u lanes, or no_key; its term goes
     * to terms[own + u lanes]. All loads are asked for before the first is waited for. */
    GPU_FUNCTION void expand(unsigned *key, shared<V> terms) const {
        V term[S::keys];
        int before = 0; /* number of rows of B that begin in the words before */
        GPU_UNROLL
        for (int u = 0; u < S::keys; u++) {
            const int p = own + u * S::lanes;
            const unsigned begun = room.starts[p / warp_lanes];
            const bool there = p < count;
            const int last = before + count_bits(begun & full_warp >> (31 - p % warp_lanes)) - 1;
            const int list = there ? last : 0;
            const O q = there ? room.shift[list] + static_cast<O>(p) : 0;
            const C column = there ? load(f.b_cols + q) : C(0);
            key[u] = static_cast<unsigned>(column) << sorted_place_bits | static_cast<unsigned>(p);
            if (!there) key[u] = no_key;
            if (values) {
                const V factor = there ? room.factor[list] : V(0);
                term[u] = rounded_product(factor, there ? load(f.b_values + q) : V(0));
            }
            if ((u + 1) * S::lanes % warp_lanes == 0) before += count_bits(begun);
        }
        GPU_UNROLL
        for (int u = 0; values && u < S::keys; u++) terms[own + u * S::lanes] = term[u];
    }

    /* Loads and sorts: lane l then has the keys of rank l keys, l keys + 1 and so on. */
    template <class Sort>
    GPU_FUNCTION void sort(Sort *sorting, shared<V> terms) const {
        expand(sorting->key, terms);
        sorting->sort_all();
    }

  private:
    /* Returns the sum over the lanes of the group before this one, and sets count to that over all
     * of them. */
    GPU_FUNCTION int sum_before(int length) {
        int with = length;
        GPU_UNROLL
        for (int lanes = 1; lanes < S::lanes; lanes *= 2) {
            const int other = shuffle_up(full_warp, with, static_cast<unsigned>(lanes), S::lanes);
            if (own >= lanes) with += other;
        }
        count = shuffle(full_warp, with, S::lanes - 1, S::lanes);
        return with - length;
    }
};

template <class S>
using key_sort = register_sort<lanes_of_warp<S::lanes>, S::keys, unsigned>;

/* counts[row] := the number of entries of C's row, for each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void sorted_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    GPU_SHARED(unsigned, starts, S::groups *S::words);
    GPU_SHARED(O, shift, sorted_threads);
    const int group = static_cast<int>(thread()) / S::lanes;
    const int64_t r = static_cast<int64_t>(block()) * S::groups + group;
    const bool active = r < list.count;
    const int64_t row = active ? list.at(r) : 0;
    sorted_row<S, false, V, O, C> its(
        f, {starts + group * S::words, shift + group * S::lanes, shared<V>()}, row, active);
    key_sort<S> sorting = {shared<unsigned>(), its.own, true, {}};
    its.sort(&sorting, shared<V>());
    unsigned before = shuffle_up(full_warp, sorting.key[S::keys - 1], 1, S::lanes);
    if (its.own == 0) before = no_key;
    int count = 0;
    GPU_UNROLL
    for (int u = 0; u < S::keys; u++) {
        const unsigned key = sorting.key[u];
        count += key != no_key && column_in(key) != column_in(before);
        before = key;
    }
    GPU_UNROLL
    for (int lanes = S::lanes / 2; lanes > 0; lanes /= 2) {
        count += shuffle_xor(full_warp, count, lanes);
    }
    if (active && its.own == 0) counts[row] = count;
}

/* Computes columns and values of each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void sorted_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_SHARED(unsigned, starts, S::groups *S::words);
    GPU_SHARED(O, shift, sorted_threads);
    GPU_SHARED(V, factor, sorted_threads);
    GPU_SHARED(V, all_terms, S::groups * S::most);
    GPU_SHARED(unsigned, all_keys, S::groups *S::room);
    const int group = static_cast<int>(thread()) / S::lanes;
    const int64_t r = static_cast<int64_t>(block()) * S::groups + group;
    const bool active = r < list.count;
    const int64_t row = active ? list.at(r) : 0;
    int64_t to = active ? load(c.offsets + row) : 0;
    const shared<V> terms = all_terms + group * S::most;
    const shared<unsigned> keys = all_keys + group * S::room;
    const V alpha = c.alpha.value();
    sorted_row<S, true, V, O, C> its(
        f, {starts + group * S::words, shift + group * S::lanes, factor + group * S::lanes}, row,
        active);
    key_sort<S> sorting = {keys, its.own, true, {}};
    its.sort(&sorting, terms);
    GPU_UNROLL
    for (int u = 0; u < S::keys; u++) keys[its.own * (S::keys + 1) + u] = sorting.key[u];
    sync_warp(full_warp);
    for (int p = its.own; any(full_warp, p < its.count); p += S::lanes) {
        const bool there = p < its.count;
        unsigned key = there ? keys[S::place_of(p)] : no_key;
        const unsigned column = column_in(key);
        const bool first = there && (p == 0 || column_in(keys[S::place_of(p - 1)]) != column);
        const unsigned these = its.lanes_that_say(first);
        const int64_t at = to + count_bits(these & its.lanes_before());
        to += count_bits(these);
        if (!first) continue;
        V sum = 0;
        for (int q = p + 1;; q++) {
            sum += terms[place_in(key)];
            if (q == its.count) break;
            key = keys[S::place_of(q)];
            if (column_in(key) != column) break;
        }
        c.cols[at] = static_cast<C>(column);
        c.values[at] = alpha * sum;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
