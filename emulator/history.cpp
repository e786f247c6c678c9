/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/history.h"

#include <stdio.h>

#include <array>
#include <vector>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* Accesses of one kind by the lanes of a warp, of each its last one: what comes after that comes
 * after those before it. */
struct warp_accesses {
    uint32_t launch, block, warp;
    kept kind;
    where at;
    uint32_t epoch;               /* how many barriers of the block came before the last one */
    uint32_t moments[warp_lanes]; /* 0: none */
};

/* So many warps, or kinds, are remembered for a word: more than a block has. */
static constexpr size_t most_warps = 40;

/* Accesses that may overlap in time. */
struct overlapping {
    size_t last = 0; /* warps[last] came last */
    unsigned turn = 0;
    unsigned kinds = 0; /* bits of the kinds that warps had */
    std::vector<warp_accesses> warps;
};
/* Lists keep their memory from launch to launch, as far as they are not too many. */
static constexpr size_t most_lists_kept = 1 << 16;
static std::vector<overlapping> lists;
static size_t lists_used;
static uint32_t first_list; /* numbers go on from launch to launch: smaller ones are forgotten */

/* An empty list, at the end of those that are used. */
static overlapping &add_list() {
    if (lists_used == lists.size()) lists.emplace_back();
    overlapping &list = lists[lists_used++];
    list.warps.clear();
    list.last = 0;
    list.turn = list.kinds = 0;
    return list;
}

static uint32_t number_of_last_list() {
    return first_list + static_cast<uint32_t>(lists_used) - 1;
}

/* NULL: a list of a launch that counts no more. */
static overlapping *list_of(const access &other) {
    return other.moment < first_list ? nullptr : &lists[other.moment - first_list];
}

/* Histories of single bytes, four at a time, and those that are free again. */
static std::vector<std::array<word_history, 4>> bytes_of_words;
static std::vector<uint32_t> unused_bytes;

const char *verb_of(touch how) {
    static const char *const verbs[] = {
        "reads", "reads as a constant", "writes", "reads", "writes", "updates", "copies to"};
    return verbs[static_cast<int>(how)];
}

static const char *did(kept kind) {
    return kind == kept::atomic_write ? "updated" : "read";
}

static bool reads(touch how) {
    return how != touch::write && how != touch::atomic_write && how != touch::copy;
}
static bool writes(touch how) {
    return how != touch::read && how != touch::read_constant && how != touch::atomic_read;
}
static bool is_plain_write(touch how) {
    return how == touch::write || how == touch::copy;
}

static bool is_atomic(touch how) {
    return how == touch::atomic_read || how == touch::atomic_write || how == touch::update;
}

static kept kind_of(touch how) {
    if (how == touch::atomic_read) return kept::atomic_read;
    return how == touch::update || how == touch::atomic_write ? kept::atomic_write : kept::read;
}

/* Whether a kept access and this one must be in order. */
static bool conflict(touch how, kept past) {
    if (is_plain_write(how)) return true;
    if (how == touch::atomic_read) return false;
    return how == touch::atomic_write || how == touch::update ? past == kept::read
                                                              : past == kept::atomic_write;
}

static const char *memory_of(const attempt &now) {
    return now.array ? "shared" : "global";
}

static const char *name_of(const attempt &now) {
    static char text[200];
    if (now.array) {
        snprintf(text, sizeof text, "%s[%lld]", now.array, static_cast<long long>(now.element));
    } else {
        describe(now.address, text, sizeof text);
    }
    return text;
}

const char *name_of_state(uint32_t state) {
    static const char *const what[] = {"that no array has", "that was freed",
                                       "that is closed to it", "that a copy has yet to write",
                                       "which nobody has written yet"};
    return what[state];
}

[[noreturn]] static void fault_of_state(const attempt &now, uint32_t state) {
    if (state == word_unwritten) {
        fault(now.at, "%s %s, %s", verb_of(now.how), name_of(now), name_of_state(state));
    }
    fault(now.at, "%s %s memory %s: %s", verb_of(now.how), memory_of(now), name_of_state(state),
          name_of(now));
}

/* The past access is another stream's. */
[[noreturn]] static void fault_beside(const attempt &now, const access &past, const char *verb) {
    const moment &other = moment_of(past.moment);
    const launch_note &note = note_of(other.launch);
    char who[800];
    if (note.host_work.empty()) {
        source_line line = line_of(past.at);
        snprintf(who, sizeof who, "thread %u of block %u of %s, launched at %s:%u, %s at %s:%u",
                 other.thread, other.block, line.function, file_of(note.at),
                 static_cast<unsigned>(note.at.line()), verb, line.file, line.line);
    } else {
        snprintf(who, sizeof who, "%s %s", note.host_work.c_str(), verb);
    }
    fault(now.at,
          "a race in %s memory: it %s %s, which %s; that runs beside it, and no "
          "gpu::side_by_side::join orders the two",
          memory_of(now), verb_of(now.how), name_of(now), who);
}

