/* SPDX-License-Identifier: Apache-2.0 */
/* Values alone, on a pattern that is known: the bits of the product made anew, from lists of
 * products, and, where there is no memory for lists, whatever kind rows are of; more entries than
 * the product has; fewer, which is refused; as part of a graph. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "matrix/matrix.h"
#include "places.h"
#include "tulle/spgemm.h"

/* Rows of a few products, of some dozens; near each other, far apart, in tables of each size;
 * thousands of entries; one giant row among short ones; none at all; very few far apart; rows of B.
 */
static const char *const pairs[][2] = {
    {"p2d5:12", "p2d5:12"},
    {"p3d27:5", "p3d27:5"},
    {"fem3:3", "fem3:3"},
    {"random:40,300,9", "random:300,90000,7"},
    {"random:30,200,30", "random:200,100000,12"},
    {"random:12,300,40", "random:300,500000,40"},
    {"random:4,60,50", "random:60,400000,120"},
    {"random:2,50,40", "random:50,70000,700"},
    {"powerlaw:300,4,200,60,100", "powerlaw:300,4,200,60,100"},
    {"random:3,2,2", "random:2,100000,6000"},
    {"random:50,7,0", "random:7,30,3"},
    {"random:60,300,3", "random:300,90000,7"},
    {"random:60,300,1", "random:300,90000,7"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* On the pattern of A, numbers that are not A's. */
static tulle_mat *others(tulle_ctx *ctx, const tulle_mat *A, uint64_t seed) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    double *values = calloc((size_t)info.nnz + 1, sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < info.nnz; k++) {
        values[k] = (double)((seed + (uint64_t)k) * 2654435761u % 1000) / 7 - 70;
    }
    void *typed = values_as(values, info.nnz, info.type);
    tulle_mat *B = NULL;
    must(tulle_mat_with_values(ctx, A, info.type, info.nnz, typed, &B));
    free(typed);
    free(values);
    return B;
}

static tulle_mat *product_of(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, double alpha,
                             const tulle_mat *A, const tulle_mat *B) {
    tulle_mat *C = NULL;
    must(tulle_spgemm(ctx, op_A, op_B, tulle_num(alpha), A, B, NULL, NULL, &C));
    return C;
}

static int64_t kept_bytes(const tulle_mat *C) {
    tulle_mat_info info;
    must(tulle_mat_describe(C, &info));
    return info.plan_bytes;
}

/* The first call for C's pattern, in as little memory as it can do with. */
static void keep_rows(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, tulle_mat *C) {
    const size_t cap = ctx->pool.cap;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (size_t room = 1 << 12; status == TULLE_OUT_OF_MEMORY; room *= 2) {
        ctx->pool.cap = ctx->pool.in_use + room;
        status = tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, C);
    }
    ctx->pool.cap = cap;
    must(status);
}

/* On a GPU lists of products are what is kept, unless there is no memory for them. A real GPU needs
 * more scratch for rows, blocks that fill it, than short lists take: there these cannot be kept
 * out. */
static void check_kept(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const tulle_mat *C,
                       const char *what) {
    const int64_t short_lists = ctx->kind == TULLE_CUDA ? 1 << 22 : 0;
    tulle_mat *same = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, same));
    if (kept_bytes(same) > short_lists && kept_bytes(C) >= kept_bytes(same)) {
        fail_msg("%s: lists in spite of the cap", what);
    }
    tulle_mat_destroy(same);
}

