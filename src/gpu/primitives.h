/* SPDX-License-Identifier: Apache-2.0 */
/* Device-wide scan, sort and reduction: made by CUB on the device (gpu/cuda), by plain loops in the
 * emulator (emulator/). These are host functions; their results come in stream order, and their
 * scratch is from the context's pool. */
#ifndef TULLE_GPU_PRIMITIVES_H
#define TULLE_GPU_PRIMITIVES_H

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Computes out[i] := in[0] + ... + in[i - 1]; in == out is allowed. T: int32_t, int64_t. */
template <class T>
tulle_status exclusive_scan(const tulle__place *place, const T *in, T *out, int64_t count);

/* Returns the number of bits of keys below count. */
inline int key_bits(int64_t count) {
    int bits = 1;
    while (bits < 63 && (count - 1) >> bits > 0) bits++;
    return bits;
}

/* Sorts (key, value) pairs stably by the lowest `bits` bits of the key. K, V: uint64_t, int64_t; or
 * uint32_t, uint64_t for fewer than 2^31 pairs. The inputs stay as they are. */
template <class K, class V>
tulle_status sort_pairs(const tulle__place *place, int64_t count, const K *keys, K *sorted_keys,
                        const V *values, V *sorted_values, int bits);

}  // namespace TULLE_GPU_NAMESPACE

#endif
