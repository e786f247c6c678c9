/* SPDX-License-Identifier: Apache-2.0 */
/* Sides of a place: where its stream is captured, so are they, and the graph has them anew whenever
 * it is launched. */
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

void *side_begins(const tulle__place *place) {
    void *stream = place->stream, *side = new_side_name();
    if (is_captured(place)) {
        capture_side(place, side, [=] { fork(stream, side); });
    } else {
        fork(stream, side);
    }
    return side;
}

void side_ends(const tulle__place *place, void *side) {
    if (is_captured(place)) {
        capture_end_of_side(place, side);
    } else {
        join_side(place->stream, side);
    }
}

}  // namespace tulle_emu::emulator
