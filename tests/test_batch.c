/* SPDX-License-Identifier: Apache-2.0 */
/* Batches: each kind of task against its definition, in every layout and way; random batches with
 * orders against the same tasks one by one, bit for bit, and against the plain calls; what is
 * refused. TULLE_TEST_BATCHES says how many random batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch/batch.h"
#include "batch_trials.h"
#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"

static void run_alone(tulle_ctx *ctx, const trial *t, tulle_batch_way way) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    trial_record(batch, t, NULL);
    must(tulle_batch_run(ctx, batch, way));
    tulle_batch_destroy(batch);
}

/* All widths, more rows than a piece has, none at all; matrices of the zoo in all blocks. Where
 * cases must be few, every so many-th, with another commit others. */
static void kinds(tulle_ctx *ctx, const char *where) {
    static const int64_t widths[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32};
    const int64_t rows[] = {0, 1, 33, ctx->kind == TULLE_CUDA ? 70000 : 4500};
    const int every = is_slow(where) ? 23 : is_watched() ? 5 : 1;
    const int first = (int)(places_seed() % (unsigned long)every);
    int turn = 0;
    for (int way = 0; way < REPEATABLE_WAYS; way++) {
        for (int w = 0; w < 11 * 11; w++, turn += 5) {
            if ((w + first) % every) continue;
            for (int what = AXPY; what <= DOT; what++) {
                const int64_t n = rows[(turn + what) % 4];
                trial t = trial_dense(ctx, (kind)what, n, widths[w / 11], widths[w % 11], turn);
                run_alone(ctx, &t, any_way(way));
                trial_check(ctx, &t);
                trial_free(&t);
            }
        }
        for (int m = 0; m < zoo_count(); m++, turn += 3) {
            if ((m + first) % every) continue;
            trial t = trial_sparse(ctx, m, (m + way) % 17, widths[m % 11], turn);
            run_alone(ctx, &t, any_way(way));
            trial_check(ctx, &t);
            trial_free(&t);
        }
    }
}

static void test_kinds(void **state) {
    (void)state;
    on_each_place(kinds);
}

enum { MOST_TASKS = 40 };

typedef struct {
    trial t[MOST_TASKS];
    int earlier[MOST_TASKS]; /* whose result its X is; -1: none */
    int count;
} graph;

/* A task takes its X from a task before it, if one has a result of the shape, one time in two. */
static graph make_graph(tulle_ctx *ctx, uint64_t seed, int count) {
    static const int64_t lengths[] = {5, 70, 3000};
    uint64_t random = seed;
    graph g = {.count = count};
    for (int i = 0; i < count; i++) {
        const int turn = (int)(zoo_bits(&random) % 1000);
        const int64_t n = lengths[zoo_bits(&random) % 3], k = 1 + (int64_t)(zoo_bits(&random) % 9);
        const int what = (int)(zoo_bits(&random) % KINDS);
        g.earlier[i] = -1;
        g.t[i] = what == SPMM ? trial_sparse(ctx, (int)(zoo_bits(&random) % (unsigned)zoo_count()),
                                             (int)(zoo_bits(&random) % 5), k, turn)
                              : trial_dense(ctx, (kind)what, n, k, 1 + turn % 8, turn);
        const columns *x = &g.t[i].x;
        for (int e = i - 1; e >= 0 && zoo_bits(&random) % 2; e--) {
            const bool fits =
                g.t[e].y.rows == x->rows && g.t[e].y.cols == x->cols && g.t[e].type == g.t[i].type;
            if (!fits) continue;
            g.earlier[i] = e;
            placed_free(&g.t[i].on_x);
            g.t[i].on_x = g.t[e].on_y;
            break;
        }
    }
    return g;
}

static void free_graph(graph *g) {
    for (int i = 0; i < g->count; i++) {
        if (g->earlier[i] >= 0) g->t[i].on_x = (placed){.X = NULL};
        trial_free(g->t + i);
    }
}

static void reset(tulle_ctx *ctx, const graph *g) {
    for (int i = 0; i < g->count; i++) trial_reset(ctx, g->t + i);
}

static void read_all(tulle_ctx *ctx, const graph *g, columns *to) {
    for (int i = 0; i < g->count; i++) to[i] = placed_read(ctx, &g->t[i].on_y);
}

