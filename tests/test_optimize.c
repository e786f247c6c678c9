/* SPDX-License-Identifier: Apache-2.0 */
/* Plans on other forms of a matrix, and tulle_mat_optimize, which chooses among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/backend.h"
#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

/* Of the zoo: rows of growing lengths, in order; a band; whole and half-empty blocks. */
static const int subjects[] = {20, 21, 22, 24};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, MANY = 1000000000 };

/* y := 2 op(A) x against the definition. */
static void multiply(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const zoo_matrix *m,
                     tulle_type type) {
    double x_host[64], y0[64] = {0};
    union {
        float narrow[64];
        double wide[64];
    } x_read, y_read;
    tulle_vec *x = NULL, *y = NULL;
    int64_t inputs = op == TULLE_N ? m->cols : m->rows;
    must(tulle_vec_create(ctx, type, inputs, &x));
    must(tulle_vec_create(ctx, type, op == TULLE_N ? m->rows : m->cols, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_vec_read(ctx, x, &x_read, 0));
    for (int64_t i = 0; i < inputs; i++) {
        x_host[i] = type == TULLE_F32 ? (double)x_read.narrow[i] : x_read.wide[i];
    }
    must(tulle_spmv(ctx, op, tulle_num(2), A, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, &y_read, 0));
    product p = {.op = op, .alpha = 2, .beta = 0, .x = x_host, .y0 = y0};
    assert_true(product_error(m, &p, type, &y_read) <= 1);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
}

/* New values for A and for the definition. */
static void change_values(tulle_ctx *ctx, tulle_mat *A, zoo_matrix *m, tulle_type type) {
    static float narrow[64 * 64];
    for (int64_t e = 0; e < m->nnz; e++) {
        m->values[e] = (double)(e % 13) - 6;
        narrow[e] = (float)m->values[e];
    }
    must(tulle_mat_set_values(ctx, A, m->nnz,
                              type == TULLE_F32 ? (void *)narrow : (void *)m->values));
}

static int64_t plan_bytes(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.plan_bytes;
}

/* A plan for the kernel, new values, a sibling, and nothing left: true if the kernel took part. */
static bool try_form(tulle_ctx *ctx, const char *kernel, tulle_trans op, int subject,
                     tulle_type type, tulle_index index) {
    zoo_matrix m = zoo_make(subject);
    tulle_mat *A = zoo_mat(ctx, &m, index, type), *B = NULL;
    tulle_status status = tulle_mat_plan(ctx, op, A, kernel);
    if (status == TULLE_OK) {
        multiply(ctx, op, A, &m, type);
        change_values(ctx, A, &m, type);
        multiply(ctx, op, A, &m, type);
        must(tulle_mat_copy(ctx, A, type, &B));
        must(tulle_mat_optimize(ctx, op, B, 1));
        tulle_choice choice;
        must(tulle_spmv_describe(ctx, op, B, true, &choice));
        assert_string_equal(choice.kernel, kernel);
        multiply(ctx, op, B, &m, type);
        must(tulle_mat_forget_plans(A));
        tulle_mat_destroy(A);
        change_values(ctx, B, &m, type);
        multiply(ctx, op, B, &m, type);
        must(tulle_mat_forget_plans(B));
        assert_int_equal(plan_bytes(B), 0);
        tulle_mat_destroy(B);
    } else {
        assert_true(status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE);
        assert_int_equal(plan_bytes(A), 0);
        tulle_mat_destroy(A);
    }
    zoo_free(&m);
    return status == TULLE_OK;
}

/* Every kernel as a plan of a CSR matrix; on the emulator types and subjects take turns. */
static void forms(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "spmv") != 0 || !info.forward) continue;
        int taken = 0;
        for (int i = 0; i < 2 * 3 * 2 * SUBJECTS; i++) {
            int type = i % 2 ? TULLE_F64 : TULLE_F32, index = i / 2 % 3, op = i / 6 % 2, s = i / 12;
            if (is_slow(where) && (i + k) % 7 != 0) continue;
            if (!info.supports[type][index]) continue;
            taken += try_form(ctx, info.name, (tulle_trans)op, subjects[s], (tulle_type)type,
                              (tulle_index)index);
        }
        assert_true(taken > 0);
    }
}

static void test_forms(void **state) {
    (void)state;
    on_each_place(forms);
}

/* What a report says is what products do. */
static void check_report(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                         const tulle_optimize_report *r) {
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, op, A, true, &choice));
    assert_string_equal(choice.by, r->planned ? "plan" : "rule");
    assert_string_equal(choice.kernel, r->kernel);
    assert_string_equal(choice.params, r->params);
    assert_int_equal(choice.plan_bytes, r->plan_bytes);
    assert_true(r->before_us >= 0 && r->after_us > 0 && r->prepare_ms >= 0);
    assert_true(r->pays_after == -1 || (r->planned && r->after_us < r->before_us));
    assert_true(strlen(r->why) > 20 && r->why[strlen(r->why) - 1] == '.');
}

