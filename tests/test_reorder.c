/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices and vectors in another order; misuse; memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "entries.h"
#include "orders.h"
#include "places.h"
#include "reference.h"

/* B holds the entries of A where P and Q put them, sorted, equal ones in their order. */
static void permute_one(tulle_ctx *ctx, const tulle_mat *A, const entries *of_A, bool rows,
                        bool cols, tulle_index index, tulle_type type) {
    static int64_t order[ORDERS_MOST], inverse[ORDERS_MOST];
    tulle_order *P = rows ? order_shuffled(ctx, of_A->rows, 3) : NULL;
    tulle_order *Q = cols ? order_shuffled(ctx, of_A->cols, 4) : NULL;
    entries want = entries_copy(of_A);
    if (P) order_check(ctx, P, want.rows, order, inverse);
    for (int64_t k = 0; P && k < want.nnz; k++) want.row[k] = inverse[want.row[k]];
    if (Q) order_check(ctx, Q, want.cols, order, inverse);
    for (int64_t k = 0; Q && k < want.nnz; k++) want.col[k] = inverse[want.col[k]];
    entries_sort(&want);
    tulle_mat *B = order_apply(ctx, A, P, Q);
    entries_check(ctx, B, &want, TULLE_CSR, index, type, "permuted");
    tulle_mat_destroy(B);
    tulle_order_destroy(P);
    tulle_order_destroy(Q);
    entries_free(&want);
}

static void permute_lists(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = entries_random(40, 55, 300, 7), sorted = entries_copy(&e);
    entries_sort(&sorted);
    for (int k = 0; k < 6; k++) {
        tulle_index index = (tulle_index)(k % 3);
        tulle_type type = k % 2 ? TULLE_F64 : TULLE_F32;
        tulle_mat *coo = NULL, *A = NULL;
        must(entries_to_coo(ctx, &e, index, type, &coo));
        permute_one(ctx, coo, &e, k != 1, k != 2, index, type);
        must(tulle_mat_convert(ctx, coo, k < 3 ? TULLE_CSR : TULLE_CSC, index, 0, &A));
        permute_one(ctx, A, &sorted, true, true, index, type);
        tulle_mat_destroy(A);
        tulle_mat_destroy(coo);
    }
    entries_free(&e);
    entries_free(&sorted);
}

/* Every other format, whose conversion sums what is repeated. */
static void permute_formats(tulle_ctx *ctx, const char *where) {
    entries e = entries_random(30, 30, 90, 8);
    entries_sort(&e);
    entries_sum(&e, TULLE_F64);
    for (int format = TULLE_ELL; format < TULLE_FORMAT_COUNT; format += is_slow(where) ? 3 : 1) {
        tulle_mat *coo = NULL, *A = NULL;
        must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F64, &coo));
        must(tulle_mat_convert(ctx, coo, (tulle_format)format, TULLE_I32, 0, &A));
        permute_one(ctx, A, &e, true, true, TULLE_I32, TULLE_F64);
        tulle_mat_destroy(A);
        tulle_mat_destroy(coo);
    }
    entries_free(&e);
}

static void test_permute(void **state) {
    (void)state;
    on_each_place(permute_lists);
    on_each_place(permute_formats);
}

