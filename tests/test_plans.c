/* SPDX-License-Identifier: Apache-2.0 */
/* The life of plans: what they hold, who shares them, memory that runs out while they are built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

/* Of the zoo: rows of growing lengths, in order, which all formats can hold. */
enum { ZOO = 20 };

/* What objects hold; the workspace is the context's own. */
static int64_t held(const tulle_ctx *ctx) {
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    return (int64_t)(usage.in_use - usage.workspace);
}

static int64_t plan_bytes(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.plan_bytes;
}

/* The i-th kernel of a product with one vector, whatever its format; false behind the last. */
static bool find_kernel(const tulle_ctx *ctx, int i, tulle_kernel_info *info) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        must(tulle_kernel_describe(device.backend, k, info));
        if (strcmp(info->operation, "spmv") == 0 && i-- == 0) return true;
    }
    return false;
}

static const char *kernel_name(const tulle_ctx *ctx, int i) {
    tulle_kernel_info info;
    return find_kernel(ctx, i, &info) ? info.name : NULL;
}

static tulle_choice choice_of(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A) {
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, op, A, true, &choice));
    return choice;
}

/* y := op(A) x against the definition. */
static void multiply(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const zoo_matrix *m) {
    double x_host[64], y_host[64], y0[64] = {0};
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->cols : m->rows, &x));
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->rows : m->cols, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_vec_read(ctx, x, x_host, 0));
    must(tulle_spmv(ctx, op, tulle_num(2), A, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, y_host, 0));
    product p = {.op = op, .alpha = 2, .beta = 0, .x = x_host, .y0 = y0};
    assert_true(product_error(m, &p, TULLE_F64, y_host) <= 1);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
}

/* A GPU's pool may give out blocks of up to twice the size, also for the workspace. */
static int64_t slack(const tulle_ctx *ctx, const char *where, int64_t bytes) {
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    return strncmp(where, "cpu", 3) == 0 ? 0 : bytes + (int64_t)usage.workspace;
}

/* plan_bytes is what the plans hold. */
static void assert_held(const tulle_ctx *ctx, const char *where, const tulle_mat *A,
                        int64_t bytes) {
    int64_t expected = plan_bytes(A), room = slack(ctx, where, expected);
    assert_true(bytes >= expected - room && bytes <= expected + room);
}

/* A plan takes the place of the one before; after the matrix nothing is held. */
static void bytes(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(ZOO);
    int64_t nothing = held(ctx);
    tulle_kernel_info kernel;
    for (int i = 0; find_kernel(ctx, i, &kernel); i++) {
        tulle_index index = kernel.supports[TULLE_F64][TULLE_I64_I32] ? TULLE_I64_I32 : TULLE_I32;
        tulle_mat *A = zoo_mat(ctx, &m, index, TULLE_F64);
        int64_t before = held(ctx);
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            must(tulle_mat_plan(ctx, (tulle_trans)op, A, kernel.name));
            must(tulle_mat_plan(ctx, (tulle_trans)op, A, kernel.name));
            assert_held(ctx, where, A, held(ctx) - before);
            tulle_choice choice = choice_of(ctx, (tulle_trans)op, A);
            assert_string_equal(choice.by, "plan");
            assert_string_equal(choice.kernel, kernel.name);
            assert_true(choice.plan_bytes <= plan_bytes(A));
            assert_true(op == TULLE_N || choice.plan_bytes > 0);
            multiply(ctx, (tulle_trans)op, A, &m);
        }
        must(tulle_mat_forget_plans(A));
        assert_held(ctx, where, A, held(ctx) - before);
        assert_string_equal(choice_of(ctx, TULLE_T, A).by, "rule");
        tulle_mat_destroy(A);
        int64_t left = held(ctx) - nothing, room = slack(ctx, where, 0);
        assert_true(left >= -room && left <= room);
    }
    zoo_free(&m);
}

static void test_bytes(void **state) {
    (void)state;
    on_each_place(bytes);
}

/* A second matrix with the pattern gets its values in the plan's order, not another plan. */
static void siblings(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(ZOO);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *B = NULL, *C = NULL;
    const char *last = NULL;
    for (int i = 0; kernel_name(ctx, i); i++) last = kernel_name(ctx, i);
    must(tulle_mat_plan(ctx, TULLE_T, A, last));
    must(tulle_mat_with_values(ctx, A, TULLE_F64, m.nnz, m.values, &B));
    must(tulle_mat_copy(ctx, A, TULLE_F32, &C));
    assert_string_equal(choice_of(ctx, TULLE_T, B).by, "rule");
    multiply(ctx, TULLE_T, B, &m);
    must(tulle_mat_optimize(ctx, TULLE_T, B, 10));
    assert_string_equal(choice_of(ctx, TULLE_T, B).by, "plan");
    assert_string_equal(choice_of(ctx, TULLE_T, B).kernel, last);
    multiply(ctx, TULLE_T, B, &m);

    assert_string_equal(choice_of(ctx, TULLE_T, C).by, "rule"); /* of another type */
    must(tulle_mat_plan(ctx, TULLE_T, C, last));
    assert_string_equal(choice_of(ctx, TULLE_T, C).by, "plan");
    tulle_mat_destroy(A);
    tulle_mat_destroy(C);
    multiply(ctx, TULLE_T, B, &m);
    tulle_mat_destroy(B);
    zoo_free(&m);
}

