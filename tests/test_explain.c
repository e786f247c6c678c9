/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says of a product before it is computed: the alternatives, held against what
 * forcing them does, and the words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"
#include "zoo.h"

enum { MOST = 128, ROOM = 16384 };

static int alternatives_of(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                           tulle_alternative list[MOST]) {
    int count = 0;
    must(tulle_spmv_alternatives(ctx, op, A, list, MOST, &count));
    assert_in_range(count, 1, MOST);
    return count;
}

static const char *explained(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A) {
    static char text[ROOM];
    size_t length = 0;
    must(tulle_spmv_explain(ctx, op, A, text, sizeof text, &length));
    assert_int_equal(strlen(text), length);
    return text;
}

static void assert_says(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("no '%s' in:\n%s", words, text);
}

static void assert_silent(const char *text, const char *words) {
    if (strstr(text, words)) fail_msg("'%s' in:\n%s", words, text);
}

/* How many kernels multiply one vector. */
static int kernels_for_vectors(const tulle_ctx *ctx) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    int count = 0;
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, i, &info));
        count += strcmp(info.operation, "spmv") == 0;
    }
    return count;
}

/* The choice comes first, then rising costs, then kernels with a plan, then those that may not. */
static void check_order(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                        const tulle_alternative *list, int count) {
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, op, A, true, &choice));
    assert_string_equal(list[0].kernel, choice.kernel);
    assert_string_equal(list[0].params, choice.params);
    assert_true(list[0].cost_bytes == choice.cost_bytes);
    assert_int_equal(list[0].kernel_bytes, choice.kernel_bytes);
    assert_true(list[0].ratio == 1);
    for (int i = 0; i < count; i++) {
        const tulle_alternative *a = &list[i], *last = i > 1 ? a - 1 : NULL;
        assert_int_equal(a->chosen, i == 0);
        if (a->why_not[0]) continue;
        assert_true(a->kernel_bytes >= 0 && a->cost_bytes > 0);
        assert_true(a->ratio == a->cost_bytes / list[0].cost_bytes);
        if (!last) continue;
        assert_true(!last->why_not[0] && last->needs_plan <= a->needs_plan);
        assert_true(last->needs_plan < a->needs_plan || last->cost_bytes <= a->cost_bytes);
    }
}

/* Forced, each does what the list says of it. */
static void check_by_force(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                           const tulle_alternative *a) {
    tulle_choice choice;
    must(tulle_ctx_force_kernel(ctx, a->kernel));
    tulle_status status = tulle_spmv_describe(ctx, op, A, true, &choice);
    must(tulle_ctx_force_kernel(ctx, NULL));
    bool only_order = strstr(a->why_not, "changes from run to run") != NULL;
    if (a->needs_plan) {
        assert_int_equal(status, TULLE_NEEDS_PLAN);
    } else if (!a->why_not[0]) {
        must(status);
        assert_string_equal(choice.params, a->params);
        assert_true(choice.cost_bytes == a->cost_bytes);
    } else if (!only_order) {
        assert_int_not_equal(status, TULLE_OK);
    }
}

static void zoo_alternatives(tulle_ctx *ctx, const char *where) {
    static tulle_alternative list[MOST];
    static const tulle_format formats[] = {TULLE_CSR, TULLE_COO, TULLE_SELL, TULLE_CSC};
    int kernels = kernels_for_vectors(ctx);
    for (int i = turn_of(where, 5); i < zoo_count(); i += is_slow(where) ? 5 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_mat *csr = zoo_mat(ctx, &m, (tulle_index)(i % 3), i % 2 ? TULLE_F64 : TULLE_F32),
                  *A = NULL;
        must(tulle_mat_convert(ctx, csr, formats[i % 4], (tulle_index)(i % 3), 0, &A));
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            tulle_choice choice;
            if (tulle_spmv_describe(ctx, (tulle_trans)op, A, true, &choice) != TULLE_OK) continue;
            int count = alternatives_of(ctx, (tulle_trans)op, A, list);
            assert_int_equal(count, kernels);
            check_order(ctx, (tulle_trans)op, A, list, count);
            bool other = count > 1 && !list[1].why_not[0] && !list[1].needs_plan;
            if (other && strcmp(choice.by, "rule") == 0) assert_true(list[1].ratio >= 1);
            for (int k = 0; k < count; k++) {
                check_by_force(ctx, (tulle_trans)op, A, &list[k]);
            }
        }
        tulle_mat_destroy(A);
        tulle_mat_destroy(csr);
        zoo_free(&m);
    }
}

