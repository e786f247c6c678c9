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

#include "columns.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"
#include "tulle/tulle.h"
#include "zoo.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 2, 1}};
enum { LIES = sizeof lies / sizeof *lies };

static const double scalars[][2] = {{1, 1}, {-1, 1}, {1, 0}, {-0.75, 0.5}};

typedef enum { AXPY, DOT, SPMM, KINDS } kind;
enum { WAYS = TULLE_BATCH_TASKS + 1 };

/* A task with its operands on the host and on the place. */
typedef struct {
    kind what;
    tulle_type type;
    double alpha, beta;
    tulle_trans op;
    zoo_matrix zoo; /* op(A); A is in CSR or in blocks */
    tulle_mat *A;
    columns x, a, y;
    placed on_x, on_a, on_y;
} trial;

static tulle_mat *make_matrix(tulle_ctx *ctx, const zoo_matrix *zoo, int block, tulle_type type) {
    const tulle_index index = zoo->nnz % 2 ? TULLE_I64 : TULLE_I32;
    const tulle_convert_options by = {.block = block, .fill = 1e9};
    tulle_mat *wide = zoo_mat(ctx, zoo, index, type), *A = NULL;
    if (block == 0) return wide;
    must(tulle_mat_convert_with(ctx, wide, TULLE_BSR, index, &by, &A));
    tulle_mat_destroy(wide);
    return A;
}

static zoo_matrix turned(const zoo_matrix *m) {
    zoo_matrix t = {.rows = m->cols, .cols = m->rows, .nnz = m->nnz};
    t.offsets = calloc((size_t)t.rows + 1, sizeof *t.offsets);
    t.columns = calloc((size_t)t.nnz + 1, sizeof *t.columns);
    t.values = calloc((size_t)t.nnz + 1, sizeof *t.values);
    assert_true(t.offsets && t.columns && t.values);
    int64_t to = 0;
    for (int64_t row = 0; row < t.rows; row++) {
        for (int64_t i = 0; i < m->rows; i++) {
            for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; k++) {
                if (m->columns[k] != row) continue;
                t.columns[to] = i;
                t.values[to++] = m->values[k];
            }
        }
        t.offsets[row + 1] = to;
    }
    return t;
}

/* Each entry of m as a block of so many rows, all of whose cells are entries. */
static zoo_matrix widened(const zoo_matrix *m, int64_t b) {
    zoo_matrix w = {.rows = m->rows * b, .cols = m->cols * b, .nnz = m->nnz * b * b};
    w.offsets = calloc((size_t)w.rows + 1, sizeof *w.offsets);
    w.columns = calloc((size_t)w.nnz + 1, sizeof *w.columns);
    w.values = calloc((size_t)w.nnz + 1, sizeof *w.values);
    assert_true(w.offsets && w.columns && w.values);
    for (int64_t row = 0, to = 0; row < w.rows; row++) {
        const int64_t i = row / b;
        for (int64_t k = m->offsets[i] * b; k < m->offsets[i + 1] * b; k++, to++) {
            w.columns[to] = m->columns[k / b] * b + k % b;
            w.values[to] = m->values[k / b] * (double)(1 + (row + k) % 7) / 8;
        }
        w.offsets[row + 1] = to;
    }
    return w;
}

/* Every other one is widened, where it has blocks, so that these have no padding. */
static zoo_matrix make_zoo(int matrix, int block, int turn) {
    zoo_matrix plain = zoo_make(matrix);
    if (block < 2 || turn % 2 || plain.nnz * block * block > 20000) return plain;
    zoo_matrix wide = widened(&plain, block);
    zoo_free(&plain);
    return wide;
}

/* With a beta of 0, what Y holds is no number. */
static void place(tulle_ctx *ctx, trial *t, int turn) {
    for (int64_t k = 0; k < t->y.rows * t->y.cols && t->beta == 0; k++) t->y.at[k] = NAN;
    t->on_x = columns_place(ctx, &t->x, t->type, lies[turn % LIES]);
    t->on_y = columns_place(ctx, &t->y, t->type, lies[turn / 2 % LIES]);
    if (t->what != SPMM) t->on_a = columns_place(ctx, &t->a, t->type, lies[turn / 3 % LIES]);
}

