/* SPDX-License-Identifier: Apache-2.0 */
/* Factors beside their numbers: arguments, bad and tiny pivots by row, new values, sharing,
 * capture. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "factor_check.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

static tulle_mat *made(tulle_ctx *ctx, const char *spec) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    return A;
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *argument) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void refuse(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_options options,
                   tulle_status wanted, const char *argument) {
    tulle_factor *F = (tulle_factor *)1;
    assert_fails(tulle_factor_create(ctx, A, &options, &F), wanted, argument);
    assert_null(F);
    assert_string_equal(tulle_last_error()->function, "tulle_factor_create");
}

static void wrong_options(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = made(ctx, "p2d:6");
    const tulle_factor_options bad[] = {
        {.kind = (tulle_factor_kind)2},
        {.fill = -2},
        {.reads = (tulle_reads)3},
        {.modified = 1.5},
        {.modified = (double)NAN},
        {.modified = 1, .kind = TULLE_CHOLESKY},
        {.shift = (double)INFINITY},
        {.tiny = 1},
        {.tiny = -0.5},
        {.boost = true},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refuse(ctx, A, bad[i], TULLE_INVALID_ARGUMENT, "options");
    }
    tulle_mat_destroy(A);
}

static void wrong_objects(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = made(ctx, "p2d:6"), *wide = made(ctx, "random:6,9,2"), *coo = NULL, *bsr = NULL;
    const tulle_convert_options in_blocks = {.block = 5, .fill = 100};
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &coo));
    must(tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &in_blocks, &bsr));
    refuse(ctx, NULL, (tulle_factor_options){0}, TULLE_INVALID_ARGUMENT, "A");
    refuse(ctx, wide, (tulle_factor_options){0}, TULLE_SHAPE_MISMATCH, "A");
    refuse(ctx, coo, (tulle_factor_options){0}, TULLE_UNSUPPORTED, "A");
    refuse(ctx, bsr, (tulle_factor_options){.kind = TULLE_CHOLESKY}, TULLE_UNSUPPORTED, "A");
    const int64_t identity[] = {0, 1, 2};
    tulle_order *P = NULL;
    must(tulle_order_create(ctx, 3, identity, &P));
    refuse(ctx, A, (tulle_factor_options){.order = P}, TULLE_SHAPE_MISMATCH, "options.order");
    refuse(ctx, bsr, (tulle_factor_options){.order = P}, TULLE_UNSUPPORTED, "options");
    tulle_order_destroy(P);
    tulle_vec *narrow = NULL, *some = NULL;
    must(tulle_vec_create(ctx, TULLE_F32, 36, &narrow));
    must(tulle_vec_create(ctx, TULLE_F64, 35, &some));
    refuse(ctx, A, (tulle_factor_options){.row_scale = narrow}, TULLE_TYPE_MISMATCH,
           "options.row_scale");
    refuse(ctx, A, (tulle_factor_options){.col_scale = some}, TULLE_SHAPE_MISMATCH,
           "options.col_scale");
    tulle_factor *F = NULL;
    assert_fails(tulle_factor_create(NULL, A, NULL, &F), TULLE_INVALID_ARGUMENT, "ctx");
    assert_fails(tulle_factor_create(ctx, A, NULL, NULL), TULLE_INVALID_ARGUMENT, "F");
    must(tulle_factor_create(ctx, A, NULL, &F));
    tulle_mat *other = made(ctx, "p2d:6"), *same = NULL;
    assert_fails(tulle_factor_update(ctx, F, other), TULLE_INVALID_ARGUMENT, "A");
    must(tulle_mat_copy(ctx, A, TULLE_F32, &same));
    assert_fails(tulle_factor_update(ctx, F, same), TULLE_TYPE_MISMATCH, "A");
    tulle_vec *b = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, 36, &b));
    assert_fails(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, some, b), TULLE_SHAPE_MISMATCH,
                 "B");
    assert_fails(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, some), TULLE_SHAPE_MISMATCH,
                 "X");
    assert_fails(tulle_factor_solve(ctx, (tulle_trans)4, tulle_num(1), F, b, b),
                 TULLE_INVALID_ARGUMENT, "op");
    assert_fails(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, narrow, narrow),
                 TULLE_TYPE_MISMATCH, "B");
    assert_fails(tulle_factor_solve_part(ctx, (tulle_part)2, TULLE_N, tulle_num(1), F, b, b),
                 TULLE_INVALID_ARGUMENT, "part");
    tulle_mat *L = NULL;
    assert_fails(tulle_factor_export(ctx, F, NULL, NULL), TULLE_INVALID_ARGUMENT, "L");
    tulle_factor_destroy(F);
    must(tulle_factor_create(ctx, A, &(tulle_factor_options){.kind = TULLE_CHOLESKY}, &F));
    assert_fails(tulle_factor_export(ctx, F, NULL, &L), TULLE_INVALID_ARGUMENT, "U");
    tulle_factor_destroy(F);
    tulle_vec_destroy(b);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(some);
    tulle_mat_destroy(same);
    tulle_mat_destroy(other);
    tulle_mat_destroy(bsr);
    tulle_mat_destroy(coo);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(A);
}

static tulle_mat *small(tulle_ctx *ctx, const double *dense, int64_t n, int block) {
    entries e = {n,
                 n,
                 0,
                 calloc((size_t)(n * n), sizeof *e.row),
                 calloc((size_t)(n * n), sizeof *e.col),
                 calloc((size_t)(n * n), sizeof *e.value)};
    assert_true(e.row && e.col && e.value);
    for (int64_t q = 0; q < n * n; q++) {
        if (dense[q] == 0) continue;
        e.row[e.nnz] = q / n;
        e.col[e.nnz] = q % n;
        e.value[e.nnz++] = dense[q];
    }
    const factor_setting s = {.block = block, .type = TULLE_F64};
    tulle_mat *A = factor_mat(ctx, &e, &s);
    entries_free(&e);
    return A;
}

static void assert_bad(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_options options,
                       int64_t row) {
    refuse(ctx, A, options, TULLE_ZERO_PIVOT, "A");
    assert_int_equal(tulle_last_error()->row, row);
}

/* Row 1 minus twice row 0 leaves nothing; with a diagonal of 4 everything is fine. */
static const double singular[] = {1, 2, 0, 2, 4, 0, 0, 0, 3};

