/* SPDX-License-Identifier: Apache-2.0 */
/* Products of entries whose rows never fall: a segmented reduction without atomics, in a fixed
 * order. After Bell and Garland, "Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors" (SC 2009), COO kernel; ours has carries that meet in a fixed
 * order at three places, where a row passes from 32 entries to the next 32 of the same warp: in
 * a register; from warp to warp of a block: in shared memory, when all its warps are done; from
 * block to block: in the workspace, for a second kernel. The lane that meets a row's last entry
 * writes the row first; carries are added to that. */
#ifndef TULLE_SPMV_GPU_COO_CUH
#define TULLE_SPMV_GPU_COO_CUH

#include "spmv/gpu/csr.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Arguments of alpha A x of row-sorted entries, added to beta y. Rows without entries are not
 * touched. */
template <class V, class C>
struct coo_product {
    int64_t entries;
    const C *rows_of;
    const C *cols_of;
    const V *values;
    const V *x;
    V *y;
    scalar<V> alpha, beta;
    bool scaled; /* true: y holds beta y already; false: y is scaled by beta, and not read if
                    beta is 0 */
};

/* Carry that a tile leaves: a row's sum so far, or row -1. */
template <class V>
struct coo_carry {
    int64_t *row;
    V *sum;
};

/* Division of the entries: each warp gets an equal stretch of whole flights, each block the
 * stretches of its warps. It depends on the number of entries alone, so that results repeat. */
struct coo_tiling {
    int threads;
    int64_t stretch; /* number of entries of a warp */
    int64_t tiles;   /* number of blocks, which are the tiles */
};

/* Number of loads, of 32 entries each, before the first is used. */
constexpr int coo_flight = 4;
constexpr int64_t coo_step = int64_t{32} * coo_flight;

/* Default number of threads of a block, and of tiles: small blocks; enough of them to fill the
 * largest GPU several times, and few enough that their carries are soon added up. */
constexpr int coo_threads = 128;
constexpr int64_t coo_most_tiles = 8192;

inline coo_tiling coo_tile(int64_t entries, int threads = coo_threads,
                           int64_t most_tiles = coo_most_tiles) {
    int64_t tile_step = coo_step * (threads / 32);
    int64_t steps = entries / tile_step + (entries % tile_step != 0);
    int64_t steps_a_tile = steps / most_tiles + (steps % most_tiles != 0);
    if (steps == 0) return {threads, coo_step, 0};
    return {threads, steps_a_tile * coo_step, (steps + steps_a_tile - 1) / steps_a_tile};
}

/* Bytes of carries, and of the workspace for them. */
inline int64_t coo_carry_bytes(int64_t tiles, tulle_type type) {
    return tiles * (static_cast<int64_t>(sizeof(int64_t)) + tulle_type_size(type));
}
inline size_t coo_carry_workspace(int64_t tiles, tulle_type type) {
    return part_bytes<int64_t>(tiles) + part_bytes<char>(tiles * tulle_type_size(type));
}

/* Inclusive sums over the lanes of each segment, for several times 32 numbers at once, so that
 * their shuffles do not wait for each other. Bit l of `ends`: lane l is the last of a segment. As
 * many steps as the longest segment needs. Bit l of `joined`: the delta lanes before lane l are of
 * its segment. */
template <int count, class V>
GPU_FUNCTION void segment_sums(V (&values)[count], const unsigned (&ends)[count]) {
    unsigned joined[count], left = 0;
    GPU_UNROLL
    for (int f = 0; f < count; f++) {
        joined[f] = ~(ends[f] << 1 | 1u);
        left |= joined[f];
    }
    for (unsigned delta = 1; left != 0; delta *= 2) {
        left = 0;
        GPU_UNROLL
        for (int f = 0; f < count; f++) {
            V before = shuffle_up(full_warp, values[f], delta);
            if (joined[f] >> lane() & 1) values[f] += before;
            joined[f] &= joined[f] << delta;
            left |= joined[f];
        }
    }
}

/* Adds up the sums that a block's warps have left in shared memory: one lane per warp. A row that
 * goes on in the next block is that block's carry; the others were written by the warps that
 * ended them. */
