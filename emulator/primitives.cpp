/* SPDX-License-Identifier: Apache-2.0 */
/* Scan and sort as plain loops over the emulated device's memory. */
#include "gpu/primitives.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "emulator/arena.h"
#include "emulator/capture.h"
#include "emulator/machine.h"

namespace tulle_emu {

/* Work of the host that stands for a kernel: its result is there for the next one. */
template <class T>
static tulle_status written(T *out, int64_t count) {
    emulator::written_by_host(out, static_cast<size_t>(count) * sizeof(T));
    return TULLE_OK;
}

static tulle_status in_order(const tulle__place *place, const std::function<tulle_status()> &work) {
    return emulator::is_captured(place) ? emulator::capture(place, work) : work();
}

template <class T>
static tulle_status check_use(const char *work, const void *stream, emulator::use how, const T *p,
                              int64_t count) {
    return emulator::check_use(work, stream, how, p, static_cast<size_t>(count) * sizeof(T));
}

/* What CUB's scan (CUDA 13.0, sm_90) takes for so many numbers, here, too, so that peaks are a
 * device's: two words for each tile, and for each lane of a warp before the first, in units of 256
 * bytes, which it may have to begin later in what it gets, and once more around that. */
template <class T>
static int64_t scan_scratch(int64_t count) {
    constexpr int64_t tile = sizeof(T) == 8 ? 224 * 24 : 128 * 24, unit = 256, before = 32;
    const int64_t words =
        2 * static_cast<int64_t>(sizeof(T)) * (before + (count + tile - 1) / tile);
    return (words + unit - 1) / unit * unit + 2 * unit - 1;
}

/* Sums wrap around, as the device's do. */
template <class T>
tulle_status exclusive_scan(const tulle__place *place, const T *in, T *out, int64_t count) {
    if (count == 0) return TULLE_OK;
    const void *stream = place->stream;
    scratch memory(place);
    unsigned char *temporary = nullptr;
    GPU_TRY(memory.get(scan_scratch<T>(count), &temporary));
    return in_order(place, [=] {
        GPU_TRY(check_use("a scan", stream, emulator::use::reads, in, count));
        GPU_TRY(check_use("a scan", stream, emulator::use::writes, out, count));
        T sum = 0;
        for (int64_t i = 0; i < count; i++) {
            T next = emulator::sum(sum, in[i]);
            out[i] = sum;
            sum = next;
        }
        return written(out, count);
    });
}

template tulle_status exclusive_scan(const tulle__place *, const int32_t *, int32_t *, int64_t);
template tulle_status exclusive_scan(const tulle__place *, const int64_t *, int64_t *, int64_t);

template <class K, class V>
tulle_status sort_pairs(const tulle__place *place, int64_t count, const K *keys, K *sorted_keys,
                        const V *values, V *sorted_values, int bits) {
    const void *stream = place->stream;
    const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : UINT64_MAX;
    return in_order(place, [=] {
        GPU_TRY(check_use("a sort", stream, emulator::use::reads, keys, count));
        GPU_TRY(check_use("a sort", stream, emulator::use::reads, values, count));
        GPU_TRY(check_use("a sort", stream, emulator::use::writes, sorted_keys, count));
        GPU_TRY(check_use("a sort", stream, emulator::use::writes, sorted_values, count));
        std::vector<int64_t> order(static_cast<size_t>(count));
        std::iota(order.begin(), order.end(), int64_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [=](int64_t a, int64_t b) { return (keys[a] & mask) < (keys[b] & mask); });
        for (int64_t i = 0; i < count; i++) {
            sorted_keys[i] = keys[order[static_cast<size_t>(i)]];
            sorted_values[i] = values[order[static_cast<size_t>(i)]];
        }
        GPU_TRY(written(sorted_keys, count));
        return written(sorted_values, count);
    });
}

template tulle_status sort_pairs(const tulle__place *, int64_t, const uint64_t *, uint64_t *,
                                 const int64_t *, int64_t *, int);
template tulle_status sort_pairs(const tulle__place *, int64_t, const uint32_t *, uint32_t *,
                                 const uint64_t *, uint64_t *, int);

}  // namespace tulle_emu