static void test_siblings(void **state) {
    (void)state;
    on_each_place(siblings);
}

/* A plan takes the memory of the context that builds it, which may go before its plans and before
 * or after the matrix. */
static void other_context(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(ZOO);
    tulle_ctx *builder = NULL;
    must(tulle_ctx_create(where, NULL, &builder));
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int64_t before = held(ctx);
    must(tulle_mat_plan(builder, TULLE_T, A, NULL));
    must(tulle_mat_plan(builder, TULLE_N, A, NULL));
    assert_int_equal(held(ctx), before);
    assert_held(builder, where, A, held(builder));
    multiply(ctx, TULLE_T, A, &m);
    multiply(builder, TULLE_T, A, &m);
    tulle_ctx_destroy(builder);
    multiply(ctx, TULLE_T, A, &m);
    must(tulle_mat_set_values(ctx, A, m.nnz, m.values));
    multiply(ctx, TULLE_T, A, &m);
    tulle_mat_destroy(A);

    must(tulle_ctx_create(where, NULL, &builder));
    A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    must(tulle_mat_plan(builder, TULLE_T, A, NULL));
    tulle_mat_destroy(A);
    assert_int_equal(held(builder), 0);
    tulle_ctx_destroy(builder);
    zoo_free(&m);
}

static void test_other_context(void **state) {
    (void)state;
    on_each_place(other_context);
}

/* Builds a plan with the n-th request for memory failing; true when it no longer gets that far. */
static bool fail_once(const char *where, int kernel, tulle_trans op, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    zoo_matrix m = zoo_make(ZOO);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    const char *name = kernel_name(ctx, kernel);
    must(tulle_ctx_trim(ctx));
    int64_t before = held(ctx);
    c.fail_at = c.requests + n;
    tulle_status status = tulle_mat_plan(ctx, op, A, name);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_int_equal(held(ctx), before);
        assert_int_equal(plan_bytes(A), 0);
        multiply(ctx, op, A, &m);
        must(tulle_mat_plan(ctx, op, A, name));
    }
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m.cols : m.rows, &x));
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m.rows : m.cols, &y));
    must(tulle_vec_fill(ctx, x, 1));
    int64_t requests = c.requests;
    must(tulle_spmv(ctx, op, tulle_num(1), A, x, tulle_num(0), y)); /* takes no memory */
    assert_int_equal(c.requests, requests);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    multiply(ctx, op, A, &m);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    zoo_free(&m);
    assert_int_equal(c.live, 0);
    return done;
}

/* Kernels that prepare nothing ask for the same memory as others of their format. */
static void memory_runs_out(tulle_ctx *ctx, const char *where) {
    bool tried[TULLE_FORMAT_COUNT] = {false};
    tulle_kernel_info info;
    for (int i = 0; find_kernel(ctx, i, &info); i++) {
        if (tried[info.format] && !info.has_plan) continue;
        tried[info.format] = true;
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            int64_t n = 1;
            while (!fail_once(where, i, (tulle_trans)op, n)) n++;
            assert_true(n > 1);
        }
    }
}

static void test_memory_runs_out(void **state) {
    (void)state;
    once_on_each_place(memory_runs_out);
}

/* A plan that cannot be built leaves nothing, and says which call and argument were at fault. */
static void bad_names(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(ZOO);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int64_t before = held(ctx);
    assert_int_equal(tulle_mat_plan(ctx, TULLE_T, A, "spmv_nothing"), TULLE_NOT_FOUND);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_plan");
    assert_string_equal(tulle_last_error()->argument, "spec");
    char spec[128];
    snprintf(spec, sizeof spec, "%s:nonsense=1", kernel_name(ctx, 0));
    assert_int_equal(tulle_mat_plan(ctx, TULLE_T, A, spec), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_plan");
    assert_int_equal(held(ctx), before);
    assert_int_equal(plan_bytes(A), 0);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_bad_names(void **state) {
    (void)state;
    on_each_place(bad_names);
}

static int cancel(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)done;
    (void)total;
    ++*(int *)user;
    return 1;
}

/* Where a plan takes long enough to report progress, it can be cancelled; the report goes to who
 * builds it. */
static void cancelled(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(ZOO);
    tulle_ctx *builder = NULL;
    must(tulle_ctx_create(where, NULL, &builder));
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int owner = 0, reports = 0;
    must(tulle_ctx_set_progress(ctx, cancel, &owner));
    must(tulle_ctx_set_progress(builder, cancel, &reports));
    tulle_status status = tulle_mat_optimize(builder, TULLE_T, A, 10);
    assert_int_equal(owner, 0);
    assert_int_equal(status, reports > 0 ? TULLE_CANCELLED : TULLE_OK);
    if (reports > 0) {
        assert_int_equal(held(builder), 0);
        assert_int_equal(plan_bytes(A), 0);
    }
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    must(tulle_ctx_set_progress(builder, NULL, NULL));
    must(tulle_mat_optimize(builder, TULLE_T, A, 10));
    multiply(builder, TULLE_T, A, &m);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(builder);
    zoo_free(&m);
}

static void test_cancelled(void **state) {
    (void)state;
    on_each_place(cancelled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_other_context), cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_bad_names),     cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
