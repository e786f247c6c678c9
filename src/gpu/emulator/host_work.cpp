/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills, scans and sorts: what is no kernel, and yet must keep to the device's arrays. */
#include "gpu/emulator/arena.h"
#include "gpu/emulator/machine.h"

namespace tulle_emu::emulator {

/* Without the hooks nobody knows what kernels have written. */
#if defined(TULLE__EMULATOR_HOOKS)
static constexpr bool hooked = true;
#else
static constexpr bool hooked = false;
#endif

tulle_status check_use(const char *work, use how, const void *p, size_t bytes) {
    std::lock_guard<std::mutex> alone(device.lock);
    const char *wrong = arena_misused(p, bytes, hooked && how == use::reads);
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

}  // namespace tulle_emu::emulator
