/* SPDX-License-Identifier: Apache-2.0 */
/* Products on what tulle_mat_optimize_with has prepared: multivectors beside a plan for one,
 * and f64 values that it may keep as f32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "matrix/matrix.h"
#include "places.h"
#include "spmv/plan/make.h"
#include "spmv/select.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

enum { VECTORS = 5 };

/* Y := 2 op(A) X against the definition, and what it ran on. */
static tulle_choice multiply(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                             const zoo_matrix *m, int64_t vectors, tulle_layout layout) {
    host_block x0 =
        host_block_make(op == TULLE_N ? m->cols : m->rows, vectors, layout, 0, TULLE_F64);
    host_block y0 =
        host_block_make(op == TULLE_N ? m->rows : m->cols, vectors, layout, 0, TULLE_F64);
    host_block got = host_block_make(y0.rows, vectors, layout, 0, TULLE_F64);
    uint64_t state = 7;
    for (int64_t i = 0; i < x0.count; i++) x0.numbers[i] = zoo_number(&state);
    place_block x = place_block_make(ctx, &x0), y = place_block_make(ctx, &y0);
    tulle_choice choice;
    must(tulle_spmm_describe(ctx, op, A, x.block, y.block, true, &choice));
    must(tulle_spmm(ctx, op, tulle_num(2), A, x.block, tulle_num(0), y.block));
    place_block_read(ctx, &y, &got);
    product p = {.op = op, .alpha = 2, .beta = 0};
    double error = host_block_error(m, p, &x0, &y0, &got);
    if (!(error <= 1)) {
        fail_msg("'%s', op %d, %ld vectors, layout %d, %s by %s: error %g bounds", m->name, op,
                 (long)vectors, layout, choice.kernel, choice.by, error);
    }
    place_block_free(&x);
    place_block_free(&y);
    host_block_free(&x0);
    host_block_free(&y0);
    host_block_free(&got);
    return choice;
}

/* By the models alone, as the repeatable setting has it, so that the choice is the same each time.
 */
static tulle_optimize_report optimise(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                      tulle_optimize_options options) {
    tulle_optimize_report report;
    options.expected_calls = 1000000000;
    must(tulle_ctx_set_repeatable(ctx, true));
    must(tulle_mat_optimize_with(ctx, op, A, &options, &report));
    must(tulle_ctx_set_repeatable(ctx, false));
    return report;
}

static void change_values(tulle_ctx *ctx, tulle_mat *A, zoo_matrix *m) {
    for (int64_t e = 0; e < m->nnz; e++) m->values[e] = (double)(e % 13) - 6;
    must(tulle_mat_set_values(ctx, A, m->nnz, m->values));
}

/* One vector and blocks in both layouts; a plan for one vector stays what it is. */
static void all_products(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const zoo_matrix *m) {
    tulle_choice before, after;
    must(tulle_spmv_describe(ctx, op, A, true, &before));
    multiply(ctx, op, A, m, VECTORS, TULLE_ROW_MAJOR);
    multiply(ctx, op, A, m, VECTORS, TULLE_COLUMN_MAJOR);
    multiply(ctx, op, A, m, 1, TULLE_COLUMN_MAJOR);
    must(tulle_spmv_describe(ctx, op, A, true, &after));
    assert_string_equal(after.by, before.by);
    assert_string_equal(after.kernel, before.kernel);
    assert_int_equal(after.plan_bytes, before.plan_bytes);
}

/* Optimised for one vector, then for blocks too: true if there was a plan for one. */
static bool optimise_both(tulle_ctx *ctx, tulle_trans op, zoo_matrix *m, tulle_layout layout) {
    tulle_mat *A = zoo_mat(ctx, m, TULLE_I32, TULLE_F64);
    tulle_optimize_options several = {.vectors = VECTORS, .layout = layout};
    tulle_optimize_report one = optimise(ctx, op, A, (tulle_optimize_options){0});
    all_products(ctx, op, A, m);
    tulle_optimize_report blocks = optimise(ctx, op, A, several);
    tulle_choice choice = multiply(ctx, op, A, m, VECTORS, layout);
    if (blocks.planned) assert_string_equal(choice.by, "plan");
    all_products(ctx, op, A, m);
    change_values(ctx, A, m);
    all_products(ctx, op, A, m);
    tulle_mat_destroy(A);
    return one.planned;
}

/* Of the zoo: rows of growing lengths; a band; whole and half-empty blocks. */
static void small(tulle_ctx *ctx, const char *where) {
    static const int subjects[] = {20, 21, 22, 24};
    int planned = 0;
    for (int i = 0; i < 4 * 2 * 2; i++) {
        zoo_matrix m = zoo_make(subjects[i / 4]);
        planned += optimise_both(ctx, (tulle_trans)(i % 2), &m, (tulle_layout)(i / 2 % 2));
        zoo_free(&m);
    }
    assert_true(planned > 0 || strncmp(where, "cpu", 3) == 0);
}

