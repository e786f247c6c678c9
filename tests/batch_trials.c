/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 2, 1}};
enum { LIES = sizeof lies / sizeof *lies };

static const double scalars[][2] = {{1, 1}, {-1, 1}, {1, 0}, {-0.75, 0.5}};

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

trial trial_dense(tulle_ctx *ctx, kind what, int64_t n, int64_t k1, int64_t k2, int turn) {
    const double *by = scalars[turn % 4];
    trial t = {.what = what, .type = turn % 3 ? TULLE_F64 : TULLE_F32, .chain = 700};
    const bool dot = what == DOT;
    t.alpha = by[0];
    t.beta = by[1];
    t.x = columns_random(n, k1, 1 + (uint64_t)turn, t.type);
    t.a = columns_random(dot ? n : k1, k2, 2 + (uint64_t)turn, t.type);
    t.y = columns_random(dot ? k1 : n, k2, 3 + (uint64_t)turn, t.type);
    place(ctx, &t, turn);
    return t;
}

trial trial_sparse(tulle_ctx *ctx, int matrix, int block, int64_t k, int turn) {
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

void trial_free(trial *t) {
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

void trial_record(tulle_batch *batch, const trial *t, int *task) {
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

void trial_check_numbers(const trial *t, const columns *got, const columns *plain) {
    static const char *const names[KINDS] = {"axpy", "dot", "spmm"};
    for (int64_t i = 0; i < t->y.rows; i++) {
        for (int64_t c = 0; c < t->y.cols; c++) {
            const number e = expected(t, i, c);
            const long double alpha = t->alpha;
            const long double old = t->beta == 0 ? 0 : t->beta * t->y.at[i + c * t->y.rows];
            const long double size = fabsl(alpha) * e.size + fabsl(old);
            const long double roundings = (long double)(t->what == DOT ? t->chain : e.count) + 3;
            long double bound = gamma_of(roundings, t->type) * size;
            bound += (long double)(e.count + 2) * (1 + fabsl(alpha)) * least_of(t->type);
            const int64_t at = i + c * t->y.rows;
            assert_near(got->at[at], alpha * e.sum + old, bound, names[t->what]);
            if (plain) assert_near(got->at[at], plain->at[at], 2 * bound, "the plain call");
        }
    }
}

void trial_check(tulle_ctx *ctx, const trial *t) {
    columns got = placed_read(ctx, &t->on_y);
    trial_check_numbers(t, &got, NULL);
    columns_free(&got);
}

void trial_reset(tulle_ctx *ctx, const trial *t) {
    placed fresh = columns_place(ctx, &t->y, t->type, t->on_y.how);
    must(tulle_vec_copy(ctx, fresh.X, t->on_y.X));
    placed_free(&fresh);
}
