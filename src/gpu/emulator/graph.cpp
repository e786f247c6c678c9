/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: what was captured runs step by step when the graph is launched, with the
 * arguments that it was captured with. */
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/emulator/capture.h"
#include "gpu/gpu.cuh"

using namespace gpu::emulator;

namespace tulle_emu::emulator {

struct graph {
    std::vector<std::function<tulle_status()>> steps;
};

/* A caller's stream is a name and no more. */
static std::mutex lock;
static std::map<void *, graph *> captures;
/* What this host thread captures into, or nothing. */
static thread_local graph *captured_here;

static graph *captured_into(void *stream) {
    std::lock_guard<std::mutex> alone(lock);
    auto at = captures.find(stream);
    return at == captures.end() ? nullptr : at->second;
}

bool is_captured(const tulle__place *place) {
    return captured_into(place->stream);
}

tulle_status capture(const tulle__place *place, const std::function<tulle_status()> &step) {
    captured_into(place->stream)->steps.push_back(step);
    return TULLE_OK;
}

void capture_too(const std::function<tulle_status()> &step) {
    if (captured_here) captured_here->steps.push_back(step);
}

}  // namespace tulle_emu::emulator

tulle_status GPU_SYMBOL(capture_begin)(const tulle__place *place) {
    if (is_captured(place)) {
        return gpu::services->fail(TULLE_UNSUPPORTED, nullptr, nullptr, -1,
                                   "the stream is being captured already");
    }
    std::lock_guard<std::mutex> alone(lock);
    captures[place->stream] = captured_here = new graph;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(capture_end)(const tulle__place *place, void **made) {
    *made = captured_into(place->stream);
    if (!*made) {
        return gpu::services->fail(TULLE_UNSUPPORTED, nullptr, nullptr, -1,
                                   "the stream is not being captured");
    }
    std::lock_guard<std::mutex> alone(lock);
    captures.erase(place->stream);
    captured_here = nullptr;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(graph_launch)(const tulle__place *, void *captured) {
    for (const auto &step : static_cast<graph *>(captured)->steps) GPU_TRY(step());
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(graph_destroy)(tulle__device *, void *captured) {
    delete static_cast<graph *>(captured);
    return TULLE_OK;
}
