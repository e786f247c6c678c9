/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: what was captured runs step by step when the graph is launched, with the
 * arguments that it was captured with. */
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "emulator/capture.h"
#include "gpu/gpu.cuh"

using namespace gpu::emulator;

namespace tulle_emu::emulator {

struct graph {
    std::vector<std::function<tulle_status()>> steps;
    std::vector<std::function<void()>> ends; /* of sides, if a step before them fails */
    int open_sides = 0;
    bool spoilt = false;
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

tulle_status capture_launch(const tulle__place *place, tulle_status (*run)(const void *step),
                            const void *step, size_t bytes) {
    const char *from = static_cast<const char *>(step);
    std::vector<char> kept(from, from + bytes);
    return capture(place, [run, kept] { return run(kept.data()); });
}

void capture_side(const tulle__place *place, void *side, const std::function<void()> &begins) {
    graph *into = captured_into(place->stream);
    into->steps.push_back([=] {
        begins();
        return TULLE_OK;
    });
    into->open_sides++;
    std::lock_guard<std::mutex> alone(lock);
    captures[side] = into;
}

void capture_end_of_side(const tulle__place *place, void *side) {
    graph *into = captured_into(place->stream);
    const void *stream = place->stream;
    into->ends.push_back([=] { join_side(stream, side); });
    into->steps.push_back([=] {
        join_side(stream, side);
        return TULLE_OK;
    });
    into->open_sides--;
    std::lock_guard<std::mutex> alone(lock);
    captures.erase(side);
}

tulle_status spoil_capture(void *stream) {
    graph *into = captured_into(stream);
    if (!into) return TULLE_OK;
    into->spoilt = true;
    return services->fail(TULLE_UNSUPPORTED, nullptr, nullptr, -1,
                          "waits for a stream that is being captured");
}

tulle_status refuse_while_capturing(const char *what) {
    if (!captured_here) return TULLE_OK;
    captured_here->spoilt = true;
    return services->fail(TULLE_UNSUPPORTED, nullptr, nullptr, -1,
                          "%s while this thread captures a stream", what);
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
    graph *whole = static_cast<graph *>(*made);
    std::erase_if(captures, [=](const auto &of) { return of.second == whole; });
    captured_here = nullptr;
    const bool spoilt = whole->spoilt, open = whole->open_sides > 0;
    if (!spoilt && !open) return TULLE_OK;
    *made = nullptr;
    delete whole;
    return gpu::services->fail(spoilt ? TULLE_UNSUPPORTED : TULLE_DEVICE_FAULT, nullptr, nullptr,
                               -1, "the capture %s",
                               spoilt ? "was spoilt: the host has waited, or called what may wait"
                                      : "ends before gpu::side_by_side::join");
}

tulle_status GPU_SYMBOL(graph_launch)(const tulle__place *, void *captured) {
    const graph *launched = static_cast<graph *>(captured);
    tulle_status status = TULLE_OK;
    for (const auto &step : launched->steps) {
        status = step();
        if (status != TULLE_OK) break;
    }
    if (status != TULLE_OK) {
        for (const auto &end : launched->ends) end();
    }
    return status;
}

tulle_status GPU_SYMBOL(graph_destroy)(tulle__device *, void *captured) {
    delete static_cast<graph *>(captured);
    return TULLE_OK;
}