template <class V, class C>
GPU_FUNCTION void coo_join_warps(const coo_product<V, C> &a, shared<int64_t> rows, shared<V> sums,
                                 coo_carry<V> carry) {
    unsigned last = block_size() / 32 - 1;
    bool there = lane() <= last;
    int64_t row = -1;
    V sum[1] = {0};
    if (there) {
        row = rows[lane()];
        sum[0] = sums[lane()];
    }
    int64_t next = shuffle_down(full_warp, row, 1u);
    bool ended = lane() >= last || next != row;
    unsigned ends[1] = {ballot(full_warp, ended)};
    segment_sums(sum, ends);
    if (lane() == last) {
        carry.row[block()] = row;
        carry.sum[block()] = sum[0];
    } else if (there && ended && row >= 0) {
        a.y[row] += a.alpha.value() * sum[0];
    }
}

/* The entries of a lane in one flight: coo_flight entries, one of each 32. Row -1: the lane has
 * none there. */
template <class V, class C>
struct coo_lane {
    C row[coo_flight];
    V sum[coo_flight];
    unsigned ends[coo_flight]; /* for each 32 entries of the flight, bits of the lanes with the last
                                  entry of a row */

    GPU_FUNCTION bool ends_before(int f) const { return (ends[f] & ((1u << lane()) - 1)) != 0; }
    GPU_FUNCTION bool closes(int f) const { return row[f] >= 0 && (ends[f] >> lane() & 1) != 0; }
};

/* Loads a flight: all of the matrix, then all of x, so that no load waits for another of its
 * kind. A lane without an entry reads x[0] for nothing. */
template <class V, class C>
GPU_FUNCTION void coo_load(const coo_product<V, C> &a, int64_t first, coo_lane<V, C> *m) {
    constexpr C no_row = -1, no_next = -2;
    C next[coo_flight], column[coo_flight];
    V factor[coo_flight];
    int64_t rest = a.entries - first, e = first + lane();
    int left = static_cast<int>(rest > coo_step ? coo_step + 1 : rest) - static_cast<int>(lane());
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) {
        m->row[f] = no_row;
        next[f] = no_next;
        column[f] = 0;
        m->sum[f] = 0;
        if (32 * f < left) {
            m->row[f] = load_once(a.rows_of + e + 32 * f);
            column[f] = load_once(a.cols_of + e + 32 * f);
            m->sum[f] = load_once(a.values + e + 32 * f);
        }
        if (32 * f + 1 < left) next[f] = load_once(a.rows_of + e + 32 * f + 1);
    }
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) factor[f] = load_awaited(a.x + column[f]);
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) m->ends[f] = ballot(full_warp, next[f] != m->row[f]);
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) m->sum[f] *= factor[f];
}

/* Writes the rows that end in the flight; all of y is read before any of it is written. */
template <class V, class C>
GPU_FUNCTION void coo_store(const coo_product<V, C> &a, const coo_lane<V, C> &m, V beta) {
    V old[coo_flight];
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) {
        old[f] = 0;
        if (beta != V(0) && m.closes(f)) old[f] = a.y[m.row[f]];
    }
    V alpha = a.alpha.value();
    GPU_UNROLL
    for (int f = 0; f < coo_flight; f++) {
        if (m.closes(f)) a.y[m.row[f]] = alpha * m.sum[f] + beta * old[f];
    }
}

/* Works through a warp's stretch, a flight of 4 x 32 entries at a time. */
template <class V, class C>
GPU_KERNEL void coo_tiles(coo_product<V, C> a, int64_t stretch, coo_carry<V> carry) {
    allow_next();
    await_previous();
    GPU_SHARED(int64_t, warp_row, 32);
    GPU_SHARED(V, warp_sum, 32);
    int64_t warp = static_cast<int64_t>(block()) * (block_size() / 32) + thread() / 32;
    int64_t first = warp * stretch;
    int64_t end = first + stretch < a.entries ? first + stretch : a.entries;
    V beta = a.beta.value();
    if (a.scaled && beta != V(0)) beta = 1;
    V open_sum = 0;
    int64_t open_row = -1;
    for (; first < end; first += coo_step) {
        coo_lane<V, C> m;
        coo_load(a, first, &m);
        segment_sums(m.sum, m.ends);
        GPU_UNROLL
        for (int f = 0; f < coo_flight; f++) {
            if (!m.ends_before(f)) m.sum[f] += open_sum;
            bool open = (m.ends[f] >> 31) == 0;
            open_sum = shuffle(full_warp, m.sum[f], 31);
            if (!open) open_sum = 0;
            open_row = open ? static_cast<int64_t>(m.row[f]) : -1;
        }
        coo_store(a, m, beta);
    }
    if (lane() == 31) {
        warp_row[thread() / 32] = open_row;
        warp_sum[thread() / 32] = open_sum;
    }
    sync();
    if (thread() < 32) coo_join_warps(a, warp_row, warp_sum, carry);
}