[[noreturn]] static void fault_of_race(const attempt &now, const access &past, const char *verb) {
    const moment &other = moment_of(past.moment);
    source_line line = line_of(past.at);
    if (other.launch != launch_now().launch &&
        !launch_is_complete({other.launch, other.stream}, true)) {
        fault_beside(now, past, verb);
    }
    if (past.moment < launch_moment()) {
        fault(
            now.at,
            "a race in %s memory: before gpu::await_previous it %s %s, which the launch before %s "
            "(block %u thread %u, %s:%u)",
            memory_of(now), verb_of(now.how), name_of(now), verb, other.block, other.thread,
            line.file, line.line);
    }
    char block[32] = "";
    if (other.block != device.thread->block) {
        snprintf(block, sizeof block, " of block %u", other.block);
    }
    fault(now.at,
          "a race in %s memory: it %s %s, which thread %u%s %s at %s:%u, and nothing orders "
          "the two",
          memory_of(now), verb_of(now.how), name_of(now), other.thread, block, verb, line.file,
          line.line);
}

/* A load of constants may run before await_previous, which does not hold it. */
static bool is_loaded_early(const attempt &now, const access &past) {
    if (now.how != touch::read_constant || !device.shape->early || past.moment >= launch_moment()) {
        return false;
    }
    const moment &other = moment_of(past.moment);
    return !launch_is_complete({other.launch, other.stream}, false);
}

[[noreturn]] static void fault_of_constant(const attempt &now, const access &past) {
    source_line line = line_of(past.at);
    fault(
        now.at,
        "gpu::load may run before gpu::await_previous: %s, which the launch before wrote (%s:%u), "
        "is for gpu::load_awaited",
        name_of(now), line.file, line.line);
}

static void check(const attempt &now, const access &past, const char *verb) {
    if (past.moment < now.oldest) return;
    if (is_loaded_early(now, past)) fault_of_constant(now, past);
    if (is_before(past.moment, *device.thread)) return;
    bool updated = static_cast<kept>(past.kind) == kept::atomic_write && !is_atomic(now.how) &&
                   past.moment >= launch_moment();
    if (updated && !now.array && has_met_updates(now.address)) return;
    fault_of_race(now, past, verb);
}

/* What another launch wrote is there for sure only once it has been waited for, also where all is
 * atomic; sides that are not joined may count together, and no more. */
static bool conflicts_across_launches(touch how, kept past) {
    if (!device.overlaps) return false;
    if (past == kept::atomic_write) return !device.thread->awaited || how == touch::atomic_read;
    return past == kept::atomic_read && writes(how);
}

static void check_kept(const attempt &now, const access &past) {
    kept kind = static_cast<kept>(past.kind);
    if (conflict(now.how, kind) ||
        (conflicts_across_launches(now.how, kind) && past.moment < launch_moment())) {
        check(now, past, did(kind));
    }
}

static unsigned bit_of(kept kind) {
    return 1u << static_cast<unsigned>(kind);
}

/* Kinds of accesses that this one is to be compared with. */
static unsigned concern(touch how) {
    unsigned kinds = 0;
    for (kept kind : {kept::read, kept::atomic_read, kept::atomic_write}) {
        if (conflict(how, kind) || conflicts_across_launches(how, kind)) kinds |= bit_of(kind);
    }
    return kinds;
}

/* Whether a barrier of the block stands between all of them and now, so that none is to be looked
 * at by itself: what a block writes anew was read by all its lanes. */
static bool ended_at_barrier(const warp_accesses &warp) {
    return warp.launch == launch_now().launch && warp.block == device.thread->block &&
           warp.epoch < device.block->epoch;
}

static void check_others(const attempt &now, const access &other) {
    if (static_cast<kept>(other.kind) != kept::many) return check_kept(now, other);
    const overlapping *list = list_of(other);
    if (!list || !(list->kinds & concern(now.how))) return;
    for (const warp_accesses &warp : list->warps) {
        bool all = conflict(now.how, warp.kind);
        if (!all && !conflicts_across_launches(now.how, warp.kind)) continue;
        if (ended_at_barrier(warp)) continue;
        for (uint32_t past : warp.moments) {
            if (past == 0 || (!all && past >= launch_moment())) continue;
            check(now, {past, static_cast<uint32_t>(warp.kind), warp.at}, did(warp.kind));
        }
    }
}

