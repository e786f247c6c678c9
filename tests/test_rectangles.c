/* SPDX-License-Identifier: Apache-2.0 */
/* BSR of blocks of r x c, each of 1 to 16, against CSR: layouts there and back, transposes,
 * products with vectors and multivectors, copies of arrays, and what takes square blocks alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_matrices.h"
#include "blocks.h"
#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"

enum { LARGEST = 16, VECTORS = 3 };

/* A matrix in CSR and in BSR with blocks of tall x wide. */
typedef struct {
    tulle_ctx *ctx;
    int tall, wide;
    tulle_type type;
    zoo_matrix m;
    tulle_mat *csr, *bsr;
    char what[64];
} sample;

static void check_shape(const tulle_mat *B, int64_t tall, int64_t wide) {
    tulle_mat_info info;
    must(tulle_mat_describe(B, &info));
    assert_int_equal(info.format, TULLE_BSR);
    assert_int_equal(info.storage.block, tall);
    assert_int_equal(info.storage.block_cols, wide);
}

/* Fails unless both hold the same entries, bit for bit. */
static void compare(const sample *s, const tulle_mat *A, const tulle_mat *B) {
    tulle_mat *a = NULL, *b = NULL;
    must(tulle_mat_convert(s->ctx, A, TULLE_CSR, TULLE_I64, 0, &a));
    must(tulle_mat_convert(s->ctx, B, TULLE_CSR, TULLE_I64, 0, &b));
    entries_compare(s->ctx, a, b, s->what);
    tulle_mat_destroy(a);
    tulle_mat_destroy(b);
}

static void there_and_back(const sample *s) {
    entries want = entries_of_zoo(&s->m);
    tulle_mat *back = NULL;
    check_shape(s->bsr, s->tall, s->wide);
    must(tulle_mat_convert(s->ctx, s->bsr, TULLE_CSR, TULLE_I64, 0, &back));
    entries_check(s->ctx, back, &want, TULLE_CSR, TULLE_I64, s->type, s->what);
    tulle_mat_destroy(back);
    entries_free(&want);
}

static void transposed(const sample *s) {
    tulle_mat *T = NULL, *back = NULL, *again = NULL;
    entries want = entries_of_zoo(&s->m);
    entries_transpose(&want);
    entries_sort(&want);
    must(tulle_mat_transpose(s->ctx, s->bsr, &T));
    check_shape(T, s->wide, s->tall);
    must(tulle_mat_convert(s->ctx, T, TULLE_CSR, TULLE_I32, 0, &back));
    entries_check(s->ctx, back, &want, TULLE_CSR, TULLE_I32, s->type, s->what);
    must(tulle_mat_transpose(s->ctx, T, &again));
    compare(s, again, s->bsr);
    tulle_mat_info info, csr;
    must(tulle_mat_describe(T, &info));
    must(tulle_mat_describe(back, &csr));
    assert_true(info.bandwidth == csr.bandwidth && info.max_row == csr.max_row &&
                info.min_row == csr.min_row && info.empty_rows == csr.empty_rows);
    assert_true(info.mean_row == csr.mean_row && info.sd_row == csr.sd_row);
    assert_memory_equal(info.row_histogram, csr.row_histogram, sizeof info.row_histogram);
    tulle_mat_destroy(T);
    tulle_mat_destroy(back);
    tulle_mat_destroy(again);
    entries_free(&want);
}

/* X has Inf where no entry of op(A) meets it, for it may not leak. */
static void fill_x(const zoo_matrix *m, tulle_trans op, host_block *x) {
    uint64_t state = 7;
    for (int64_t j = 0; j < x->cols; j++) {
        for (int64_t i = 0; i < x->rows; i++) *host_block_at(x, i, j) = (double)INFINITY;
        for (int64_t i = 0; i < m->rows; i++) {
            for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
                *host_block_at(x, op == TULLE_N ? m->columns[e] : i, j) = zoo_number(&state);
            }
        }
    }
}

