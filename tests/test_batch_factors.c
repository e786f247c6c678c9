/* SPDX-License-Identifier: Apache-2.0 */
/* Factors in batches: computed within their bound, solved with to the bits of tulle_factor_solve,
 * one singular system among others, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch_systems.h"
#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

/* Twice, from the other matrix's factors. */
static void factorise(tulle_ctx *ctx, const system_of *y, tulle_batch_way way) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_factor(batch, y->F, y->A, NULL));
    for (int run = 0; run < 2; run++) {
        must(tulle_factor_update(ctx, y->F, y->other));
        must(tulle_batch_run(ctx, batch, way));
        const tulle_batch_report *report = reports_of(ctx, batch);
        assert_int_equal(report->status, TULLE_OK);
        assert_int_equal(report->row, -1);
        factor_check(ctx, y->F, &y->e, &y->s);
    }
    tulle_batch_destroy(batch);
}

static void factors(tulle_ctx *ctx, const char *where) {
    const int every = is_slow(where) ? 11 : 1;
    for (int i = 0; i < 12 * SIZES; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int block = system_sizes[i % SIZES];
        factor_setting s = setting_number(i / SIZES, block);
        if (block == 1 && i / SIZES % 2) s = root_of(s);
        const int64_t n = s.order ? SWAPPED * block : 2 + i * 5 % 37;
        system_of y = make_system(ctx, n, s, (uint64_t)i);
        factorise(ctx, &y, any_way(i % REPEATABLE_WAYS));
        free_system(&y);
    }
}

static void test_factors(void **state) {
    (void)state;
    on_each_place(factors);
}

/* L L^T bit for bit as tulle_factor_update computes it, where its steps are listed. */
static void one_root(tulle_ctx *ctx, const system_of *y, tulle_batch_way way) {
    tulle_batch *batch = NULL;
    tulle_mat *want = NULL, *got = NULL;
    must(tulle_factor_update(ctx, y->F, y->A));
    must(tulle_factor_export(ctx, y->F, &want, NULL));
    must(tulle_factor_update(ctx, y->F, y->other));
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_factor(batch, y->F, y->A, NULL));
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_factor_export(ctx, y->F, &got, NULL));
    factor_check(ctx, y->F, &y->e, &y->s);
    entries_compare(ctx, got, want, "L");
    tulle_batch_destroy(batch);
    tulle_mat_destroy(want);
    tulle_mat_destroy(got);
}

static void roots(tulle_ctx *ctx, const char *where) {
    static const int fills[] = {0, 1, TULLE_FILL_ALL};
    const int cases = is_slow(where) ? 6 : 60;
    for (int i = 0; i < cases; i++) {
        const factor_setting s = {
            .block = 1,
            .type = i % 2 ? TULLE_F64 : TULLE_F32,
            .index = (tulle_index)(i / 2 % 3),
            .options = {.kind = TULLE_CHOLESKY, .fill = fills[i % 3], .tiny = i % 4 ? 0 : 1e-6}};
        system_of y = make_system(ctx, 9 + i * 7 % 40, s, (uint64_t)i);
        one_root(ctx, &y, any_way(i));
        free_system(&y);
    }
}

static void test_roots(void **state) {
    (void)state;
    on_each_place(roots);
}

enum { UNLIKE = 3, MOST_LONG = 24 };
static double steep[8 * MOST_LONG]; /* scales that have rows of diagonal blocks exchanged */

/* Systems of unlike length in one batch, whose rows have more blocks than a stage takes; twice. */
static void factorise_unlike(tulle_ctx *ctx, const factor_setting *s, uint64_t seed) {
    static const int64_t rows[UNLIKE] = {MOST_LONG, 1, 17};
    system_of y[UNLIKE];
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < UNLIKE; i++) {
        y[i] = make_system(ctx, rows[i] * s->block, *s, seed + (uint64_t)i);
        must(tulle_batch_factor(batch, y[i].F, y[i].A, NULL));
    }
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < UNLIKE; i++) must(tulle_factor_update(ctx, y[i].F, y[i].other));
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
        for (int i = 0; i < UNLIKE; i++) factor_check(ctx, y[i].F, &y[i].e, s);
    }
    tulle_batch_destroy(batch);
    for (int i = 0; i < UNLIKE; i++) free_system(y + i);
}

