/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products and transposes of matrices with more rows and columns than there is memory for:
 * the bits of the same operation on a matrix without the rows and columns that are empty, in memory
 * that follows the entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "entries.h"
#include "matrix/matrix.h"
#include "places.h"
#include "tulle/add.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

/* Rows and columns of small matrices, and where they are in large ones: in the same order, far from
 * each other. */
enum { ROWS = 23, INNER = 17, COLS = 31 };
static int64_t far(int64_t number) {
    return (number + 1) * ((INT64_C(1) << 44) + 12345) + number % 3;
}
static const int64_t all = INT64_C(1) << 50;

/* What a case is made of. few: rows and columns of the large matrix that stay as they are. */
typedef struct sparse {
    int64_t rows, cols, nnz;
    uint64_t seed;
    tulle_format format; /* of the large one: COO, DCSR, or CSR, which keeps its rows */
    bool near_rows, near_cols;
} sparse;

static entries spread(const entries *e, bool near_rows, bool near_cols) {
    entries far_ones = entries_copy(e);
    if (!near_rows) far_ones.rows = all;
    if (!near_cols) far_ones.cols = all;
    for (int64_t i = 0; i < e->nnz; i++) {
        if (!near_rows) far_ones.row[i] = far(e->row[i]);
        if (!near_cols) far_ones.col[i] = far(e->col[i]);
    }
    return far_ones;
}

/* A large matrix and its small one, both in the order in which the large one's format has them. */
typedef struct pair {
    tulle_mat *large, *small;
} pair;

static pair make_pair(tulle_ctx *ctx, const sparse *s, tulle_type type) {
    pair p = {NULL, NULL};
    tulle_ctx *cpu = NULL; /* a GPU has no list of entries with so many rows */
    tulle_mat *coo = NULL, *made = NULL;
    entries e = entries_random(s->rows, s->cols, s->nnz, s->seed);
    entries far_ones = spread(&e, s->near_rows, s->near_cols);
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    must(entries_to_coo(cpu, &far_ones, TULLE_I64, type, &coo));
    must(tulle_mat_convert(cpu, coo, s->format, TULLE_I64, 0, &made));
    must(tulle_mat_copy(ctx, made, type, &p.large));
    tulle_mat_destroy(made);
    tulle_mat_destroy(coo);
    tulle_ctx_destroy(cpu);
    must(entries_to_coo(ctx, &e, TULLE_I64, type, &coo));
    must(tulle_mat_convert(ctx, coo, TULLE_CSR, TULLE_I64, 0, &p.small));
    tulle_mat_destroy(coo);
    entries_free(&far_ones);
    entries_free(&e);
    return p;
}

static void free_pair(pair *p) {
    tulle_mat_destroy(p->large);
    tulle_mat_destroy(p->small);
}

/* Fails unless the large one has the bits of the small one. */
static void expect_same(tulle_ctx *ctx, const tulle_mat *large, const tulle_mat *small,
                        bool near_rows, bool near_cols, const char *what) {
    entries e = entries_read(ctx, small), want = spread(&e, near_rows, near_cols);
    tulle_ctx *cpu = NULL;
    tulle_mat *copy = NULL, *coo = NULL;
    tulle_mat_info info;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    must(tulle_mat_describe(large, &info));
    must(tulle_mat_copy(cpu, large, info.type, &copy));
    assert_int_equal(info.format, near_rows ? TULLE_CSR : TULLE_DCSR);
    if (!near_rows) assert_int_equal(info.storage.heads, info.rows - info.empty_rows);
    must(tulle_mat_convert(cpu, copy, TULLE_COO, info.index, 0, &coo));
    entries_check(cpu, coo, &want, TULLE_COO, info.index, info.type, what);
    tulle_mat_destroy(coo);
    tulle_mat_destroy(copy);
    tulle_ctx_destroy(cpu);
    entries_free(&want);
    entries_free(&e);
}

