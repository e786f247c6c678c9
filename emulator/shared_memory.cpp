/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: where its arrays lie, and what is done to their words. */
#include <algorithm>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

void reset_shared(block_state &block) {
    constexpr uint32_t old = UINT32_MAX / 2; /* long before they wrap around, clocks start anew */
    if (block.syncs > old || block.epoch > old) {
        block.syncs = block.epoch = 0;
        memset(block.warps, 0, sizeof block.warps);
    }
    if (block.epoch == 0) {
        for (warp_state &warp : block.warps) {
            for (int lane = 0; lane < warp_lanes; lane++) warp.clock[lane][lane] = 1;
        }
    }
    block.epoch++;
    block.learned = false;
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
    extent place = {block.words_used, static_cast<uint32_t>(count) * words, key == nullptr};
    uint32_t used = (place.first + place.words + unit - 1) / unit * unit;
    if (used > most_words) fault(at, "'%s' does not fit in the emulator's shared memory", name);
    for (uint32_t i = 0; i < place.words; i++) {
        set_state(block.history[place.first + i], all_bytes, word_unwritten);
    }
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

extent part_of_array(extent array, int64_t first, int64_t words) {
    int64_t left = array.words - first;
    if (first < 0 || left < 0) return {};
    return {array.first + static_cast<uint32_t>(first),
            static_cast<uint32_t>(words < left ? words : left), false};
}

/* `*p` has no place to say where it was written: that is where the call comes from. */
static where known(site from, const void *code) {
    return from.line() > 0 ? where(from) : where(code);
}

void fault_of_cut(touch how, site at) {
    fault(known(at, __builtin_return_address(0)),
          "%s memory asked for at launch that was cut by hand: take gpu::part_of it", verb_of(how));
}

/* The declaration that the place is in. */
static const shared_array *array_at(const block_state &block, extent place) {
    int i = 0;
    while (place.first - block.arrays[i].words.first >= block.arrays[i].words.words) i++;
    return &block.arrays[i];
}

bool shared_has_number(extent array, int64_t at, uint32_t words) {
    const word_history *word = device.block->history + array.first + at;
    if (at < 0 || at + words > array.words) return true;
    return std::none_of(word, word + words,
                        [](const word_history &one) { return one.write.moment == word_unwritten; });
}

uint32_t *touch_shared(touch how, extent place, int64_t at, uint32_t words, uint32_t alignment,
                       site written) {
    const where from = known(written, __builtin_return_address(0));
    block_state &block = *device.block;
    const char *verb = verb_of(how);
    long long element = at / words;
    if (place.words == 0) fault(from, "%s shared memory of size 0", verb);
    const shared_array *array = array_at(block, place);
    if (at < 0 || at + words > place.words) {
        fault(from, "%s %s[%lld], outside of its %u elements", verb, array->name, element,
              place.words / words);
    }
    if ((place.first + at) % alignment != 0) {
        int64_t in_array = place.first + at - array->words.first;
        fault(from, "%s %s at %lld bytes, which is not aligned", verb, array->name,
              static_cast<long long>(in_array) * 4);
    }
    uint32_t first = place.first + static_cast<uint32_t>(at);
    attempt now = {how, from, launch_moment(), array->name, element, nullptr};
    for (uint32_t i = 0; i < words; i++) touch_word(block.history[first + i], now);
    return block.words + first;
}

}  // namespace tulle_emu::emulator