/* By a call, or by a batch that has recorded it. */
static void multiply(const sample *s, const product *p, bool recorded, const tulle_vec *X,
                     tulle_vec *Y) {
    tulle_batch *batch = NULL;
    if (!recorded) {
        must(tulle_spmm(s->ctx, p->op, tulle_num(p->alpha), s->bsr, X, tulle_num(p->beta), Y));
        return;
    }
    must(tulle_batch_create(s->ctx, &batch));
    must(tulle_batch_spmm(batch, p->op, p->alpha, s->bsr, X, p->beta, Y, NULL));
    must(tulle_batch_run(s->ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_ctx_synchronize(s->ctx));
    tulle_batch_destroy(batch);
}

static void multiplied(const sample *s, tulle_trans op, int64_t vectors, bool recorded) {
    const int64_t gap = vectors > 1;
    const int64_t n = op == TULLE_N ? s->m.cols : s->m.rows;
    const product p = {.op = op, .alpha = -0.5, .beta = 0};
    host_block x = host_block_make(n, vectors, TULLE_ROW_MAJOR, gap, s->type);
    host_block y =
        host_block_make(s->m.rows + s->m.cols - n, vectors, TULLE_COLUMN_MAJOR, gap, s->type);
    fill_x(&s->m, op, &x);
    place_block from = place_block_make(s->ctx, &x), to = place_block_make(s->ctx, &y);
    host_block got = host_block_make(y.rows, y.cols, y.layout, gap, y.type);
    multiply(s, &p, recorded, from.block, to.block);
    place_block_read(s->ctx, &to, &got);
    const double error = host_block_error(&s->m, p, &x, &y, &got);
    if (!(error <= 1)) {
        fail_msg("%s: op %d, %lld vectors, %s: error %g bounds", s->what, op, (long long)vectors,
                 recorded ? "in a batch" : "by a call", error);
    }
    place_block_free(&from);
    place_block_free(&to);
    host_block_free(&x);
    host_block_free(&y);
    host_block_free(&got);
}

/* A matrix of the same arrays, of which the caller gives the numbers of rows and columns of a
 * block. A caller's blocks may not reach over the edge where none of them has padding. */
static void made_of_arrays(const sample *s) {
    tulle_mat_arrays arrays;
    tulle_mat_info info;
    tulle_mat *B = NULL;
    must(tulle_mat_view(s->bsr, &arrays));
    must(tulle_mat_describe(s->bsr, &info));
    if (info.storage.full && (info.rows % s->tall > 0 || info.cols % s->wide > 0)) return;
    tulle_storage storage = info.storage;
    if (s->tall == s->wide) storage.block_cols = 0; /* as many as rows */
    must(tulle_mat_create(s->ctx, info.rows, info.cols, TULLE_BSR, &storage, info.index, &arrays,
                          info.type, NULL, &B));
    check_shape(B, s->tall, s->wide);
    compare(s, s->bsr, B);
    tulle_mat_destroy(B);
    storage.block_cols = LARGEST + 1;
    assert_int_equal(tulle_mat_create(s->ctx, info.rows, info.cols, TULLE_BSR, &storage, info.index,
                                      &arrays, info.type, NULL, &B),
                     TULLE_INVALID_ARGUMENT);
}

static sample sample_of(tulle_ctx *ctx, const block_shape *shape, int i) {
    sample s = {.ctx = ctx,
                .tall = shape->tall,
                .wide = shape->wide,
                .type = i % 2 ? TULLE_F64 : TULLE_F32,
                .m = block_matrix(shape)};
    const tulle_index index = (tulle_index)(i % 3);
    s.csr = zoo_mat(ctx, &s.m, index, s.type);
    s.bsr = block_mat(ctx, &s.m, shape, index, s.type);
    snprintf(s.what, sizeof s.what, "blocks of %d x %d, kind %d, case %d", s.tall, s.wide,
             shape->kind, i);
    return s;
}

static void free_sample(sample *s) {
    tulle_mat_destroy(s->csr);
    tulle_mat_destroy(s->bsr);
    zoo_free(&s->m);
}

static void judge(tulle_ctx *ctx, int tall, int wide) {
    const int i = tall * LARGEST + wide;
    const block_shape shape = {.rows = 6,
                               .cols = 5,
                               .tall = tall,
                               .wide = wide,
                               .kind = i % CELLS_KINDS,
                               .seed = (uint64_t)i};
    sample s = sample_of(ctx, &shape, i);
    there_and_back(&s);
    transposed(&s);
    made_of_arrays(&s);
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        multiplied(&s, (tulle_trans)op, 1, false);
        multiplied(&s, (tulle_trans)op, VECTORS, false);
        multiplied(&s, (tulle_trans)op, VECTORS, true);
    }
    free_sample(&s);
}