static void assert_same(const graph *g, columns *got, const columns *want, const char *what) {
    for (int i = 0; i < g->count; i++) {
        for (int64_t k = 0; k < got[i].rows * got[i].cols; k++) {
            assert_near(got[i].at[k], want[i].at[k], 0, what);
        }
        columns_free(got + i);
    }
}

static columns call(tulle_ctx *ctx, const trial *t) {
    placed y = columns_place(ctx, &t->y, t->type, t->on_y.how);
    const tulle_scalar alpha = tulle_num(t->alpha), beta = tulle_num(t->beta);
    if (t->what == AXPY) {
        must(tulle_vec_combine(ctx, alpha, t->on_x.X, t->on_a.X, beta, y.X));
    } else if (t->what == DOT) {
        must(tulle_vec_inner(ctx, alpha, t->on_x.X, t->on_a.X, beta, y.X));
    } else {
        must(tulle_spmm(ctx, t->op, alpha, t->A, t->on_x.X, beta, y.X));
    }
    columns plain = placed_read(ctx, &y);
    placed_free(&y);
    return plain;
}

/* Each task with the X that it had, which no other has changed since. On a CPU all are bit for bit
 * the plain call's. */
static void check_calls(tulle_ctx *ctx, const graph *g, const columns *got) {
    for (int i = 0; i < g->count; i++) {
        trial t = g->t[i];
        if (g->earlier[i] >= 0) t.x = got[g->earlier[i]];
        columns plain = call(ctx, &t);
        trial_check_numbers(&t, got + i, &plain);
        const bool exact = ctx->kind == TULLE_CPU;
        for (int64_t k = 0; exact && k < plain.rows * plain.cols; k++) {
            assert_near(got[i].at[k], plain.at[k], 0, "the plain call, bit for bit");
        }
        columns_free(&plain);
    }
}

/* Where threads of a CPU share with a GPU, who adds up differs from run to run. */
static void one_graph(tulle_ctx *ctx, uint64_t seed, int count, tulle_batch_way way) {
    graph g = make_graph(ctx, seed, count);
    columns want[MOST_TASKS], got[MOST_TASKS];
    tulle_batch *batch = NULL;
    for (int i = 0; i < count; i++) run_alone(ctx, g.t + i, way);
    read_all(ctx, &g, want);
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < count; i++) {
        int task = -1;
        trial_record(batch, g.t + i, &task);
        assert_int_equal(task, i);
        if (g.earlier[i] >= 0) must(tulle_batch_after(batch, i, g.earlier[i]));
    }
    for (int run = 0; run < 2; run++) {
        reset(ctx, &g);
        must(tulle_batch_run(ctx, batch, way));
        read_all(ctx, &g, got);
        if (run == 0 || way == TULLE_BATCH_SHARED) check_calls(ctx, &g, got);
        if (way == TULLE_BATCH_SHARED && ctx->kind != TULLE_CPU) {
            for (int i = 0; i < count; i++) columns_free(got + i);
        } else {
            assert_same(&g, got, want, "a batch");
        }
    }
    tulle_batch_destroy(batch);
    for (int i = 0; i < count; i++) columns_free(want + i);
    free_graph(&g);
}

static void graphs(tulle_ctx *ctx, const char *where) {
    const char *given = getenv("TULLE_TEST_BATCHES");
    const int trials = given ? atoi(given) : is_slow(where) ? 3 : 60;
    const int turn = turn_in_order(where, ANY_WAYS);
    for (int i = 0; i < trials; i++) {
        const uint64_t seed = (uint64_t)places_seed() + (uint64_t)i;
        one_graph(ctx, seed, is_slow(where) ? 8 : MOST_TASKS, any_way(i + turn));
    }
}

static void test_graphs(void **state) {
    (void)state;
    on_each_place(graphs);
}

/* Threads of the CPU take tasks of an emulated GPU, which is slow and whose memory is the host's;
 * right is what is within the bound, run after run, whoever took it. In memory of its own a GPU
 * keeps all, and so it does where tasks wait for others. */
