/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_worlds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "factor_check.h"
#include "places.h"

static int below(uint64_t *random, int count) {
    return (int)(zoo_bits(random) % (unsigned)count);
}

static tulle_type other_type(tulle_type type) {
    return type == TULLE_F32 ? TULLE_F64 : TULLE_F32;
}

static void make_pair(world *w, int first, int64_t rows, int64_t cols, tulle_type type,
                      uint64_t *random) {
    const lie how = {(tulle_layout)below(random, 2), below(random, 3), below(random, 2)};
    for (int i = first; i < first + 2; i++) {
        w->start[i] = columns_random(rows, cols, zoo_bits(random), type);
        w->at[i] = columns_place(w->ctx, w->start + i, type, how);
    }
}

/* The same pattern, and each number half as large again. */
static tulle_mat *more_of(tulle_ctx *ctx, const tulle_mat *A, tulle_type type) {
    tulle_mat_info info;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &info));
    const int64_t count = info.storage.stored;
    double *f64 = calloc((size_t)count + 1, sizeof *f64);
    assert_non_null(f64);
    float *f32 = (float *)(void *)f64;
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, f64));
    for (int64_t i = 0; i < count; i++) {
        if (type == TULLE_F32) {
            f32[i] *= 1.5F;
        } else {
            f64[i] *= 1.5;
        }
    }
    must(tulle_mat_with_values(ctx, A, type, count, f64, &B));
    free(f64);
    return B;
}

static void make_matrices(world *w, int64_t n, uint64_t *random) {
    static const int blocks[] = {1, 1, 1, 2, 3, 4, 5, 8}, fills[] = {0, 1, TULLE_FILL_ALL};
    const bool root = below(random, 3) == 0;
    const factor_setting s = {.block = root ? 1 : blocks[below(random, 8)],
                              .type = w->type,
                              .index = (tulle_index)below(random, 3)};
    const tulle_factor_options options = {.kind = root ? TULLE_CHOLESKY : TULLE_LU,
                                          .fill = root ? 0 : fills[below(random, 3)],
                                          .inverted = s.block > 1 && below(random, 2),
                                          .single = below(random, 3) == 0};
    entries e = factor_matrix(n, 3 * n, root, zoo_bits(random));
    w->factors = options.single ? TULLE_F32 : w->type;
    w->A[0] = factor_mat(w->ctx, &e, &s);
    w->A[1] = more_of(w->ctx, w->A[0], w->type);
    must(tulle_factor_create(w->ctx, w->A[0], &options, &w->F[0]));
    must(tulle_factor_create_like(w->ctx, w->F[0], w->A[1], &w->F[1]));
    entries_free(&e);
}

/* One of four of n x k, or, where f32 serves f64, of the two of the other type. */
static int first_wide(const world *w, tulle_type served, uint64_t *random) {
    const bool other = served == TULLE_F32 && w->type == TULLE_F32 && below(random, 2);
    return other ? WORLD_OTHER : WORLD_WIDE;
}

static int one_wide(int first, uint64_t *random) {
    return first + below(random, first == WORLD_WIDE ? 4 : 2);
}

