/* SPDX-License-Identifier: Apache-2.0 */
/* Products of BSR with BSR in blocks, of every shape: bit for bit those of the same matrices in
 * CSR; triple products; values alone; and what is made by numbers or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_matrices.h"
#include "counting.h"
#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

enum { LARGEST = 16 };

/* The same matrix in both formats. */
typedef struct {
    zoo_matrix m;
    tulle_mat *csr, *bsr;
} pair;

static pair pair_make(tulle_ctx *ctx, const block_shape *shape, tulle_index index,
                      tulle_type type) {
    pair p = {.m = block_matrix(shape)};
    p.csr = zoo_mat(ctx, &p.m, index, type);
    p.bsr = block_mat(ctx, &p.m, shape, index, type);
    return p;
}

static void pair_free(pair *p) {
    tulle_mat_destroy(p->csr);
    tulle_mat_destroy(p->bsr);
    zoo_free(&p->m);
}

static int64_t slots_of(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.storage.stored;
}

/* Gives both matrices other values, the same ones. */
static void pair_change(tulle_ctx *ctx, pair *p, const block_shape *shape, tulle_type type) {
    tulle_mat_info info;
    must(tulle_mat_describe(p->csr, &info));
    for (int64_t e = 0; e < p->m.nnz; e++) p->m.values[e] = 0.75 - p->m.values[e];
    void *values = values_as(p->m.values, p->m.nnz, type);
    must(tulle_mat_set_values(ctx, p->csr, p->m.nnz, values));
    free(values);
    tulle_mat *again = block_mat(ctx, &p->m, shape, info.index, type);
    const int64_t stored = slots_of(again);
    values = calloc((size_t)stored + 1, sizeof(double));
    assert_non_null(values);
    must(tulle_mat_read_arrays(ctx, again, &(tulle_mat_buffers){.values = values}));
    must(tulle_mat_set_values(ctx, p->bsr, stored, values));
    free(values);
    tulle_mat_destroy(again);
}

/* Fails unless B is BSR with such blocks, and holds what the CSR matrix C holds, bit for bit. */
static void check_same(tulle_ctx *ctx, const tulle_mat *B, int tall, int wide, const tulle_mat *C,
                       const char *what) {
    tulle_mat_info info, of_csr;
    tulle_mat *csr = NULL;
    must(tulle_mat_describe(B, &info));
    must(tulle_mat_describe(C, &of_csr));
    if (info.format != TULLE_BSR) fail_msg("%s: not in blocks", what);
    assert_true(info.storage.block == tall && info.storage.block_cols == wide);
    assert_true(info.storage.full && info.bandwidth == of_csr.bandwidth &&
                info.max_row == of_csr.max_row && info.empty_rows == of_csr.empty_rows);
    must(tulle_mat_convert(ctx, B, TULLE_CSR, of_csr.index, 0, &csr));
    entries_compare(ctx, csr, C, what);
    tulle_mat_destroy(csr);
}

typedef struct {
    int tall, inner, wide;
    tulle_trans op_A, op_B;
    tulle_type type;
    tulle_index index_A, index_B;
    double alpha;
} product_case;

static block_shape operand(int64_t rows, int64_t cols, int tall, int wide, tulle_trans op,
                           uint64_t seed) {
    block_shape s = {.rows = rows, .cols = cols, .tall = tall, .wide = wide, .seed = seed};
    if (op == TULLE_T) {
        s.rows = cols;
        s.cols = rows;
        s.tall = wide;
        s.wide = tall;
    }
    return s;
}

