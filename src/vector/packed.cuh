/* SPDX-License-Identifier: Apache-2.0 */
/* Access to multivectors in kernels: by row and column, or by 16 bytes of a column (a pack). */
#ifndef TULLE_VECTOR_PACKED_CUH
#define TULLE_VECTOR_PACKED_CUH

#include "gpu/gpu.cuh"
#include "vector/jobs.h"

namespace TULLE_GPU_NAMESPACE {

/* A multivector whose element (i, c) is at i * row + c * col. */
template <class V>
struct strided {
    V *data;
    int64_t row, col;
    GPU_FUNCTION V *at(int64_t i, int64_t c) const { return data + (i * row + c * col); }
};

template <class V>
strided<V> make_strided(const tulle__strided &s) {
    return {static_cast<V *>(s.data), s.row, s.col};
}

template <class V>
constexpr int pack_of = static_cast<int>(16 / sizeof(V));
template <class V>
using packed = pack<V, pack_of<V>>;

/* Loads the first `count` numbers of the pack of column c that begins at row i. */
template <bool whole, class V>
GPU_FUNCTION void take(V *v, const strided<const V> &from, int64_t i, int64_t c, int count) {
    constexpr int n = pack_of<V>;
    if (whole && count == n) {
        const packed<V> all = *reinterpret_cast<const packed<V> *>(from.at(i, c));
        GPU_UNROLL
        for (int w = 0; w < n; w++) v[w] = all.at[w];
        return;
    }
    GPU_UNROLL
    for (int w = 0; w < n; w++) v[w] = w < count ? *from.at(i + w, c) : V(0);
}

/* Stores such numbers. */
template <bool whole, class V>
GPU_FUNCTION void put(const V *v, const strided<V> &to, int64_t i, int64_t c, int count) {
    constexpr int n = pack_of<V>;
    if (whole && count == n) {
        packed<V> all;
        GPU_UNROLL
        for (int w = 0; w < n; w++) all.at[w] = v[w];
        *reinterpret_cast<packed<V> *>(to.at(i, c)) = all;
        return;
    }
    GPU_UNROLL
    for (int w = 0; w < n; w++) {
        if (w < count) *to.at(i + w, c) = v[w];
    }
}

/* Returns the number of a pack's numbers before `end`. */
template <class V>
GPU_FUNCTION int pack_count(int64_t first, int64_t end) {
    const int64_t left = end - first;
    return left <= 0 ? 0 : left < pack_of<V> ? static_cast<int>(left) : pack_of<V>;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