static void choose_operands(const world *w, world_task *t, uint64_t *random) {
    int first = WORLD_WIDE;
    t->x = t->a = t->matrix = t->factor = -1;
    switch (t->kind) {
        case WORLD_AXPY:
        case WORLD_SPMM:
            t->x = below(random, 4);
            t->y = (t->x + 1 + below(random, 3)) % 4;
            if (t->kind == WORLD_AXPY) t->a = WORLD_SQUARE + below(random, 2);
            if (t->kind == WORLD_SPMM) t->matrix = below(random, 2);
            return;
        case WORLD_DOT:
            t->x = below(random, 4);
            t->a = below(random, 4);
            t->y = WORLD_SQUARE + below(random, 2);
            return;
        case WORLD_FACTOR:
            t->y = -1;
            t->factor = below(random, 2);
            t->matrix = below(random, 2);
            return;
        case WORLD_SOLVE:
        case WORLD_TRISOLVE:
            first = first_wide(w, t->kind == WORLD_SOLVE ? w->factors : w->type, random);
            t->x = one_wide(first, random);
            t->y = one_wide(first, random);
            if (t->kind == WORLD_SOLVE) t->factor = below(random, 2);
            if (t->kind == WORLD_TRISOLVE) t->matrix = below(random, 2);
            return;
        case WORLD_COPY:
            t->x = below(random, WORLD_SQUARE);
            t->y = below(random, WORLD_SQUARE);
            return;
        default:
            first = below(random, 3) ? WORLD_WIDE : WORLD_OTHER;
            t->x = one_wide(first, random);
            t->y = t->kind == WORLD_SCALE ? one_wide(first, random)
                   : first == WORLD_OTHER ? WORLD_FLAT_OTHER + below(random, 2)
                                          : WORLD_FLAT + below(random, 2);
            return;
    }
}

static double some_scalar(uint64_t *random) {
    static const double scalars[] = {1, -1, 0.5, -0.75, 0};
    return scalars[below(random, 5)];
}

static world_task make_task(const world *w, uint64_t *random) {
    world_task t = {.kind = (world_kind)below(random, WORLD_KINDS),
                    .alpha = some_scalar(random),
                    .beta = some_scalar(random),
                    .op = (tulle_trans)below(random, 2),
                    .part = below(random, 3),
                    .diag = (tulle_diag)(below(random, 4) == 0)};
    if (t.kind == WORLD_TRISOLVE) t.part %= 2;
    choose_operands(w, &t, random);
    return t;
}

world world_make(tulle_ctx *ctx, int most_rows, int most_tasks, uint64_t *random) {
    const int64_t n = 1 + below(random, most_rows), k = 1 + below(random, 5);
    world w = {.ctx = ctx, .type = below(random, 2) ? TULLE_F64 : TULLE_F32};
    make_pair(&w, WORLD_WIDE, n, k, w.type, random);
    make_pair(&w, WORLD_WIDE + 2, n, k, w.type, random);
    make_pair(&w, WORLD_OTHER, n, k, other_type(w.type), random);
    make_pair(&w, WORLD_SQUARE, k, k, w.type, random);
    make_pair(&w, WORLD_FLAT, 1, k, w.type, random);
    make_pair(&w, WORLD_FLAT_OTHER, 1, k, other_type(w.type), random);
    make_matrices(&w, n, random);
    w.tasks = 1 + below(random, most_tasks);
    for (int i = 0; i < w.tasks; i++) w.task[i] = make_task(&w, random);
    return w;
}

void world_free(world *w) {
    for (int i = 0; i < WORLD_VECTORS; i++) {
        columns_free(w->start + i);
        placed_free(w->at + i);
    }
    for (int i = 0; i < 2; i++) {
        tulle_factor_destroy(w->F[i]);
        tulle_mat_destroy(w->A[i]);
    }
}

void world_reset(world *w) {
    for (int i = 0; i < WORLD_VECTORS; i++) {
        tulle_vec_info info;
        must(tulle_vec_describe(w->at[i].X, &info));
        placed fresh = columns_place(w->ctx, w->start + i, info.type, w->at[i].how);
        must(tulle_vec_copy(w->ctx, fresh.X, w->at[i].X));
        placed_free(&fresh);
    }
    for (int i = 0; i < 2; i++) must(tulle_factor_update(w->ctx, w->F[i], w->A[i]));
}

static tulle_vec *vector(const world *w, int i) {
    return i < 0 ? NULL : w->at[i].X;
}

