/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device's memory, streams, copies and events. Work is done when the call returns. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/stopwatch.h"
#include "emulator/arena.h"
#include "emulator/capture.h"
#include "emulator/machine.h"
#include "emulator/order.h"
#include "emulator/pinned.h"
#include "gpu/gpu.cuh"
#include "gpu/peers.cuh"

namespace emulator = gpu::emulator;
using namespace gpu::emulator;

struct tulle__device {
    int64_t memory_bytes;
};

/* Streams and events are memory of their own, so that a leak checker finds those never given back.
 */
struct event {
    double seconds;
    uint64_t copies; /* those up to this one came before it */
};

static tulle_status out_of_memory(const char *what, size_t bytes) {
    return gpu::services->fail(TULLE_OUT_OF_MEMORY, nullptr, nullptr, -1,
                               "no memory for %s on the emulated device (%zu bytes)", what, bytes);
}

/* Not a number as float and as double, far out of range as an index of either size. */
static void poison(void *memory, size_t bytes) {
    const uint32_t pattern = 0x7ffa5a5a;
    char *to = static_cast<char *>(memory);
    for (size_t i = 0; i < bytes; i += sizeof pattern) {
        memcpy(to + i, &pattern, bytes - i < sizeof pattern ? bytes - i : sizeof pattern);
    }
}