/* Where nothing is timed, another kernel on A itself is no plan: the rule has taken the cheapest by
 * the models. */
static void assert_no_hopes(const tulle_optimize_report *report) {
    if (!report->planned) return;
    assert_false(report->measured);
    assert_true(report->format != TULLE_CSR);
    assert_true(report->after_us <= 0.85 * report->before_us);
}

static void choices(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < 2 * 2 * SUBJECTS; i++) {
        zoo_matrix m = zoo_make(subjects[i / 4]);
        tulle_trans op = (tulle_trans)(i % 2);
        bool repeatable = i / 2 % 2;
        must(tulle_ctx_set_repeatable(ctx, repeatable));
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        tulle_optimize_options once = {.expected_calls = 1}, many = {.expected_calls = MANY};
        tulle_optimize_report report, again;
        bool always = op == TULLE_T && strncmp(where, "cpu", 3) != 0;
        must(tulle_mat_optimize_with(ctx, op, A, &once, &report));
        check_report(ctx, op, A, &report);
        assert_true(report.planned == always);
        must(tulle_mat_forget_plans(A));
        must(tulle_mat_optimize_with(ctx, op, A, &many, &report));
        check_report(ctx, op, A, &report);
        if (!repeatable) assert_true(report.after_us <= report.before_us || always);
        if (repeatable && op == TULLE_N) assert_no_hopes(&report);
        multiply(ctx, op, A, &m, TULLE_F64);
        change_values(ctx, A, &m, TULLE_F64);
        multiply(ctx, op, A, &m, TULLE_F64);
        must(tulle_mat_optimize_with(ctx, op, A, &many, &again));
        if (report.planned) { /* what is there stays */
            assert_string_equal(again.kernel, report.kernel);
            assert_int_equal(again.plan_bytes, report.plan_bytes);
        }
        must(tulle_mat_forget_plans(A));
        if (repeatable) {
            must(tulle_mat_optimize_with(ctx, op, A, &many, &again));
            assert_string_equal(again.why, report.why);
            assert_string_equal(again.params, report.params);
        }
        tulle_mat_destroy(A);
        zoo_free(&m);
    }
    must(tulle_ctx_set_repeatable(ctx, false));
}

static void test_choices(void **state) {
    (void)state;
    on_each_place(choices);
}

/* A stencil is stored by its diagonals, if there is room for that, to the byte, and if it pays. */
static void test_stencil(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_optimize_report report;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    must(tulle_ctx_set_repeatable(ctx, true));
    must(tulle_generate(ctx, "p2d5:200", 1, TULLE_F64, &A));
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle_optimize_options options = {.expected_calls = 1};
        must(tulle_mat_optimize_with(ctx, (tulle_trans)op, A, &options, &report));
        assert_false(report.planned);
        assert_non_null(strstr(report.why, "expected"));
        options = (tulle_optimize_options){.expected_calls = MANY, .memory = 100};
        must(tulle_mat_optimize_with(ctx, (tulle_trans)op, A, &options, &report));
        assert_int_equal(report.plan_bytes, 0);
        options.memory = 0;
        must(tulle_mat_optimize_with(ctx, (tulle_trans)op, A, &options, &report));
        assert_true(report.planned && !report.transposed);
        assert_true(report.after_us < report.before_us);
        assert_true(report.plan_bytes > 0 && report.plan_bytes <= plan_bytes(A));
        int64_t bytes = report.plan_bytes;
        for (options.memory = bytes; options.memory >= bytes - 1; options.memory--) {
            must(tulle_mat_forget_plans(A));
            must(tulle_mat_optimize_with(ctx, (tulle_trans)op, A, &options, &report));
            assert_int_equal(report.plan_bytes == bytes, options.memory == bytes);
        }
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Number of times that times_held_up has told. */
static int told;

/* Tells the same time of every batch of products, but a hundred times as much of the first one, as
 * where another program had the cores. */
static tulle_status times_held_up(tulle__device *device, void *from, void *to, double *ms) {
    (void)device;
    (void)from;
    (void)to;
    *ms = told++ == 0 ? 100 : 1;
    return TULLE_OK;
}

/* A batch that was held up does not make a plan seem faster: the matrix is so large that the
 * batches of all candidates have as many products. */
static void test_held_up(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_optimize_report report;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    must(tulle_generate(ctx, "p2d5:700", 1, TULLE_F64, &A));
    const tulle__backend *backend = ctx->backend;
    tulle__backend held_up = *backend;
    held_up.event_between = times_held_up;
    ctx->backend = &held_up;
    told = 0;
    tulle_optimize_options options = {.expected_calls = MANY};
    tulle_status status = tulle_mat_optimize_with(ctx, TULLE_N, A, &options, &report);
    ctx->backend = backend;
    must(status);
    assert_true(report.measured && told > 1);
    assert_false(report.planned);
    assert_true(report.before_us < 1000);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* f64 values as f32, where that is allowed: the zoo's are exact in both. */
static void narrow(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(subjects[0]);
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        tulle_optimize_options options = {.expected_calls = MANY, .f32_values = true};
        tulle_optimize_report report;
        must(tulle_mat_optimize_with(ctx, (tulle_trans)op, A, &options, &report));
        check_report(ctx, (tulle_trans)op, A, &report);
        multiply(ctx, (tulle_trans)op, A, &m, TULLE_F64);
        tulle_mat_destroy(A);
    }
    zoo_free(&m);
}

static void test_narrow(void **state) {
    (void)state;
    on_each_place(narrow);
}

/* With the n-th request for memory failing; true when it no longer gets that far. */
static bool fail_once(const char *where, int subject, tulle_trans op, bool repeatable, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_ctx_set_repeatable(ctx, repeatable));
    zoo_matrix m = zoo_make(subject);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    tulle_optimize_report report;
    tulle_optimize_options many = {.expected_calls = MANY};
    tulle_status status = tulle_mat_optimize_with(ctx, op, A, &many, &report);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        if (status != TULLE_OUT_OF_MEMORY) fail_msg("%s", tulle_last_error()->message);
        assert_int_equal(plan_bytes(A), 0);
        must(tulle_mat_optimize_with(ctx, op, A, &many, &report));
    }
    multiply(ctx, op, A, &m, TULLE_F64);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    zoo_free(&m);
    assert_int_equal(c.live, 0);
    return done;
}