/* turns: how often values change, from none on. rows: without lists. */
static void try_pair(tulle_ctx *ctx, const char *const pair[2], tulle_type type, uint64_t turns,
                     bool rows) {
    tulle_mat *A = making_generated(ctx, pair[0], 1, type),
              *B = making_generated(ctx, pair[1], 2, type);
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
    if (rows && ctx->kind != TULLE_CPU && C->pattern->nnz > 0) {
        keep_rows(ctx, A, B, C);
        check_kept(ctx, A, B, C, pair[0]);
    }
    for (uint64_t turn = 0; turn < turns; turn++) {
        tulle_mat *a = turn ? others(ctx, A, turn) : tulle_mat_retain(A);
        tulle_mat *b = turn ? others(ctx, B, 77 * turn) : tulle_mat_retain(B);
        const double alpha = turn == 1 ? 1 : -0.3;
        tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, alpha, a, b);
        must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(alpha), a, b, C));
        entries_compare(ctx, C, want, pair[0]);
        tulle_mat_destroy(want);
        tulle_mat_destroy(a);
        tulle_mat_destroy(b);
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Each order of the emulator, of which there are three, meets a sixth of the pairs. */
static void same_bits_by(tulle_ctx *ctx, const char *where, bool rows) {
    bool slow = is_slow(where);
    for (int p = 0; p < PAIRS; p++) {
        if (slow && p % 6 != turn_in_order(where, 6)) continue;
        bool narrow = (p + turn_of(where, 2)) % 2;
        try_pair(ctx, pairs[p], narrow ? TULLE_F32 : TULLE_F64, slow ? 2 : 3, rows);
        if (!slow) try_pair(ctx, pairs[p], narrow ? TULLE_F64 : TULLE_F32, 3, rows);
    }
}
static void lists(tulle_ctx *ctx, const char *where) {
    same_bits_by(ctx, where, false);
}
static void test_lists(void **state) {
    (void)state;
    on_each_place(lists);
}
static void rows(tulle_ctx *ctx, const char *where) {
    same_bits_by(ctx, where, true);
}
static void test_rows(void **state) {
    (void)state;
    on_each_place(rows);
}

/* One full row of A beside a row of one entry, and rows of B of which every so many-th has an
 * entry. */
static void try_full_row(tulle_ctx *ctx, int32_t n, int32_t step) {
    const size_t count = (size_t)n + 1;
    int32_t *a_cols = calloc(count, sizeof *a_cols), *b_offsets = calloc(count, sizeof *b_offsets);
    int32_t *b_cols = calloc(count, sizeof *b_cols);
    double *values = calloc(count, sizeof *values);
    const int32_t a_offsets[] = {0, n, n + 1};
    assert_true(a_cols && b_offsets && b_cols && values);
    for (int32_t k = 0; k < n; k++) {
        a_cols[k] = k;
        values[k] = 1 / (double)(k + 3);
        b_offsets[k + 1] = b_offsets[k] + (k % step == 0);
    }
    values[n] = 5;
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_mat_create_csr(ctx, 2, n, n + 1, TULLE_I32, a_offsets, a_cols, TULLE_F64, values,
                              NULL, &A));
    must(tulle_mat_create_csr(ctx, n, 1, b_offsets[n], TULLE_I32, b_offsets, b_cols, TULLE_F64,
                              values, NULL, &B));
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
    tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, 7, A, B);
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(7), A, B, C));
    entries_compare(ctx, C, want, "a full row");
    tulle_mat *const all[] = {A, B, C, want};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
    free(values);
    free(b_cols);
    free(b_offsets);
    free(a_cols);
}

/* Lists of hundreds: some end behind the others of their tile. */
static void full_tiles(tulle_ctx *ctx, const char *where) {
    static const char *const pair[] = {"random:16,300,300", "random:300,20,20"};
    try_pair(ctx, pair, turn_of(where, 2) ? TULLE_F32 : TULLE_F64, 2, false);
}
static void test_full_tiles(void **state) {
    (void)state;
    on_each_place(full_tiles);
}

/* Many tiles of short lists, and a few that are not. */
static void few_long(tulle_ctx *ctx, const char *where) {
    static const char *const pair[] = {"dense_rows:2500,3,1", "dense_rows:2500,3,1"};
    (void)where;
    try_pair(ctx, pair, TULLE_F64, 2, false);
}

/* With indices of 64 bits. */
static void wide_indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "rmat:7,6", 3, TULLE_F64), *wide = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, TULLE_SUM_DUPLICATES, &wide));
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, wide, wide);
    tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, -3, wide, wide);
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(-3), wide, wide, C));
    entries_compare(ctx, C, want, "64 bits");
    tulle_mat *const all[] = {A, wide, C, want};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* More entries of a row of A than 16 bits count, with products in short lists, in long ones, and
 * all in one. On the emulator one of these, another with another commit. */