/* The list is cut, not reordered, where there is less room. */
static void less_room(tulle_ctx *ctx, const char *where) {
    (void)where;
    static tulle_alternative all[MOST], some[MOST];
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int count = alternatives_of(ctx, TULLE_N, A, all);
    for (int room = 0; room <= count; room++) {
        int found = 0;
        memset(some, 0x5a, sizeof some);
        must(tulle_spmv_alternatives(ctx, TULLE_N, A, room ? some : NULL, room, &found));
        assert_int_equal(found, count);
        for (int i = 0; i < room; i++) assert_string_equal(some[i].kernel, all[i].kernel);
        assert_int_equal(((unsigned char *)&some[room])[0], 0x5a);
    }
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_alternatives(void **state) {
    (void)state;
    on_each_place(zoo_alternatives);
    on_each_place(less_room);
}

/* Lines that people can read, about every matrix. */
static void zoo_words(tulle_ctx *ctx, const char *where) {
    for (int i = turn_of(where, 5); i < zoo_count(); i += is_slow(where) ? 5 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        tulle_choice choice;
        must(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
        const char *text = explained(ctx, TULLE_N, A);
        char shape[64];
        snprintf(shape, sizeof shape, "%d x %d, %d entries", (int)m.rows, (int)m.cols, (int)m.nnz);
        assert_says(text, shape);
        assert_says(text, choice.kernel);
        assert_says(text, m.nnz > 0 ? "the rows" : "there are no entries");
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            assert_in_range(strcspn(line, "\n"), 1, 100);
            assert_int_not_equal(line[strcspn(line, "\n") - 1], ' ');
        }
        tulle_mat_destroy(A);
        zoo_free(&m);
    }
}

/* The words follow the settings. */
static void words(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_alternative list[MOST];
    assert_says(explained(ctx, TULLE_N, A), "by the rule tulle: ");
    assert_says(explained(ctx, TULLE_N, A), "For matrices in other formats");
    assert_silent(explained(ctx, TULLE_N, A), "  plan ");
    int count = alternatives_of(ctx, TULLE_N, A, list);
    for (int i = 0; i < count; i++) assert_says(explained(ctx, TULLE_N, A), list[i].kernel);

    must(tulle_ctx_force_kernel(ctx, list[0].kernel));
    assert_says(explained(ctx, TULLE_N, A), "forced");
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_ctx_set_rule(ctx, "reguly_giles"));
    bool on_cpu = strncmp(where, "cpu", 3) == 0;
    assert_says(explained(ctx, TULLE_N, A), on_cpu ? "the reference kernel" : "by the rule reguly");
    must(tulle_ctx_set_rule(ctx, "tulle"));

    must(tulle_mat_plan(ctx, TULLE_T, A, NULL));
    assert_says(explained(ctx, TULLE_T, A), "y = A^T x");
    assert_says(explained(ctx, TULLE_T, A), "by the plan");
    assert_says(explained(ctx, TULLE_T, A), "with a copy of A^T as ");
    assert_int_equal(alternatives_of(ctx, TULLE_T, A, list), kernels_for_vectors(ctx) + 1);

    must(tulle_mat_plan(ctx, TULLE_N, A, "spmv_sell"));
    assert_says(explained(ctx, TULLE_N, A), "with a copy of A as sell");
    must(tulle_mat_forget_plans(A));

    /* Nothing is measured for the sake of the text. */
    assert_says(explained(ctx, TULLE_N, A), "has measured nothing yet");
    double gbs = 0;
    must(tulle_ctx_copy_bandwidth(ctx, &gbs));
    assert_says(explained(ctx, TULLE_N, A), "this machine's copy bandwidth");
    tulle_mat_destroy(A);
    zoo_free(&m);
}

