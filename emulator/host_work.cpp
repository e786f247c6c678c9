/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills, scans and sorts: what is no kernel, and yet must keep to the device's arrays, and
 * may race with one. */
#include <stdio.h>

#include "emulator/arena.h"
#include "emulator/machine.h"

namespace tulle_emu::emulator {

thread_local const char *host_work;

struct host_access {
    use how;
    const void *p;
    size_t bytes;
};

static void make(void *access) {
    const host_access *made = static_cast<host_access *>(access);
    touch_by_host(made->how, made->p, made->bytes);
}

static bool is_looked_at(const void *p, size_t bytes) {
    std::lock_guard<std::mutex> alone(device.lock);
    return bytes > 0 && has_sides() && arena.has(p) && !arena_unwatched(p);
}

/* As a grid of one thread. */
tulle_status check_sides(const char *work, const void *stream, use how, const void *p,
                         size_t bytes) {
    if (!is_looked_at(p, bytes)) return TULLE_OK;
    char text[100];
    snprintf(text, sizeof text, "%s of %zu bytes", work, bytes);
    host_access access = {how, p, bytes};
    launch_shape shape(1, 1);
    shape.stream = const_cast<void *>(stream);
    host_work = text;
    tulle_status status = run_grid(shape, {make, &access, nullptr, 0});
    host_work = nullptr;
    return status;
}

static tulle_status check_bounds(const char *work, const void *stream, use how, const void *p,
                                 size_t bytes) {
    std::lock_guard<std::mutex> alone(device.lock);
    stream_settles(stream);
    const char *wrong = arena_misused(p, bytes, how == use::reads);
    if (!wrong) return TULLE_OK;
    const array_info *array = arena_find(wrong);
    bool watched = !arena_unwatched(wrong);
    uint32_t state =
        watched ? state_of(arena_word(wrong), reinterpret_cast<uintptr_t>(wrong) % sizeof(uint32_t))
                : static_cast<uint32_t>(word_none);
    return services->fail(TULLE_DEVICE_FAULT, nullptr, nullptr, -1,
                          "%s of %zu bytes %s global memory %s: byte %lld of an array of %zu bytes",
                          work, bytes, how == use::writes ? "writes" : "reads",
                          name_of_state(state), static_cast<long long>(wrong - array->first),
                          array->bytes);
}

tulle_status check_use(const char *work, const void *stream, use how, const void *p, size_t bytes) {
    GPU_TRY(check_bounds(work, stream, how, p, bytes));
    return check_sides(work, stream, how, p, bytes);
}

/* Beside sides its history says so already, and who wrote it. */
void written_by_host(const void *p, size_t bytes) {
    if (!is_looked_at(p, bytes)) {
        std::lock_guard<std::mutex> alone(device.lock);
        arena_set(p, bytes, word_written);
    }
}

static bool is_kept;

void keep_fault(tulle_status status) {
    std::lock_guard<std::mutex> alone(device.lock);
    is_kept = is_kept || status != TULLE_OK;
}

tulle_status kept_fault() {
    std::lock_guard<std::mutex> alone(device.lock);
    if (!is_kept) return TULLE_OK;
    is_kept = false;
    return services->fail(TULLE_DEVICE_FAULT, nullptr, nullptr, -1, "%s", device.report);
}

}  // namespace tulle_emu::emulator