static void pivots(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t backwards[] = {2, 1, 0};
    tulle_order *P = NULL;
    tulle_factor *F = NULL;
    tulle_factor_report report;
    tulle_mat *A = small(ctx, singular, 3, 1);
    must(tulle_order_create(ctx, 3, backwards, &P));
    assert_bad(ctx, A, (tulle_factor_options){0}, 1);
    assert_non_null(strstr(tulle_last_error()->message, "where its diagonal entry is not zero"));
    assert_bad(ctx, A, (tulle_factor_options){.order = P, .fill = TULLE_FILL_ALL}, 0);
    assert_bad(ctx, A, (tulle_factor_options){.kind = TULLE_CHOLESKY}, 1);
    must(tulle_factor_create(ctx, A, &(tulle_factor_options){.tiny = 1e-3, .boost = true}, &F));
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.bad, 0);
    assert_int_equal(report.bad_row, -1);
    assert_int_equal(report.tiny, 1);
    assert_int_equal(report.tiny_row, 1);
    tulle_mat *U = NULL;
    must(tulle_factor_export(ctx, F, NULL, &U));
    entries u = factor_entries(ctx, U);
    assert_int_equal(u.nnz, 4);
    assert_true(u.value[2] == 4 * 1e-3);
    entries_free(&u);
    tulle_mat_destroy(U);
    tulle_factor_destroy(F);
    must(tulle_factor_create(ctx, A, &(tulle_factor_options){.shift = 0.5}, &F));
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.tiny + report.bad, 0);
    assert_int_equal(report.tiny_row, -1);
    tulle_factor_destroy(F);
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
}

/* A row without entries, as scalars and as the second row of blocks, by the kernel given: what
 * boost makes of its pivot, and in block rows that are empty of all of theirs. */
