/* SPDX-License-Identifier: Apache-2.0 */
/* Computes R := alpha X^T Z + beta R on the GPU: one block per piece of rows, and then one block
 * per number of R. */
#include "vector/finish.cuh"
#include "vector/functions.h"
#include "vector/multivector_dot.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The result R, and its scalars. */
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

template <class V, int tiles, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads,
                        tiles == 1 ? 3 : 2) void multi_dot(int64_t rows, int64_t pieces,
                                                           strided<const V> x, strided<const V> z,
                                                           double *partials, dot_result<V> result) {
    GPU_SHARED(double, room, dot_room<tiles>);
    allow_next();
    await_previous();
    const int k1 = result.k1, k2 = result.k2;
    const int64_t turns = dot_turns<V, tiles>(k1, k2).of(rows);
    const int64_t first = turns * block() / pieces, end = turns * (block() + 1) / pieces;
    dot_of_turns<V, tiles, how, next_slabs::early>(
        rows, first, end, x, z, k1, k2, room, [&](int p, int c, double sum) {
            if (pieces == 1) {
                result.put(p, c, sum);
            } else {
                partials[(p * k2 + c) * pieces + block()] = sum;
            }
        });
}

/* Joins the partial results of one number of R, which follow each other; one block per number. */
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
