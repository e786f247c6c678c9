/* SPDX-License-Identifier: Apache-2.0 */
/* Several replacements at once: x and y that change places in all tasks, factors, matrices, types
 * and scalars; all of them or none; graphs that keep what they were captured with; and memory that
 * runs out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { N = 12 };

/* A: 2 on the diagonal and -1 behind it; twice that; their factors. Vectors x, y, b, r, s. */
typedef struct {
    tulle_ctx *ctx;
    tulle_mat *A, *twice;
    tulle_factor *F, *G;
    tulle_vec *x, *y, *b, *r, *square;
    tulle_batch *batch;
    int factor, solve, residual, norm;
} subject;

static tulle_mat *matrix(tulle_ctx *ctx) {
    int32_t offsets[N + 1] = {0}, cols[2 * N];
    double values[2 * N];
    int count = 0;
    for (int i = 0; i < N; i++) {
        cols[count] = i;
        values[count++] = 2;
        if (i + 1 < N) {
            cols[count] = i + 1;
            values[count++] = -1;
        }
        offsets[i + 1] = count;
    }
    const tulle_storage storage = {.stored = count};
    const tulle_mat_arrays arrays = {.offsets = offsets, .cols = cols, .values = values};
    tulle_mat *A = NULL;
    must(tulle_mat_create(ctx, N, N, TULLE_CSR, &storage, TULLE_I32, &arrays, TULLE_F64, NULL, &A));
    return A;
}

static tulle_vec *vector(tulle_ctx *ctx, tulle_type type, int64_t n, double value) {
    tulle_vec *x = NULL;
    must(tulle_vec_create(ctx, type, n, &x));
    must(tulle_vec_fill(ctx, x, value));
    return x;
}

/* F := A; x := F^-1 b; r := b - A x; square := |r|. */
static subject make(tulle_ctx *ctx) {
    subject s = {.ctx = ctx, .A = matrix(ctx)};
    double values[2 * N];
    must(tulle_mat_read(ctx, s.A, NULL, NULL, NULL, values));
    for (int i = 0; i < 2 * N - 1; i++) values[i] *= 2;
    must(tulle_mat_with_values(ctx, s.A, TULLE_F64, 2 * N - 1, values, &s.twice));
    must(tulle_factor_create(ctx, s.A, NULL, &s.F));
    must(tulle_factor_create_like(ctx, s.F, s.twice, &s.G));
    s.x = vector(ctx, TULLE_F64, N, 0);
    s.y = vector(ctx, TULLE_F64, N, 0);
    s.b = vector(ctx, TULLE_F64, N, 1);
    s.r = vector(ctx, TULLE_F64, N, 1);
    s.square = vector(ctx, TULLE_F64, 1, 0);
    must(tulle_batch_create(ctx, &s.batch));
    must(tulle_batch_factor(s.batch, s.F, s.A, &s.factor));
    must(tulle_batch_solve(s.batch, TULLE_N, 1, s.F, s.b, s.x, &s.solve));
    must(tulle_batch_spmm(s.batch, TULLE_N, -1, s.A, s.x, 1, s.r, &s.residual));
    must(tulle_batch_norm_max(s.batch, s.r, s.square, &s.norm));
    must(tulle_batch_after(s.batch, s.solve, s.factor));
    must(tulle_batch_after(s.batch, s.residual, s.solve));
    must(tulle_batch_after(s.batch, s.norm, s.residual));
    return s;
}

static void give_up(subject *s) {
    tulle_batch_destroy(s->batch);
    tulle_factor_destroy(s->F);
    tulle_factor_destroy(s->G);
    tulle_mat_destroy(s->A);
    tulle_mat_destroy(s->twice);
    tulle_vec *const all[] = {s->x, s->y, s->b, s->r, s->square};
    for (int i = 0; i < 5; i++) tulle_vec_destroy(all[i]);
}

static double first_of(const subject *s, const tulle_vec *x) {
    double numbers[N];
    must(tulle_vec_read(s->ctx, x, numbers, 0));
    return numbers[0];
}

/* All is empty but b and r, which is b. */
static void reset(const subject *s) {
    must(tulle_vec_fill(s->ctx, s->x, NAN));
    must(tulle_vec_fill(s->ctx, s->y, NAN));
    must(tulle_vec_fill(s->ctx, s->r, 1));
}