static void shared(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 12, RUNS = 4 };
    trial t[TASKS];
    tulle_batch *batch = NULL;
    const bool takes = strcmp(where, "emulated") == 0;
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < TASKS; i++) {
        const int64_t n = i % 2 ? 700 : 1500;
        t[i] = i % 3 == 2 ? trial_sparse(ctx, i, i % 2 ? 3 : 0, 4, i)
                          : trial_dense(ctx, i % 3 ? DOT : AXPY, n, 3 + i % 2, 4, i);
        trial_record(batch, t + i, NULL);
    }
    int by_cpu = 0;
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < TASKS; i++) trial_reset(ctx, t + i);
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
        for (int i = 0; i < TASKS; i++) trial_check(ctx, t + i);
        by_cpu += tulle_batch_by_cpu(batch);
        if (run == 0) assert_int_equal(by_cpu, 0);
    }
    assert_int_equal(by_cpu > 0, takes);
    must(tulle_batch_after(batch, 1, 0));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
    assert_int_equal(tulle_batch_by_cpu(batch), 0);
    assert_int_equal(tulle_batch_by_cpu(NULL), 0);
    tulle_batch_destroy(batch);
    for (int i = 0; i < TASKS; i++) trial_free(t + i);
}
ONCE_ON_EACH_PLACE(shared)

/* Where a run of both takes longer than the GPU alone, as is said here of any, the GPU is alone for
 * the next runs, after which both are tried again. */
static void alone_after_losses(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 8, RUNS_ALONE = 32 };
    trial t[TASKS];
    tulle_batch *batch = NULL;
    if (strcmp(where, "emulated") != 0) return;
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < TASKS; i++) {
        t[i] = trial_dense(ctx, AXPY, 300, 3, 4, i);
        trial_record(batch, t + i, NULL);
    }
    int last_shared = 0, first_again = 0;
    for (int run = 0; run < RUNS_ALONE + 6; run++) {
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
        batch->shares.alone_rate = 1e300;
        if (batch->shares.last != TULLE__RUN_BOTH) continue;
        if (run > RUNS_ALONE && first_again == 0) first_again = run;
        if (run < RUNS_ALONE) last_shared = run;
    }
    assert_int_equal(last_shared, 2);
    assert_int_equal(first_again, last_shared + RUNS_ALONE + 1);
    tulle_batch_destroy(batch);
    for (int i = 0; i < TASKS; i++) trial_free(t + i);
}
ONCE_ON_EACH_PLACE(alone_after_losses)

/* In page-locked memory a GPU's tasks may go to either side. */
static void page_locked(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 24, ROWS = 60000, COLUMNS = 4, RUNS = 6 };
    if (ctx->kind != TULLE_CUDA) return;
    const tulle__backend *backend = ctx->backend;
    const size_t numbers = (size_t)ROWS * COLUMNS;
    double *memory = NULL;
    tulle_vec *x[TASKS], *y[TASKS], *a = NULL;
    tulle_batch *batch = NULL;
    must(backend->host_allocate(
        ctx->place.device, ((size_t)2 * TASKS * numbers + 16) * sizeof *memory, (void **)&memory));
    must(tulle_batch_create(ctx, &batch));
    double *factor = memory + (size_t)2 * TASKS * numbers;
    for (int e = 0; e < COLUMNS * COLUMNS; e++) factor[e] = e % (COLUMNS + 1) == 0 ? 2 : 0;
    must(tulle_vec_wrap(ctx, TULLE_F64, COLUMNS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, factor, &a));
    for (int i = 0; i < TASKS; i++) {
        double *from = memory + 2 * (size_t)i * numbers, *to = from + numbers;
        for (size_t e = 0; e < numbers; e++) from[e] = (double)(e % 1000 + (size_t)i);
        must(tulle_vec_wrap(ctx, TULLE_F64, ROWS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, from, x + i));
        must(tulle_vec_wrap(ctx, TULLE_F64, ROWS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, to, y + i));
        must(tulle_batch_axpy(batch, 1, x[i], a, 0, y[i], NULL));
    }
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < TASKS; i++) {
            double *to = memory + (2 * (size_t)i + 1) * numbers;
            for (size_t e = 0; e < numbers; e++) to[e] = NAN;
        }
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
        must(tulle_ctx_synchronize(ctx));
        print_message("%s: %d of %d tasks by the CPU\n", where, tulle_batch_by_cpu(batch), TASKS);
        for (int i = 0; i < TASKS; i++) {
            const double *from = memory + 2 * (size_t)i * numbers, *to = from + numbers;
            for (size_t e = 0; e < numbers; e++) assert_true(to[e] == 2 * from[e]);
        }
    }
    tulle_batch_destroy(batch);
    for (int i = 0; i < TASKS; i++) tulle_vec_destroy(x[i]);
    for (int i = 0; i < TASKS; i++) tulle_vec_destroy(y[i]);
    tulle_vec_destroy(a);
    must(backend->host_release(ctx->place.device, memory));
}
ONCE_ON_EACH_PLACE(page_locked)

