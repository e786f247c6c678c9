/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many multiplications: a block merges the rows of B that it meets into a list, as many
 * entries at a time as it has threads. Those whose column the list has already are added there; of
 * the others and of the list each thread merges an equal stretch (merge path). The list is in
 * shared memory as far as that goes; when it is full there, it is merged into the row's list in
 * global memory. */
#ifndef TULLE_SPGEMM_PUBLISHED_JOINED_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_JOINED_ROWS_CUH

#include "core/search.h"
#include "gpu/reduce.cuh"
#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/published/gpu/rows_job.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Most threads, and the number of entries of a list that shared memory has room for beside the
 * new ones: BHSPARSE's numbers. */
constexpr int joined_threads = 256, joined_near = 2560;
/* Number of entries that a thread merges at a time: all that shared memory has. */
constexpr int joined_each = (joined_near + joined_threads) / joined_threads;
template <class V, class C>
constexpr size_t joined_bytes(int near_room, int threads) {
    return static_cast<size_t>(near_room + threads) * (sizeof(V) + sizeof(C));
}

/* A list of entries whose columns rise. */
template <class Cols, class Values>
struct entry_list {
    Cols cols;
    Values values;
    int64_t count;
};

/* Returns how many of the first `items` entries of two lists together are the first list's; they
 * have no column in common. */
template <class Own, class More>
GPU_FUNCTION int64_t own_before(const Own &own, const More &more, int64_t items) {
    int64_t before = items > more.count ? items - more.count : 0;
    const int64_t most = items < own.count ? items : own.count;
    TULLE__LOWER_BOUND(before, most, i, own.cols[i] < more.cols[items - 1 - i]);
    return before;
}

/* Returns the next entry of two lists, from entry i of the first and j of the second on. */
template <class V, class C, class Own, class More>
GPU_FUNCTION void take_next(const Own &own, const More &more, int64_t *i, int64_t *j, C *column,
                            V *value) {
    bool is_own = *i < own.count;
    if (is_own && *j < more.count) is_own = own.cols[*i] < more.cols[*j];
    if (is_own) {
        *column = own.cols[*i];
        *value = own.values[*i];
        ++*i;
    } else {
        *column = more.cols[*j];
        *value = more.values[*j];
        ++*j;
    }
}

/* Merges the second list into the first, which has room behind it and no column in common with it:
 * some entries a thread at a time, those at the end first, so that none of the first list is
 * overwritten that has not been read. */
template <class V, class C, class Own, class More>
GPU_FUNCTION void merge_into(Own own, More more) {
    const int64_t size = block_size();
    while (more.count > 0) {
        const int64_t end = own.count + more.count;
        const int64_t each = least::of((end + size - 1) / size, joined_each);
        const int64_t begin = end > size * each ? end - size * each : 0;
        const int64_t first = least::of(begin + thread() * each, end);
        const int64_t last = least::of(first + each, end);
        const int64_t left = own_before(own, more, begin);
        int64_t i = own_before(own, more, first), j = first - i;
        C cols[joined_each];
        V values[joined_each];
        GPU_UNROLL
        for (int m = 0; m < joined_each; m++) {
            if (first + m < last) take_next(own, more, &i, &j, cols + m, values + m);
        }
        sync();
        GPU_UNROLL
        for (int m = 0; m < joined_each; m++) {
            if (first + m >= last) break;
            own.cols[first + m] = cols[m];
            own.values[first + m] = values[m];
        }
        own.count = left;
        more.count = begin - left;
        sync();
    }
}

/* Returns the place of a column in a list; -1: the list does not have it. */
template <class List, class C>
GPU_FUNCTION int64_t find_column(const List &list, C column) {
    int64_t place = 0;
    TULLE__LOWER_BOUND(place, list.count, i, list.cols[i] < column);
    if (place == list.count) return -1;
    return list.cols[place] == column ? place : -1;
}

/* A row of C that a block makes. */
template <class V, class C>
struct joined_row {
    entry_list<C *, V *> far;                      /* entries in global memory */
    entry_list<shared<C>, shared<V>> near, arrive; /* entries in shared memory, and those that
                                                      come next */
    int64_t room;                                  /* number of entries that the row may have in
                                                      global memory */
    int near_room;
    shared<int> scan; /* a number for each warp */

