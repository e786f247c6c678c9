/* SPDX-License-Identifier: Apache-2.0 */
/* Gram-Schmidt on the GPU: a thread has a number of w and those of the basis in the same row, up to
 * tile_columns of them in registers, so that the second pass takes components off and measures what
 * is left while it reads the basis once. */
#include "gpu/loop.cuh"
#include "solve/functions.h"
#include "vector/finish.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int tile_columns = 32, chunk_columns = 8;

template <class V>
struct basis {
    int64_t n, stride;
    int columns;
    const V *v;
    V *w;
    V *first, *again, *norm;
    double *sums, *whole;
    int64_t pieces;
    GPU_FUNCTION int64_t begin(int64_t piece) const { return n * piece / pieces; }
};

/* Sums over the block of `count` numbers a thread, to this piece of columns from `c` on. */
template <int most, class V>
GPU_FUNCTION void put_sums(const basis<V> &b, const double *sum, int count, int c,
                           shared<double> room) {
    constexpr int warps = loop_threads / warp_lanes;
    sync();
    GPU_UNROLL
    for (int k = 0; k < most; k++) {
        double all = sum[k];
        GPU_UNROLL
        for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2)
            all += shuffle_xor(full_warp, all, lanes);
        if (lane() == 0) room[k * warps + thread() / warp_lanes] = all;
    }
    sync();
    const int k = static_cast<int>(thread());
    if (k >= count) return;
    double all = room[k * warps];
    for (int warp = 1; warp < warps; warp++) all += room[k * warps + warp];
    b.sums[(c + k) * b.pieces + block()] = all;
}

/* V^T w, some columns at a time: this block's part of w is read again from the L1. */
template <class V>
GPU_KERNEL void measure(basis<V> b) {
    GPU_SHARED(double, room, chunk_columns *(loop_threads / warp_lanes));
    allow_next();
    await_previous();
    const int64_t begin = b.begin(block()), end = b.begin(block() + 1);
    for (int c = 0; c < b.columns; c += chunk_columns) {
        const int count = b.columns - c < chunk_columns ? b.columns - c : chunk_columns;
        double sum[chunk_columns] = {};
        for (int64_t i = begin + thread(); i < end; i += loop_threads) {
            V v[chunk_columns];
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) {
                v[k] = k < count ? b.v[(c + k) * b.stride + i] : V(0);
            }
            const double w = static_cast<double>(b.w[i]);
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) sum[k] += static_cast<double>(v[k]) * w;
        }
        put_sums<chunk_columns>(b, sum, count, c, room);
    }
}

/* w := w - V h, and |w|^2 as the sum after those of the columns. */
template <class V>
GPU_FUNCTION void take_off_all(const basis<V> &b, const V *h, shared<double> room) {
    const int64_t begin = b.begin(block()), end = b.begin(block() + 1);
    double square[1] = {0};
    for (int64_t i = begin + thread(); i < end; i += loop_threads) {
        V w = b.w[i];
        for (int c = 0; c < b.columns; c += chunk_columns) {
            V v[chunk_columns];
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) {
                v[k] = c + k < b.columns ? b.v[(c + k) * b.stride + i] : V(0);
            }
            GPU_UNROLL
            for (int k = 0; k < chunk_columns; k++) {
                if (c + k < b.columns) w = fma(-h[c + k], v[k], w);
            }
        }
        b.w[i] = w;
        square[0] += static_cast<double>(w) * static_cast<double>(w);
    }
    put_sums<1>(b, square, 1, b.columns, room);
}

template <class V>
GPU_KERNEL void take_first_off(basis<V> b) {
    GPU_SHARED(double, room, loop_threads / warp_lanes);
    allow_next();
    await_previous();
    take_off_all(b, b.first, room);
}

