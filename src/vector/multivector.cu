/* SPDX-License-Identifier: Apache-2.0 */
/* Multivectors times small dense matrices, and each other, on the GPU. Rows that lie in memory one
 * after the other pass through shared memory, so that neighbours are loaded together whatever the
 * layout. */
#include "gpu/scalar.cuh"
#include "vector/finish.cuh"
#include "vector/functions.h"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Rows of a tile in shared memory are an odd number apart: columns meet no bank twice. */
GPU_FUNCTION int odd_stride(int k) {
    return k | 1;
}

/* Numbers (i, c) of a tile of `rows` x k, by a block, in the order of memory: one begins at the
 * thread's own, and each step goes on by the block's size. */
class tile_walk {
  public:
    GPU_FUNCTION tile_walk(int rows, int k, bool by_row)
        : by_row_(by_row), inner_count_(by_row ? k : rows) {
        const int first = static_cast<int>(thread()), step = static_cast<int>(block_size());
        outer_ = first / inner_count_;
        inner_ = first % inner_count_;
        outer_step_ = step / inner_count_;
        inner_step_ = step % inner_count_;
    }
    GPU_FUNCTION int row() const { return by_row_ ? outer_ : inner_; }
    GPU_FUNCTION int col() const { return by_row_ ? inner_ : outer_; }
    GPU_FUNCTION void next() {
        outer_ += outer_step_;
        inner_ += inner_step_;
        if (inner_ >= inner_count_) {
            inner_ -= inner_count_;
            outer_++;
        }
    }

  private:
    bool by_row_;
    int inner_count_, outer_, inner_, outer_step_, inner_step_;
};

/* tile(i, c) := x(first + i, c), or 0 from `end` on; arrives by copy_wait and sync. */
template <class V>
GPU_FUNCTION void fetch_tile(shared<V> tile, int rows, int k, int stride, const strided<const V> &x,
                             int64_t first, int64_t end) {
    tile_walk at(rows, k, x.col == 1);
    const int step = static_cast<int>(block_size());
    for (int e = static_cast<int>(thread()); e < rows * k; e += step) {
        if (first + at.row() < end) {
            copy_async<sizeof(V)>(tile + (at.row() * stride + at.col()),
                                  x.at(first + at.row(), at.col()));
        } else {
            tile[at.row() * stride + at.col()] = V(0);
        }
        at.next();
    }
}

/* alpha sum + beta y, where y is not read for a beta of 0. */
template <class V>
GPU_FUNCTION void set(V *y, V alpha, V sum, V beta) {
    *y = beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}

constexpr int axpy_threads = 128; /* and rows of a block */

/* A thread has a row of Y, of which `most` or fewer numbers are its sums. */
template <class V, int most>
GPU_KERNEL GPU_RESIDENT(axpy_threads, 4) void multi_axpy(int64_t rows, int k1, int k2, scalar<V> by,
                                                         scalar<V> with, strided<const V> x,
                                                         strided<const V> a, strided<V> y) {
    GPU_DYNAMIC_SHARED(V, all);
    const shared<V> factors = part_of(all, 0, k1 * most);
    const shared<V> tile = part_of(all, k1 * most, axpy_threads * odd_stride(k1 > k2 ? k1 : k2));
    allow_next();
    await_previous();
    const V alpha = by.value(), beta = with.value();
    const int t = static_cast<int>(thread());
    const int64_t first = static_cast<int64_t>(block()) * axpy_threads;
    const int64_t i = first + t;
    for (int e = t; e < k1 * most; e += axpy_threads) {
        const int p = e / most, c = e % most;
        factors[e] = c < k2 ? *a.at(p, c) : V(0);
    }
    const bool x_by_row = x.col == 1 && k1 > 1, y_by_row = y.col == 1 && k2 > 1;
    if (x_by_row) fetch_tile<V>(tile, axpy_threads, k1, odd_stride(k1), x, first, rows);
    copy_commit();
    copy_wait<0>();
    sync();
    V sum[most] = {};
    for (int p = 0; p < k1; p++) {
        const V of_x = x_by_row   ? static_cast<V>(tile[t * odd_stride(k1) + p])
                       : i < rows ? *x.at(i, p)
                                  : V(0);
        GPU_UNROLL
        for (int c = 0; c < most; c++) sum[c] += of_x * factors[p * most + c];
    }
    if (!y_by_row) {
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (c < k2 && i < rows) set<V>(y.at(i, c), alpha, sum[c], beta);
        }
        return;
    }
    sync();
    const int stride = odd_stride(k2);
    GPU_UNROLL
    for (int c = 0; c < most; c++) {
        if (c < k2) tile[t * stride + c] = sum[c];
    }
    sync();
    tile_walk at(axpy_threads, k2, true);
    for (int e = t; e < axpy_threads * k2; e += axpy_threads) {
        if (first + at.row() < rows) {
            set<V>(y.at(first + at.row(), at.col()), alpha, tile[at.row() * stride + at.col()],
                   beta);
        }
        at.next();
    }
}

