/* SPDX-License-Identifier: Apache-2.0 */
/* The published ways of a batch: each of the paper's six operations against its definition, for
 * every size of blocks, in f32 and f64, with rows that fill no block; the same bits again, and in a
 * batch of many tasks in another order; graphs and replaced operands; and what a GPU refuses, since
 * the paper lacks it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch_systems.h"
#include "batch_trials.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"
#include "tulle/tulle.h"

enum { PUBLISHED = 3, BLOCKS = 3 };
static const tulle_batch_way published[PUBLISHED] = {TULLE_BATCH_TASKS, TULLE_BATCH_SHUFFLES,
                                                     TULLE_BATCH_GRID};
static const int blocks[BLOCKS] = {4, 8, 16};

static bool left_out(void) {
    if (!TULLE__PUBLISHED) say_skipped("published ways of batches: the build leaves them out");
    return !TULLE__PUBLISHED;
}

static void assert_same(const columns *got, const columns *want, const char *what) {
    for (int64_t k = 0; k < got->rows * got->cols; k++) {
        assert_near(got->at[k], want->at[k], 0, what);
    }
}

static tulle_batch *new_batch(tulle_ctx *ctx) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    return batch;
}

/* Twice by itself, which must be right and the same. */
static void try_trial(tulle_ctx *ctx, const trial *t, tulle_batch_way way) {
    columns got[2];
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    trial_record(batch, t, NULL);
    for (int run = 0; run < 2; run++) {
        trial_reset(ctx, t);
        must(tulle_batch_run(ctx, batch, way));
        got[run] = placed_read(ctx, &t->on_y);
        if (run == 0) trial_check_numbers(t, got, NULL);
    }
    assert_same(got, got + 1, "another run");
    for (int run = 0; run < 2; run++) columns_free(got + run);
    tulle_batch_destroy(batch);
}

/* No rows, fewer than a block has, one turn of all groups and one row more, and many. */
static void multivectors(tulle_ctx *ctx, const char *where) {
    const int64_t rows[] = {0, 1, 3, 33, 257, is_slow(where) ? 700 : 70000};
    enum { ROWS = sizeof rows / sizeof *rows, TURNS = 3 };
    const int every = is_slow(where) ? 11 : 1;
    if (left_out()) return;
    for (int i = 0; i < ROWS * BLOCKS * PUBLISHED * TURNS; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int64_t n = rows[i % ROWS], b = blocks[i / ROWS % BLOCKS];
        const tulle_batch_way way = published[i / ROWS / BLOCKS % PUBLISHED];
        for (int what = AXPY; what <= DOT; what++) {
            trial t = trial_dense(ctx, (kind)what, n, b, b, i + i / ROWS);
            const int64_t chain = n * b * b / 1024 + 1024 / (b * b) + 2; /* tulle/batch.h */
            if (chain > t.chain) t.chain = chain;
            try_trial(ctx, &t, way);
            trial_free(&t);
        }
    }
}

static void test_multivectors(void **state) {
    (void)state;
    on_each_place(multivectors);
}

/* All matrices of the zoo, with padding in their blocks and without, and their transposes. */
static void products(tulle_ctx *ctx, const char *where) {
    const int all = zoo_count(), every = is_slow(where) ? 13 : 1;
    if (left_out()) return;
    for (int i = 0; i < 4 * BLOCKS * all; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int b = blocks[i / all % BLOCKS];
        trial t = trial_sparse(ctx, i % all, b, b, i / all + i % all);
        try_trial(ctx, &t, TULLE_BATCH_TASKS);
        trial_free(&t);
    }
}

static void test_products(void **state) {
    (void)state;
    on_each_place(products);
}

/* What the paper's LU has: inverted diagonal blocks, and nothing added to them for what is dropped.
 */
static factor_setting setting_of(int i, int block) {
    factor_setting s = setting_number(i, block);
    s.options.inverted = true;
    s.options.modified = 0;
    return s;
}