static void record(const world *w, const world_task *t, tulle_batch *batch, int *task) {
    tulle_vec *X = vector(w, t->x), *A = vector(w, t->a), *Y = vector(w, t->y);
    const tulle_mat *M = t->matrix < 0 ? NULL : w->A[t->matrix];
    tulle_factor *F = t->factor < 0 ? NULL : w->F[t->factor];
    const tulle_part part = (tulle_part)t->part;
    switch (t->kind) {
        case WORLD_AXPY:
            return must(tulle_batch_axpy(batch, t->alpha, X, A, t->beta, Y, task));
        case WORLD_DOT:
            return must(tulle_batch_dot(batch, t->alpha, X, A, t->beta, Y, task));
        case WORLD_SPMM:
            return must(tulle_batch_spmm(batch, t->op, t->alpha, M, X, t->beta, Y, task));
        case WORLD_TRISOLVE:
            return must(tulle_batch_trisolve(batch, part, t->diag, t->op, t->alpha, M, X, Y, task));
        case WORLD_FACTOR:
            return must(tulle_batch_factor(batch, F, M, task));
        case WORLD_SOLVE:
            return must(t->part == 2
                            ? tulle_batch_solve(batch, t->op, t->alpha, F, X, Y, task)
                            : tulle_batch_solve_part(batch, part, t->op, t->alpha, F, X, Y, task));
        case WORLD_SCALE:
            return must(tulle_batch_scale(batch, t->alpha, X, Y, task));
        case WORLD_COPY:
            return must(tulle_batch_copy(batch, X, Y, task));
        case WORLD_NORM2:
            return must(tulle_batch_norm2(batch, X, Y, task));
        default:
            return must(tulle_batch_norm_max(batch, X, Y, task));
    }
}

static bool touches(const world_task *t, int vector) {
    return t->x == vector || t->a == vector || t->y == vector;
}

/* Whether one changes what the other needs or changes. */
static bool in_conflict(const world_task *t, const world_task *u) {
    const bool factors = t->factor >= 0 && t->factor == u->factor;
    if (factors && (t->kind == WORLD_FACTOR || u->kind == WORLD_FACTOR)) return true;
    return (t->y >= 0 && touches(u, t->y)) || (u->y >= 0 && touches(t, u->y));
}

void world_record(const world *w, tulle_batch *batch) {
    for (int i = 0; i < w->tasks; i++) {
        int task = -1;
        record(w, w->task + i, batch, &task);
        assert_int_equal(task, i);
        for (int e = 0; e < i; e++) {
            if (in_conflict(w->task + i, w->task + e)) must(tulle_batch_after(batch, i, e));
        }
    }
}

/* Norms by the plain call lie side by side. */
static void norms(const world *w, const world_task *t) {
    const columns *start = w->start + t->y;
    double numbers[16];
    columns to = columns_copy(start);
    const tulle_result result = tulle_to_num(numbers);
    tulle_vec_info info;
    must(t->kind == WORLD_NORM2 ? tulle_vec_norm2(w->ctx, vector(w, t->x), result)
                                : tulle_vec_norm_max(w->ctx, vector(w, t->x), result));
    must(tulle_vec_describe(w->at[t->y].X, &info));
    for (int64_t c = 0; c < to.cols; c++) to.at[c] = numbers[c];
    placed fresh = columns_place(w->ctx, &to, info.type, w->at[t->y].how);
    must(tulle_vec_copy(w->ctx, fresh.X, w->at[t->y].X));
    placed_free(&fresh);
    columns_free(&to);
}

