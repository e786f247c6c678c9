/* SPDX-License-Identifier: Apache-2.0 */
/* Computes X^T Z of some rows with one block of loop_threads. Rows are loaded into the registers of
 * a warp in the layout of the matrix units for doubles, and sums stay in registers; f32 is computed
 * in f64, in which products are exact. Fewer than eight columns are treated as several slabs of
 * rows beside each other, and only the diagonal blocks of their product count. */
#ifndef TULLE_VECTOR_MULTIVECTOR_DOT_CUH
#define TULLE_VECTOR_MULTIVECTOR_DOT_CUH

#include "vector/multivector.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of rows of a slab. A lane has one column of a slab, and a pack of its rows; four lanes
 * together have all rows. */
template <class V>
constexpr int slab_rows = 4 * pack_of<V>;

/* Loads the part of a slab that a lane has, from row i on; settle() then turns it into the numbers
 * of the rows in column c. If rows are runs, the lane loads two columns of every other row, and the
 * lane with the other column loads the other rows. */
template <lie how, class V>
GPU_FUNCTION void take_slab(V *v, const strided<const V> &x, int64_t i, int c, int cols) {
    constexpr int n = pack_of<V>;
    if constexpr (how == lie::columns) {
        const strided<const V> by_column{x.data, 1, x.col};
        take<true>(v, by_column, i, c < cols ? c : 0, c < cols ? n : 0);
    } else if constexpr (how == lie::rows) {
        GPU_UNROLL
        for (int r = 0; r < n; r += 2) {
            take_pair(v[r], v[r + 1], x.data, x.row, i + r + c % 2, c - c % 2, cols);
        }
    } else {
        GPU_UNROLL
        for (int r = 0; r < n; r++) v[r] = c < cols ? *x.at(i + r, c) : V(0);
    }
}

template <lie how, class V>
GPU_FUNCTION void settle(V *v, int c) {
    if constexpr (how == lie::rows) {
        const bool odd = c % 2 != 0;
        GPU_UNROLL
        for (int r = 0; r < pack_of<V>; r += 2) {
            const V other = shuffle_xor(full_warp, odd ? v[r] : v[r + 1], 4);
            v[r + 1] = odd ? v[r + 1] : other;
            v[r] = odd ? other : v[r];
        }
    }
}

/* Loads only the numbers before row `end`. */
template <class V>
GPU_FUNCTION void take_last(V *v, const strided<const V> &x, int64_t i, int c, int cols,
                            int64_t end) {
    GPU_UNROLL
    for (int r = 0; r < pack_of<V>; r++) v[r] = c < cols && i + r < end ? *x.at(i + r, c) : V(0);
}

constexpr int dot_warps = loop_threads / warp_lanes;

/* The sums of a warp: tiles of R, or as many blocks of R as there are slabs. */
template <int tiles>
struct dot_sums {
    tile_f64 at[tiles][tiles];

    template <class V>
    GPU_FUNCTION void add(const V x[tiles][pack_of<V>], const V z[tiles][pack_of<V>], int k1,
                          int k2) {
        GPU_UNROLL
        for (int r = 0; r < pack_of<V>; r++) {
            GPU_UNROLL
            for (int a = 0; a < tiles; a++) {
                GPU_UNROLL
                for (int b = 0; b < tiles; b++) {
                    if (a * tile_side >= k1 || b * tile_side >= k2) continue;
                    multiply_add_8x8x4(at[a][b], static_cast<double>(x[a][r]),
                                       static_cast<double>(z[b][r]));
                }
            }
        }
    }
    static constexpr int count = tiles * tiles * tile_side * tile_side;
    template <class Each>
    GPU_FUNCTION void each(Each number) {
        const int first = static_cast<int>(lane()) * 2;
        GPU_UNROLL
        for (int k = 0; k < tiles * tiles; k++) {
            GPU_UNROLL
            for (int h = 0; h < 2; h++) {
                number(at[k / tiles][k % tiles].c[h], k * tile_side * tile_side + first + h);
            }
        }
    }
};

/* dot_packs: number of packs of each operand that a lane loads at a time. dot_steps: number of
 * slabs of a warp's turn. */
constexpr int dot_packs = 4;
template <class V, int tiles>
constexpr int dot_steps = dot_packs / tiles;

/* Number of doubles of shared memory that dot_of_turns needs. */
template <int tiles>
constexpr int dot_room = dot_warps / 2 * dot_sums<tiles>::count;

