/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef TULLE__ADDRESS_SANITIZER
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

static int listed(const char *list, const char *where) {
    size_t length = strlen(where);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, where, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
    }
    return 0;
}

void say_skipped(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("skipped: ");
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
}

void must(tulle_status status) {
    if (status != TULLE_OK) fail_msg("%s", tulle_last_error()->message);
}

/* FNV-1a (Fowler, Noll, Vo). */
static unsigned long hash(const char *text) {
    unsigned long h = 2166136261u;
    for (; *text; text++) h = ((h ^ (unsigned char)*text) * 16777619u) & 0xffffffffu;
    return h;
}

unsigned long places_seed(void) {
    const char *given = getenv("TULLE_TEST_SEED");
    return given && *given ? strtoul(given, NULL, 10) : hash(TULLE_TEST_COMMIT);
}

int turn_of(const char *where, int of) {
    return is_slow(where) ? (int)(places_seed() % (unsigned long)of) : 0;
}

int is_slow(const char *where) {
    return strcmp(where, "emulated") == 0;
}

int is_watched(void) {
    return SANITIZED;
}

static int order; /* of the emulator, from 0: that of a test that runs */

int turn_in_order(const char *where, int of) {
    return is_slow(where) ? (turn_of(where, of) + order) % of : 0;
}

static bool refused, accepted; /* by is_wanted */

bool is_wanted(const char *kernel) {
    const char *only = getenv("TULLE_TEST_KERNEL");
    bool wanted = !only || strcmp(only, kernel) == 0;
    *(wanted ? &accepted : &refused) = true;
    return wanted;
}

tulle_ctx *place_elsewhere(const char *where) {
    const char *other = strncmp(where, "cpu", 3) == 0 ? "emulated" : "cpu";
    tulle_ctx *ctx = NULL;
    tulle_status status = tulle_ctx_create(other, NULL, &ctx);
    if (status == TULLE_NO_DEVICE && !listed(getenv("TULLE_TEST_REQUIRE"), other)) {
        say_skipped("operands of another place: %s", tulle_last_error()->message);
        return NULL;
    }
    must(status);
    return ctx;
}

static int run_once(const char *where, void (*test)(tulle_ctx *, const char *)) {
    tulle_ctx *ctx = NULL;
    tulle_status status = tulle_ctx_create(where, NULL, &ctx);
    if (status == TULLE_NO_DEVICE && !listed(getenv("TULLE_TEST_REQUIRE"), where)) {
        say_skipped("%s: %s", where, tulle_last_error()->message);
        return 0;
    }
    if (status != TULLE_OK) fail_msg("%s: %s", where, tulle_last_error()->message);
    test(ctx, where);
    tulle_ctx_destroy(ctx);
    return 1;
}

enum { ORDERS = 3 };

/* How many orders of its threads and blocks the emulator runs a test in. */
static int orders_asked(void) {
    const char *given = getenv("TULLE_TEST_ORDERS");
    const int count = given ? atoi(given) : 0;
    return count > 0 ? (count < ORDERS ? count : ORDERS) : SANITIZED ? 1 : ORDERS;
}

static int share = 1, place_calls;

void emulate_by_turns(int of) {
    share = of;
}

/* Whether the test that calls, the next of its program, has its turn on the emulator. All have it
 * where somebody asks for one kernel or one order. */
static bool has_turn(void) {
    const unsigned long turns = places_seed() / 8; /* not in step with the orders' */
    if (((unsigned long)place_calls + turns) % (unsigned)share == 0 || orders_asked() > 1 ||
        getenv("TULLE_EMU_ORDER") || getenv("TULLE_TEST_KERNEL")) {
        return true;
    }
    print_message("not its turn on the emulator: TULLE_TEST_ORDERS=3 runs all\n");
    return false;
}

static int run_at(const char *where, void (*test)(tulle_ctx *, const char *)) {
    char random[32];
    snprintf(random, sizeof random, "random:%lu", places_seed());
    const char *const orders[ORDERS] = {"forward", "backward", random};
    if (!is_slow(where) || getenv("TULLE_EMU_ORDER")) return run_once(where, test);
    print_message("TULLE_TEST_SEED=%lu\n", places_seed());
    int ran = 0;
    for (int round = 0; round < orders_asked(); round++) {
        order = (round + turn_of(where, ORDERS)) % ORDERS;
        setenv("TULLE_EMU_ORDER", orders[order], 1);
        ran += run_once(where, test);
    }
    order = 0;
    unsetenv("TULLE_EMU_ORDER");
    return ran;
}

static void each_place(int (*run)(const char *, void (*)(tulle_ctx *, const char *)),
                       void (*test)(tulle_ctx *ctx, const char *where)) {
    const char *list = getenv("TULLE_TEST_WHERE");
    char *places = strdup(list ? list : "cpu,cpu:2,emulated");
    assert_non_null(places);
    int ran = 0;
    char *rest = NULL;
    for (char *where = strtok_r(places, ",", &rest); where; where = strtok_r(NULL, ",", &rest)) {
        ran += is_slow(where) && !has_turn() ? 1 : run(where, test);
    }
    place_calls++;
    free(places);
    assert_true(ran > 0);
    if (refused && !accepted) fail_msg("no kernel %s here", getenv("TULLE_TEST_KERNEL"));
}

void on_each_place(void (*test)(tulle_ctx *ctx, const char *where)) {
    each_place(run_at, test);
}

void once_on_each_place(void (*test)(tulle_ctx *ctx, const char *where)) {
    each_place(run_once, test);
}
