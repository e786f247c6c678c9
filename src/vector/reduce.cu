/* SPDX-License-Identifier: Apache-2.0 */
/* One number from each column on the GPU: inner products and norms, f32 in f64 too. A block takes a
 * piece of the rows, one or several columns side by side, and a second, small launch puts the
 * pieces together in an order that is theirs; a single piece needs none. */
#include "gpu/scalar.cuh"
#include "vector/finish.cuh"
#include "vector/functions.h"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

/* What becomes of a row's x, y and z, in parts that are joined each on its own. */
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

/* f32 squared is neither too large nor too small for f64; f64 has three sums. */
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
    V *result;
};

/* Packs of each operand that a thread has on their way. */
constexpr int reduce_packs = 4;

/* Each thread has a pack's worth of rows of one column at a time, and a sum for each number of the
 * pack: sums have no more to do with packs than that, so that a column without them, be it strided
 * or not aligned, has the same bits. */
template <bool whole, class V, class Reduced>
GPU_KERNEL GPU_RESIDENT(loop_threads, 3) void reduce_pieces(Reduced reduced, reduction<V> r) {
    constexpr int n = pack_of<V>, parts = Reduced::parts;
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    reduced.ready();
    const int64_t piece = block() % r.pieces;
    const int64_t c = block() / r.pieces * r.width + thread() % r.width;
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
        r.result[c] = static_cast<V>(Reduced::result(all));
        return;
    }
    GPU_UNROLL
    for (int k = 0; k < parts; k++) {
        r.partials[(k * r.pieces + piece) * r.cols + c] = all[k];
    }
}

template <class V, class Reduced>
GPU_KERNEL void reduce_partials(const double *partials, int64_t pieces, int64_t cols, V *result) {
    constexpr int parts = Reduced::parts;
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const int64_t c = static_cast<int64_t>(block()) * finish_width + thread() % finish_width;
    double all[parts];
    for (int k = 0; k < parts; k++) {
        all[k] = join_pieces<typename Reduced::join>(partials + k * pieces * cols, pieces, cols, c,
                                                     room);
    }
    if (thread() < finish_width && c < cols) result[c] = static_cast<V>(Reduced::result(all));
}

template <class V, class Reduced>
tulle_status reduce_by(const tulle__place *place, const tulle__reduction *job, Reduced reduced) {
    const reduction<V> r{job->rows,
                         job->cols,
                         job->pieces,
                         job->width,
                         make_strided<const V>(job->x),
                         make_strided<V>(job->y),
                         make_strided<const V>(job->z),
                         job->partials,
                         static_cast<V *>(job->result)};
    const bool whole = tulle__lies_in_packs(&job->x, job->cols, sizeof(V)) &&
                       tulle__lies_in_packs(&job->y, job->cols, sizeof(V)) &&
                       tulle__lies_in_packs(&job->z, job->cols, sizeof(V));
    const int64_t groups = job->cols / job->width + (job->cols % job->width != 0);
    const grid all{groups * job->pieces, loop_threads};
    GPU_TRY(whole ? launch_early(place, reduce_pieces<true, V, Reduced>, all, reduced, r)
                  : launch_early(place, reduce_pieces<false, V, Reduced>, all, reduced, r));
    if (job->pieces == 1) return TULLE_OK;
    const int64_t blocks = job->cols / finish_width + (job->cols % finish_width != 0);
    return launch_early(place, reduce_partials<V, Reduced>, {blocks, loop_threads}, job->partials,
                        job->pieces, job->cols, r.result);
}

template <class V>
tulle_status reduce_in(const tulle__place *place, const tulle__reduction *r) {
    switch (r->what) {
        case TULLE__REDUCED_DOT:
            return reduce_by<V>(place, r, reduced_dot<V>{});
        case TULLE__REDUCED_NORM2:
            return reduce_by<V>(place, r, reduced_norm2<V>{});
        case TULLE__REDUCED_NORM_MAX:
            return reduce_by<V>(place, r, reduced_norm_max<V>{});
        case TULLE__REDUCED_AXPY_DOT:
            break;
    }
    return reduce_by<V>(place, r, reduced_axpy_dot<V>{r->z_is_y, make_scalar<V>(r->alpha), V(0)});
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(reduce)(const tulle__place *place, const tulle__reduction *r) {
    return r->type == TULLE_F32 ? gpu::reduce_in<float>(place, r)
                                : gpu::reduce_in<double>(place, r);
}