/* The distribution of rows among warps: in turns of whole slabs. */
template <class V, int tiles>
struct dot_turns {
    int width, slabs; /* number of columns of a slab, and number of slabs side by side */
    int64_t step_rows, rows;
    GPU_FUNCTION dot_turns(int k1, int k2) : width(1) {
        const int widest = k1 > k2 ? k1 : k2;
        while (width < widest && width < tile_side) width *= 2;
        slabs = tile_side / width;
        step_rows = int64_t{slabs} * slab_rows<V>;
        rows = dot_steps<V, tiles> * step_rows;
    }
    GPU_FUNCTION int64_t of(int64_t all) const { return all / rows + (all % rows != 0); }
};

/* The time at which a warp loads the slabs of its next turn: early, as soon as the slabs of this
 * turn have been used, which takes registers that a large kernel lacks; or late, behind all of
 * them. */
enum class next_slabs { early, late };

/* Calls put(p, c, sum) for each number of X^T Z over turns `first` to `end`, by the block's
 * threads. */
template <class V, int tiles, lie how, next_slabs when, class Put>
GPU_FUNCTION void dot_of_turns(int64_t rows, int64_t first_turn, int64_t end,
                               const strided<const V> &x, const strided<const V> &z, int k1, int k2,
                               shared<double> room, Put put) {
    constexpr int n = pack_of<V>, steps = dot_steps<V, tiles>;
    const dot_turns<V, tiles> turns(k1, k2);
    const int width = turns.width, slabs = turns.slabs;
    const int64_t step_rows = turns.step_rows, turn_rows = turns.rows;
    const int t = static_cast<int>(thread()), warp = t / warp_lanes;
    const int column = static_cast<int>(lane()) / 4;
    const int c = column & (width - 1);
    const int first = (column / width * 4 + static_cast<int>(lane()) % 4) * n;

    dot_sums<tiles> sums = {};
    V of_x[steps][tiles][n], of_z[steps][tiles][n];
    const auto take_step = [&](int s, int64_t turn) {
        const int64_t from = turn * turn_rows + first + s * step_rows;
        GPU_UNROLL
        for (int a = 0; a < tiles; a++) {
            take_slab<how>(of_x[s][a], x, from, a * tile_side + c, k1);
            take_slab<how>(of_z[s][a], z, from, a * tile_side + c, k2);
        }
    };
    const int64_t whole = rows / turn_rows, stop = whole < end ? whole : end;
    int64_t turn = first_turn + warp;
    const auto take_turn = [&](int64_t one) {
        GPU_UNROLL
        for (int s = 0; s < steps; s++) take_step(s, one);
    };
    if (when == next_slabs::early && turn < stop) take_turn(turn);
    for (; turn < stop; turn += dot_warps) {
        if (when == next_slabs::late) take_turn(turn);
        GPU_UNROLL
        for (int s = 0; s < steps; s++) {
            GPU_UNROLL
            for (int a = 0; a < tiles; a++) {
                settle<how>(of_x[s][a], c);
                settle<how>(of_z[s][a], c);
            }
            sums.add(of_x[s], of_z[s], k1, k2);
            if (when == next_slabs::early && turn + dot_warps < stop) {
                take_step(s, turn + dot_warps);
            }
        }
    }
    GPU_KEEP_LOOP
    for (int s = 0; s < steps && turn < end; s++) {
        const int64_t from = turn * turn_rows + first + s * step_rows;
        GPU_UNROLL
        for (int a = 0; a < tiles; a++) {
            take_last(of_x[0][a], x, from, a * tile_side + c, k1, rows);
            take_last(of_z[0][a], z, from, a * tile_side + c, k2, rows);
        }
        sums.add(of_x[0], of_z[0], k1, k2);
    }

    /* The sums of the warps are joined by halves. */
    constexpr int count = dot_sums<tiles>::count;
    for (int half = dot_warps / 2; half > 0; half /= 2) {
        const int with = warp % half * count;
        if (warp >= half && warp < 2 * half) {
            sums.each([&](double v, int k) { room[with + k] = v; });
        }
        sync();
        if (warp < half) sums.each([&](double &v, int k) { v += room[with + k]; });
        sync();
    }
    if (warp == 0) sums.each([&](double v, int k) { room[k] = v; });
    sync();
    for (int e = t; e < k1 * k2; e += loop_threads) {
        const int p = e / k2, q = e % k2;
        const int tile = p / tile_side * tiles + q / tile_side;
        double sum = 0;
        for (int s = 0; s < slabs; s++) {
            const int row = s * width + p % tile_side, col = s * width + q % tile_side;
            sum += room[(tile * tile_side + row) * tile_side + col];
        }
        put(p, q, sum);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
