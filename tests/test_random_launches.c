/* SPDX-License-Identifier: Apache-2.0 */
/* Operations, kernels of the registry, matrices, operands and, on the emulator, orders drawn at
 * random: right, and clean in the emulator's eyes. In the environment TULLE_TEST_LAUNCHES says how
 * many calls each place has (default 300), TULLE_TEST_OPERATION names the one operation that is
 * drawn, and the seed of places.h says which calls; a failure prints how to repeat it. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "random_launch.h"
#include "tulle/advanced.h"

enum { DEFAULT_LAUNCHES = 300, CALLS_IN_ORDER = 20 };

/* kernels: the operation of the registry that they are of; NULL: it has none. share: of all calls,
 * beside the other rows'. */
static const struct {
    const char *name, *kernels;
    int share;
    random_launch launch;
} operations[] = {
    {"spmv", "spmv", 12, random_spmv},          {"spmm", "spmm", 3, random_spmm},
    {"spgemm", "spgemm", 3, random_spgemm},     {"trisolve", "trisolve", 3, random_trisolve},
    {"factor", "factor", 3, random_factor},     {"add", NULL, 2, random_add},
    {"transpose", "spmv", 2, random_transpose}, {"vectors", NULL, 2, random_vectors},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static int taken_of[OPERATIONS];

/* The one that is asked for; -1: all are drawn. */
static int asked_operation(void) {
    const char *asked = getenv("TULLE_TEST_OPERATION");
    int o = 0;
    if (!asked) return -1;
    while (o < OPERATIONS && strcmp(operations[o].name, asked) != 0) o++;
    if (o == OPERATIONS) fail_msg("no operation %s here", asked);
    return o;
}

static int random_operation(uint64_t *state) {
    int all = 0, o = 0;
    for (int i = 0; i < OPERATIONS; i++) all += operations[i].share;
    for (int64_t at = random_below(state, all); at >= operations[o].share; o++) {
        at -= operations[o].share;
    }
    return o;
}

static tulle_kernel_info random_kernel(tulle_ctx *ctx, uint64_t *state, const char *operation) {
    tulle_device_info device;
    tulle_kernel_info info;
    must(tulle_ctx_device(ctx, &device));
    do {
        int kernels = tulle_kernel_count(device.backend);
        must(tulle_kernel_describe(device.backend, (int)random_below(state, kernels), &info));
    } while (strcmp(info.operation, operation) != 0);
    return info;
}

static bool launch(tulle_ctx *ctx, uint64_t *state) {
    const int asked = asked_operation(), o = asked < 0 ? random_operation(state) : asked;
    tulle_kernel_info kernel = {.name = NULL};
    if (operations[o].kernels) kernel = random_kernel(ctx, state, operations[o].kernels);
    bool taken = operations[o].launch(ctx, state, kernel.name);
    taken_of[o] += taken;
    return taken;
}

/* A context has one order. */
static int some_launches(const char *where, uint64_t *state) {
    char order[40];
    int taken = 0;
    snprintf(order, sizeof order, "random:%u", (unsigned)zoo_bits(state));
    setenv("TULLE_EMU_ORDER", order, 1);
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    for (int i = 0; i < CALLS_IN_ORDER; i++) taken += launch(ctx, state);
    tulle_ctx_destroy(ctx);
    return taken;
}

static void random_launches(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const char *given = getenv("TULLE_TEST_LAUNCHES");
    int wanted = given ? atoi(given) : DEFAULT_LAUNCHES, taken = 0;
    uint64_t state = places_seed();
    memset(taken_of, 0, sizeof taken_of);
    print_message("TULLE_TEST_SEED=%lu TULLE_TEST_LAUNCHES=%d TULLE_TEST_WHERE=%s\n", places_seed(),
                  wanted, where);
    while (taken < wanted) taken += some_launches(where, &state);
    for (int o = 0; o < OPERATIONS; o++) {
        if (asked_operation() >= 0 && asked_operation() != o) continue;
        print_message("%d calls of %s\n", taken_of[o], operations[o].name);
        assert_true(taken_of[o] > 0 || wanted < DEFAULT_LAUNCHES || asked_operation() >= 0);
    }
    unsetenv("TULLE_EMU_ORDER");
}
ONCE_ON_EACH_PLACE(random_launches)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