static void boost_empty(tulle_ctx *ctx, const char *kernel, int block, tulle_factor_kind kind) {
    const double dense[] = {2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const tulle_factor_options o = {.kind = kind, .tiny = 0.125, .boost = true};
    tulle_mat *A = small(ctx, dense, 4, block), *out = NULL;
    tulle_factor *F = NULL;
    tulle_factor_report report;
    assert_bad(ctx, A, (tulle_factor_options){.kind = kind, .tiny = 0.125}, 2);
    if (kernel) must(tulle_ctx_force_kernel(ctx, kernel));
    must(tulle_factor_create(ctx, A, &o, &F));
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.bad, 0);
    assert_int_equal(report.tiny, 2);
    assert_int_equal(report.tiny_row, 2);
    must(tulle_factor_export(ctx, F, kind == TULLE_LU ? NULL : &out,
                             kind == TULLE_LU ? &out : NULL));
    entries e = factor_entries(ctx, out);
    const double *last = e.value + e.nnz - (block == 1 ? 2 : 4);
    const double pivot = kind == TULLE_LU ? 0.125 : sqrt(0.125);
    assert_true(last[0] == pivot && last[block == 1 ? 1 : 3] == pivot);
    entries_free(&e);
    tulle_mat_destroy(out);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

static void empty_rows(tulle_ctx *ctx, const char *where) {
    const bool cpu = strncmp(where, "cpu", 3) == 0;
    const char *scalars[] = {NULL, cpu ? "factor_rows" : "factor_poll"};
    const char *blocks[] = {NULL, cpu ? "factor_rows" : "factor_poll_blocks"};
    for (int k = 0; k < 2; k++) {
        boost_empty(ctx, scalars[k], 1, TULLE_LU);
        boost_empty(ctx, scalars[k], 1, TULLE_CHOLESKY);
        boost_empty(ctx, blocks[k], 2, TULLE_LU);
    }
    /* What boost cannot mend says so, and does not advise it. */
    const double nan[] = {1, 0, 0, (double)NAN};
    tulle_mat *A = small(ctx, nan, 2, 1);
    assert_bad(ctx, A, (tulle_factor_options){.tiny = 0.125, .boost = true}, 1);
    assert_non_null(
        strstr(tulle_last_error()->message, "row 1 of A has nan, of which no pivot is a number"));
    tulle_mat_destroy(A);
}

enum { CHAIN = 6, IN_CHAINS = 2 * CHAIN };

static entries two_chains(void) {
    entries e = {IN_CHAINS, IN_CHAINS, 0, NULL, NULL, NULL};
    e.row = calloc(3 * IN_CHAINS, sizeof *e.row);
    e.col = calloc(3 * IN_CHAINS, sizeof *e.col);
    e.value = calloc(3 * IN_CHAINS, sizeof *e.value);
    assert_true(e.row && e.col && e.value);
    for (int64_t i = 0; i < IN_CHAINS; i++) {
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < IN_CHAINS; j++) {
            if (i / CHAIN != j / CHAIN) continue;
            e.row[e.nnz] = i;
            e.col[e.nnz] = j;
            e.value[e.nnz++] = i == j ? 4 : -1;
        }
    }
    return e;
}

/* What is not finite in one number of B is so in all unknowns of its chain and column, and in no
 * other, which keep their bits. */
static void spoil(tulle_ctx *ctx, tulle_factor *F, tulle_type type, tulle_trans op, double bad) {
    const lie plain = {TULLE_COLUMN_MAJOR, 0, 0};
    columns B = columns_random(IN_CHAINS, 2, 5, type);
    placed b = columns_place(ctx, &B, type, plain), x = columns_place(ctx, &B, type, plain);
    must(tulle_factor_solve(ctx, op, tulle_num(1), F, b.X, x.X));
    columns good = placed_read(ctx, &x);
    B.at[IN_CHAINS + CHAIN + 2] = bad;
    placed c = columns_place(ctx, &B, type, plain);
    must(tulle_factor_solve(ctx, op, tulle_num(1), F, c.X, c.X));
    columns X = placed_read(ctx, &c);
    for (int64_t q = 0; q < 2 * IN_CHAINS; q++) {
        assert_true(isfinite(good.at[q]));
        if (q < IN_CHAINS + CHAIN) {
            assert_near(X.at[q], good.at[q], 0, "another chain or column");
        } else {
            assert_false(isfinite(X.at[q]));
        }
    }
    columns_free(&X);
    columns_free(&good);
    columns_free(&B);
    placed_free(&c);
    placed_free(&x);
    placed_free(&b);
}

