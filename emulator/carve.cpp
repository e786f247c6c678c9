/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/carve.h"

#include <map>
#include <mutex>

#include "gpu/carve.cuh"

namespace tulle_emu {

static std::mutex lock;
static std::map<const void *, int> asked;

tulle_status prefer_shared_raw(const tulle__place *, const void *kernel, int percent) {
    if (percent < 0 || percent > 100) {
        return services->fail(TULLE_INVALID_ARGUMENT, nullptr, nullptr, -1,
                              "%d percent of a multiprocessor's memory as shared: it has 0 to 100",
                              percent);
    }
    std::lock_guard<std::mutex> alone(lock);
    asked[kernel] = percent;
    return TULLE_OK;
}

int emulator::preferred_shared(const void *kernel) {
    std::lock_guard<std::mutex> alone(lock);
    auto found = asked.find(kernel);
    return found == asked.end() ? -1 : found->second;
}

}  // namespace tulle_emu
