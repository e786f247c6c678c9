/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_trisolve beside its numbers: arguments, overlaps, what is kept with a pattern, memory, and
 * calls in a graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "trisolve_check.h"
#include "tulle/advanced.h"

enum { SIZE = 40 };
static const char *const solve_name = "tulle_trisolve";
static const char *const analyse_name = "tulle_trisolve_analyse";

static tulle_vec *vector(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols) {
    tulle_vec *X = NULL;
    must(tulle_vec_create_columns(ctx, type, rows, cols, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_random(ctx, X, (uint64_t)(rows + cols)));
    return X;
}

static void *data_of(const tulle_vec *X) {
    tulle_vec_info info;
    must(tulle_vec_describe(X, &info));
    return info.data;
}

/* A chain of n rows, and every seventh entry of what is left; and the same without row 5's diagonal
 * entry, or with two of row 3. */
typedef enum { WHOLE, LACKS_5, REPEATS_3 } sort;
static tulle_mat *matrix(tulle_ctx *ctx, int64_t n, tulle_type type, sort how) {
    entries any = entries_random(n, n, n, 3);
    for (int64_t k = 0; k < n; k++) {
        any.row[k] = k;
        any.col[k] = k > 0 ? k - 1 - (k % 7 == 0 && k > 7) : 0;
    }
    entries e = trisolve_usable(&any, true);
    for (int64_t k = 0; k < e.nnz; k++) {
        if (how == LACKS_5 && e.row[k] == 5 && e.col[k] == 5) e.col[k] = 30;
        if (how == REPEATS_3 && e.row[k] == 3 && e.col[k] == 2) e.col[k] = 3;
    }
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, type);
    entries_free(&e);
    entries_free(&any);
    return A;
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *function,
                         const char *argument, int64_t row) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_int_equal(tulle_last_error()->row, row);
    if (argument) assert_string_equal(tulle_last_error()->argument, argument);
}

/* What is the same in both functions. */
static void wrong_matrices(tulle_ctx *ctx, const char *where) {
    tulle_ctx *far = place_elsewhere(where);
    if (!far) return;
    tulle_vec *B = vector(ctx, TULLE_F64, SIZE, 2);
    tulle_mat *A = matrix(ctx, SIZE, TULLE_F64, WHOLE), *away = matrix(far, SIZE, TULLE_F64, WHOLE);
    tulle_mat *coo = NULL, *wide = NULL, *none = NULL;
    entries e = entries_random(SIZE, SIZE + 1, SIZE, 1);
    wide = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &coo));
    const struct {
        tulle_mat *A;
        tulle_part part;
        tulle_trans op;
        tulle_status want;
        const char *argument;
    } cases[] = {
        {none, TULLE_LOWER, TULLE_N, TULLE_INVALID_ARGUMENT, "A"},
        {A, (tulle_part)2, TULLE_N, TULLE_INVALID_ARGUMENT, "part"},
        {A, (tulle_part)-1, TULLE_N, TULLE_INVALID_ARGUMENT, "part"},
        {A, TULLE_UPPER, (tulle_trans)2, TULLE_INVALID_ARGUMENT, "op"},
        {away, TULLE_LOWER, TULLE_N, TULLE_SPACE_MISMATCH, "A"},
        {coo, TULLE_LOWER, TULLE_N, TULLE_UNSUPPORTED, "A"},
        {wide, TULLE_LOWER, TULLE_N, TULLE_SHAPE_MISMATCH, "A"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_fails(tulle_trisolve(ctx, cases[k].part, TULLE_UNIT, cases[k].op, tulle_num(1),
                                    cases[k].A, B, B),
                     cases[k].want, solve_name, cases[k].argument, -1);
        assert_fails(tulle_trisolve_analyse(ctx, cases[k].part, cases[k].op, cases[k].A, NULL),
                     cases[k].want, analyse_name, cases[k].argument, -1);
    }
    assert_fails(tulle_trisolve_analyse(NULL, TULLE_LOWER, TULLE_N, A, NULL),
                 TULLE_INVALID_ARGUMENT, analyse_name, "ctx", -1);
    entries_free(&e);
    tulle_mat *const matrices[] = {A, away, coo, wide};
    for (int k = 0; k < 4; k++) tulle_mat_destroy(matrices[k]);
    tulle_vec_destroy(B);
    tulle_ctx_destroy(far);
}
static void test_wrong_matrices(void **state) {
    (void)state;
    once_on_each_place(wrong_matrices);
}

