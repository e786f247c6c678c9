/* SPDX-License-Identifier: Apache-2.0 */
/* The barrier of the block, waiting in loops, and what atomics mean to the scheduler. */
#include <string.h>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* A loop that looks so often at what others must change, without spin, hangs a device too. */
static constexpr uint32_t most_polls = 1 << 22;

static bool same_line(site a, site b) {
    if (a.line() != b.line()) return false;
    return a.file_name() == b.file_name() || strcmp(a.file_name(), b.file_name()) == 0;
}

static thread_state &some_ended(block_state &block) {
    unsigned i = 0;
    while (block.threads[i].now != state::ended) i++;
    return block.threads[i];
}

void block_barrier(site at) {
    block_state &block = *device.block;
    if (block.ended > 0) {
        fault(at, "waits at gpu::sync, which thread %u will never reach: it has ended",
              some_ended(block).thread);
    }
    thread_state &first = block.threads[block.first_arrived];
    if (block.arrived == 0) {
        block.first_arrived = device.thread->thread;
    } else if (!same_line(first.at, at)) {
        fault(at, "waits at another gpu::sync than thread %u, which waits at %s:%u", first.thread,
              file_of(first.at), static_cast<unsigned>(first.at.line()));
    }
    device.progress = true;
    if (++block.arrived == block.size) {
        block.arrived = 0;
        block.epoch++;
        for (unsigned i = 0; i < block.size; i++) block.threads[i].moment = 0;
        share_in_block(block);
        make_all_ready(block);
        let_others_run();
    } else {
        wait_as(state::at_barrier, at);
    }
}

void leave_barrier() {
    block_state &block = *device.block;
    if (block.arrived == 0) return;
    thread_state &first = block.threads[block.first_arrived];
    fault(first.at, "ends without reaching gpu::sync, where thread %u waits", first.thread);
}

/* Others may run, by the emulator's choice: a loop that waits stays one. */
static void give_way(site at) {
    device.thread->at = at;
    make_ready(*device.block, device.thread->thread);
    let_others_run();
}

void spin(site at) {
    device.thread->polls = 0;
    device.in_vain++;
    give_way(at);
}

/* Nor is one without gpu::spin made one that works: who looks again has others wait. */
void before_atomic(const void *word, site at) {
    if (device.thread->looked_at == word) return;
    if (device.order == direction::random && random_below(4) == 0) give_way(at);
}

void poll(where at) {
    if (++device.thread->polls == most_polls) {
        fault(at, "waits in a loop without gpu::spin: others must run for it to go on");
    }
}

void after_atomic(const void *word, bool changed_memory, site at) {
    device.thread->looked_at = changed_memory ? nullptr : word;
    if (changed_memory) {
        device.progress = true;
        device.moves++;
    } else {
        poll(at);
    }
}

}  // namespace tulle_emu::emulator