static void sums(tulle_ctx *ctx, const char *where) {
    static const tulle_format formats[] = {TULLE_DCSR, TULLE_COO};
    const tulle_scalar two = tulle_num(2), minus = tulle_num(-0.3);
    for (int k = turn_of(where, 4); k < 8; k += is_slow(where) ? 4 : 1) {
        const tulle_trans a = k & 1 ? TULLE_T : TULLE_N, b = k & 2 ? TULLE_T : TULLE_N;
        const tulle_type type = k & 4 ? TULLE_F32 : TULLE_F64;
        const sparse A = {.rows = a == TULLE_T ? COLS : ROWS,
                          .cols = a == TULLE_T ? ROWS : COLS,
                          .nnz = 60 * (k != 5),
                          .seed = 1,
                          .format = formats[k % 2]};
        const sparse B = {.rows = b == TULLE_T ? COLS : ROWS,
                          .cols = b == TULLE_T ? ROWS : COLS,
                          .nnz = 90,
                          .seed = 2,
                          .format = TULLE_DCSR};
        pair p = make_pair(ctx, &A, type), q = make_pair(ctx, &B, type);
        tulle_mat *large = NULL, *small = NULL;
        tulle_add_report report;
        must(tulle_add(ctx, a, b, two, p.large, minus, q.large, NULL, &report, &large));
        must(tulle_add(ctx, a, b, two, p.small, minus, q.small, NULL, NULL, &small));
        expect_same(ctx, large, small, false, false, where);
        assert_int_equal(report.nnz, large->pattern->nnz);
        assert_true(report.peak_bytes > 0 && report.peak_bytes < 1 << 20);
        tulle_mat_destroy(small);
        tulle_mat_destroy(large);
        free_pair(&p);
        free_pair(&q);
    }
}

static int64_t size_of(int64_t size, bool turned, int64_t other) {
    return turned ? other : size;
}

/* op(A) op(B), some with a mask, + D: rows of C, those that meet, and columns of C each near or
 * far. */
static void products(tulle_ctx *ctx, const char *where) {
    for (int k = turn_of(where, 7); k < 32; k += is_slow(where) ? 7 : 1) {
        const bool a = k & 1, b = k & 2, plus = k & 4, near = k & 8, wide = k & 16;
        const bool masked = k % 3 == 1;
        const tulle_type type = k & 4 ? TULLE_F32 : TULLE_F64;
        const bool m_near = near && !wide, k_near = near && wide, n_near = wide && !near;
        const tulle_trans op_A = a ? TULLE_T : TULLE_N, op_B = b ? TULLE_T : TULLE_N;
        const sparse A = {.rows = size_of(ROWS, a, INNER),
                          .cols = size_of(INNER, a, ROWS),
                          .nnz = 70,
                          .seed = 3,
                          .format = (a ? k_near : m_near) ? TULLE_CSR : TULLE_DCSR,
                          .near_rows = a ? k_near : m_near,
                          .near_cols = a ? m_near : k_near};
        const sparse B = {.rows = size_of(INNER, b, COLS),
                          .cols = size_of(COLS, b, INNER),
                          .nnz = 80,
                          .seed = 4,
                          .format = k % 3 == 0 ? TULLE_COO : TULLE_DCSR,
                          .near_rows = b ? n_near : k_near,
                          .near_cols = b ? k_near : n_near};
        const sparse D = {.rows = ROWS,
                          .cols = COLS,
                          .nnz = 40,
                          .seed = 5,
                          .format = TULLE_DCSR,
                          .near_rows = m_near,
                          .near_cols = n_near};
        sparse M = D;
        M.nnz = 300;
        M.seed = 12;
        pair p = make_pair(ctx, &A, type), q = make_pair(ctx, &B, type),
             d = make_pair(ctx, &D, type), m = make_pair(ctx, &M, type);
        tulle_spgemm_options options = {.beta = tulle_num(-2)}, few = options;
        if (plus) options.D = d.large;
        if (plus) few.D = d.small;
        if (masked) options.mask = m.large;
        if (masked) few.mask = m.small;
        tulle_mat *large = NULL, *small = NULL;
        tulle_spgemm_report report;
        tulle_spgemm_bounds bounds;
        const tulle_scalar alpha = tulle_num(0.7);
        must(tulle_spgemm_forecast(ctx, op_A, op_B, p.large, q.large, &options, &bounds));
        must(tulle_spgemm(ctx, op_A, op_B, alpha, p.large, q.large, &options, &report, &large));
        must(tulle_spgemm(ctx, op_A, op_B, alpha, p.small, q.small, &few, NULL, &small));
        expect_same(ctx, large, small, m_near, n_near, where);
        assert_true(report.peak_bytes <= report.bound_bytes);
        assert_true(report.peak_bytes <= bounds.bytes);
        assert_true(bounds.nnz >= report.nnz && bounds.products == report.products);
        tulle_mat_destroy(small);
        tulle_mat_destroy(large);
        free_pair(&p);
        free_pair(&q);
        free_pair(&d);
        free_pair(&m);
    }
}

