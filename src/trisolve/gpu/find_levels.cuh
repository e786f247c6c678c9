/* SPDX-License-Identifier: Apache-2.0 */
/* The level of each row: one more than the highest that it waits for. A row's level is its own
 * flag, -1 until it is known, and rows look at those that they wait for until they are there.
 * Chains of rows mostly lead through near neighbours, so a warp takes 32 of these, waits for what
 * is outside, all entries alike however long their rows are, and finds the rest in its registers:
 * then a chain takes a trip through memory for each warp that it meets, not for each row. Warps
 * take rows by a ticket, in the order in which rows wait, so whom one waits for is done or runs. */
#ifndef TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH
#define TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH

#include "gpu/reduce.cuh"
#include "trisolve/gpu/waits.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int level_threads = 256, level_flight = 8;

/* The rows of a warp, in the order in which they wait: lanes wait for lower ones. */
struct warp_rows {
    int64_t first, end;
    bool falling; /* lanes' rows fall */

    GPU_FUNCTION int lane_of(int k) const { return falling ? warp_lanes - 1 - k : k; }
    GPU_FUNCTION int64_t row() const { return first + lane_of(static_cast<int>(lane())); }
    GPU_FUNCTION bool has(int64_t row) const { return row >= first && row < end; }
};

/* What a warp gathers of its entries. */
template <class I>
struct level_room {
    shared<I> begins;        /* of the rows from the first on, whatever their lanes */
    shared<I> highest;       /* by lane: the highest level outside that it waits for; -1: none */
    shared<unsigned> inside; /* by lane: the lanes that it waits for */

    /* The lane whose row has entry e. */
    GPU_FUNCTION int owner(const warp_rows &rows, int64_t e) const {
        int k = 0;
        GPU_UNROLL
        for (int step = warp_lanes / 2; step > 0; step /= 2) {
            if (begins[k + step] <= e) k += step;
        }
        return rows.lane_of(k);
    }
};

/* Entries from `from` on, as many as are in flight; those outside are waited for. */
template <class I>
GPU_FUNCTION void gather_levels(const waits<I> &w, const warp_rows &rows, const I *level,
                                int64_t from, int64_t end, const level_room<I> &room) {
    I other[level_flight], found[level_flight];
    int owner[level_flight];
    bool waiting = false;
    GPU_UNROLL
    for (int f = 0; f < level_flight; f++) {
        const int64_t e = from + static_cast<int64_t>(f) * warp_lanes + lane();
        other[f] = e < end ? load(w.others + e) : I(-1);
        owner[f] = e < end ? room.owner(rows, e) : -1;
    }
    GPU_UNROLL
    for (int f = 0; f < level_flight; f++) {
        found[f] = 0;
        if (owner[f] >= 0 && !rows.has(other[f])) found[f] = load_relaxed(level + other[f]);
        waiting |= found[f] < 0;
    }
    while (any(full_warp, waiting)) {
        spin();
        waiting = false;
        GPU_UNROLL
        for (int f = 0; f < level_flight; f++) {
            if (found[f] < 0) found[f] = load_relaxed(level + other[f]);
            waiting |= found[f] < 0;
        }
    }
    GPU_UNROLL
    for (int f = 0; f < level_flight; f++) {
        if (owner[f] < 0) continue;
        if (rows.has(other[f])) {
            const int on = rows.lane_of(static_cast<int>(other[f] - rows.first));
            atomic_or(room.inside + owner[f], 1u << on);
        } else {
            atomic_max(room.highest + owner[f], found[f]);
        }
    }
}

/* A lane's level, from the highest that it waits for outside and the lanes that it waits for. */
template <class I>
GPU_FUNCTION I settle_levels(I highest, unsigned inside) {
    I level = highest + 1;
    unsigned awaited = inside;
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        awaited |= shuffle_xor(full_warp, awaited, lanes);
    }
    for (; awaited != 0; awaited &= awaited - 1) {
        const int on = first_bit(awaited);
        const I other = shuffle(full_warp, level, on);
        if ((inside >> on & 1u) && level <= other) level = other + 1;
    }
    return level;
}

/* *ticket and *levels are 0 before; *levels becomes how many there are. */
template <class I>
GPU_KERNEL void find_levels(waits<I> w, bool falling, int64_t *ticket, I *level, int64_t *levels) {
    GPU_SHARED(I, begins, level_threads);
    GPU_SHARED(I, highest, level_threads);
    GPU_SHARED(unsigned, inside, level_threads);
    const int64_t packs = (w.rows + warp_lanes - 1) / warp_lanes;
    const unsigned me = thread(), warp = me - lane();
    const level_room<I> room = {begins + warp, highest + warp, inside + warp};
    int64_t most_levels = 0;
    for (;;) {
        int64_t pack = lane() == 0 ? atomic_add(ticket, 1) : 0;
        pack = shuffle(full_warp, pack, 0);
        if (pack >= packs) break;
        warp_rows rows = {(falling ? packs - 1 - pack : pack) * warp_lanes, w.rows, falling};
        if (rows.first + warp_lanes < w.rows) rows.end = rows.first + warp_lanes;
        const int64_t row = rows.first + lane();
        begins[me] = load(w.begins + (row < rows.end ? row : rows.end));
        highest[me] = -1;
        inside[me] = 0;
        sync_warp(full_warp);
        const int64_t end = load(w.begins + rows.end);
        for (int64_t e = begins[warp]; e < end; e += int64_t{level_flight} * warp_lanes) {
            gather_levels(w, rows, level, e, end, room);
        }
        sync_warp(full_warp);
        const I mine = settle_levels<I>(highest[me], inside[me]);
        if (rows.has(rows.row())) {
            store_relaxed(level + rows.row(), mine);
            if (mine >= most_levels) most_levels = mine + 1;
        }
        sync_warp(full_warp);
    }
    most_levels = warp_reduce<most>(most_levels);
    if (lane() == 0) atomic_max(levels, most_levels);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
