/* SPDX-License-Identifier: Apache-2.0 */
/* Scan and sort as plain loops over the emulated device's memory. */
#include "gpu/primitives.h"

#include <algorithm>
#include <numeric>

namespace tulle_emu {

/* Sums wrap around, as the device's do. */
template <class T>
tulle_status exclusive_scan(const tulle__place *, const T *in, T *out, int64_t count) {
    T sum = 0;
    for (int64_t i = 0; i < count; i++) {
        T next = emulator::sum(sum, in[i]);
        out[i] = sum;
        sum = next;
    }
    return TULLE_OK;
}

template tulle_status exclusive_scan(const tulle__place *, const int32_t *, int32_t *, int64_t);
template tulle_status exclusive_scan(const tulle__place *, const int64_t *, int64_t *, int64_t);

tulle_status sort_pairs(const tulle__place *place, int64_t count, const uint64_t *keys,
                        uint64_t *sorted_keys, const int64_t *values, int64_t *sorted_values,
                        int bits) {
    if (count == 0) return TULLE_OK;
    scratch memory(place);
    int64_t *order = nullptr;
    GPU_TRY(memory.get(count, &order));
    const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : UINT64_MAX;
    std::iota(order, order + count, int64_t{0});
    std::stable_sort(order, order + count,
                     [&](int64_t a, int64_t b) { return (keys[a] & mask) < (keys[b] & mask); });
    for (int64_t i = 0; i < count; i++) {
        sorted_keys[i] = keys[order[i]];
        sorted_values[i] = values[order[i]];
    }
    return TULLE_OK;
}

}  // namespace tulle_emu