/* The first unknown of A x = 1, which A makes 1 - 2^-N. */
static const double unknown = 1 - 0x1p-12;

/* x of the batch has `want` times the solution of A, the other nothing; |r| is as told. */
static void run(const subject *s, tulle_batch_way way, const tulle_vec *solution,
                const tulle_vec *other, double want, double left) {
    reset(s);
    must(tulle_batch_run(s->ctx, s->batch, way));
    assert_true(first_of(s, solution) == want * unknown);
    assert_true(isnan(first_of(s, other)));
    assert_true(first_of(s, s->square) == left);
}

static void several(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double minus_half = -0.5, four = 4;
    for (int way = 0; way < ANY_WAYS; way++) {
        subject s = make(ctx);
        run(&s, any_way(way), s.x, s.y, 1, 0);
        /* x and y change places */
        const tulle_batch_replacement places[] = {{.task = s.residual, .X = s.y},
                                                  {.task = s.solve, .Y = s.y}};
        must(tulle_batch_replace_several(s.batch, 2, places));
        run(&s, any_way(way), s.y, s.x, 1, 0);
        /* the other matrix and factors, whose solution is half of it: A times that leaves half */
        const tulle_batch_replacement factors[] = {{.task = s.factor, .F = s.G, .matrix = s.twice},
                                                   {.task = s.solve, .F = s.G}};
        must(tulle_batch_replace_several(s.batch, 2, factors));
        run(&s, any_way(way), s.y, s.x, 0.5, 0.5);
        /* scalars: 4 times the half, and -1/2 of A times it; of two of the same the later counts */
        const tulle_batch_replacement scalars[] = {{.task = s.solve, .alpha = &minus_half},
                                                   {.task = s.residual, .alpha = &minus_half},
                                                   {.task = s.solve, .alpha = &four}};
        must(tulle_batch_replace_several(s.batch, 3, scalars));
        run(&s, any_way(way), s.y, s.x, 2, 0);
        give_up(&s);
    }
}
ONCE_ON_EACH_PLACE(several)

/* y := A x and the way back in two tasks: neither operand can be replaced alone. */
static void exchange(tulle_ctx *ctx, const char *where) {
    (void)where;
    subject s = make(ctx);
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_spmm(batch, TULLE_N, 1, s.A, s.x, 0, s.y, NULL));
    must(tulle_vec_fill(ctx, s.x, 1));
    for (int step = 0; step < 6; step++) {
        tulle_vec *x = step % 2 ? s.y : s.x, *y = step % 2 ? s.x : s.y;
        if (step > 0) {
            assert_int_equal(tulle_batch_replace(batch, 0, TULLE_BATCH_X, x), TULLE_ALIASED);
            const tulle_batch_replacement turn = {.task = 0, .X = x, .Y = y};
            must(tulle_batch_replace_several(batch, 1, &turn));
        }
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    }
    assert_true(first_of(&s, s.x) == 1); /* 2 - 1, over and over */
    tulle_batch_destroy(batch);
    give_up(&s);
}
ONCE_ON_EACH_PLACE(exchange)

/* All operands of a task become those of another type. */
static void types(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_vec *x[3], *y[3]; /* by type */
    tulle_batch *batch = NULL;
    float got[N];
    for (int t = TULLE_F32; t <= TULLE_F64; t++) {
        x[t] = vector(ctx, (tulle_type)t, N, 3);
        y[t] = vector(ctx, (tulle_type)t, N, 0);
    }
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_scale(batch, 2, x[TULLE_F64], y[TULLE_F64], NULL));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    const tulle_batch_replacement half = {.task = 0, .X = x[TULLE_F32]};
    const tulle_batch_replacement narrow = {.task = 0, .X = x[TULLE_F32], .Y = y[TULLE_F32]};
    assert_int_equal(tulle_batch_replace_several(batch, 1, &half), TULLE_TYPE_MISMATCH);
    must(tulle_batch_replace_several(batch, 1, &narrow));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_vec_read(ctx, y[TULLE_F32], got, 0));
    for (int i = 0; i < N; i++) assert_true(got[i] == 6);
    tulle_batch_destroy(batch);
    for (int t = TULLE_F32; t <= TULLE_F64; t++) {
        tulle_vec_destroy(x[t]);
        tulle_vec_destroy(y[t]);
    }
}
ONCE_ON_EACH_PLACE(types)

