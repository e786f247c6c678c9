/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: what they compute, against the dense matrix that they stand for; what they keep, renew
 * and refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "systems.h"

enum { SIDE = 4, N = SIDE * SIDE, COLUMNS = 3 };

/* Entry (i, j) at j * N + i: the operator on unit vectors. */
static void to_dense(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, double *dense) {
    tulle_vec *X = NULL, *Y = NULL;
    double *unit = calloc((size_t)N * N, sizeof *unit);
    for (int i = 0; i < N; i++) unit[i * N + i] = 1;
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, N, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, N, TULLE_COLUMN_MAJOR, 0, &Y));
    must(tulle_vec_write(ctx, X, unit, 0));
    must(tulle_linop_apply(ctx, op, tulle_num(1), L, X, tulle_num(0), Y));
    must(tulle_vec_read(ctx, Y, dense, 0));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    free(unit);
}

static void assert_near(const double *got, const double *wanted, int64_t count, const char *what) {
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - wanted[i]) <= 1e-12 * (1 + fabs(wanted[i])))) {
            fail_msg("%s: number %lld is %.17g, not %.17g", what, (long long)i, got[i], wanted[i]);
        }
    }
}

/* C := A B of N x N by columns. */
static void multiply(const double *A, const double *B, double *C) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += A[k * N + i] * B[j * N + k];
            C[j * N + i] = sum;
        }
    }
}

static void transpose(const double *A, double *T) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) T[i * N + j] = A[j * N + i];
    }
}

/* alpha op(L) X + beta Y for numbers and addresses, some columns, both layouts. */
static void apply_all_ways(tulle_ctx *ctx, tulle_linop *L, const double *dense, const char *what) {
    tulle_linop_info info;
    must(tulle_linop_describe(L, &info));
    double flipped[N * N], x[N * COLUMNS], y[N * COLUMNS], got[N * COLUMNS], wanted[N * COLUMNS];
    transpose(dense, flipped);
    for (int i = 0; i < N * COLUMNS; i++) {
        x[i] = cos(i);
        y[i] = sin(3 * i);
    }
    for (int way = 0; way < 16; way++) {
        const tulle_layout layout = way & 1 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
        const tulle_trans op = way & 2 ? TULLE_T : TULLE_N;
        const int cols = way & 4 ? COLUMNS : 1;
        const bool plain = way & 8;
        if (op == TULLE_T && !info.transposes) continue;
        const double alpha = plain ? 1 : -0.5, beta = plain ? 0 : 2;
        const double *A = op == TULLE_N ? dense : flipped;
        tulle_vec *X = NULL, *Y = NULL, *scalars = NULL;
        must(tulle_vec_create_columns(ctx, TULLE_F64, N, cols, layout, 0, &X));
        must(tulle_vec_create_columns(ctx, TULLE_F64, N, cols, layout, 0, &Y));
        must(tulle_vec_create(ctx, TULLE_F64, 2, &scalars));
        must(tulle_vec_write(ctx, scalars, (double[]){alpha, beta}, 0));
        must(tulle_vec_write(ctx, X, x, 0));
        must(tulle_vec_write(ctx, Y, y, 0));
        tulle_vec_info at;
        must(tulle_vec_describe(scalars, &at));
        const bool host = plain || cols == 1;
        must(tulle_linop_apply(ctx, op, host ? tulle_num(alpha) : tulle_at(at.data), L, X,
                               host ? tulle_num(beta) : tulle_at((double *)at.data + 1), Y));
        must(tulle_vec_read(ctx, Y, got, 0));
        for (int i = 0; i < N; i++) {
            for (int c = 0; c < cols; c++) {
                const int to = layout == TULLE_ROW_MAJOR ? i * cols + c : c * N + i;
                double sum = 0;
                for (int k = 0; k < N; k++) {
                    sum += A[k * N + i] * x[layout == TULLE_ROW_MAJOR ? k * cols + c : c * N + k];
                }
                wanted[to] = alpha * sum + beta * y[to];
            }
        }
        assert_near(got, wanted, (int64_t)N * cols, what);
        tulle_vec_destroy(X);
        tulle_vec_destroy(Y);
        tulle_vec_destroy(scalars);
    }
}