#define ASSERT_REFUSED(status, wanted, argument_)                                                  \
    do {                                                                                           \
        assert_int_equal(status, wanted);                                                          \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    trial t = trial_dense(ctx, AXPY, 40, 3, 3, 4), wide = trial_dense(ctx, AXPY, 40, 33, 3, 4);
    trial single = trial_dense(ctx, AXPY, 40, 3, 3, 3), sparse = trial_sparse(ctx, 5, 0, 3, 4);
    tulle_ctx *elsewhere = NULL;
    tulle_batch *batch = NULL;
    tulle_mat *ell = NULL;
    int task = -1;
    tulle_vec *x = t.on_x.X, *a = t.on_a.X, *y = t.on_y.X;
    must(tulle_mat_convert(ctx, sparse.A, TULLE_ELL, TULLE_I32, 0, &ell));
    must(tulle_ctx_create("cpu", NULL, &elsewhere));
    must(tulle_batch_create(ctx, &batch));
    ASSERT_REFUSED(tulle_batch_axpy(batch, 1, NULL, a, 0, y, NULL), TULLE_INVALID_ARGUMENT, "X");
    ASSERT_REFUSED(tulle_batch_axpy(batch, 1, wide.on_x.X, wide.on_a.X, 0, wide.on_y.X, NULL),
                   TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_batch_axpy(batch, 1, x, x, 0, y, NULL), TULLE_SHAPE_MISMATCH, "A");
    ASSERT_REFUSED(tulle_batch_dot(batch, 1, x, x, 0, y, NULL), TULLE_SHAPE_MISMATCH, "R");
    ASSERT_REFUSED(tulle_batch_axpy(batch, 1, x, single.on_a.X, 0, y, NULL), TULLE_TYPE_MISMATCH,
                   "A");
    ASSERT_REFUSED(tulle_batch_axpy(batch, 1, y, a, 0, y, NULL), TULLE_ALIASED, "Y");
    ASSERT_REFUSED(tulle_batch_spmm(batch, TULLE_N, 1, ell, sparse.on_x.X, 0, sparse.on_y.X, NULL),
                   TULLE_UNSUPPORTED, "A");
    trial_record(batch, &t, NULL);
    trial_record(batch, &sparse, &task);
    assert_int_equal(task, 1);
    ASSERT_REFUSED(tulle_batch_after(batch, 2, 0), TULLE_INVALID_ARGUMENT, "task");
    ASSERT_REFUSED(tulle_batch_after(batch, 1, 1), TULLE_INVALID_ARGUMENT, "earlier");
    ASSERT_REFUSED(tulle_batch_replace(batch, 2, TULLE_BATCH_X, x), TULLE_INVALID_ARGUMENT, "task");
    ASSERT_REFUSED(tulle_batch_replace(batch, 1, TULLE_BATCH_A, x), TULLE_INVALID_ARGUMENT,
                   "operand");
    ASSERT_REFUSED(tulle_batch_replace(batch, 0, TULLE_BATCH_X, a), TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_batch_run(elsewhere, batch, TULLE_BATCH_GROUPED), TULLE_SPACE_MISMATCH,
                   "ctx");
    ASSERT_REFUSED(tulle_batch_run(ctx, batch, (tulle_batch_way)-1), TULLE_INVALID_ARGUMENT, "way");
    ASSERT_REFUSED(tulle_batch_run(ctx, batch, (tulle_batch_way)(TULLE_BATCH_GRID + 1)),
                   TULLE_INVALID_ARGUMENT, "way");
    ASSERT_REFUSED(tulle_batch_set_streams(batch, 0), TULLE_INVALID_ARGUMENT, "streams");
    ASSERT_REFUSED(tulle_batch_set_streams(batch, 65), TULLE_INVALID_ARGUMENT, "streams");
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    trial_check(ctx, &t);
    trial_check(ctx, &sparse);
    tulle_batch_destroy(batch);
    tulle_batch_destroy(NULL);
    tulle_ctx_destroy(elsewhere);
    tulle_mat_destroy(ell);
    trial_free(&t);
    trial_free(&wide);
    trial_free(&single);
    trial_free(&sparse);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_shared),      cmocka_unit_test(test_alone_after_losses),
        cmocka_unit_test(test_page_locked), cmocka_unit_test(test_refusals),
    };
    emulate_by_turns(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
