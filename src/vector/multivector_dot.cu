/* SPDX-License-Identifier: Apache-2.0 */
/* R := alpha X^T Z + beta R on the GPU. Rows go from memory into the registers of a warp, as the
 * matrix units for doubles take them, and sums stay in these: f32 is in f64, whose products are
 * exact. Fewer than eight columns are as many slabs of rows beside each other, of whose product
 * the blocks on the diagonal count. */
#include "vector/finish.cuh"
#include "vector/functions.h"
#include "vector/multivector.cuh"

namespace TULLE_GPU_NAMESPACE {

/* R, and what it is made of. */
template <class V>
struct dot_result {
    int k1, k2;
    scalar<V> alpha, beta;
    strided<V> r;
    GPU_FUNCTION void put(int p, int c, double sum) const {
        const V by = beta.value();
        *r.at(p, c) =
            combined(alpha.value(), static_cast<V>(sum), by, by == 0 ? V(0) : *r.at(p, c));
    }
};

/* A lane has one column of a slab, and a pack's worth of its rows; four lanes have the others. */
template <class V>
constexpr int slab_rows = 4 * pack_of<V>;

/* What a lane loads of a slab, whose rows it has from i on; settle() then makes it the numbers of
 * the rows in column c. Where rows lie side by side it loads two columns, of every other row, and
 * the lane with the other column the rest. */
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

/* The numbers before row `end` alone. */
template <class V>
GPU_FUNCTION void take_last(V *v, const strided<const V> &x, int64_t i, int c, int cols,
                            int64_t end) {
    GPU_UNROLL
    for (int r = 0; r < pack_of<V>; r++) v[r] = c < cols && i + r < end ? *x.at(i + r, c) : V(0);
}

constexpr int dot_warps = loop_threads / warp_lanes;

/* The sums of a warp: tiles of R, or of as many blocks of it as there are slabs. */
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

/* Packs of each operand that a lane has on their way. */
constexpr int dot_packs = 4;

template <class V, int tiles, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads,
                        tiles == 1 ? 3 : 2) void multi_dot(int64_t rows, int64_t pieces,
                                                           strided<const V> x, strided<const V> z,
                                                           double *partials, dot_result<V> result) {
    constexpr int n = pack_of<V>, steps = dot_packs / tiles;
    GPU_SHARED(double, room, dot_warps / 2 * dot_sums<tiles>::count);
    allow_next();
    await_previous();
    const int t = static_cast<int>(thread()), warp = t / warp_lanes;
    const int column = static_cast<int>(lane()) / 4;
    const int k1 = result.k1, k2 = result.k2, widest = k1 > k2 ? k1 : k2;
    int width = 1; /* of a slab, in columns */
    while (width < widest && width < tile_side) width *= 2;
    const int c = column & (width - 1), slabs = tile_side / width;
    const int first = (column / width * 4 + static_cast<int>(lane()) % 4) * n;
    const int64_t step_rows = int64_t{slabs} * slab_rows<V>;
    const int64_t turn_rows = steps * step_rows;
    const int64_t turns = rows / turn_rows + (rows % turn_rows != 0);
    const int64_t end = turns * (block() + 1) / pieces;

    dot_sums<tiles> sums = {};
    for (int64_t turn = turns * block() / pieces + warp; turn < end; turn += dot_warps) {
        const int64_t i = turn * turn_rows + first;
        V of_x[steps][tiles][n], of_z[steps][tiles][n];
        if ((turn + 1) * turn_rows <= rows) {
            GPU_UNROLL
            for (int s = 0; s < steps; s++) {
                GPU_UNROLL
                for (int a = 0; a < tiles; a++) {
                    take_slab<how>(of_x[s][a], x, i + s * step_rows, a * tile_side + c, k1);
                    take_slab<how>(of_z[s][a], z, i + s * step_rows, a * tile_side + c, k2);
                }
            }
            GPU_UNROLL
            for (int s = 0; s < steps; s++) {
                GPU_UNROLL
                for (int a = 0; a < tiles; a++) {
                    settle<how>(of_x[s][a], c);
                    settle<how>(of_z[s][a], c);
                }
                sums.add(of_x[s], of_z[s], k1, k2);
            }
            continue;
        }
        GPU_KEEP_LOOP
        for (int s = 0; s < steps; s++) {
            GPU_UNROLL
            for (int a = 0; a < tiles; a++) {
                const int64_t from = i + s * step_rows;
                take_last(of_x[0][a], x, from, a * tile_side + c, k1, rows);
                take_last(of_z[0][a], z, from, a * tile_side + c, k2, rows);
            }
            sums.add(of_x[0], of_z[0], k1, k2);
        }
    }

    /* The warps, by halves. */
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
        if (pieces == 1) {
            result.put(p, q, sum);
        } else {
            partials[e * pieces + block()] = sum;
        }
    }
}

/* A block puts together the pieces' parts of one number, which lie side by side. */
template <class V>
GPU_KERNEL void multi_dot_partials(const double *partials, int64_t pieces, dot_result<V> result) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const int e = static_cast<int>(block());
    double sum = 0;
    for (int64_t p = thread(); p < pieces; p += loop_threads) sum += partials[e * pieces + p];
    sum = block_join<add_up>(sum, 1, room);
    if (thread() == 0) result.put(e / result.k2, e % result.k2, sum);
}

template <class V, int tiles, lie how>
tulle_status multi_dot_by(const tulle__place *place, const tulle__multi *m,
                          const dot_result<V> &result) {
    return launch_early(place, multi_dot<V, tiles, how>, {m->pieces, loop_threads}, m->rows,
                        m->pieces, make_strided<const V>(m->x), make_strided<const V>(m->a),
                        m->partials, result);
}

template <class V>
tulle_status multi_dot_in(const tulle__place *place, const tulle__multi *m) {
    const dot_result<V> result{m->k1, m->k2, make_scalar<V>(m->alpha), make_scalar<V>(m->beta),
                               make_strided<V>(m->y)};
    const lie how = lie_of<V>(m, m->a);
    const int tiles = tiles_of(m);
    GPU_TRY(tiles == 1   ? TULLE__EACH_LIE(multi_dot_by, 1, how, place, m, result)
            : tiles == 2 ? TULLE__EACH_LIE(multi_dot_by, 2, how, place, m, result)
                         : TULLE__EACH_LIE(multi_dot_by, 4, how, place, m, result));
    if (m->pieces == 1) return TULLE_OK;
    return launch_early(place, multi_dot_partials<V>, {int64_t{m->k1} * m->k2, loop_threads},
                        m->partials, m->pieces, result);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(multivector_dot)(const tulle__place *place, const tulle__multi *m) {
    return m->type == TULLE_F32 ? gpu::multi_dot_in<float>(place, m)
                                : gpu::multi_dot_in<double>(place, m);
}