/* When the launch wrote the word last, plainly or by an atomic; 0: it has not, as far as is kept.
 */
static access last_written(const word_history &word) {
    const uint32_t since = launch_moment();
    const kept kind = static_cast<kept>(word.other.kind);
    if (word.write.moment >= since) return word.write;
    if (kind == kept::atomic_write && word.other.moment >= since) return word.other;
    const overlapping *list = kind == kept::many ? list_of(word.other) : nullptr;
    if (!list || !(list->kinds & bit_of(kept::atomic_write))) return {};
    for (const warp_accesses &warp : list->warps) {
        if (warp.kind != kept::atomic_write) continue;
        for (uint32_t past : warp.moments) {
            if (past >= since) return {past, static_cast<uint32_t>(warp.kind), warp.at};
        }
    }
    return {};
}

static void check_constant(const word_history &word, const attempt &now) {
    const uint32_t since = launch_moment();
    const access last = now.how == touch::read_constant ? last_written(word) : access{};
    if (last.moment >= since) {
        const moment &writer = moment_of(last.moment);
        source_line line = line_of(last.at);
        fault(
            now.at,
            "reads through gpu::load, for what no thread of the kernel writes, %s, which thread %u "
            "of block %u wrote at %s:%u",
            name_of(now), writer.thread, writer.block, line.file, line.line);
    }
    if (writes(now.how) && word.constant >= since) {
        const moment &reader = moment_of(word.constant);
        fault(
            now.at,
            "%s %s, which thread %u of block %u has read through gpu::load, for what no thread of "
            "the kernel writes",
            verb_of(now.how), name_of(now), reader.thread, reader.block);
    }
}

/* Whether a kept access tells nothing that the new one does not. */
static bool subsumed(const access &past, const access &now, uint32_t oldest_kept) {
    if (past.moment < oldest_kept) return true;
    return past.kind == now.kind && is_before(past.moment, *device.thread);
}

static bool is_of(const warp_accesses &warp, const moment &m, kept kind) {
    return warp.launch == m.launch && warp.block == m.block &&
           warp.warp == static_cast<uint32_t>(m.thread / warp_lanes) && warp.kind == kind;
}

/* The place of the warp of a moment; where there is no room, a new one takes that of each in
 * turn. Warps come in the same order again and again, most often. */
static warp_accesses &warp_in(overlapping &list, const moment &m, kept kind) {
    size_t count = list.warps.size();
    for (size_t looks = 0, i = list.last; looks < count; looks++, i = i + 1 < count ? i + 1 : 0) {
        if (!is_of(list.warps[i], m, kind)) continue;
        list.last = i;
        return list.warps[i];
    }
    list.last = count < most_warps ? count : list.turn++ % most_warps;
    if (count < most_warps) list.warps.emplace_back();
    list.kinds |= bit_of(kind);
    warp_accesses &made = list.warps[list.last];
    made = {m.launch, m.block, static_cast<uint32_t>(m.thread / warp_lanes), kind, {}, 0, {}};
    return made;
}

static void keep_in(overlapping &list, const access &mine) {
    const moment &m = moment_of(mine.moment);
    warp_accesses &warp = warp_in(list, m, static_cast<kept>(mine.kind));
    warp.moments[m.thread % warp_lanes] = mine.moment;
    if (m.epoch > warp.epoch) warp.epoch = m.epoch;
    warp.at = mine.at;
}

static void keep_other(access &other, const access &mine, uint32_t oldest_kept) {
    bool many = static_cast<kept>(other.kind) == kept::many;
    overlapping *known = many ? list_of(other) : nullptr;
    if (known) return keep_in(*known, mine);
    if (many || subsumed(other, mine, oldest_kept)) {
        other = mine;
        return;
    }
    overlapping &list = add_list();
    keep_in(list, other);
    keep_in(list, mine);
    other.moment = number_of_last_list();
    other.kind = static_cast<uint32_t>(kept::many);
}

static void keep(word_history &word, const attempt &now, uint32_t me) {
    access mine = {me, static_cast<uint32_t>(kind_of(now.how)), now.at};
    if (now.how == touch::copy) mine.moment = word_copying;
    if (is_plain_write(now.how)) {
        word.write = mine;
        word.other = {};
        word.overwritten = 0;
        return;
    }
    if (now.how == touch::atomic_write && word.write.moment == word_unwritten) {
        word.write.moment = word_written;
        word.overwritten = newly_written;
    }
    if (now.how == touch::read_constant) word.constant = me;
    keep_other(word.other, mine, now.oldest);
}