/* Rows of blocks, in all layouts, there and back; what lies between the columns stays. */
static void permute_blocks(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 70, K = 3, LD = 75 };
    static double x[N * K], y[LD * N], back[N * K];
    static int64_t order[ORDERS_MOST], inverse[ORDERS_MOST];
    tulle_order *P = order_shuffled(ctx, N, 1);
    order_check(ctx, P, N, order, inverse);
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int layouts = 0; layouts < 4; layouts++) {
            tulle_layout x_layout = (tulle_layout)(layouts / 2),
                         y_layout = (tulle_layout)(layouts % 2);
            tulle_vec *X = NULL, *Y = NULL, *Z = NULL;
            must(tulle_vec_create_columns(ctx, (tulle_type)type, N, K, x_layout, 0, &X));
            must(tulle_vec_create_columns(ctx, (tulle_type)type, N, K, y_layout, LD, &Y));
            must(tulle_vec_create_columns(ctx, (tulle_type)type, N, K, x_layout, 0, &Z));
            must(tulle_vec_random(ctx, X, 9));
            must(tulle_vec_permute(ctx, P, X, Y));
            must(tulle_vec_unpermute(ctx, P, Y, Z));
            must(tulle_vec_read(ctx, X, x, 0));
            must(tulle_vec_read(ctx, Y, y, LD));
            must(tulle_vec_read(ctx, Z, back, 0));
            size_t size = (size_t)tulle_type_size((tulle_type)type);
            assert_memory_equal(x, back, N * K * size);
            for (int64_t i = 0; i < N; i++) {
                for (int64_t c = 0; c < K; c++) {
                    int64_t from = x_layout ? order[i] * K + c : order[i] + c * N;
                    int64_t to = y_layout ? i * LD + c : i + c * LD;
                    assert_memory_equal((char *)x + (size_t)from * size,
                                        (char *)y + (size_t)to * size, size);
                }
            }
            tulle_vec_destroy(X);
            tulle_vec_destroy(Y);
            tulle_vec_destroy(Z);
        }
    }
    tulle_order_destroy(P);
}

static void empty(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_order *P = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    must(tulle_order_create(ctx, 0, NULL, &P));
    must(tulle_order_read(ctx, P, NULL));
    must(tulle_vec_create(ctx, TULLE_F32, 0, &X));
    must(tulle_vec_create(ctx, TULLE_F32, 0, &Y));
    must(tulle_vec_permute(ctx, P, X, Y));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_order_destroy(P);
    assert_int_equal(tulle_order_length(NULL), 0);
    tulle_order_destroy(NULL);
}

static void test_blocks(void **state) {
    (void)state;
    on_each_place(permute_blocks);
    on_each_place(empty);
}

/* y := A x, on the host. */
static void multiply(tulle_ctx *ctx, const tulle_mat *A, const tulle_vec *x, tulle_vec *y) {
    must(tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
}

/* P^T (B (Q x)) is A x, within the bound of any order of additions. */
static void permuted_product(tulle_ctx *ctx, const zoo_matrix *m, const tulle_order *P,
                             const tulle_order *Q) {
    double *x_host = calloc((size_t)m->cols, sizeof *x_host);
    double *y_host = calloc((size_t)m->rows, sizeof *y_host);
    double *y0 = calloc((size_t)m->rows, sizeof *y0);
    tulle_mat *A = zoo_mat(ctx, m, TULLE_I32, TULLE_F64), *B = order_apply(ctx, A, P, Q);
    tulle_vec *x = NULL, *y = NULL, *z = NULL, *Qx = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, m->cols, &x));
    must(tulle_vec_create(ctx, TULLE_F64, m->cols, &Qx));
    must(tulle_vec_create(ctx, TULLE_F64, m->rows, &z));
    must(tulle_vec_create(ctx, TULLE_F64, m->rows, &y));
    must(tulle_vec_random(ctx, x, 6));
    must(tulle_vec_permute(ctx, Q, x, Qx));
    multiply(ctx, B, Qx, z);
    must(tulle_vec_unpermute(ctx, P, z, y));
    must(tulle_vec_read(ctx, x, x_host, 0));
    must(tulle_vec_read(ctx, y, y_host, 0));
    product p = {.op = TULLE_N, .alpha = 1, .beta = 0, .x = x_host, .y0 = y0};
    assert_true(product_error(m, &p, TULLE_F64, y_host) <= 1);
    free(x_host);
    free(y_host);
    free(y0);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_vec_destroy(z);
    tulle_vec_destroy(Qx);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

static void zoo_products(tulle_ctx *ctx, const char *where) {
    for (int i = turn_of(where, 3); i < zoo_count(); i += is_slow(where) ? 3 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_order *P = order_shuffled(ctx, m.rows, 11), *Q = order_shuffled(ctx, m.cols, 12);
        permuted_product(ctx, &m, P, Q);
        tulle_order_destroy(P);
        tulle_order_destroy(Q);
        zoo_free(&m);
    }
}