/* One operand of a copy becomes one of another type, and the other after it; of a sum none may. */
static void one_type(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int way = 0; way < ANY_WAYS; way++) {
        tulle_vec *x[3], *y[3]; /* by type */
        tulle_batch *batch = NULL;
        int copy, sum;
        for (int t = TULLE_F32; t <= TULLE_F64; t++) {
            x[t] = vector(ctx, (tulle_type)t, N, 3 + t - TULLE_F32);
            y[t] = vector(ctx, (tulle_type)t, N, 0);
        }
        tulle_vec *z = vector(ctx, TULLE_F64, N, 7), *one = vector(ctx, TULLE_F64, 1, 1);
        must(tulle_batch_create(ctx, &batch));
        must(tulle_batch_copy(batch, x[TULLE_F64], y[TULLE_F64], &copy));
        must(tulle_batch_axpy(batch, 1, x[TULLE_F64], one, 0, z, &sum));
        must(tulle_batch_run(ctx, batch, any_way(way)));
        assert_int_equal(tulle_batch_replace(batch, sum, TULLE_BATCH_X, x[TULLE_F32]),
                         TULLE_TYPE_MISMATCH);
        must(tulle_batch_replace(batch, copy, TULLE_BATCH_X, x[TULLE_F32]));
        must(tulle_batch_run(ctx, batch, any_way(way)));
        double wide[N];
        must(tulle_vec_read(ctx, y[TULLE_F64], wide, 0));
        for (int i = 0; i < N; i++) assert_true(wide[i] == 3);
        must(tulle_batch_replace(batch, copy, TULLE_BATCH_Y, y[TULLE_F32]));
        must(tulle_batch_replace(batch, copy, TULLE_BATCH_X, x[TULLE_F64]));
        must(tulle_batch_run(ctx, batch, any_way(way)));
        float narrow[N];
        must(tulle_vec_read(ctx, y[TULLE_F32], narrow, 0));
        for (int i = 0; i < N; i++) assert_true(narrow[i] == 4);
        must(tulle_vec_read(ctx, z, wide, 0));
        for (int i = 0; i < N; i++) assert_true(wide[i] == 4);
        tulle_batch_destroy(batch);
        tulle_vec *const made[] = {x[TULLE_F32], x[TULLE_F64], y[TULLE_F32], y[TULLE_F64], z, one};
        for (int k = 0; k < 6; k++) tulle_vec_destroy(made[k]);
    }
}
ONCE_ON_EACH_PLACE(one_type)

static void refuse(const subject *s, const tulle_batch_replacement *wrong, tulle_status status,
                   const char *argument) {
    const double nine = 9;
    const tulle_batch_replacement all[] = {
        {.task = s->solve, .Y = s->y, .alpha = &nine}, {.task = s->residual, .X = s->y}, *wrong};
    char task[32] = "";
    assert_int_equal(tulle_batch_replace_several(s->batch, 3, all), status);
    assert_string_equal(tulle_last_error()->function, "tulle_batch_replace_several");
    assert_string_equal(tulle_last_error()->argument, argument);
    if (wrong->task >= 0) snprintf(task, sizeof task, "task %d: ", wrong->task);
    assert_int_equal(strncmp(tulle_last_error()->message, task, strlen(task)), 0);
    run(s, TULLE_BATCH_GROUPED, s->x, s->y, 1, 0); /* as it was */
}

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    subject s = make(ctx);
    const double one = 1;
    tulle_mat *other = matrix(ctx);
    tulle_factor *alone = NULL;
    must(tulle_factor_create(ctx, s.A, NULL, &alone));
    const struct {
        tulle_batch_replacement by;
        tulle_status status;
        const char *argument;
    } wrong[] = {
        {{.task = -1}, TULLE_INVALID_ARGUMENT, "task"},
        {{.task = s.solve, .X = s.square}, TULLE_SHAPE_MISMATCH, "X"},
        {{.task = s.solve, .A = s.x}, TULLE_INVALID_ARGUMENT, "A"},
        {{.task = s.factor, .Y = s.x}, TULLE_INVALID_ARGUMENT, "Y"},
        {{.task = s.solve, .matrix = s.A}, TULLE_INVALID_ARGUMENT, "matrix"},
        {{.task = s.factor, .matrix = other}, TULLE_INVALID_ARGUMENT, "matrix"},
        {{.task = s.solve, .F = alone}, TULLE_INVALID_ARGUMENT, "F"},
        {{.task = s.residual, .F = s.G}, TULLE_INVALID_ARGUMENT, "F"},
        {{.task = s.factor, .alpha = &one}, TULLE_INVALID_ARGUMENT, "alpha"},
        {{.task = s.solve, .beta = &one}, TULLE_INVALID_ARGUMENT, "beta"},
        {{.task = s.norm, .alpha = &one}, TULLE_INVALID_ARGUMENT, "alpha"},
        {{.task = s.residual, .Y = s.y}, TULLE_ALIASED, "Y"}, /* it is X, too */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuse(&s, &wrong[i].by, wrong[i].status, wrong[i].argument);
    }
    assert_int_equal(tulle_batch_replace_several(NULL, 0, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_batch_replace_several(s.batch, -1, &wrong[0].by),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_batch_replace_several(s.batch, 1, NULL), TULLE_INVALID_ARGUMENT);
    must(tulle_batch_replace_several(s.batch, 0, NULL));
    tulle_mat_destroy(other);
    tulle_factor_destroy(alone);
    give_up(&s);
}
ONCE_ON_EACH_PLACE(refusals)