static void multiply(tulle_ctx *ctx, const product_case *c) {
    enum { ROWS = 7, INNER = 6, COLS = 8 };
    char what[128];
    snprintf(what, sizeof what, "%d x %d times %d x %d, ops %d %d, type %d, indices %d %d", c->tall,
             c->inner, c->inner, c->wide, c->op_A, c->op_B, c->type, c->index_A, c->index_B);
    const block_shape a = operand(ROWS, INNER, c->tall, c->inner, c->op_A, 1);
    const block_shape b = operand(INNER, COLS, c->inner, c->wide, c->op_B, 2);
    pair A = pair_make(ctx, &a, c->index_A, c->type), B = pair_make(ctx, &b, c->index_B, c->type);
    tulle_mat *blocks = NULL, *numbers = NULL;
    tulle_spgemm_report report, of_numbers;
    tulle_spgemm_bounds bounds;
    const tulle_scalar alpha = tulle_num(c->alpha);
    must(tulle_spgemm(ctx, c->op_A, c->op_B, alpha, A.bsr, B.bsr, NULL, &report, &blocks));
    must(tulle_spgemm(ctx, c->op_A, c->op_B, alpha, A.csr, B.csr, NULL, &of_numbers, &numbers));
    check_same(ctx, blocks, c->tall, c->wide, numbers, what);
    assert_non_null(strstr(report.kernel, "blocks_"));
    assert_true(report.products == of_numbers.products && report.nnz == of_numbers.nnz);
    must(tulle_spgemm_forecast(ctx, c->op_A, c->op_B, A.bsr, B.bsr, NULL, &bounds));
    assert_string_equal(bounds.kernel, report.kernel);
    assert_true(bounds.products == report.products && bounds.nnz >= report.nnz);
    assert_true(bounds.bytes >= report.peak_bytes && report.bound_bytes >= report.peak_bytes);
    for (int call = 0; call < 2; call++) {
        pair_change(ctx, &A, &a, c->type);
        pair_change(ctx, &B, &b, c->type);
        must(tulle_spgemm_update(ctx, c->op_A, c->op_B, alpha, A.bsr, B.bsr, blocks));
        must(tulle_spgemm_update(ctx, c->op_A, c->op_B, alpha, A.csr, B.csr, numbers));
        check_same(ctx, blocks, c->tall, c->wide, numbers, what);
    }
    tulle_mat_destroy(blocks);
    tulle_mat_destroy(numbers);
    pair_free(&A);
    pair_free(&B);
}

/* Asks a GPU for stretches of C that small matrices would not have. */
static void force_stretch(tulle_ctx *ctx, const char *where, int turn) {
    static const char *const stretches[] = {NULL, "blocks_stretches:stretch=2",
                                            "blocks_stretches:stretch=8",
                                            "blocks_stretches:stretch=128"};
    const bool has_stretches = strncmp(where, "cpu", 3) != 0;
    must(tulle_ctx_force_kernel(ctx, has_stretches ? stretches[turn % 4] : NULL));
}

static void products(tulle_ctx *ctx, const char *where) {
    const int of = is_slow(where) ? 16 : is_watched() ? 5 : 1, turn = turn_in_order(where, of);
    for (int i = 1; i < LARGEST * LARGEST; i++) {
        if (i % of != (of > 1 ? turn % of : 0)) continue;
        force_stretch(ctx, where, i / of);
        const product_case c = {.tall = 1 + i / LARGEST,
                                .inner = 1 + (7 * i + i / LARGEST) % LARGEST,
                                .wide = 1 + i % LARGEST,
                                .op_A = i / 2 % 2 ? TULLE_T : TULLE_N,
                                .op_B = i / 4 % 2 ? TULLE_T : TULLE_N,
                                .type = i % 2 ? TULLE_F64 : TULLE_F32,
                                .index_A = (tulle_index)(i % 3),
                                .index_B = (tulle_index)(i / 3 % 3),
                                .alpha = i % 5 ? 1 : -0.5};
        multiply(ctx, &c);
    }
}