static void far_apart(tulle_ctx *ctx, const char *where) {
    static const int32_t steps[] = {65999, 5500, 1};
    enum { STEPS = sizeof steps / sizeof *steps };
    for (int k = 0; k < STEPS; k++) {
        if (is_slow(where) && k != turn_of(where, STEPS)) continue;
        try_full_row(ctx, 66000, steps[k]);
    }
}

/* So many of one entry that a block sorts them, and that it takes several turns to add them. */
static void long_list(tulle_ctx *ctx, const char *where) {
    (void)where;
    try_full_row(ctx, 1100, 1);
    try_full_row(ctx, 4900, 1);
}
static void test_long_list(void **state) {
    (void)state;
    on_each_place(long_list);
}

/* Operands that must be brought first, and index types that differ. */
static void brought(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "random:40,25,4", 3, TULLE_F64), *B = NULL, *wide = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_ELL, TULLE_I32, 0, &B));
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    tulle_mat *const operands[] = {A, B, wide};
    for (int k = 0; k < 9; k++) {
        tulle_mat *a = operands[k / 3], *b = operands[k % 3];
        tulle_mat *C = product_of(ctx, TULLE_T, TULLE_N, 1, a, b);
        tulle_mat *want = product_of(ctx, TULLE_T, TULLE_N, 2, a, b);
        must(tulle_spgemm_update(ctx, TULLE_T, TULLE_N, tulle_num(2), a, b, C));
        entries_compare(ctx, C, want, "A^T A");
        tulle_mat_destroy(want);
        tulle_mat_destroy(C);
    }
    tulle_mat *narrow = product_of(ctx, TULLE_T, TULLE_N, 1, A, A);
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_T, TULLE_N, tulle_num(1), wide, A, narrow),
                     TULLE_UNSUPPORTED);
    tulle_mat *offsets = NULL; /* C's offsets may be wider than those of A and B */
    must(tulle_mat_convert(ctx, narrow, TULLE_CSR, TULLE_I64_I32, 0, &offsets));
    must(tulle_spgemm_update(ctx, TULLE_T, TULLE_N, tulle_num(1), A, A, offsets));
    entries_compare(ctx, offsets, narrow, "wide offsets");
    tulle_mat_destroy(offsets);
    tulle_mat_destroy(narrow);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}
static void test_brought(void **state) {
    (void)state;
    on_each_place(brought);
}

/* The entries of e but for one. */
static tulle_mat *without(tulle_ctx *ctx, const entries *e, int64_t one) {
    entries some = *e;
    some.nnz = 0;
    some.row = calloc((size_t)e->nnz, sizeof *some.row);
    some.col = calloc((size_t)e->nnz, sizeof *some.col);
    some.value = calloc((size_t)e->nnz, sizeof *some.value);
    assert_true(some.row && some.col && some.value);
    for (int64_t k = 0; k < e->nnz; k++) {
        if (k == one) continue;
        some.row[some.nnz] = e->row[k];
        some.col[some.nnz] = e->col[k];
        some.value[some.nnz++] = e->value[k];
    }
    tulle_mat *csr = entries_to_csr(ctx, &some, TULLE_I32, TULLE_F64);
    entries_free(&some);
    return csr;
}

/* Of a product of which each kind of row lacks an entry in turn; with each order of the emulator,
 * another one. */