static void long_rows(tulle_ctx *ctx, const char *where) {
    static const int blocks[] = {3, 4, 5, 8};
    enum { BLOCKS = sizeof blocks / sizeof *blocks, HOW = 3 };
    const int every = is_slow(where) ? 5 : 1;
    for (int i = 0; i < 2 * HOW * BLOCKS; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const factor_setting s = {.block = blocks[i % BLOCKS],
                                  .type = i / BLOCKS % 2 ? TULLE_F64 : TULLE_F32,
                                  .rows = i / BLOCKS / 2 == 2 ? steep : NULL,
                                  .options = {.inverted = i / BLOCKS / 2 == 1}};
        factorise_unlike(ctx, &s, (uint64_t)i);
    }
}

static void test_long_rows(void **state) {
    (void)state;
    on_each_place(long_rows);
}

/* What of the factors is solved with; 2: both. */
typedef struct {
    int part;
    tulle_trans op;
    int64_t k;
    double alpha;
    bool in_place;
    tulle_batch_way way;
} solving;

static void solve_alone(tulle_ctx *ctx, const system_of *y, const solving *c, const tulle_vec *B,
                        tulle_vec *X) {
    const tulle_scalar alpha = tulle_num(c->alpha);
    if (c->part == 2) {
        must(tulle_factor_solve(ctx, c->op, alpha, y->F, B, X));
    } else {
        must(tulle_factor_solve_part(ctx, (tulle_part)c->part, c->op, alpha, y->F, B, X));
    }
}

static void solve_in_batch(tulle_ctx *ctx, const system_of *y, const solving *c, const tulle_vec *B,
                           tulle_vec *X) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    if (c->part == 2) {
        must(tulle_batch_solve(batch, c->op, c->alpha, y->F, B, X, NULL));
    } else {
        must(tulle_batch_solve_part(batch, (tulle_part)c->part, c->op, c->alpha, y->F, B, X, NULL));
    }
    must(tulle_batch_run(ctx, batch, c->way));
    tulle_batch_destroy(batch);
}

static void solve(tulle_ctx *ctx, const system_of *y, const solving *c, int turn) {
    columns b = columns_random(y->e.rows, c->k, 9 + (uint64_t)turn, y->s.type);
    placed on_b = columns_place(ctx, &b, y->s.type, system_lies[turn % 4]);
    placed want = columns_place(ctx, &b, y->s.type, system_lies[turn / 2 % 4]);
    placed got = columns_place(ctx, &b, y->s.type, system_lies[turn / 3 % 4]);
    solve_alone(ctx, y, c, on_b.X, want.X);
    solve_in_batch(ctx, y, c, c->in_place ? got.X : on_b.X, got.X);
    columns one = placed_read(ctx, &want), two = placed_read(ctx, &got);
    for (int64_t i = 0; i < one.rows * one.cols; i++) assert_near(two.at[i], one.at[i], 0, "x");
    columns_free(&one);
    columns_free(&two);
    columns_free(&b);
    placed_free(&on_b);
    placed_free(&want);
    placed_free(&got);
}

