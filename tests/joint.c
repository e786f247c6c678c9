/* SPDX-License-Identifier: Apache-2.0 */
#include "joint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

int64_t joint_share(const joint *t, int ranks, int rank, int64_t *first) {
    if (!t->none_for_1 || ranks == 1) return tulle_dist_share(t->s.n, ranks, rank, first);
    if (rank == 1) {
        *first = tulle_dist_share(t->s.n, ranks - 1, 0, NULL);
        return 0;
    }
    return tulle_dist_share(t->s.n, ranks - 1, rank > 0 ? rank - 1 : 0, first);
}

tulle_status joint_matrix(const process *p, tulle_dist_mat **A) {
    const joint *t = p->data;
    int64_t first;
    const int64_t rows = joint_share(t, p->ranks, p->rank, &first), begin = t->s.offsets[first];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = t->s.offsets[first + i] - begin;
    void *values = ranks_numbers(t->s.values + begin, offsets[rows], t->type);
    const tulle_status status = tulle_dist_mat_create(p->ctx, p->comm, rows, rows, offsets,
                                                      t->s.columns + begin, t->type, values, A);
    free(values);
    free(offsets);
    return status;
}

static tulle_status make_preconditioner(const process *p, tulle_dist_mat *A, tulle_linop *L,
                                        tulle_linop **M) {
    const joint *t = p->data;
    tulle_mat *block = tulle_dist_mat_block(A);
    tulle_linop *diagonal = NULL;
    tulle_factor *F = NULL;
    tulle_status status = TULLE_OK;
    switch (t->with) {
        case WITH_JACOBI:
            return tulle_linop_jacobi(p->ctx, L, M);
        case WITH_BLOCK:
            return tulle_linop_block_jacobi(p->ctx, block, 4, M);
        case WITH_ILU:
            status = tulle_factor_create(p->ctx, block, NULL, &F);
            if (status == TULLE_OK) status = tulle_linop_from_factor(p->ctx, F, t->type, M);
            tulle_factor_destroy(F);
            return status;
        case WITH_POLYNOMIAL:
            status = tulle_linop_jacobi(p->ctx, L, &diagonal);
            if (status == TULLE_OK) {
                status = tulle_linop_chebyshev(p->ctx, L, diagonal, 3, 0, 0, M);
            }
            tulle_linop_destroy(diagonal);
            return status;
        case WITH_MULTIGRID:
            return tulle_amg_create_dist(
                p->ctx, A, &(tulle_amg_options){.gathered_rows = 30, .coarsest_rows = 10}, M);
        default:
            return TULLE_OK;
    }
}

static tulle_status run(const process *p, tulle_linop *L, tulle_linop *M, tulle_vec *b,
                        tulle_vec *x) {
    joint *t = p->data;
    tulle_solver *S = NULL;
    tulle_solver_options options = t->options;
    if (t->monitor_for_1 && p->rank != 1) options.monitor = NULL;
    tulle_status status = tulle_solver_create(p->ctx, L, M, &options, &S);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, t->report + p->rank);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, x, 0, t->x);
    tulle_solver_destroy(S);
    return status;
}

tulle_status joint_solve(process *p) {
    const joint *t = p->data;
    int64_t first;
    const int64_t rows = joint_share(t, p->ranks, p->rank, &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_vec *b = NULL, *x = NULL;
    void *given = ranks_numbers(t->b + first, rows, t->type);
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = make_preconditioner(p, A, L, &M);
    tulle_dist_mat_destroy(A); /* the operator holds it */
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, b, given, 0);
    if (status == TULLE_OK) status = run(p, L, M, b, x);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    free(given);
    return status;
}

tulle_solver_report joint_run(const char *where, int ranks, joint *t) {
    process p[MOST_RANKS];
    run_ranks(ranks, 0, where, joint_solve, t, p);
    must_all(p);
    for (int r = 1; r < ranks; r++) {
        assert_int_equal(t->report[r].outcome, t->report[0].outcome);
        assert_int_equal(t->report[r].iterations, t->report[0].iterations);
        assert_true(t->report[r].norm == t->report[0].norm);
    }
    return t->report[0];
}

double joint_residual(const joint *t) {
    long double squares = 0, of_b = 0;
    for (int64_t i = 0; i < t->s.n; i++) {
        long double r = t->b[i];
        const void *x = t->x;
        for (int64_t e = t->s.offsets[i]; e < t->s.offsets[i + 1]; e++) {
            const int64_t c = t->s.columns[e];
            r -= t->s.values[e] *
                 (long double)(t->type == TULLE_F32 ? ((const float *)x)[c] : t->x[c]);
        }
        squares += r * r;
        of_b += (long double)t->b[i] * t->b[i];
    }
    return (double)sqrtl(squares / of_b);
}

joint joint_make(int side, double convection, double *b, double *x) {
    joint t = {.s = system_grid(side, convection, 0), .type = TULLE_F64, .b = b, .x = x};
    for (int64_t i = 0; i < t.s.n; i++) b[i] = (double)(float)cos((double)(i * i % 97));
    return t;
}
