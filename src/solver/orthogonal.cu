/* SPDX-License-Identifier: Apache-2.0 */
/* Gram-Schmidt on the GPU: the second pass reads the basis once, and both takes components off
 * and measures the components that are left. Between two passes the sums of pieces are joined: by a
 * launch of its own, or, where there are few, by every block of the next pass, in one order. */
#include "gpu/loop.cuh"
#include "solver/basis_tiles.cuh"
#include "solver/column.cuh"
#include "solver/functions.h"
#include "vector/finish.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int chunk_columns = 8, most_columns = 32;

/* Adds up a number of each thread over the block, to this piece's part of the sum behind those
 * of the columns. */
template <class V>
GPU_FUNCTION void put_square(const basis<V> &b, double *sums, double square, shared<double> room) {
    sync();
    GPU_UNROLL
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2)
        square += shuffle_xor(full_warp, square, lanes);
    if (lane() == 0) room[thread() / warp_lanes] = square;
    sync();
    if (thread() != 0) return;
    square = room[0];
    for (int w = 1; w < tile_warps; w++) square += room[w];
    sums[b.columns * b.pieces + block()] = square;
}

/* Adds up over the block the numbers that the threads of a tile have for their columns, to this
 * piece's part of the columns from `first` on. */
template <int most, class V>
GPU_FUNCTION void put_columns(const basis<V> &b, double *sums, const double *sum, int count,
                              int first, shared<double> room) {
    constexpr int own = basis_tiles<most, V>::own;
    const int warp = static_cast<int>(thread()) / warp_lanes;
    sync();
    GPU_UNROLL
    for (int k = 0; k < own; k++) {
        double all = sum[k];
        GPU_UNROLL
        for (int lanes = warp_lanes / 2; lanes >= lanes_of_row; lanes /= 2)
            all += shuffle_xor(full_warp, all, lanes);
        if (lane() < lanes_of_row) {
            room[basis_tiles<most, V>::column(k) * tile_warps + warp] = all;
        }
    }
    sync();
    const int c = static_cast<int>(thread());
    if (c >= count) return;
    double all = room[c * tile_warps];
    for (int w = 1; w < tile_warps; w++) all += room[c * tile_warps + w];
    sums[(first + c) * b.pieces + block()] = all;
}

/* First pass: this piece's part of V^T w. */
template <int most, class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void measure(basis<V> b) {
    using tiles = basis_tiles<most, V>;
    GPU_DYNAMIC_SHARED(V, tile);
    GPU_SHARED(double, room, most *tile_warps);
    allow_next();
    await_previous();
    for (int c = 0; c < b.columns; c += most) {
        const int count = b.columns - c < most ? b.columns - c : most;
        double sum[tiles::own] = {};
        tiles(b, c, count, tile).each_row([&](int64_t, const V *v, V w) {
            GPU_UNROLL
            for (int k = 0; k < tiles::own; k++) {
                sum[k] += static_cast<double>(v[k]) * static_cast<double>(w);
            }
        });
        put_columns<most>(b, b.sums, sum, count, c, room);
    }
}

/* Computes w := w + factor V h for a factor of 1 or -1; returns the thread's part of |w|^2. */
template <class V, class H>
GPU_FUNCTION double add_all(const basis<V> &b, V factor, H h) {
    double square = 0;
    for (int64_t i = b.begin(block()) + thread(); i < b.end(); i += loop_threads) {
        V w = b.w[i];
        for (int c = 0; c < b.columns; c += chunk_columns) {
            V v[chunk_columns];
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) {
                v[k] = c + k < b.columns ? b.v[(c + k) * b.stride + i] : V(0);
            }
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) {
                if (c + k < b.columns) w = fma(factor * h[c + k], v[k], w);
            }
        }
        b.w[i] = w;
        square += static_cast<double>(w) * static_cast<double>(w);
    }
    return square;
}

template <class V>
GPU_KERNEL void add_columns(basis<V> b) {
    allow_next();
    await_previous();
    add_all(b, V(1), b.first);
}