/* axpy: n x k1 times k1 x k2; dot: the transposed one times n x k2; turn varies all else. */
static trial make_dense(tulle_ctx *ctx, kind what, int64_t n, int64_t k1, int64_t k2, int turn) {
    const double *by = scalars[turn % 4];
    trial t = {.what = what, .type = turn % 3 ? TULLE_F64 : TULLE_F32};
    const bool dot = what == DOT;
    t.alpha = by[0];
    t.beta = by[1];
    t.x = columns_random(n, k1, 1 + (uint64_t)turn, t.type);
    t.a = columns_random(dot ? n : k1, k2, 2 + (uint64_t)turn, t.type);
    t.y = columns_random(dot ? k1 : n, k2, 3 + (uint64_t)turn, t.type);
    place(ctx, &t, turn);
    return t;
}

static trial make_sparse(tulle_ctx *ctx, int matrix, int block, int64_t k, int turn) {
    const double *by = scalars[turn % 4];
    trial t = {.what = SPMM, .type = turn % 3 ? TULLE_F64 : TULLE_F32};
    t.alpha = by[0];
    t.beta = by[1];
    t.zoo = make_zoo(matrix, block, turn);
    t.A = make_matrix(ctx, &t.zoo, block, t.type);
    t.op = turn / 2 % 2 ? TULLE_T : TULLE_N;
    if (t.op == TULLE_T) {
        zoo_matrix plain = t.zoo;
        t.zoo = turned(&plain);
        zoo_free(&plain);
    }
    t.x = columns_random(t.zoo.cols, k, 1 + (uint64_t)turn, t.type);
    t.y = columns_random(t.zoo.rows, k, 2 + (uint64_t)turn, t.type);
    place(ctx, &t, turn);
    return t;
}

static void give_up(trial *t) {
    placed_free(&t->on_x);
    placed_free(&t->on_y);
    columns_free(&t->x);
    columns_free(&t->y);
    if (t->what == SPMM) {
        tulle_mat_destroy(t->A);
        zoo_free(&t->zoo);
    } else {
        placed_free(&t->on_a);
        columns_free(&t->a);
    }
}

static void record(tulle_batch *batch, const trial *t, int *task) {
    if (t->what == AXPY) {
        must(tulle_batch_axpy(batch, t->alpha, t->on_x.X, t->on_a.X, t->beta, t->on_y.X, task));
    } else if (t->what == DOT) {
        must(tulle_batch_dot(batch, t->alpha, t->on_x.X, t->on_a.X, t->beta, t->on_y.X, task));
    } else {
        must(tulle_batch_spmm(batch, t->op, t->alpha, t->A, t->on_x.X, t->beta, t->on_y.X, task));
    }
}

/* A number of the result, and what its error is measured by. */
typedef struct {
    long double sum, size;
    int64_t count;
} number;

static number expected(const trial *t, int64_t i, int64_t c) {
    number e = {0, 0, 0};
    const bool sparse = t->what == SPMM, dot = t->what == DOT;
    const int64_t first = sparse ? t->zoo.offsets[i] : 0;
    const int64_t end = sparse ? t->zoo.offsets[i + 1] : dot ? t->x.rows : t->x.cols;
    for (int64_t k = first; k < end; k++) {
        const int64_t at = sparse ? t->zoo.columns[k] : k;
        const long double left = sparse ? (long double)t->zoo.values[k]
                                 : dot  ? t->x.at[at + i * t->x.rows]
                                        : t->x.at[i + at * t->x.rows];
        const long double right =
            sparse ? t->x.at[at + c * t->x.rows] : t->a.at[at + c * t->a.rows];
        e.sum += left * right;
        e.size += fabsl(left * right);
        e.count++;
    }
    return e;
}

/* What was got, and where there is one the plain call's, too, whose sums are in another order. */
static void check_numbers(const trial *t, const columns *got, const columns *plain) {
    static const char *const names[KINDS] = {"axpy", "dot", "spmm"};
    for (int64_t i = 0; i < t->y.rows; i++) {
        for (int64_t c = 0; c < t->y.cols; c++) {
            const number e = expected(t, i, c);
            const long double alpha = t->alpha;
            const long double old = t->beta == 0 ? 0 : t->beta * t->y.at[i + c * t->y.rows];
            const long double size = fabsl(alpha) * e.size + fabsl(old);
            const long double roundings = t->what == DOT ? 703 : (long double)e.count + 3;
            long double bound = gamma_of(roundings, t->type) * size;
            bound += (long double)(e.count + 2) * (1 + fabsl(alpha)) * least_of(t->type);
            const int64_t at = i + c * t->y.rows;
            assert_near(got->at[at], alpha * e.sum + old, bound, names[t->what]);
            if (plain) assert_near(got->at[at], plain->at[at], 2 * bound, "the plain call");
        }
    }
}

