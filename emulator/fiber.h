/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that emulated threads run on. The launching host thread enters a fiber; when its thread
 * waits or ends, the fiber goes on to another one or back to the launcher. Stacks are pooled and
 * never given back. */
#ifndef TULLE_GPU_EMULATOR_FIBER_H
#define TULLE_GPU_EMULATOR_FIBER_H

#include <stddef.h>

namespace tulle_emu::emulator {

struct fiber {
    void *context; /* where it left */
    void *fake;    /* AddressSanitizer's copy of its frames */
    char *stack;   /* lowest byte; a guard page lies below */
    size_t bytes;
    fiber *next; /* in the pool */
};

/* A fiber that calls run_thread when it is entered. NULL: no memory. */
fiber *fiber_take();

/* Back to the pool: its thread has ended. It may be the running one, if another is entered next. */
void fiber_give(fiber *f);

/* Back to the pool, wherever its thread is: the frames on it are forgotten. */
void fiber_drop(fiber *f);

/* Whether an address is on a stack of any fiber; of this one. */
bool fiber_has(const void *p);
inline bool fiber_is_mine(const fiber *f, const void *p) {
    return static_cast<size_t>(static_cast<const char *>(p) - f->stack) < f->bytes;
}

/* Goes on with f; comes back when the caller's stack is entered again. */
void fiber_enter(fiber *f);

/* Goes back to the launching host thread, out of its fiber_enter. */
void fiber_leave();

/* Emulated threads, from start to end, until another fiber has been entered and this one is entered
 * again; defined by the scheduler. */
void run_thread();

}  // namespace tulle_emu::emulator

#endif