static void too_few(tulle_ctx *ctx, const char *where) {
    const int kinds[] = {0, 2, 5, 7, 11};
    for (int k = 0; k < 5; k++) {
        if (is_slow(where) && k != turn_in_order(where, 5)) continue;
        tulle_mat *A = making_generated(ctx, pairs[kinds[k]][0], 1, TULLE_F64);
        tulle_mat *B = making_generated(ctx, pairs[kinds[k]][1], 2, TULLE_F64);
        tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
        entries e = entries_read(ctx, C);
        for (int64_t one = 0; one < 3; one++) {
            int64_t lacks = one * (e.nnz - 1) / 2;
            tulle_mat *less = without(ctx, &e, lacks);
            entries before = entries_read(ctx, less);
            assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(3), A, B, less),
                             TULLE_INVALID_ARGUMENT);
            assert_string_equal(tulle_last_error()->argument, "C");
            assert_int_equal(tulle_last_error()->row, e.row[lacks]);
            entries after = entries_read(ctx, less);
            entries_assert_same(&after, &before, "C is as it was");
            entries_free(&before);
            entries_free(&after);
            tulle_mat_destroy(less);
        }
        entries_free(&e);
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}
static void test_too_few(void **state) {
    (void)state;
    on_each_place(too_few);
}

/* C has want's entries with their values, and others, which are zeros. */
static void check_wider(tulle_ctx *ctx, const tulle_mat *C, const tulle_mat *want) {
    entries c = entries_read(ctx, C), w = entries_read(ctx, want);
    int64_t at = 0;
    for (int64_t k = 0; k < c.nnz; k++) {
        bool both = at < w.nnz && w.row[at] == c.row[k] && w.col[at] == c.col[k];
        assert_true(c.value[k] == (both ? w.value[at] : 0));
        at += both;
    }
    assert_int_equal(at, w.nnz);
    entries_free(&c);
    entries_free(&w);
}

/* C has the product's entries and others, which become zeros; then C is for other operands. Each
 * order of the emulator meets a sixth of the pairs. */
static void more(tulle_ctx *ctx, const char *where) {
    for (int p = 0; p < PAIRS; p++) {
        if (is_slow(where) && p % 6 != turn_in_order(where, 6)) continue;
        tulle_mat *A = making_generated(ctx, pairs[p][0], 1, TULLE_F64);
        tulle_mat *B = making_generated(ctx, pairs[p][1], 2, TULLE_F64);
        tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
        entries a = entries_read(ctx, A);
        if (a.nnz > 1) {
            tulle_mat *less = without(ctx, &a, a.nnz / 2);
            tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, 1, less, B);
            must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), less, B, C));
            check_wider(ctx, C, want);
            tulle_mat_destroy(want);
            want = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
            must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, C));
            entries_compare(ctx, C, want, "A and B again");
            tulle_mat_destroy(want);
            tulle_mat_destroy(less);
        }
        entries_free(&a);
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}
/* Of rows of A with the same columns C has different ones; others are rows of B, and wider. On the
 * emulator one of the two, with another commit the other. */
static void wider(tulle_ctx *ctx, const char *where) {
    static const char *const of[][3] = {{"fem3:4", "fem3:4", "random:192,192,5"},
                                        {"random:60,300,1", "random:300,900,7", "random:60,900,1"}};
    for (int k = 0; k < 2; k++) {
        if (is_slow(where) && k != turn_of(where, 2)) continue;
        tulle_mat *m[3], *C = NULL;
        for (int n = 0; n < 3; n++) m[n] = making_generated(ctx, of[k][n], 1, TULLE_F64);
        const tulle_spgemm_options options = {.D = m[2], .beta = tulle_num(1)};
        tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, -0.3, m[0], m[1]);
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), m[0], m[1], &options, NULL, &C));
        assert_true(C->pattern->nnz > want->pattern->nnz);
        for (int n = 0; n < 2; n++) {
            must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(-0.3), m[0], m[1], C));
            check_wider(ctx, C, want);
        }
        tulle_mat_destroy(C);
        tulle_mat_destroy(want);
        for (int n = 0; n < 3; n++) tulle_mat_destroy(m[n]);
    }
}

static void test_more(void **state) {
    (void)state;
    on_each_place(more);
}