/* As far as the room goes, and always ended. */
static void cut(tulle_ctx *ctx, const char *where) {
    (void)where;
    static char part[ROOM];
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    const char *whole = explained(ctx, TULLE_N, A);
    size_t all = strlen(whole), length = 0;
    must(tulle_spmv_explain(ctx, TULLE_N, A, NULL, 0, &length));
    assert_int_equal(length, all);
    must(tulle_spmv_explain(ctx, TULLE_N, A, part, sizeof part, NULL));
    assert_string_equal(part, whole);
    for (size_t room = 1; room <= all + 1; room += room < all - 8 ? 7 : 1) {
        memset(part, 'x', sizeof part);
        must(tulle_spmv_explain(ctx, TULLE_N, A, part, room, &length));
        assert_int_equal(length, all);
        assert_int_equal(strlen(part), room - 1);
        assert_memory_equal(part, whole, room - 1);
        assert_int_equal(part[room], 'x');
    }
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_words(void **state) {
    (void)state;
    on_each_place(zoo_words);
    on_each_place(words);
    on_each_place(cut);
}

static void expect(tulle_status got, tulle_status want, const char *argument) {
    assert_int_equal(got, want);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    const tulle_status bad = TULLE_INVALID_ARGUMENT;
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_alternative one[1];
    char text[8];
    size_t length = 0;
    int count = 0;
    expect(tulle_spmv_explain(NULL, TULLE_N, A, text, 8, &length), bad, "ctx");
    expect(tulle_spmv_explain(ctx, TULLE_N, NULL, text, 8, &length), bad, "A");
    expect(tulle_spmv_explain(ctx, TULLE_N, A, NULL, 8, &length), bad, "text");
    expect(tulle_spmv_explain(ctx, (tulle_trans)2, A, text, 8, &length), bad, "op");
    expect(tulle_spmv_alternatives(NULL, TULLE_N, A, one, 1, &count), bad, "ctx");
    expect(tulle_spmv_alternatives(ctx, TULLE_N, NULL, one, 1, &count), bad, "A");
    expect(tulle_spmv_alternatives(ctx, TULLE_N, A, NULL, 1, &count), bad, "list");
    expect(tulle_spmv_alternatives(ctx, TULLE_N, A, one, -1, &count), bad, "room");
    expect(tulle_spmv_alternatives(ctx, TULLE_N, A, one, 1, NULL), bad, "count");
    expect(tulle_spmv_alternatives(ctx, (tulle_trans)2, A, one, 1, &count), bad, "op");
    must(tulle_ctx_force_kernel(ctx, "spmv_coo"));
    expect(tulle_spmv_explain(ctx, TULLE_N, A, text, 8, &length), TULLE_UNSUPPORTED, "A");
    assert_string_equal(tulle_last_error()->function, "tulle_spmv_explain");
    assert_string_equal(text, "");
    must(tulle_ctx_force_kernel(ctx, NULL));
    if (strncmp(where, "cpu", 3) != 0) {
        tulle_ctx *home = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &home));
        expect(tulle_spmv_explain(home, TULLE_N, A, text, 8, &length), TULLE_SPACE_MISMATCH, "A");
        expect(tulle_spmv_alternatives(home, TULLE_N, A, one, 1, &count), TULLE_SPACE_MISMATCH,
               "A");
        tulle_ctx_destroy(home);
    }
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}

static void each_allocation_fails(tulle_ctx *unused, const char *where) {
    (void)unused;
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    static char text[ROOM];
    must(tulle_spmv_reserve(ctx, TULLE_N, A));
    c.fail_at = c.requests + 1;
    assert_int_equal(tulle_spmv_explain(ctx, TULLE_N, A, text, sizeof text, NULL),
                     TULLE_OUT_OF_MEMORY);
    assert_string_equal(text, "");
    must(tulle_spmv_explain(ctx, TULLE_N, A, text, sizeof text, NULL));
    assert_int_equal(c.requests, c.fail_at + 1); /* there is one allocation */
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    zoo_free(&m);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    on_each_place(each_allocation_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