static void check(tulle_ctx *ctx, const trial *t) {
    columns got = placed_read(ctx, &t->on_y);
    check_numbers(t, &got, NULL);
    columns_free(&got);
}

static void run_alone(tulle_ctx *ctx, const trial *t, tulle_batch_way way) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    record(batch, t, NULL);
    must(tulle_batch_run(ctx, batch, way));
    tulle_batch_destroy(batch);
}

/* All widths, more rows than a piece has, none at all; matrices of the zoo in all blocks. */
static void kinds(tulle_ctx *ctx, const char *where) {
    static const int64_t widths[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32};
    const int64_t rows[] = {0, 1, 33, is_slow(where) ? 4500 : 70000};
    const int every = is_slow(where) ? 23 : 1;
    int turn = 0;
    for (int way = 0; way < WAYS; way++) {
        for (int w = 0; w < 11 * 11; w++, turn += 5) {
            if ((w + turn_of(where, every)) % every) continue;
            for (int what = AXPY; what <= DOT; what++) {
                const int64_t n = rows[(turn + what) % 4];
                trial t = make_dense(ctx, (kind)what, n, widths[w / 11], widths[w % 11], turn);
                run_alone(ctx, &t, (tulle_batch_way)way);
                check(ctx, &t);
                give_up(&t);
            }
        }
        for (int m = 0; m < zoo_count(); m++, turn += 3) {
            if ((m + turn_of(where, every)) % every) continue;
            trial t = make_sparse(ctx, m, (m + way) % 17, widths[m % 11], turn);
            run_alone(ctx, &t, (tulle_batch_way)way);
            check(ctx, &t);
            give_up(&t);
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
        g.t[i] = what == SPMM ? make_sparse(ctx, (int)(zoo_bits(&random) % (unsigned)zoo_count()),
                                            (int)(zoo_bits(&random) % 5), k, turn)
                              : make_dense(ctx, (kind)what, n, k, 1 + turn % 8, turn);
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
        give_up(g->t + i);
    }
}

/* The results, as they were before. */
static void reset(tulle_ctx *ctx, graph *g) {
    for (int i = 0; i < g->count; i++) {
        placed fresh = columns_place(ctx, &g->t[i].y, g->t[i].type, g->t[i].on_y.how);
        must(tulle_vec_copy(ctx, fresh.X, g->t[i].on_y.X));
        placed_free(&fresh);
    }
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
        must(tulle_multivector_axpy(ctx, alpha, t->on_x.X, t->on_a.X, beta, y.X));
    } else if (t->what == DOT) {
        must(tulle_multivector_dot(ctx, alpha, t->on_x.X, t->on_a.X, beta, y.X));
    } else {
        must(tulle_spmm(ctx, t->op, alpha, t->A, t->on_x.X, beta, y.X));
    }
    columns plain = placed_read(ctx, &y);
    placed_free(&y);
    return plain;
}

/* Each task with the X that it had, which no other has changed since. */
static void check_calls(tulle_ctx *ctx, const graph *g, const columns *got) {
    for (int i = 0; i < g->count; i++) {
        trial t = g->t[i];
        if (g->earlier[i] >= 0) t.x = got[g->earlier[i]];
        columns plain = call(ctx, &t);
        check_numbers(&t, got + i, &plain);
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
        record(batch, g.t + i, &task);
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
    const int turn = turn_in_order(where, TULLE_BATCH_SHARED + 1);
    for (int i = 0; i < trials; i++) {
        const uint64_t seed = (uint64_t)places_seed() + (uint64_t)i;
        one_graph(ctx, seed, is_slow(where) ? 8 : MOST_TASKS,
                  (tulle_batch_way)((i + turn) % (TULLE_BATCH_SHARED + 1)));
    }
}

static void test_graphs(void **state) {
    (void)state;
    on_each_place(graphs);
}

/* Another Y from the next run on, and the old one left alone. */
static void replacement(tulle_ctx *ctx, const char *where) {
    (void)where;
    trial t = make_dense(ctx, AXPY, 40, 3, 4, 4);
    placed other = columns_place(ctx, &t.y, t.type, t.on_y.how), first = t.on_y;
    tulle_batch *batch = NULL;
    int task = -1;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    record(batch, &t, &task);
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    check(ctx, &t);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, other.X));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    check(ctx, &t);
    t.on_y = other;
    check(ctx, &t);
    t.on_y = first;
    tulle_batch_destroy(batch);
    placed_free(&other);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(replacement)

