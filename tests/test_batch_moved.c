/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a matrix that move between two runs of a batch: tulle_mat_set_values gives a matrix
 * that borrows its values an array of its own. The batch then reads that, and never again the old
 * one, which holds NaN from then on; a graph has what it was captured with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"
#include "tulle/tulle.h"

enum { N = 3, NNZ = 5 };

/* [1 0 0; 2 4 0; 0 2 8], in arrays of the caller's, in the place's memory. */
static const int32_t offsets[N + 1] = {0, 1, 3, 5}, cols[NNZ] = {0, 0, 1, 1, 2};
static const double first[NNZ] = {1, 2, 4, 2, 8};

typedef struct {
    tulle_ctx *ctx;
    void *array[3]; /* offsets, columns, values */
    tulle_mat *A;
    tulle_factor *F;
    tulle_vec *x, *y, *turned, *solved;
    tulle_batch *batch;
} subject;

static void *there(tulle_ctx *ctx, const void *from, size_t bytes) {
    void *made = NULL;
    must(tulle__alloc(ctx, bytes, &made));
    must(tulle__copy_wait(ctx, made, from, bytes));
    return made;
}

static tulle_vec *vector(tulle_ctx *ctx, double value) {
    tulle_vec *x = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, N, &x));
    must(tulle_vec_fill(ctx, x, value));
    return x;
}

/* y := A x, turned := A^T x, solved := A^-1 x, F := A, x ones; all run once. */
static subject make(tulle_ctx *ctx, tulle_batch_way way) {
    const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    subject s = {.ctx = ctx};
    s.array[0] = there(ctx, offsets, sizeof offsets);
    s.array[1] = there(ctx, cols, sizeof cols);
    s.array[2] = there(ctx, first, sizeof first);
    must(tulle_mat_create_csr(ctx, N, N, NNZ, TULLE_I32, s.array[0], s.array[1], TULLE_F64,
                              s.array[2], &borrow, &s.A));
    must(tulle_factor_create(ctx, s.A, NULL, &s.F));
    s.x = vector(ctx, 1);
    s.y = vector(ctx, 0);
    s.turned = vector(ctx, 0);
    s.solved = vector(ctx, 0);
    must(tulle_batch_create(ctx, &s.batch));
    must(tulle_batch_spmm(s.batch, TULLE_N, 1, s.A, s.x, 0, s.y, NULL));
    must(tulle_batch_spmm(s.batch, TULLE_T, 1, s.A, s.x, 0, s.turned, NULL));
    must(tulle_batch_trisolve(s.batch, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, 1, s.A, s.x, s.solved,
                              NULL));
    must(tulle_batch_factor(s.batch, s.F, s.A, NULL));
    must(tulle_batch_run(ctx, s.batch, way));
    return s;
}

static void give_up(subject *s) {
    tulle_batch_destroy(s->batch);
    tulle_factor_destroy(s->F);
    tulle_mat_destroy(s->A);
    tulle_vec *const all[] = {s->x, s->y, s->turned, s->solved};
    for (int i = 0; i < 4; i++) tulle_vec_destroy(all[i]);
    for (int i = 0; i < 3; i++) tulle__free(s->ctx, s->array[i]);
}

static void read(const subject *s, const tulle_vec *x, double numbers[N]) {
    must(tulle_vec_read(s->ctx, x, numbers, 0));
}

/* All results are those of `times` the first A, whose numbers powers of 2 keep exact. */
static void check(const subject *s, double times) {
    static const double product[N] = {1, 6, 10}, of_turned[N] = {3, 6, 8};
    static const double solution[N] = {1, -0.25, 0.1875};
    double y[N], turned[N], solved[N], by_factors[N];
    tulle_vec *z = vector(s->ctx, 1);
    read(s, s->y, y);
    read(s, s->turned, turned);
    read(s, s->solved, solved);
    must(tulle_factor_solve(s->ctx, TULLE_N, tulle_num(1), s->F, z, z));
    read(s, z, by_factors);
    for (int i = 0; i < N; i++) {
        assert_true(y[i] == times * product[i]);
        assert_true(turned[i] == times * of_turned[i]);
        assert_true(solved[i] == solution[i] / times);
        assert_true(by_factors[i] == solution[i] / times);
    }
    tulle_vec_destroy(z);
}

/* A's values times that; what A borrowed is of no use after it. */
static void set(const subject *s, double times) {
    const double none[NNZ] = {NAN, NAN, NAN, NAN, NAN};
    double values[NNZ];
    for (int i = 0; i < NNZ; i++) values[i] = times * first[i];
    must(tulle_mat_set_values(s->ctx, s->A, NNZ, values));
    must(tulle__copy_wait(s->ctx, s->array[2], none, sizeof none));
}

static void moved(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int way = 0; way < ANY_WAYS; way++) {
        subject s = make(ctx, any_way(way));
        check(&s, 1);
        for (int turn = 1; turn <= 2; turn++) { /* the second time they stay where they are */
            set(&s, 4 * turn);
            must(tulle_batch_run(ctx, s.batch, any_way(way)));
            check(&s, 4 * turn);
        }
        give_up(&s);
    }
}
ONCE_ON_EACH_PLACE(moved)

static void *capture(const subject *s) {
    void *made = NULL;
    must(s->ctx->backend->capture_begin(&s->ctx->place));
    must(tulle_batch_run(s->ctx, s->batch, TULLE_BATCH_GROUPED));
    must(s->ctx->backend->capture_end(&s->ctx->place, &made));
    return made;
}

/* The old graph reads the old array, the batch and a graph that is captured anew the new one. */
static void graphs(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    subject s = make(ctx, TULLE_BATCH_GROUPED);
    void *made[2];
    double y[N];
    made[0] = capture(&s);
    set(&s, 2);
    must(tulle_batch_run(ctx, s.batch, TULLE_BATCH_GROUPED));
    check(&s, 2);
    made[1] = capture(&s);
    must(ctx->backend->graph_launch(&ctx->place, made[0]));
    read(&s, s.y, y);
    assert_true(isnan(y[0]));
    must(ctx->backend->graph_launch(&ctx->place, made[1]));
    check(&s, 2);
    for (int i = 0; i < 2; i++) must(ctx->backend->graph_destroy(ctx->place.device, made[i]));
    give_up(&s);
}
ONCE_ON_EACH_PLACE(graphs)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved), cmocka_unit_test(test_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
