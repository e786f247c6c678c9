/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tests run: the places in the environment variable TULLE_TEST_WHERE (a list with commas;
 * default "cpu,cpu:2,emulated"). A place that this machine lacks is skipped, which is said, unless
 * it is in TULLE_TEST_REQUIRE, a list of the same kind. The emulator runs everything in three
 * orders of its threads, one of them random; under AddressSanitizer, in one of them, which changes
 * from commit to commit. TULLE_TEST_ORDERS in the environment, from 1 to 3, says otherwise. The
 * seed of the random order, and which of many cases the emulator meets in which order, follow from
 * the commit, and are printed; TULLE_TEST_SEED in the environment repeats them.
 * TULLE_TEST_KERNEL names the one kernel that is to be tested where tests walk the registry. */
#ifndef TESTS_PLACES_H
#define TESTS_PLACES_H

#include <stdbool.h>

#include "tulle/tulle.h"

/* Runs the test once on each place; fails when none could be had. */
void on_each_place(void (*test)(tulle_ctx *ctx, const char *where));

/* For a program of many long tests, first in main: of its tests that run on each place, every
 * so-many-th runs on the emulator, with other commits others. All of them do where the emulator
 * takes more than one order a commit. */
void emulate_by_turns(int of);

/* The same in one order on the emulator: for what depends on the host alone. */
void once_on_each_place(void (*test)(tulle_ctx *ctx, const char *where));

/* The cmocka test test_NAME, of a function NAME, by once_on_each_place. */
#define ONCE_ON_EACH_PLACE(name)                                                                   \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        once_on_each_place(name);                                                                  \
    }

/* Whether a kernel of the registry is to be tested. A test that asks and hears no other answer than
 * no fails, as the name is wrong then. */
bool is_wanted(const char *kernel);

/* Says what is not tested here and why; scripts/skipped.sh lists these lines. Before every skip(),
 * and where a part of a test is left out. */
void say_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails the test, with the library's message, unless the call succeeded. */
void must(tulle_status status);

/* Where cases must be few, a number below `of` that changes from commit to commit; elsewhere 0. */
int turn_of(const char *where, int of);

/* The same, and another number, the next, with each order of the emulator. */
int turn_in_order(const char *where, int of);

/* The number behind it all. */
unsigned long places_seed(void);

/* Whether a place's kernels run on the emulator, so that cases must stay small. */
int is_slow(const char *where);

/* A context at another place than this one, or NULL, which is said, where the build has no other.
 */
tulle_ctx *place_elsewhere(const char *where);

/* Whether AddressSanitizer watches: on a CPU many cases can be fewer then, as all of them run
 * without it, too. */
int is_watched(void);

#endif
