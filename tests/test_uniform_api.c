/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of uniform batches: arguments that are none, patterns that are none, memory that
 * runs out, reports in the context's memory, calls that allocate nothing, capture. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batches.h"
#include "core/context.h"
#include "counting.h"
#include "places.h"

static const int32_t offsets[] = {0, 2, 5, 7}, columns_of[] = {1, 0, 2, 0, 1, 2, 1};
enum { N = 3, ENTRIES = 7, COUNT = 4 };

/* A tridiagonal matrix of each system, in the order above, and what its solution is: ones. */
typedef struct {
    tulle_uniform *P;
    tulle_vec *A, *B, *X;
} batch;

static batch make(tulle_ctx *ctx) {
    static const double a[ENTRIES] = {-1, 4, -1, -1, 4, 4, -1}, b[N] = {3, 2, 3};
    double A[ENTRIES * COUNT], B[N * COUNT];
    batch t;
    for (int s = 0; s < COUNT; s++) {
        for (int e = 0; e < ENTRIES; e++) A[s * ENTRIES + e] = a[e] * (1 + s);
        for (int i = 0; i < N; i++) B[s * N + i] = b[i] * (1 + s);
    }
    must(tulle_uniform_create(ctx, N, offsets, columns_of, &t.P));
    must(tulle_vec_create_columns(ctx, TULLE_F64, ENTRIES, COUNT, TULLE_COLUMN_MAJOR, 0, &t.A));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COUNT, TULLE_COLUMN_MAJOR, 0, &t.B));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COUNT, TULLE_COLUMN_MAJOR, 0, &t.X));
    must(tulle_vec_write(ctx, t.A, A, 0));
    must(tulle_vec_write(ctx, t.B, B, 0));
    return t;
}

static void give_up(batch *t) {
    tulle_uniform_destroy(t->P);
    tulle_vec_destroy(t->A);
    tulle_vec_destroy(t->B);
    tulle_vec_destroy(t->X);
}

static void assert_ones(tulle_ctx *ctx, const batch *t) {
    double x[N * COUNT];
    must(tulle_vec_read(ctx, t->X, x, 0));
    for (int k = 0; k < N * COUNT; k++) assert_true(fabs(x[k] - 1) < 1e-7);
}

/* Patterns. */

static void refuse(tulle_ctx *ctx, int64_t n, const int32_t *from, const int32_t *cols,
                   tulle_status status, int64_t row, const char *word) {
    tulle_uniform *P = (tulle_uniform *)1;
    assert_int_equal(tulle_uniform_create(ctx, n, from, cols, &P), status);
    assert_null(P);
    assert_int_equal(tulle_last_error()->row, row);
    if (!strstr(tulle_last_error()->message, word)) fail_msg("%s", tulle_last_error()->message);
}

static void patterns(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int32_t late[] = {1, 2, 5, 7}, falls[] = {0, 5, 2, 7};
    const int32_t beyond[] = {1, 0, 2, 0, 3, 2, 1}, below[] = {1, 0, 2, 0, 1, -1, 1};
    const int32_t twice[] = {1, 0, 2, 0, 2, 2, 1}, many[] = {0, TULLE_UNIFORM_MOST_ENTRIES + 1};
    refuse(ctx, -1, offsets, columns_of, TULLE_INVALID_ARGUMENT, -1, "n is -1");
    refuse(ctx, TULLE_UNIFORM_MOST_ROWS + 1, offsets, columns_of, TULLE_TOO_LARGE, -1, "1025 rows");
    refuse(ctx, N, NULL, columns_of, TULLE_INVALID_ARGUMENT, -1, "offsets is NULL");
    refuse(ctx, N, offsets, NULL, TULLE_INVALID_ARGUMENT, -1, "columns is NULL");
    refuse(ctx, N, late, columns_of, TULLE_INVALID_MATRIX, -1, "begin with 1");
    refuse(ctx, N, falls, columns_of, TULLE_INVALID_MATRIX, 1, "fall at row 1");
    refuse(ctx, N, offsets, beyond, TULLE_INVALID_MATRIX, 1, "row 1 has column 3");
    refuse(ctx, N, offsets, below, TULLE_INVALID_MATRIX, 2, "row 2 has column -1");
    refuse(ctx, N, offsets, twice, TULLE_INVALID_MATRIX, 1, "column 2 twice");
    refuse(ctx, 1, many, columns_of, TULLE_TOO_LARGE, -1, "12289 entries");
    assert_int_equal(tulle_uniform_create(NULL, N, offsets, columns_of, NULL),
                     TULLE_INVALID_ARGUMENT);
    tulle_uniform_destroy(NULL);
}
ONCE_ON_EACH_PLACE(patterns)