/* The diagonal in the second column of a row-major multivector; the others stay. */
static void assert_column_of_diagonal(tulle_ctx *ctx, tulle_linop *L, const double *diagonal,
                                      const char *what) {
    tulle_vec *all = NULL, *d = NULL;
    tulle_vec_info at;
    double got[N * COLUMNS], wanted[N * COLUMNS];
    for (int i = 0; i < N * COLUMNS; i++) wanted[i] = i % COLUMNS == 1 ? diagonal[i / COLUMNS] : 7;
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COLUMNS, TULLE_ROW_MAJOR, 0, &all));
    must(tulle_vec_fill(ctx, all, 7));
    must(tulle_vec_describe(all, &at));
    must(tulle_vec_wrap(ctx, TULLE_F64, N, 1, TULLE_ROW_MAJOR, COLUMNS, (double *)at.data + 1, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    must(tulle_vec_read(ctx, all, got, 0));
    assert_near(got, wanted, (int64_t)N * COLUMNS, what);
    tulle_vec_destroy(d);
    tulle_vec_destroy(all);
}

static void assert_diagonal(tulle_ctx *ctx, tulle_linop *L, const double *dense, const char *what) {
    tulle_vec *d = NULL;
    double got[N], wanted[N];
    must(tulle_vec_create(ctx, TULLE_F64, N, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    must(tulle_vec_read(ctx, d, got, 0));
    for (int i = 0; i < N; i++) wanted[i] = dense[i * N + i];
    assert_near(got, wanted, N, what);
    tulle_vec_destroy(d);
    assert_column_of_diagonal(ctx, L, wanted, what);
}

static void dense_of(const host_system *s, double *dense) {
    memset(dense, 0, sizeof(double) * N * N);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            dense[s->columns[k] * N + i] += s->values[k];
        }
    }
}

static tulle_status twice(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    ++*(int *)self;
    return tulle_vec_axpby(ctx, tulle_num(2), X, tulle_num(0), Y);
}
/* Written number after number, as the caller may. */
static tulle_status twos(void *self, tulle_ctx *ctx, tulle_vec *d) {
    tulle_vec_info at;
    tulle_vec *numbers = NULL;
    (void)self;
    must(tulle_vec_describe(d, &at));
    must(tulle_vec_wrap(ctx, TULLE_F64, N, 1, TULLE_COLUMN_MAJOR, 0, at.data, &numbers));
    const tulle_status status = tulle_vec_fill(ctx, numbers, 2);
    tulle_vec_destroy(numbers);
    return status;
}
static void gone(void *self) {
    *(int *)self = -1;
}

static void operators(tulle_ctx *ctx, const char *where) {
    host_system s = system_grid(SIDE, 0.25, 1);
    double A[N * N], B[N * N], C[N * N], inverse[N * N] = {0};
    tulle_mat *mat = system_mat(ctx, &s, TULLE_F64), *ell = NULL;
    tulle_linop *L = NULL, *other = NULL, *product = NULL, *sum = NULL, *jacobi = NULL;
    tulle_linop *own = NULL, *multiple = NULL;
    int calls = 0;
    (void)where;
    dense_of(&s, A);
    must(tulle_linop_from_mat(ctx, mat, &L));
    apply_all_ways(ctx, L, A, "matrix");
    assert_diagonal(ctx, L, A, "matrix");
    must(tulle_mat_convert(ctx, mat, TULLE_ELL, TULLE_I32, 0, &ell));
    must(tulle_linop_from_mat(ctx, ell, &other));
    assert_diagonal(ctx, other, A, "ELL");
    must(tulle_linop_jacobi(ctx, other, &jacobi));
    for (int i = 0; i < N; i++) inverse[i * N + i] = 1 / A[i * N + i];
    apply_all_ways(ctx, jacobi, inverse, "Jacobi");
    assert_diagonal(ctx, jacobi, inverse, "Jacobi");

    must(tulle_linop_product(ctx, L, jacobi, &product));
    multiply(A, inverse, B);
    apply_all_ways(ctx, product, B, "product");
    must(tulle_linop_sum(ctx, 3, L, -1, jacobi, &sum));
    for (int i = 0; i < N * N; i++) C[i] = 3 * A[i] - inverse[i];
    apply_all_ways(ctx, sum, C, "sum");
    assert_diagonal(ctx, sum, C, "sum");
    must(tulle_linop_sum(ctx, -2, L, 0, NULL, &multiple));
    for (int i = 0; i < N * N; i++) C[i] = -2 * A[i];
    apply_all_ways(ctx, multiple, C, "multiple");
    assert_diagonal(ctx, multiple, C, "multiple");

    const tulle_linop_functions functions = {.apply = twice, .diagonal = twos, .destroy = gone};
    must(tulle_linop_create(ctx, TULLE_F64, N, N, &functions, &calls, &own));
    for (int i = 0; i < N * N; i++) C[i] = i % (N + 1) == 0 ? 2 : 0;
    apply_all_ways(ctx, own, C, "the caller's");
    assert_diagonal(ctx, own, C, "the caller's");
    assert_true(calls > 0);
    tulle_linop_destroy(own);
    assert_int_equal(calls, -1);

    tulle_linop *all[] = {L, other, jacobi, product, sum, multiple};
    tulle_mat_destroy(mat); /* operators keep what they are made from */
    tulle_mat_destroy(ell);
    double again[N * N];
    to_dense(ctx, sum, TULLE_N, again);
    for (int i = 0; i < N * N; i++) C[i] = 3 * A[i] - inverse[i];
    assert_near(again, C, (int64_t)N * N, "sum, later");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle_linop_destroy(all[i]);
    system_free(&s);
}

static void test_operators(void **state) {
    (void)state;
    on_each_place(operators);
}

/* Blocks that do not divide the matrix, that need exchanges of rows; new values. */
static void inverted_blocks(tulle_ctx *ctx, const char *where) {
    host_system s = system_grid(SIDE, 0.25, 1);
    double A[N * N], D[N * N], got[N * N], C[N * N];
    tulle_mat *mat = NULL;
    (void)where;
    for (int64_t k = 0; k < s.nnz; k++) s.values[k] = cos((double)(7 * k)) + 0.01;
    mat = system_mat(ctx, &s, TULLE_F64);
    for (int block = 1; block <= 16; block += block < 5 ? 1 : 11) {
        for (int round = 0; round < 2; round++) {
            tulle_linop *M = NULL;
            must(tulle_linop_block_jacobi(ctx, mat, block, &M));
            if (round == 1) { /* all values turned round */
                for (int64_t k = 0; k < s.nnz; k++) s.values[k] *= -2;
                must(tulle_mat_set_values(ctx, mat, s.nnz, s.values));
                must(tulle_linop_renew(ctx, M));
            }
            dense_of(&s, A);
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) {
                    D[j * N + i] = i / block == j / block ? A[j * N + i] : 0;
                }
            }
            to_dense(ctx, M, TULLE_N, got);
            multiply(D, got, C);
            for (int i = 0; i < N * N; i++) D[i] = i % (N + 1) == 0 ? 1 : 0;
            assert_near(C, D, (int64_t)N * N, "D times its inverse");
            apply_all_ways(ctx, M, got, "block Jacobi");
            tulle_linop_destroy(M);
        }
    }
    tulle_mat_destroy(mat);
    system_free(&s);
}