static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:6", 1, TULLE_F64), *f32 = NULL, *ell = NULL,
              *loose = NULL;
    tulle_mat *B = making_generated(ctx, "random:36,36,5", 1, TULLE_F64);
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, A);
    tulle_mat *wrong = making_generated(ctx, "random:36,35,5", 1, TULLE_F64);
    tulle_spgemm_options options = {.unsorted = true};
    must(tulle_mat_copy(ctx, C, TULLE_F32, &f32));
    must(tulle_mat_convert(ctx, C, TULLE_ELL, TULLE_I32, 0, &ell));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), B, B, &options, NULL, &loose));
    const struct {
        tulle_mat *C;
        tulle_status want;
    } cases[] = {{A, TULLE_INVALID_ARGUMENT},
                 {NULL, TULLE_INVALID_ARGUMENT},
                 {f32, TULLE_TYPE_MISMATCH},
                 {ell, TULLE_UNSUPPORTED},
                 {wrong, TULLE_SHAPE_MISMATCH}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, cases[k].C),
                         cases[k].want);
    }
    tulle_mat_info info;
    must(tulle_mat_describe(loose, &info));
    tulle_status status = tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), B, B, loose);
    assert_true(status == TULLE_OK || status == TULLE_UNSUPPORTED); /* they may rise by luck */
    tulle_mat *const all[] = {A, B, C, f32, ell, loose, wrong};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* An operand, or alpha, in the values that C's are written to. */
static void aliased(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_mat *A = making_generated(ctx, "random:9,9,9", 1, TULLE_F64), *L = NULL;
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, A);
    tulle_mat_arrays a;
    tulle_mat_info info;
    must(tulle_mat_view(C, &a));
    must(tulle_mat_describe(C, &info));
    must(tulle_mat_create_csr(ctx, 9, 9, info.nnz, info.index, a.offsets, a.cols, TULLE_F64,
                              a.values, &borrow, &L));
    const tulle_scalar one = tulle_num(1), within = tulle_at((const double *)a.values + 3);
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, L, A, C), TULLE_ALIASED);
    assert_string_equal(tulle_last_error()->message, "the values of C overlap the values of A");
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, A, L, C), TULLE_ALIASED);
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, within, A, A, C), TULLE_ALIASED);
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, A, A, C));
    tulle_mat_destroy(L);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

/* What is captured after the first call runs again on what A has then, without the host. */
static void captured(tulle_ctx *ctx, const char *where) {
    if (ctx->kind == TULLE_CPU) return;
    const tulle__place *place = &ctx->place;
    for (int p = 0; p < PAIRS; p++) {
        if (is_slow(where) && p % 4 != turn_of(where, 4)) continue;
        tulle_mat *A = making_generated(ctx, pairs[p][0], 1, TULLE_F64);
        tulle_mat *B = making_generated(ctx, pairs[p][1], 2, TULLE_F64);
        tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, B), *next = others(ctx, A, 9);
        void *graph = NULL;
        if (p % 2 && C->pattern->nnz > 0) {
            keep_rows(ctx, A, B, C);
        } else {
            must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, C));
        }
        must(ctx->backend->capture_begin(place));
        must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, C));
        must(ctx->backend->capture_end(place, &graph));
        tulle_mat_info info;
        tulle_mat_arrays arrays;
        must(tulle_mat_describe(A, &info));
        must(tulle_mat_view(next, &arrays));
        must(tulle_mat_set_values(ctx, A, info.nnz, arrays.values));
        must(ctx->backend->graph_launch(place, graph));
        tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, 1, A, B);
        entries_compare(ctx, C, want, "captured");
        must(ctx->backend->graph_destroy(place->device, graph));
        tulle_mat *const all[] = {A, B, C, next, want};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
    }
}

/* Cancels the n-th time that it is asked. */
static int cancel(void *left, const char *what, int64_t done, int64_t total) {
    assert_string_equal(what, "updating");
    assert_true(0 < done && done < total);
    return --*(int *)left == 0;
}

