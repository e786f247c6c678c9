/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_multiply against a dense product, entry by entry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"
#include "places.h"
#include "small_matrices.h"

/* A dense matrix: values, and which of them are stored. */
typedef struct dense {
    double *value;
    bool *has;
} dense;

/* Repeated entries are summed in their order, in the type. */
static dense dense_of(const entries *e, tulle_type type) {
    const size_t cells = (size_t)(e->rows * e->cols) + 1;
    dense d = {calloc(cells, sizeof *d.value), calloc(cells, sizeof *d.has)};
    assert_true(d.value && d.has);
    for (int64_t k = 0; k < e->nnz; k++) {
        const int64_t cell = e->row[k] * e->cols + e->col[k];
        const double sum = d.has[cell] ? d.value[cell] + e->value[k] : e->value[k];
        d.value[cell] = type == TULLE_F32 ? (double)(float)sum : sum;
        d.has[cell] = true;
    }
    return d;
}

static void dense_free(dense *d) {
    free(d->value);
    free(d->has);
}

/* Returns the product by rows and columns; each number is rounded once. */
static entries product_of(const entries *A, const entries *B, tulle_type type) {
    dense a = dense_of(A, type), b = dense_of(B, type);
    entries c = entries_copy(A->nnz < B->nnz ? B : A);
    c.nnz = 0;
    for (int64_t cell = 0; cell < A->rows * A->cols; cell++) {
        if (!a.has[cell] || !b.has[cell]) continue;
        const double value = a.value[cell] * b.value[cell];
        c.row[c.nnz] = cell / A->cols;
        c.col[c.nnz] = cell % A->cols;
        c.value[c.nnz++] = type == TULLE_F32 ? (double)(float)value : value;
    }
    dense_free(&b);
    dense_free(&a);
    return c;
}

static tulle_index wider(tulle_index a, tulle_index b) {
    return a > b ? a : b;
}

static void check(tulle_ctx *ctx, const small_matrix *A, const small_matrix *B) {
    tulle_mat *C = NULL;
    must(tulle_mat_multiply(ctx, A->A, B->A, &C));
    entries want = product_of(&A->e, &B->e, A->type);
    entries_check(ctx, C, &want, TULLE_CSR, wider(A->index, B->index), A->type, "product");
    entries_free(&want);
    tulle_mat_destroy(C);
}

/* Multiplies by itself, and by more and fewer entries, of another index type, on both sides. */
static void multiply_matrix(tulle_ctx *ctx, const small_matrix *m, uint64_t seed) {
    static const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64};
    check(ctx, m, m);
    for (int i = 0; i < 3; i++) {
        const bool room = m->e.rows > 0 && m->e.cols > 0;
        const int64_t nnz = room ? (i == 0 ? 0 : i == 1 ? m->e.nnz / 3 + 5 : 2 * m->e.nnz + 9) : 0;
        entries given = small_entries(m->e.rows, m->e.cols, nnz, seed % 2, seed + 77);
        small_matrix other = {.e = small_by_rows(&given),
                              .index = indices[(seed + (uint64_t)i) % 3],
                              .type = m->type};
        other.A = entries_to_csr(ctx, &given, other.index, other.type);
        check(ctx, m, &other);
        if (i == 1) check(ctx, &other, m);
        tulle_mat_destroy(other.A);
        entries_free(&other.e);
        entries_free(&given);
    }
}

