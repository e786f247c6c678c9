/* SPDX-License-Identifier: Apache-2.0 */
/* Multivectors of up to 32 columns in the registers of a warp: lane l has number l / 4 on one side
 * of a tile and number l % 4 on the other, as in tile.cuh. */
#ifndef TULLE_VECTOR_MULTIVECTOR_CUH
#define TULLE_VECTOR_MULTIVECTOR_CUH

#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"
#include "gpu/tile.cuh"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The values of tulle__lie, for templates. */
enum class lie { any = TULLE__LIE_ANY, rows = TULLE__LIE_ROWS, columns = TULLE__LIE_COLUMNS };

/* Returns the lie of two operands: X and Z, or X and Y. */
template <class V>
lie lie_of(const tulle__multi *m, const tulle__strided &other) {
    return static_cast<lie>(tulle__lie_of(m->rows, &m->x, m->k1, &other, m->k2, sizeof(V)));
}

/* Returns the number of tiles of a side: 1, 2 or 4. */
inline int tiles_of(const tulle__multi *m) {
    const int widest = m->k1 > m->k2 ? m->k1 : m->k2;
    return widest <= tile_side ? 1 : widest <= 2 * tile_side ? 2 : 4;
}

/* Calls run<tiles, how>(arguments) for the number of tiles and the lie of the operands. */
#define TULLE__EACH_LIE(run, tiles, how, ...)                                                      \
    (how) == lie::columns ? run<V, tiles, lie::columns>(__VA_ARGS__)                               \
    : (how) == lie::rows  ? run<V, tiles, lie::rows>(__VA_ARGS__)                                  \
                          : run<V, tiles, lie::any>(__VA_ARGS__)

template <class V>
using pair_of = pack<V, 2>;

/* Loads numbers (i, c) and (i, c + 1); they are 0 from column `cols` on. Both c and cols are
 * even. */
template <class V>
GPU_FUNCTION void take_pair(V &v, V &next, const V *data, int64_t row, int64_t i, int c, int cols) {
    v = next = V(0);
    if (c >= cols) return;
    const pair_of<V> two = *reinterpret_cast<const pair_of<V> *>(data + (i * row + c));
    v = two.at[0];
    next = two.at[1];
}

/* Returns alpha sum + beta y; y is not read if beta is 0. */
template <class V>
GPU_FUNCTION V combined(V alpha, V sum, V beta, V y) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * y;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