static void test_blocks(void **state) {
    (void)state;
    on_each_place(inverted_blocks);
}

/* b - A x to the last bit where everything cancels, and where f64 alone has none right. */
static void residuals(tulle_ctx *ctx, const char *where) {
    const double a[] = {0x1p60, 1, -0x1p60}, x[] = {1, 0x1p-20, 1 - 0x1p-50};
    const double b[] = {0x1p10 + 0x1p-20};
    (void)where;
    tulle_mat *A = NULL;
    tulle_linop *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *right = NULL, *guess = NULL;
    /* Three rows, two of which are those of the identity. */
    const int64_t square[] = {0, 3, 4, 5}, at[] = {0, 1, 2, 1, 2};
    const double values[] = {a[0], a[1], a[2], 1, 1}, rights[] = {b[0], x[1], x[2]};
    must(tulle_mat_create_csr(ctx, 3, 3, 5, TULLE_I64, square, at, TULLE_F64, values, NULL, &A));
    must(tulle_linop_from_mat(ctx, A, &M));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &right));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &guess));
    must(tulle_vec_write(ctx, right, rights, 0));
    must(tulle_vec_write(ctx, guess, x, 0));
    const tulle_solver_options o = {
        .method = TULLE_GMRES, .guess = true, .absolute = 1e-300, .tolerance = 1e-300};
    tulle_solver_report report;
    must(tulle_solver_create(ctx, M, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, right, guess, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    assert_int_equal(report.iterations, 0);
    assert_true(report.start_norm == 0);
    tulle_solver_destroy(S);
    tulle_vec_destroy(right);
    tulle_vec_destroy(guess);
    tulle_linop_destroy(M);
    tulle_mat_destroy(A);
}

static void test_residuals(void **state) {
    (void)state;
    on_each_place(residuals);
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *function,
                         const char *argument) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static tulle_status refuses(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    (void)self;
    (void)ctx;
    (void)X;
    (void)Y;
    return TULLE_UNSUPPORTED;
}

static void refusals(tulle_ctx *ctx, const char *where) {
    host_system s = system_grid(SIDE, 0, 0);
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    tulle_linop *L = NULL, *narrow = NULL, *own = NULL, *bad = (tulle_linop *)1;
    tulle_vec *x = system_vector(ctx, TULLE_F64, N, 1), *y = system_vector(ctx, TULLE_F64, N, 2);
    tulle_vec *shorter = system_vector(ctx, TULLE_F64, N - 1, 2);
    tulle_vec *single = system_vector(ctx, TULLE_F32, N, 2);
    const tulle_scalar one = tulle_num(1), zero = tulle_num(0);
    (void)where;
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_linop_diagonal(ctx, single, &narrow));
    const tulle_linop_functions functions = {.apply = refuses};
    must(tulle_linop_create(ctx, TULLE_F64, N, N, &functions, NULL, &own));

    assert_fails(tulle_linop_apply(ctx, TULLE_N, one, L, shorter, zero, y), TULLE_SHAPE_MISMATCH,
                 "tulle_linop_apply", "X");
    assert_fails(tulle_linop_apply(ctx, TULLE_N, one, L, x, zero, single), TULLE_TYPE_MISMATCH,
                 "tulle_linop_apply", "Y");
    assert_fails(tulle_linop_apply(ctx, TULLE_N, one, L, x, zero, x), TULLE_ALIASED,
                 "tulle_linop_apply", "Y");
    assert_fails(tulle_linop_apply(ctx, TULLE_T, one, own, x, zero, y), TULLE_UNSUPPORTED,
                 "tulle_linop_apply", "op");
    assert_int_equal(tulle_linop_apply(ctx, TULLE_N, one, own, x, zero, y), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "the caller's operator failed in apply"));
    assert_fails(tulle_linop_get_diagonal(ctx, own, x), TULLE_UNSUPPORTED,
                 "tulle_linop_get_diagonal", "L");
    assert_fails(tulle_linop_jacobi(ctx, own, &bad), TULLE_UNSUPPORTED, "tulle_linop_jacobi", "A");
    assert_null(bad);
    assert_fails(tulle_linop_product(ctx, L, narrow, &bad), TULLE_TYPE_MISMATCH,
                 "tulle_linop_product", "B");
    assert_fails(tulle_linop_block_jacobi(ctx, A, 17, &bad), TULLE_INVALID_ARGUMENT,
                 "tulle_linop_block_jacobi", "block");
    assert_fails(tulle_linop_chebyshev(ctx, L, NULL, 0, 0, 0, &bad), TULLE_INVALID_ARGUMENT,
                 "tulle_linop_chebyshev", "degree");
    assert_fails(tulle_linop_chebyshev(ctx, L, NULL, 2, 3, 1, &bad), TULLE_INVALID_ARGUMENT,
                 "tulle_linop_chebyshev", "lowest");
    assert_fails(tulle_linop_create(ctx, TULLE_F64, N, N, &(tulle_linop_functions){.apply = NULL},
                                    NULL, &bad),
                 TULLE_INVALID_ARGUMENT, "tulle_linop_create", "functions");
    for (int64_t k = s.offsets[4]; k < s.offsets[6]; k++) s.values[k] = 0;
    must(tulle_mat_set_values(ctx, A, s.nnz, s.values));
    assert_fails(tulle_linop_block_jacobi(ctx, A, 2, &bad), TULLE_ZERO_PIVOT,
                 "tulle_linop_block_jacobi", "A");
    assert_int_equal(tulle_last_error()->row, 4);
    tulle_vec *vectors[] = {x, y, shorter, single};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) tulle_vec_destroy(vectors[i]);
    tulle_linop_destroy(L);
    tulle_linop_destroy(narrow);
    tulle_linop_destroy(own);
    tulle_mat_destroy(A);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