static double *rows_of(tulle_ctx *ctx, const placed *x, int64_t n, int64_t k) {
    columns got = placed_read(ctx, x);
    double *rows = calloc((size_t)(n * k) + 1, sizeof *rows);
    assert_non_null(rows);
    for (int64_t e = 0; e < n * k; e++) rows[e] = (double)got.at[e / k + e % k * n];
    columns_free(&got);
    return rows;
}

/* X := alpha M^-1 B by a batch of both triangles, in place or not, and by one of each after the
 * other, whose bits are the same where nothing is moved between them. In a grid the first two share
 * a launch. */
static void solve(tulle_ctx *ctx, const system_of *y, int turn) {
    const int64_t n = y->e.rows, k = y->s.block;
    const double alpha = turn % 2 ? 1 : -0.75;
    columns b = columns_random(n, k, 9 + (uint64_t)turn, y->s.type);
    placed on_b = columns_place(ctx, &b, y->s.type, system_lies[turn % LIES]),
           x = columns_place(ctx, &b, y->s.type, system_lies[turn / 2 % LIES]),
           z = columns_place(ctx, &b, y->s.type, system_lies[turn / 3 % LIES]);
    const tulle_vec *from = turn % 3 ? on_b.X : x.X;
    tulle_batch *batch = NULL;
    int lower, upper;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_solve(batch, TULLE_N, alpha, y->F, from, x.X, NULL));
    must(tulle_batch_solve_part(batch, TULLE_LOWER, TULLE_N, alpha, y->F, on_b.X, z.X, &lower));
    must(tulle_batch_solve_part(batch, TULLE_UPPER, TULLE_N, 1, y->F, z.X, z.X, &upper));
    must(tulle_batch_after(batch, upper, lower));
    must(tulle_batch_run(ctx, batch, turn / 4 % 2 ? TULLE_BATCH_TASKS : TULLE_BATCH_GRID));
    double *rows_b = rows_of(ctx, &on_b, n, k), *rows_x = rows_of(ctx, &x, n, k);
    const factor_solved of = {n, k, alpha, rows_b, rows_x};
    factor_check_solution(ctx, y->F, &y->s, TULLE_N, &of);
    if (!y->s.order && !y->s.rows && !y->s.cols) {
        columns one = placed_read(ctx, &x), two = placed_read(ctx, &z);
        assert_same(&two, &one, "one triangle after the other");
        columns_free(&one);
        columns_free(&two);
    }
    tulle_batch_destroy(batch);
    free(rows_b);
    free(rows_x);
    columns_free(&b);
    placed_free(&on_b);
    placed_free(&x);
    placed_free(&z);
}

/* Twice, from another matrix's factors, by streams and in a grid beside others: within the bound,
 * and the same. */
static void factorise(tulle_ctx *ctx, const system_of *y, const system_of *beside) {
    static const tulle_batch_way ways[2] = {TULLE_BATCH_TASKS, TULLE_BATCH_GRID};
    const int64_t whole = (y->e.rows + y->s.block - 1) / y->s.block * y->s.block;
    long double *L[2], *U[2];
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_factor(batch, beside->F, beside->A, NULL));
    must(tulle_batch_factor(batch, y->F, y->A, NULL));
    for (int run = 0; run < 2; run++) {
        tulle_mat *l = NULL, *u = NULL;
        must(tulle_factor_update(ctx, y->F, y->other));
        must(tulle_factor_update(ctx, beside->F, beside->other));
        must(tulle_batch_run(ctx, batch, ways[run]));
        const tulle_batch_report *report = reports_of(ctx, batch);
        for (int task = 0; task < 2; task++) {
            assert_int_equal(report[task].status, TULLE_OK);
            assert_int_equal(report[task].row, -1);
        }
        factor_check(ctx, y->F, &y->e, &y->s);
        factor_check(ctx, beside->F, &beside->e, &beside->s);
        must(tulle_factor_export(ctx, y->F, &l, &u));
        L[run] = factor_whole(ctx, l, whole);
        U[run] = factor_whole(ctx, u, whole);
        tulle_mat_destroy(l);
        tulle_mat_destroy(u);
    }
    for (int64_t e = 0; e < whole * whole; e++) {
        assert_true(L[0][e] == L[1][e] && U[0][e] == U[1][e]);
    }
    for (int run = 0; run < 2; run++) {
        free(L[run]);
        free(U[run]);
    }
    tulle_batch_destroy(batch);
}

