/* SPDX-License-Identifier: Apache-2.0 */
/* Computes Y := alpha X A + beta Y with some warps. A warp has A in its registers, loads rows of X
 * and Y into registers, and multiplies with the matrix units for doubles, f32 too. For up to four
 * columns a thread takes whole rows instead. The products of a row are added in the same order for
 * every layout. */
#ifndef TULLE_VECTOR_MULTIVECTOR_AXPY_CUH
#define TULLE_VECTOR_MULTIVECTOR_AXPY_CUH

#include "vector/multivector.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
struct axpy_operands {
    int64_t rows;
    int k1, k2;
    scalar<V> alpha, beta;
    strided<const V> x, a;
    strided<V> y;
};

/* A, tile by tile, as the matrix unit takes its operands: lane l has numbers of rows 2 (l % 4) and
 * 2 (l % 4) + 1, in column l / 4. */
template <int tiles>
struct axpy_factors {
    double at[tiles][2][tiles];

    template <class V>
    GPU_FUNCTION void take(const axpy_operands<V> &m) {
        const int row = static_cast<int>(lane()) % 4 * 2, col = static_cast<int>(lane()) / 4;
        GPU_UNROLL
        for (int k = 0; k < 2 * tiles * tiles; k++) {
            const int p = k / 2 / tiles * tile_side + row + k % 2;
            const int c = k / 2 % tiles * tile_side + col;
            at[k / 2 / tiles][k % 2][k / 2 % tiles] =
                p < m.k1 && c < m.k2 ? static_cast<double>(*m.a.at(p, c)) : 0;
        }
    }
};

/* Eight rows of X and Y. In each tile lane l has row l / 4, columns 2 (l % 4) and 2 (l % 4) + 1. */
template <class V, int tiles>
struct axpy_rows {
    V x[tiles][2], y[tiles][2];

    template <lie how>
    GPU_FUNCTION void take(const axpy_operands<V> &m, int64_t i, bool with_y) {
        const int first = static_cast<int>(lane()) % 4 * 2;
        i += static_cast<int>(lane()) / 4;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            const int c = t * tile_side + first;
            if constexpr (how == lie::rows) {
                take_pair(x[t][0], x[t][1], m.x.data, m.x.row, i, c, m.k1);
                take_pair<V>(y[t][0], y[t][1], m.y.data, m.y.row, i, c, with_y ? m.k2 : 0);
            } else {
                GPU_UNROLL
                for (int h = 0; h < 2; h++) {
                    x[t][h] = i < m.rows && c + h < m.k1 ? *m.x.at(i, c + h) : V(0);
                    y[t][h] = with_y && i < m.rows && c + h < m.k2 ? *m.y.at(i, c + h) : V(0);
                }
            }
        }
    }
    GPU_FUNCTION void multiply(const axpy_factors<tiles> &a, V alpha, V beta) {
        GPU_UNROLL
        for (int u = 0; u < tiles; u++) {
            tile_f64 sum = {};
            GPU_UNROLL
            for (int k = 0; k < 2 * tiles; k++) {
                multiply_add_8x8x4(sum, static_cast<double>(x[k / 2][k % 2]),
                                   a.at[k / 2][k % 2][u]);
            }
            y[u][0] = combined(alpha, static_cast<V>(sum.c[0]), beta, y[u][0]);
            y[u][1] = combined(alpha, static_cast<V>(sum.c[1]), beta, y[u][1]);
        }
    }
    template <lie how>
    GPU_FUNCTION void put(const axpy_operands<V> &m, int64_t i) const {
        const int first = static_cast<int>(lane()) % 4 * 2;
        i += static_cast<int>(lane()) / 4;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            const int c = t * tile_side + first;
            if constexpr (how == lie::rows) {
                if (c >= m.k2) continue;
                *reinterpret_cast<pair_of<V> *>(m.y.data + (i * m.y.row + c)) = {y[t][0], y[t][1]};
            } else {
                GPU_UNROLL
                for (int h = 0; h < 2; h++) {
                    if (i < m.rows && c + h < m.k2) *m.y.at(i, c + h) = y[t][h];
                }
            }
        }
    }
    static constexpr int count = tile_side;
};

