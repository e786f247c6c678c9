/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says of timings that scatter, and of a machine that others use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/scatter.h"

static void test_scatters(void **state) {
    (void)state;
    const tool_timing wide = {.ms = 1, .q10 = 1, .q90 = 1.6, .samples = 5};
    const tool_timing narrow = {.ms = 1, .q10 = 1, .q90 = 1.4, .samples = 50};
    const tool_timing few = {.ms = 1, .q10 = 1, .q90 = 3, .samples = 4};
    assert_true(tool_scatters(&wide));
    assert_false(tool_scatters(&narrow));
    assert_false(tool_scatters(&few));
}

static void expect_text(int scattered, bool on_gpu, double average, const char *part) {
    const tool_load load = {.average = average, .processors = 4};
    char text[TOOL_SCATTER_ROOM];
    tool_scatter_text(scattered, 7, on_gpu, &load, text);
    if (!strstr(text, part)) fail_msg("'%s' is not in '%s'", part, text);
    assert_null(strchr(text, '\n'));
}

static void test_texts(void **state) {
    (void)state;
    const tool_load load = {.average = 9, .processors = 4};
    char text[TOOL_SCATTER_ROOM] = "before";
    tool_scatter_text(0, 7, false, &load, text);
    assert_string_equal(text, "");
    expect_text(2, false, 9,
                "2 of 7 timings scatter: 90 % quantiles above 1.5 times those of 10 %;");
    expect_text(2, false, 9, "other programs run (load 9.0 on 4 processors)");
    expect_text(2, true, 9, "other programs run");
    expect_text(2, false, 4, "OMP_PROC_BIND"); /* as much as tulle itself makes */
    expect_text(2, true, 0, "nvidia-smi");
}

static void test_remark(void **state) {
    (void)state;
    const tool_timing wide = {.ms = 1, .q10 = 1, .q90 = 3.2, .samples = 50};
    const tool_timing narrow = {.ms = 1, .q10 = 1, .q90 = 1.4, .samples = 50};
    const tool_load idle = {.average = 0, .processors = 4}, busy = {.average = 9, .processors = 4};
    char what[TOOL_SCATTER_ROOM], how[TOOL_SCATTER_ROOM];
    assert_false(tool_scatter_remark(&narrow, false, &idle, what, how));
    assert_true(tool_scatter_remark(&wide, false, &idle, what, how));
    assert_non_null(strstr(what, "of 50 calls of one product the 90 % quantile is 3.2 times"));
    assert_string_equal(how, "set OMP_PLACES=cores and OMP_PROC_BIND=close");
    assert_true(tool_scatter_remark(&wide, true, &idle, what, how));
    assert_non_null(strstr(how, "nvidia-smi"));
    assert_true(tool_scatter_remark(&wide, true, &busy, what, how));
    assert_non_null(strstr(how, "other programs run (load 9.0 on 4 processors)"));
}

static void test_busy(void **state) {
    (void)state;
    char what[TOOL_SCATTER_ROOM], how[TOOL_SCATTER_ROOM];
    tool_load load = {.average = 1.9, .processors = 4};
    assert_false(tool_is_busy(&load, what, how));
    load.average = 2.2;
    assert_true(tool_is_busy(&load, what, how));
    assert_non_null(strstr(what, "load 2.2 on 4 processors"));
    assert_non_null(strstr(how, "OMP_NUM_THREADS=1"));
    load = (tool_load){.average = 30, .processors = 4};
    assert_true(tool_is_busy(&load, what, how));
    assert_non_null(strstr(how, "OMP_NUM_THREADS=1"));
    load = (tool_load){.average = 9, .processors = 16};
    assert_true(tool_is_busy(&load, what, how));
    assert_non_null(strstr(how, "OMP_NUM_THREADS=7"));
    load = tool_load_now();
    assert_true(load.processors >= 1 && load.average >= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scatters),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_remark),
        cmocka_unit_test(test_busy),
    };
    return cmocka_run_group_tests_name("scatter", tests, NULL, NULL);
}