template <class V>
GPU_KERNEL void take_first_off(basis<V> b) {
    GPU_SHARED(double, room, loop_threads / warp_lanes);
    allow_next();
    await_previous();
    put_square(b, b.sums, add_all(b, V(-1), b.first), room);
}

/* whole[c] := the sum of all pieces' sums, for `count` columns: a warp for each, with the loads of
 * a few columns on their way at once. All threads of the block then see them. */
template <class V>
GPU_FUNCTION void join_few(const basis<V> &b, const double *sums, int count, shared<double> whole) {
    constexpr int at_once = 4;
    const int warp = static_cast<int>(thread()) / warp_lanes;
    for (int c = warp; c < count; c += at_once * tile_warps) {
        double sum[at_once] = {};
        GPU_UNROLL
        for (int k = 0; k < at_once; k++) {
            const int own = c + k * tile_warps;
            for (int64_t p = lane(); p < b.pieces && own < count; p += warp_lanes) {
                sum[k] += sums[own * b.pieces + p];
            }
        }
        GPU_UNROLL
        for (int k = 0; k < at_once; k++) {
            GPU_UNROLL
            for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
                sum[k] += shuffle_xor(full_warp, sum[k], lanes);
            }
            const int own = c + k * tile_warps;
            if (lane() == 0 && own < count) whole[own] = sum[k];
        }
    }
    sync();
}

/* Second pass, for as many columns as a tile has: w := w - V h, and this piece's part of V^T w
 * and |w|^2 of the new w. joins: true when each block joins the sums of the first pass, else they
 * are in b.first. */
template <int most, bool joins, class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void take_off_and_measure(basis<V> b) {
    using tiles = basis_tiles<most, V>;
    GPU_DYNAMIC_SHARED(V, tile);
    GPU_SHARED(double, room, most *tile_warps);
    allow_next();
    await_previous();
    if (joins) {
        join_few(b, b.sums, b.columns, room);
        const int c = static_cast<int>(thread());
        if (block() == 0 && c < b.columns) b.first[c] = static_cast<V>(room[c]);
    }
    V h[tiles::own];
    GPU_UNROLL
    for (int k = 0; k < tiles::own; k++) {
        const int c = tiles::column(k);
        h[k] = c >= b.columns ? V(0) : joins ? static_cast<V>(room[c]) : b.first[c];
    }
    double sum[tiles::own] = {}, square = 0;
    tiles(b, 0, b.columns, tile).each_row([&](int64_t row, const V *v, V w) {
        V along = 0;
        GPU_UNROLL
        for (int k = 0; k < tiles::own; k++) along = fma(h[k], v[k], along);
        w -= along + shuffle_xor(full_warp, along, 1);
        GPU_UNROLL
        for (int k = 0; k < tiles::own; k++) {
            sum[k] += static_cast<double>(v[k]) * static_cast<double>(w);
        }
        if (thread() % lanes_of_row != 0) return;
        if (row < b.n) b.w[row] = w;
        square += static_cast<double>(w) * static_cast<double>(w);
    });
    double *sums = b.sums_of(joins ? 1 : 0);
    put_columns<most>(b, sums, sum, b.columns, 0, room);
    put_square(b, sums, square, room);
}

/* Joins the pieces of each sum, a block for each: whole[c], and the number rounded to the type. */
template <class V>
GPU_KERNEL void join_sums(basis<V> b, V *to) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const int64_t c = block();
    double sum = 0;
    for (int64_t p = thread(); p < b.pieces; p += loop_threads) sum += b.sums[c * b.pieces + p];
    sum = block_join<add_up>(sum, 1, room);
    if (thread() != 0) return;
    b.whole[c] = sum;
    if (c < b.columns) to[c] = static_cast<V>(sum);
}

/* True when a square sum says that so little is left along the basis that it stays in w. */
template <class V>
GPU_FUNCTION bool is_little(double square, double whole) {
    constexpr double left = sizeof(V) == 4 ? TULLE__LEFT_F32 : TULLE__LEFT_F64;
    return square <= left * left * whole;
}