tulle_status GPU_SYMBOL(device_count)(int *count, const char **why_none) {
    *count = 1;
    *why_none = nullptr;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(open)(int ordinal, tulle__device **opened) {
    static tulle__device only;
    *opened = nullptr;
    if (ordinal != 0) {
        return gpu::services->fail(TULLE_NO_DEVICE, nullptr, nullptr, -1,
                                   "there is no emulated device %d; the only one is 0", ordinal);
    }
    GPU_TRY(gpu::emulator::order_from_environment());
    only.memory_bytes =
        static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
    *opened = &only;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(close)(tulle__device *) {
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(describe)(tulle__device *which, tulle_device_info *info) {
    *info = {};
    info->backend = TULLE_EMULATED;
    strcpy(info->name, "tulle emulator");
    info->multiprocessors = 4;
    info->architecture = 90;
    info->warp = 32;
    info->memory_bytes = which->memory_bytes;
    info->shared_per_block = 227 << 10;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(allocate)(tulle__device *from, size_t bytes, void **pointer) {
    *pointer = nullptr;
    if (bytes == 0) return TULLE_OK;
    GPU_TRY(refuse_while_capturing("memory is allocated"));
    std::lock_guard<std::mutex> alone(emulator::device.lock);
    if (bytes <= static_cast<size_t>(from->memory_bytes)) *pointer = arena_take(bytes);
    if (!*pointer) return out_of_memory("an array", bytes);
    poison(*pointer, bytes);
    return TULLE_OK;
}

/* Of all that the array has: a side may still use it. */
static tulle_status check_release(const void *pointer) {
    size_t bytes = 0;
    {
        std::lock_guard<std::mutex> alone(emulator::device.lock);
        const array_info *array = has_sides() && pointer ? arena_find(pointer) : nullptr;
        if (array && array->first == pointer && !array->freed) bytes = array->bytes;
    }
    return emulator::check_sides("giving back an array", nullptr, use::writes, pointer, bytes);
}

/* Pools do not listen: the next call says what was wrong. */
tulle_status GPU_SYMBOL(release)(tulle__device *, void *pointer) {
    GPU_TRY(refuse_while_capturing("memory is given back"));
    emulator::keep_fault(check_release(pointer));
    std::lock_guard<std::mutex> alone(emulator::device.lock);
    if (!pointer || arena_give(pointer)) return TULLE_OK;
    return gpu::services->fail(TULLE_DEVICE_FAULT, nullptr, nullptr, -1,
                               "gives back %p, where no array begins, or no longer", pointer);
}

tulle_status GPU_SYMBOL(host_allocate)(tulle__device *, size_t bytes, void **pointer) {
    GPU_TRY(refuse_while_capturing("memory of the host is allocated"));
    *pointer = malloc(bytes);
    if (!*pointer) return out_of_memory("memory of the host", bytes);
    pin(*pointer, bytes);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(host_release)(tulle__device *, void *pointer) {
    GPU_TRY(refuse_while_capturing("memory of the host is given back"));
    unpin(pointer);
    free(pointer);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(stream_create)(tulle__device *, void **made) {
    *made = malloc(1);
    return *made ? TULLE_OK : out_of_memory("a stream", 1);
}

tulle_status GPU_SYMBOL(stream_destroy)(tulle__device *, void *old) {
    free(old);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(stream_wait)(tulle__device *, void *stream) {
    GPU_TRY(kept_fault());
    GPU_TRY(spoil_capture(stream));
    copies_arrive();
    std::lock_guard<std::mutex> alone(emulator::device.lock);
    stream_settles(stream);
    return TULLE_OK;
}

static tulle_status in_order(const tulle__place *place, const std::function<tulle_status()> &work) {
    return is_captured(place) ? capture(place, work) : work();
}

tulle_status GPU_SYMBOL(copy)(const tulle__place *place, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    const void *stream = place->stream;
    return in_order(place, [=] {
        GPU_TRY(check_use("a copy", stream, use::moves, from, bytes));
        GPU_TRY(check_use("a copy", stream, use::writes, to, bytes));
        if (!copy_late(to, from, bytes)) memcpy(to, from, bytes);
        written_by_host(to, bytes);
        std::lock_guard<std::mutex> alone(emulator::device.lock);
        arena_copy_unwritten(to, from, bytes);
        return TULLE_OK;
    });
}

/* All devices are one, and so are the program's own streams. */
tulle_status gpu::fetch_from(const tulle__place *place, void *to, tulle__device *, const void *from,
                             size_t bytes) {
    GPU_TRY(refuse_while_capturing("memory of another device is copied"));
    GPU_TRY(GPU_SYMBOL(copy)(place, to, from, bytes));
    return GPU_SYMBOL(stream_wait)(place->device, place->stream);
}

tulle_status GPU_SYMBOL(set_bytes)(const tulle__place *place, void *to, int byte, size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    const void *stream = place->stream;
    return in_order(place, [=] {
        GPU_TRY(check_use("set_bytes", stream, use::writes, to, bytes));
        memset(to, byte, bytes);
        written_by_host(to, bytes);
        return TULLE_OK;
    });
}

static tulle_status watch(void *pointer, size_t bytes, tulle__watch how) {
    if (how == TULLE__WATCH_UNWRITTEN) {
        GPU_TRY(emulator::check_sides("cutting scratch", nullptr, use::writes, pointer, bytes));
    }
    std::lock_guard<std::mutex> alone(emulator::device.lock);
    switch (how) {
        case TULLE__WATCH_UNWRITTEN:
            if (arena.has(pointer)) poison(pointer, bytes);
            arena_set(pointer, bytes, word_unwritten);
            break;
        case TULLE__WATCH_CLOSED:
            arena_set(pointer, bytes, word_closed);
            break;
        case TULLE__WATCH_LENT:
            if (!arena.has(pointer)) emulator::device.lent.push_back({pointer, bytes});
            break;
        case TULLE__WATCH_RETURNED:
            emulator::lent_back(pointer);
            break;
        case TULLE__WATCH_INPUT:
            inputs.push_back({pointer, bytes});
            break;
        case TULLE__WATCH_NO_INPUTS:
            inputs.clear();
            break;
    }
    return TULLE_OK;
}

/* Memory that calls of a graph share is cut anew by each of them, also when the graph is launched.
 */
tulle_status GPU_SYMBOL(watch)(tulle__device *, void *pointer, size_t bytes, tulle__watch how) {
    const bool lends = how == TULLE__WATCH_LENT || how == TULLE__WATCH_RETURNED;
    if (!lends) emulator::capture_too([=] { return watch(pointer, bytes, how); });
    return watch(pointer, bytes, how);
}

tulle_status GPU_SYMBOL(event_create)(tulle__device *, void **made) {
    *made = calloc(1, sizeof(event));
    return *made ? TULLE_OK : out_of_memory("an event", sizeof(event));
}

tulle_status GPU_SYMBOL(event_destroy)(tulle__device *, void *old) {
    free(old);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(event_record)(const tulle__place *, void *which) {
    *static_cast<event *>(which) = {tulle__seconds(), last_copy()};
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(event_between)(tulle__device *, void *from, void *to, double *ms) {
    GPU_TRY(refuse_while_capturing("the time between events is asked for"));
    copies_arrive(static_cast<event *>(to)->copies);
    *ms = 1e3 * (static_cast<event *>(to)->seconds - static_cast<event *>(from)->seconds);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(event_done)(tulle__device *, void *which, bool *done) {
    GPU_TRY(refuse_while_capturing("an event is asked about"));
    copies_arrive(static_cast<event *>(which)->copies);
    *done = true;
    return TULLE_OK;
}

/* The emulated device has no cache, and describe says so. */
tulle_status GPU_SYMBOL(flush_cache)(const tulle__place *) {
    return TULLE_OK;
}

/* The best of a few host copies: bytes read and bytes written, over time. */
tulle_status GPU_SYMBOL(bandwidth)(const tulle__place *, double *gbs) {
    constexpr size_t bytes = 16 << 20;
    constexpr int tries = 5;
    *gbs = 0;
    char *memory = static_cast<char *>(malloc(2 * bytes));
    if (!memory) return out_of_memory("the bandwidth test", 2 * bytes);
    memset(memory, 1, 2 * bytes);
    for (int i = 0; i < tries; i++) {
        double start = tulle__seconds();
        memcpy(memory, memory + bytes, bytes);
        asm volatile("" ::"r"(memory) : "memory");
        double speed = 2e-9 * static_cast<double>(bytes) / (tulle__seconds() - start);
        if (speed > *gbs) *gbs = speed;
    }
    free(memory);
    return TULLE_OK;
}
