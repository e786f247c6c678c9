/* SPDX-License-Identifier: Apache-2.0 */
/* Factors whose steps are listed beforehand, beside their numbers: what the list takes and when
 * there is none, sharing it, capture, and numbers that look like those that are waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "factor/object.h"
#include "factor_check.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

static tulle_mat *made(tulle_ctx *ctx, const char *spec) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    return A;
}

/* Every place of an n x n matrix. */
static entries full(int64_t n) {
    entries e = {n,
                 n,
                 n * n,
                 malloc((size_t)(n * n) * sizeof *e.row),
                 malloc((size_t)(n * n) * sizeof *e.col),
                 malloc((size_t)(n * n) * sizeof *e.value)};
    assert_true(e.row && e.col && e.value);
    for (int64_t k = 0; k < n * n; k++) {
        e.row[k] = k / n;
        e.col[k] = k % n;
        e.value[k] = k / n == k % n ? 2.0 * (double)n : 1.0 / (double)(1 + k % 7);
    }
    return e;
}

static tulle__steps steps_of(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_options options) {
    tulle_factor *F = NULL;
    must(tulle_factor_create(ctx, A, &options, &F));
    tulle__steps steps = F->symbolic->steps;
    tulle_factor_destroy(F);
    return steps;
}

static void check_steps(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_options options,
                        int64_t words) {
    const int64_t n = 5, begins = n * n + 1;
    const tulle__steps steps = steps_of(ctx, A, options);
    const bool none = ctx->kind == TULLE_CPU;
    assert_int_equal(steps.count, none ? 0 : words);
    assert_int_equal(steps.bytes, none ? 0 : (words + begins) * (int64_t)sizeof(int32_t));
}

/* A grid of n x n has 2 n (n - 1) entries below the diagonal, and each is divided, and subtracts
 * once, from the diagonal: nothing else meets. Of L L^T the diagonal needs no step. What is dropped
 * is listed where it counts: then each subtracts all d numbers of the row k that it is in, where
 * one is found in as many rows; d is 2 but at two borders. */
static void list_bytes(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t n = 5, divisions = 2 * n * (n - 1), all = 4 * (n - 1) * (n - 1) + 2 * (n - 1);
    tulle_mat *A = made(ctx, "p2d:5");
    check_steps(ctx, A, (tulle_factor_options){0}, 2 * divisions);
    check_steps(ctx, A, (tulle_factor_options){.kind = TULLE_CHOLESKY}, divisions);
    check_steps(ctx, A, (tulle_factor_options){.modified = 0.5}, divisions + all);
    tulle_mat_destroy(A);
}

static void refuses(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_options options) {
    tulle_factor *F = (tulle_factor *)1;
    must(tulle_ctx_force_kernel(ctx, "factor_listed"));
    assert_int_equal(tulle_factor_create(ctx, A, &options, &F), TULLE_UNSUPPORTED);
    assert_null(F);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* Long lists are not made, and what has no list is computed all the same. */
static void no_list(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    const factor_setting s = {.block = 1, .type = TULLE_F64};
    entries few = full(40), many = full(60); /* a third of n steps for each entry */
    tulle_mat *A = factor_mat(ctx, &few, &s), *B = factor_mat(ctx, &many, &s);
    tulle_factor *F = NULL;
    refuses(ctx, B, (tulle_factor_options){.kind = TULLE_CHOLESKY});
    refuses(ctx, B, (tulle_factor_options){.modified = 0.5});
    refuses(ctx, B, (tulle_factor_options){0});
    must(tulle_factor_create(ctx, B, NULL, &F));
    factor_check(ctx, F, &many, &s);
    tulle_factor_destroy(F);
    must(tulle_ctx_force_kernel(ctx, "factor_listed"));
    must(tulle_factor_create(ctx, A, NULL, &F));
    factor_check(ctx, F, &few, &s);
    tulle_factor_destroy(F);
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    entries_free(&few);
    entries_free(&many);
}

/* L, or U, which holds what comes of it. */
static entries numbers_of(tulle_ctx *ctx, const tulle_factor *F, bool root) {
    tulle_mat *M = NULL;
    must(root ? tulle_factor_export(ctx, F, &M, NULL) : tulle_factor_export(ctx, F, NULL, &M));
    entries made = factor_entries(ctx, M);
    tulle_mat_destroy(M);
    return made;
}

static void check_teams(tulle_ctx *ctx, const entries *e, const factor_setting *s) {
    static const char *const kernels[] = {"factor_listed:coop=1,chain=0",
                                          "factor_listed:coop=1,chain=1", "factor_listed:coop=4",
                                          "factor_listed:coop=32"};
    tulle_mat *A = factor_mat(ctx, e, s);
    entries first = {0};
    for (int k = 0; k < 4; k++) {
        tulle_factor *F = NULL;
        if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, kernels[k]));
        must(tulle_factor_create(ctx, A, &s->options, &F));
        factor_check(ctx, F, e, s);
        entries made = numbers_of(ctx, F, s->options.kind == TULLE_CHOLESKY);
        if (k == 0) first = made;
        assert_int_equal(made.nnz, first.nnz);
        assert_memory_equal(made.value, first.value, (size_t)made.nnz * sizeof *made.value);
        if (k > 0) entries_free(&made);
        tulle_factor_destroy(F);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    entries_free(&first);
    tulle_mat_destroy(A);
}