/* Sums of small whole numbers are exact in any order: then the bits agree. */
static void whole_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 60 };
    static double x_host[N], want[N], got[N];
    entries e = entries_random(N, N, 600, 21);
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = (double)(k % 17 - 8);
    for (int64_t i = 0; i < N; i++) x_host[i] = (double)(i % 23 - 11);
    tulle_mat *A = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F64, &A));
    tulle_order *P = NULL;
    must(tulle_order_rcm(ctx, A, &P));
    tulle_mat *B = order_apply(ctx, A, P, P);
    tulle_vec *x = NULL, *y = NULL, *Px = NULL, *z = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, N, &x));
    must(tulle_vec_create(ctx, TULLE_F64, N, &y));
    must(tulle_vec_create(ctx, TULLE_F64, N, &Px));
    must(tulle_vec_create(ctx, TULLE_F64, N, &z));
    must(tulle_vec_write(ctx, x, x_host, 0));
    multiply(ctx, A, x, y);
    must(tulle_vec_permute(ctx, P, y, z)); /* P (A x) */
    must(tulle_vec_read(ctx, z, want, 0));
    must(tulle_vec_permute(ctx, P, x, Px));
    multiply(ctx, B, Px, z); /* (P A P^T) (P x) */
    must(tulle_vec_read(ctx, z, got, 0));
    assert_memory_equal(want, got, sizeof want);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_vec_destroy(z);
    tulle_vec_destroy(Px);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_order_destroy(P);
    entries_free(&e);
}

static void test_products(void **state) {
    (void)state;
    on_each_place(zoo_products);
    on_each_place(whole_numbers);
}

static void expect(tulle_status got, tulle_status want, const char *argument) {
    assert_int_equal(got, want);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    static const int64_t twice[] = {0, 2, 2}, outside[] = {0, 3, 1}, below[] = {0, -1, 1};
    static const int64_t first_again[] = {2, 0, 2};
    const tulle_status bad = TULLE_INVALID_ARGUMENT, shape = TULLE_SHAPE_MISMATCH;
    int64_t order[3];
    tulle_order *P = (tulle_order *)1, *Q = NULL;
    expect(tulle_order_create(ctx, 3, twice, &P), bad, "order");
    assert_null(P);
    assert_int_equal(tulle_last_error()->row, 2);
    expect(tulle_order_create(ctx, 3, first_again, &P), bad, "order");
    assert_int_equal(tulle_last_error()->row, 2);
    expect(tulle_order_create(ctx, 3, outside, &P), bad, "order");
    assert_non_null(strstr(tulle_last_error()->message, "it must be 0 to 2"));
    expect(tulle_order_create(ctx, 3, below, &P), bad, "order");
    expect(tulle_order_create(ctx, -1, twice, &P), bad, "n");
    expect(tulle_order_create(ctx, 3, NULL, &P), bad, "order");
    expect(tulle_order_create(NULL, 3, twice, &P), bad, "ctx");
    expect(tulle_order_create(ctx, 3, twice, NULL), bad, "P");
    P = order_shuffled(ctx, 3, 1);
    expect(tulle_order_read(NULL, P, order), bad, "ctx");
    expect(tulle_order_read(ctx, NULL, order), bad, "P");
    expect(tulle_order_read(ctx, P, NULL), bad, "order");

    entries e = entries_random(3, 4, 5, 1);
    tulle_mat *A = NULL, *B = (tulle_mat *)1;
    must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F64, &A));
    expect(tulle_order_rcm(ctx, A, &Q), shape, "A");
    expect(tulle_order_rcm(ctx, NULL, &Q), bad, "A");
    expect(tulle_order_rcm(NULL, A, &Q), bad, "ctx");
    expect(tulle_order_rcm(ctx, A, NULL), bad, "P");
    expect(tulle_order_fill(ctx, A, TULLE_AMD, &Q), shape, "A");
    expect(tulle_order_fill(ctx, A, (tulle_fill_order)2, &Q), bad, "method");
    expect(tulle_order_fill(ctx, NULL, TULLE_AMD, &Q), bad, "A");
    expect(tulle_order_fill(NULL, A, TULLE_AMD, &Q), bad, "ctx");
    expect(tulle_order_fill(ctx, A, TULLE_AMD, NULL), bad, "P");
    expect(tulle_mat_permute(ctx, A, P, P, &B), shape, "Q");
    assert_null(B);
    Q = order_shuffled(ctx, 4, 1);
    expect(tulle_mat_permute(ctx, A, Q, NULL, &B), shape, "P");
    expect(tulle_mat_permute(ctx, NULL, P, Q, &B), bad, "A");
    expect(tulle_mat_permute(NULL, A, P, Q, &B), bad, "ctx");
    expect(tulle_mat_permute(ctx, A, P, Q, NULL), bad, "B");

    tulle_vec *X = NULL, *Y = NULL, *single = NULL, *block = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, 3, &X));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &Y));
    must(tulle_vec_create(ctx, TULLE_F32, 3, &single));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, 2, TULLE_ROW_MAJOR, 0, &block));
    expect(tulle_vec_permute(NULL, P, X, Y), bad, "ctx");
    expect(tulle_vec_permute(ctx, NULL, X, Y), bad, "P");
    expect(tulle_vec_permute(ctx, P, NULL, Y), bad, "X");
    expect(tulle_vec_unpermute(ctx, P, X, NULL), bad, "Y");
    expect(tulle_vec_permute(ctx, Q, X, Y), shape, "X");
    expect(tulle_vec_unpermute(ctx, P, X, block), shape, "Y");
    expect(tulle_vec_permute(ctx, P, X, single), TULLE_TYPE_MISMATCH, "Y");
    expect(tulle_vec_unpermute(ctx, P, X, X), TULLE_ALIASED, "Y");
    if (strncmp(where, "cpu", 3) != 0) {
        tulle_ctx *home = NULL;
        const tulle_status space = TULLE_SPACE_MISMATCH;
        must(tulle_ctx_create("cpu:1", NULL, &home));
        expect(tulle_order_read(home, P, order), space, "P");
        expect(tulle_order_rcm(home, A, &(tulle_order *){NULL}), space, "A");
        expect(tulle_order_fill(home, A, TULLE_AMD, &(tulle_order *){NULL}), space, "A");
        expect(tulle_mat_permute(home, A, P, Q, &B), space, "A");
        expect(tulle_vec_permute(home, P, X, Y), space, "P");
        tulle_ctx_destroy(home);
    }
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_vec_destroy(single);
    tulle_vec_destroy(block);
    tulle_order_destroy(P);
    tulle_order_destroy(Q);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}

