/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel serves a call, with kernels made up for the purpose: forced, plan, rule, reference;
 * "not my case"; kernels that need a plan or do not repeat; what failures leave as a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "spmv/plan/make.h"
#include "spmv/rule/rule.h"
#include "spmv/select.h"
#include "tulle/advanced.h"
#include "zoo.h"

/* Kernels that leave their mark in y, or refuse. */
static tulle_status run_refuses(const tulle__spmv_task *task) {
    (void)task;
    return TULLE_UNSUPPORTED;
}
static tulle_status run_once(const tulle__spmv_task *task) {
    *(double *)task->y = 17;
    return TULLE_OK;
}
static tulle_status run_planned(const tulle__spmv_task *task) {
    *(double *)task->y = *(const double *)task->prepared + (double)task->prepared_count;
    return TULLE_OK;
}
static size_t one_double(const tulle__spmv_shape *shape, const int *params) {
    (void)shape;
    (void)params;
    return sizeof(double);
}
static tulle_status prepare(const tulle__spmv_task *task, void *prepared, int64_t *count) {
    (void)task;
    *(double *)prepared = 16;
    *count = 7;
    return TULLE_OK;
}
static tulle_status prepare_refuses(const tulle__spmv_task *task, void *prepared, int64_t *count) {
    (void)task;
    (void)prepared;
    (void)count;
    return tulle__fail(TULLE_DEVICE_FAULT, NULL, NULL, -1, "made up");
}
static double cheapest(const tulle__spmv_shape *shape, const int *params) {
    (void)shape;
    (void)params;
    return 0;
}
static double dearest(const tulle__spmv_shape *shape, const int *params) {
    (void)shape;
    (void)params;
    return 1e300;
}
static int64_t no_bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    (void)shape;
    (void)params;
    (void)beta_zero;
    return 0;
}

enum { BOTH = TULLE__FORWARD | TULLE__TRANSPOSED, REPEATS = TULLE__REPEATABLE };

static const tulle__spmv_kernel refuses = {
    .head = {.name = "refuses", .format = TULLE_CSR, .flags = BOTH | REPEATS | TULLE__REPEATABLE_T},
    .bytes = no_bytes,
    .cost = cheapest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_refuses};
static const tulle__spmv_kernel wavers = {
    .head = {.name = "wavers", .format = TULLE_CSR, .flags = BOTH},
    .bytes = no_bytes,
    .cost = cheapest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_once};
static const tulle__spmv_kernel planned = {
    .head = {.name = "planned", .format = TULLE_CSR, .flags = BOTH | REPEATS | TULLE__NEEDS_PLAN},
    .prepared_bytes = one_double,
    .prepare = prepare,
    .bytes = no_bytes,
    .cost = cheapest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_planned};
static const tulle__spmv_kernel faulty = {
    .head = {.name = "faulty", .format = TULLE_CSR, .flags = BOTH | REPEATS},
    .prepared_bytes = one_double,
    .prepare = prepare_refuses,
    .bytes = no_bytes,
    .cost = dearest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_once};

static const tulle__spmv_kernel historical = {
    .head = {.name = "historical",
             .format = TULLE_CSR,
             .flags = BOTH | REPEATS | TULLE__REPEATABLE_T | TULLE__HISTORICAL},
    .bytes = no_bytes,
    .cost = cheapest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_once};

enum { BLOCKS = BOTH | REPEATS | TULLE__MULTIVECTOR };

static const tulle__spmv_kernel blocks = {
    .head = {.name = "blocks", .format = TULLE_CSR, .flags = BLOCKS},
    .bytes = no_bytes,
    .cost = dearest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_once};
static const tulle__spmv_kernel prepared_blocks = {
    .head = {.name = "prepared blocks", .format = TULLE_CSR, .flags = BLOCKS},
    .prepared_bytes = one_double,
    .prepare = prepare,
    .bytes = no_bytes,
    .cost = dearest,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_planned};

/* A CPU context whose registry holds the kernels above and the CPU's own, with a matrix of ones. */
typedef struct {
    const tulle__kernel *kernels[8];
    tulle__backend backend;
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *x, *y;
} fixture;