/* L L^T, and L U with what is dropped, incomplete, with some fill, and with rows of few steps: the
 * same bits, whoever shares a row. */
static void kinds(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int fill = 0; fill < 2; fill++) {
            factor_setting s = {
                .block = 1, .type = (tulle_type)type, .options = {.fill = fill, .modified = 0.95}};
            entries many = factor_matrix(40, 160, true, 6 + (uint64_t)type);
            entries few = factor_matrix(60, 40, true, 8 + (uint64_t)type);
            check_teams(ctx, &many, &s);
            check_teams(ctx, &few, &s);
            s.options.kind = TULLE_CHOLESKY;
            s.options.modified = 0;
            check_teams(ctx, &many, &s);
            check_teams(ctx, &few, &s);
            entries_free(&many);
            entries_free(&few);
        }
    }
}

/* A band: row i waits for the rows before it, as lanes of a warp wait for each other, and the first
 * lanes for rows of another warp. */
static entries band(int64_t n, int64_t wide) {
    entries e = full(n);
    int64_t kept = 0;
    for (int64_t k = 0; k < e.nnz; k++) {
        if (e.row[k] - e.col[k] > wide || e.col[k] - e.row[k] > wide) continue;
        e.row[kept] = e.row[k];
        e.col[kept] = e.col[k];
        e.value[kept++] = e.value[k];
    }
    e.nnz = kept;
    return e;
}
static void bands(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int64_t wide = 1; wide <= 2; wide++) {
        entries e = band(70, wide);
        factor_setting s = {
            .block = 1, .type = TULLE_F64, .options = {.modified = 0.95, .tiny = 1e-3}};
        check_teams(ctx, &e, &s);
        s.options.modified = 0;
        s.type = TULLE_F32;
        check_teams(ctx, &e, &s);
        s.options.kind = TULLE_CHOLESKY;
        check_teams(ctx, &e, &s);
        entries_free(&e);
    }
}

/* Rows 2 m and 2 m + 1 have the same columns up to the 20th; behind, rows lack one of the two. Rows
 * of as many columns between the same ends have others between them. */
static bool is_kept(int64_t i, int64_t j) {
    if (i == 0 || j == 0 || i == 25 || j == 25 || i / 2 == j / 2) return true;
    return (i / 2 * 7 + j / 2 * 5) % 3 != 0 && (i < 20 || j % 2 != (i + j / 2) % 2);
}
static void alike(tulle_ctx *ctx, const char *where) {
    (void)where;
    const factor_setting s = {.block = 1, .type = TULLE_F64};
    entries e = full(26);
    int64_t kept = 0;
    for (int64_t k = 0; k < e.nnz; k++) {
        if (!is_kept(e.row[k], e.col[k])) continue;
        e.row[kept] = e.row[k];
        e.col[kept] = e.col[k];
        e.value[kept++] = e.value[k];
    }
    e.nnz = kept;
    check_teams(ctx, &e, &s);
    entries_free(&e);
}