static void factors(tulle_ctx *ctx, const char *where) {
    const int every = is_slow(where) ? 11 : 1;
    if (left_out()) return;
    for (int i = 0; i < 12 * BLOCKS; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int block = blocks[i % BLOCKS];
        const factor_setting s = setting_of(i / BLOCKS, block);
        const int64_t n = s.order ? SWAPPED * block : 2 + i * 11 % 75;
        system_of y = make_system(ctx, n, s, (uint64_t)i);
        system_of beside = make_system(ctx, n, s, (uint64_t)i + 1);
        factorise(ctx, &y, &beside);
        solve(ctx, &y, i);
        free_system(&y);
        free_system(&beside);
    }
}

static void test_factors(void **state) {
    (void)state;
    on_each_place(factors);
}

/* The rows of each block from the last to the first, so that the largest number of each column of a
 * diagonal block is off the diagonal. */
static entries with_rows_turned(entries e, int block) {
    for (int64_t k = 0; k < e.nnz; k++) {
        const int64_t at = e.row[k] % block;
        e.row[k] += block - 1 - 2 * at;
    }
    entries_sort(&e);
    return e;
}

/* Diagonal blocks whose inverses need exchanges of rows. */
static void exchanges(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (left_out()) return;
    for (int i = 0; i < BLOCKS; i++) {
        const int block = blocks[i];
        const factor_setting s = setting_of(0, block);
        system_of y[2];
        for (int k = 0; k < 2; k++) {
            entries e = factor_matrix(3 * block, 6 * block, false, (uint64_t)(i + k));
            y[k] = make_system_of(ctx, with_rows_turned(e, block), s);
        }
        factorise(ctx, y, y + 1);
        free_system(y);
        free_system(y + 1);
    }
}
ONCE_ON_EACH_PLACE(exchanges)

/* A matrix of zeros, and factors that boost its pivots or do not: reports name its first row, or
 * tell of nothing. */
static void zeros(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (left_out()) return;
    for (int boost = 0; boost < 2; boost++) {
        factor_setting s = setting_of(0, 4);
        s.options.boost = boost;
        s.options.tiny = boost ? 1e-3 : 0;
        system_of y = make_system(ctx, 22, s, 1);
        tulle_mat *none = NULL;
        tulle_mat_info info;
        tulle_batch *batch = NULL;
        must(tulle_mat_describe(y.A, &info));
        void *numbers = calloc((size_t)info.storage.stored, sizeof(double));
        assert_non_null(numbers);
        must(tulle_mat_with_values(ctx, y.A, s.type, info.storage.stored, numbers, &none));
        free(numbers);
        must(tulle_batch_create(ctx, &batch));
        must(tulle_batch_factor(batch, y.F, none, NULL));
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_TASKS));
        const tulle_batch_report *report = reports_of(ctx, batch);
        assert_int_equal(report->status, boost ? TULLE_OK : TULLE_ZERO_PIVOT);
        assert_int_equal(report->row, boost ? -1 : 0);
        tulle_batch_destroy(batch);
        tulle_mat_destroy(none);
        free_system(&y);
    }
}
ONCE_ON_EACH_PLACE(zeros)

enum { TASKS = 9 };

/* Tasks of unlike sizes and types. */
static void make_trials(tulle_ctx *ctx, trial t[TASKS]) {
    for (int i = 0; i < TASKS; i++) {
        const int b = blocks[i / 3];
        const int turn = 5 * i + 4;
        t[i] = i % 3 < 2 ? trial_dense(ctx, (kind)(i % 3), 90 + 7 * i, b, b, turn)
                         : trial_sparse(ctx, i, b, b, turn);
    }
}