/* Eight packs of rows, for the exchanged operands. In each tile of X lane l has columns 2 (l %
 * 4) and 2 (l % 4) + 1 of pack l / 4; of Y it has column l / 4 of packs 2 (l % 4) and 2 (l % 4)
 * + 1. */
template <class V, int tiles>
struct axpy_columns {
    static constexpr int n = pack_of<V>;
    V x[tiles][2][n], y[tiles][2][n];

    template <lie>
    GPU_FUNCTION void take(const axpy_operands<V> &m, int64_t i, bool with_y) {
        const int far = static_cast<int>(lane()) / 4, near = static_cast<int>(lane()) % 4 * 2;
        const strided<const V> from{m.x.data, 1, m.x.col}, old{m.y.data, 1, m.y.col};
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            GPU_UNROLL
            for (int h = 0; h < 2; h++) {
                const int of_x = t * tile_side + near + h, of_y = t * tile_side + far;
                gpu::take<true>(x[t][h], from, i + int64_t{far} * n, of_x, of_x < m.k1 ? n : 0);
                gpu::take<true>(y[t][h], old, i + int64_t{near + h} * n, of_y,
                                with_y && of_y < m.k2 ? n : 0);
            }
        }
    }
    GPU_FUNCTION void multiply(const axpy_factors<tiles> &a, V alpha, V beta) {
        GPU_UNROLL
        for (int u = 0; u < tiles; u++) {
            GPU_UNROLL
            for (int r = 0; r < n; r++) {
                tile_f64 sum = {};
                GPU_UNROLL
                for (int k = 0; k < 2 * tiles; k++) {
                    multiply_add_8x8x4(sum, a.at[k / 2][k % 2][u],
                                       static_cast<double>(x[k / 2][k % 2][r]));
                }
                y[u][0][r] = combined(alpha, static_cast<V>(sum.c[0]), beta, y[u][0][r]);
                y[u][1][r] = combined(alpha, static_cast<V>(sum.c[1]), beta, y[u][1][r]);
            }
        }
    }
    template <lie>
    GPU_FUNCTION void put(const axpy_operands<V> &m, int64_t i) const {
        const int far = static_cast<int>(lane()) / 4, near = static_cast<int>(lane()) % 4 * 2;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            const int c = t * tile_side + far;
            if (c >= m.k2) continue;
            gpu::put<true>(y[t][0], strided<V>{m.y.data, 1, m.y.col}, i + int64_t{near} * n, c, n);
            gpu::put<true>(y[t][1], strided<V>{m.y.data, 1, m.y.col}, i + int64_t{near + 1} * n, c,
                           n);
        }
    }
    static constexpr int count = tile_side * n;
};

/* Rows that a warp takes at a time, and the number of such loads under way. */
template <class V, int tiles, lie how>
struct axpy_part : axpy_rows<V, tiles> {};
template <class V, int tiles>
struct axpy_part<V, tiles, lie::columns> : axpy_columns<V, tiles> {};

/* Bytes of X that a lane loads at a time, and as many of Y. */
constexpr int axpy_bytes = 64;
template <int bytes>
constexpr int axpy_steps = bytes < axpy_bytes ? axpy_bytes / bytes : 1;

/* The share of warp number `warp` of `warps`. */
template <class V, int tiles, lie how>
GPU_FUNCTION void multi_axpy_rows(const axpy_operands<V> &m, int64_t warp, int64_t warps) {
    using part = axpy_part<V, tiles, how>;
    constexpr int steps = axpy_steps<sizeof(part::x)>;
    constexpr int64_t turn_rows = int64_t{steps} * part::count;
    const V alpha = m.alpha.value(), beta = m.beta.value();
    axpy_factors<tiles> a;
    a.take(m);
    const int64_t turns = how == lie::any ? 0 : m.rows / turn_rows;
    for (int64_t turn = warp; turn < turns; turn += warps) {
        const int64_t i = turn * turn_rows;
        part parts[steps];
        GPU_UNROLL
        for (int s = 0; s < steps; s++) {
            parts[s].template take<how>(m, i + int64_t{s} * part::count, beta != 0);
        }
        GPU_UNROLL
        for (int s = 0; s < steps; s++) {
            parts[s].multiply(a, alpha, beta);
            parts[s].template put<how>(m, i + int64_t{s} * part::count);
        }
    }
    for (int64_t i = turns * turn_rows + warp * tile_side; i < m.rows; i += warps * tile_side) {
        axpy_rows<V, tiles> last;
        last.template take<lie::any>(m, i, beta != 0);
        last.multiply(a, alpha, beta);
        last.template put<lie::any>(m, i);
    }
}

