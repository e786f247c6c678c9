/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/arena.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "emulator/machine.h"

#if defined(TULLE__ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
static void close_to_host(const void *p, size_t bytes) {
    __asan_poison_memory_region(p, bytes);
}
static void open_to_host(const void *p, size_t bytes) {
    __asan_unpoison_memory_region(p, bytes);
}
#else
static void close_to_host(const void *, size_t) {}
static void open_to_host(const void *, size_t) {}
#endif

namespace tulle_emu::emulator {

stretch arena;

static constexpr size_t unit = 256;      /* arrays begin at multiples of it, as on a GPU */
static constexpr size_t page = 64 << 10; /* arrays without histories take whole ones */
static constexpr size_t most_arena = size_t{1} << 37, least_arena = size_t{1} << 32;
static constexpr size_t most_kept_back = 64
                                         << 20; /* freed, not to be used again yet: see cost_of */

static word_history *histories;
static std::vector<bool> unwatched_pages;
static size_t used;
static std::map<const char *, array_info> arrays; /* the freed ones until they are used again */
static std::deque<char *> kept_back;
static size_t kept_back_bytes;
static std::map<size_t, std::vector<char *>> unused; /* by the room that they take */

/* A leak checker sees what each array has from malloc, and does not see that it is remembered. */
static std::map<const char *, uintptr_t> witnesses;

static void *reserve(size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

static bool open_arena() {
    if (arena.first) return true;
    for (size_t bytes = most_arena; bytes >= least_arena; bytes /= 2) {
        size_t words = bytes / sizeof(uint32_t);
        char *memory = static_cast<char *>(reserve(bytes));
        void *beside = memory ? reserve(words * sizeof(word_history)) : nullptr;
        if (beside) {
            histories = static_cast<word_history *>(beside);
            unwatched_pages.assign(bytes / page, false);
            used = page;
            arena.first = memory;
            arena.bytes = bytes;
            return true;
        }
        if (memory) munmap(memory, bytes);
    }
    return false;
}

word_history &arena_word(const void *address) {
    return histories[(static_cast<const char *>(address) - arena.first) / sizeof(uint32_t)];
}

bool arena_unwatched(const void *address) {
    return unwatched_pages[static_cast<size_t>(static_cast<const char *>(address) - arena.first) /
                           page];
}

/* Room for an array and the closed words behind it. */
static size_t room_of(size_t bytes, bool watched) {
    size_t step = watched ? unit : page;
    return (bytes + step - 1) / step * step + step;
}

static char *find_room(size_t room, bool watched) {
    std::vector<char *> &same = unused[room];
    if (!same.empty()) {
        char *first = same.back();
        same.pop_back();
        return first;
    }
    if (!watched) used = (used + page - 1) / page * page;
    if (room > arena.bytes - used) return nullptr;
    char *first = const_cast<char *>(arena.first) + used;
    used += room;
    return first;
}

static void mark_pages(const char *first, size_t bytes, bool unwatched) {
    size_t from = static_cast<size_t>(first - arena.first) / page;
    for (size_t i = 0; i * page < bytes; i++) unwatched_pages[from + i] = unwatched;
}

static void set_words(const char *from, size_t bytes, word_state state) {
    const char *end = from + bytes;
    while (from < end) {
        size_t at = static_cast<size_t>(from - arena.first) % sizeof(uint32_t);
        size_t count = std::min<size_t>(sizeof(uint32_t) - at, static_cast<size_t>(end - from));
        set_state(arena_word(from), ((1u << count) - 1) << at, state);
        from += count;
    }
}

void *arena_take(size_t bytes) {
    bool watched = bytes <= most_watched;
    size_t room = room_of(bytes, watched);
    char *first = open_arena() ? find_room(room, watched) : nullptr;
    if (!first) return nullptr;
    arrays[first] = {first, bytes, watched, false};
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): kept as its complement */
    witnesses[first] = ~reinterpret_cast<uintptr_t>(malloc(1));
    open_to_host(first, bytes);
    close_to_host(first + bytes, room - bytes);
    if (watched) {
        set_words(first, bytes, word_unwritten);
    } else {
        mark_pages(first, room, true);
    }
    return first;
}

/* What it costs to keep freed room back: a large array's is without memory, and costs addresses. */
static size_t cost_of(size_t room) {
    constexpr size_t cheaper = 128;
    return room < page ? room : room / cheaper;
}

/* All whole pages of it are zero, and take no memory, until they are used again. */
static void drop_memory(void *first, size_t bytes) {
    constexpr uintptr_t system_page = 4096;
    uintptr_t from = reinterpret_cast<uintptr_t>(first), to = (from + bytes) & ~(system_page - 1);
    from = (from + system_page - 1) & ~(system_page - 1);
    if (from < to) madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
}

/* Histories that are gone are those of words that no array has. */
static void drop(char *first, size_t bytes, bool watched) {
    drop_memory(first, bytes);
    if (watched) drop_memory(&arena_word(first), bytes / sizeof(uint32_t) * sizeof(word_history));
}

/* Room that was kept back long enough may be used again. */
static void let_go() {
    while (kept_back_bytes > most_kept_back) {
        char *first = kept_back.front();
        kept_back.pop_front();
        const array_info &old = arrays[first];
        size_t room = room_of(old.bytes, old.watched);
        kept_back_bytes -= cost_of(room);
        unused[room].push_back(first);
        arrays.erase(first);
    }
}

bool arena_give(void *pointer) {
    char *first = static_cast<char *>(pointer);
    auto at = arrays.find(first);
    if (at == arrays.end() || at->second.freed) return false;
    array_info &info = at->second;
    info.freed = true;
    free(reinterpret_cast<void *>(~witnesses[first]));
    witnesses.erase(first);
    close_to_host(first, info.bytes);
    size_t room = room_of(info.bytes, info.watched);
    if (info.watched) {
        set_words(first, info.bytes, word_freed);
    } else {
        mark_pages(first, room, false);
    }
    if (room >= page) drop(first, info.bytes, info.watched);
    kept_back.push_back(first);
    kept_back_bytes += cost_of(room);
    let_go();
    return true;
}

const array_info *arena_find(const void *address) {
    const char *p = static_cast<const char *>(address);
    auto after = arrays.upper_bound(p);
    const array_info *next = after == arrays.end() ? nullptr : &after->second;
    const array_info *before = after == arrays.begin() ? nullptr : &std::prev(after)->second;
    if (!before || (next && p >= before->first + before->bytes &&
                    next->first - p < p - (before->first + before->bytes))) {
        return next;
    }
    return before;
}

void arena_set(const void *from, size_t bytes, word_state state) {
    if (bytes == 0 || !arena.has(from) || arena_unwatched(from)) return;
    set_words(static_cast<const char *>(from), bytes, state);
}

void arena_copy_unwritten(void *to, const void *from, size_t bytes) {
    if (bytes == 0 || !arena.has(to)) return;
    if (!arena.has(from) || arena_unwatched(from) || arena_unwatched(to)) return;
    const char *out_of = static_cast<const char *>(from), *into = static_cast<const char *>(to);
    const char *end = out_of + bytes;
    while (out_of < end) {
        size_t byte = reinterpret_cast<uintptr_t>(out_of) % sizeof(uint32_t);
        const word_history &word = arena_word(out_of);
        bool whole = byte == 0 && end - out_of >= 4 && word.write.moment != word_bytes;
        size_t count = whole ? sizeof(uint32_t) : 1;
        if (state_of(word, byte) == word_unwritten) set_words(into, count, word_unwritten);
        out_of += count;
        into += count;
    }
}

static bool is_misused(const char *p, bool is_read) {
    uint32_t state = state_of(arena_word(p), reinterpret_cast<uintptr_t>(p) % sizeof(uint32_t));
    return state < word_unwritten || (is_read && state == word_unwritten);
}

const char *arena_misused(const void *from, size_t bytes, bool is_read) {
    const char *p = static_cast<const char *>(from), *end = p + bytes;
    if (bytes == 0 || !arena.has(from)) return nullptr;
    if (arena_unwatched(p)) {
        const array_info *array = arena_find(p);
        bool inside = array && p >= array->first && end <= array->first + array->bytes;
        return inside && !array->freed ? nullptr : p;
    }
    while (p < end && !is_misused(p, is_read)) {
        bool whole = arena_word(p).write.moment != word_bytes;
        size_t in_word = reinterpret_cast<uintptr_t>(p) % sizeof(uint32_t);
        p += whole ? sizeof(uint32_t) - in_word : 1;
    }
    return p < end ? p : nullptr;
}

void arena_forget() {
    for (auto &[first, info] : arrays) {
        for (size_t at = 0; info.watched && at < info.bytes; at += sizeof(uint32_t)) {
            forget_accesses(arena_word(first + at));
        }
    }
}

}  // namespace tulle_emu::emulator
