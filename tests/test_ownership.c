/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns what: arrays that are borrowed or taken, patterns and contexts that are shared,
 * new values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"

/* The caller's arrays in a context's memory: dense blocks lend it. */
typedef struct {
    zoo_matrix zoo;
    tulle_vec *blocks[4];
    void *offsets, *rows, *columns, *values;
} arrays;

static void *lend(tulle_ctx *ctx, const void *host, size_t bytes, tulle_vec **block) {
    tulle_vec_info info;
    must(tulle_vec_create(ctx, TULLE_F32, (int64_t)(bytes / 4), block));
    must(tulle_vec_write(ctx, *block, host, 0));
    must(tulle_vec_describe(*block, &info));
    return info.data;
}

static arrays set_up(tulle_ctx *ctx) {
    arrays a = {.zoo = zoo_make(8)};
    entries e = entries_of_zoo(&a.zoo);
    size_t bytes = (size_t)a.zoo.nnz * 8;
    a.offsets = lend(ctx, a.zoo.offsets, (size_t)(a.zoo.rows + 1) * 8, &a.blocks[0]);
    a.rows = lend(ctx, e.row, bytes, &a.blocks[1]);
    a.columns = lend(ctx, a.zoo.columns, bytes, &a.blocks[2]);
    a.values = lend(ctx, a.zoo.values, bytes, &a.blocks[3]);
    entries_free(&e);
    return a;
}

static void tear_down(arrays *a) {
    for (int i = 0; i < 4; i++) tulle_vec_destroy(a->blocks[i]);
    zoo_free(&a->zoo);
}

static tulle_status make(tulle_ctx *ctx, const arrays *a, bool csr,
                         const tulle_mat_options *options, tulle_mat **A) {
    const zoo_matrix *z = &a->zoo;
    if (csr) {
        return tulle_mat_create_csr(ctx, z->rows, z->cols, z->nnz, TULLE_I64, a->offsets,
                                    a->columns, TULLE_F64, a->values, options, A);
    }
    return tulle_mat_create_coo(ctx, z->rows, z->cols, z->nnz, TULLE_I64, a->rows, a->columns,
                                TULLE_F64, a->values, options, A);
}

/* Counts how often each array comes back. */
typedef struct {
    const arrays *of;
    int offsets, rows, columns, values, others;
} returned;

static void give_back(void *user, void *array) {
    returned *r = user;
    if (array == r->of->offsets) {
        r->offsets++;
    } else if (array == r->of->rows) {
        r->rows++;
    } else if (array == r->of->columns) {
        r->columns++;
    } else if (array == r->of->values) {
        r->values++;
    } else {
        r->others++;
    }
}

static void assert_returned(const returned *r, int offsets, int rows, int columns, int values) {
    assert_int_equal(r->offsets, offsets);
    assert_int_equal(r->rows, rows);
    assert_int_equal(r->columns, columns);
    assert_int_equal(r->values, values);
    assert_int_equal(r->others, 0);
}

static void taken(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    for (int csr = 0; csr < 2; csr++) {
        returned r = {.of = &a};
        tulle_mat_options options = {.ownership = TULLE_TAKE, .release = give_back, .user = &r};
        tulle_mat *A = NULL, *B = NULL;
        must(make(ctx, &a, csr, &options, &A));
        tulle_mat_arrays view;
        must(tulle_mat_view(A, &view));
        assert_ptr_equal(view.cols, a.columns);
        assert_ptr_equal(view.values, a.values);
        must(tulle_mat_with_values(ctx, A, TULLE_F64, a.zoo.nnz, a.zoo.values, &B));
        assert_ptr_equal(tulle_mat_retain(A), A);
        tulle_mat_destroy(A);
        assert_returned(&r, 0, 0, 0, 0);
        tulle_mat_destroy(A);
        assert_returned(&r, 0, 0, 0, 1); /* the pattern is B's too */
        tulle_mat_destroy(B);
        assert_returned(&r, csr, !csr, 1, 1);
    }
    tear_down(&a);
}

/* After a failure nothing was taken, whatever the reason. */
static void not_taken(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    returned r = {.of = &a};
    tulle_mat_options options = {.ownership = TULLE_TAKE, .release = give_back, .user = &r};
    tulle_mat *A = NULL;
    a.zoo.cols = 3;
    assert_int_equal(make(ctx, &a, true, &options, &A), TULLE_INVALID_MATRIX);
    assert_int_equal(make(ctx, &a, false, &options, &A), TULLE_INVALID_MATRIX);
    a.zoo.nnz = -1;
    assert_int_equal(make(ctx, &a, true, &options, &A), TULLE_INVALID_ARGUMENT);
    assert_null(A);
    assert_returned(&r, 0, 0, 0, 0);
    tear_down(&a);
}

