/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that atomic writes have overwritten. A relaxed or acquiring load of another thread may
 * still see one, unless something orders the write before it, or before it comes a load or an
 * update that has met the write (coherence: CUDA PTX ISA, memory consistency model). So may an
 * update, where a store wrote the newest number: it comes before the store then, and what it makes
 * of the older number is overwritten. Each thread may look at the older number once, and as long as
 * it does nothing but look. It does where it might take the newest for granted, if relaxed flags
 * ordered data: where it has met something else that the writer's block has written, or that
 * somebody wrote who had met such a thing. Elsewhere, as at a flag that is looked at once, the
 * orders differ, and so does every second look of a line. So a kernel that takes a relaxed flag
 * for a sign of other relaxed data computes with old numbers, and one that waits for the data
 * themselves looks twice. */
#include <algorithm>
#include <vector>

#include "emulator/arena.h"
#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* Of so many threads it is known that they see the newest number; when there are more, all do. */
static constexpr uint32_t most_informed = 12;

/* So many words are remembered; of others all see the newest. */
static constexpr size_t most_words_overwritten = 1 << 20;

/* Of each word of a number, which may be read in another width than it was written. */
struct overwritten {
    uint32_t number;   /* before the last write that changed it */
    uint32_t writer;   /* the moment of that write */
    uint32_t first;    /* of the first one, where nobody had written it before; 0: somebody had */
    where at;          /* the first, or the last */
    bool only_updates; /* since it was written plainly */
    touch how;         /* it was written */
    uint8_t bytes;
    uint8_t informed_count;
    uint32_t informed[most_informed]; /* moments */
    uint64_t met;                     /* by whoever wrote it, with the writer's own block */
    news told;                        /* by whoever wrote what it overwrote */
};
static std::vector<overwritten> words;
static uint32_t first_word = first_overwritten; /* goes on from launch to launch */

/* Whether the next look of a line sees the older number. */
static constexpr size_t most_lines = 1 << 10;
static bool sees_newest_next[most_lines];

void forget_overwritten() {
    first_word += static_cast<uint32_t>(words.size());
    words.clear();
}

void forget_looks() {
    std::fill_n(sees_newest_next, most_lines, device.order == direction::backward);
}

/* A set of blocks, as far as 64 bits tell them apart. */
static uint64_t set_of(uint32_t block) {
    return uint64_t{1} << (block * 0x9e3779b1u >> 26); /* Fibonacci hashing (Knuth) */
}

static void meet_blocks(uint64_t met) {
    thread_state &thread = *device.thread;
    if ((met & ~thread.met) == 0) return;
    thread.met |= met;
    device.block->learned = true;
}

static overwritten *find(const word_history &word) {
    return word.overwritten < first_word ? nullptr : &words[word.overwritten - first_word];
}

/* The words at an address; NULL: nothing is known of them. */
static word_history *watched(const void *address, size_t bytes) {
    if (!in_kernel || !arena.has(address) || arena_unwatched(address)) return nullptr;
    word_history *word = &arena_word(address);
    for (size_t i = 0; i < bytes / sizeof(uint32_t); i++) {
        if (word[i].write.moment == word_bytes) return nullptr;
    }
    return word;
}

static void inform(overwritten &word, uint32_t moment) {
    if (word.informed_count < most_informed) word.informed[word.informed_count++] = moment;
}

/* NULL: too many. */
static overwritten *entry_of(word_history &word) {
    overwritten *known = find(word);
    if (known) return known;
    if (words.size() == most_words_overwritten) return nullptr;
    word.overwritten = first_word + static_cast<uint32_t>(words.size());
    return &words.emplace_back();
}

static void overwrite(word_history &word, const void *old, size_t bytes, touch how,
                      const news &told) {
    const bool unwritten = word.overwritten == newly_written, known = find(word) != nullptr;
    overwritten *entry = entry_of(word);
    if (!entry) return;
    if (how == touch::update) meet_blocks(entry->met);
    const uint32_t me = moment_now(), first = unwritten ? me : entry->first;
    const uint64_t met = device.thread->met | set_of(device.thread->block);
    const where at = first == 0 || first == me ? word.other.at : entry->at;
    const bool only_updates = how == touch::update && (!known || entry->only_updates);
    *entry = {0, me, first, at, only_updates, how, static_cast<uint8_t>(bytes), 0, {}, met, told};
    raw_write(&entry->number, old, sizeof entry->number);
}

/* Numbers that stay the same tell whoever writes them. */
static void overwrite_same(const word_history &word) {
    overwritten *known = find(word);
    if (!known) return;
    inform(*known, moment_now());
    meet_blocks(known->met);
}