/* Before operands are looked at and after it, the first time and later: C is as it was. */
static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "fem3:3", 1, TULLE_F64), *B = others(ctx, A, 3);
    tulle_mat *C = product_of(ctx, TULLE_N, TULLE_N, 1, A, A);
    tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, 1, B, A);
    entries before = entries_read(ctx, C);
    for (int n = 1; n <= 4; n++) {
        int left = (n - 1) % 2 + 1;
        must(tulle_ctx_set_progress(ctx, cancel, &left));
        tulle_status status = tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), B, A, C);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        assert_int_equal(status, TULLE_CANCELLED);
        entries after = entries_read(ctx, C);
        entries_assert_same(&after, &before, "C is as it was");
        entries_free(&after);
    }
    must(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), B, A, C));
    entries_compare(ctx, C, want, "not cancelled");
    entries_free(&before);
    tulle_mat *const all[] = {A, B, C, want};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* A thread with a context of its own, whose C shares its pattern with the other's, and whose
 * operands come in turns, one of them the other's, too. */
typedef struct worker {
    const char *where;
    tulle_mat *operand[2], *like;
    int rounds;
    bool failed;
} worker;

/* cmocka's asserts are for the main thread. */
static tulle_status update_often(tulle_ctx *ctx, const worker *w, tulle_mat *C) {
    for (int k = 0; k < w->rounds; k++) {
        const tulle_mat *A = w->operand[k % 2];
        const tulle_status status =
            tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(k + 1), A, A, C);
        if (status != TULLE_OK) return status;
    }
    return tulle_ctx_synchronize(ctx);
}

static void *work(void *argument) {
    worker *w = argument;
    tulle_ctx *ctx = NULL;
    tulle_mat *C = w->like;
    w->failed =
        tulle_ctx_create(w->where, NULL, &ctx) != TULLE_OK || update_often(ctx, w, C) != TULLE_OK;
    tulle_ctx_destroy(ctx);
    return NULL;
}

static void threads(tulle_ctx *ctx, const char *where) {
    enum { WORKERS = 3 };
    const int rounds = 41;
    if (ctx->kind == TULLE_EMULATED) return; /* its threads share no device */
    tulle_mat *A = making_generated(ctx, "fem3:4", 1, TULLE_F64), *C[WORKERS];
    tulle_mat *twin = making_generated(ctx, "fem3:4", 2, TULLE_F64);
    worker workers[WORKERS];
    pthread_t running[WORKERS];
    C[0] = product_of(ctx, TULLE_N, TULLE_N, 1, A, A);
    for (int k = 1; k < WORKERS; k++) C[k] = others(ctx, C[0], (uint64_t)k);
    must(tulle_ctx_synchronize(ctx));
    for (int k = 0; k < WORKERS; k++) {
        workers[k] = (worker){.where = where, .like = C[k], .rounds = rounds};
        workers[k].operand[0] = k % 2 ? twin : A;
        workers[k].operand[1] = k % 2 ? A : twin;
        assert_int_equal(pthread_create(&running[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < WORKERS; k++) assert_int_equal(pthread_join(running[k], NULL), 0);
    for (int k = 0; k < WORKERS; k++) {
        const tulle_mat *last = workers[k].operand[(rounds - 1) % 2];
        assert_false(workers[k].failed);
        tulle_mat *want = product_of(ctx, TULLE_N, TULLE_N, rounds, last, last);
        entries_compare(ctx, C[k], want, "beside other threads");
        tulle_mat_destroy(want);
    }
    for (int k = 0; k < WORKERS; k++) tulle_mat_destroy(C[k]);
    tulle_mat_destroy(twin);
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(wider)
ONCE_ON_EACH_PLACE(cancelled)
ONCE_ON_EACH_PLACE(threads)
ONCE_ON_EACH_PLACE(far_apart)
ONCE_ON_EACH_PLACE(few_long)
ONCE_ON_EACH_PLACE(wide_indices)
ONCE_ON_EACH_PLACE(refused)
ONCE_ON_EACH_PLACE(aliased)
ONCE_ON_EACH_PLACE(captured)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_brought),      cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_more),         cmocka_unit_test(test_full_tiles),
        cmocka_unit_test(test_far_apart),    cmocka_unit_test(test_long_list),
        cmocka_unit_test(test_wide_indices), cmocka_unit_test(test_few_long),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_aliased),
        cmocka_unit_test(test_captured),     cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_wider),
    };
    emulate_by_turns(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
