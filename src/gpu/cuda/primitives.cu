/* SPDX-License-Identifier: Apache-2.0 */
/* Scan and sort with CUB, which takes 64-bit counts. */
#include "gpu/primitives.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <type_traits>

#include "gpu/cuda/device.cuh"

namespace tulle_cuda {

/* Runs call(temporary, bytes) twice, as CUB needs: first for the size of its scratch, then for the
 * work. */
template <class Call>
static tulle_status with_scratch(const tulle__place *place, const char *what, Call call) {
    on_device here(place->device);
    GPU_TRY(here.status());
    size_t bytes = 0;
    GPU_TRY(check(call(nullptr, bytes), what));
    if (bytes == 0) bytes = 1; /* a NULL scratch would ask for the size again */
    scratch memory(place);
    unsigned char *temporary = nullptr;
    GPU_TRY(memory.get(static_cast<int64_t>(bytes), &temporary));
    return check(call(temporary, bytes), what);
}

template <class T>
tulle_status exclusive_scan(const tulle__place *place, const T *in, T *out, int64_t count) {
    if (count == 0) return TULLE_OK;
    auto stream = static_cast<cudaStream_t>(place->stream);
    return with_scratch(place, "scan", [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, count, stream);
    });
}

template tulle_status exclusive_scan(const tulle__place *, const int32_t *, int32_t *, int64_t);
template tulle_status exclusive_scan(const tulle__place *, const int64_t *, int64_t *, int64_t);

/* Sorts pairs; CUB counts in the type of `pairs`. */
template <class K, class V>
tulle_status sort_pairs(const tulle__place *place, int64_t count, const K *keys, K *sorted_keys,
                        const V *values, V *sorted_values, int bits) {
    using counted = std::conditional_t<sizeof(K) == sizeof(uint32_t), int32_t, int64_t>;
    if (count == 0) return TULLE_OK;
    auto stream = static_cast<cudaStream_t>(place->stream);
    const auto pairs = static_cast<counted>(count);
    return with_scratch(place, "sort", [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, sorted_keys, values,
                                               sorted_values, pairs, 0, bits, stream);
    });
}

template tulle_status sort_pairs(const tulle__place *, int64_t, const uint64_t *, uint64_t *,
                                 const int64_t *, int64_t *, int);
template tulle_status sort_pairs(const tulle__place *, int64_t, const uint32_t *, uint32_t *,
                                 const uint64_t *, uint64_t *, int);

}  // namespace tulle_cuda