/* The same with V^T of the new w, for as many columns as registers have room for. */
template <int most, class V>
GPU_KERNEL void take_off_and_measure(basis<V> b) {
    GPU_SHARED(double, room, (most + 1) * (loop_threads / warp_lanes));
    GPU_SHARED(double, h, most);
    allow_next();
    await_previous();
    for (int c = static_cast<int>(thread()); c < most; c += loop_threads) {
        h[c] = c < b.columns ? static_cast<double>(b.first[c]) : 0.0;
    }
    sync();
    const int64_t begin = b.begin(block()), end = b.begin(block() + 1);
    double sum[most + 1] = {};
    for (int64_t i = begin + thread(); i < end; i += loop_threads) {
        V v[most];
        V w = b.w[i];
        GPU_UNROLL
        for (int c = 0; c < most; c++) v[c] = c < b.columns ? b.v[c * b.stride + i] : V(0);
        GPU_UNROLL
        for (int c = 0; c < most; c++) w = fma(-static_cast<V>(h[c]), v[c], w);
        b.w[i] = w;
        GPU_UNROLL
        for (int c = 0; c < most; c++) sum[c] += static_cast<double>(v[c]) * static_cast<double>(w);
        sum[most] += static_cast<double>(w) * static_cast<double>(w);
    }
    put_sums<most>(b, sum, b.columns, 0, room);
    put_sums<1>(b, sum + most, 1, b.columns, room);
}

/* A block for each sum: whole[c], and as a number of the type. */
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

/* Whether so little is left along the basis that it stays. The same in all blocks. */
template <class V>
GPU_FUNCTION bool is_enough(const basis<V> &b, shared<double> room) {
    constexpr double left = sizeof(V) == 4 ? TULLE__LEFT_F32 : TULLE__LEFT_F64;
    double square = 0;
    for (int c = static_cast<int>(thread()); c < b.columns; c += loop_threads) {
        square += b.whole[c] * b.whole[c];
    }
    square = block_join<add_up>(square, 1, room);
    if (thread() == 0) room[0] = square;
    sync();
    square = room[0];
    sync();
    return square <= left * left * b.whole[b.columns];
}

template <class V>
GPU_KERNEL void take_rest_off(basis<V> b) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    if (!is_enough(b, room)) take_off_all(b, b.again, room);
}

/* The norm, from the last pass that there was; what was not taken off is 0. */
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
    sum = block_join<add_up>(sum, 1, room);
    if (thread() == 0) *b.norm = static_cast<V>(sqrt(enough ? b.whole[b.columns] : sum));
    for (int c = static_cast<int>(thread()); c < b.columns && enough; c += loop_threads) {
        b.again[c] = V(0);
    }
}

/* The second pass, by as many registers as it takes; beyond that in two. */
template <class V>
tulle_status second_pass(const tulle__place *place, const basis<V> &b) {
    const grid all{b.pieces, loop_threads};
    if (b.columns <= 8) return launch_early(place, take_off_and_measure<8, V>, all, b);
    if (b.columns <= 16) return launch_early(place, take_off_and_measure<16, V>, all, b);
    if (b.columns <= tile_columns) {
        return launch_early(place, take_off_and_measure<tile_columns, V>, all, b);
    }
    GPU_TRY(launch_early(place, take_first_off<V>, all, b));
    return launch_early(place, measure<V>, all, b);
}

template <class V>
tulle_status orthogonal(const tulle__place *place, const tulle__orthogonal *o) {
    const basis<V> b{o->n,
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
    const grid all{b.pieces, loop_threads};
    GPU_TRY(launch_early(place, measure<V>, all, b));
    GPU_TRY(launch_early(place, join_sums<V>, {b.columns, loop_threads}, b, b.first));
    GPU_TRY(second_pass(place, b));
    GPU_TRY(launch_early(place, join_sums<V>, {b.columns + 1, loop_threads}, b, b.again));
    GPU_TRY(launch_early(place, take_rest_off<V>, all, b));
    return launch_early(place, close_up<V>, {1, loop_threads}, b);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(orthogonal)(const tulle__place *place, const tulle__orthogonal *o) {
    return o->type == TULLE_F32 ? gpu::orthogonal<float>(place, o)
                                : gpu::orthogonal<double>(place, o);
}