static void not_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const tulle_factor_options options[] = {
        {.fill = 0}, {.single = true, .fill = TULLE_FILL_ALL}, {.inverted = true}};
    entries e = two_chains();
    for (int i = 0; i < 3 * 3 * 2; i++) {
        const factor_setting s = {.block = 1 + i % 3, .type = i % 2 ? TULLE_F32 : TULLE_F64};
        tulle_factor_options o = options[i / 3 % 3];
        if (s.block == 1 && i > 8) o.kind = TULLE_CHOLESKY;
        tulle_mat *A = factor_mat(ctx, &e, &s);
        tulle_factor *F = NULL;
        must(tulle_factor_create(ctx, A, &o, &F));
        spoil(ctx, F, s.type, i % 2 ? TULLE_T : TULLE_N, bad[i % 3]);
        spoil(ctx, F, s.type, i % 2 ? TULLE_N : TULLE_T, bad[(i + 1) % 3]);
        tulle_factor_destroy(F);
        tulle_mat_destroy(A);
    }
    entries_free(&e);
}

/* The second block is of rank 1: its second pivot, in row 3, is zero. */
static void block_pivots(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double dense[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 4};
    tulle_mat *A = small(ctx, dense, 4, 2);
    assert_bad(ctx, A, (tulle_factor_options){0}, 3);
    assert_bad(ctx, A, (tulle_factor_options){.inverted = true}, 3);
    tulle_mat_destroy(A);
}

/* Values that make a pivot zero, or NaN, are reported by status and by nothing else; good ones
 * again make it good again. */
static void new_values(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double good[] = {1, 2, 2, 9, 3}, bad[] = {1, 2, 2, 4, 3},
                 nan[] = {1, 2, 2, 9, (double)NAN};
    tulle_mat *A = small(ctx, singular, 3, 1);
    tulle_factor *F = NULL;
    tulle_factor_report report;
    tulle_mat *B = NULL;
    must(tulle_mat_with_values(ctx, A, TULLE_F64, 5, good, &B));
    must(tulle_factor_create(ctx, B, NULL, &F));
    for (int turn = 0; turn < 4; turn++) {
        tulle_mat *C = NULL;
        const double *values = turn == 0 ? bad : turn == 2 ? nan : good;
        must(tulle_mat_with_values(ctx, A, TULLE_F64, 5, values, &C));
        must(tulle_factor_update(ctx, F, C));
        must(tulle_factor_status(ctx, F, &report));
        assert_int_equal(report.bad, turn % 2 == 0);
        assert_int_equal(report.bad_row, turn == 0 ? 1 : turn == 2 ? 2 : -1);
        tulle_factor *G = (tulle_factor *)1;
        const tulle_status status = tulle_factor_create_like(ctx, F, C, &G);
        assert_int_equal(status, turn % 2 == 0 ? TULLE_ZERO_PIVOT : TULLE_OK);
        assert_true(status == TULLE_OK || !G);
        tulle_factor_destroy(G);
        tulle_mat_destroy(C);
    }
    tulle_factor_info info;
    must(tulle_factor_describe(F, &info));
    assert_int_equal(info.nnz_l, 1);
    assert_int_equal(info.nnz_u, 4);
    assert_int_equal(info.levels, 2);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

/* Entries that stand twice are refused by row, in an order, too. */
static void repeated(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t row[] = {0, 1, 1, 1, 2}, col[] = {0, 1, 0, 0, 2};
    double value[] = {1, 1, 1, 1, 1};
    const int64_t order[] = {1, 2, 0};
    const entries e = {3, 3, 5, row, col, value};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_order *P = NULL;
    must(tulle_order_create(ctx, 3, order, &P));
    refuse(ctx, A, (tulle_factor_options){0}, TULLE_UNSUPPORTED, "A");
    assert_int_equal(tulle_last_error()->row, 1);
    refuse(ctx, A, (tulle_factor_options){.order = P}, TULLE_UNSUPPORTED, "A");
    assert_int_equal(tulle_last_error()->row, 1);
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
}

/* Factors outlive the matrix, also one that borrows its arrays. */
static void borrowed(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) != 0) return;
    int32_t *offsets = malloc(3 * sizeof *offsets), *cols = malloc(3 * sizeof *cols);
    double *values = malloc(3 * sizeof *values);
    assert_true(offsets && cols && values);
    memcpy(offsets, (const int32_t[]){0, 1, 3}, 3 * sizeof *offsets);
    memcpy(cols, (const int32_t[]){0, 0, 1}, 3 * sizeof *cols);
    memcpy(values, (const double[]){2, 1, 4}, 3 * sizeof *values);
    tulle_mat *A = NULL;
    tulle_factor *F = NULL;
    tulle_vec *x = NULL;
    const tulle_mat_options lent = {.ownership = TULLE_BORROW};
    must(
        tulle_mat_create_csr(ctx, 2, 2, 3, TULLE_I32, offsets, cols, TULLE_F64, values, &lent, &A));
    must(tulle_factor_create(ctx, A, NULL, &F));
    tulle_mat_destroy(A);
    free(offsets);
    free(cols);
    free(values);
    double numbers[] = {2, 9};
    must(tulle_vec_create(ctx, TULLE_F64, 2, &x));
    must(tulle_vec_write(ctx, x, numbers, 2));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, x, x));
    must(tulle_vec_read(ctx, x, numbers, 2));
    assert_true(numbers[0] == 1 && numbers[1] == 2);
    tulle_vec_destroy(x);
    tulle_factor_destroy(F);
}