static void shapes(tulle_ctx *ctx, const char *where) {
    const int of = is_slow(where) ? 8 : is_watched() ? 3 : 1, turn = turn_in_order(where, of);
    for (int i = 0; i < LARGEST * LARGEST; i++) {
        if (i % of == (of > 1 ? turn % of : 0)) judge(ctx, 1 + i / LARGEST, 1 + i % LARGEST);
    }
}

/* Shapes for which a GPU has loops of their own, where columns have 32 bits. */
static void usual(tulle_ctx *ctx, const char *where) {
    enum { SHAPES = 11 };
    static const int of[SHAPES][2] = {{2, 3}, {3, 2}, {3, 6}, {6, 3}, {2, 2},  {3, 3},
                                      {4, 4}, {5, 5}, {6, 6}, {8, 8}, {16, 16}};
    static const char *const ways[] = {NULL, "spmv_bsr:at_once=32", "spmv_bsr:warps=8"};
    const int count = strncmp(where, "cpu", 3) != 0 ? 3 : 1;
    for (int i = 0; i < SHAPES * CELLS_KINDS; i++) {
        const block_shape shape = {.rows = 7,
                                   .cols = 40,
                                   .tall = of[i % SHAPES][0],
                                   .wide = of[i % SHAPES][1],
                                   .kind = i / SHAPES,
                                   .seed = (uint64_t)i + 1};
        sample s = sample_of(ctx, &shape, 3 * i);
        for (int way = 0; way < count; way++) {
            must(tulle_ctx_force_kernel(ctx, ways[way]));
            multiplied(&s, TULLE_N, 1, false);
        }
        must(tulle_ctx_force_kernel(ctx, NULL));
        free_sample(&s);
    }
}

/* What is a matter of the entries alone: plans, sums, diagonals, files of CSR. */
static void kept(tulle_ctx *ctx, const char *where) {
    (void)where;
    const block_shape shape = {.rows = 8, .cols = 8, .tall = 3, .wide = 6, .kind = CELLS_CUT};
    sample s = sample_of(ctx, &shape, 1);
    tulle_mat *sum = NULL, *csr = NULL, *copy = NULL;
    const tulle_scalar one = tulle_num(1);
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, s.bsr, one, s.csr, NULL, NULL, &sum));
    must(tulle_add(ctx, TULLE_N, TULLE_N, one, s.csr, one, s.csr, NULL, NULL, &csr));
    entries_compare(ctx, sum, csr, "A + A of both formats");
    must(tulle_mat_copy(ctx, s.bsr, TULLE_F64, &copy));
    check_shape(copy, 3, 6);
    must(tulle_mat_plan(ctx, TULLE_N, s.csr, "spmv_bsr"));
    multiplied(&s, TULLE_N, 1, false);
    tulle_mat_destroy(sum);
    tulle_mat_destroy(csr);
    tulle_mat_destroy(copy);
    free_sample(&s);
}

/* Factors, triangles and orders of blocks are of square ones. */
static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    const block_shape shape = {.rows = 6, .cols = 4, .tall = 2, .wide = 3, .kind = CELLS_WHOLE};
    sample s = sample_of(ctx, &shape, 1);
    tulle_factor *F = NULL;
    tulle_order *P = NULL;
    tulle_vec *x = NULL;
    tulle_mat *B = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, 12, &x));
    assert_int_equal(tulle_factor_create(ctx, s.bsr, NULL, &F), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "2 x 3"));
    assert_int_equal(
        tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), s.bsr, x, x),
        TULLE_UNSUPPORTED);
    assert_int_equal(tulle_order_fill(ctx, s.bsr, TULLE_AMD, &P), TULLE_UNSUPPORTED);
    const tulle_convert_options alone = {.block_cols = 3}, large = {.block = 2, .block_cols = 17};
    assert_int_equal(tulle_mat_convert_with(ctx, s.csr, TULLE_BSR, TULLE_I32, &alone, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_convert_with(ctx, s.csr, TULLE_BSR, TULLE_I32, &large, &B),
                     TULLE_INVALID_ARGUMENT);
    assert_non_null(strstr(tulle_last_error()->message, "block_cols is 17"));
    tulle_vec_destroy(x);
    free_sample(&s);
}

static void test_shapes(void **state) {
    (void)state;
    on_each_place(shapes);
}
ONCE_ON_EACH_PLACE(usual)
ONCE_ON_EACH_PLACE(kept)
ONCE_ON_EACH_PLACE(refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_usual),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