static void *capture(const subject *s, tulle_batch_way way) {
    void *made = NULL;
    must(s->ctx->backend->capture_begin(&s->ctx->place));
    must(tulle_batch_run(s->ctx, s->batch, way));
    must(s->ctx->backend->capture_end(&s->ctx->place, &made));
    return made;
}

/* A graph for each of two ways round, launched in turns. */
static void graphs(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double half = 0.5;
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    for (int way = 0; way < REPEATABLE_WAYS; way++) {
        subject s = make(ctx);
        void *made[2];
        run(&s, any_way(way), s.x, s.y, 1, 0);
        made[0] = capture(&s, any_way(way));
        const tulle_batch_replacement by[] = {{.task = s.solve, .Y = s.y, .F = s.G, .alpha = &half},
                                              {.task = s.residual, .X = s.y},
                                              {.task = s.factor, .F = s.G, .matrix = s.twice}};
        must(tulle_batch_replace_several(s.batch, 3, by));
        run(&s, any_way(way), s.y, s.x, 0.25, 0.75);
        made[1] = capture(&s, any_way(way));
        for (int launch = 0; launch < 4; launch++) {
            const bool second = launch % 2;
            reset(&s);
            must(ctx->backend->graph_launch(&ctx->place, made[launch % 2]));
            must(tulle_ctx_synchronize(ctx));
            assert_true(first_of(&s, second ? s.y : s.x) == (second ? 0.25 : 1) * unknown);
            assert_true(isnan(first_of(&s, second ? s.x : s.y)));
            assert_true(first_of(&s, s.square) == (second ? 0.75 : 0));
        }
        for (int i = 0; i < 2; i++) must(ctx->backend->graph_destroy(ctx->place.device, made[i]));
        give_up(&s);
    }
}
ONCE_ON_EACH_PLACE(graphs)

/* A kernel by name that cannot do what the task is now: the call says so, and the batch runs as
 * before. */
static void failures(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) != 0) return; /* a GPU's batches have no kernels by name */
    subject s = make(ctx);
    tulle_factor *M = NULL;
    tulle_batch *batch = NULL;
    int first, second;
    must(tulle_factor_create(ctx, s.A, &(tulle_factor_options){.modified = 1}, &M));
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_solve(batch, TULLE_N, 1, M, s.b, s.x, &first));
    must(tulle_batch_factor(batch, M, s.A, &second));
    must(tulle_batch_after(batch, second, first));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_ctx_force_kernel(ctx, "factor_spread"));
    const tulle_batch_replacement both[] = {{.task = first, .X = s.y},
                                            {.task = second, .matrix = s.twice}};
    for (int i = 0; i < 3; i++) {
        const tulle_status status = i < 2 ? tulle_batch_replace_matrix(batch, second, s.twice)
                                          : tulle_batch_replace_several(batch, 2, both);
        assert_int_equal(status, TULLE_UNSUPPORTED);
        assert_string_equal(tulle_last_error()->function,
                            i < 2 ? "tulle_batch_replace_matrix" : "tulle_batch_replace_several");
        assert_non_null(strstr(tulle_last_error()->message, "task 1: the forced kernel"));
        if (i == 1) must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_vec_fill(ctx, s.y, NAN));
    for (int i = 0; i < 2; i++) must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    assert_true(first_of(&s, s.x) == unknown); /* of A and b: nothing was replaced */
    tulle_batch_destroy(batch);
    tulle_factor_destroy(M);
    give_up(&s);
}
ONCE_ON_EACH_PLACE(failures)

