/* SPDX-License-Identifier: Apache-2.0 */
/* Device-wide scan, sort and reduction, behind which CUB stands on the device (gpu/cuda) and plain
 * loops in the emulator (gpu/emulator). Host functions; results in stream order; scratch comes from
 * the context's pool. */
#ifndef TULLE_GPU_PRIMITIVES_H
#define TULLE_GPU_PRIMITIVES_H

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* out[i] := in[0] + ... + in[i - 1]; in == out is allowed. T: int32_t, int64_t. */
template <class T>
tulle_status exclusive_scan(const tulle__place *place, const T *in, T *out, int64_t count);

/* Bits of keys below count. */
inline int key_bits(int64_t count) {
    int bits = 1;
    while (bits < 63 && (count - 1) >> bits > 0) bits++;
    return bits;
}

/* Stable sort of (key, value) pairs by the lowest `bits` bits of the key. Keys: uint64_t; values:
 * int64_t. The inputs are kept. */
tulle_status sort_pairs(const tulle__place *place, int64_t count, const uint64_t *keys,
                        uint64_t *sorted_keys, const int64_t *values, int64_t *sorted_values,
                        int bits);
/* The same of keys of 32 bits and fewer than 2^31 pairs. */
tulle_status sort_pairs(const tulle__place *place, int64_t count, const uint32_t *keys,
                        uint32_t *sorted_keys, const uint64_t *values, uint64_t *sorted_values,
                        int bits);

}  // namespace TULLE_GPU_NAMESPACE

#endif
