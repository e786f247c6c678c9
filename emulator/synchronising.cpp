/* SPDX-License-Identifier: Apache-2.0 */
/* What threads of different blocks and warps learn of each other. A release hands on all that the
 * thread has done and knows; an acquire of the same word takes it. A relaxed write hands on what
 * the last fence covered, of the thread or of one that it met at a barrier since, and what relaxed
 * reads have met is news from the next fence on (CUDA PTX ISA, memory consistency model: release
 * and acquire patterns). An atomic update goes on with what the word handed on before it. Where a
 * write leaves the number as it was, a load may have seen the one before it, and hears of no more
 * than both handed on: a flag that an earlier launch has raised hands on nothing. Fences are
 * sequentially consistent, as __threadfence is: the fence before a number is written, or looked at,
 * comes before the fence of whoever has overwritten that number, or has met what did. */
#include <map>

#include "emulator/arena.h"
#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* Shared memory is another block's after this one. */
struct word_key {
    const void *address;
    unsigned block;
    bool operator<(const word_key &other) const {
        return address != other.address ? address < other.address : block < other.block;
    }
};

/* What an atomic write has left at its word, and fences before looks: at its number, at those
 * before it. */
struct message {
    news told, looked, before;
};
static std::map<word_key, message> messages;

void forget_releases() {
    messages.clear();
}

static word_key key_of(const void *address) {
    return {address, arena.has(address) ? 0 : device.thread->block};
}

static message *find(const void *address) {
    if (messages.empty()) return nullptr;
    auto at = messages.find(key_of(address));
    return at == messages.end() ? nullptr : &at->second;
}

news found_at(const void *address) {
    const message *found = find(address);
    return found ? found->told : nullptr;
}

static void add_to(news &all, const news &more) {
    if (!more || more == all) return;
    all = merge(all, more);
    device.block->learned = true;
}

/* All that the thread's last fence covered: most often the same as that of the lane before it. */
static const news &fenced() {
    static news known, done, both;
    const news *fenced = device.thread->fenced;
    if (fenced[0] != known || fenced[1] != done) {
        known = fenced[0];
        done = fenced[1];
        both = merge(known, done);
    }
    return both;
}

void heard(const void *address, touch how) {
    thread_state &thread = *device.thread;
    const bool looks = thread.fenced[1] && how == touch::atomic_read;
    message *found = looks ? &messages[key_of(address)] : find(address);
    thread.found = nullptr;
    if (!found) return;
    thread.found = found->told;
    add_to(thread.heard, found->told);
    add_to(thread.heard, found->before);
    if (looks) add_to(found->looked, fenced());
}

/* The thread of a moment of this launch, which is about to learn something, if its block is
 * resident. */
static thread_state *learner_of(uint32_t number) {
    if (number < launch_moment()) return nullptr;
    const moment &then = moment_of(number);
    for (int i = 0; i < device.active; i++) {
        block_state &block = *device.slots[i];
        if (block.index != then.block) continue;
        block.learned = true;
        return &block.threads[then.thread];
    }
    return nullptr;
}

void heard_older(const void *address, const news &told, uint32_t writer) {
    thread_state &thread = *device.thread;
    thread.found = told;
    add_to(thread.heard, told);
    if (!thread.fenced[1]) return;
    add_to(messages[key_of(address)].before, fenced());
    thread_state *later = learner_of(writer);
    if (later) add_to(writer < later->last_fence ? later->knows : later->heard, fenced());
}

void acquired() {
    add_to(device.thread->knows, device.thread->found);
}

/* The thread writes there: what fences came before those who wrote or looked there before it comes
 * before its next one, and its last fence before theirs who write there later, or look. */
static void follow(message &word) {
    add_to(device.thread->heard, word.before);
    add_to(word.before, fenced());
}

/* Whoever finds the number knows what both have told who wrote it, before and now. An update that
 * changes nothing is a look. */
static void told_same(message &word, const news &more, touch how) {
    add_to(device.thread->heard, word.before);
    add_to(word.looked, fenced());
    if (how != touch::update) word.told = common(word.told, more);
}

/* A number is overwritten. */
static message &overwritten_at(const void *address) {
    message &word = messages[key_of(address)];
    if (word.looked) {
        add_to(word.before, word.looked);
        word.looked = nullptr;
    }
    follow(word);
    return word;
}

void told(const void *address, touch how) {
    if (!device.thread->fenced[1] && !find(address)) return;
    if (device.thread->wrote_same) return told_same(messages[key_of(address)], fenced(), how);
    message &word = overwritten_at(address);
    if (how == touch::update) return add_to(word.told, fenced());
    word.told = fenced();
}

void released(const void *address) {
    const news mine = merge(device.thread->knows, release_moment());
    if (device.thread->wrote_same) {
        return told_same(messages[key_of(address)], mine, touch::atomic_write);
    }
    overwritten_at(address).told = mine;
}

void fence() {
    thread_state &thread = *device.thread;
    add_to(thread.knows, thread.heard);
    thread.heard = nullptr;
    thread.fenced[0] = thread.knows;
    thread.fenced[1] = release_moment();
    thread.last_fence = following_moment();
    device.block->learned = true;
}

void raw_read(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

void raw_write(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

}  // namespace tulle_emu::emulator
