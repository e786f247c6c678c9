/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies into shared memory. They arrive as late as they may: when their thread waits
 * for them. Until then nobody may touch where they go, and what they read must stay as it is: the
 * device may read it at any time from the start to the wait, so that both are reads. */
#include "emulator/machine.h"

namespace tulle_emu::emulator {

void copy_starts(extent array, int64_t at, const void *from, uint32_t words, site where) {
    touch_global(touch::read, from, words * sizeof(uint32_t), where);
    touch_shared(touch::copy, array, at, words, words, where);
    copy_in_flight copy = {array, at, words, device.thread->copy_groups, where, from, {}};
    raw_read(copy.data, from, words * sizeof(uint32_t));
    device.thread->copies.push_back(copy);
}

void copies_committed() {
    device.thread->copy_groups++;
}

/* The thread itself has changed it, or another one in time. */
static void check_source(const copy_in_flight &copy) {
    uint32_t now[sizeof copy.data / sizeof *copy.data];
    raw_read(now, copy.from, copy.words * sizeof(uint32_t));
    if (memcmp(now, copy.data, copy.words * sizeof(uint32_t)) == 0) return;
    char text[200];
    describe(copy.from, text, sizeof text);
    fault(copy.issued,
          "copies asynchronously from %s, which was written before the copy was waited for", text);
}

static void arrive(const copy_in_flight &copy) {
    check_source(copy);
    touch_global(touch::read, copy.from, copy.words * sizeof(uint32_t), copy.issued);
    uint32_t first = copy.array.first + static_cast<uint32_t>(copy.at);
    for (uint32_t i = 0; i < copy.words; i++) {
        set_state(device.block->history[first + i], all_bytes, word_unwritten);
    }
    uint32_t *to = touch_shared(touch::write, copy.array, copy.at, copy.words, 1, copy.issued);
    raw_write(to, copy.data, copy.words * sizeof(uint32_t));
}

void copies_awaited(unsigned groups_left, site) {
    std::vector<copy_in_flight> &copies = device.thread->copies;
    size_t left = 0;
    for (size_t i = 0; i < copies.size(); i++) {
        if (copies[i].group + groups_left < device.thread->copy_groups) {
            arrive(copies[i]);
        } else {
            copies[left++] = copies[i];
        }
    }
    copies.resize(left);
}

}  // namespace tulle_emu::emulator
