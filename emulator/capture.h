/* SPDX-License-Identifier: Apache-2.0 */
/* What the emulator notes in a graph beside work: of no concern to kernels. */
#ifndef TULLE_GPU_EMULATOR_CAPTURE_H
#define TULLE_GPU_EMULATOR_CAPTURE_H

#include <functional>

#include "core/place.h"

namespace tulle_emu::emulator {

/* Adds a step to the graph that the place's stream is captured into. */
tulle_status capture(const tulle__place *place, const std::function<tulle_status()> &step);

/* What is done at once, and again in its turn whenever the graph is launched that this host thread
 * captures; if it captures one. */
void capture_too(const std::function<tulle_status()> &step);

/* The host waits for a stream: not while it is captured, which CUDA refuses, and gives up the
 * graph. */
tulle_status spoil_capture(void *stream);

/* Nor may this host thread allocate or give back memory, or ask about events, while it captures any
 * stream: CUDA refuses what may wait for the whole device. */
tulle_status refuse_while_capturing(const char *what);

/* A side of a place that is captured, up to its end. */
void capture_side(const tulle__place *place, void *side, const std::function<void()> &begins);
void capture_end_of_side(const tulle__place *place, void *side);

/* sides.cpp: the stream waits for the side's end, if it has not yet. */
void join_side(const void *stream, const void *side);

}  // namespace tulle_emu::emulator

#endif