void overwrites(const void *address, const void *old, const void *number, size_t bytes, touch how) {
    word_history *word = watched(address, bytes);
    bool &same = device.thread->wrote_same;
    same = word && memcmp(old, number, bytes) == 0;
    if (!word) return;
    const size_t count = bytes / sizeof(uint32_t);
    for (size_t i = 0; i < count; i++) same = same && word[i].overwritten != newly_written;
    const news told = found_at(address);
    for (size_t i = 0; i < count; i++) {
        if (same) {
            overwrite_same(word[i]);
        } else {
            overwrite(word[i], static_cast<const uint32_t *>(old) + i, bytes, how, told);
        }
    }
}

static bool is_informed(const overwritten &word) {
    const thread_state &thread = *device.thread;
    return is_before(word.writer, thread) ||
           std::any_of(word.informed, word.informed + word.informed_count,
                       [&](uint32_t moment) { return is_before(moment, thread); });
}

/* again: it does nothing but look, and saw an older number when it did before. */
static bool knows_newest(const overwritten &word, bool again) {
    if (again) return is_before(word.writer, *device.thread);
    return word.informed_count == most_informed || is_informed(word);
}

/* What is observed comes before what follows (causality order). */
bool has_met_updates(const void *address) {
    word_history *word = watched(address, sizeof(uint32_t));
    const overwritten *known = word ? find(*word) : nullptr;
    return known && known->only_updates && is_informed(*known);
}

[[noreturn]] static void fault_of_first(const void *address, const overwritten &word,
                                        const site &at) {
    char text[200];
    describe(address, text, sizeof text);
    const moment &writer = moment_of(word.first);
    source_line line = line_of(word.at);
    fault(at,
          "reads %s, which thread %u of block %u was the first to write, at %s:%u, and nothing "
          "orders the two",
          text, writer.thread, writer.block, line.file, line.line);
}

bool has_number(const void *address, size_t bytes) {
    const word_history *word = watched(address, bytes);
    for (size_t i = 0; word && i < bytes / sizeof(uint32_t); i++) {
        const overwritten *known = find(word[i]);
        if (word[i].write.moment == word_unwritten) return false;
        if (known && known->first != 0 && !is_before(known->first, *device.thread) &&
            !knows_newest(*known, false)) {
            return false;
        }
    }
    return true;
}

void fault_of_exchange(site at) {
    fault(at, "takes what an exchange has found in memory which nobody has written before");
}

/* Either number may be seen. */
static bool draw_older(const overwritten &word, const site &at) {
    const thread_state &thread = *device.thread;
    if (thread.met & set_of(moment_of(word.writer).block)) return true;
    if (device.order == direction::random) return random_below(2) == 0;
    bool &newest = sees_newest_next[static_cast<uint32_t>(where(at).offset) % most_lines];
    newest = !newest;
    return newest;
}

/* Of a number of two words that were written at once either both are old or none. */
static bool may_come_before(const overwritten *const *known, size_t bytes) {
    const overwritten *first = known[0], *last = known[bytes / sizeof(uint32_t) - 1];
    return first && last && first->how == touch::atomic_write && last->writer == first->writer &&
           first->bytes == bytes && last->bytes == bytes;
}

bool sees_overwritten(const void *address, void *number, size_t bytes, touch how, const site &at) {
    word_history *word = watched(address, bytes);
    if (!word) return false;
    const size_t count = bytes / sizeof(uint32_t);
    if (!find(word[0]) && !find(word[count - 1])) return false;
    thread_state &thread = *device.thread;
    const bool again = thread.looked_at == address && thread.saw_older;
    constexpr size_t most = sizeof(uint64_t) / sizeof(uint32_t);
    overwritten *known[most], *first = nullptr;
    bool old[most] = {};
    for (size_t i = 0; i < count; i++) {
        known[i] = find(word[i]);
        old[i] = known[i] && !knows_newest(*known[i], again);
        const uint32_t written = old[i] ? known[i]->first : 0;
        if (written != 0 && !is_before(written, thread)) fault_of_first(address, *known[i], at);
        if (old[i] && !first) first = known[i];
    }
    bool older = first && (how != touch::update || may_come_before(known, bytes)) &&
                 (again || draw_older(*first, at));
    thread.saw_older = older;
    for (size_t i = 0; i < count; i++) {
        if (old[i] && !again) inform(*known[i], moment_now());
        if (older && old[i]) {
            raw_write(static_cast<uint32_t *>(number) + i, &known[i]->number, sizeof(uint32_t));
        } else if (known[i] && how != touch::update) {
            meet_blocks(known[i]->met);
        }
    }
    if (older) heard_older(address, first->told, first->writer);
    return older;
}

}  // namespace tulle_emu::emulator
