/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of what a kernel does wrong: one line, the first fault of a launch only. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

const char *collective_name(collective op) {
    static const char *const names[] = {"gpu::sync_warp",    "gpu::ballot",     "gpu::any",
                                        "gpu::all",          "gpu::shuffle",    "gpu::shuffle_up",
                                        "gpu::shuffle_down", "gpu::shuffle_xor"};
    return names[static_cast<int>(op)];
}

const char *file_of(site at) {
    const char *slash = strrchr(at.file_name(), '/');
    return slash ? slash + 1 : at.file_name();
}

/* "FILE:LINE: block B thread T: WHAT; in FUNCTION, launched at FILE:LINE, order ORDER" */
static void compose(const thread_state &who, where at, const char *what) {
    const source_line line = line_of(at);
    char order[40] = "forward";
    if (device.order == direction::backward) snprintf(order, sizeof order, "backward");
    if (device.order == direction::random) {
        snprintf(order, sizeof order, "random:%llu", static_cast<unsigned long long>(device.seed));
    }
    device.faulted = true;
    if (host_work) {
        snprintf(device.report, sizeof device.report, "%s: %s; order %s", host_work, what, order);
        return;
    }
    snprintf(device.report, sizeof device.report,
             "%s:%u: block %u thread %u: %s; in %s, launched at %s:%u, order %s", line.file,
             line.line, who.block, who.thread, what, line.function, file_of(device.shape->at),
             static_cast<unsigned>(device.shape->at.line()), order);
}

static void record_v(const thread_state &who, where at, const char *format, va_list arguments) {
    char what[700];
    vsnprintf(what, sizeof what, format, arguments);
    compose(who, at, what);
}

void record_fault(const thread_state &who, site at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_v(who, at, format, arguments);
    va_end(arguments);
}

void fault(where at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_v(*device.thread, at, format, arguments);
    va_end(arguments);
    for (;;) fiber_leave();
}

static const char *place_of(const thread_state &thread) {
    return thread.now == state::at_barrier ? "gpu::sync" : collective_name(thread.wanted.op);
}

static bool waits(const thread_state &thread) {
    return thread.now == state::at_barrier || thread.now == state::at_collective;
}

/* A thread that waits, and one of its block that waits elsewhere, for which the first may wait. */
void record_deadlock() {
    block_state *block = device.slots[0];
    for (int i = 0; block->ended == block->size; i++) block = device.slots[i];
    unsigned first = 0;
    while (!waits(block->threads[first])) first++;
    const thread_state &one = block->threads[first];
    for (unsigned i = first + 1; i < block->size; i++) {
        const thread_state &other = block->threads[i];
        if (!waits(other) || strcmp(place_of(one), place_of(other)) == 0) continue;
        return record_fault(one, one.at,
                            "deadlock: it waits at %s, while thread %u waits at %s at %s:%u",
                            place_of(one), other.thread, place_of(other), file_of(other.at),
                            static_cast<unsigned>(other.at.line()));
    }
    record_fault(one, one.at, "deadlock: it waits at %s, which others never reach", place_of(one));
}

static const thread_state &some_ready() {
    int i = 0;
    while (device.slots[i]->ready_count == 0) i++;
    const block_state &block = *device.slots[i];
    return block.threads[block.ready[block.ready_first]];
}

void record_livelock() {
    const thread_state &spinner = some_ready();
    record_fault(spinner, spinner.at,
                 "livelock: all %d resident blocks wait in gpu::spin, perhaps for a block that has "
                 "not started",
                 device.active);
}

void record_turns_in_vain() {
    const thread_state &spinner = some_ready();
    record_fault(
        spinner, spinner.at,
        "livelock: threads have waited %llu times, and none ended or came to anything new: "
        "they wait and count",
        static_cast<unsigned long long>(device.in_vain));
}

}  // namespace tulle_emu::emulator
