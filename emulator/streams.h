/* SPDX-License-Identifier: Apache-2.0 */
/* Which launches are complete when another one begins. Work in one stream is in order, but for
 * early launches, which overlap until they wait. The program's own streams count as one; beside it
 * there are sides, which run on by themselves until they are joined. A stream knows of each other
 * one up to which launch that is complete (vector clocks; see moments.h). Callers hold the device's
 * lock. */
#ifndef TULLE_GPU_EMULATOR_STREAMS_H
#define TULLE_GPU_EMULATOR_STREAMS_H

#include <stdint.h>

#include <string>

#include "emulator/site.h"

namespace tulle_emu::emulator {

/* Where a launch was, and what it stands for if it is no kernel. */
struct launch_note {
    site at;
    std::string host_work;
};

/* The stream that is launched into, as a number; the launch's own number. */
struct launch_number {
    uint32_t launch;
    uint16_t stream;
};

/* A launch begins; and whether it overlaps with none before it. */
bool stream_launches(const void *name, bool early, const launch_note &note);
launch_number launch_now();

/* Whether an earlier launch, not before the last one that overlapped with none, was complete when
 * this one began; awaited: or when a thread of it had waited for what came before it. */
bool launch_is_complete(launch_number past, bool awaited);

const launch_note &note_of(uint32_t launch);

/* What was put into a stream is complete before what comes next there. */
void stream_settles(const void *name);

/* A side begins after all that is in a stream; what comes next there is after all of the side's. A
 * name is never used again; what is no side's name is the program's own stream. */
void *new_side_name();
void stream_forks(const void *name, const void *side);
void stream_joins(const void *name, const void *side);

/* Whether a side of this thread has yet to be joined. */
bool has_sides();

}  // namespace tulle_emu::emulator

#endif
