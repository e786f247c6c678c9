/* SPDX-License-Identifier: Apache-2.0 */
/* Options of multigrid's hierarchy as the command line has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/error.h"
#include "tools/common/hierarchy.h"

static tulle_amg_options read(const char *text) {
    tool_hierarchy hierarchy = {.text = text};
    assert_int_equal(tool_hierarchy_parse("test", &hierarchy), TOOL_OK);
    assert_true(hierarchy.text == text);
    return hierarchy.options;
}

static void assert_options(const char *text, tulle_amg_options wanted) {
    const tulle_amg_options o = read(text);
    assert_true(o.strength == wanted.strength && o.most_sum == wanted.most_sum);
    assert_int_equal(o.interpolation_entries, wanted.interpolation_entries);
    assert_int_equal(o.degree, wanted.degree);
    assert_int_equal(o.most_levels, wanted.most_levels);
    assert_int_equal(o.coarsest_rows, wanted.coarsest_rows);
    assert_int_equal(o.passing, wanted.passing);
    assert_int_equal(o.family, wanted.family);
}

static void test_options(void **state) {
    (void)state;
    assert_options(NULL, (tulle_amg_options){.degree = 0});
    assert_options("degree=3", (tulle_amg_options){.degree = 3});
    assert_options("strength=0.5", (tulle_amg_options){.strength = 0.5});
    assert_options("sum=0.75", (tulle_amg_options){.most_sum = 0.75});
    assert_options("entries=6", (tulle_amg_options){.interpolation_entries = 6});
    assert_options("levels=7", (tulle_amg_options){.most_levels = 7});
    assert_options("coarsest=99", (tulle_amg_options){.coarsest_rows = 99});
    assert_options("passing=choose", (tulle_amg_options){.passing = TULLE_AMG_PASS_CHOOSE});
    assert_options("precision=same", (tulle_amg_options){.precision = TULLE_AMG_SAME});
    assert_options("plans=keep", (tulle_amg_options){.keep_plans = true});
    assert_options("passing=none", (tulle_amg_options){.passing = TULLE_AMG_PASS_NONE});
    assert_options("family=choose", (tulle_amg_options){.family = TULLE_AMG_FAMILY_CHOOSE});
    assert_options("family=classical", (tulle_amg_options){.family = TULLE_AMG_CLASSICAL});
    assert_options("family=plain", (tulle_amg_options){.family = TULLE_AMG_AGGREGATION});
    assert_options("family=smoothed", (tulle_amg_options){.family = TULLE_AMG_SMOOTHED});
    assert_options(
        "passing=first,degree=1,coarsest=5",
        (tulle_amg_options){.passing = TULLE_AMG_PASS_FIRST, .degree = 1, .coarsest_rows = 5});
}

static void test_refusals(void **state) {
    static const char *const wrong[] = {"",
                                        "degree",
                                        "degree=",
                                        "degree=x",
                                        "=3",
                                        "degree=2,",
                                        "passing=all",
                                        "family=all",
                                        "strength=much",
                                        "levels=1.5",
                                        "entries=-1",
                                        "coarsest=1e3",
                                        "degree=3 ",
                                        "rows=3",
                                        "degree=0000000000000000000000000000000000000003"};
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        tool_hierarchy hierarchy = {.text = wrong[k]};
        assert_int_not_equal(tool_hierarchy_parse("test", &hierarchy), TOOL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
