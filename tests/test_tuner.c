/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner as an API: products within the bound at every call, what is shared and what is not,
 * when it is tulle_spmv. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

/* The first, which does not count, and 15 more; each may be repeated once, where its kernel was
 * cold; and one that finds the last of them done. */
enum { MOST_CALLS = 2 * 16 + 1 };

static tulle_tuner *make_tuner(tulle_ctx *ctx, tulle_tuner_mode mode) {
    tulle_tuner_options options = {.mode = mode, .cache = ""};
    tulle_tuner *tuner = NULL;
    must(tulle_tuner_create(ctx, &options, &tuner));
    return tuner;
}

static tulle_vec *upload(tulle_ctx *ctx, const double *numbers, int64_t n) {
    tulle_vec *v = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, n, &v));
    must(tulle_vec_write(ctx, v, numbers, 0));
    return v;
}

/* A product with its vectors, on the host and in the context. */
typedef struct {
    tulle_ctx *ctx;
    zoo_matrix zoo;
    product p;
    double *x, *y0, *result;
    int64_t n, m;
    tulle_vec *x_there, *y_there;
} task;

static task make_task(tulle_ctx *ctx, int matrix, tulle_trans op, double alpha, double beta) {
    task t = {.ctx = ctx, .zoo = zoo_make(matrix)};
    uint64_t seed = 5;
    t.n = op == TULLE_N ? t.zoo.cols : t.zoo.rows;
    t.m = op == TULLE_N ? t.zoo.rows : t.zoo.cols;
    t.x = malloc((size_t)(t.n + 1) * sizeof *t.x);
    t.y0 = malloc((size_t)(t.m + 1) * sizeof *t.y0);
    t.result = malloc((size_t)(t.m + 1) * sizeof *t.result);
    assert_true(t.x && t.y0 && t.result);
    for (int64_t i = 0; i < t.n; i++) t.x[i] = zoo_number(&seed);
    for (int64_t i = 0; i < t.m; i++) t.y0[i] = beta == 0 ? NAN : zoo_number(&seed);
    t.p = (product){.op = op, .alpha = alpha, .beta = beta, .x = t.x, .y0 = t.y0};
    t.x_there = upload(ctx, t.x, t.n);
    t.y_there = upload(ctx, t.y0, t.m);
    return t;
}

static void free_task(task *t) {
    tulle_vec_destroy(t->x_there);
    tulle_vec_destroy(t->y_there);
    free(t->x);
    free(t->y0);
    free(t->result);
    zoo_free(&t->zoo);
}

static tulle_status call(task *t, tulle_tuner *tuner, const tulle_mat *A) {
    return tulle_tuner_spmv(tuner, t->p.op, tulle_num(t->p.alpha), A, t->x_there,
                            tulle_num(t->p.beta), t->y_there);
}

/* One call, checked. To read a result of no numbers does not wait. */
static void multiply(task *t, tulle_tuner *tuner, const tulle_mat *A) {
    must(tulle_vec_write(t->ctx, t->y_there, t->y0, 0));
    must(call(t, tuner, A));
    must(tulle_ctx_synchronize(t->ctx));
    must(tulle_vec_read(t->ctx, t->y_there, t->result, 0));
    assert_true(product_error(&t->zoo, &t->p, TULLE_F64, t->result) <= 1);
}

static tulle_tuner_info info_of(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A) {
    tulle_tuner_info info;
    must(tulle_tuner_describe(tuner, op, A, &info));
    return info;
}

static int calls_until_settled(task *t, tulle_tuner *tuner, const tulle_mat *A, int most) {
    int calls = 0;
    do {
        multiply(t, tuner, A);
        assert_in_range(++calls, 1, most);
    } while (!info_of(tuner, t->p.op, A).settled);
    return calls;
}

/* The path is what happened. Its last best step is the result; or the start is, where that step did
 * not win again at the end. */
static void check_path(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A) {
    tulle_tuner_info info = info_of(tuner, op, A);
    tulle_tuner_step step, best = {.ms = INFINITY};
    assert_in_range(info.steps, 1, MOST_CALLS);
    for (int i = 0; i < info.steps; i++) {
        must(tulle_tuner_path(tuner, op, A, i, &step));
        assert_true(step.ms >= 0);
        if (i == 0) assert_string_equal(step.spec, info.start);
        if (step.best) best = step;
    }
    if (strcmp(best.spec, info.best) == 0) {
        assert_true(best.ms >= info.best_ms);
    } else {
        assert_string_equal(info.best, info.start);
    }
    assert_true(0.98 * info.best_ms <= info.start_ms); /* less is no gain to the search */
    assert_int_equal(tulle_tuner_path(tuner, op, A, info.steps, &step), TULLE_NOT_FOUND);
    assert_int_equal(tulle_tuner_path(tuner, op, A, -1, &step), TULLE_NOT_FOUND);
}