static void check_root(tulle_ctx *ctx, const entries *e, tulle_reads reads, double side) {
    const double want[] = {2, side, 3, side, 3};
    tulle_mat *A = entries_to_csr(ctx, e, TULLE_I32, TULLE_F64);
    tulle_factor *F = NULL;
    must(tulle_factor_create(ctx, A,
                             &(tulle_factor_options){.kind = TULLE_CHOLESKY, .reads = reads}, &F));
    entries l = numbers_of(ctx, F, true);
    assert_int_equal(l.nnz, 5);
    assert_memory_equal(l.value, want, sizeof want);
    entries_free(&l);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

/* L L^T of the lower triangle, of the upper one, and of rows whose columns do not rise. */
static void triangles(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t row[] = {0, 0, 1, 1, 1, 2, 2}, col[] = {0, 1, 0, 1, 2, 1, 2};
    int64_t mixed[] = {0, 1, 1, 0, 2, 2, 1};
    double value[] = {4, -2, 2, 10, -3, 3, 10}, as_mixed[] = {4, -2, 10, 2, -3, 10, 3};
    const entries e = {3, 3, 7, row, col, value}, f = {3, 3, 7, row, mixed, as_mixed};
    check_root(ctx, &e, TULLE_READS_ALL, 1);
    check_root(ctx, &e, TULLE_READS_LOWER, 1);
    check_root(ctx, &e, TULLE_READS_UPPER, -1);
    check_root(ctx, &f, TULLE_READS_ALL, 1);
}

/* L L^T where a row lacks its diagonal: it is there, and 0. */
static void lacking(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t row[] = {0, 0, 1, 1, 2, 2}, col[] = {0, 1, 0, 2, 1, 2};
    double value[] = {4, 1, 1, 1, 1, 9};
    const entries e = {3, 3, 6, row, col, value};
    const tulle_factor_options options = {.kind = TULLE_CHOLESKY, .tiny = 0.5, .boost = true};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_factor *F = NULL;
    tulle_factor_report report;
    must(tulle_factor_create(ctx, A, &options, &F));
    must(tulle_factor_status(ctx, F, &report));
    assert_true(report.tiny == 1 && report.tiny_row == 1);
    entries l = numbers_of(ctx, F, true);
    assert_int_equal(l.nnz, 5);
    entries_free(&l);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

static void solve(tulle_ctx *ctx, tulle_factor *F, double *x, int64_t n) {
    tulle_vec *b = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, n, &b));
    must(tulle_vec_fill(ctx, b, 1));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, b));
    must(tulle_vec_read(ctx, b, x, 0));
    tulle_vec_destroy(b);
}

/* The list lives as long as a factor that shares it. */
static void shared_list(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 36 };
    double want[N], got[N];
    tulle_mat *A = made(ctx, "p2d:6");
    tulle_factor *F = NULL, *G = NULL;
    tulle_factor_info of_f, of_g;
    must(tulle_factor_create(ctx, A, NULL, &F));
    must(tulle_factor_create_like(ctx, F, A, &G));
    must(tulle_factor_describe(F, &of_f));
    must(tulle_factor_describe(G, &of_g));
    assert_int_equal(of_f.bytes, of_g.bytes);
    assert_true(of_f.analysis_ms > 0 && of_g.analysis_ms == 0);
    solve(ctx, F, want, N);
    tulle_factor_destroy(F);
    must(tulle_factor_update(ctx, G, A));
    solve(ctx, G, got, N);
    assert_memory_equal(got, want, sizeof want);
    tulle_factor_destroy(G);
    tulle_mat_destroy(A);
}

/* Captured after a first call: a list is followed again, and rows too long for shared memory. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    static const char *const kernels[] = {"factor_listed:coop=1", "factor_listed:coop=8"};
    enum { N = 48 };
    const tulle__place *place = &ctx->place;
    const factor_setting s = {.block = 1, .type = TULLE_F64};
    entries e = full(N);
    tulle_mat *A = factor_mat(ctx, &e, &s);
    double want[N], got[N];
    for (int k = 0; k < 2; k++) {
        tulle_factor *F = NULL;
        void *graph = NULL;
        must(tulle_ctx_force_kernel(ctx, kernels[k]));
        must(tulle_factor_create(ctx, A, NULL, &F));
        solve(ctx, F, want, N);
        must(ctx->backend->capture_begin(place));
        must(tulle_factor_update(ctx, F, A));
        must(ctx->backend->capture_end(place, &graph));
        for (int turn = 0; turn < 2; turn++) {
            must(ctx->backend->graph_launch(place, graph));
            solve(ctx, F, got, N);
            assert_memory_equal(got, want, sizeof want);
        }
        must(ctx->backend->graph_destroy(place->device, graph));
        tulle_factor_destroy(F);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* A NaN with the bits that memory is filled with is a number like others: the last row waits for
 * the first one's. */
