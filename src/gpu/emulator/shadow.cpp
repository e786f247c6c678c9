/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: where its arrays lie, and the history of each word, by which races and reads of
 * what nobody wrote are found. Two accesses are in order when a barrier of the block lies between
 * them (another epoch), when one thread does both, or when a chain of sync_warp leads from the
 * first to the second (vector clocks; Mattern 1989, Flanagan and Freund 2009). */
#include <sys/mman.h>

#include "gpu/emulator/machine.h"

namespace tulle_emu::emulator {

/* Long before the counters wrap around, a slot's memory is made new. */
static void renew(block_state &block) {
    madvise(&block, sizeof block, MADV_DONTNEED);
}

void reset_shared(block_state &block) {
    constexpr uint32_t old = UINT32_MAX / 2;
    unsigned index = block.index, size = block.size;
    if (block.epoch > old || block.syncs > old) {
        renew(block);
        block.index = index;
        block.size = size;
    }
    if (block.epoch == 0) {
        for (warp_state &warp : block.warps) {
            for (int lane = 0; lane < warp_lanes; lane++) warp.clock[lane][lane] = 1;
        }
    }
    block.first_epoch = ++block.epoch;
    block.array_count = 0;
    block.words_used = 0;
    block.bytes_used = device.shape->size.dynamic_shared;
}

static const shared_array *find(const block_state &block, const void *key) {
    for (int i = 0; i < block.array_count; i++) {
        if (block.arrays[i].key == key) return &block.arrays[i];
    }
    return nullptr;
}

static extent add(block_state &block, const void *key, const char *name, size_t count,
                  size_t element, site at) {
    constexpr uint32_t unit = 4; /* words: 16 bytes, the widest access */
    if (block.array_count == most_arrays) {
        fault(at, "declares more than %d shared arrays", most_arrays);
    }
    uint32_t words = static_cast<uint32_t>((element + 3) / 4);
    extent place = {block.words_used, static_cast<uint32_t>(count) * words};
    uint32_t used = (place.first + place.words + unit - 1) / unit * unit;
    if (used > most_words) fault(at, "'%s' does not fit in the emulator's shared memory", name);
    block.words_used = used;
    block.arrays[block.array_count++] = {key, name, place, words};
    return place;
}

extent static_array(const void *key, const char *name, size_t count, size_t element, site at) {
    block_state &block = *device.block;
    if (const shared_array *known = find(block, key)) return known->words;
    size_t dynamic = device.shape->size.dynamic_shared;
    size_t total = block.bytes_used + count * element;
    if (total - dynamic > most_static_shared || total > most_shared) {
        fault(at,
              "'%s' brings the block's shared memory to %zu bytes (%zu declared); it has %zu "
              "(%zu)",
              name, total, total - dynamic, most_shared, most_static_shared);
    }
    block.bytes_used = total;
    return add(block, key, name, count, element, at);
}

extent dynamic_array(const char *name, size_t element, site at) {
    block_state &block = *device.block;
    if (const shared_array *known = find(block, nullptr)) return known->words;
    return add(block, nullptr, name, device.shape->size.dynamic_shared / element, element, at);
}

static bool is_before(const access &past, const thread_state &thread) {
    if (past.epoch < device.block->epoch || past.thread == thread.thread) return true;
    if (past.thread / warp_lanes != thread.thread / warp_lanes) return false;
    const warp_state &warp = warp_of(*device.block, thread.thread);
    return warp.clock[thread.thread % warp_lanes][past.thread % warp_lanes] >= past.clock;
}

/* Keeps the new access, and one that may overlap with it: of another warp if there is one, because
 * nothing but a barrier can order what comes later after both. */
static void remember(access (&kept)[2], const access &now, const thread_state &thread) {
    if (is_before(kept[0], thread)) {
        kept[0] = now;
    } else if (is_before(kept[1], thread) ||
               kept[0].thread / warp_lanes == kept[1].thread / warp_lanes) {
        kept[1] = now;
    }
}

/* An access to one word: what to call it in a report, and where. */
struct attempt {
    const shared_array *array;
    int64_t element;
    const char *verb;
    site at;
};

static void check_order(const access &past, const char *did, const attempt &now) {
    if (is_before(past, *device.thread)) return;
    fault(now.at,
          "a race in shared memory: it %s %s[%lld], which thread %u %s at %s:%u, and no "
          "barrier lies between",
          now.verb, now.array->name, static_cast<long long>(now.element), past.thread, did,
          file_of(past.at), static_cast<unsigned>(past.at.line()));
}

static void check_order(const access (&past)[2], const char *did, const attempt &now) {
    check_order(past[0], did, now);
    check_order(past[1], did, now);
}

static void touch_word(word_history &word, touch how, const attempt &now) {
    const thread_state &thread = *device.thread;
    const unsigned lane = thread.thread % warp_lanes;
    access mine = {device.block->epoch, warp_of(*device.block, thread.thread).clock[lane][lane],
                   now.at, static_cast<uint16_t>(thread.thread)};
    if (how != touch::write && word.write.epoch < device.block->first_epoch) {
        fault(now.at, "%s %s[%lld], which nobody has written yet", now.verb, now.array->name,
              static_cast<long long>(now.element));
    }
    check_order(word.write, "wrote", now);
    if (how != touch::atomic) check_order(word.atomics, "updated", now);
    if (how != touch::read) check_order(word.reads, "read", now);
    if (how == touch::read) remember(word.reads, mine, thread);
    if (how == touch::atomic) remember(word.atomics, mine, thread);
    if (how == touch::write) word.write = mine;
}

static const shared_array *array_at(const block_state &block, extent place) {
    int i = 0;
    while (block.arrays[i].words.first != place.first || block.arrays[i].words.words == 0) i++;
    return &block.arrays[i];
}

uint32_t *touch_shared(touch how, extent place, int64_t at, uint32_t words, uint32_t alignment,
                       site where) {
    static const char *const verbs[] = {"reads", "writes", "updates"};
    block_state &block = *device.block;
    attempt now = {nullptr, at / words, verbs[static_cast<int>(how)], where};
    if (place.words == 0) fault(where, "%s shared memory of size 0", now.verb);
    now.array = array_at(block, place);
    if (at < 0 || at + words > place.words) {
        fault(where, "%s %s[%lld], outside of its %u elements", now.verb, now.array->name,
              static_cast<long long>(now.element), place.words / words);
    }
    if (at % alignment != 0) {
        fault(where, "%s %s at %lld bytes, which is not aligned", now.verb, now.array->name,
              static_cast<long long>(at) * 4);
    }
    uint32_t first = place.first + static_cast<uint32_t>(at);
    for (uint32_t i = 0; i < words; i++) touch_word(block.history[first + i], how, now);
    return block.words + first;
}

}  // namespace tulle_emu::emulator
