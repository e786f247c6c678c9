/* SPDX-License-Identifier: Apache-2.0 */
/* L U and L L^T of many small dense matrices, and solutions with them. Factors are made in place,
 * so A, which is random, is copied first: that is measured, and in the floor, which has what a copy
 * and a call move. */
#include "trials/uniform_dense.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/vectors.h"

static tulle_status create(const trial_problem *p, int64_t rows, tulle_vec **made) {
    const trial_dense *d = p->own;
    return tulle_vec_create_columns(p->ctx, p->info.type, rows, d->systems, p->block.layout, 0,
                                    made);
}

static tulle_status factor(const trial_problem *p, tulle_vec *F) {
    const trial_dense *d = p->own;
    const tulle_uniform_reports nowhere = {NULL};
    if (d->symmetric) return tulle_uniform_cholesky(p->ctx, p->info.rows, F, nowhere);
    return tulle_uniform_lu(p->ctx, p->info.rows, F, d->pivots, nowhere);
}

static tulle_status solve(const trial_problem *p) {
    const trial_dense *d = p->own;
    if (d->symmetric) {
        return tulle_uniform_cholesky_solve(p->ctx, p->info.rows, d->F, p->x, p->y);
    }
    return tulle_uniform_lu_solve(p->ctx, p->info.rows, d->F, d->pivots, p->x, p->y);
}

/* Makes each matrix positive definite: n on the diagonal is more than the sum of the other numbers'
 * sizes in its row, each below 1. */
static void make_positive(const trial_problem *p, void *numbers) {
    const trial_dense *d = p->own;
    const int64_t n = p->info.rows;
    for (int64_t s = 0; s < d->systems; s++) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = (s * n + i) * n + i;
            if (p->info.type == TULLE_F32) {
                ((float *)numbers)[at] = (float)n;
            } else {
                ((double *)numbers)[at] = (double)n;
            }
        }
    }
}

/* Fills the matrices; *host: a copy of them in host memory, unless host is NULL. */
static tulle_status fill_matrices(const trial_problem *p, uint64_t seed, tulle_vec *A,
                                  void **host) {
    const trial_dense *d = p->own;
    tulle_status status = tulle_vec_random(p->ctx, A, seed);
    if (status != TULLE_OK || !(host || d->symmetric)) return status;
    void *numbers = tool_block_host(A);
    status = tool_block_read(p->ctx, A, numbers);
    if (status == TULLE_OK && d->symmetric) {
        make_positive(p, numbers);
        status = tool_block_write(p->ctx, A, numbers);
    }
    if (host) {
        *host = numbers;
    } else {
        free(numbers);
    }
    return status;
}

static tulle_status open_factors(trial_problem *p, const trial_given *given) {
    trial_dense *d = p->own;
    const int64_t n = given->n;
    tulle_status status = create(p, n * n, &p->x);
    if (status == TULLE_OK) status = create(p, n * n, &p->y);
    if (status != TULLE_OK) return status;
    return fill_matrices(p, given->seed, p->x, given->check ? &d->host : NULL);
}

static tulle_status open_solutions(trial_problem *p, const trial_given *given) {
    trial_dense *d = p->own;
    const int64_t n = given->n;
    tulle_status status = create(p, n * n, &d->F);
    if (status == TULLE_OK) status = create(p, n, &p->x);
    if (status == TULLE_OK) status = create(p, n, &p->y);
    if (status == TULLE_OK) status = fill_matrices(p, given->seed, d->F, NULL);
    if (status == TULLE_OK) status = factor(p, d->F);
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, p->x, given->seed + 1);
    if (status != TULLE_OK || !given->check) return status;
    d->host = tool_block_host(p->x);
    return tool_block_read(p->ctx, p->x, d->host);
}

/* Counts for one matrix the numbers that are read or written, and the operations. */
static void count(trial_problem *p) {
    const trial_dense *d = p->own;
    const int64_t n = p->info.rows, triangle = n * (n + 1) / 2;
    const int64_t whole = n * n, touched = d->symmetric ? triangle : whole;
    const int64_t indices = d->symmetric ? 0 : n * (int64_t)sizeof *d->pivots;
    const bool solves = p->detail == TRIAL_DENSE_SOLVE;
    const int64_t numbers = solves ? touched + 2 * n : 2 * whole + 2 * touched;
    int64_t flops = 0;
    for (int64_t left = 0; left < n; left++) { /* rows below a pivot's */
        flops += d->symmetric ? 1 + left + left * (left + 1) : left + 2 * left * left;
    }
    if (solves) flops = d->symmetric ? 2 * n * n : 2 * n * n - n;
    p->minimal_bytes = d->systems * (numbers * tulle_type_size(p->info.type) + indices);
    p->flops = (double)d->systems * (double)flops;
}

static tulle_status take_pivots(const trial_problem *p, trial_dense *d) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_create_columns(p->ctx, TULLE_F32, p->info.rows, d->systems,
                                                   TULLE_COLUMN_MAJOR, 0, &d->room);
    if (status == TULLE_OK) status = tulle_vec_describe(d->room, &info);
    if (status == TULLE_OK) d->pivots = info.data;
    return status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    trial_dense *d = tool_alloc(1, sizeof *d);
    *d = (trial_dense){.symmetric = p->operation == &trial_operation_uniform_cholesky,
                       .systems = given->block.vectors};
    p->own = d;
    count(p);
    tulle_status status = take_pivots(p, d);
    if (status != TULLE_OK) return status;
    return p->detail == TRIAL_DENSE_SOLVE ? open_solutions(p, given) : open_factors(p, given);
}

static void close_problem(trial_problem *p) {
    trial_dense *d = p->own;
    if (!d) return;
    tulle_vec_destroy(d->F);
    tulle_vec_destroy(d->room);
    free(d->host);
    free(d);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    if (p->detail == TRIAL_DENSE_SOLVE) return solve(p);
    tulle_status status = tulle_vec_copy(p->ctx, p->x, p->y);
    return status == TULLE_OK ? factor(p, p->y) : status;
}

/* Fills y and the array of pivots with NaN, which is no index of a row either. */
static tulle_status reset(const trial_problem *p) {
    const trial_dense *d = p->own;
    tulle_status status = trial_problem_poison(p);
    if (status != TULLE_OK || p->detail == TRIAL_DENSE_SOLVE) return status;
    return tulle_vec_fill(p->ctx, d->room, (double)NAN);
}

#define OPERATION(operation_name, what)                                                            \
    const trial_operation trial_operation_##operation_name = {                                     \
        .name = #operation_name,                                                                   \
        .function = "tulle_" #operation_name,                                                      \
        .formula = what,                                                                           \
        .sized = true,                                                                             \
        .most = TULLE_UNIFORM_MOST_DENSE,                                                          \
        .blocks = true,                                                                            \
        .detail = TRIAL_DENSE_DETAILS,                                                             \
        .open = open_problem,                                                                      \
        .close = close_problem,                                                                    \
        .prepare = trial_vectors_prepare,                                                          \
        .run = run,                                                                                \
        .finish = trial_vectors_finish,                                                            \
        .reset = reset,                                                                            \
        .error = trial_dense_error,                                                                \
    };

OPERATION(uniform_lu, "P A = L U of many dense A")
OPERATION(uniform_cholesky, "A = L L' of many dense A")
