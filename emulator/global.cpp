/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's accesses to what is not shared memory: the device's arrays, each word with a history,
 * and all else, which is the host's and out of a kernel's reach. */
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "emulator/arena.h"
#include "emulator/machine.h"

/* The host's code in the files of kernels has the hooks in place of AddressSanitizer, which is
 * asked where the rest of the host's code is compiled with it: it stops the program. */
#if defined(TULLE__ADDRESS_SANITIZER)
extern "C" void __asan_loadN(const void *p, size_t bytes);
extern "C" void __asan_storeN(const void *p, size_t bytes);
static void host_touches(bool writes, const void *p, size_t bytes) {
    writes ? __asan_storeN(p, bytes) : __asan_loadN(p, bytes);
}
#else
static void host_touches(bool, const void *, size_t) {}
#endif

namespace tulle_emu::emulator {

__thread bool in_kernel __attribute__((tls_model("initial-exec"))) = false;
thread_local std::vector<memory> inputs;

/* "argument 2[17]", or where in an array it is. */
void describe(const void *address, char *text, size_t room) {
    const char *p = static_cast<const char *>(address);
    const array_info *array = arena_find(address);
    if (!array) {
        snprintf(text, room, "%p", address);
        return;
    }
    const argument *nearest = nullptr;
    for (int i = 0; i < device.argument_count; i++) {
        const argument &a = device.arguments[i];
        const char *at = static_cast<const char *>(a.pointer);
        bool inside =
            a.element > 0 && at >= array->first && at <= array->first + array->bytes && at <= p;
        if (inside && (!nearest || at > nearest->pointer)) nearest = &a;
    }
    if (nearest) {
        snprintf(text, room, "element %lld of argument %d (an array of %zu bytes%s)",
                 static_cast<long long>((p - static_cast<const char *>(nearest->pointer)) /
                                        static_cast<int64_t>(nearest->element)),
                 nearest->place, array->bytes, array->freed ? ", freed" : "");
    } else {
        snprintf(text, room, "byte %lld of an array of %zu bytes%s",
                 static_cast<long long>(p - array->first), array->bytes,
                 array->freed ? ", freed" : "");
    }
}

/* Pages that a kernel may read although they are not the device's memory, as far as known: their
 * numbers, from 1 on. */
static constexpr size_t cached_pages = 512, page_bytes = 4096;
static uintptr_t allowed_page[cached_pages];

struct search {
    uintptr_t address;
    bool found;
};

/* Constants of the program and its libraries stand for constants in the device's code. */
static int find_constant(dl_phdr_info *image, size_t, void *user) {
    search *wanted = static_cast<search *>(user);
    for (int i = 0; i < image->dlpi_phnum; i++) {
        const ElfW(Phdr) &part = image->dlpi_phdr[i];
        bool constant =
            (part.p_type == PT_LOAD && !(part.p_flags & PF_W)) || part.p_type == PT_GNU_RELRO;
        uintptr_t first = image->dlpi_addr + part.p_vaddr;
        if (constant && wanted->address - first < part.p_memsz) wanted->found = true;
    }
    return wanted->found;
}

bool is_constant(const void *p) {
    search wanted = {reinterpret_cast<uintptr_t>(p), false};
    dl_iterate_phdr(find_constant, &wanted);
    return wanted.found;
}

static bool in_slots(uintptr_t address) {
    for (const block_state *slot : device.slots) {
        if (slot && address - reinterpret_cast<uintptr_t>(slot) < sizeof *slot) return true;
    }
    return false;
}

static bool is_variable_of_ours(const void *p) {
    const char *at = static_cast<const char *>(p);
    auto within = [=](const void *what, size_t bytes) {
        return static_cast<size_t>(at - static_cast<const char *>(what)) < bytes;
    };
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the variable, not what it points to */
    return within(&here, sizeof here) || within(&device, sizeof device);
}

bool is_lent(const void *p) {
    for (const memory &m : device.lent) {
        if (m.has(p)) return true;
    }
    return false;
}

void lent_back(const void *first) {
    auto at = std::find_if(device.lent.begin(), device.lent.end(),
                           [=](const memory &m) { return m.first == first; });
    if (at != device.lent.end()) device.lent.erase(at);
}

static void look_at_host(const void *p, bool writes, where from) {
    if (is_variable_of_ours(p) || is_lent(p)) return;
    uintptr_t address = reinterpret_cast<uintptr_t>(p), page = address / page_bytes + 1;
    uintptr_t &known = allowed_page[page % cached_pages];
    if (known == page && !writes) return;
    if (fiber_has(p)) {
        fault(from, "%s the stack of another thread, at %p: its variables are its own",
              writes ? "writes" : "reads", p);
    }
    if (!in_slots(address) && (writes || !is_constant(p))) {
        fault(from, "%s host memory at %p: a kernel reaches the device's memory alone",
              writes ? "writes" : "reads", p);
    }
    known = page;
}

static void check_bounds(const attempt &now, size_t bytes) {
    const char *p = static_cast<const char *>(now.address);
    const array_info *array = arena_find(p);
    if (array && !array->freed && p >= array->first && p + bytes <= array->first + array->bytes) {
        return;
    }
    char text[200];
    describe(p, text, sizeof text);
    fault(now.at, "%s global memory that no array has: %s", verb_of(now.how), text);
}

static bool is_write(touch how) {
    return how == touch::write || how == touch::atomic_write || how == touch::update;
}

/* What only arguments that point to const lead to is not written. */
static void check_constant_argument(const attempt &now) {
    for (int i = 0; i < device.argument_count; i++) {
        argument &a = device.arguments[i];
        const char *p = static_cast<const char *>(now.address);
        auto is_input = [&] { return a.input && p >= a.first && p < a.first + a.bytes; };
        if (!is_input()) continue;
        look_through_structs(&a);
        if (!is_input()) continue;
        char text[200];
        describe(p, text, sizeof text);
        fault(now.at, "writes an input: %s, and argument %d points to const", text, a.place);
    }
    for (const memory &input : inputs) {
        if (!input.has(now.address)) continue;
        char text[200];
        describe(now.address, text, sizeof text);
        fault(now.at, "writes an input of the operation: %s", text);
    }
}

/* Words one after the other, the first and the last perhaps in part. */
template <class Visit>
static void each_word(const char *from, size_t bytes, Visit visit) {
    const char *end = from + bytes;
    while (from < end) {
        size_t at = static_cast<size_t>(from - arena.first) % sizeof(uint32_t);
        size_t count = std::min<size_t>(sizeof(uint32_t) - at, static_cast<size_t>(end - from));
        visit(from, ((1u << count) - 1) << at);
        from += count;
    }
}

static void check_alignment(touch how, const void *p, size_t alignment, where at) {
    if (reinterpret_cast<uintptr_t>(p) % alignment == 0) return;
    char text[200];
    describe(p, text, sizeof text);
    fault(at, "%s global memory at an address that is no multiple of %zu bytes: near %s",
          verb_of(how), alignment, text);
}

/* Of what one of gpu.cuh's names takes in one go, or 16 bytes at a time. */
static size_t alignment_of(size_t bytes) {
    bool is_power = (bytes & (bytes - 1)) == 0;
    if (!is_power) return 1;
    return bytes < 16 ? bytes : 16;
}

static void touch_at(touch how, const void *p, size_t bytes, where at) {
    attempt now = {how, at, oldest_moment(), nullptr, 0, p};
    if (is_write(how)) {
        check_constant_argument(now);
        if (!device.thread->awaited) {
            char text[200];
            describe(p, text, sizeof text);
            fault(at, "writes %s before gpu::await_previous", text);
        }
    }
    if (arena_unwatched(p)) {
        device.moves++;
        something_is_new();
        return check_bounds(now, bytes);
    }
    each_word(static_cast<const char *>(p), bytes, [&](const char *word, unsigned mask) {
        now.address = word;
        touch_bytes(arena_word(word), mask, now);
    });
}

/* What is copied need not be written. */
static unsigned written_bytes(const char *word, unsigned bytes) {
    for (unsigned i = 0; i < sizeof(uint32_t); i++) {
        if (state_of(arena_word(word), i) == word_unwritten) bytes &= ~(1u << i);
    }
    return bytes;
}

void touch_by_host(use how, const void *p, size_t bytes) {
    touch done = how == use::writes ? touch::write : touch::read;
    attempt now = {done, site::current(), oldest_moment(), nullptr, 0, p};
    each_word(static_cast<const char *>(p), bytes, [&](const char *word, unsigned mask) {
        now.address = word;
        if (how == use::moves) mask = written_bytes(word, mask);
        if (mask != 0) touch_bytes(arena_word(word), mask, now);
    });
}

/* Other bits in every order. */
static unsigned char bits_of_nobody() {
    if (device.order == direction::random) return random_below(2) ? 0xff : 0x7f;
    return device.order == direction::forward ? 0xff : 0x7f;
}

static bool is_unwritten(const char *byte) {
    const size_t in_word = static_cast<size_t>(byte - arena.first) % sizeof(uint32_t);
    return state_of(arena_word(byte), in_word) == word_unwritten;
}

/* Memory of which only a part is written, as a struct with padding: the rest may be read, and has
 * other bits in every order. */
static void touch_parts(touch how, char *p, size_t bytes, where at) {
    const unsigned char bits = bits_of_nobody();
    for (size_t done = 0; done < bytes;) {
        const size_t in_word = static_cast<size_t>(p + done - arena.first) % sizeof(uint32_t);
        const bool cut = arena_word(p + done).write.moment == word_bytes;
        const size_t count = cut ? 1 : std::min(sizeof(uint32_t) - in_word, bytes - done);
        if (is_unwritten(p + done)) {
            memset(p + done, bits, count);
        } else {
            touch_at(how, p + done, count, at);
        }
        done += count;
    }
}

/* Whether some bytes are unwritten, and not all. */
static bool is_in_parts(const char *p, size_t bytes) {
    size_t unwritten = 0;
    for (size_t i = 0; i < bytes; i++) unwritten += is_unwritten(p + i);
    return unwritten > 0 && unwritten < bytes;
}

/* Most often all is written. */
static bool is_written(const char *p, size_t bytes) {
    return bytes <= sizeof(uint64_t) && arena_word(p).write.moment > word_bytes &&
           arena_word(p + bytes - 1).write.moment > word_bytes;
}

static void touch_some(touch how, const void *p, size_t bytes, where at) {
    char *first = static_cast<char *>(const_cast<void *>(p));
    if (is_write(how) || arena_unwatched(p) || is_written(first, bytes) ||
        !is_in_parts(first, bytes)) {
        touch_at(how, p, bytes, at);
    } else {
        touch_parts(how, first, bytes, at);
    }
}

void touch_global(touch how, const void *p, size_t bytes, const site &at) {
    if (!in_kernel) return;
    if (arena.has(p)) {
        check_alignment(how, p, alignment_of(bytes), at);
        touch_at(how, p, bytes, at);
    } else if (!fiber_is_mine(device.thread->on, p)) {
        look_at_host(p, is_write(how), at);
    }
}

void touch_struct(touch how, const void *p, size_t bytes, const site &at) {
    if (!in_kernel || !arena.has(p)) return touch_global(how, p, bytes, at);
    check_alignment(how, p, alignment_of(bytes), at);
    touch_some(how, p, bytes, at);
}

/* The whole range is looked at, byte by byte of its ends. */
static void copied(bool writes, const void *p, size_t bytes, const site &at) {
    if (bytes == 0) return;
    if (arena.has(p)) {
        if (in_kernel) return touch_some(writes ? touch::write : touch::read, p, bytes, at);
        if (writes) arena_set(p, bytes, word_written);
    } else if (in_kernel && !fiber_is_mine(device.thread->on, p)) {
        look_at_host(p, writes, at);
    }
}

void *copy_bytes(void *to, const void *from, size_t bytes, const site &at) {
    copied(false, from, bytes, at);
    copied(true, to, bytes, at);
    if (in_kernel) arena_copy_unwritten(to, from, bytes);
    return memmove(to, from, bytes);
}

void *set_bytes(void *to, int value, size_t bytes, const site &at) {
    copied(true, to, bytes, at);
    return memset(to, value, bytes);
}

void touched(bool writes, const void *p, size_t bytes, size_t alignment, const void *code) {
    if (!in_kernel) {
        host_touches(writes, p, bytes);
        if (writes && arena.has(p)) arena_set(p, bytes, word_written);
        return;
    }
    if (arena.has(p)) {
        touch how = writes ? touch::write : touch::read;
        check_alignment(how, p, alignment, where(code));
        touch_some(how, p, bytes, where(code));
    } else if (!fiber_is_mine(device.thread->on, p)) {
        look_at_host(p, writes, where(code));
    }
}

}  // namespace tulle_emu::emulator