static void set_up(fixture *f) {
    static const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    static const double ones[] = {1, 1};
    must(tulle_ctx_create("cpu:1", NULL, &f->ctx));
    f->backend = *f->ctx->backend;
    const tulle__spmv_kernel *made_up[] = {&refuses, &wavers, &planned, &faulty};
    const tulle__kernels *own = &f->ctx->backend->kernels[TULLE__OP_SPMV];
    int count = 0;
    for (; count < 4; count++) f->kernels[count] = &made_up[count]->head;
    for (int i = 0; i < own->count && count < 8; i++) f->kernels[count++] = own->item[i];
    f->backend.kernels[TULLE__OP_SPMV] = (tulle__kernels){f->kernels, count};
    f->ctx->backend = &f->backend;
    must(tulle_mat_create_csr(f->ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, ones, NULL,
                              &f->A));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->x));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->y));
    must(tulle_vec_fill(f->ctx, f->x, 5));
}

static void tear_down(fixture *f) {
    tulle_vec_destroy(f->x);
    tulle_vec_destroy(f->y);
    tulle_mat_destroy(f->A);
    tulle_ctx_destroy(f->ctx);
}

/* What a product leaves in y[0]: 5 from a real kernel. */
static double product(fixture *f, tulle_trans op) {
    double y[2];
    must(tulle_spmv(f->ctx, op, tulle_num(1), f->A, f->x, tulle_num(0), f->y));
    must(tulle_vec_read(f->ctx, f->y, y, 0));
    return y[0];
}

static tulle_status status_of(fixture *f, tulle_trans op) {
    return tulle_spmv(f->ctx, op, tulle_num(1), f->A, f->x, tulle_num(0), f->y);
}

static const char *chosen_by(fixture *f, tulle_trans op) {
    tulle_choice choice;
    must(tulle_spmv_describe(f->ctx, op, f->A, true, &choice));
    return choice.by;
}

static void expect_record(const char *function, const char *argument) {
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_true(strlen(tulle_last_error()->message) > 0);
}

/* The rule picks the cheapest, which refuses: the reference kernel serves. */
static void test_not_my_case(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tulle_choice choice;
    must(tulle_spmv_describe(f.ctx, TULLE_N, f.A, true, &choice));
    assert_string_equal(choice.kernel, "refuses");
    assert_string_equal(choice.by, "rule");
    assert_true(product(&f, TULLE_N) == 5);
    assert_true(product(&f, TULLE_T) == 5);
    must(tulle_mat_plan(f.ctx, TULLE_N, f.A, "refuses"));
    assert_string_equal(chosen_by(&f, TULLE_N), "plan");
    assert_true(product(&f, TULLE_N) == 5);
    must(tulle_ctx_force_kernel(f.ctx, "refuses"));
    assert_int_equal(status_of(&f, TULLE_N), TULLE_UNSUPPORTED);
    expect_record("tulle_spmv", "A");
    tear_down(&f);
}

static void test_needs_plan(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    must(tulle_ctx_force_kernel(f.ctx, "planned"));
    assert_int_equal(status_of(&f, TULLE_N), TULLE_NEEDS_PLAN);
    expect_record("tulle_spmv", "A");
    tulle_choice choice;
    assert_int_equal(tulle_spmv_describe(f.ctx, TULLE_T, f.A, true, &choice), TULLE_NEEDS_PLAN);
    expect_record("tulle_spmv_describe", "A");
    must(tulle_mat_plan(f.ctx, TULLE_N, f.A, "planned"));
    must(tulle_mat_plan(f.ctx, TULLE_T, f.A, "planned"));
    assert_true(product(&f, TULLE_N) == 23);
    assert_true(product(&f, TULLE_T) == 23);
    assert_string_equal(chosen_by(&f, TULLE_N), "forced");
    must(tulle_ctx_force_kernel(f.ctx, "spmv_csr"));
    assert_true(product(&f, TULLE_N) == 5);
    must(tulle_ctx_force_kernel(f.ctx, NULL));
    assert_true(product(&f, TULLE_T) == 23);
    assert_string_equal(chosen_by(&f, TULLE_N), "plan");
    must(tulle_mat_forget_plans(f.A));
    assert_true(product(&f, TULLE_N) == 5);
    tear_down(&f);
}

