/* SPDX-License-Identifier: Apache-2.0 */
/* Factors do not change when the units of A do, but for the units of U; what is solved with them is
 * what tulle/factor.h says, with scales of rows and columns that are unlike; and what is said of an
 * A that has no factors is true of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "factor_check.h"
#include "places.h"
#include "units.h"

enum { N = 12 };

static const int64_t order_of_rows[N] = {5, 0, 11, 3, 8, 1, 10, 2, 7, 4, 9, 6};

static tulle_vec *vector_of(tulle_ctx *ctx, const double *numbers) {
    tulle_vec *x = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, N, &x));
    must(tulle_vec_write(ctx, x, numbers, 0));
    return x;
}

/* numbers := op(L)^-1 numbers, or of U. */
static void solve_part(tulle_ctx *ctx, tulle_factor *F, tulle_part part, tulle_trans op,
                       double *numbers) {
    tulle_vec *x = vector_of(ctx, numbers);
    must(tulle_factor_solve_part(ctx, part, op, tulle_num(1), F, x, x));
    must(tulle_vec_read(ctx, x, numbers, 0));
    tulle_vec_destroy(x);
}

/* M^-1 = C P^T (L U)^-1 P R, or the transpose of that, step by step. */
static void by_steps(tulle_ctx *ctx, tulle_factor *F, tulle_trans op, const double *rows,
                     const double *columns, const double *b, double *x) {
    const bool turned = op == TULLE_T;
    const double *before = turned ? columns : rows, *after = turned ? rows : columns;
    double placed[N];
    for (int i = 0; i < N; i++) placed[i] = before[order_of_rows[i]] * b[order_of_rows[i]];
    solve_part(ctx, F, turned ? TULLE_UPPER : TULLE_LOWER, op, placed);
    solve_part(ctx, F, turned ? TULLE_LOWER : TULLE_UPPER, op, placed);
    for (int i = 0; i < N; i++) x[order_of_rows[i]] = after[order_of_rows[i]] * placed[i];
}

static void formula(tulle_ctx *ctx, const char *where) {
    entries A = factor_matrix(N, 20, false, 3);
    const factor_setting setting = {.block = 1, .type = TULLE_F64, .index = TULLE_I32};
    double rows[N], columns[N], b[N], x[N], wanted[N];
    (void)where;
    for (int i = 0; i < N; i++) {
        rows[i] = ldexp(1, i % 5);
        columns[i] = 3 + i;
        b[i] = 1 + i % 4;
    }
    tulle_mat *csr = factor_mat(ctx, &A, &setting);
    tulle_order *order = NULL;
    tulle_factor *F = NULL;
    tulle_vec *R = vector_of(ctx, rows), *C = vector_of(ctx, columns), *v = vector_of(ctx, b);
    must(tulle_order_create(ctx, N, order_of_rows, &order));
    const tulle_factor_options options = {.order = order, .row_scale = R, .col_scale = C};
    must(tulle_factor_create(ctx, csr, &options, &F));
    for (int op = 0; op < 2; op++) {
        const tulle_trans turn = op ? TULLE_T : TULLE_N;
        must(tulle_vec_write(ctx, v, b, 0));
        must(tulle_factor_solve(ctx, turn, tulle_num(1), F, v, v));
        must(tulle_vec_read(ctx, v, x, 0));
        by_steps(ctx, F, turn, rows, columns, b, wanted);
        for (int i = 0; i < N; i++) assert_true(fabs(x[i] - wanted[i]) <= 1e-14 * fabs(wanted[i]));
    }
    tulle_factor_destroy(F);
    tulle_order_destroy(order);
    tulle_vec_destroy(R);
    tulle_vec_destroy(C);
    tulle_vec_destroy(v);
    tulle_mat_destroy(csr);
    entries_free(&A);
}
ONCE_ON_EACH_PLACE(formula)

/* L, and U in its units; how many pivots were tiny. */
typedef struct {
    long double *L, *U;
    int64_t tiny;
} made;

static made factors_of(tulle_ctx *ctx, const entries *A, const factor_setting *s, double factor) {
    entries scaled = entries_copy(A);
    tulle_factor *F = NULL;
    tulle_mat *L = NULL, *U = NULL;
    tulle_factor_report report;
    units_multiply(scaled.nnz, scaled.value, factor);
    tulle_mat *csr = factor_mat(ctx, &scaled, s);
    must(tulle_factor_create(ctx, csr, &s->options, &F));
    must(tulle_factor_status(ctx, F, &report));
    must(tulle_factor_export(ctx, F, &L, &U));
    const made m = {factor_whole(ctx, L, N), factor_whole(ctx, U, N), report.tiny};
    tulle_mat_destroy(L);
    tulle_mat_destroy(U);
    tulle_factor_destroy(F);
    tulle_mat_destroy(csr);
    entries_free(&scaled);
    return m;
}

static void units_of_pivots(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int way = 0; way < 8; way++) {
        const factor_setting s = {
            .options = {.tiny = way & 1 ? 0.25 : 0, .boost = way & 1, .inverted = way & 4},
            .block = way & 4 ? 2 : 1,
            .type = way & 2 ? TULLE_F64 : TULLE_F32,
            .index = TULLE_I32};
        entries A = factor_matrix(N, 20, false, 5);
        for (int64_t e = 0; e < A.nnz; e++) {
            if (A.row[e] == A.col[e] && A.row[e] % 3 == 0) A.value[e] *= 0.01;
        }
        const made one = factors_of(ctx, &A, &s, 1);
        const units_list near = units_of(s.type);
        for (int i = 0; i < near.count; i++) {
            if (!near.scales[i].exact) continue;
            const made m = factors_of(ctx, &A, &s, near.scales[i].factor);
            assert_int_equal(m.tiny, one.tiny);
            for (int k = 0; k < N * N; k++) {
                assert_true(m.L[k] == one.L[k]);
                assert_true(m.U[k] == one.U[k] * (long double)near.scales[i].factor);
            }
            free(m.L);
            free(m.U);
        }
        if (s.options.boost && s.block == 1) assert_true(one.tiny > 0);
        free(one.L);
        free(one.U);
        entries_free(&A);
    }
}
ONCE_ON_EACH_PLACE(units_of_pivots)

/* NaN on the diagonal, which is told and not the pivot that it spoils; numbers that f32 has not. */
static void refusals(tulle_ctx *ctx, const char *where) {
    const factor_setting s = {.block = 1, .type = TULLE_F64, .index = TULLE_I32};
    (void)where;
    for (int way = 0; way < 6; way++) {
        const double factor = way % 3 == 0 ? 1 : way % 3 == 1 ? 1e39 : 1e-60;
        entries A = factor_matrix(N, 20, false, 7);
        units_multiply(A.nnz, A.value, factor);
        const tulle_factor_options options = {.single = true, .tiny = 0.1, .boost = way >= 3};
        for (int64_t e = 0; e < A.nnz && way % 3 == 0; e++) {
            if (A.row[e] == 7 && A.col[e] == 7) A.value[e] = (double)NAN;
        }
        tulle_mat *csr = factor_mat(ctx, &A, &s);
        tulle_factor *F = NULL;
        const tulle_status status = tulle_factor_create(ctx, csr, &options, &F);
        const char *said = tulle_last_error()->message;
        assert_int_equal(status, TULLE_ZERO_PIVOT);
        assert_non_null(strstr(said, way % 3 == 0 ? "row 7 of A has nan" : "numbers of f32"));
        tulle_factor_destroy(F);
        tulle_mat_destroy(csr);
        entries_free(&A);
    }
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_units_of_pivots),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