static void random_matrices(tulle_ctx *ctx, const char *where) {
    each_small_matrix(ctx, where, places_seed(), multiply_matrix);
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* NaN and Inf, signed zeros, products that are rounded or out of range; entries of one operand
 * alone, which no NaN brings into C. */
static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double a[] = {NAN, INFINITY, INFINITY, -0.0, 1e30, 1e-30, 1.0 / 3, NAN, 2};
    static const double b[] = {1, -2, 0, 5, 1e30, 1e-30, 1.0 / 3, NAN, NAN};
    enum { N = sizeof a / sizeof *a };
    for (int narrow = 0; narrow < 2; narrow++) {
        const tulle_type type = narrow ? TULLE_F32 : TULLE_F64;
        entries A = entries_random(2, 2 * N, N, 1), B = entries_random(2, 2 * N, N, 1);
        for (int k = 0; k < N; k++) {
            A.row[k] = B.row[k] = 1, A.col[k] = 2 * k, B.col[k] = k < N - 1 ? 2 * k : 2 * k + 1;
            A.value[k] = narrow ? (double)(float)a[k] : a[k];
            B.value[k] = narrow ? (double)(float)b[k] : b[k];
        }
        tulle_mat *m = entries_to_csr(ctx, &A, TULLE_I32, type), *C = NULL;
        tulle_mat *n = entries_to_csr(ctx, &B, TULLE_I32, type);
        must(tulle_mat_multiply(ctx, m, n, &C));
        entries got = entries_read(ctx, C), want = product_of(&A, &B, type);
        assert_int_equal(got.nnz, N - 1);
        for (int k = 0; k < N - 1; k++) {
            assert_int_equal(got.col[k], want.col[k]);
            assert_same_number(got.value[k], want.value[k]);
        }
        entries_free(&want);
        entries_free(&got);
        tulle_mat_destroy(n);
        tulle_mat_destroy(C);
        tulle_mat_destroy(m);
        entries_free(&B);
        entries_free(&A);
    }
}
ONCE_ON_EACH_PLACE(ends)

static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    small_matrix a = {.index = TULLE_I32, .type = TULLE_F64}, b = a;
    a.e = small_entries(30, 40, 200, true, 9);
    b.e = small_entries(30, 40, 300, true, 10);
    tulle_mat *A = entries_to_csr(ctx, &a.e, TULLE_I32, TULLE_F64);
    tulle_mat *B = entries_to_csr(ctx, &b.e, TULLE_I32, TULLE_F64);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        const tulle_format other = (tulle_format)(TULLE_FORMAT_COUNT - 1 - f);
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &a.A));
        must(tulle_mat_convert(ctx, B, other, TULLE_I32, 0, &b.A));
        check(ctx, &a, &b);
        tulle_mat_destroy(b.A);
        tulle_mat_destroy(a.A);
    }
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&b.e);
    entries_free(&a.e);
}
ONCE_ON_EACH_PLACE(formats)

static void random_two(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "p2d5:9,4", 1, TULLE_F64);
    m[1] = making_generated(ctx, "random:36,36,3", 1, TULLE_F64);
}

static tulle_status product(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                            const tulle_index *index, tulle_mat **C) {
    (void)job;
    (void)index;
    return tulle_mat_multiply(ctx, m[0], m[1], C);
}

static const making two = {.operands = random_two, .make = product};

static void elsewhere(tulle_ctx *ctx, const char *where) {
    making_check_elsewhere(ctx, where, &two);
}
ONCE_ON_EACH_PLACE(elsewhere)

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &two, 2);
}
ONCE_ON_EACH_PLACE(cancelling)

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    making_check_running_out(where, &two, 2);
}
ONCE_ON_EACH_PLACE(running_out)

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const char *const name = "tulle_mat_multiply";
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *narrow = making_generated(ctx, "random:6,5,2", 1, TULLE_F32);
    tulle_mat *wide = making_generated(ctx, "random:6,6,2", 1, TULLE_F64);
    tulle_mat *tall = making_generated(ctx, "random:7,5,2", 1, TULLE_F64);
    making_assert_fails(tulle_mat_multiply(NULL, A, A, &C), name, TULLE_INVALID_ARGUMENT, "ctx",
                        &C);
    making_assert_fails(tulle_mat_multiply(ctx, NULL, A, &C), name, TULLE_INVALID_ARGUMENT, "A",
                        &C);
    making_assert_fails(tulle_mat_multiply(ctx, A, NULL, &C), name, TULLE_INVALID_ARGUMENT, "B",
                        &C);
    making_assert_fails(tulle_mat_multiply(ctx, A, narrow, &C), name, TULLE_TYPE_MISMATCH, "B", &C);
    making_assert_fails(tulle_mat_multiply(ctx, A, wide, &C), name, TULLE_SHAPE_MISMATCH, "B", &C);
    making_assert_fails(tulle_mat_multiply(ctx, A, tall, &C), name, TULLE_SHAPE_MISMATCH, "B", &C);
    assert_int_equal(tulle_mat_multiply(ctx, A, A, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(tall);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(narrow);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(errors)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_cancelling),      cmocka_unit_test(test_running_out),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
