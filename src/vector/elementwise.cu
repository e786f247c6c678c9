/* SPDX-License-Identifier: Apache-2.0 */
/* Computes multivectors element by element on the GPU: by packs of 16 bytes, several of them loaded
 * at a time, where all operands have long columns (or long rows) that are aligned for it; else one
 * element at a time, in the order of the output's memory. */
#include <math.h>

#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"
#include "vector/functions.h"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The operation on x and y; `ready` reads the scalars, once per thread. */
template <class V>
struct each_axpby {
    scalar<V> a, b;
    V alpha, beta;
    GPU_FUNCTION void ready() {
        alpha = a.value();
        beta = b.value();
    }
    GPU_FUNCTION bool takes_y() const { return beta != 0; }
    GPU_FUNCTION V operator()(V x, V y) const {
        /* for beta 1 there is one rounding, as in axpy_dot */
        return takes_y() ? fma(alpha, x, beta * y) : alpha * x;
    }
};

template <class V>
struct each_scale {
    scalar<V> a;
    V alpha;
    GPU_FUNCTION void ready() { alpha = a.value(); }
    GPU_FUNCTION bool takes_y() const { return false; }
    GPU_FUNCTION V operator()(V x, V) const { return alpha * x; }
};

template <class To>
struct each_copy {
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_y() const { return false; }
    template <class From>
    GPU_FUNCTION To operator()(From x, From) const {
        return static_cast<To>(x);
    }
};

struct each_multiply {
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_y() const { return true; }
    template <class V>
    GPU_FUNCTION V operator()(V x, V y) const {
        return x * y;
    }
};

struct each_divide {
    GPU_FUNCTION void ready() {}
    GPU_FUNCTION bool takes_y() const { return true; }
    template <class V>
    GPU_FUNCTION V operator()(V x, V y) const {
        return x / y;
    }
};

/* Number of packs of each operand that a thread loads at a time. */
constexpr int each_packs = 4;

/* Computes columns of `rows` numbers; each column is cut into tiles, one per block. */
template <class V, class Each>
GPU_KERNEL void each_pack(Each each, int64_t rows, int64_t tiles, strided<const V> x,
                          strided<const V> y, strided<V> z) {
    constexpr int n = pack_of<V>;
    allow_next();
    await_previous();
    each.ready();
    const int64_t c = block() / tiles, tile = block() % tiles;
    const int64_t first = (tile * each_packs * loop_threads + thread()) * n;
    V of_x[each_packs][n], of_y[each_packs][n];
    int count[each_packs];
    GPU_UNROLL
    for (int u = 0; u < each_packs; u++) {
        const int64_t i = first + int64_t{u} * loop_threads * n;
        count[u] = pack_count<V>(i, rows);
        take<true>(of_x[u], x, i, c, count[u]);
        if (each.takes_y()) take<true>(of_y[u], y, i, c, count[u]);
    }
    GPU_UNROLL
    for (int u = 0; u < each_packs; u++) {
        GPU_UNROLL
        for (int w = 0; w < n; w++) {
            of_x[u][w] = each(of_x[u][w], each.takes_y() ? of_y[u][w] : V(0));
        }
        put<true>(of_x[u], z, first + int64_t{u} * loop_threads * n, c, count[u]);
    }
}

/* Computes columns of `inner` numbers, one element at a time. */
template <class From, class To, class Each>
GPU_KERNEL void each_number(Each each, int64_t count, int64_t inner, strided<const From> x,
                            strided<const From> y, strided<To> z) {
    allow_next();
    await_previous();
    each.ready();
    loop_pairs at(inner);
    for (int64_t k = loop_first(); k < count; k += loop_stride()) {
        const From of_y = each.takes_y() ? *y.at(at.inner, at.outer) : From(0);
        *z.at(at.inner, at.outer) = each(*x.at(at.inner, at.outer), of_y);
        at.next();
    }
}

/* Returns the multivector with rows and columns exchanged. */
static tulle__strided transposed(const tulle__strided &s) {
    return {s.data, s.col, s.row};
}

/* Returns true when the columns follow each other without gaps, so that they can be taken for
 * one. */
static bool one_column(const tulle__elementwise &e) {
    const tulle__strided all[] = {e.x, e.y, e.z};
    for (const tulle__strided &s : all) {
        if (s.row != 1 || s.col != e.rows) return false;
    }
    return true;
}

/* Exchanges rows and columns if needed, so that columns are runs of z. */
static tulle__elementwise by_runs(const tulle__elementwise &e) {
    tulle__elementwise r = e;
    if (e.rows == 1 || (e.z.row != 1 && e.z.col == 1)) {
        r.rows = e.cols;
        r.cols = e.rows;
        r.x = transposed(e.x);
        r.y = transposed(e.y);
        r.z = transposed(e.z);
    }
    if (one_column(r)) {
        r.rows *= r.cols;
        r.cols = 1;
    }
    return r;
}

/* Least length of a column that gives a block enough work. */
constexpr int64_t least_run = 512;

template <class From, class To, class Each>
tulle_status each_of(const tulle__place *place, const tulle__elementwise *job, Each each) {
    const tulle__elementwise e = by_runs(*job);
    const strided<const From> x = make_strided<const From>(e.x), y = make_strided<const From>(e.y);
    const strided<To> z = make_strided<To>(e.z);
    if constexpr (sizeof(From) == sizeof(To)) {
        const bool packs = tulle__lies_in_packs(&e.x, e.cols, sizeof(To)) &&
                           tulle__lies_in_packs(&e.y, e.cols, sizeof(To)) &&
                           tulle__lies_in_packs(&e.z, e.cols, sizeof(To));
        if (packs && (e.cols == 1 || e.rows >= least_run)) {
            constexpr int64_t tile = int64_t{each_packs} * loop_threads * pack_of<To>;
            const int64_t tiles = e.rows / tile + (e.rows % tile != 0);
            return launch_early(place, each_pack<To, Each>, {tiles * e.cols, loop_threads}, each,
                                e.rows, tiles, x, y, z);
        }
    }
    return launch_early(place, each_number<From, To, Each>, loop_grid(e.rows * e.cols), each,
                        e.rows * e.cols, e.rows, x, y, z);
}

template <class V>
tulle_status each_in(const tulle__place *place, const tulle__elementwise *e) {
    const scalar<V> alpha = make_scalar<V>(e->alpha), beta = make_scalar<V>(e->beta);
    switch (e->what) {
        case TULLE__EACH_AXPBY:
            return each_of<V, V>(place, e, each_axpby<V>{alpha, beta, 0, 0});
        case TULLE__EACH_SCALE:
            return each_of<V, V>(place, e, each_scale<V>{alpha, 0});
        case TULLE__EACH_COPY:
            return each_of<V, V>(place, e, each_copy<V>{});
        case TULLE__EACH_MULTIPLY:
            return each_of<V, V>(place, e, each_multiply{});
        case TULLE__EACH_DIVIDE:
            break;
    }
    return each_of<V, V>(place, e, each_divide{});
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(elementwise)(const tulle__place *place, const tulle__elementwise *e) {
    if (e->from != e->to) {
        return e->to == TULLE_F32 ? gpu::each_of<double, float>(place, e, gpu::each_copy<float>{})
                                  : gpu::each_of<float, double>(place, e, gpu::each_copy<double>{});
    }
    return e->to == TULLE_F32 ? gpu::each_in<float>(place, e) : gpu::each_in<double>(place, e);
}