/* A context whose host memory is counted. */
static tulle_ctx *counted(const char *where, tulle_allocator *allocator) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &(tulle_ctx_options){.host = allocator}, &ctx));
    return ctx;
}

/* Gives up a matrix and factors of it. */
static void give_up_both(tulle_mat **A, tulle_factor **F) {
    tulle_mat_destroy(*A);
    tulle_factor_destroy(*F);
    *A = NULL;
    *F = NULL;
}

/* A batch keeps matrices and factors that their caller has given up, until others replace them or
 * the batch is destroyed; a replacement that fails changes no owner. */
static void retained(tulle_ctx *unused, const char *where) {
    (void)unused;
    for (int way = 0; way < ANY_WAYS; way++) {
        counting c = {0};
        tulle_allocator allocator = counting_allocator(&c);
        tulle_ctx *ctx = counted(where, &allocator);
        subject s = make(ctx);
        run(&s, any_way(way), s.x, s.y, 1, 0);
        int64_t live = c.live;
        give_up_both(&s.A, &s.F);
        assert_int_equal(c.live, live);
        run(&s, any_way(way), s.x, s.y, 1, 0);
        const tulle_batch_replacement by[] = {{.task = s.factor, .F = s.G, .matrix = s.twice},
                                              {.task = s.solve, .F = s.G},
                                              {.task = s.residual, .matrix = s.twice},
                                              {.task = s.norm, .F = s.G}};
        assert_int_equal(tulle_batch_replace_several(s.batch, 4, by), TULLE_INVALID_ARGUMENT);
        run(&s, any_way(way), s.x, s.y, 1, 0);
        live = c.live;
        must(tulle_batch_replace_several(s.batch, 2, by));
        assert_true(c.live < live); /* the factors; the residual's matrix is the old one yet */
        live = c.live;
        must(tulle_batch_replace_matrix(s.batch, s.residual, s.twice));
        assert_true(c.live < live);
        live = c.live;
        give_up_both(&s.twice, &s.G);
        assert_int_equal(c.live, live);
        run(&s, any_way(way), s.x, s.y, 0.5, 0);
        give_up(&s);
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
}
ONCE_ON_EACH_PLACE(retained)

/* The n-th piece of memory that the call, and the run behind it, ask for is not there; whether they
 * asked for fewer. Where the call fails, nothing was replaced. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    subject s = make(ctx);
    run(&s, TULLE_BATCH_GROUPED, s.x, s.y, 1, 0);
    must(tulle_ctx_trim(ctx));
    const tulle_batch_replacement by[] = {{.task = s.solve, .Y = s.y},
                                          {.task = s.residual, .X = s.y}};
    c.fail_at = c.requests + n;
    const tulle_status replaced = tulle_batch_replace_several(s.batch, 2, by);
    tulle_status status = replaced;
    reset(&s);
    if (status == TULLE_OK) status = tulle_batch_run(ctx, s.batch, TULLE_BATCH_GROUPED);
    const bool done = c.requests < c.fail_at;
    assert_int_equal(status, done ? TULLE_OK : TULLE_OUT_OF_MEMORY);
    c.fail_at = 0;
    if (replaced == TULLE_OK) {
        run(&s, TULLE_BATCH_GROUPED, s.y, s.x, 1, 0);
    } else {
        run(&s, TULLE_BATCH_GROUPED, s.x, s.y, 1, 0);
    }
    give_up(&s);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 1);
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several),       cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_types),         cmocka_unit_test(test_one_type),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_retained),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