/* P^T A P + D, whose C is far or near. */
static void triples(tulle_ctx *ctx, const char *where) {
    for (int k = turn_of(where, 2); k < 4; k += is_slow(where) ? 2 : 1) {
        const bool near = k & 1, plus = k & 2;
        const sparse A = {ROWS, ROWS, 120, 6, TULLE_DCSR, false, false};
        const sparse P = {ROWS, COLS, 50, 7, TULLE_DCSR, false, near};
        const sparse D = {COLS, COLS, 30, 8, TULLE_DCSR, near, near};
        pair a = make_pair(ctx, &A, TULLE_F64), p = make_pair(ctx, &P, TULLE_F64),
             d = make_pair(ctx, &D, TULLE_F64);
        tulle_spgemm_options options = {.beta = tulle_num(3)}, few = options;
        if (plus) options.D = d.large;
        if (plus) few.D = d.small;
        tulle_mat *large = NULL, *small = NULL;
        tulle_spgemm_report report;
        tulle_spgemm_bounds bounds;
        const tulle_scalar alpha = tulle_num(-1.5);
        must(tulle_spgemm_galerkin_forecast(ctx, a.large, p.large, &options, &bounds));
        must(tulle_spgemm_galerkin(ctx, alpha, a.large, p.large, &options, &report, &large));
        must(tulle_spgemm_galerkin(ctx, alpha, a.small, p.small, &few, NULL, &small));
        expect_same(ctx, large, small, near, near, where);
        assert_true(report.peak_bytes <= report.bound_bytes);
        assert_true(report.peak_bytes <= bounds.bytes);
        tulle_mat_destroy(small);
        tulle_mat_destroy(large);
        free_pair(&a);
        free_pair(&p);
        free_pair(&d);
    }
}

/* There and back; a CSR with very many columns becomes a DCSR. */
static void transposes(tulle_ctx *ctx, const char *where) {
    const sparse wide = {ROWS, COLS, 80, 9, TULLE_CSR, true, false};
    const sparse both = {ROWS, COLS, 80, 10, TULLE_DCSR, false, false};
    const sparse *const cases[] = {&wide, &both};
    for (int k = 0; k < 2; k++) {
        pair p = make_pair(ctx, cases[k], TULLE_F64);
        tulle_mat *large = NULL, *small = NULL, *back = NULL;
        must(tulle_mat_transpose(ctx, p.large, &large));
        must(tulle_mat_transpose(ctx, p.small, &small));
        expect_same(ctx, large, small, false, cases[k]->near_rows, where);
        must(tulle_mat_transpose(ctx, large, &back));
        expect_same(ctx, back, p.small, cases[k]->near_rows, false, where);
        tulle_mat_destroy(back);
        tulle_mat_destroy(small);
        tulle_mat_destroy(large);
        free_pair(&p);
    }
}

/* Names of what cannot be, and nothing left behind. */
static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    const sparse some = {ROWS, COLS, 80, 11, TULLE_DCSR, false, false};
    pair p = make_pair(ctx, &some, TULLE_F64);
    const tulle_scalar one = tulle_num(1);
    const tulle_spgemm_options narrow = {.index_given = true, .index = TULLE_I32};
    tulle_mat *C = NULL;
    const size_t before = tulle__pool_usage(&ctx->pool).in_use;
    assert_int_equal(tulle_add(ctx, TULLE_N, TULLE_N, one, p.large, one, p.small, NULL, NULL, &C),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, p.large, p.small, NULL, NULL, &C),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, p.large, p.large, &narrow, NULL, &C),
                     TULLE_TOO_LARGE);
    assert_null(C);
    ctx->pool.cap = before + 100;
    assert_int_equal(tulle_add(ctx, TULLE_N, TULLE_N, one, p.large, one, p.large, NULL, NULL, &C),
                     TULLE_OUT_OF_MEMORY);
    assert_int_equal(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, p.large, p.large, NULL, NULL, &C),
                     TULLE_OUT_OF_MEMORY);
    ctx->pool.cap = 0;
    assert_null(C);
    assert_int_equal(tulle__pool_usage(&ctx->pool).in_use, before);
    free_pair(&p);
}

static void test_sums(void **state) {
    (void)state;
    on_each_place(sums);
}
static void test_products(void **state) {
    (void)state;
    on_each_place(products);
}
static void test_triples(void **state) {
    (void)state;
    on_each_place(triples);
}
ONCE_ON_EACH_PLACE(transposes)
ONCE_ON_EACH_PLACE(refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),    cmocka_unit_test(test_products),
        cmocka_unit_test(test_triples), cmocka_unit_test(test_transposes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("hypersparse", tests, NULL, NULL);
}
