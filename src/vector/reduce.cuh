/* SPDX-License-Identifier: Apache-2.0 */
/* Computes one number from each column with blocks that take a piece of the rows of one or several
 * columns. */
#ifndef TULLE_VECTOR_REDUCE_CUH
#define TULLE_VECTOR_REDUCE_CUH

#include "gpu/scalar.cuh"
#include "vector/finish.cuh"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The operations: each adds x, y and z of a row to its parts, which are joined separately. */
template <class V>
struct reduced_dot {
    using join = add_up;
    static constexpr int parts = 1;
    static constexpr bool takes_y = true, writes_y = false;
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_z() const { return false; }
    GPU_FUNCTION void add(double *sum, V x, V *y, V) const {
        sum[0] += static_cast<double>(x) * static_cast<double>(*y);
    }
    GPU_FUNCTION static double result(const double *sum) { return sum[0]; }
};

template <class V>
struct reduced_axpy_dot {
    using join = add_up;
    static constexpr int parts = 1;
    static constexpr bool takes_y = true, writes_y = true;
    bool z_is_y;
    scalar<V> a;
    V alpha;
    GPU_FUNCTION void ready() { alpha = a.value(); }
    GPU_FUNCTION bool takes_z() const { return !z_is_y; }
    GPU_FUNCTION void add(double *sum, V x, V *y, V z) const {
        *y = fma(alpha, x, *y);
        const V with = z_is_y ? *y : z;
        sum[0] += static_cast<double>(with) * static_cast<double>(*y);
    }
    GPU_FUNCTION static double result(const double *sum) { return sum[0]; }
};

/* The 2-norm. Squares of f32 neither overflow nor underflow in f64; f64 has three sums. */
template <class V>
struct reduced_norm2 {
    using join = add_up;
    static constexpr int parts = sizeof(V) == 8 ? TULLE__SUM_PARTS : 1;
    static constexpr bool takes_y = false, writes_y = false;
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_z() const { return false; }
    GPU_FUNCTION void add(double *sum, V number, V *, V) const {
        const double x = static_cast<double>(number);
        if constexpr (parts == 1) {
            sum[0] += x * x;
        } else {
            const bool large = fabs(x) > TULLE__LARGE_FROM, small = fabs(x) < TULLE__SMALL_TO;
            const double by = large ? TULLE__LARGE_BY : small ? TULLE__SMALL_BY : 1.0;
            const double square = (x * by) * (x * by);
            sum[TULLE__MEDIUM] += large || small ? 0.0 : square;
            sum[TULLE__LARGE] += large ? square : 0.0;
            sum[TULLE__SMALL] += small ? square : 0.0;
        }
    }
    GPU_FUNCTION static double result(const double *sum) {
        return parts == 1 ? sqrt(sum[0]) : tulle__norm_of(sum);
    }
};

template <class V>
struct reduced_norm_max {
    using join = take_larger;
    static constexpr int parts = 1;
    static constexpr bool takes_y = false, writes_y = false;
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_z() const { return false; }
    GPU_FUNCTION void add(double *most, V x, V *, V) const {
        most[0] = tulle__larger(most[0], fabs(static_cast<double>(x)));
    }
    GPU_FUNCTION static double result(const double *most) { return most[0]; }
};

template <class V>
struct reduction {
    int64_t rows, cols, pieces;
    int width;
    strided<const V> x;
    strided<V> y;
    strided<const V> z;
    double *partials;
};

/* Number of packs of each operand that a thread loads at a time. */
constexpr int reduce_packs = 4;

/* Reduces piece `number` with a block of loop_threads; the pieces of a column have successive
 * numbers. room: loop_threads numbers. If the piece is all of its columns, put_result(c, number)
 * gets the results. Each thread has a pack of rows of one column at a time, and a sum for each
 * number of the pack. Packs affect sums in no other way, so that a column without packs, because it
 * is strided or not aligned, has the same bits. */
template <bool whole, class V, class Reduced, class Put>
GPU_FUNCTION void reduce_piece(const Reduced &reduced, const reduction<V> &r, int64_t number,
                               shared<double> room, Put put_result) {
    constexpr int n = pack_of<V>, parts = Reduced::parts;
    const int64_t piece = number % r.pieces;
    const int64_t c = number / r.pieces * r.width + thread() % r.width;
    const int64_t units = r.rows / TULLE__SUM_UNIT + (r.rows % TULLE__SUM_UNIT != 0);
    const int64_t begin = units * piece / r.pieces * TULLE__SUM_UNIT;
    const int64_t last = units * (piece + 1) / r.pieces * TULLE__SUM_UNIT;
    const int64_t end = last < r.rows ? last : r.rows;
    const int64_t step = static_cast<int64_t>(loop_threads / r.width) * n;

    double sum[n][parts] = {};
    for (int64_t i = begin + thread() / r.width * n; i < end && c < r.cols;
         i += reduce_packs * step) {
        V x[reduce_packs][n], y[reduce_packs][n], z[reduce_packs][n];
        int count[reduce_packs];
        GPU_UNROLL
        for (int u = 0; u < reduce_packs; u++) {
            const int64_t at = i + u * step;
            count[u] = pack_count<V>(at, end);
            take<whole>(x[u], r.x, at, c, count[u]);
            if (Reduced::takes_y) {
                take<whole>(y[u], strided<const V>{r.y.data, r.y.row, r.y.col}, at, c, count[u]);
            }
            if (reduced.takes_z()) take<whole>(z[u], r.z, at, c, count[u]);
        }
        GPU_UNROLL
        for (int u = 0; u < reduce_packs; u++) {
            GPU_UNROLL
            for (int w = 0; w < n; w++) {
                if (w >= count[u]) continue;
                reduced.add(sum[w], x[u][w], y[u] + w, reduced.takes_z() ? z[u][w] : V(0));
            }
            if (Reduced::writes_y) put<whole>(y[u], r.y, i + u * step, c, count[u]);
        }
    }
    double all[parts];
    GPU_UNROLL
    for (int k = 0; k < parts; k++) {
        all[k] = sum[0][k];
        GPU_UNROLL
        for (int w = 1; w < n; w++) all[k] = Reduced::join::of(all[k], sum[w][k]);
        all[k] = block_join<typename Reduced::join>(all[k], r.width, room);
    }
    if (static_cast<int>(thread()) >= r.width || c >= r.cols) return;
    if (r.pieces == 1) {
        put_result(c, static_cast<V>(Reduced::result(all)));
        return;
    }
    GPU_UNROLL
    for (int k = 0; k < parts; k++) {
        r.partials[(k * r.pieces + piece) * r.cols + c] = all[k];
    }
}

/* Returns the result of column c of the next finish_width columns, once all pieces have left their
 * partial results: one of the first threads has it. All threads of the block must call it. */
template <class Reduced>
GPU_FUNCTION double reduce_partials_of(const double *partials, int64_t pieces, int64_t cols,
                                       int64_t c, shared<double> room) {
    constexpr int parts = Reduced::parts;
    double all[parts];
    for (int k = 0; k < parts; k++) {
        all[k] = join_pieces<typename Reduced::join>(partials + k * pieces * cols, pieces, cols, c,
                                                     room);
    }
    return Reduced::result(all);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
