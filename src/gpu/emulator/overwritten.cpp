/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that atomic writes have overwritten. A relaxed or acquiring load of another thread may
 * still see one, unless something orders the write before it, or before it comes a load or an
 * update that has met the write (coherence: CUDA PTX ISA, memory consistency model). Each thread
 * that may see it does so once; updates always meet the newest. So a kernel that takes a relaxed
 * flag for a sign of other relaxed data computes with old numbers, and one that waits for the data
 * themselves looks twice. */
#include <algorithm>
#include <vector>

#include "gpu/emulator/arena.h"
#include "gpu/emulator/machine.h"

namespace tulle_emu::emulator {

/* Of so many threads it is known that they see the newest number; when there are more, all do. */
static constexpr uint32_t most_informed = 12;

/* So many words are remembered; of others all see the newest. */
static constexpr size_t most_words_overwritten = 1 << 20;

struct overwritten {
    uint64_t number; /* before the last write that changed it */
    news told;       /* by whoever wrote that */
    uint32_t writer; /* the moment of the last write */
    where at;
    bool unwritten; /* nobody had written it before */
    uint8_t bytes;
    uint16_t informed_count;
    uint32_t informed[most_informed]; /* moments */
};
static std::vector<overwritten> words;
static uint32_t first_word = first_overwritten; /* goes on from launch to launch */

void forget_overwritten() {
    first_word += static_cast<uint32_t>(words.size());
    words.clear();
}

static overwritten *find(const word_history &word) {
    return word.overwritten < first_word ? nullptr : &words[word.overwritten - first_word];
}

static bool is_watched(const void *address) {
    return in_kernel && hooked && arena.has(address) && !arena_unwatched(address) &&
           arena_word(address).write.moment != word_bytes;
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

void overwrites(const void *address, const void *old, const void *number, size_t bytes) {
    if (!is_watched(address)) return;
    word_history &word = arena_word(address);
    bool unwritten = word.overwritten == newly_written;
    uint32_t me = moment_now();
    if (!unwritten && memcmp(old, number, bytes) == 0) {
        if (overwritten *known = find(word)) inform(*known, me);
        return;
    }
    overwritten *entry = entry_of(word);
    if (!entry) return;
    *entry = {0, found_at(address), me, {}, unwritten, static_cast<uint8_t>(bytes), 0, {}};
    entry->at = word.other.at;
    raw_write(&entry->number, old, bytes);
}

static bool knows_newest(const overwritten &word) {
    const thread_state &thread = *device.thread;
    if (is_before(word.writer, thread) || word.informed_count == most_informed) return true;
    return std::any_of(word.informed, word.informed + word.informed_count,
                       [&](uint32_t moment) { return is_before(moment, thread); });
}

bool sees_overwritten(const void *address, void *number, size_t bytes, const site &at) {
    if (!is_watched(address)) return false;
    overwritten *word = find(arena_word(address));
    if (!word || word->bytes != bytes || knows_newest(*word)) return false;
    if (word->unwritten) {
        char text[200];
        describe(address, text, sizeof text);
        const moment &writer = moment_of(word->writer);
        source_line line = line_of(word->at);
        fault(at,
              "reads %s, which thread %u of block %u was the first to write, at %s:%u, and nothing "
              "orders the two",
              text, writer.thread, writer.block, line.file, line.line);
    }
    inform(*word, moment_now());
    raw_write(number, &word->number, bytes);
    heard_news(word->told);
    return true;
}

}  // namespace tulle_emu::emulator
