/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of reports: each kind of field and part, and fields that are for text alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/say.h"

static cJSON *make_fields(void) {
    cJSON *fields = tool_json_object(), *child = tool_json_child(fields, "child");
    tool_json_text(fields, "name", "a < b {c}");
    tool_json_text(fields, "empty", "");
    tool_json_text(fields, "null", NULL);
    tool_json_int(fields, "large", 9007199254740993);
    tool_json_int(fields, "one", 1);
    tool_json_int(fields, "zero", 0);
    tool_json_real(fields, "third", 1.0 / 3);
    tool_json_real(fields, "nan", (double)NAN);
    tool_json_known(fields, "unknown", (double)NAN);
    tool_json_known(fields, "known", 0.5);
    tool_json_bool(fields, "yes", true);
    tool_json_bool(fields, "no", false);
    tool_json_int(child, "bytes", 12345);
    tool_json_int(child, "_hidden", 7);
    cJSON *list = tool_json_list(fields, "list");
    for (int i = 0; i < 3; i++) {
        cJSON *item = tool_json_item(list);
        tool_json_int(item, "i", i);
        if (i != 1) tool_json_text(item, "odd", "no");
    }
    (void)tool_json_list(fields, "none");
    cJSON *numbers = tool_json_list(fields, "numbers");
    tool_json_push_int(numbers, 3);
    tool_json_push_int(numbers, 4);
    return fields;
}

/* Takes all that was said until it is closed. */
typedef struct ear {
    char *text;
    size_t length;
    FILE *file;
} ear;

static void listen(ear *e) {
    e->file = open_memstream(&e->text, &e->length);
    assert_non_null(e->file);
    tool_say_on(e->file);
}

static void expect_heard(ear *e, const char *about, const char *wanted) {
    assert_int_equal(fclose(e->file), 0);
    tool_say_on(stdout);
    if (strcmp(e->text, wanted) != 0) fail_msg("%s: '%s', not '%s'", about, e->text, wanted);
    free(e->text);
}

static void test_patterns(void **state) {
    static const struct {
        const char *pattern, *wanted;
    } cases[] = {
        {"plain", "plain"},
        {"{name}: {large} {one} {third}", "a < b {c}: 9007199254740993 1 0.333333"},
        {"{large:count}", "9,007,199,254,740,993"},
        {"{third:2g} {third:3f} {third:1e}", "0.33 0.333 3.3e-01"},
        {"{child.bytes:bytes} {third:ms} {third:s}", "12.3 KB 333 us 333 ms"},
        {"vector{one:plural} vector{zero:plural}", "vector vectors"},
        {"{child._hidden}", "7"},
        {"{missing} {child.missing:ms} {null}", "{missing} {child.missing} {null}"},
        {"[<no {missing}><no {null}><{one}>]", "[1]"},
        {"[<{nan:3g}>]<{unknown}>", "[nan]"},
        {"<{known:3g}>", "0.5"},
        {"<{?yes}a><{?one}b><{?name}c><{?child}d><{?nan}e>", "abcde"},
        {"<{?no}a><{?zero}b><{?empty}c><{?null}d><{?missing}e>.", "."},
        {"<{!no}a><{!zero}b><{!empty}c><{!null}d><{!missing}e>", "abcde"},
        {"<{!yes}a><{!one}b><{!name}c>.", "."},
        {"<outer <inner {missing}>{one}>", "outer 1"},
        {"[<outer <inner {one}>{missing}>]", "[]"},
        {"<{*list}{i}<{odd}>,>", "0no,1,2no,"},
        {"<{*list}{?odd}{i} >", "0 2 "},
        {"[<{*none}{i}><{*missing}{i}>]", "[]"},
        {"<{*numbers}{} >", "3 4 "},
    };
    cJSON *fields = make_fields();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[256];
        ear e;
        snprintf(wanted, sizeof wanted, "%s\n", cases[i].wanted);
        listen(&e);
        tool_say_fields(fields, cases[i].pattern);
        tool_say("\n");
        expect_heard(&e, cases[i].pattern, wanted);
    }
    cJSON_Delete(fields);
}

static void test_tables(void **state) {
    static const tool_column columns[] = {{">number", "{i:count}"}, {"odd", "<{odd}>"},
                                          {">no", "<{odd}>"},       {"missing", "{?missing}{i}"},
                                          {"some", "{?i}<{?i}i>"},  {"evens", "{!odd}<{!odd}e>"},
                                          {"never", "{!_all}{i}"},  {NULL, NULL}};
    cJSON *fields = make_fields();
    cJSON *item = cJSON_GetObjectItem(fields, "list")->child;
    ear e;
    (void)state;
    for (; item; item = item->next) tool_json_bool(item, "_all", true);
    listen(&e);
    tool_say_table(fields, "list", columns);
    tool_say_table(fields, "none", columns);
    expect_heard(&e, "table",
                 "  number  odd  no  some  evens\n"
                 "       0  no   no\n"
                 "       1        -  i     e\n"
                 "       2  no   no  i\n");
    cJSON_Delete(fields);
}

static void test_text_alone(void **state) {
    cJSON *fields = make_fields();
    (void)state;
    tool_json_drop_text(fields);
    assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(fields, "child"), "_hidden"));
    assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(fields, "child"), "bytes"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(fields, "list")), 3);
    cJSON_Delete(fields);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_text_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