/* True when so little is left along the basis that it stays in w. All blocks get the same
 * answer. */
template <class V>
GPU_FUNCTION bool is_enough(const basis<V> &b, shared<double> room) {
    double square = 0;
    for (int c = static_cast<int>(thread()); c < b.columns; c += loop_threads) {
        square += b.whole[c] * b.whole[c];
    }
    square = block_join<add_up>(square, 1, room);
    if (thread() == 0) room[0] = square;
    sync();
    square = room[0];
    sync();
    return is_little<V>(square, b.whole[b.columns]);
}

template <class V>
GPU_KERNEL void take_rest_off(basis<V> b) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    if (!is_enough(b, room)) put_square(b, b.sums, add_all(b, V(-1), b.again), room);
}

/* Scales w to length 1 by the norm of the last pass that there was; components that were not
 * taken off become 0. */
template <class V>
GPU_KERNEL void close_up(basis<V> b) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const bool enough = is_enough(b, room);
    double sum = 0;
    for (int64_t p = thread(); p < b.pieces && !enough; p += loop_threads) {
        sum += b.sums[b.columns * b.pieces + p];
    }
    block_join<add_up>(sum, 1, room);
    const double norm = sqrt(enough ? b.whole[b.columns] : double(room[0]));
    const V scale = static_cast<V>(norm > 0 ? 1 / norm : 0);
    for (int64_t i = b.begin(block()) + thread(); i < b.end(); i += loop_threads) b.w[i] *= scale;
    if (block() != 0) return;
    if (thread() == 0) *b.norm = static_cast<V>(norm);
    for (int c = static_cast<int>(thread()); c < b.columns && enough; c += loop_threads) {
        b.again[c] = V(0);
    }
}

/* Joins the sums of the second pass and takes the rest off where it is too much; leaves |w|^2 as
 * the sum of the first sums' last row. */
template <class V>
GPU_KERNEL void join_and_take_rest_off(basis<V> b) {
    GPU_SHARED(double, whole, most_columns + 1);
    GPU_SHARED(double, room, tile_warps);
    GPU_SHARED(V, rest, most_columns);
    allow_next();
    await_previous();
    join_few(b, b.sums_of(1), b.columns + 1, whole);
    const int c = static_cast<int>(thread());
    const int own = static_cast<int>(lane());
    double square = own < b.columns ? whole[own] * whole[own] : 0;
    GPU_UNROLL
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2)
        square += shuffle_xor(full_warp, square, lanes);
    const bool enough = is_little<V>(square, whole[b.columns]);
    if (c < b.columns) {
        const V along = enough ? V(0) : static_cast<V>(whole[c]);
        rest[c] = along;
        if (block() == 0) b.again[c] = along;
    }
    sync();
    if (!enough) {
        put_square(b, b.sums, add_all(b, V(-1), rest), room);
    } else if (c == 0) {
        b.sums[b.columns * b.pieces + block()] = block() == 0 ? double(whole[b.columns]) : 0;
    }
}

/* Scales w to length 1. One more block than there are pieces adds the column, if there is one. */
template <class V>
GPU_KERNEL void close_up_and_add_column(basis<V> b, tulle__column column) {
    GPU_SHARED(double, h, most_columns);
    GPU_SHARED(double, cosines, most_columns);
    GPU_SHARED(double, sines, most_columns);
    allow_next();
    await_previous();
    double square = 0;
    for (int64_t p = lane(); p < b.pieces; p += warp_lanes) {
        square += b.sums[b.columns * b.pieces + p];
    }
    GPU_UNROLL
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2)
        square += shuffle_xor(full_warp, square, lanes);
    const double norm = sqrt(square);
    if (block() == b.pieces) {
        if (thread() == 0) *b.norm = static_cast<V>(norm);
        if (column.R) add_column_by_block(column, {h, cosines, sines});
        return;
    }
    const V scale = static_cast<V>(norm > 0 ? 1 / norm : 0);
    for (int64_t i = b.begin(block()) + thread(); i < b.end(); i += loop_threads) b.w[i] *= scale;
}