static void awaited_number(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t row[] = {0, 0, 1, 2, 2, 2}, col[] = {0, 2, 1, 0, 1, 2};
    double value[] = {2, 1, 3, 1, 1, 5};
    const entries e = {3, 3, 6, row, col, value};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_factor *F = NULL;
    tulle_factor_report report;
    must(tulle_factor_create(ctx, A, NULL, &F));
    for (int at = 0; at < 3; at++) {
        double values[6];
        tulle_mat *B = NULL;
        memcpy(values, value, sizeof values);
        memset(&values[at], 0xff, sizeof *values);
        must(tulle_mat_with_values(ctx, A, TULLE_F64, 6, values, &B));
        must(tulle_factor_update(ctx, F, B));
        must(tulle_factor_status(ctx, F, &report));
        assert_int_equal(report.bad, at == 0 ? 2 : 1);
        assert_int_equal(report.bad_row, at == 0 ? 0 : at == 1 ? 2 : 1);
        tulle_mat_destroy(B);
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

/* A pivot that is small beside its row, though not zero, gets an eighth of the row's largest. */
static void small_pivot(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t row[] = {0, 1, 1}, col[] = {0, 0, 1};
    double value[] = {2, 8, -0.5};
    const entries e = {2, 2, 3, row, col, value};
    const tulle_factor_options options = {.tiny = 0.125, .boost = true};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *U = NULL;
    tulle_factor *F = NULL;
    tulle_factor_report report;
    must(tulle_factor_create(ctx, A, &options, &F));
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.tiny, 1);
    assert_int_equal(report.tiny_row, 1);
    must(tulle_factor_export(ctx, F, NULL, &U));
    entries u = factor_entries(ctx, U);
    assert_true(u.nnz == 2 && u.value[0] == 2 && u.value[1] == -1);
    entries_free(&u);
    tulle_mat_destroy(U);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

/* A full first row that is longer than half a word of 32 bits tells apart, and a last row that
 * takes a number from its end. */
static void long_row(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 33000 };
    entries e = {.rows = N, .cols = N}, u;
    e.row = calloc(2 * N, sizeof *e.row);
    e.col = calloc(2 * N, sizeof *e.col);
    e.value = calloc(2 * N, sizeof *e.value);
    assert_true(e.row && e.col && e.value);
    for (int64_t i = 0; i < 2 * N; i++) {
        e.row[i] = i < N ? 0 : i - N;
        e.col[i] = i % N;
        e.value[i] = i == 0 ? 4 : i < N ? 2 : 8;
    }
    e.nnz = 2 * N;
    e.row[N] = N - 1; /* the diagonal of row 0 stands already */
    e.col[N] = 0;
    entries_sort(&e);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *L = NULL, *U = NULL;
    tulle_factor *F = NULL;
    if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "factor_listed"));
    must(tulle_factor_create(ctx, A, NULL, &F));
    must(tulle_factor_export(ctx, F, &L, &U));
    u = factor_entries(ctx, U);
    assert_int_equal(u.nnz, 2 * N - 1);
    assert_true(u.value[N - 1] == 2 && u.value[2 * N - 3] == 8);
    assert_true(u.value[2 * N - 2] == 8 - 8 / 4 * 2);
    must(tulle_ctx_force_kernel(ctx, NULL));
    entries_free(&e);
    entries_free(&u);
    tulle_mat_destroy(L);
    tulle_mat_destroy(U);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(list_bytes)
ONCE_ON_EACH_PLACE(no_list)
ONCE_ON_EACH_PLACE(kinds)
ONCE_ON_EACH_PLACE(bands)
ONCE_ON_EACH_PLACE(alike)
ONCE_ON_EACH_PLACE(triangles)
ONCE_ON_EACH_PLACE(lacking)
ONCE_ON_EACH_PLACE(shared_list)
ONCE_ON_EACH_PLACE(captured)
ONCE_ON_EACH_PLACE(awaited_number)
ONCE_ON_EACH_PLACE(long_row)
ONCE_ON_EACH_PLACE(small_pivot)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_bytes), cmocka_unit_test(test_no_list),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_bands),
        cmocka_unit_test(test_alike),      cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_lacking),    cmocka_unit_test(test_shared_list),
        cmocka_unit_test(test_captured),   cmocka_unit_test(test_awaited_number),
        cmocka_unit_test(test_long_row),   cmocka_unit_test(test_small_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