/* The shapes for which loops are compiled. */
static void usual(tulle_ctx *ctx, const char *where) {
    static const int shapes[][3] = {{2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {6, 6, 6}, {8, 8, 8},
                                    {2, 2, 3}, {3, 2, 3}, {3, 3, 6}, {6, 3, 6}, {16, 16, 16}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        force_stretch(ctx, where, 3 * (int)i);
        const product_case c = {.tall = shapes[i][0],
                                .inner = shapes[i][1],
                                .wide = shapes[i][2],
                                .type = i % 2 ? TULLE_F32 : TULLE_F64,
                                .alpha = 1};
        multiply(ctx, &c);
    }
}

static void triple(tulle_ctx *ctx, int fine, int coarse, tulle_type type) {
    enum { POINTS = 9, GROUPS = 4 };
    char what[64];
    snprintf(what, sizeof what, "P^T A P, blocks of %d and %d", fine, coarse);
    const block_shape a = {.rows = POINTS, .cols = POINTS, .tall = fine, .wide = fine, .seed = 3};
    const block_shape p = {.rows = POINTS, .cols = GROUPS, .tall = fine, .wide = coarse, .seed = 4};
    pair A = pair_make(ctx, &a, TULLE_I32, type), P = pair_make(ctx, &p, TULLE_I32, type);
    tulle_mat *blocks = NULL, *numbers = NULL;
    tulle_spgemm_report report;
    tulle_spgemm_bounds bounds;
    const tulle_scalar alpha = tulle_num(-2);
    must(tulle_spgemm_galerkin(ctx, alpha, A.bsr, P.bsr, NULL, &report, &blocks));
    must(tulle_spgemm_galerkin(ctx, alpha, A.csr, P.csr, NULL, NULL, &numbers));
    check_same(ctx, blocks, coarse, coarse, numbers, what);
    must(tulle_spgemm_galerkin_forecast(ctx, A.bsr, P.bsr, NULL, &bounds));
    assert_true(bounds.products == report.products && bounds.bytes >= report.peak_bytes);
    for (int call = 0; call < 2; call++) {
        pair_change(ctx, &A, &a, type);
        pair_change(ctx, &P, &p, type);
        must(tulle_spgemm_galerkin_update(ctx, alpha, A.bsr, P.bsr, blocks));
        must(tulle_spgemm_galerkin_update(ctx, alpha, A.csr, P.csr, numbers));
        check_same(ctx, blocks, coarse, coarse, numbers, what);
    }
    tulle_mat_destroy(blocks);
    tulle_mat_destroy(numbers);
    pair_free(&A);
    pair_free(&P);
}

static void triples(tulle_ctx *ctx, const char *where) {
    (void)where;
    triple(ctx, 3, 6, TULLE_F64);
    triple(ctx, 2, 3, TULLE_F32);
    triple(ctx, 1, 4, TULLE_F64);
    triple(ctx, 5, 1, TULLE_F64);
    triple(ctx, 4, 4, TULLE_F32);
}

static tulle_format format_of(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.format;
}

/* Padding, a mask, D, and blocks that do not meet, make a product by numbers. */
static void by_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    const block_shape a = {.rows = 5, .cols = 5, .tall = 3, .wide = 3, .seed = 5};
    block_shape holes = a, others = {.rows = 3, .cols = 3, .tall = 5, .wide = 5, .seed = 6};
    holes.kind = CELLS_HOLES;
    const tulle_scalar one = tulle_num(1);
    pair A = pair_make(ctx, &a, TULLE_I32, TULLE_F64);
    pair H = pair_make(ctx, &holes, TULLE_I32, TULLE_F64);
    pair O = pair_make(ctx, &others, TULLE_I32, TULLE_F64);
    const tulle_spgemm_options with[] = {
        {.mask = NULL}, {.mask = NULL}, {.mask = A.csr}, {.D = A.csr, .beta = one}};
    const tulle_mat *const rights[] = {H.bsr, O.bsr, A.bsr, A.bsr};
    const tulle_mat *const csr[] = {H.csr, O.csr, A.csr, A.csr};
    for (int i = 0; i < 4; i++) {
        tulle_mat *C = NULL, *want = NULL;
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A.bsr, rights[i], &with[i], NULL, &C));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A.csr, csr[i], &with[i], NULL, &want));
        assert_int_equal(format_of(C), TULLE_CSR);
        entries_compare(ctx, C, want, "by numbers");
        tulle_mat_destroy(C);
        tulle_mat_destroy(want);
    }
    pair_free(&A);
    pair_free(&H);
    pair_free(&O);
}