template <int most, class V>
tulle_status by_tiles(const tulle__place *place, void (*kernel)(basis<V>), const basis<V> &b) {
    return launch_early(place, kernel, {b.pieces, loop_threads, basis_tiles<most, V>::bytes}, b);
}

template <class V>
tulle_status first_pass(const tulle__place *place, const basis<V> &b) {
    if (b.columns <= 8) return by_tiles<8>(place, measure<8, V>, b);
    if (b.columns <= 16) return by_tiles<16>(place, measure<16, V>, b);
    return by_tiles<most_columns>(place, measure<most_columns, V>, b);
}

template <bool joins, class V>
tulle_status second_pass_by_tiles(const tulle__place *place, const basis<V> &b) {
    if (b.columns <= 8) return by_tiles<8>(place, take_off_and_measure<8, joins, V>, b);
    if (b.columns <= 16) return by_tiles<16>(place, take_off_and_measure<16, joins, V>, b);
    return by_tiles<most_columns>(place, take_off_and_measure<most_columns, joins, V>, b);
}

/* Second pass. For more columns than a tile has: takes components off, then measures. */
template <class V>
tulle_status second_pass(const tulle__place *place, const basis<V> &b) {
    if (b.columns <= most_columns) return second_pass_by_tiles<false>(place, b);
    GPU_TRY(launch_early(place, take_first_off<V>, {b.pieces, loop_threads}, b));
    return first_pass(place, b);
}

template <class V>
basis<V> basis_of(const tulle__orthogonal *o) {
    return {o->n,
            o->stride,
            o->columns,
            static_cast<const V *>(o->V),
            static_cast<V *>(o->w),
            static_cast<V *>(o->first),
            static_cast<V *>(o->again),
            static_cast<V *>(o->norm),
            o->sums,
            o->whole,
            o->pieces};
}

/* Four launches, with the column: the blocks of a pass join the sums of the one before. */
template <class V>
tulle_status orthogonal_of_few(const tulle__place *place, const basis<V> &b,
                               const tulle__column &column) {
    GPU_TRY(first_pass(place, b));
    GPU_TRY(second_pass_by_tiles<true>(place, b));
    GPU_TRY(launch_early(place, join_and_take_rest_off<V>, {b.pieces, loop_threads}, b));
    return launch_early(place, close_up_and_add_column<V>, {b.pieces + 1, loop_threads}, b, column);
}

template <class V>
tulle_status orthogonal(const tulle__place *place, const tulle__orthogonal *o) {
    const basis<V> b = basis_of<V>(o);
    const grid all{b.pieces, loop_threads};
    if (b.pieces <= TULLE__ORTHOGONAL_FEW_PIECES && b.columns <= most_columns) {
        const tulle__column none = {.type = o->type};
        return orthogonal_of_few(place, b, o->column ? *o->column : none);
    }
    GPU_TRY(first_pass(place, b));
    GPU_TRY(launch_early(place, join_sums<V>, {b.columns, loop_threads}, b, b.first));
    GPU_TRY(second_pass(place, b));
    GPU_TRY(launch_early(place, join_sums<V>, {b.columns + 1, loop_threads}, b, b.again));
    GPU_TRY(launch_early(place, take_rest_off<V>, all, b));
    GPU_TRY(launch_early(place, close_up<V>, all, b));
    return o->column ? GPU_SYMBOL(column)(place, o->column) : TULLE_OK;
}

template <class V>
tulle_status combination(const tulle__place *place, const tulle__orthogonal *o) {
    return launch_early(place, add_columns<V>, {o->pieces, loop_threads}, basis_of<V>(o));
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(orthogonal)(const tulle__place *place, const tulle__orthogonal *o) {
    return o->type == TULLE_F32 ? gpu::orthogonal<float>(place, o)
                                : gpu::orthogonal<double>(place, o);
}

tulle_status GPU_SYMBOL(add_columns)(const tulle__place *place, const tulle__orthogonal *o) {
    return o->type == TULLE_F32 ? gpu::combination<float>(place, o)
                                : gpu::combination<double>(place, o);
}