    /* all: shared memory of joined_bytes. */
    GPU_FUNCTION joined_row(C *cols, V *values, int64_t far_room, shared<V> all, int near_most,
                            shared<int> scan_room)
        : far{cols, values, 0}, room(far_room), near_room(near_most), scan(scan_room) {
        const int threads = static_cast<int>(block_size()), both = near_room + threads;
        const shared<C> all_cols = shared<C>(all + both);
        near = {part_of(all_cols, 0, near_room), part_of(all, 0, near_room), 0};
        arrive = {part_of(all_cols, near_room, threads), part_of(all, near_room, threads), 0};
    }
    GPU_FUNCTION int64_t count() const { return far.count + near.count; }

    /* Merges the list in shared memory into that in global memory. */
    GPU_FUNCTION void flush() {
        sync();
        merge_into<V, C>(far, near);
        far.count += near.count;
        near.count = 0;
    }
    /* Adds a times entry q of B, by each thread with q < stop; does nothing but return false
     * where the row has no room for that. */
    template <class O>
    GPU_FUNCTION bool take(const factors<V, O, C> &f, V a, int64_t q, int64_t stop) {
        const bool there = q < stop;
        C column = 0;
        V term = 0;
        int64_t far_place = -1, near_place = -1;
        if (there) {
            column = load(f.b_cols + q);
            term = rounded_product(a, load(f.b_values + q));
            far_place = find_column(far, column);
            if (far_place < 0) near_place = find_column(near, column);
        }
        const bool is_new = there && far_place < 0 && near_place < 0;
        int some = 0;
        const int place = block_scan(is_new ? 1 : 0, scan, &some);
        if (count() + some > room) return false;
        if (far_place >= 0) far.values[far_place] += term;
        if (near_place >= 0) near.values[near_place] += term;
        if (is_new) {
            arrive.cols[place] = column;
            arrive.values[place] = term;
        }
        if (near.count + some > near_room) flush();
        sync();
        arrive.count = some;
        merge_into<V, C>(near, arrive);
        near.count += some;
        return true;
    }
    /* Adds all terms of row i of A from entry e and, of its row of B, entry `next` on.
     * Returns false, and the entries to go on with, where there is no room for more. */
    template <class O>
    GPU_FUNCTION bool take_rows(const factors<V, O, C> &f, int64_t i, int64_t *e, int64_t *next) {
        const int64_t end = load(f.a_offsets + i + 1);
        for (; *e < end; ++*e, *next = 0) {
            const C b_row = load(f.a_cols + *e);
            const int64_t first = load(f.b_offsets + b_row), stop = load(f.b_offsets + b_row + 1);
            const V a = load(f.a_values + *e);
            for (; first + *next < stop; *next += block_size()) {
                if (!take(f, a, first + *next + thread(), stop)) return false;
            }
        }
        return true;
    }
    /* Multiplies the row in global memory by alpha. */
    GPU_FUNCTION void scale(V alpha) const {
        sync();
        for (int64_t k = thread(); k < far.count; k += block_size()) {
            far.values[k] = alpha * far.values[k];
        }
    }
};

/* Computes rows, one block per row; a row has room for as many entries as it has multiplications.
 */
template <class V, class O, class C, class Place>
GPU_KERNEL void joined_rows(rows_job<V, O, C> job, Place place_of, row_list<C> rows) {
    GPU_DYNAMIC_SHARED(V, all);
    GPU_SHARED(int, scan, joined_threads / warp_lanes);
    const int64_t row = rows.at(block()), begin = place_of(row), i = job.first + row;
    joined_row<V, C> made(job.cols + begin, job.values + begin, load(job.numbers + row), all,
                          joined_near, scan);
    int64_t e = load(job.f.a_offsets + i), next = 0;
    made.take_rows(job.f, i, &e, &next);
    made.flush();
    made.scale(job.alpha.value());
    if (thread() == 0) job.counts[row] = made.count();
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
