/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <vector>

#if defined(TULLE__ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tulle_emu::emulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#if defined(TULLE__ADDRESS_SANITIZER)
static constexpr size_t stack_bytes = 256 << 10; /* its report of an error runs on the fiber */
#else
static constexpr size_t stack_bytes = 64 << 10;
#endif
static constexpr int stacks_at_once = 64;

static size_t stride_of_stacks() {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE)) + stack_bytes;
}

static fiber *pool;
static std::vector<const char *> grown; /* of stacks_at_once each */
static fiber launcher; /* the launching host thread, as it waits; not in the pool */
static fiber *running = &launcher;

/* AddressSanitizer wants to know before and after every change of stacks. */
#if defined(TULLE__ADDRESS_SANITIZER)
static void before_switch(fiber *from, const fiber *to) {
    __sanitizer_start_switch_fiber(&from->fake, to->stack, to->bytes);
}
static void after_switch(const fiber *on, fiber *from) {
    const void *stack = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(on->fake, &stack, &bytes);
    if (from == &launcher) { /* each launch may come from another host thread */
        launcher.stack = static_cast<char *>(const_cast<void *>(stack));
        launcher.bytes = bytes;
    }
}
static void forget_frames(fiber *f) {
    __asan_unpoison_memory_region(f->stack, f->bytes);
}
#else
static void before_switch(fiber *, const fiber *) {}
static void after_switch(const fiber *, fiber *) {}
static void forget_frames(fiber *) {}
#endif

/* `running` runs again, or for the first time: whoever it comes from is left where it is. */
static void arrive(transfer_t from) {
    fiber *left = static_cast<fiber *>(from.data);
    left->context = from.fctx;
    after_switch(running, left);
}

static void body(transfer_t from) {
    arrive(from);
    for (;;) run_thread();
}

static void make(fiber *f) {
    f->context = make_fcontext(f->stack + f->bytes, f->bytes, body);
    f->fake = nullptr;
}

/* Adds some stacks to the pool; each has its own struct at its upper end. */
static bool grow() {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t stride = stride_of_stacks();
    void *memory = mmap(nullptr, stride * stacks_at_once, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    char *first = static_cast<char *>(memory);
    grown.push_back(first);
    for (int i = 0; i < stacks_at_once; i++) {
        if (mprotect(first + i * stride, page, PROT_NONE) != 0) {
            munmap(memory, stride * stacks_at_once);
            grown.pop_back();
            return false;
        }
    }
    constexpr size_t line = 64, struct_room = (sizeof(fiber) + line - 1) / line * line;
    for (int i = stacks_at_once - 1; i >= 0; i--) {
        char *low = first + i * stride + page;
        /* at different places in their pages, so that they share the sets of the caches evenly */
        size_t room = struct_room + i * line % page;
        fiber *f = reinterpret_cast<fiber *>(low + stack_bytes - room);
        f->stack = low;
        f->bytes = stack_bytes - room;
        make(f);
        fiber_give(f);
    }
    return true;
}

bool fiber_has(const void *p) {
    for (const char *first : grown) {
        size_t at = static_cast<size_t>(static_cast<const char *>(p) - first);
        if (at < stride_of_stacks() * stacks_at_once) return true;
    }
    return false;
}

fiber *fiber_take() {
    if (!pool && !grow()) return nullptr;
    fiber *f = pool;
    pool = f->next;
    return f;
}

void fiber_give(fiber *f) {
    f->next = pool;
    pool = f;
}

void fiber_drop(fiber *f) {
    forget_frames(f);
    make(f);
    fiber_give(f);
}

void fiber_enter(fiber *f) {
    fiber *own = running;
    running = f;
    before_switch(own, f);
    arrive(jump_fcontext(f->context, own));
}

void fiber_leave() {
    fiber_enter(&launcher);
}

}  // namespace tulle_emu::emulator
