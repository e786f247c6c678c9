/* SPDX-License-Identifier: Apache-2.0 */
/* What threads of different blocks and warps learn of each other. A release hands on all that the
 * thread has done and knows; an acquire of the same word takes it. A relaxed write hands on what
 * the thread's last fence covered, and what relaxed reads have met is news from the next fence on
 * (CUDA PTX ISA, memory consistency model: release and acquire patterns). An atomic update goes on
 * with what the word handed on before it. */
#include <map>

#include "gpu/emulator/arena.h"
#include "gpu/emulator/machine.h"

namespace tulle_emu::emulator {

/* Shared memory is another block's after this one. */
struct word_key {
    const void *address;
    unsigned block;
    bool operator<(const word_key &other) const {
        return address != other.address ? address < other.address : block < other.block;
    }
};
static std::map<word_key, news> handed_on;

void forget_releases() {
    handed_on.clear();
}

static word_key key_of(const void *address) {
    return {address, arena.has(address) ? 0 : device.thread->block};
}

news found_at(const void *address) {
    if (handed_on.empty()) return nullptr;
    auto at = handed_on.find(key_of(address));
    return at == handed_on.end() ? nullptr : at->second;
}

static void learn(const news &more) {
    if (!more) return;
    device.thread->knows = merge(device.thread->knows, more);
    device.block->learned = true;
}

void heard_news(const news &met) {
    device.thread->met = met;
    device.thread->heard = merge(device.thread->heard, met);
}

void heard(const void *address) {
    heard_news(found_at(address));
}

void acquired() {
    learn(device.thread->met);
}

void told(const void *address, touch how) {
    const news &told = device.thread->told;
    if (how == touch::update) {
        if (told) handed_on[key_of(address)] = merge(found_at(address), told);
    } else if (told) {
        handed_on[key_of(address)] = told;
    } else if (!handed_on.empty()) {
        handed_on.erase(key_of(address));
    }
}

void released(const void *address) {
    handed_on[key_of(address)] = release_moment();
}

void fence() {
    learn(device.thread->heard);
    device.thread->heard = nullptr;
    device.thread->told = release_moment();
}

void raw_read(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

void raw_write(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

}  // namespace tulle_emu::emulator