/* What stands as it was published serves who names it and nobody else, however cheap it seems. */
static void test_historical(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    for (int k = 0; k < 3; k++) f.kernels[k] = &historical.head; /* for the others that cost 0 */
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        assert_true(product(&f, (tulle_trans)op) == 5);
        must(tulle_mat_optimize(f.ctx, (tulle_trans)op, f.A, 1000000));
        assert_true(product(&f, (tulle_trans)op) == 5);
        must(tulle_mat_plan(f.ctx, (tulle_trans)op, f.A, NULL));
        assert_true(product(&f, (tulle_trans)op) == 5);
        must(tulle_ctx_force_kernel(f.ctx, "historical"));
        assert_true(product(&f, (tulle_trans)op) == 17);
        must(tulle_ctx_force_kernel(f.ctx, NULL));
        must(tulle_mat_plan(f.ctx, (tulle_trans)op, f.A, "historical"));
        assert_true(product(&f, (tulle_trans)op) == 17);
    }
    tear_down(&f);
}

/* What does not repeat serves only without the repeatable setting, and A x only when asked for by
 * name. */
static void test_repeatable(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    f.kernels[0] = &wavers.head; /* in the place of the one that refuses */
    assert_true(product(&f, TULLE_N) == 5);
    assert_true(product(&f, TULLE_T) == 17);
    must(tulle_mat_plan(f.ctx, TULLE_N, f.A, "wavers"));
    assert_true(product(&f, TULLE_N) == 17);
    must(tulle_ctx_set_repeatable(f.ctx, true));
    assert_true(product(&f, TULLE_N) == 5);
    assert_true(product(&f, TULLE_T) == 5);
    must(tulle_ctx_force_kernel(f.ctx, "wavers"));
    assert_int_equal(status_of(&f, TULLE_N), TULLE_UNSUPPORTED);
    assert_int_equal(status_of(&f, TULLE_T), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "repeatably"));
    must(tulle_ctx_set_repeatable(f.ctx, false));
    assert_true(product(&f, TULLE_N) == 17);
    tear_down(&f);
}

/* A plan for A^T x multiplies the transpose by x: that repeats where the kernel's A x does. */
static void test_repeatable_on_the_transpose(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    must(tulle_ctx_set_repeatable(f.ctx, true));
    must(tulle_mat_plan(f.ctx, TULLE_T, f.A, "planned"));
    assert_string_equal(chosen_by(&f, TULLE_T), "plan");
    assert_true(product(&f, TULLE_T) == 23);
    tear_down(&f);
}