/* The pattern of a generated matrix on the host; few of its values are exact in f32. */
static zoo_matrix generated(tulle_ctx *ctx, const char *spec) {
    tulle_mat *A = NULL;
    tulle_mat_info info;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    must(tulle_mat_describe(A, &info));
    int32_t *offsets = calloc((size_t)info.rows + 1, sizeof *offsets);
    int32_t *columns = calloc((size_t)info.nnz + 1, sizeof *columns);
    zoo_matrix m = {.name = spec, .rows = info.rows, .cols = info.cols, .nnz = info.nnz};
    m.offsets = calloc((size_t)info.rows + 1, sizeof *m.offsets);
    m.columns = calloc((size_t)info.nnz + 1, sizeof *m.columns);
    m.values = calloc((size_t)info.nnz + 1, sizeof *m.values);
    assert_true(offsets && columns && m.offsets && m.columns && m.values);
    must(tulle_mat_read(ctx, A, offsets, NULL, columns, NULL));
    for (int64_t i = 0; i <= m.rows; i++) m.offsets[i] = offsets[i];
    for (int64_t e = 0; e < m.nnz; e++) {
        m.columns[e] = columns[e];
        m.values[e] = 1 / (double)(3 + e % 11);
    }
    free(offsets);
    free(columns);
    tulle_mat_destroy(A);
    return m;
}

/* A stencil, where the models promise enough for a plan on the CPU. */
static void test_blocks(void **state) {
    (void)state;
    on_each_place(small);
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    zoo_matrix m = generated(ctx, "p2d5:150");
    assert_true(optimise_both(ctx, TULLE_N, &m, TULLE_ROW_MAJOR));
    assert_true(optimise_both(ctx, TULLE_T, &m, TULLE_COLUMN_MAJOR));
    zoo_free(&m);
    tulle_ctx_destroy(ctx);
}

static void round_values(zoo_matrix *m) {
    for (int64_t e = 0; e < m->nnz; e++) m->values[e] = (double)(float)m->values[e];
}

/* Values kept as f32 are A's rounded once, and all else is the f64 product: it keeps that bound. So
 * do new values. The zoo_matrix gets the rounded values. */
static void check_narrow(tulle_ctx *ctx, tulle_trans op, tulle_mat *A, zoo_matrix *m) {
    for (int shift = 0; shift < 2; shift++) {
        for (int64_t e = 0; e < m->nnz; e++) m->values[e] = 1 / (double)(3 + (e + shift) % 11);
        must(tulle_mat_set_values(ctx, A, m->nnz, m->values));
        round_values(m);
        tulle_choice choice = multiply(ctx, op, A, m, 1, TULLE_COLUMN_MAJOR);
        assert_string_equal(choice.by, "plan");
        assert_string_equal(choice.kernel, "spmv_packed");
    }
}

/* Chosen by the models, on a stencil that leaves the launch behind. */
static void test_narrow_chosen(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    zoo_matrix m = generated(ctx, "p2d9:150");
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_optimize_options allowed = {.f32_values = true};
    tulle_optimize_report report = optimise(ctx, TULLE_N, A, (tulle_optimize_options){0});
    assert_true(report.planned && !report.narrow); /* never unless allowed */
    must(tulle_mat_forget_plans(A));
    report = optimise(ctx, TULLE_N, A, allowed);
    if (!report.narrow) fail_msg("%s", report.why);
    assert_non_null(strstr(report.why, "values in f32"));
    check_narrow(ctx, TULLE_N, A, &m);
    tulle_mat_destroy(A);
    zoo_free(&m);
    tulle_ctx_destroy(ctx);
}

/* The plan that the contest would request, where the models of a GPU refuse it for so few rows. */
static void plan_packed(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, tulle__values values) {
    tulle__plan_request request = {
        .function = "test", .call = tulle__one_vector(op), .values = values};
    int operation;
    must(tulle__spec_parse(ctx->backend, "test", "spmv_packed", &request.spec, &operation));
    tulle__plan *plan = NULL;
    pthread_mutex_lock(&A->pattern->building);
    must(tulle__plan_make(ctx, A, &request, &plan));
    tulle__plan_put(A->pattern, plan);
    tulle__copies_prune(A, NULL);
    pthread_mutex_unlock(&A->pattern->building);
}

/* After the narrow copy a whole one of the same form, which keeps the bound of values as they are;
 * the narrow one goes with its plan. */
static void narrow(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = generated(ctx, is_slow(where) ? "p2d9:20" : "p2d9:100");
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        plan_packed(ctx, A, (tulle_trans)op, TULLE__VALUES_F32_F64);
        check_narrow(ctx, (tulle_trans)op, A, &m);
        for (int64_t e = 0; e < m.nnz; e++) m.values[e] = 1 / (double)(3 + e % 11);
        must(tulle_mat_set_values(ctx, A, m.nnz, m.values));
        plan_packed(ctx, A, (tulle_trans)op, tulle__values_of(TULLE_F64));
        for (const tulle__copy *c = A->copies; c; c = c->next) assert_int_equal(c->type, TULLE_F64);
        tulle_choice choice = multiply(ctx, (tulle_trans)op, A, &m, 1, TULLE_COLUMN_MAJOR);
        assert_string_equal(choice.by, "plan");
        tulle_mat_destroy(A);
    }
    zoo_free(&m);
}

static void test_narrow(void **state) {
    (void)state;
    on_each_place(narrow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_narrow_chosen),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
