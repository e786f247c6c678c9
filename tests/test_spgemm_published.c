/* SPDX-License-Identifier: Apache-2.0 */
/* The published kernels for sparse products on a GPU as they were published, all rows at once:
 * lists of long rows that outgrow their memory again and again, and a cap on the context's memory,
 * which they cannot live with where the same kernels by slices of rows can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static bool has_kernel(const tulle_ctx *ctx, const char *name) {
    tulle_kernel_info info;
    for (int k = 0; k < tulle_kernel_count(ctx->kind); k++) {
        must(tulle_kernel_describe(ctx->kind, k, &info));
        if (strcmp(info.name, name) == 0) return true;
    }
    return false;
}

static void put(entries *e, int64_t row, int64_t col) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz] = (double)(e->nnz % 11) / 3 - 1.5;
    e->nnz++;
}

static entries room_for(int64_t nnz) {
    entries e = {.nnz = 0};
    e.row = calloc((size_t)nnz, sizeof *e.row);
    e.col = calloc((size_t)nnz, sizeof *e.col);
    e.value = calloc((size_t)nnz, sizeof *e.value);
    assert_true(e.row && e.col && e.value);
    return e;
}

enum { WIDE = 300, APART = 30, NARROW = 900, COLS = 12000, ROWS = 11, FEW = 6 };

/* Rows of 300 entries, in columns that a row shares with none but its twin, 3 columns apart or 1;
 * then rows of one entry, one in three of them in a column of its own; then one of none. */
static entries factor(void) {
    entries e = room_for((int64_t)APART * WIDE + NARROW);
    for (int64_t i = 0; i < APART; i++) {
        const int64_t step = i % 2 ? 3 : 1, first = i / 2 * WIDE;
        for (int64_t k = 0; k < WIDE; k++) put(&e, i, first + k * step);
    }
    for (int64_t i = 0; i < NARROW; i++) put(&e, APART + i, i % 3 ? i % 50 : COLS - 1 - i);
    e.rows = APART + NARROW + 1;
    e.cols = COLS;
    return e;
}

/* Rows that meet so many wide rows, last ones first, then so many narrow ones; and no row at all
 * between them. The first FEW rows are enough where all that matters is memory. */
static entries rows_that_grow(int rows) {
    static const int64_t met[ROWS][2] = {{2, 0},  {2, 300}, {0, 600}, {9, 0},  {0, 1},   {1, 0},
                                         {0, 20}, {1, 100}, {18, 2},  {29, 0}, {30, 300}};
    entries e = room_for(rows * (int64_t)(APART + NARROW + 1));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = met[i][0]; k-- > 0;) put(&e, 2 * i, k);
        for (int64_t k = 0; k < met[i][1]; k++) put(&e, 2 * i, APART + k);
        put(&e, 2 * i, APART + NARROW);
    }
    e.rows = (int64_t)2 * rows;
    e.cols = APART + NARROW + 1;
    return e;
}

static tulle_mat *product(tulle_ctx *ctx, const char *kernel, const entries *A, const entries *B,
                          const spgemm_setting *s) {
    tulle_mat *a = entries_to_csr(ctx, A, s->a_index, s->type), *C = NULL;
    tulle_mat *b = entries_to_csr(ctx, B, s->b_index, s->type);
    tulle_spgemm_report report;
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_force_kernel(ctx, kernel));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(s->alpha), a, b, NULL, &report, &C));
    must(tulle_ctx_force_kernel(ctx, NULL));
    assert_int_equal(report.pieces, 1);
    assert_true(report.peak_bytes <= report.bound_bytes);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    return C;
}

/* By definition, and the bits of slices: sums are in the order of A's entries in both. On the
 * emulator one type, the other with another commit. */
static void grow(tulle_ctx *ctx, const char *where) {
    if (!has_kernel(ctx, "spgemm_bhsparse")) return;
    entries A = rows_that_grow(ROWS), B = factor();
    static const tulle_index indices[] = {TULLE_I32, TULLE_I64};
    for (int n = 0; n < 2; n++) {
        if (is_slow(where) && n != turn_of(where, 2)) continue;
        const spgemm_setting s = {.alpha = -0.75,
                                  .type = n == 0 ? TULLE_F32 : TULLE_F64,
                                  .a_index = indices[n],
                                  .b_index = indices[n]};
        tulle_mat *C = product(ctx, "spgemm_bhsparse:slice=0", &A, &B, &s);
        tulle_mat *sliced = product(ctx, "spgemm_bhsparse:slice=24", &A, &B, &s);
        spgemm_check(ctx, &A, &B, &s, C);
        entries_compare(ctx, sliced, C, "all rows at once");
        tulle_mat_destroy(sliced);
        tulle_mat_destroy(C);
    }
    entries_free(&B);
    entries_free(&A);
}

typedef struct {
    tulle_mat *A, *B;
    size_t room; /* beside them */
} capped;

static tulle_status multiply_capped(tulle_ctx *ctx, const char *kernel, const capped *c,
                                    tulle_spgemm_report *report, tulle_mat **C) {
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_force_kernel(ctx, kernel));
    ctx->pool.cap = c->room > 0 ? ctx->pool.in_use + c->room : 0;
    tulle_status status =
        tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), c->A, c->B, NULL, report, C);
    ctx->pool.cap = 0;
    must(tulle_ctx_force_kernel(ctx, NULL));
    return status;
}

/* The cap that a refusal tells is enough for the kernel; a little less, and half of it, are not. */
static void try_cap(tulle_ctx *ctx, const char *at_once, const char *sliced, capped *c) {
    tulle_spgemm_report report;
    tulle_mat *C = NULL, *want = NULL;
    must(multiply_capped(ctx, at_once, c, &report, &want));
    const size_t peak = (size_t)report.peak_bytes, before = ctx->pool.in_use;
    c->room = peak;
    must(multiply_capped(ctx, at_once, c, &report, &C));
    assert_int_equal(report.pieces, 1);
    tulle_mat_destroy(C);
    for (int n = 1; n <= 2; n++) {
        c->room = n == 1 ? peak - 1 : peak / 2;
        C = (tulle_mat *)1;
        assert_int_equal(multiply_capped(ctx, at_once, c, &report, &C), TULLE_OUT_OF_MEMORY);
        assert_null(C);
        assert_non_null(strstr(tulle_last_error()->message, "would pass the context's cap"));
        assert_non_null(strstr(tulle_last_error()->message, " makes all rows at once "));
        assert_int_equal(ctx->pool.in_use, before);
        must(multiply_capped(ctx, sliced, c, &report, &C));
        entries_compare(ctx, want, C, sliced);
        tulle_mat_destroy(C);
    }
    tulle_mat_destroy(want);
}

static void caps(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (!has_kernel(ctx, "spgemm_bhsparse")) return;
    entries A = rows_that_grow(FEW), B = factor();
    capped c = {.A = entries_to_csr(ctx, &A, TULLE_I32, TULLE_F64),
                .B = entries_to_csr(ctx, &B, TULLE_I32, TULLE_F64)};
    try_cap(ctx, "spgemm_esc:slice=0", "spgemm_esc:slice=12", &c);
    c.room = 0;
    try_cap(ctx, "spgemm_bhsparse:slice=0", "spgemm_bhsparse:slice=12", &c);
    tulle_mat_destroy(c.B);
    tulle_mat_destroy(c.A);
    entries_free(&B);
    entries_free(&A);
}

ONCE_ON_EACH_PLACE(grow)
ONCE_ON_EACH_PLACE(caps)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