static void wrong_numbers(tulle_ctx *ctx, const char *where) {
    tulle_ctx *far = place_elsewhere(where);
    if (!far) return;
    const tulle_scalar one = tulle_num(1);
    tulle_mat *A = matrix(ctx, SIZE, TULLE_F64, WHOLE), *f = matrix(ctx, SIZE, TULLE_F32, WHOLE);
    tulle_mat_arrays arrays;
    must(tulle_mat_view(A, &arrays));
    tulle_vec *none = NULL, *X = vector(ctx, TULLE_F64, SIZE, 2), *in_A = NULL, *in_cols = NULL;
    tulle_vec *B = vector(ctx, TULLE_F64, SIZE, 2), *tall = vector(ctx, TULLE_F64, SIZE + 1, 2);
    tulle_vec *thin = vector(ctx, TULLE_F64, SIZE, 1), *single = vector(ctx, TULLE_F32, SIZE, 2);
    tulle_vec *away = vector(far, TULLE_F64, SIZE, 2), *shifted = NULL, *row = NULL;
    tulle_vec *all = vector(ctx, TULLE_F64, 4 * SIZE, 1), *part = NULL, *beside = NULL;
    double *data = data_of(all);
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data, &part));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data + 1, &shifted));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_ROW_MAJOR, 2, data, &row));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data + SIZE,
                        &beside));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 1, TULLE_COLUMN_MAJOR, 0, (void *)arrays.values,
                        &in_A));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE / 2, 1, TULLE_COLUMN_MAJOR, 0, (void *)arrays.cols,
                        &in_cols));
    const struct {
        tulle_mat *A;
        tulle_vec *B, *X;
        tulle_scalar alpha;
        tulle_status want;
        const char *argument;
    } cases[] = {
        {A, none, X, one, TULLE_INVALID_ARGUMENT, "B"},
        {A, B, none, one, TULLE_INVALID_ARGUMENT, "X"},
        {A, tall, X, one, TULLE_SHAPE_MISMATCH, "B"},
        {A, B, tall, one, TULLE_SHAPE_MISMATCH, "X"},
        {A, B, thin, one, TULLE_SHAPE_MISMATCH, "X"},
        {A, thin, B, one, TULLE_SHAPE_MISMATCH, "X"},
        {A, single, X, one, TULLE_TYPE_MISMATCH, "B"},
        {A, B, single, one, TULLE_TYPE_MISMATCH, "X"},
        {f, B, single, one, TULLE_TYPE_MISMATCH, "X"},
        {f, single, X, one, TULLE_TYPE_MISMATCH, "X"},
        {A, away, X, one, TULLE_SPACE_MISMATCH, "B"},
        {A, B, away, one, TULLE_SPACE_MISMATCH, "X"},
        {A, B, X, tulle_at((char *)data_of(B) + 1), TULLE_INVALID_ARGUMENT, "alpha"},
        {A, B, X, tulle_at((double *)data_of(X) + 3), TULLE_ALIASED, "X"},
        {A, part, shifted, one, TULLE_ALIASED, "X"},
        {A, part, row, one, TULLE_ALIASED, "X"},
        {A, thin, in_A, one, TULLE_ALIASED, "X"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_fails(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, cases[k].alpha,
                                    cases[k].A, cases[k].B, cases[k].X),
                     cases[k].want, solve_name, cases[k].argument, -1);
    }
    assert_fails(tulle_trisolve(NULL, TULLE_LOWER, TULLE_UNIT, TULLE_N, one, A, B, X),
                 TULLE_INVALID_ARGUMENT, solve_name, "ctx", -1);
    for (int diag = -1; diag < 3; diag += 3) {
        assert_fails(tulle_trisolve(ctx, TULLE_LOWER, (tulle_diag)diag, TULLE_N, one, A, B, X),
                     TULLE_INVALID_ARGUMENT, solve_name, "diag", -1);
    }
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, one, A, part, beside));
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, one, A, part, part));
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, one, f, B, X));
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, one, f, single, single));
    tulle_vec *const made[] = {X,    in_A,    in_cols, B,   tall,   thin,  away,
                               part, shifted, row,     all, beside, single};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) tulle_vec_destroy(made[k]);
    tulle_mat_destroy(A);
    tulle_mat_destroy(f);
    tulle_ctx_destroy(far);
}
static void test_wrong_numbers(void **state) {
    (void)state;
    once_on_each_place(wrong_numbers);
}

/* The row is named whose diagonal entry lacks or is repeated, of blocks too; X stays as it was, and
 * ones need none. */