/* L U and L L^T, scaled or not, some in f32 for numbers in f64. */
static void solutions(tulle_ctx *ctx, const char *where) {
    static const int64_t widths[] = {1, 3, 8, 17};
    const int every = is_slow(where) ? 11 : 1;
    if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "trisolve_levels"));
    for (int i = 0; i < 18 * SIZES; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int block = system_sizes[i % SIZES], turn = i / SIZES;
        factor_setting s = setting_number(turn, block);
        if (block == 1 && turn % 3 == 1) s = root_of(s);
        s.options.single = i % 7 == 2;
        const int64_t n = s.order ? SWAPPED * block : 1 + i * 5 % 67;
        system_of y = make_system(ctx, n, s, (uint64_t)i);
        must(tulle_factor_update(ctx, y.F, y.A));
        const solving c = {.part = (turn + i) % 3,
                           .op = (tulle_trans)(turn / 2 % 2),
                           .k = widths[(turn + i / 3) % 4],
                           .alpha = i % 2 ? 1 : -0.75,
                           .in_place = i % 5 == 1,
                           .way = any_way(turn)};
        solve(ctx, &y, &c, turn);
        free_system(&y);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void test_solutions(void **state) {
    (void)state;
    on_each_place(solutions);
}

enum { SYSTEMS = 5, BAD = 2 };

/* Five systems, each factorised and solved. */
typedef struct {
    system_of y[SYSTEMS];
    placed x[SYSTEMS], b;
    columns want[SYSTEMS];
    int factor[SYSTEMS], solution[SYSTEMS];
    tulle_batch *batch;
} five;

static five make_five(tulle_ctx *ctx, const factor_setting *s) {
    const columns b = columns_random(SWAPPED * s->block, 2, 1, s->type);
    five f = {.b = columns_place(ctx, &b, s->type, system_lies[0])};
    must(tulle_batch_create(ctx, &f.batch));
    for (int i = 0; i < SYSTEMS; i++) {
        f.y[i] = make_system(ctx, SWAPPED * s->block, *s, (uint64_t)i);
        f.x[i] = columns_place(ctx, &b, s->type, system_lies[1]);
        must(tulle_batch_factor(f.batch, f.y[i].F, f.y[i].A, f.factor + i));
        must(tulle_batch_solve(f.batch, TULLE_N, 1, f.y[i].F, f.b.X, f.x[i].X, f.solution + i));
        must(tulle_batch_after(f.batch, f.solution[i], f.factor[i]));
    }
    columns_free((columns *)&b);
    return f;
}

static void free_five(five *f) {
    tulle_batch_destroy(f->batch);
    placed_free(&f->b);
    for (int i = 0; i < SYSTEMS; i++) {
        placed_free(f->x + i);
        columns_free(f->want + i);
        free_system(f->y + i);
    }
}

/* row: the one that is told of number BAD; -1: none. */
static void check_five(tulle_ctx *ctx, const five *f, const tulle_batch_report *reports,
                       int64_t row) {
    for (int i = 0; i < SYSTEMS; i++) {
        const bool bad = i == BAD && row >= 0;
        const int tasks[] = {f->factor[i], f->solution[i]};
        for (int t = 0; t < 2; t++) {
            assert_int_equal(reports[tasks[t]].status, bad ? TULLE_ZERO_PIVOT : TULLE_OK);
            assert_int_equal(reports[tasks[t]].row, bad ? row : -1);
        }
        columns got = placed_read(ctx, f->x + i);
        for (int64_t k = 0; k < got.rows * got.cols && !bad; k++) {
            assert_near(got.at[k], f->want[i].at[k], 0, "five");
        }
        columns_free(&got);
    }
}

/* The same in a graph, where there are some. */
static void run_captured(tulle_ctx *ctx, const five *f, tulle_batch_way way) {
    const tulle_batch_report *reports = NULL;
    void *made = NULL;
    if (ctx->kind == TULLE_CPU) return;
    must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_batch_run(ctx, f->batch, way));
    must(tulle_batch_reports(ctx, f->batch, &reports));
    must(ctx->backend->capture_end(&ctx->place, &made));
    must(ctx->backend->graph_launch(&ctx->place, made));
    must(tulle_ctx_synchronize(ctx));
    check_five(ctx, f, reports, -1);
    must(ctx->backend->graph_destroy(ctx->place.device, made));
}

/* One of five gets a matrix of zeros: it is named, by its row of A and not of the factors, of the
 * factorisation and of the solution; the others stay as they are. Then it gets its own again. */
static void singular(tulle_ctx *ctx, const char *where) {
    (void)where;
    const factor_setting s = {.block = 2, .type = TULLE_F64, .order = system_order};
    const double none[SWAPPED * 2 * SWAPPED * 2] = {0};
    five f = make_five(ctx, &s);
    tulle_mat *zeros = NULL;
    tulle_mat_info info;
    must(tulle_mat_describe(f.y[BAD].A, &info));
    must(tulle_mat_with_values(ctx, f.y[BAD].A, s.type, info.storage.stored, none, &zeros));
    for (int way = 0; way < REPEATABLE_WAYS; way++) {
        must(tulle_batch_run(ctx, f.batch, any_way(way)));
        for (int i = 0; i < SYSTEMS && way == 0; i++) f.want[i] = placed_read(ctx, f.x + i);
        check_five(ctx, &f, reports_of(ctx, f.batch), -1);
        must(tulle_batch_replace_matrix(f.batch, f.factor[BAD], zeros));
        must(tulle_batch_run(ctx, f.batch, any_way(way)));
        check_five(ctx, &f, reports_of(ctx, f.batch), system_order[0] * s.block);
        must(tulle_batch_replace_matrix(f.batch, f.factor[BAD], f.y[BAD].A));
        must(tulle_batch_run(ctx, f.batch, any_way(way)));
        check_five(ctx, &f, reports_of(ctx, f.batch), -1);
        run_captured(ctx, &f, any_way(way));
    }
    tulle_mat_destroy(zeros);
    free_five(&f);
}
ONCE_ON_EACH_PLACE(singular)