static void borrowed(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    tulle_mat_options options = {.ownership = TULLE_BORROW};
    tulle_mat *A = NULL, *B = NULL;
    must(make(ctx, &a, true, &options, &A));
    must(tulle_mat_copy(ctx, A, TULLE_F64, &B));
    double *values = malloc((size_t)a.zoo.nnz * sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < a.zoo.nnz; k++) values[k] = (double)k;
    must(tulle_vec_write(ctx, a.blocks[3], values, 0)); /* the caller's array is A's */
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, a.zoo.values));
    assert_memory_equal(a.zoo.values, values, (size_t)a.zoo.nnz * sizeof *values);
    tulle_mat_arrays lent, copied;
    must(tulle_mat_view(A, &lent));
    must(tulle_mat_view(B, &copied));
    assert_ptr_equal(lent.offsets, a.offsets);
    assert_ptr_not_equal(copied.offsets, lent.offsets);
    assert_ptr_not_equal(copied.cols, lent.cols);
    tulle_mat_destroy(A);
    must(tulle_mat_read(ctx, B, NULL, NULL, NULL, values));
    assert_true(values[1] != 1.0); /* the copy kept the old ones */
    tulle_mat_destroy(B);
    free(values);
    tear_down(&a);
}

static void expect_values(tulle_ctx *ctx, const tulle_mat *A, double scale) {
    entries e = entries_read(ctx, A);
    for (int64_t k = 0; k < e.nnz; k++) assert_true(e.value[k] == scale * (double)(k + 1));
    entries_free(&e);
}

/* Matrices that share a pattern: one set of plans, values of their own, any order of death. */
static void shared(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    double *ones = malloc((size_t)a.zoo.nnz * sizeof *ones);
    assert_non_null(ones);
    for (int64_t k = 0; k < a.zoo.nnz; k++) ones[k] = (double)(k + 1);
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    must(make(ctx, &a, true, NULL, &A));
    must(tulle_mat_with_values(ctx, A, TULLE_F64, a.zoo.nnz, ones, &B));
    must(tulle_mat_copy(ctx, B, TULLE_F32, &C));
    tulle_mat_arrays of_a, of_b, of_c;
    must(tulle_mat_view(A, &of_a));
    must(tulle_mat_view(B, &of_b));
    must(tulle_mat_view(C, &of_c));
    assert_ptr_equal(of_a.cols, of_b.cols);
    assert_ptr_equal(of_a.cols, of_c.cols);
    assert_ptr_not_equal(of_a.values, of_b.values);
    must(tulle_mat_plan(ctx, TULLE_T, A, NULL));
    tulle_mat_info info;
    must(tulle_mat_describe(B, &info));
    assert_true(info.plan_bytes > 0);
    tulle_mat_destroy(A);
    expect_values(ctx, B, 1);
    expect_values(ctx, C, 1);
    for (int64_t k = 0; k < a.zoo.nnz; k++) ones[k] *= 2;
    must(tulle_mat_set_values(ctx, B, a.zoo.nnz, ones));
    expect_values(ctx, B, 2);
    expect_values(ctx, C, 1);
    must(tulle_mat_set_values(ctx, B, a.zoo.nnz, of_b.values)); /* onto themselves */
    expect_values(ctx, B, 2);
    tulle_mat_destroy(B);
    expect_values(ctx, C, 1);
    tulle_mat_destroy(C);
    free(ones);
    tear_down(&a);
}