/* What was captured runs as the batch does, again and again. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    for (int way = 0; way < WAYS; way++) {
        trial t = make_dense(ctx, DOT, 4500, 5, 4, 4), u = make_dense(ctx, AXPY, 90, 3, 9, 5);
        tulle_batch *batch = NULL;
        void *made = NULL;
        must(tulle_batch_create(ctx, &batch));
        record(batch, &t, NULL);
        record(batch, &u, NULL);
        must(tulle_batch_run(ctx, batch, (tulle_batch_way)way));
        must(ctx->backend->capture_begin(&ctx->place));
        must(tulle_batch_run(ctx, batch, (tulle_batch_way)way));
        must(ctx->backend->capture_end(&ctx->place, &made));
        for (int launch = 0; launch < 2; launch++) {
            columns of_t = columns_copy(&t.y), of_u = columns_copy(&u.y);
            placed fresh_t = columns_place(ctx, &of_t, t.type, t.on_y.how);
            placed fresh_u = columns_place(ctx, &of_u, u.type, u.on_y.how);
            must(tulle_vec_copy(ctx, fresh_t.X, t.on_y.X));
            must(tulle_vec_copy(ctx, fresh_u.X, u.on_y.X));
            must(ctx->backend->graph_launch(&ctx->place, made));
            check(ctx, &t);
            check(ctx, &u);
            placed_free(&fresh_t);
            placed_free(&fresh_u);
            columns_free(&of_t);
            columns_free(&of_u);
        }
        must(ctx->backend->graph_destroy(ctx->place.device, made));
        tulle_batch_destroy(batch);
        give_up(&t);
        give_up(&u);
    }
}
ONCE_ON_EACH_PLACE(captured)

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
        t[i] = i % 3 == 2 ? make_sparse(ctx, i, i % 2 ? 3 : 0, 4, i)
                          : make_dense(ctx, i % 3 ? DOT : AXPY, n, 3 + i % 2, 4, i);
        record(batch, t + i, NULL);
    }
    int by_cpu = 0;
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < TASKS; i++) {
            placed fresh = columns_place(ctx, &t[i].y, t[i].type, t[i].on_y.how);
            must(tulle_vec_copy(ctx, fresh.X, t[i].on_y.X));
            placed_free(&fresh);
        }
        must(tulle_batch_run(ctx, batch, TULLE_BATCH_SHARED));
        for (int i = 0; i < TASKS; i++) check(ctx, t + i);
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
    for (int i = 0; i < TASKS; i++) give_up(t + i);
}
ONCE_ON_EACH_PLACE(shared)

/* In page-locked memory a GPU's tasks may go to either side. */
static void page_locked(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 24, ROWS = 60000, COLUMNS = 4, RUNS = 6 };
    if (ctx->kind != TULLE_CUDA) return;
    const tulle__backend *backend = ctx->backend;
    const size_t numbers = (size_t)ROWS * COLUMNS;
    double *memory = NULL;
    tulle_dense *x[TASKS], *y[TASKS], *a = NULL;
    tulle_batch *batch = NULL;
    must(backend->host_allocate(
        ctx->place.device, ((size_t)2 * TASKS * numbers + 16) * sizeof *memory, (void **)&memory));
    must(tulle_batch_create(ctx, &batch));
    double *factor = memory + (size_t)2 * TASKS * numbers;
    for (int e = 0; e < COLUMNS * COLUMNS; e++) factor[e] = e % (COLUMNS + 1) == 0 ? 2 : 0;
    must(tulle_dense_wrap(ctx, TULLE_F64, COLUMNS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, factor, &a));
    for (int i = 0; i < TASKS; i++) {
        double *from = memory + 2 * (size_t)i * numbers, *to = from + numbers;
        for (size_t e = 0; e < numbers; e++) from[e] = (double)(e % 1000 + (size_t)i);
        must(
            tulle_dense_wrap(ctx, TULLE_F64, ROWS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, from, x + i));
        must(tulle_dense_wrap(ctx, TULLE_F64, ROWS, COLUMNS, TULLE_ROW_MAJOR, COLUMNS, to, y + i));
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
    for (int i = 0; i < TASKS; i++) tulle_dense_destroy(x[i]);
    for (int i = 0; i < TASKS; i++) tulle_dense_destroy(y[i]);
    tulle_dense_destroy(a);
    must(backend->host_release(ctx->place.device, memory));
}
ONCE_ON_EACH_PLACE(page_locked)

