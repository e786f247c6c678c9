/* SPDX-License-Identifier: Apache-2.0 */
/* Sides of a place: where its stream is captured, so are they, and the graph has them anew whenever
 * it is launched. */
#include <list>

#include "emulator/capture.h"
#include "emulator/machine.h"

namespace tulle_emu::emulator {

static void fork(const void *stream, const void *side) {
    std::lock_guard<std::mutex> alone(device.lock);
    stream_forks(stream, side);
}

void join_side(const void *stream, const void *side) {
    std::lock_guard<std::mutex> alone(device.lock);
    stream_joins(stream, side);
}

struct sides {
    std::list<tulle__place> places;
};

const tulle__place *side_begins(const tulle__place *place, sides **all) {
    if (!*all) *all = new sides;
    tulle__place &other = (*all)->places.emplace_back(*place);
    void *stream = place->stream, *side = other.stream = new_side_name();
    if (is_captured(place)) {
        capture_side(place, side, [=] { fork(stream, side); });
    } else {
        fork(stream, side);
    }
    return &other;
}

void sides_end(const tulle__place *place, sides **all) {
    if (!*all) return;
    for (const tulle__place &other : (*all)->places) {
        if (is_captured(place)) {
            capture_end_of_side(place, other.stream);
        } else {
            join_side(place->stream, other.stream);
        }
    }
    delete *all;
    *all = nullptr;
}

}  // namespace tulle_emu::emulator