/* What an update refuses, after which C is as it was. */
static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    const block_shape a = {.rows = 5, .cols = 5, .tall = 2, .wide = 2, .seed = 7};
    block_shape denser = a;
    denser.seed = 8;
    const tulle_scalar one = tulle_num(1);
    pair A = pair_make(ctx, &a, TULLE_I32, TULLE_F64);
    pair B = pair_make(ctx, &denser, TULLE_I32, TULLE_F64);
    tulle_mat *C = NULL, *numbers = NULL, *D = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A.bsr, A.bsr, NULL, NULL, &C));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A.csr, A.csr, NULL, NULL, &numbers));
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, B.bsr, B.bsr, C),
                     TULLE_INVALID_ARGUMENT);
    assert_non_null(strstr(tulle_last_error()->message, "lacks a block"));
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, A.csr, A.csr, C),
                     TULLE_UNSUPPORTED);
    check_same(ctx, C, 2, 2, numbers, "after a refusal");
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, A.bsr, A.bsr, numbers));
    check_same(ctx, C, 2, 2, numbers, "an update by numbers of operands in blocks");
    const tulle_spgemm_options wide = {.index_given = true, .index = TULLE_I64};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A.bsr, A.bsr, &wide, NULL, &D));
    tulle_mat_info info;
    must(tulle_mat_describe(D, &info));
    assert_true(info.index == TULLE_I64 && info.format == TULLE_BSR);
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(numbers);
    pair_free(&A);
    pair_free(&B);
}

/* Calls whose allocations fail: products, triple products and their updates. */
enum { PRODUCT, TRIPLE, UPDATE, TRIPLE_UPDATE, CALLS };

static tulle_status call_once(tulle_ctx *ctx, int call, const pair *A, const pair *P,
                              tulle_mat *old, tulle_mat **C) {
    const tulle_scalar one = tulle_num(1);
    switch (call) {
        case PRODUCT:
            return tulle_spgemm(ctx, TULLE_T, TULLE_N, one, P->bsr, A->bsr, NULL, NULL, C);
        case TRIPLE:
            return tulle_spgemm_galerkin(ctx, one, A->bsr, P->bsr, NULL, NULL, C);
        case UPDATE:
            return tulle_spgemm_update(ctx, TULLE_T, TULLE_N, one, P->bsr, A->bsr, old);
        default:
            return tulle_spgemm_galerkin_update(ctx, one, A->bsr, P->bsr, old);
    }
}

/* Fails the n-th allocation from now on; true when the call no longer gets that far. */
static bool fail_once(const char *where, int call, int64_t n) {
    const block_shape a = {.rows = 5, .cols = 5, .tall = 2, .wide = 2, .seed = 3};
    const block_shape p = {.rows = 5, .cols = 3, .tall = 2, .wide = 3, .seed = 4};
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    pair A = pair_make(ctx, &a, TULLE_I32, TULLE_F64), P = pair_make(ctx, &p, TULLE_I32, TULLE_F64);
    tulle_mat *old = NULL, *C = NULL;
    must(call_once(ctx, call % 2 ? TRIPLE : PRODUCT, &A, &P, NULL, &old));
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    const tulle_status status = call_once(ctx, call, &A, &P, old, &C);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
        c.fail_at = 0;
        must(call_once(ctx, call, &A, &P, old, &C));
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(old);
    pair_free(&A);
    pair_free(&P);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int call = 0; call < CALLS; call++) {
        for (int64_t n = 1; !fail_once(where, call, n); n++) assert_true(n < 1000);
    }
}

static void test_products(void **state) {
    (void)state;
    on_each_place(products);
}
ONCE_ON_EACH_PLACE(usual)
ONCE_ON_EACH_PLACE(triples)
ONCE_ON_EACH_PLACE(by_numbers)
ONCE_ON_EACH_PLACE(refused)
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_usual),
        cmocka_unit_test(test_triples),  cmocka_unit_test(test_by_numbers),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
