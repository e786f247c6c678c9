/* SPDX-License-Identifier: Apache-2.0 */
/* The number of calls that tools time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "places.h"
#include "tools/common/timing.h"

/* Takes more than the second from which a call counts as long. */
static tulle_status rest(void *user) {
    const struct timespec span = {.tv_sec = 1, .tv_nsec = 20000000};
    ++*(int *)user;
    nanosleep(&span, NULL);
    return TULLE_OK;
}

static int calls_of(double seconds, tool_timing *timing) {
    const tool_budget budget = {.repeat = 1, .seconds = seconds};
    tulle_ctx *ctx;
    int calls = 0;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tool_time_well(ctx, &budget, rest, &calls, timing));
    tulle_ctx_destroy(ctx);
    return calls;
}

/* A long call is made once where one sample is enough, and again where warming up may take longer:
 * then its operands hold the results of several calls. */
static void test_long_calls(void **state) {
    (void)state;
    tool_timing timing;
    assert_int_equal(calls_of(0.01, &timing), 1);
    assert_true(timing.once);
    assert_int_equal(calls_of(6, &timing), 2);
    assert_false(timing.once);
    assert_true(timing.ms > 1000 && timing.cold > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