template <class V, int most>
tulle_status multi_axpy_by(const tulle__place *place, const tulle__multi *m) {
    const int widest = (m->k1 > m->k2 ? m->k1 : m->k2) | 1;
    const size_t shared_numbers =
        static_cast<size_t>(m->k1 * int64_t{most} + int64_t{axpy_threads} * widest);
    const int64_t blocks = m->rows / axpy_threads + (m->rows % axpy_threads != 0);
    return launch_early(
        place, multi_axpy<V, most>, {blocks, axpy_threads, shared_numbers * sizeof(V)}, m->rows,
        m->k1, m->k2, make_scalar<V>(m->alpha), make_scalar<V>(m->beta),
        make_strided<const V>(m->x), make_strided<const V>(m->a), make_strided<V>(m->y));
}

template <class V>
tulle_status multi_axpy_in(const tulle__place *place, const tulle__multi *m) {
    if (m->k2 == 1) return multi_axpy_by<V, 1>(place, m);
    if (m->k2 == 2) return multi_axpy_by<V, 2>(place, m);
    if (m->k2 <= 4) return multi_axpy_by<V, 4>(place, m);
    if (m->k2 <= 8) return multi_axpy_by<V, 8>(place, m);
    if (m->k2 <= 16) return multi_axpy_by<V, 16>(place, m);
    return multi_axpy_by<V, TULLE__MULTI_MOST>(place, m);
}

/* A thread's own part of R is so many rows and columns. */
constexpr int dot_side = 2, dot_part = dot_side * dot_side;

/* Shapes of a block's work: tiles of rows of X and Z in shared memory, twice, so that the next one
 * is on its way; threads in groups, each of which has all of R and every so-manieth row. */
struct dot_shape {
    int k1, k2, tile;
    GPU_FUNCTION int parts_of(int k) const { return (k + dot_side - 1) / dot_side; }
    GPU_FUNCTION int parts() const { return parts_of(k1) * parts_of(k2); }
    GPU_FUNCTION int groups() const { return loop_threads / parts(); }
    GPU_FUNCTION int stride(int k) const { return parts_of(k) * dot_side + 1; }
    GPU_FUNCTION int stage() const { return tile * (stride(k1) + stride(k2)); }
};

/* Bytes of shared memory for a tile, about: several blocks then share a multiprocessor. */
constexpr int dot_stage_bytes = 18 << 10, dot_least_tile = 32, dot_most_tile = 256;

template <class V>
dot_shape dot_shape_of(const tulle__multi *m, size_t *bytes) {
    const int numbers = (m->k1 + dot_side) + (m->k2 + dot_side); /* of a row, or one or two more */
    int tile = dot_most_tile;
    while (tile > dot_least_tile &&
           tile * numbers * static_cast<int>(sizeof(V)) > dot_stage_bytes) {
        tile /= 2;
    }
    *bytes = 2 * static_cast<size_t>(tile * numbers) * sizeof(V);
    return {m->k1, m->k2, tile};
}

/* R, and what it is made of. */
template <class V>
struct dot_result {
    int k1, k2;
    scalar<V> alpha, beta;
    strided<V> r;
    GPU_FUNCTION void put(int p, int c, double sum) const {
        set<V>(r.at(p, c), alpha.value(), static_cast<V>(sum), beta.value());
    }
};

template <class V>
GPU_FUNCTION void fetch_stage(shared<V> stage, const dot_shape &s, const strided<const V> &x,
                              const strided<const V> &z, int64_t first, int64_t end) {
    const int of_x = s.stride(s.k1), of_z = s.stride(s.k2);
    fetch_tile<V>(part_of(stage, 0, s.tile * of_x), s.tile, s.k1, of_x, x, first, end);
    fetch_tile<V>(part_of(stage, s.tile * of_x, s.tile * of_z), s.tile, s.k2, of_z, z, first, end);
}