/* Arguments. */

static tulle_status solve(tulle_ctx *ctx, const batch *t, tulle_uniform_options o) {
    return tulle_uniform_solve(ctx, t->P, &o, t->A, t->B, t->X, (tulle_uniform_reports){0});
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    batch t = make(ctx);
    tulle_vec *narrow = NULL, *few = NULL, *shared = NULL;
    tulle_vec_info of_a;
    const tulle_uniform_options cg = {.method = TULLE_CG};
    const tulle_uniform_reports none = {0};
    const tulle_scalar one = tulle_num(1), zero = tulle_num(0);
    must(tulle_vec_create_columns(ctx, TULLE_F32, N, COUNT, TULLE_COLUMN_MAJOR, 0, &narrow));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COUNT - 1, TULLE_COLUMN_MAJOR, 0, &few));
    must(tulle_vec_describe(t.A, &of_a));
    must(tulle_vec_wrap(ctx, TULLE_F64, N, COUNT, TULLE_COLUMN_MAJOR, 0, of_a.data, &shared));
    assert_int_equal(solve(ctx, &t, (tulle_uniform_options){.method = (tulle_method)9}),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(solve(ctx, &t, (tulle_uniform_options){.method = TULLE_CHEBYSHEV}),
                     TULLE_UNSUPPORTED);
    const tulle_uniform_preconditioner nothing = (tulle_uniform_preconditioner)77;
    assert_int_equal(solve(ctx, &t, (tulle_uniform_options){.preconditioner = nothing}),
                     TULLE_INVALID_ARGUMENT);
    const tulle_uniform_options wrong[] = {
        {.tolerance = -1}, {.tolerance = NAN},     {.tolerance = 1}, {.absolute = -1},
        {.absolute = NAN}, {.max_iterations = -1}, {.restart = -1},  {.restart = 257}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(solve(ctx, &t, wrong[k]), TULLE_INVALID_ARGUMENT);
    }
    assert_int_equal(tulle_uniform_solve(ctx, t.P, &cg, t.A, narrow, t.X, none),
                     TULLE_TYPE_MISMATCH);
    assert_int_equal(tulle_uniform_solve(ctx, t.P, &cg, t.A, few, t.X, none), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_solve(ctx, t.P, &cg, t.B, t.B, t.X, none), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_solve(ctx, t.P, &cg, t.A, t.B, shared, none), TULLE_ALIASED);
    assert_int_equal(tulle_uniform_solve(ctx, t.P, &cg, t.A, t.B, t.X, tulle_reports_at(of_a.data)),
                     TULLE_ALIASED);
    assert_int_equal(tulle_uniform_spmv(ctx, t.P, one, t.A, t.X, zero, t.X), TULLE_ALIASED);
    assert_int_equal(tulle_uniform_spmv(ctx, t.P, one, t.A, t.X, zero, shared), TULLE_ALIASED);
    assert_int_equal(tulle_uniform_spmv(ctx, t.P, tulle_at(of_a.data), t.A, t.X, zero, shared),
                     TULLE_ALIASED);
    assert_int_equal(tulle_uniform_spmv(ctx, t.P, one, t.A, few, zero, t.X), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_spmv(ctx, NULL, one, t.A, t.B, zero, t.X),
                     TULLE_INVALID_ARGUMENT);
    must(tulle_uniform_solve(ctx, t.P, NULL, t.A, t.B, t.X, none));
    assert_ones(ctx, &t);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(few);
    tulle_vec_destroy(shared);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(arguments)

static void elsewhere(tulle_ctx *ctx, const char *where) {
    if (ctx->kind == TULLE_CPU) return;
    (void)where;
    tulle_ctx *cpu = NULL;
    batch here = make(ctx), there;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    there = make(cpu);
    const tulle_uniform_reports none = {0};
    assert_int_equal(tulle_uniform_solve(ctx, there.P, NULL, here.A, here.B, here.X, none),
                     TULLE_SPACE_MISMATCH);
    assert_int_equal(tulle_uniform_solve(ctx, here.P, NULL, here.A, there.B, here.X, none),
                     TULLE_SPACE_MISMATCH);
    give_up(&here);
    give_up(&there);
    tulle_ctx_destroy(cpu);
}
ONCE_ON_EACH_PLACE(elsewhere)

/* b may be x, a guess counts, and reports come to either side. */
static void in_place(tulle_ctx *ctx, const char *where) {
    (void)where;
    batch t = make(ctx);
    tulle_uniform_report reports[COUNT], read[COUNT];
    tulle_vec *room = NULL;
    tulle_vec_info info;
    must(tulle_uniform_solve(ctx, t.P, NULL, t.A, t.B, t.X, tulle_reports_to(reports)));
    for (int s = 0; s < COUNT; s++) {
        assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
        assert_true(reports[s].iterations > 0);
    }
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, COUNT, TULLE_COLUMN_MAJOR, 0, &room));
    must(tulle_vec_describe(room, &info));
    assert_int_equal(sizeof *reports, 3 * sizeof(double));
    const tulle_uniform_options again = {.guess = true};
    must(tulle_uniform_solve(ctx, t.P, &again, t.A, t.B, t.X, tulle_reports_at(info.data)));
    must(tulle_vec_read(ctx, room, read, 0));
    for (int s = 0; s < COUNT; s++) {
        assert_int_equal(read[s].outcome, TULLE_CONVERGED);
        assert_int_equal(read[s].iterations, 0);
        assert_true(read[s].norm == reports[s].norm);
    }
    must(tulle_uniform_solve(ctx, t.P, NULL, t.A, t.B, t.B, (tulle_uniform_reports){0}));
    tulle_vec *other = t.X;
    t.X = t.B;
    assert_ones(ctx, &t);
    t.X = other;
    tulle_vec_destroy(room);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(in_place)