/* Captured after a first call: new values and a solve with no word from the host. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    const tulle__place *place = &ctx->place;
    const int64_t order[] = {4, 3, 2, 1, 0, 5, 6, 7, 8, 9, 10, 11};
    entries e = factor_matrix(24, 60, false, 3);
    const factor_setting s = {.block = 2, .type = TULLE_F64};
    tulle_mat *A = factor_mat(ctx, &e, &s);
    tulle_order *P = NULL;
    tulle_factor *F = NULL;
    tulle_vec *b = NULL, *x = NULL;
    void *graph = NULL;
    double want[24], got[24];
    must(tulle_order_create(ctx, 12, order, &P));
    must(tulle_factor_create(ctx, A, &(tulle_factor_options){.order = P}, &F));
    tulle_order_destroy(P);
    must(tulle_vec_create(ctx, TULLE_F64, 24, &b));
    must(tulle_vec_create(ctx, TULLE_F64, 24, &x));
    must(tulle_vec_random(ctx, b, 4));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, x));
    must(tulle_vec_read(ctx, x, want, 0));
    must(ctx->backend->capture_begin(place));
    must(tulle_factor_update(ctx, F, A));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, x));
    must(ctx->backend->capture_end(place, &graph));
    for (int turn = 0; turn < 2; turn++) {
        must(tulle_vec_fill(ctx, x, 7));
        must(ctx->backend->graph_launch(place, graph));
        must(tulle_vec_read(ctx, x, got, 0));
        assert_memory_equal(got, want, sizeof want);
    }
    must(ctx->backend->graph_destroy(place->device, graph));
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* What tulle_factor_analyse has found no one looks for again. */
static void analysed(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_part parts[] = {TULLE_LOWER, TULLE_UPPER};
    const tulle_trans ops[] = {TULLE_N, TULLE_T};
    tulle_mat *A = made(ctx, "p2d:6");
    tulle_factor *F = NULL;
    must(tulle_factor_create(ctx, A, NULL, &F));
    assert_fails(tulle_factor_analyse(NULL, TULLE_N, F), TULLE_INVALID_ARGUMENT, "ctx");
    assert_fails(tulle_factor_analyse(ctx, TULLE_N, NULL), TULLE_INVALID_ARGUMENT, "F");
    assert_fails(tulle_factor_analyse(ctx, (tulle_trans)4, F), TULLE_INVALID_ARGUMENT, "op");
    for (int k = 0; k < 4; k++) {
        tulle_trisolve_info info;
        must(tulle_factor_analyse(ctx, ops[k / 2], F));
        must(tulle_trisolve_analyse(ctx, parts[k % 2], ops[k / 2], A, &info));
        assert_true(info.ms == 0);
        assert_int_equal(info.levels, 11);
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

#define ONCE(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        once_on_each_place(name);                                                                  \
    }
ONCE(wrong_options)
ONCE(wrong_objects)
ONCE(pivots)
ONCE(empty_rows)
ONCE(not_numbers)
ONCE(block_pivots)
ONCE(new_values)
ONCE(repeated)
ONCE(borrowed)
ONCE(captured)
ONCE(analysed)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_options), cmocka_unit_test(test_wrong_objects),
        cmocka_unit_test(test_pivots),        cmocka_unit_test(test_empty_rows),
        cmocka_unit_test(test_not_numbers),   cmocka_unit_test(test_block_pivots),
        cmocka_unit_test(test_new_values),    cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_borrowed),      cmocka_unit_test(test_captured),
        cmocka_unit_test(test_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