/* By the plain call; false: a batch need not have its bits here. */
static bool call(const world *w, const world_task *t) {
    const bool cpu = w->ctx->kind == TULLE_CPU;
    const tulle_scalar alpha = tulle_num(t->alpha), beta = tulle_num(t->beta);
    tulle_vec *X = vector(w, t->x), *Y = vector(w, t->y);
    const tulle_part part = (tulle_part)t->part;
    switch (t->kind) {
        case WORLD_AXPY:
            if (cpu) must(tulle_vec_combine(w->ctx, alpha, X, vector(w, t->a), beta, Y));
            return cpu;
        case WORLD_DOT:
            if (cpu) must(tulle_vec_inner(w->ctx, alpha, X, vector(w, t->a), beta, Y));
            return cpu;
        case WORLD_SPMM:
            if (cpu) must(tulle_spmm(w->ctx, t->op, alpha, w->A[t->matrix], X, beta, Y));
            return cpu;
        case WORLD_FACTOR:
            if (cpu) must(tulle_factor_update(w->ctx, w->F[t->factor], w->A[t->matrix]));
            return cpu;
        case WORLD_TRISOLVE:
            must(tulle_trisolve(w->ctx, part, t->diag, t->op, alpha, w->A[t->matrix], X, Y));
            return true;
        case WORLD_SOLVE:
            must(t->part == 2
                     ? tulle_factor_solve(w->ctx, t->op, alpha, w->F[t->factor], X, Y)
                     : tulle_factor_solve_part(w->ctx, part, t->op, alpha, w->F[t->factor], X, Y));
            return true;
        case WORLD_SCALE:
            if (X != Y) must(tulle_vec_copy(w->ctx, X, Y));
            must(tulle_vec_scale(w->ctx, alpha, Y));
            return true;
        case WORLD_COPY:
            must(tulle_vec_copy(w->ctx, X, Y));
            return true;
        case WORLD_NORM2:
        case WORLD_NORM_MAX:
        default:
            norms(w, t);
            return true;
    }
}

void world_run_alone(const world *w, tulle_batch_way way, world_count *count) {
    for (int i = 0; i < w->tasks; i++) {
        const world_kind kind = w->task[i].kind;
        const bool plain = call(w, w->task + i);
        tulle_batch *batch = NULL;
        count->tasks[kind]++;
        count->plain[kind] += plain;
        if (plain) continue;
        must(tulle_batch_create(w->ctx, &batch));
        record(w, w->task + i, batch, NULL);
        must(tulle_batch_run(w->ctx, batch, way));
        tulle_batch_destroy(batch);
    }
}

void world_read(const world *w, columns to[WORLD_VECTORS]) {
    for (int i = 0; i < WORLD_VECTORS; i++) to[i] = placed_read(w->ctx, w->at + i);
}

/* Where two change places everywhere, tasks stay in conflict with the same others. */
static int exchanged(int number, const bool *exchange) {
    return number >= 0 && exchange[number / 2] ? number ^ 1 : number;
}

int world_change(world *w, uint64_t *random, tulle_batch_replacement **replacements) {
    bool exchange[WORLD_VECTORS / 2], matrices, factors;
    for (int p = 0; p < WORLD_VECTORS / 2; p++) exchange[p] = below(random, 2);
    matrices = below(random, 2);
    factors = below(random, 2);
    tulle_batch_replacement *all = calloc((size_t)w->tasks, sizeof *all);
    assert_non_null(all);
    for (int i = 0; i < w->tasks; i++) {
        world_task *t = w->task + i;
        const world_task old = *t;
        const bool multiplies = t->kind <= WORLD_SPMM;
        const bool scales = multiplies || t->kind == WORLD_SCALE || t->kind == WORLD_TRISOLVE ||
                            t->kind == WORLD_SOLVE;
        tulle_batch_replacement *r = all + i;
        r->task = i;
        t->x = exchanged(t->x, exchange);
        t->a = exchanged(t->a, exchange);
        t->y = exchanged(t->y, exchange);
        t->matrix = exchanged(t->matrix, &matrices);
        t->factor = exchanged(t->factor, &factors);
        if (t->x != old.x) r->X = vector(w, t->x);
        if (t->a != old.a) r->A = vector(w, t->a);
        if (t->y != old.y) r->Y = vector(w, t->y);
        if (t->matrix != old.matrix) r->matrix = w->A[t->matrix];
        if (t->factor != old.factor) r->F = w->F[t->factor];
        if (scales && below(random, 2)) {
            t->alpha = some_scalar(random);
            r->alpha = &t->alpha;
        }
        if (multiplies && below(random, 2)) {
            t->beta = some_scalar(random);
            r->beta = &t->beta;
        }
    }
    *replacements = all;
    return w->tasks;
}
