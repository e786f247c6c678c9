/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of BSR matrices stay in blocks where the blocks fit, have the numbers of the sums of the
 * same matrices in CSR, and share the operands' pattern where these do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "block_matrices.h"
#include "entries.h"
#include "places.h"
#include "tulle/add.h"

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

static tulle_mat_info info_of(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info;
}

/* C holds the same as `want`, bit for bit; tall 0: C is in CSR. */
static void check(tulle_ctx *ctx, const tulle_mat *C, int tall, int wide, const tulle_mat *want) {
    const tulle_mat_info info = info_of(C);
    tulle_mat *csr = NULL;
    assert_int_equal(info.format, tall > 0 ? TULLE_BSR : TULLE_CSR);
    if (tall > 0) {
        assert_true(info.storage.block == tall && info.storage.block_cols == wide);
        assert_true(info.storage.full);
    }
    assert_int_equal(info.index, info_of(want).index);
    must(tulle_mat_convert(ctx, C, TULLE_CSR, info.index, 0, &csr));
    entries_compare(ctx, csr, want, "sum in blocks");
    tulle_mat_destroy(csr);
}

/* Adds op(A) and op(B) in blocks and by numbers, with a report. */
static void add_both(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, const pair *A,
                     const pair *B, int tall, int wide) {
    tulle_mat *C = NULL, *want = NULL;
    tulle_add_report report, of_numbers;
    const tulle_scalar alpha = tulle_num(2), beta = tulle_num(-3);
    must(tulle_add(ctx, op_A, op_B, alpha, A->bsr, beta, B->bsr, NULL, &report, &C));
    must(tulle_add(ctx, op_A, op_B, alpha, A->csr, beta, B->csr, NULL, &of_numbers, &want));
    check(ctx, C, tall, wide, want);
    assert_true(report.nnz == of_numbers.nnz && report.both == of_numbers.both);
    tulle_mat_destroy(C);
    tulle_mat_destroy(want);
}

/* All shapes of some rows and columns of blocks, transposed or not, of two index types; blocks of 1
 * x 1 are numbers. */
static void stays(tulle_ctx *ctx, const char *where) {
    const int sides[] = {1, 2, 3, 5, 16};
    const int most = is_slow(where) ? 3 : 5;
    for (int k = 0; k < most * most; k++) {
        const int tall = sides[k / most], wide = sides[k % most], is_block = tall * wide > 1;
        const block_shape a = {.rows = 7, .cols = 6, .tall = tall, .wide = wide, .seed = 1};
        block_shape b = a, t = {.rows = 6, .cols = 7, .tall = wide, .wide = tall, .seed = 3};
        b.seed = 2;
        const tulle_type type = k % 2 ? TULLE_F32 : TULLE_F64;
        pair A = pair_make(ctx, &a, TULLE_I32, type), B = pair_make(ctx, &b, TULLE_I64_I32, type);
        pair T = pair_make(ctx, &t, TULLE_I32, type);
        add_both(ctx, TULLE_N, TULLE_N, &A, &B, is_block * tall, is_block * wide);
        add_both(ctx, TULLE_N, TULLE_T, &A, &T, is_block * tall, is_block * wide);
        add_both(ctx, TULLE_T, TULLE_T, &A, &B, is_block * wide, is_block * tall);
        pair_free(&A);
        pair_free(&B);
        pair_free(&T);
    }
}

/* A matrix and one on its pattern share it with the sum, and A^T with A does not. */
static void shares(tulle_ctx *ctx, const char *where) {
    const block_shape a = {.rows = 6, .cols = 6, .tall = 3, .wide = 3, .seed = 4};
    pair A = pair_make(ctx, &a, TULLE_I32, TULLE_F64);
    tulle_mat *twin = NULL, *C = NULL, *want = NULL;
    tulle_mat_arrays of_A, of_C;
    const tulle_scalar one = tulle_num(1), two = tulle_num(2);
    (void)where;
    must(tulle_mat_copy(ctx, A.bsr, TULLE_F64, &twin));
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, A.bsr, two, twin, NULL, NULL, &C));
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, A.csr, two, A.csr, NULL, NULL, &want));
    check(ctx, C, 3, 3, want);
    must(tulle_mat_view(A.bsr, &of_A));
    must(tulle_mat_view(C, &of_C));
    assert_ptr_equal(of_A.cols, of_C.cols);
    tulle_mat_destroy(C);
    tulle_mat_destroy(want);

    const tulle_add_options wide = {.index_given = true, .index = TULLE_I64};
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, A.bsr, two, twin, &wide, NULL, &C));
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, A.csr, two, A.csr, &wide, NULL, &want));
    check(ctx, C, 3, 3, want);
    tulle_mat_destroy(C);
    tulle_mat_destroy(want);
    add_both(ctx, TULLE_T, TULLE_N, &A, &A, 3, 3);
    tulle_mat_destroy(twin);
    pair_free(&A);
}

/* Holes, edges and other shapes make a sum by numbers. */
static void by_numbers(tulle_ctx *ctx, const char *where) {
    const block_shape a = {.rows = 6, .cols = 6, .tall = 2, .wide = 2, .seed = 5};
    block_shape holes = a, others = {.rows = 4, .cols = 4, .tall = 3, .wide = 3, .seed = 6};
    block_shape oblong = {.rows = 6, .cols = 4, .tall = 2, .wide = 3, .seed = 7};
    holes.kind = CELLS_HOLES;
    pair A = pair_make(ctx, &a, TULLE_I32, TULLE_F64);
    pair H = pair_make(ctx, &holes, TULLE_I32, TULLE_F64);
    pair O = pair_make(ctx, &others, TULLE_I32, TULLE_F64);
    pair T = pair_make(ctx, &oblong, TULLE_I32, TULLE_F64);
    (void)where;
    add_both(ctx, TULLE_N, TULLE_N, &A, &H, 0, 0);
    add_both(ctx, TULLE_N, TULLE_N, &H, &H, 0, 0);
    add_both(ctx, TULLE_N, TULLE_N, &A, &O, 0, 0);
    add_both(ctx, TULLE_N, TULLE_T, &A, &T, 0, 0);
    pair_free(&A);
    pair_free(&H);
    pair_free(&O);
    pair_free(&T);
}

ONCE_ON_EACH_PLACE(stays)
ONCE_ON_EACH_PLACE(shares)
ONCE_ON_EACH_PLACE(by_numbers)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_by_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