static void diagonals(tulle_ctx *ctx, const char *where) {
    (void)where;
    const struct {
        sort how;
        int64_t block, row;
    } cases[] = {
        {LACKS_5, 0, 5}, {REPEATS_3, 0, 3}, {LACKS_5, 2, 5}, {LACKS_5, 1, 5}, {LACKS_5, 16, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tulle_mat *A = matrix(ctx, SIZE, TULLE_F64, cases[k].how);
        tulle_vec *B = vector(ctx, TULLE_F64, SIZE, 1), *X = vector(ctx, TULLE_F64, SIZE, 1);
        double after[SIZE];
        if (cases[k].block > 0) {
            const tulle_convert_options options = {.block = cases[k].block, .fill = 1e3};
            tulle_mat *bsr = NULL;
            must(tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &options, &bsr));
            tulle_mat_destroy(A);
            A = bsr;
        }
        must(tulle_vec_fill(ctx, X, 7));
        for (int kind = 0; kind < 4; kind++) {
            const tulle_part part = (tulle_part)(kind & 1);
            const tulle_trans op = (tulle_trans)(kind >> 1);
            assert_fails(tulle_trisolve(ctx, part, TULLE_NON_UNIT, op, tulle_num(1), A, B, X),
                         TULLE_UNSUPPORTED, solve_name, "A", cases[k].row);
            must(tulle_trisolve_analyse(ctx, part, op, A, NULL));
        }
        must(tulle_vec_read(ctx, X, after, 0));
        for (int i = 0; i < SIZE; i++) assert_true(after[i] == 7);
        must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_UNIT, TULLE_N, tulle_num(1), A, B, X));
        tulle_vec_destroy(B);
        tulle_vec_destroy(X);
        tulle_mat_destroy(A);
    }
}
static void test_diagonals(void **state) {
    (void)state;
    once_on_each_place(diagonals);
}

/* What is known of a chain of which four rows are left out, which are the first to be solved where
 * it is transposed, and that it is found out once for all matrices of a pattern, and counted in its
 * bytes. */
static void kept(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = matrix(ctx, SIZE, TULLE_F64, WHOLE), *C = NULL;
    tulle_mat_info before, after;
    must(tulle_mat_describe(A, &before));
    float values[3 * SIZE];
    for (int k = 0; k < 3 * SIZE; k++) values[k] = 2;
    must(tulle_mat_with_values(ctx, A, TULLE_F32, before.nnz, values, &C));
    int64_t bytes = 0;
    for (int kind = 0; kind < 4; kind++) {
        const tulle_part part = (tulle_part)(kind & 1);
        const tulle_trans op = (tulle_trans)(kind >> 1);
        tulle_trisolve_info first, again;
        must(tulle_trisolve_analyse(ctx, part, op, A, &first));
        must(tulle_trisolve_analyse(ctx, part, op, C, &again));
        assert_true(first.ms > 0 && again.ms == 0 && first.bytes > SIZE * 4 * 3);
        assert_int_equal(first.rows, SIZE);
        assert_int_equal(first.entries, part == TULLE_LOWER ? SIZE - 1 : 0);
        assert_int_equal(first.levels, part == TULLE_LOWER ? SIZE - 4 : 1);
        assert_int_equal(first.widest, part == TULLE_UPPER ? SIZE : op == TULLE_N ? 2 : 5);
        assert_int_equal(first.longest, part == TULLE_UPPER ? 0 : op == TULLE_N ? 1 : 2);
        bytes += first.bytes;
        again.ms = first.ms;
        assert_memory_equal(&first, &again, sizeof first);
    }
    must(tulle_mat_describe(C, &after));
    assert_int_equal(after.plan_bytes - before.plan_bytes, bytes);
    must(tulle_mat_forget_plans(A));
    tulle_vec *X = vector(ctx, TULLE_F64, SIZE, 1);
    must(tulle_vec_fill(ctx, X, 2));
    must(tulle_trisolve(ctx, TULLE_UPPER, TULLE_NON_UNIT, TULLE_T, tulle_num(3), C, X, X));
    double x[SIZE];
    must(tulle_vec_read(ctx, X, x, 0));
    for (int i = 0; i < SIZE; i++) assert_true(x[i] == 3);
    tulle_vec_destroy(X);
    tulle_mat_destroy(A);
    tulle_mat_destroy(C);
}
static void test_kept(void **state) {
    (void)state;
    once_on_each_place(kept);
}