static void reset(tulle_ctx *ctx, const trial t[TASKS]) {
    for (int i = 0; i < TASKS; i++) trial_reset(ctx, t + i);
}

/* Alone, and recorded from the last to the first, each after the one before, on few streams and in
 * grids: the same bits. */
static void together(tulle_ctx *ctx, const char *where) {
    static const tulle_batch_way ways[] = {TULLE_BATCH_TASKS, TULLE_BATCH_GRID};
    trial t[TASKS];
    columns want[TASKS];
    tulle_batch *batch = NULL;
    (void)where;
    if (left_out()) return;
    make_trials(ctx, t);
    for (int i = 0; i < TASKS; i++) {
        try_trial(ctx, t + i, TULLE_BATCH_TASKS);
        want[i] = placed_read(ctx, &t[i].on_y);
    }
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_set_streams(batch, 3));
    for (int i = 0; i < TASKS; i++) {
        int task = -1;
        trial_record(batch, t + TASKS - 1 - i, &task);
        if (i % 4 == 3) must(tulle_batch_after(batch, task, task - 1));
    }
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        reset(ctx, t);
        must(tulle_batch_run(ctx, batch, ways[w]));
        for (int i = 0; i < TASKS; i++) {
            columns got = placed_read(ctx, &t[i].on_y);
            assert_same(&got, want + i, "beside others");
            columns_free(&got);
        }
    }
    for (int i = 0; i < TASKS; i++) {
        columns_free(want + i);
        trial_free(t + i);
    }
    tulle_batch_destroy(batch);
}
ONCE_ON_EACH_PLACE(together)

/* Tasks that share a kernel, in a grid, beside others of another type and of another size: the bits
 * that each has alone. */
static void shared_grids(tulle_ctx *ctx, const char *where) {
    enum { EACH = 6 };
    (void)where;
    if (left_out()) return;
    for (int what = AXPY; what <= DOT; what++) {
        trial t[EACH];
        tulle_batch *batch = new_batch(ctx);
        for (int i = 0; i < EACH; i++) {
            /* Turns 0 and 3 are in f32, and come first in the grids: of 8 and of 4 columns, then
             * f64 of 4 and of 8. */
            const int b = i == 0 || i > 3 ? 8 : 4;
            t[i] = trial_dense(ctx, (kind)what, 40 + i, b, b, 2 * i);
            trial_record(batch, t + i, NULL);
        }
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_GRID));
        for (int i = 0; i < EACH; i++) {
            columns got = placed_read(ctx, &t[i].on_y);
            try_trial(ctx, t + i, TULLE_BATCH_TASKS);
            columns want = placed_read(ctx, &t[i].on_y);
            assert_same(&got, &want, "in a grid");
            columns_free(&got);
            columns_free(&want);
            trial_free(t + i);
        }
        tulle_batch_destroy(batch);
    }
}
ONCE_ON_EACH_PLACE(shared_grids)

/* A batch that ran in another way first, then as published, then with another Y, and a graph of
 * that. */
static void changed(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (left_out()) return;
    for (int w = 0; w < PUBLISHED; w++) {
        trial t[TASKS];
        tulle_batch *batch = NULL;
        void *made = NULL;
        make_trials(ctx, t);
        must(tulle_batch_create(ctx, &batch));
        for (int i = 0; i < TASKS; i++) trial_record(batch, t + i, NULL);
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_STREAMS));
        reset(ctx, t);
        must(tulle_batch_run(ctx, batch, published[w]));
        for (int i = 0; i < TASKS; i++) trial_check(ctx, t + i);
        for (int i = 0; i < TASKS; i++) {
            placed other = columns_place(ctx, &t[i].y, t[i].type, t[i].on_y.how);
            must(tulle_batch_replace(batch, i, TULLE_BATCH_Y, other.X));
            must(tulle_ctx_synchronize(ctx));
            placed_free(&t[i].on_y);
            t[i].on_y = other;
        }
        must(tulle_batch_run(ctx, batch, published[w]));
        for (int i = 0; i < TASKS; i++) trial_check(ctx, t + i);
        if (ctx->kind != TULLE_CPU) {
            must(ctx->backend->capture_begin(&ctx->place));
            must(tulle_batch_run(ctx, batch, published[w]));
            must(ctx->backend->capture_end(&ctx->place, &made));
            reset(ctx, t);
            must(ctx->backend->graph_launch(&ctx->place, made));
            for (int i = 0; i < TASKS; i++) trial_check(ctx, t + i);
            must(ctx->backend->graph_destroy(ctx->place.device, made));
        }
        tulle_batch_destroy(batch);
        for (int i = 0; i < TASKS; i++) trial_free(t + i);
    }
}
ONCE_ON_EACH_PLACE(changed)