static void moves_on() {
    device.thread->polls = 0;
    device.thread->looked_at = nullptr;
    device.moves++;
}

/* The last access of this kind that the running thread made to the word, of those in its history;
 * 0: none. Where many are forgotten, its own counts as one of them. */
static uint32_t last_of_own(const word_history &word, kept kind, uint32_t me) {
    const moment &now = moment_of(me);
    const overlapping *list = nullptr;
    if (static_cast<kept>(word.other.kind) == kept::many) {
        list = list_of(word.other);
    } else if (static_cast<kept>(word.other.kind) == kind && word.other.moment >= launch_moment()) {
        const moment &past = moment_of(word.other.moment);
        if (past.block == now.block && past.thread == now.thread) return word.other.moment;
    }
    if (!list) return 0;
    uint32_t last = list->warps.size() == most_warps ? me : 0;
    for (const warp_accesses &warp : list->warps) {
        uint32_t own = warp.moments[now.thread % warp_lanes];
        if (is_of(warp, now, kind) && own != 0) last = own;
    }
    return last;
}

/* A loop that waits may count its turns, and read and write what it has before; all else is new,
 * and looked at where many turns are past. */
static void notice_new(const word_history &word, touch how, uint32_t me) {
    if (device.in_vain <= many_in_vain) return;
    uint32_t last = last_of_own(word, kind_of(how), me);
    bool old = is_atomic(how) ? last != 0 : last == me || word.write.moment == me;
    if (!old) something_is_new();
}

void touch_word(word_history &word, const attempt &now) {
    uint32_t state = word.write.moment, me = moment_now();
    bool again = word.other.moment == me && static_cast<kept>(word.other.kind) == kept::read;
    if (now.how == touch::read && again && state >= word_written) return poll(now.at);
    bool own = state == me; /* what a thread wrote last, it may read and write on and on */
    if (!is_atomic(now.how) && !own) moves_on();
    notice_new(word, now.how, me);
    if (state < word_unwritten) fault_of_state(now, state);
    if (state == word_unwritten && reads(now.how)) fault_of_state(now, state);
    check(now, word.write, "wrote");
    check_others(now, word.other);
    check_constant(word, now);
    keep(word, now, me);
}

static void split(word_history &word) {
    if (word.write.moment == word_bytes) return;
    uint32_t place = static_cast<uint32_t>(bytes_of_words.size());
    if (unused_bytes.empty()) {
        bytes_of_words.emplace_back();
    } else {
        place = unused_bytes.back();
        unused_bytes.pop_back();
    }
    /* a list belongs to one history: here it is dear, and rare */
    for (word_history &byte : bytes_of_words[place]) {
        byte = word;
        if (static_cast<kept>(word.other.kind) != kept::many) continue;
        if (!list_of(word.other)) continue;
        overlapping &own = add_list();
        own = *list_of(word.other); /* which a new list may have moved */
        byte.other.moment = number_of_last_list();
    }
    word = {};
    word.write.moment = word_bytes;
    word.constant = place;
}

void touch_bytes(word_history &word, unsigned bytes, const attempt &now) {
    if (word.write.moment != word_bytes) {
        if (bytes == all_bytes) return touch_word(word, now);
        split(word);
    }
    for (int i = 0; i < 4; i++) {
        if (bytes >> i & 1) touch_word(bytes_of_words[word.constant][i], now);
    }
}

uint32_t state_of(const word_history &word, size_t byte) {
    bool cut = word.write.moment == word_bytes;
    return cut ? bytes_of_words[word.constant][byte].write.moment : word.write.moment;
}

void set_state(word_history &word, unsigned bytes, word_state state) {
    if (bytes == all_bytes) {
        if (word.write.moment == word_bytes) unused_bytes.push_back(word.constant);
        word = {};
        word.write.moment = state;
        return;
    }
    split(word);
    for (int i = 0; i < 4; i++) {
        if (!(bytes >> i & 1)) continue;
        word_history &byte = bytes_of_words[word.constant][i];
        byte = {};
        byte.write.moment = state;
    }
}

void forget_accesses(word_history &word) {
    if (word.write.moment == word_bytes) {
        for (word_history &byte : bytes_of_words[word.constant]) forget_accesses(byte);
        return;
    }
    if (word.write.moment >= first_moment) word.write.moment = word_written;
    word.other = {};
    word.constant = word.overwritten = 0;
}

void forget_lists() {
    first_list += static_cast<uint32_t>(lists_used);
    lists_used = 0;
    if (lists.size() > most_lists_kept) lists = {};
}

}  // namespace tulle_emu::emulator