/* Values of an array that lives where the matrix does, not on the host. */
static void values_in_place(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    tulle_mat *A = NULL, *B = NULL;
    must(make(ctx, &a, true, NULL, &A));
    must(tulle_vec_fill(ctx, a.blocks[3], 0));
    must(tulle_mat_with_values(ctx, A, TULLE_F64, a.zoo.nnz, a.values, &B));
    expect_values(ctx, B, 0);
    must(tulle_mat_set_values(ctx, A, a.zoo.nnz, a.values));
    expect_values(ctx, A, 0);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tear_down(&a);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    arrays a = set_up(ctx);
    tulle_mat *A = NULL, *B = (tulle_mat *)1;
    must(make(ctx, &a, true, NULL, &A));
    assert_int_equal(tulle_mat_with_values(NULL, A, TULLE_F64, a.zoo.nnz, a.values, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_null(B);
    assert_int_equal(tulle_mat_with_values(ctx, NULL, TULLE_F64, a.zoo.nnz, a.values, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_with_values(ctx, A, (tulle_type)7, a.zoo.nnz, a.values, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_with_values(ctx, A, TULLE_F64, a.zoo.nnz, NULL, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "values");
    assert_int_equal(tulle_mat_with_values(ctx, A, TULLE_F64, a.zoo.nnz, a.values, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_set_values(NULL, A, a.zoo.nnz, a.values), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_set_values(ctx, NULL, a.zoo.nnz, a.values), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_set_values(ctx, A, a.zoo.nnz, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(A);
    tear_down(&a);
}

/* The context may be given up before what lives in it. */
static void context_first(tulle_ctx *unused, const char *where) {
    (void)unused;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    arrays a = set_up(ctx);
    tulle_mat *A = NULL, *B = NULL;
    must(make(ctx, &a, true, NULL, &A));
    must(tulle_mat_with_values(ctx, A, TULLE_F32, a.zoo.nnz, a.values, &B));
    tulle_ctx_destroy(ctx);
    tulle_mat_destroy(A);
    tear_down(&a);
    tulle_mat_destroy(B);
}

static void read_back(tulle_ctx *ctx, tulle_linop *L, const tulle_vec *x, tulle_vec *y,
                      double numbers[4]) {
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, numbers, 0));
}

/* The caller gives up a factor, a tuner and their matrix before the operators that use them, which
 * do after it what they did before; their memory goes with the last operator. */
static void used_first(tulle_ctx *unused, const char *where) {
    (void)unused;
    static const int32_t offsets[] = {0, 2, 5, 8, 10}, columns[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    static const double values[] = {4, -1, -1, 4, -1, -1, 4, -1, -1, 4}, numbers[] = {1, 2, 3, 4};
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mat *A = NULL;
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_mat_create_csr(ctx, 4, 4, 10, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_vec_create(ctx, TULLE_F64, 4, &x));
    must(tulle_vec_create(ctx, TULLE_F64, 4, &y));
    must(tulle_vec_write(ctx, x, numbers, 0));
    tulle_factor *F = NULL;
    tulle_tuner *tuner = NULL;
    tulle_linop *M = NULL, *again = NULL, *L = NULL, *both = NULL;
    must(tulle_factor_create(ctx, A, NULL, &F));
    must(tulle_tuner_create(ctx, &(tulle_tuner_options){.cache = ""}, &tuner));
    must(tulle_linop_from_factor(ctx, F, TULLE_F64, &M));
    must(tulle_linop_from_factor(ctx, F, TULLE_F64, &again));
    must(tulle_linop_tuned(ctx, tuner, A, &L));
    must(tulle_linop_product(ctx, M, L, &both));
    double solved[4], product[4], got[4];
    read_back(ctx, M, x, y, solved);
    read_back(ctx, L, x, y, product);
    tulle_factor_destroy(F);
    tulle_tuner_destroy(tuner);
    tulle_mat_destroy(A);
    read_back(ctx, M, x, y, got);
    assert_memory_equal(got, solved, sizeof got);
    for (int call = 0; call < 40; call++) read_back(ctx, L, x, y, got);
    for (int i = 0; i < 4; i++) assert_true(got[i] == product[i]); /* exact in any order */
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    read_back(ctx, again, x, y, got);
    assert_memory_equal(got, solved, sizeof got);
    read_back(ctx, both, x, y, got);
    for (int i = 0; i < 4; i++) assert_true(got[i] > 0.99 * numbers[i] && got[i] < 1.01 * (i + 1));
    tulle_linop_destroy(again);
    tulle_linop_destroy(both);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
}

/* Arrays that were offered still belong to the caller when memory runs out after validation. */
static void offer_survives(tulle_ctx *unused, const char *where) {
    (void)unused;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (int64_t n = 1; status != TULLE_OK; n++) {
        counting c = {0};
        tulle_allocator allocator = counting_allocator(&c);
        tulle_ctx_options options = {.host = &allocator};
        tulle_ctx *ctx = NULL;
        must(tulle_ctx_create(where, &options, &ctx));
        arrays a = set_up(ctx);
        returned r = {.of = &a};
        tulle_mat_options take = {.ownership = TULLE_TAKE, .release = give_back, .user = &r};
        tulle_mat *A = NULL;
        c.fail_at = c.requests + n;
        status = make(ctx, &a, true, &take, &A);
        assert_true(status == TULLE_OK || status == TULLE_OUT_OF_MEMORY);
        tulle_mat_destroy(A);
        int times = status == TULLE_OK ? 1 : 0;
        assert_returned(&r, times, 0, times, times);
        tear_down(&a);
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
}

static void test_taken(void **state) {
    (void)state;
    on_each_place(taken);
    on_each_place(not_taken);
}
static void test_borrowed(void **state) {
    (void)state;
    on_each_place(borrowed);
}
static void test_shared(void **state) {
    (void)state;
    on_each_place(shared);
    on_each_place(values_in_place);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}
static void test_context_first(void **state) {
    (void)state;
    on_each_place(context_first);
}
static void test_used_first(void **state) {
    (void)state;
    on_each_place(used_first);
}
static void test_offer_survives(void **state) {
    (void)state;
    on_each_place(offer_survives);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),         cmocka_unit_test(test_borrowed),
        cmocka_unit_test(test_shared),        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_context_first), cmocka_unit_test(test_offer_survives),
        cmocka_unit_test(test_used_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