static void each_call_is_right(tulle_ctx *ctx, const char *where) {
    for (int m = turn_of(where, 4); m < zoo_count(); m += is_slow(where) ? 4 : 1) {
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            task t = make_task(ctx, m, (tulle_trans)op, m % 2 ? -0.5 : 1, m % 3 ? 0 : 2);
            tulle_mat *A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64);
            tulle_tuner *tuner = make_tuner(ctx, TULLE_TUNE_ONLINE);
            calls_until_settled(&t, tuner, A, MOST_CALLS);
            check_path(tuner, t.p.op, A);
            int steps = info_of(tuner, t.p.op, A).steps;
            multiply(&t, tuner, A);
            assert_int_equal(info_of(tuner, t.p.op, A).steps, steps);
            tulle_tuner_destroy(tuner);
            tulle_mat_destroy(A);
            free_task(&t);
        }
    }
}

static void everything_is_tried(tulle_ctx *ctx, const char *where) {
    (void)where;
    task t = make_task(ctx, 8, TULLE_N, 1, 0);
    tulle_mat *A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64);
    tulle_tuner *tuner = make_tuner(ctx, TULLE_TUNE_EXHAUSTIVE);
    multiply(&t, tuner, A);
    tulle_tuner_info info = info_of(tuner, TULLE_N, A);
    if (!is_slow(where)) {
        calls_until_settled(&t, tuner, A, 20 * info.steps);
        info = info_of(tuner, TULLE_N, A);
        int best = 0;
        for (int i = 0; i < info.steps; i++) {
            tulle_tuner_step step;
            must(tulle_tuner_path(tuner, TULLE_N, A, i, &step));
            best += step.best;
            assert_true(step.counts && step.ms >= info.best_ms);
            if (step.best) assert_string_equal(step.spec, info.best);
        }
        assert_int_equal(best, 1);
    }
    assert_true(info.steps >= 2);
    tulle_tuner_destroy(tuner);
    tulle_mat_destroy(A);
    free_task(&t);
}

/* New values, a sibling, the same structure made anew: one search. Another op, structure or type:
 * another one. */
static void state_is_kept(tulle_ctx *ctx, const char *where) {
    (void)where;
    task t = make_task(ctx, 8, TULLE_N, 1, 0);
    tulle_mat *A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64), *B = NULL;
    tulle_tuner *tuner = make_tuner(ctx, TULLE_TUNE_ONLINE);
    tulle_tuner_info info;
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, A, &info), TULLE_NOT_FOUND);
    calls_until_settled(&t, tuner, A, MOST_CALLS);
    int steps = info_of(tuner, TULLE_N, A).steps;

    must(tulle_mat_set_values(ctx, A, t.zoo.nnz, t.zoo.values));
    multiply(&t, tuner, A);
    assert_int_equal(info_of(tuner, TULLE_N, A).steps, steps);
    must(tulle_mat_with_values(ctx, A, TULLE_F64, t.zoo.nnz, t.zoo.values, &B));
    assert_true(info_of(tuner, TULLE_N, B).settled);
    multiply(&t, tuner, B);
    assert_int_equal(info_of(tuner, TULLE_N, B).steps, steps);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64);
    assert_true(info_of(tuner, TULLE_N, A).settled);
    multiply(&t, tuner, A);
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_T, A, &info), TULLE_NOT_FOUND);
    tulle_mat_destroy(A);
    A = zoo_mat(ctx, &t.zoo, TULLE_I64, TULLE_F64);
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, A, &info), TULLE_NOT_FOUND);
    tulle_tuner_destroy(tuner);
    tulle_mat_destroy(A);
    free_task(&t);
}

/* Bitwise tulle_spmv, and nothing measured, where something else decides. */
static void expect_spmv(task *t, tulle_tuner *tuner, const tulle_mat *A) {
    size_t bytes = (size_t)t->m * sizeof(double);
    double *plain = malloc(bytes + 1);
    assert_non_null(plain);
    must(tulle_vec_write(t->ctx, t->y_there, t->y0, 0));
    must(tulle_spmv(t->ctx, t->p.op, tulle_num(t->p.alpha), A, t->x_there, tulle_num(t->p.beta),
                    t->y_there));
    must(tulle_vec_read(t->ctx, t->y_there, plain, 0));
    for (int i = 0; i < 4; i++) {
        multiply(t, tuner, A);
        assert_memory_equal(t->result, plain, bytes);
    }
    tulle_tuner_info info;
    assert_int_equal(tulle_tuner_describe(tuner, t->p.op, A, &info), TULLE_NOT_FOUND);
    free(plain);
}

static void others_decide(tulle_ctx *ctx, const char *where) {
    (void)where;
    task t = make_task(ctx, 8, TULLE_N, 1, 2);
    tulle_mat *A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64);
    tulle_tuner *tuner = make_tuner(ctx, TULLE_TUNE_ONLINE);
    must(tulle_ctx_set_repeatable(ctx, true));
    expect_spmv(&t, tuner, A);
    must(tulle_ctx_set_repeatable(ctx, false));
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, TULLE_N, A, false, &choice));
    must(tulle_ctx_force_kernel(ctx, choice.kernel));
    expect_spmv(&t, tuner, A);
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_mat_plan(ctx, TULLE_N, A, NULL));
    expect_spmv(&t, tuner, A);
    must(tulle_mat_forget_plans(A));
    calls_until_settled(&t, tuner, A, MOST_CALLS);
    tulle_tuner_destroy(tuner);
    tulle_mat_destroy(A);
    free_task(&t);
}