/* An order is found and used; the matrix is there already. */
static tulle_status use(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P, tulle_mat **B) {
    tulle_order *little = NULL;
    *P = NULL;
    tulle_status status = tulle_order_fill(ctx, A, TULLE_NESTED_DISSECTION, &little);
    tulle_order_destroy(little);
    if (status == TULLE_OK) status = tulle_order_fill(ctx, A, TULLE_AMD, &little);
    tulle_order_destroy(little);
    if (status == TULLE_OK) status = tulle_order_rcm(ctx, A, P);
    return status == TULLE_OK ? tulle_mat_permute(ctx, A, *P, *P, B) : status;
}

/* Fails the n-th allocation from now on; true when the calls no longer get that far. */
static bool fail_once(const char *where, const zoo_matrix *m, tulle_format format, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mat *csr = zoo_mat(ctx, m, TULLE_I32, TULLE_F64), *A = NULL, *B = NULL;
    must(tulle_mat_convert(ctx, csr, format, TULLE_I32, 0, &A));
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    tulle_order *P = (tulle_order *)1;
    tulle_status status = use(ctx, A, &P, &B);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(B);
        tulle_order_destroy(P);
        c.fail_at = 0; /* and the matrix serves as before */
        must(use(ctx, A, &P, &B));
    }
    tulle_mat_destroy(csr);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_ctx_destroy(ctx); /* the order keeps what it needs of it */
    tulle_order_destroy(P);
    assert_int_equal(c.live, 0);
    return done;
}

static void each_allocation_fails(tulle_ctx *unused, const char *where) {
    (void)unused;
    zoo_matrix m = zoo_make(18);
    assert_int_equal(m.rows, m.cols);
    for (int format = TULLE_COO; format <= TULLE_ELL; format++) {
        int64_t n = 1;
        while (!fail_once(where, &m, (tulle_format)format, n)) n++;
        assert_true(n > 10);
    }
    zoo_free(&m);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    on_each_place(each_allocation_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
