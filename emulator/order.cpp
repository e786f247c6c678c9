/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/order.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_bits() {
    uint64_t z = device.random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

unsigned random_below(unsigned below) {
    return static_cast<unsigned>(((random_bits() >> 32) * below) >> 32);
}

/* A decimal number that takes the whole text. */
static bool number(const char *text, uint64_t *value) {
    char *end = nullptr;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0;
}

static tulle_status set(const char *variable, tulle_status (*setter)(const char *)) {
    const char *text = getenv(variable);
    return text && *text ? setter(text) : TULLE_OK;
}

tulle_status order_from_environment() {
    GPU_TRY(set("TULLE_EMU_ORDER", tulle__emu_set_order));
    return set("TULLE_EMU_RESIDENT", tulle__emu_set_resident);
}

}  // namespace tulle_emu::emulator

using namespace gpu::emulator;

tulle_status tulle__emu_set_order(const char *order) {
    static const char random[] = "random:";
    uint64_t seed = 0;
    direction chosen = direction::forward;
    if (strcmp(order, "backward") == 0) {
        chosen = direction::backward;
    } else if (strncmp(order, random, strlen(random)) == 0 &&
               number(order + strlen(random), &seed)) {
        chosen = direction::random;
    } else if (strcmp(order, "forward") != 0) {
        return gpu::services->fail(TULLE_INVALID_ARGUMENT, nullptr, "TULLE_EMU_ORDER", -1,
                                   "TULLE_EMU_ORDER is '%s'; use forward, backward or random:SEED",
                                   order);
    }
    std::lock_guard<std::mutex> alone(device.lock);
    device.order = chosen;
    device.seed = device.random_state = seed;
    forget_looks();
    return TULLE_OK;
}

tulle_status tulle__emu_set_resident(const char *blocks) {
    uint64_t count = 0;
    if (!number(blocks, &count) || count < 1 || count > TULLE__EMU_MAX_RESIDENT) {
        return gpu::services->fail(TULLE_INVALID_ARGUMENT, nullptr, "TULLE_EMU_RESIDENT", -1,
                                   "TULLE_EMU_RESIDENT is '%s'; use a number from 1 to %d", blocks,
                                   TULLE__EMU_MAX_RESIDENT);
    }
    std::lock_guard<std::mutex> alone(device.lock);
    device.resident = static_cast<int>(count);
    return TULLE_OK;
}