static void *capture(tulle_ctx *ctx, tulle_batch *batch, tulle_batch_way way,
                     const tulle_batch_report **reports) {
    void *made = NULL;
    must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, reports));
    must(ctx->backend->capture_end(&ctx->place, &made));
    return made;
}

static void start_anew(tulle_ctx *ctx, const placed *on, const columns *numbers, tulle_type type) {
    placed fresh = columns_place(ctx, numbers, type, on->how);
    must(tulle_vec_copy(ctx, fresh.X, on->X));
    placed_free(&fresh);
}

/* A dot of several pieces and an axpy that waits for it; the axpy has had another Y, the batch
 * another task and another order since a graph was captured, and it has run. The graph does what it
 * was captured with, and its reports go where they went; the batch does what is recorded now. */
static void one_outlived(tulle_ctx *ctx, tulle_batch_way way, int changes) {
    trial t = make_dense(ctx, DOT, 1200, 5, 4, 4), u = make_dense(ctx, AXPY, 90, 3, 9, 5);
    trial more = make_dense(ctx, DOT, 900, 8, 8, 4);
    placed other = columns_place(ctx, &u.y, u.type, u.on_y.how), first = u.on_y;
    const tulle_batch_report *of_graph = NULL, *reports = NULL;
    tulle_batch *batch = NULL;
    void *made[2] = {NULL, NULL};
    int task = -1;
    must(tulle_batch_create(ctx, &batch));
    record(batch, &t, NULL);
    record(batch, &u, &task);
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, &reports));
    made[0] = capture(ctx, batch, way, &of_graph);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, other.X));
    if (changes > 0) record(batch, &more, NULL);
    if (changes > 1) must(tulle_batch_after(batch, task, 0));
    start_anew(ctx, &t.on_y, &t.y, t.type);
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, &reports));
    u.on_y = other;
    check(ctx, &t);
    check(ctx, &u);
    made[1] = capture(ctx, batch, way, &reports);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, first.X));
    must(tulle_batch_run(ctx, batch, way));
    for (int launch = 0; launch < 4; launch++) {
        u.on_y = launch % 2 ? other : first;
        start_anew(ctx, &t.on_y, &t.y, t.type);
        start_anew(ctx, &u.on_y, &u.y, u.type);
        must(ctx->backend->graph_launch(&ctx->place, made[launch % 2]));
        check(ctx, &t);
        check(ctx, &u);
        for (int i = 0; i < 2; i++) assert_int_equal(of_graph[i].status, TULLE_OK);
    }
    for (int i = 0; i < 2; i++) must(ctx->backend->graph_destroy(ctx->place.device, made[i]));
    tulle_batch_destroy(batch);
    placed_free(&other);
    u.on_y = first;
    give_up(&t);
    give_up(&u);
    give_up(&more);
}

static void outlived(tulle_ctx *ctx, const char *where) {
    const int turn = turn_in_order(where, 3);
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    for (int way = 0; way < WAYS; way++) {
        one_outlived(ctx, (tulle_batch_way)way, (way + turn) % 3);
    }
}
ONCE_ON_EACH_PLACE(outlived)

/* Operands of many tasks change places between runs, some of them to where others lie or to numbers
 * that lie otherwise; each run is what the same tasks by themselves are. */