/* On a GPU the batch is refused as a whole, with a record that says what it lacks and what takes
 * it; on a CPU it runs. What Y is stays as it was. */
static void expect_refused(tulle_ctx *ctx, tulle_batch *batch, const char *lacks) {
    for (int w = 0; w < PUBLISHED; w++) {
        const tulle_status status = tulle_batch_run(ctx, batch, published[w]);
        if (ctx->kind == TULLE_CPU) {
            must(status);
            continue;
        }
        const tulle_error *error = tulle_last_error();
        assert_int_equal(status, TULLE_UNSUPPORTED);
        assert_string_equal(error->argument, "way");
        if (!strstr(error->message, lacks) || !strstr(error->message, "TULLE_BATCH_STREAMS")) {
            fail_msg("'%s' does not say '%s'", error->message, lacks);
        }
    }
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_STREAMS));
    must(tulle_ctx_synchronize(ctx));
    tulle_batch_destroy(batch);
}

/* Behind a task that is the paper's, which then does not run, either. */
static void refuse_trial(tulle_ctx *ctx, trial t, const char *lacks) {
    trial right = trial_dense(ctx, AXPY, 20, 4, 4, 4);
    tulle_batch *batch = new_batch(ctx);
    trial_record(batch, &right, NULL);
    trial_record(batch, &t, NULL);
    if (ctx->kind != TULLE_CPU) {
        assert_int_equal(tulle_batch_run(ctx, batch, TULLE_BATCH_TASKS), TULLE_UNSUPPORTED);
        columns got = placed_read(ctx, &right.on_y);
        assert_same(&got, &right.y, "what did not run");
        columns_free(&got);
        assert_non_null(strstr(tulle_last_error()->message, "task 1"));
    }
    expect_refused(ctx, batch, lacks);
    trial_free(&right);
    trial_free(&t);
}

static void refuse_factors(tulle_ctx *ctx, factor_setting s, const char *lacks) {
    const int64_t n = SWAPPED * s.block;
    system_of y = make_system(ctx, n, s, 1);
    must(tulle_factor_update(ctx, y.F, y.A));
    columns b = columns_random(n, s.block, 1, s.type);
    placed x = columns_place(ctx, &b, s.type, system_lies[0]);
    for (int solves = 0; solves < 2; solves++) {
        tulle_batch *batch = new_batch(ctx);
        must(solves ? tulle_batch_solve(batch, TULLE_N, 1, y.F, x.X, x.X, NULL)
                    : tulle_batch_factor(batch, y.F, y.A, NULL));
        expect_refused(ctx, batch, lacks);
    }
    placed_free(&x);
    columns_free(&b);
    free_system(&y);
}