/* A product with up to k columns: a thread has whole rows, or a pack of rows if columns are
 * runs. */
template <class V, int k, lie how>
struct few_rows {
    static constexpr int n = how == lie::columns ? pack_of<V> : 1;
    V x[k][n], y[k][n];

    /* Loads row i, or the pack of rows from row i on, of cols columns. */
    GPU_FUNCTION static void take(V (*v)[n], const strided<const V> &from, int64_t i, int64_t rows,
                                  int cols) {
        const int count = i < rows ? cols : 0;
        GPU_UNROLL
        for (int c = 0; c < k; c++) {
            if constexpr (how == lie::columns) {
                gpu::take<true>(v[c], strided<const V>{from.data, 1, from.col}, i, c,
                                c < cols ? pack_count<V>(i, rows) : 0);
            } else if constexpr (how == lie::rows) {
                if (c % 2 == 0) {
                    take_pair(v[c][0], v[c + 1][0], from.data, from.row, i, c, count);
                }
            } else {
                v[c][0] = c < count ? *from.at(i, c) : V(0);
            }
        }
    }
    GPU_FUNCTION void put(const strided<V> &to, int64_t i, int64_t rows, int cols) const {
        GPU_UNROLL
        for (int c = 0; c < k; c++) {
            if (c >= cols || i >= rows) continue;
            if constexpr (how == lie::columns) {
                gpu::put<true>(y[c], strided<V>{to.data, 1, to.col}, i, c, pack_count<V>(i, rows));
            } else if constexpr (how == lie::rows) {
                if (c % 2 != 0) continue;
                *reinterpret_cast<pair_of<V> *>(to.data + (i * to.row + c)) = {y[c][0],
                                                                               y[c + 1][0]};
            } else {
                *to.at(i, c) = y[c][0];
            }
        }
    }
    GPU_FUNCTION void multiply(const V (*a)[k], V alpha, V beta) {
        GPU_UNROLL
        for (int c = 0; c < k; c++) {
            GPU_UNROLL
            for (int r = 0; r < n; r++) {
                V sum = x[0][r] * a[0][c];
                GPU_UNROLL
                for (int p = 1; p < k; p++) sum += x[p][r] * a[p][c];
                y[c][r] = combined(alpha, sum, beta, y[c][r]);
            }
        }
    }
};

/* The share of thread number `first` of all threads. */
template <class V, int k, lie how>
GPU_FUNCTION void few_axpy_rows(const axpy_operands<V> &m, int64_t first, int64_t threads) {
    using part = few_rows<V, k, how>;
    constexpr int steps = axpy_steps<sizeof(part::x)>;
    const V alpha = m.alpha.value(), beta = m.beta.value();
    V a[k][k];
    GPU_UNROLL
    for (int e = 0; e < k * k; e++) {
        a[e / k][e % k] = e / k < m.k1 && e % k < m.k2 ? *m.a.at(e / k, e % k) : V(0);
    }
    const int64_t stride = threads * part::n;
    for (int64_t i = first * part::n; i < m.rows; i += steps * stride) {
        part parts[steps];
        GPU_UNROLL
        for (int s = 0; s < steps; s++) {
            part::take(parts[s].x, m.x, i + s * stride, m.rows, m.k1);
            part::take(parts[s].y, strided<const V>{m.y.data, m.y.row, m.y.col}, i + s * stride,
                       m.rows, beta == 0 ? 0 : m.k2);
        }
        GPU_UNROLL
        for (int s = 0; s < steps; s++) {
            parts[s].multiply(a, alpha, beta);
            parts[s].put(m.y, i + s * stride, m.rows, m.k2);
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
