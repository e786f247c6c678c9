/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular systems in batches: within their bound and bit for bit tulle_trisolve's, of all
 * triangles, blocks and types, several side by side; a zero on the diagonal; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch_ways.h"
#include "core/context.h"
#include "places.h"
#include "trisolve_check.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { SYSTEMS = 5 };

typedef struct {
    trisolve_setting s;
    entries e;
    tulle_mat *A;
    columns b, want;
    placed on_b, x;
} one;

static one make(tulle_ctx *ctx, uint64_t number) {
    one o = {.s = trisolve_setting_number("any", number)};
    entries any = entries_random(1 + (int64_t)(number * 7 % 70), 1 + (int64_t)(number * 7 % 70),
                                 (int64_t)(number * 31 % 300), number);
    o.e = trisolve_usable(&any, o.s.diag == TULLE_NON_UNIT);
    o.A = trisolve_matrix(ctx, &o.e, &o.s);
    o.b = trisolve_numbers(&o.e, &o.s);
    o.want = trisolve_solve(ctx, o.A, &o.b, &o.s);
    o.x = columns_place(ctx, &o.b, o.s.type, o.s.x);
    o.on_b = columns_place(ctx, &o.b, o.s.type, o.s.b);
    entries_free(&any);
    return o;
}

static void give_up(one *o) {
    tulle_mat_destroy(o->A);
    entries_free(&o->e);
    columns_free(&o->b);
    columns_free(&o->want);
    placed_free(&o->x);
    placed_free(&o->on_b);
}

static void several(tulle_ctx *ctx, uint64_t first, tulle_batch_way way) {
    one o[SYSTEMS];
    tulle_batch *batch = NULL;
    const tulle_batch_report *reports = NULL;
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < SYSTEMS; i++) {
        o[i] = make(ctx, first + (uint64_t)i);
        must(tulle_batch_trisolve(batch, o[i].s.part, o[i].s.diag, o[i].s.op, o[i].s.alpha, o[i].A,
                                  o[i].s.in_place ? o[i].x.X : o[i].on_b.X, o[i].x.X, NULL));
    }
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, &reports));
    must(tulle_ctx_synchronize(ctx));
    for (int i = 0; i < SYSTEMS; i++) {
        columns got = placed_read(ctx, &o[i].x);
        trisolve_check(&o[i].e, &o[i].b, &got, &o[i].s, "a batch");
        for (int64_t k = 0; k < got.rows * got.cols; k++) {
            assert_near(got.at[k], o[i].want.at[k], 0, "the plain call");
        }
        assert_int_equal(reports[i].status, TULLE_OK);
        assert_int_equal(reports[i].row, -1);
        columns_free(&got);
        give_up(o + i);
    }
    tulle_batch_destroy(batch);
}

static void triangles(tulle_ctx *ctx, const char *where) {
    const int batches = is_slow(where) ? 6 : 80;
    const int turn = turn_in_order(where, 100);
    if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "trisolve_levels"));
    for (int i = 0; i < batches; i++) {
        several(ctx, (uint64_t)(turn * batches + i) * SYSTEMS, any_way(i + turn));
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void test_triangles(void **state) {
    (void)state;
    on_each_place(triangles);
}

/* diag(2, 0, 4), or without row 1's entry. */
static tulle_mat *diagonal(tulle_ctx *ctx, bool whole, tulle_type type) {
    int64_t row[] = {0, 2, 1}, col[] = {0, 2, 1};
    double value[] = {2, 4, 0};
    const entries e = {3, 3, whole ? 3 : 2, row, col, value};
    entries sorted = entries_copy(&e);
    entries_sort(&sorted);
    tulle_mat *A = entries_to_csr(ctx, &sorted, TULLE_I32, type);
    entries_free(&sorted);
    return A;
}

#define ASSERT_REFUSED(status, wanted, argument_)                                                  \
    do {                                                                                           \
        assert_int_equal(status, wanted);                                                          \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

/* A zero divides as IEEE 754 has it; a diagonal that lacks is refused when it is recorded. */
static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double ones[] = {1, 1, 1}, twice[] = {4, 1, 8};
    double got[3];
    tulle_mat *A = diagonal(ctx, true, TULLE_F64), *lacks = diagonal(ctx, false, TULLE_F64);
    tulle_mat *other = NULL, *ell = NULL;
    tulle_vec *b, *x, *narrow, *less;
    tulle_batch *batch = NULL;
    const tulle_batch_report *reports = NULL;
    must(tulle_mat_with_values(ctx, A, TULLE_F64, 3, twice, &other));
    must(tulle_mat_convert(ctx, A, TULLE_ELL, TULLE_I32, 0, &ell));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &b));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &x));
    must(tulle_vec_create(ctx, TULLE_F32, 3, &narrow));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &less));
    must(tulle_vec_write(ctx, b, ones, 0));
    must(tulle_batch_create(ctx, &batch));
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, 1, lacks, b, x, NULL),
        TULLE_UNSUPPORTED, "A");
    assert_int_equal(tulle_last_error()->row, 1);
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, 1, ell, b, x, NULL),
        TULLE_UNSUPPORTED, "A");
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, (tulle_part)2, TULLE_UNIT, TULLE_N, 1, A, b, x, NULL),
        TULLE_INVALID_ARGUMENT, "part");
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, (tulle_diag)2, TULLE_N, 1, A, b, x, NULL),
        TULLE_INVALID_ARGUMENT, "diag");
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_UNIT, (tulle_trans)2, 1, A, b, x, NULL),
        TULLE_INVALID_ARGUMENT, "op");
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_UNIT, TULLE_N, 1, A, b, less, NULL),
        TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(
        tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_UNIT, TULLE_N, 1, A, narrow, x, NULL),
        TULLE_TYPE_MISMATCH, "B");
    must(tulle_batch_trisolve(batch, TULLE_UPPER, TULLE_UNIT, TULLE_N, 1, lacks, b, x, NULL));
    must(tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_NON_UNIT, TULLE_T, 1, A, b, x, NULL));
    must(tulle_batch_after(batch, 1, 0));
    ASSERT_REFUSED(tulle_batch_replace_matrix(batch, 1, lacks), TULLE_INVALID_ARGUMENT, "A");
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_vec_read(ctx, x, got, 0));
    assert_true(got[0] == 0.5 && isinf(got[1]) && got[2] == 0.25);
    must(tulle_batch_reports(ctx, batch, &reports));
    must(tulle_ctx_synchronize(ctx));
    assert_int_equal(reports[1].status, TULLE_OK);
    must(tulle_batch_replace_matrix(batch, 1, other));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_vec_read(ctx, x, got, 0));
    assert_true(got[0] == 0.25 && got[1] == 1 && got[2] == 0.125);
    tulle_batch_destroy(batch);
    tulle_mat *const matrices[] = {A, lacks, other, ell};
    tulle_vec *const vectors[] = {b, x, narrow, less};
    for (int i = 0; i < 4; i++) tulle_mat_destroy(matrices[i]);
    for (int i = 0; i < 4; i++) tulle_vec_destroy(vectors[i]);
}
ONCE_ON_EACH_PLACE(ends)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles),
                                       cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
