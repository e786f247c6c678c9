/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that emulated threads run on. The launching host thread enters a fiber; the fiber leaves
 * when its thread waits or ends. Stacks are pooled and never given back. */
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

/* Back to the pool: its thread has ended. */
void fiber_give(fiber *f);

/* Back to the pool, wherever its thread is: the frames on it are forgotten. */
void fiber_drop(fiber *f);

void fiber_enter(fiber *f);
void fiber_leave();

/* One emulated thread or several, from start to end; defined by the scheduler. */
void run_thread();

}  // namespace tulle_emu::emulator

#endif