template <class V>
GPU_KERNEL GPU_RESIDENT(loop_threads, 3) void multi_dot(dot_shape s, int64_t rows, int64_t pieces,
                                                        strided<const V> x, strided<const V> z,
                                                        double *partials, dot_result<V> result) {
    GPU_DYNAMIC_SHARED(V, all);
    GPU_SHARED(double, room, loop_threads *dot_part);
    allow_next();
    await_previous();
    const int t = static_cast<int>(thread()), stage = s.stage();
    const int part = t % s.parts(), group = t / s.parts(), groups = s.groups();
    const int p = part / s.parts_of(s.k2) * dot_side, c = part % s.parts_of(s.k2) * dot_side;
    const int of_x = s.stride(s.k1), of_z = s.stride(s.k2);
    const int64_t tiles = rows / s.tile + (rows % s.tile != 0);
    const int64_t begin = tiles * block() / pieces, end = tiles * (block() + 1) / pieces;

    /* What no copy writes: the last column of an odd number of them, and the one beside. */
    for (int e = t; e < 2 * stage; e += loop_threads) all[e] = V(0);
    sync();
    double sums[dot_part] = {};
    if (begin < end) fetch_stage<V>(all, s, x, z, begin * s.tile, rows);
    copy_commit();
    for (int64_t tile = begin; tile < end; tile++) {
        const int now = static_cast<int>((tile - begin) % 2) * stage;
        if (tile + 1 < end) {
            fetch_stage<V>(all + (stage - now), s, x, z, (tile + 1) * s.tile, rows);
        }
        copy_commit();
        copy_wait<1>();
        sync();
        V sum[dot_part] = {};
        for (int i = group; i < s.tile && group < groups; i += groups) {
            const shared<V> of_row = all + (now + i * of_x + p);
            const shared<V> with = all + (now + s.tile * of_x + i * of_z + c);
            const V x0 = of_row[0], x1 = of_row[1], z0 = with[0], z1 = with[1];
            sum[0] += x0 * z0;
            sum[1] += x0 * z1;
            sum[2] += x1 * z0;
            sum[3] += x1 * z1;
        }
        GPU_UNROLL
        for (int k = 0; k < dot_part; k++) sums[k] += static_cast<double>(sum[k]);
        sync();
    }

    /* The groups, by halves. */
    GPU_UNROLL
    for (int k = 0; k < dot_part; k++) room[k * loop_threads + t] = sums[k];
    for (int left = groups; left > 1;) {
        const int half = (left + 1) / 2;
        sync();
        if (group < left - half) {
            GPU_UNROLL
            for (int k = 0; k < dot_part; k++) {
                sums[k] += room[k * loop_threads + t + half * s.parts()];
                room[k * loop_threads + t] = sums[k];
            }
        }
        left = half;
    }
    if (group > 0) return;
    GPU_UNROLL
    for (int k = 0; k < dot_part; k++) {
        const int row = p + k / dot_side, col = c + k % dot_side;
        if (row >= s.k1 || col >= s.k2) continue;
        if (pieces == 1) {
            result.put(row, col, sums[k]);
        } else {
            partials[(block() * static_cast<int64_t>(s.k1) + row) * s.k2 + col] = sums[k];
        }
    }
}

template <class V>
GPU_KERNEL void multi_dot_partials(const double *partials, int64_t pieces, dot_result<V> result) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const int64_t count = static_cast<int64_t>(result.k1) * result.k2;
    const int64_t at = static_cast<int64_t>(block()) * finish_width + thread() % finish_width;
    const double sum = join_pieces<add_up>(partials, pieces, count, at, room);
    if (thread() >= finish_width || at >= count) return;
    result.put(static_cast<int>(at / result.k2), static_cast<int>(at % result.k2), sum);
}

template <class V>
tulle_status multi_dot_in(const tulle__place *place, const tulle__multi *m) {
    size_t bytes = 0;
    const dot_shape shape = dot_shape_of<V>(m, &bytes);
    const dot_result<V> result{m->k1, m->k2, make_scalar<V>(m->alpha), make_scalar<V>(m->beta),
                               make_strided<V>(m->y)};
    GPU_TRY(launch_early(place, multi_dot<V>, {m->pieces, loop_threads, bytes}, shape, m->rows,
                         m->pieces, make_strided<const V>(m->x), make_strided<const V>(m->a),
                         m->partials, result));
    if (m->pieces == 1) return TULLE_OK;
    const int64_t blocks = (m->k1 * m->k2 + finish_width - 1) / finish_width;
    return launch_early(place, multi_dot_partials<V>, {blocks, loop_threads}, m->partials,
                        m->pieces, result);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(multivector_axpy)(const tulle__place *place, const tulle__multi *m) {
    return m->type == TULLE_F32 ? gpu::multi_axpy_in<float>(place, m)
                                : gpu::multi_axpy_in<double>(place, m);
}

tulle_status GPU_SYMBOL(multivector_dot)(const tulle__place *place, const tulle__multi *m) {
    return m->type == TULLE_F32 ? gpu::multi_dot_in<float>(place, m)
                                : gpu::multi_dot_in<double>(place, m);
}