static void refuse_solutions(tulle_ctx *ctx) {
    factor_setting s = setting_of(1, 4);
    s.type = TULLE_F64;
    system_of y = make_system(ctx, 24, s, 1);
    s.options.single = true;
    system_of narrow = make_system(ctx, 24, s, 1);
    columns b = columns_random(24, 4, 1, TULLE_F64), one = columns_random(24, 1, 1, TULLE_F64);
    placed x = columns_place(ctx, &b, TULLE_F64, system_lies[0]),
           thin = columns_place(ctx, &one, TULLE_F64, system_lies[0]);
    tulle_batch *batch = new_batch(ctx);
    must(tulle_factor_update(ctx, y.F, y.A));
    must(tulle_factor_update(ctx, narrow.F, narrow.A));
    must(tulle_batch_solve(batch, TULLE_T, 1, y.F, x.X, x.X, NULL));
    expect_refused(ctx, batch, "it is with the transpose");
    batch = new_batch(ctx);
    must(tulle_batch_solve(batch, TULLE_N, 1, y.F, thin.X, thin.X, NULL));
    expect_refused(ctx, batch, "it has 1 vectors and blocks of 4");
    batch = new_batch(ctx);
    must(tulle_batch_solve(batch, TULLE_N, 1, narrow.F, x.X, x.X, NULL));
    expect_refused(ctx, batch, "its factors are in f32 and its vectors in f64");
    batch = new_batch(ctx);
    must(tulle_batch_trisolve(batch, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, 1, y.A, x.X, x.X, NULL));
    expect_refused(ctx, batch, "it is with a triangle of a matrix");
    placed_free(&x);
    placed_free(&thin);
    columns_free(&b);
    columns_free(&one);
    free_system(&y);
    free_system(&narrow);
}

static void refuse_vectors(tulle_ctx *ctx) {
    columns b = columns_random(24, 4, 1, TULLE_F64), one = columns_random(1, 4, 1, TULLE_F64);
    placed x = columns_place(ctx, &b, TULLE_F64, system_lies[0]),
           y = columns_place(ctx, &b, TULLE_F64, system_lies[1]),
           norms = columns_place(ctx, &one, TULLE_F64, system_lies[0]);
    static const char *const names[] = {"(norm2)", "(norm_max)", "(scale)", "(copy)"};
    for (int i = 0; i < 4; i++) {
        tulle_batch *batch = new_batch(ctx);
        if (i == 0) must(tulle_batch_norm2(batch, x.X, norms.X, NULL));
        if (i == 1) must(tulle_batch_norm_max(batch, x.X, norms.X, NULL));
        if (i == 2) must(tulle_batch_scale(batch, 2, x.X, y.X, NULL));
        if (i == 3) must(tulle_batch_copy(batch, x.X, y.X, NULL));
        expect_refused(ctx, batch, names[i]);
    }
    placed_free(&x);
    placed_free(&y);
    placed_free(&norms);
    columns_free(&b);
    columns_free(&one);
}

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (left_out()) return;
    refuse_trial(ctx, trial_dense(ctx, AXPY, 40, 4, 8, 4), "its small matrix is 4 x 8");
    refuse_trial(ctx, trial_dense(ctx, DOT, 40, 5, 5, 4), "its small matrix is 5 x 5");
    refuse_trial(ctx, trial_dense(ctx, DOT, 40, 32, 32, 4), "its small matrix is 32 x 32");
    refuse_trial(ctx, trial_sparse(ctx, 5, 0, 4, 4), "its matrix has blocks of 1");
    refuse_trial(ctx, trial_sparse(ctx, 5, 3, 3, 4), "its matrix has blocks of 3");
    refuse_trial(ctx, trial_sparse(ctx, 5, 4, 8, 4), "it has 8 vectors and blocks of 4");
    factor_setting s = setting_of(1, 5);
    refuse_factors(ctx, s, "its matrix has blocks of 5");
    s = setting_of(1, 4);
    s.options.inverted = false;
    refuse_factors(ctx, s, "its factors keep factorised diagonal blocks");
    s = setting_of(1, 4);
    s.options.modified = 0.5;
    refuse_factors(ctx, s, "its factors are of modified ILU");
    refuse_factors(ctx, root_of(setting_of(1, 1)), "its factors are L L^T");
    refuse_solutions(ctx);
    refuse_vectors(ctx);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multivectors), cmocka_unit_test(test_products),
        cmocka_unit_test(test_factors),      cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_zeros),        cmocka_unit_test(test_together),
        cmocka_unit_test(test_shared_grids), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