static void exchanged(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 9 };
    const int runs = is_slow(where) ? 2 : 6;
    for (int way = 0; way <= TULLE_BATCH_SHARED; way++) {
        trial t[TASKS];
        placed spare[TASKS];
        int task[TASKS];
        tulle_batch *batch = NULL;
        must(tulle_batch_create(ctx, &batch));
        for (int i = 0; i < TASKS; i++) {
            const int turn = 4 * i; /* whose beta is 1 */
            t[i] = i % 3 < 2 ? make_dense(ctx, (kind)(i % 3), 90 + i, 3 + i, 4, turn)
                             : make_sparse(ctx, i, i % 5, 4, turn);
            columns y = columns_copy(&t[i].y);
            const lie at = {t[i].on_y.how.layout, t[i].on_y.how.gap, 1 - t[i].on_y.how.shift};
            spare[i] = columns_place(ctx, &y, t[i].type, i % 2 ? at : t[i].on_y.how);
            columns_free(&y);
            record(batch, t + i, task + i);
        }
        must(tulle_batch_run(ctx, batch, (tulle_batch_way)way));
        for (int run = 0; run < runs; run++) {
            for (int i = run % 2; i < TASKS; i += 1 + run) {
                const placed now = spare[i];
                spare[i] = t[i].on_y;
                t[i].on_y = now;
                must(tulle_batch_replace(batch, task[i], TULLE_BATCH_Y, now.X));
            }
            for (int i = 0; i < TASKS; i++) {
                start_anew(ctx, &t[i].on_y, &t[i].y, t[i].type);
                start_anew(ctx, spare + i, &t[i].y, t[i].type);
            }
            const tulle_batch_report *reports = NULL;
            if (run == 0) {
                assert_int_equal(tulle_batch_reports(ctx, batch, &reports), TULLE_INVALID_ARGUMENT);
            }
            must(tulle_batch_run(ctx, batch, (tulle_batch_way)way));
            for (int i = 0; i < TASKS; i++) {
                check(ctx, t + i);
                columns left = placed_read(ctx, spare + i);
                for (int64_t k = 0; k < left.rows * left.cols; k++) {
                    assert_near(left.at[k], t[i].y.at[k], 0, "what was replaced");
                }
                columns_free(&left);
            }
        }
        tulle_batch_destroy(batch);
        for (int i = 0; i < TASKS; i++) {
            placed_free(spare + i);
            give_up(t + i);
        }
    }
}
ONCE_ON_EACH_PLACE(exchanged)

#define ASSERT_REFUSED(status, wanted, argument_)                                                  \
    do {                                                                                           \
        assert_int_equal(status, wanted);                                                          \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    trial t = make_dense(ctx, AXPY, 40, 3, 3, 4), wide = make_dense(ctx, AXPY, 40, 33, 3, 4);
    trial single = make_dense(ctx, AXPY, 40, 3, 3, 3), sparse = make_sparse(ctx, 5, 0, 3, 4);
    tulle_ctx *elsewhere = NULL;
    tulle_batch *batch = NULL;
    tulle_mat *ell = NULL;
    int task = -1;
    tulle_dense *x = t.on_x.X, *a = t.on_a.X, *y = t.on_y.X;
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
    record(batch, &t, NULL);
    record(batch, &sparse, &task);
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
    ASSERT_REFUSED(tulle_batch_run(ctx, batch, (tulle_batch_way)4), TULLE_INVALID_ARGUMENT, "way");
    ASSERT_REFUSED(tulle_batch_set_streams(batch, 0), TULLE_INVALID_ARGUMENT, "streams");
    ASSERT_REFUSED(tulle_batch_set_streams(batch, 65), TULLE_INVALID_ARGUMENT, "streams");
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    check(ctx, &t);
    check(ctx, &sparse);
    tulle_batch_destroy(batch);
    tulle_batch_destroy(NULL);
    tulle_ctx_destroy(elsewhere);
    tulle_mat_destroy(ell);
    give_up(&t);
    give_up(&wide);
    give_up(&single);
    give_up(&sparse);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_replacement), cmocka_unit_test(test_captured),
        cmocka_unit_test(test_shared),      cmocka_unit_test(test_page_locked),
        cmocka_unit_test(test_outlived),    cmocka_unit_test(test_exchanged),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