/* Nothing to solve for; alpha from memory; kernels that may not run here. */
static void corners(tulle_ctx *ctx, const char *where) {
    tulle_mat *A = matrix(ctx, SIZE, TULLE_F32, WHOLE),
              *bad = matrix(ctx, SIZE, TULLE_F32, LACKS_5);
    tulle_vec *none = vector(ctx, TULLE_F32, SIZE, 0), *B = vector(ctx, TULLE_F32, SIZE, 2);
    tulle_vec *X = vector(ctx, TULLE_F32, SIZE, 2), *Y = vector(ctx, TULLE_F32, SIZE, 2);
    tulle_vec *alpha = vector(ctx, TULLE_F32, 1, 1);
    float x[2 * SIZE], y[2 * SIZE];
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), A, none, none));
    assert_fails(
        tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), bad, none, none),
        TULLE_UNSUPPORTED, solve_name, "A", 5);
    must(tulle_vec_fill(ctx, alpha, -1.5));
    for (int op = 0; op < 2; op++) {
        must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, (tulle_trans)op,
                            tulle_at(data_of(alpha)), A, B, X));
        must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, (tulle_trans)op, tulle_num(-1.5), A,
                            B, Y));
        must(tulle_vec_read(ctx, X, x, 0));
        must(tulle_vec_read(ctx, Y, y, 0));
        assert_memory_equal(x, y, sizeof x);
    }
    assert_fails(tulle_ctx_force_kernel(
                     ctx, strncmp(where, "cpu", 3) == 0 ? "trisolve_poll" : "trisolve_rows"),
                 TULLE_NOT_FOUND, "tulle_ctx_force_kernel", "spec", -1);
    tulle_mat_destroy(A);
    tulle_mat_destroy(bad);
    tulle_vec *const made[] = {none, B, X, Y, alpha};
    for (int k = 0; k < 5; k++) tulle_vec_destroy(made[k]);
}
static void test_corners(void **state) {
    (void)state;
    once_on_each_place(corners);
}

/* In a graph, after a first call, twice: new numbers of B and A count. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    enum { N = 500 };
    tulle_mat *A = matrix(ctx, N, TULLE_F64, WHOLE);
    tulle_vec *B = vector(ctx, TULLE_F64, N, 3), *X = vector(ctx, TULLE_F64, N, 3);
    double want[3 * N], got[3 * N];
    void *graph = NULL;
    for (int turn = 0; turn < 3; turn++) {
        must(tulle_vec_random(ctx, B, (uint64_t)turn));
        must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(2), A, B, X));
        must(tulle_vec_read(ctx, X, want, 0));
        if (turn == 0) {
            must(ctx->backend->capture_begin(&ctx->place));
            must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(2), A, B, X));
            must(ctx->backend->capture_end(&ctx->place, &graph));
        }
        must(tulle_vec_fill(ctx, X, 0));
        must(ctx->backend->graph_launch(&ctx->place, graph));
        must(tulle_vec_read(ctx, X, got, 0));
        assert_memory_equal(got, want, sizeof got);
    }
    must(ctx->backend->graph_destroy(ctx->place.device, graph));
    tulle_vec_destroy(B);
    tulle_vec_destroy(X);
    tulle_mat_destroy(A);
}
static void test_captured(void **state) {
    (void)state;
    once_on_each_place(captured);
}

/* Fails the n-th allocation of a call; whether it no longer gets that far. */
static bool fail_once(const char *where, int64_t n, tulle_trans op) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mat *A = matrix(ctx, 200, TULLE_F64, WHOLE);
    tulle_vec *B = vector(ctx, TULLE_F64, 200, 1), *X = vector(ctx, TULLE_F64, 200, 1);
    double before[200], after[200];
    must(tulle_vec_read(ctx, X, before, 0));
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    const tulle_status status =
        tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, op, tulle_num(1), A, B, X);
    const bool done = c.requests < c.fail_at;
    c.fail_at = 0;
    must(tulle_vec_read(ctx, X, after, 0));
    assert_int_equal(status, done ? TULLE_OK : TULLE_OUT_OF_MEMORY);
    if (!done) assert_memory_equal(after, before, sizeof before);

    /* What a call needed once, the next one has. */
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, op, tulle_num(1), A, B, X));
    const int64_t requests = c.requests;
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_UNIT, op, tulle_num(2), A, B, X));
    assert_int_equal(c.requests, requests);
    tulle_mat_destroy(A);
    tulle_vec_destroy(B);
    tulle_vec_destroy(X);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int op = 0; op < 2; op++) {
        bool done = false;
        int64_t n = 0;
        while (!done && n < 100) done = fail_once(where, ++n, (tulle_trans)op);
        assert_true(done);
        assert_true(n > 1);
    }
}
static void test_out_of_memory(void **state) {
    (void)state;
    once_on_each_place(out_of_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_matrices), cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_diagonals),      cmocka_unit_test(test_kept),
        cmocka_unit_test(test_corners),        cmocka_unit_test(test_captured),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