static void wrong_arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    task t = make_task(ctx, 8, TULLE_N, 1, 0);
    tulle_mat *A = zoo_mat(ctx, &t.zoo, TULLE_I32, TULLE_F64);
    tulle_tuner *tuner = (tulle_tuner *)1;
    tulle_tuner_info info;
    tulle_tuner_step step;
    tulle_tuner_cache_info cache;
    assert_int_equal(tulle_tuner_create(NULL, NULL, &tuner), TULLE_INVALID_ARGUMENT);
    assert_null(tuner);
    assert_int_equal(tulle_tuner_create(ctx, NULL, NULL), TULLE_INVALID_ARGUMENT);
    tulle_tuner_options bad[] = {{.mode = (tulle_tuner_mode)7, .cache = ""},
                                 {.cache = "", .max_calls = -1},
                                 {.cache = "", .max_calls = 1001}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tulle_tuner_create(ctx, &bad[i], &tuner), TULLE_INVALID_ARGUMENT);
        assert_string_equal(tulle_last_error()->argument, "options");
    }
    tuner = make_tuner(ctx, TULLE_TUNE_ONLINE);
    assert_int_equal(call(&t, NULL, A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(call(&t, tuner, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_spmv(tuner, (tulle_trans)2, tulle_num(1), A, t.x_there,
                                      tulle_num(0), t.y_there),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(
        tulle_tuner_spmv(tuner, TULLE_N, tulle_num(1), A, NULL, tulle_num(0), t.y_there),
        TULLE_INVALID_ARGUMENT);
    assert_int_equal(
        tulle_tuner_spmv(tuner, TULLE_N, tulle_num(1), A, t.x_there, tulle_num(0), NULL),
        TULLE_INVALID_ARGUMENT);
    if (t.n == t.m) {
        assert_int_equal(
            tulle_tuner_spmv(tuner, TULLE_N, tulle_num(1), A, t.y_there, tulle_num(0), t.y_there),
            TULLE_ALIASED);
    }
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, A, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_describe(tuner, (tulle_trans)2, A, &info), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_describe(NULL, TULLE_N, A, &info), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_path(tuner, TULLE_N, NULL, 0, &step), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_save(NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_tuner_cache(tuner, NULL), TULLE_INVALID_ARGUMENT);
    must(tulle_tuner_cache(tuner, &cache));
    assert_string_equal(cache.path, "");
    must(tulle_tuner_save(tuner));
    calls_until_settled(&t, tuner, A, MOST_CALLS); /* it serves as before */
    tulle_tuner_destroy(tuner);
    tulle_tuner_destroy(NULL);
    tulle_mat_destroy(A);
    free_task(&t);
}

/* A matrix of another place is refused; a tuner outlives the caller's hold on the context. */
static void test_places(void **state) {
    (void)state;
    tulle_ctx *cpu = NULL, *other = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    if (tulle_ctx_create("emulated", NULL, &other) != TULLE_OK) other = NULL;
    task t = make_task(cpu, 8, TULLE_N, 1, 0);
    tulle_mat *A = zoo_mat(cpu, &t.zoo, TULLE_I32, TULLE_F64);
    if (other) {
        tulle_tuner *tuner = make_tuner(other, TULLE_TUNE_ONLINE);
        tulle_tuner_info info;
        assert_int_equal(call(&t, tuner, A), TULLE_SPACE_MISMATCH);
        assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, A, &info), TULLE_SPACE_MISMATCH);
        tulle_tuner_destroy(tuner);
        tulle_ctx_destroy(other);
    }
    tulle_tuner *tuner = make_tuner(cpu, TULLE_TUNE_ONLINE);
    multiply(&t, tuner, A);
    tulle_mat_destroy(A);
    free_task(&t);
    tulle_ctx_destroy(cpu);
    tulle_tuner_destroy(tuner);
}

static void test_each_call_is_right(void **state) {
    (void)state;
    on_each_place(each_call_is_right);
}
static void test_everything_is_tried(void **state) {
    (void)state;
    on_each_place(everything_is_tried);
}
static void test_state_is_kept(void **state) {
    (void)state;
    on_each_place(state_is_kept);
}
static void test_others_decide(void **state) {
    (void)state;
    on_each_place(others_decide);
}
static void test_wrong_arguments(void **state) {
    (void)state;
    on_each_place(wrong_arguments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_call_is_right), cmocka_unit_test(test_everything_is_tried),
        cmocka_unit_test(test_state_is_kept),      cmocka_unit_test(test_others_decide),
        cmocka_unit_test(test_wrong_arguments),    cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