static void memory_runs_out(tulle_ctx *unused, const char *where) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        int64_t n = 1;
        while (!fail_once(where, subjects[i % SUBJECTS], (tulle_trans)(i % 2), i / 2, n)) n++;
    }
}

static void test_memory_runs_out(void **state) {
    (void)state;
    once_on_each_place(memory_runs_out);
}

/* Cancels at the question whose number the user pointer holds. */
static int cancel_at(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)done;
    (void)total;
    return --*(int *)user == 0;
}

/* Cancels a call that prepares many products at each of its questions; returns their number. */
static int cancel_each(tulle_ctx *ctx, tulle_trans op, const zoo_matrix *m) {
    const tulle_optimize_options many = {.expected_calls = MANY};
    tulle_status status = TULLE_CANCELLED;
    int questions = 0;
    while (status == TULLE_CANCELLED) {
        int left = ++questions;
        tulle_mat *A = zoo_mat(ctx, m, TULLE_I32, TULLE_F64);
        must(tulle_ctx_set_progress(ctx, cancel_at, &left));
        status = tulle_mat_optimize_with(ctx, op, A, &many, NULL);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        if (status == TULLE_CANCELLED) assert_int_equal(plan_bytes(A), 0);
        multiply(ctx, op, A, m, TULLE_F64);
        tulle_mat_destroy(A);
    }
    must(status);
    return questions - 1;
}

/* The caller is asked before each form and before each batch of products, and may cancel. */
static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(subjects[0]);
    const int forward = cancel_each(ctx, TULLE_N, &m), back = cancel_each(ctx, TULLE_T, &m);
    assert_true(forward > 4 && back > 4);
    zoo_free(&m);
}

static void test_cancelled(void **state) {
    (void)state;
    once_on_each_place(cancelled);
}

/* Failures on the way to a choice are nobody's business; a caller's mistakes are. */
static void test_records(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    zoo_matrix m = zoo_make(17); /* with repeated entries */
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    assert_int_equal(tulle_ctx_set_rule(ctx, "guess"), TULLE_NOT_FOUND);
    tulle_optimize_options options = {.expected_calls = MANY};
    must(tulle_mat_optimize_with(ctx, TULLE_N, A, &options, NULL));
    must(tulle_mat_optimize_with(ctx, TULLE_T, A, NULL, NULL));
    assert_string_equal(tulle_last_error()->function, "tulle_ctx_set_rule");
    multiply(ctx, TULLE_T, A, &m, TULLE_F64);
    assert_int_equal(tulle_mat_plan(ctx, TULLE_N, A, "spmv_dia"), TULLE_UNSUPPORTED);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_plan");
    assert_non_null(strstr(tulle_last_error()->message, "repeated"));
    static const tulle_optimize_options bad[] = {
        {.expected_calls = -1}, {.vectors = -1}, {.memory = -1}, {.layout = (tulle_layout)7}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tulle_mat_optimize_with(ctx, TULLE_N, A, &bad[i], NULL),
                         TULLE_INVALID_ARGUMENT);
        assert_string_equal(tulle_last_error()->argument, "options");
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    zoo_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),   cmocka_unit_test(test_choices),
        cmocka_unit_test(test_stencil), cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_records), cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_held_up), cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