/* Who serves a row-major product of so many vectors, with a plan for two. */
static void expect_for_blocks(fixture *f, const tulle__spmv_kernel *kernel, int64_t vectors,
                              const char *by) {
    tulle__plan_request request = {.function = "test",
                                   .call = {.op = TULLE_N,
                                            .vectors = 2,
                                            .x_layout = TULLE_ROW_MAJOR,
                                            .y_layout = TULLE_ROW_MAJOR},
                                   .spec = {.kernel = &kernel->head},
                                   .values = TULLE__VALUES_F64};
    tulle__plan *plan = NULL;
    pthread_mutex_lock(&f->A->pattern->building);
    must(tulle__plan_make(f->ctx, f->A, &request, &plan));
    tulle__plan_put(f->A->pattern, plan);
    pthread_mutex_unlock(&f->A->pattern->building);
    tulle_vec *X = NULL, *Y = NULL;
    tulle_choice choice;
    must(tulle_vec_create_columns(f->ctx, TULLE_F64, 2, vectors, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_create_columns(f->ctx, TULLE_F64, 2, vectors, TULLE_ROW_MAJOR, 0, &Y));
    must(tulle_spmm_describe(f->ctx, TULLE_N, f->A, X, Y, true, &choice));
    assert_string_equal(choice.by, by);
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
}

/* A plan for some vectors serves other numbers of them too, unless its kernel has prepared data. */
static void test_other_blocks(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    expect_for_blocks(&f, &blocks, 2, "plan");
    expect_for_blocks(&f, &blocks, 3, "plan");
    expect_for_blocks(&f, &prepared_blocks, 2, "plan");
    expect_for_blocks(&f, &prepared_blocks, 3, "rule");
    tear_down(&f);
}

/* Kernels for multivectors take nothing else. */
static void test_blocks_alone(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tulle__spmv_call call = tulle__one_vector(TULLE_N);
    tulle__spmv_shape shape = tulle__spmv_shape_now(f.ctx, f.A, &call);
    tulle__spec one = {.kernel = &faulty.head}, several = {.kernel = &blocks.head};
    assert_true(tulle__spmv_settle(&one, &shape, TULLE__FORWARD));
    assert_false(tulle__spmv_settle(&one, &shape, TULLE__FORWARD | TULLE__MULTIVECTOR));
    assert_false(tulle__spmv_settle(&several, &shape, TULLE__FORWARD));
    assert_true(tulle__spmv_settle(&several, &shape, TULLE__FORWARD | TULLE__MULTIVECTOR));
    tear_down(&f);
}

/* The published rule on both sides of its steps: 128 threads over the lanes that share a row. */
static void test_published_rule(void **state) {
    (void)state;
    assert_int_equal(tulle__reguly_giles_rows(1000, 1), 128);
    assert_int_equal(tulle__reguly_giles_rows(1000, 4), 64); /* an exact power of two stays */
    assert_int_equal(tulle__reguly_giles_rows(1000, 4.1), 32);
    assert_int_equal(tulle__reguly_giles_rows(1000, 1e6), 4);
    assert_int_equal(tulle__reguly_giles_rows(128 * 2999, 1), 128);
    assert_int_equal(tulle__reguly_giles_rows(128 * 3000, 1), 256); /* 1500 blocks remain */
    assert_int_equal(tulle__reguly_giles_rows((int64_t)1 << 40, 1), 32 * 128);
}

/* A call that succeeds leaves the record of the last failure alone. */
static void test_record_stays(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    assert_int_equal(tulle_ctx_set_rule(f.ctx, "guess"), TULLE_NOT_FOUND);
    must(tulle_ctx_force_kernel(f.ctx, "wavers"));
    must(tulle_ctx_set_repeatable(f.ctx, true));
    tulle_mat *B = NULL;
    const double twos[] = {2, 2};
    must(tulle_mat_with_values(f.ctx, f.A, TULLE_F64, 2, twos, &B)); /* cannot be multiplied now */
    must(tulle_ctx_force_kernel(f.ctx, NULL));
    assert_true(product(&f, TULLE_N) == 5);
    tulle_ctx *other = NULL;
    must(tulle_ctx_create("auto", NULL, &other)); /* with or without a GPU */
    tulle_device_count(TULLE_CUDA);
    tulle_device_missing((tulle_backend)9);
    tulle_kernel_count((tulle_backend)9);
    expect_record("tulle_ctx_set_rule", "rule");
    tulle_ctx_destroy(other);
    tulle_mat_destroy(B);
    tear_down(&f);
}

/* A plan whose preparation fails leaves the matrix as it was. */
static void test_preparation_fails(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tulle_memory_usage before, after;
    must(tulle_ctx_memory(f.ctx, &before));
    assert_int_equal(tulle_mat_plan(f.ctx, TULLE_T, f.A, "faulty"), TULLE_DEVICE_FAULT);
    must(tulle_ctx_memory(f.ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    assert_string_equal(chosen_by(&f, TULLE_T), "rule");
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_my_case),
        cmocka_unit_test(test_needs_plan),
        cmocka_unit_test(test_historical),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_repeatable_on_the_transpose),
        cmocka_unit_test(test_other_blocks),
        cmocka_unit_test(test_blocks_alone),
        cmocka_unit_test(test_published_rule),
        cmocka_unit_test(test_record_stays),
        cmocka_unit_test(test_preparation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