#define ASSERT_REFUSED(status, wanted, argument_)                                                  \
    do {                                                                                           \
        assert_int_equal(status, wanted);                                                          \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    const factor_setting s = {.block = 1, .type = TULLE_F64},
                         root = {.block = 1,
                                 .type = TULLE_F64,
                                 .options = {.kind = TULLE_CHOLESKY}},
                         single = {.block = 1, .type = TULLE_F64, .options = {.single = true}};
    system_of y = make_system(ctx, 9, s, 1), L = make_system(ctx, 9, root, 1),
              f = make_system(ctx, 9, single, 1);
    const columns b = columns_random(9, 2, 1, s.type), low = columns_random(8, 2, 1, s.type);
    placed on_b = columns_place(ctx, &b, s.type, system_lies[0]),
           narrow = columns_place(ctx, &b, TULLE_F32, system_lies[0]),
           x = columns_place(ctx, &b, s.type, system_lies[0]),
           less = columns_place(ctx, &low, s.type, system_lies[0]);
    const tulle_batch_report *reports = (const tulle_batch_report *)&s;
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    ASSERT_REFUSED(tulle_batch_factor(batch, NULL, y.A, NULL), TULLE_INVALID_ARGUMENT, "F");
    ASSERT_REFUSED(tulle_batch_factor(batch, y.F, L.A, NULL), TULLE_INVALID_ARGUMENT, "A");
    ASSERT_REFUSED(tulle_batch_solve(batch, TULLE_N, 1, y.F, on_b.X, less.X, NULL),
                   TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_batch_solve(batch, (tulle_trans)2, 1, y.F, on_b.X, x.X, NULL),
                   TULLE_INVALID_ARGUMENT, "op");
    ASSERT_REFUSED(tulle_batch_solve(batch, TULLE_N, 1, f.F, on_b.X, narrow.X, NULL),
                   TULLE_TYPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_batch_solve(batch, TULLE_N, 1, y.F, narrow.X, narrow.X, NULL),
                   TULLE_TYPE_MISMATCH, "B");
    ASSERT_REFUSED(tulle_batch_solve_part(batch, (tulle_part)2, TULLE_N, 1, y.F, on_b.X, x.X, NULL),
                   TULLE_INVALID_ARGUMENT, "part");
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_batch_reports(ctx, batch, &reports)); /* of no task */
    assert_null(reports);
    must(tulle_batch_factor(batch, y.F, y.A, NULL));
    reports = (const tulle_batch_report *)&s;
    ASSERT_REFUSED(tulle_batch_reports(ctx, batch, &reports), TULLE_INVALID_ARGUMENT, "batch");
    assert_null(reports);
    must(tulle_batch_solve(batch, TULLE_N, 1, y.F, on_b.X, x.X, NULL));
    ASSERT_REFUSED(tulle_batch_replace_matrix(batch, 2, y.A), TULLE_INVALID_ARGUMENT, "task");
    ASSERT_REFUSED(tulle_batch_replace_matrix(batch, 1, y.A), TULLE_INVALID_ARGUMENT, "task");
    ASSERT_REFUSED(tulle_batch_replace_matrix(batch, 0, L.A), TULLE_INVALID_ARGUMENT, "A");
    ASSERT_REFUSED(tulle_batch_replace(batch, 0, TULLE_BATCH_X, x.X), TULLE_INVALID_ARGUMENT,
                   "operand");
    ASSERT_REFUSED(tulle_batch_replace(batch, 1, TULLE_BATCH_X, less.X), TULLE_SHAPE_MISMATCH, "X");
    tulle_batch_destroy(batch);
    placed_free(&on_b);
    placed_free(&narrow);
    placed_free(&x);
    placed_free(&less);
    columns_free((columns *)&b);
    columns_free((columns *)&low);
    free_system(&y);
    free_system(&L);
    free_system(&f);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    for (int i = 0; i < 8 * MOST_LONG; i++) steep[i] = ldexp(1, i % 2 ? -6 : 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),   cmocka_unit_test(test_roots),
        cmocka_unit_test(test_long_rows), cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_refusals),
    };
    emulate_by_turns(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