/* All calls, with GMRES, which needs the most room. */
static tulle_status call_all(tulle_ctx *ctx, const batch *t, tulle_uniform_report *at) {
    const tulle_uniform_options gmres = {.method = TULLE_GMRES, .restart = 5};
    tulle_status status =
        tulle_uniform_spmv(ctx, t->P, tulle_num(1), t->A, t->B, tulle_num(0), t->X);
    if (status != TULLE_OK) return status;
    return tulle_uniform_solve(ctx, t->P, &gmres, t->A, t->B, t->X, tulle_reports_at(at));
}

/* Captured after a first call, which allocates what later ones need. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    batch t = make(ctx);
    tulle_vec *room = NULL;
    tulle_vec_info info;
    tulle_memory_usage before, after;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, COUNT, TULLE_COLUMN_MAJOR, 0, &room));
    must(tulle_vec_describe(room, &info));
    must(call_all(ctx, &t, info.data));
    must(tulle_ctx_memory(ctx, &before));
    must(tulle_ctx_reset_high(ctx));
    must(call_all(ctx, &t, info.data));
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.high, before.in_use);
    if (ctx->kind != TULLE_CPU) {
        const tulle__place *place = &ctx->place;
        tulle_uniform_report reports[COUNT];
        void *graph = NULL;
        must(ctx->backend->capture_begin(place));
        must(call_all(ctx, &t, info.data));
        must(ctx->backend->capture_end(place, &graph));
        for (int turn = 0; turn < 2; turn++) {
            must(tulle_vec_fill(ctx, t.X, 7));
            must(tulle_vec_fill(ctx, room, 7));
            must(ctx->backend->graph_launch(place, graph));
            must(tulle_vec_read(ctx, room, reports, 0));
            for (int s = 0; s < COUNT; s++) assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
            assert_ones(ctx, &t);
        }
        must(ctx->backend->graph_destroy(place->device, graph));
    }
    tulle_vec_destroy(room);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(captured)

/* Fails the n-th allocation of a pattern and a solution; whether they no longer get that far. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_uniform *P = NULL;
    tulle_uniform_report reports[COUNT];
    must(tulle_ctx_create(where, &options, &ctx));
    batch t = make(ctx);
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_uniform_create(ctx, N, offsets, columns_of, &P);
    if (status == TULLE_OK) {
        status = tulle_uniform_solve(ctx, P, NULL, t.A, t.B, t.X, tulle_reports_to(reports));
    } else {
        assert_null(P);
    }
    const bool done = c.requests < c.fail_at;
    assert_int_equal(status, done ? TULLE_OK : TULLE_OUT_OF_MEMORY);
    c.fail_at = 0;
    must(tulle_uniform_solve(ctx, t.P, NULL, t.A, t.B, t.X, tulle_reports_to(reports)));
    assert_ones(ctx, &t);
    tulle_uniform_destroy(P);
    give_up(&t);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 3);
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),  cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_captured),  cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