/* Adds carries of the chain of `row` among 32 x flight from number u on; *more: true when it may
 * go on. */
template <int flight, class V>
GPU_FUNCTION V coo_chain_part(coo_carry<V> carry, int64_t tiles, int64_t row, int64_t u,
                              bool *more) {
    V part[flight], sum = 0;
    bool mine[flight];
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        int64_t t = u + int64_t{32} * f + lane();
        mine[f] = t < tiles && carry.row[t] == row;
        part[f] = t < tiles ? carry.sum[t] : V(0);
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) sum += mine[f] ? part[f] : V(0);
    *more = any(full_warp, mine[flight - 1]);
    return sum;
}

/* Adds carries, one warp per tile: the first tile that carries to a row adds up all carries to it.
 * They stand one after the other, because rows never fall; hardly ever are there more than 32. */
template <class V>
GPU_KERNEL void coo_add_carries(int64_t tiles, coo_carry<V> carry, scalar<V> alpha, V *y) {
    allow_next();
    await_previous();
    int64_t t = static_cast<int64_t>(block()) * (block_size() / 32) + thread() / 32;
    int64_t row = t < tiles ? carry.row[t] : -1;
    bool first = row >= 0 && (t == 0 || carry.row[t - 1] != row);
    if (!first) return;
    bool more = false;
    V sum = coo_chain_part<1>(carry, tiles, row, t, &more);
    for (int64_t u = t + 32; more; u += 256) {
        sum += coo_chain_part<8>(carry, tiles, row, u, &more);
    }
    GPU_UNROLL
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
    if (lane() == 0) y[row] += alpha.value() * sum;
}

/* Runs the whole reduction; the workspace has coo_carry_workspace(t.tiles, ...) bytes. */
template <class V, class C>
tulle_status coo_reduce(const tulle__place *place, const coo_product<V, C> &a, const coo_tiling &t,
                        void *workspace) {
    if (t.tiles == 0) return TULLE_OK;
    coo_carry<V> carry = {};
    parts scratch(place, workspace);
    GPU_TRY(scratch.take(t.tiles, &carry.row));
    GPU_TRY(scratch.take(t.tiles, &carry.sum));
    GPU_TRY(launch_early(place, coo_tiles<V, C>, {t.tiles, t.threads}, a, t.stretch, carry));
    if (t.tiles == 1) return TULLE_OK;
    constexpr int warps = 4;
    return launch_early(place, coo_add_carries<V>, {(t.tiles + warps - 1) / warps, 32 * warps},
                        t.tiles, carry, a.alpha, a.y);
}

/* Adds entries of other formats that stand in COO: y[rows_of[e]] += alpha values[e]
 * x[cols_of[e]]. Rows never fall; bitwise repeatable. The workspace has
 * coo_add_workspace(entries, type) bytes. */
inline size_t coo_add_workspace(int64_t entries, tulle_type type) {
    return coo_carry_workspace(coo_tile(entries).tiles, type);
}

template <class V, class C>
tulle_status coo_add(const tulle__place *place, int64_t entries, const C *rows_of, const C *cols_of,
                     const V *values, const V *x, V *y, scalar<V> alpha, void *workspace) {
    scalar<V> one = {V(1), nullptr};
    coo_product<V, C> a = {entries, rows_of, cols_of, values, x, y, alpha, one, true};
    return coo_reduce(place, a, coo_tile(entries), workspace);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
