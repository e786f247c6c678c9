/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of the ends of a spectrum: the coefficients of conjugate gradients are those of
 * Lanczos' tridiagonal matrix (Y. Saad, "Iterative Methods for Sparse Linear Systems", 6.7.3),
 * whose eigenvalues are counted by Sturm's sequence. */
#include <math.h>

#include "comm/comm.h"
#include "solver/solver.h"

enum { MOST_STEPS = 64, BISECTIONS = 60, SEED = 1 };

/* Relative size of the residual below which nothing is left but rounding. */
static const double exhausted[] = {[TULLE_F32] = 1e-5, [TULLE_F64] = 1e-10};

typedef struct tridiagonal {
    int n;
    double d[MOST_STEPS], e[MOST_STEPS]; /* d: diagonal; e: squares beside the diagonal */
} tridiagonal;

/* Returns the number of eigenvalues of T below x, by Sturm's sequence: the number of negative
 * pivots of T - x I. */
static int count_below(const tridiagonal *T, double x) {
    double q = 1;
    int below = 0;
    for (int i = 0; i < T->n; i++) {
        q = T->d[i] - x - (i > 0 ? T->e[i - 1] / q : 0);
        if (q == 0) q = 1e-300;
        below += q < 0;
    }
    return below;
}

/* Finds the eigenvalue that has `below` others below it. */
static double eigenvalue(const tridiagonal *T, int below) {
    double low = 0, high = 0;
    for (int i = 0; i < T->n; i++) {
        const double left = i > 0 ? sqrt(T->e[i - 1]) : 0;
        const double right = i + 1 < T->n ? sqrt(T->e[i]) : 0;
        high = fmax(high, T->d[i] + left + right);
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        if (count_below(T, middle) > below) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* Takes an iteration of CG, and its row of T. */
static tulle_status take_step(tulle_solver *S, tridiagonal *T, double *alpha, double *beta) {
    TULLE__TRY(S->method->iterate(S, 0));
    TULLE__TRY(tulle__copy_wait(S->ctx, &S->now, S->scalars->states, sizeof S->now));
    const double *s = S->now.scalar;
    if (S->now.outcome == TULLE_INDEFINITE || S->now.outcome == TULLE_NOT_A_NUMBER) {
        return TULLE_OK;
    }
    T->d[T->n] = 1 / s[TULLE__ALPHA] + (T->n > 0 ? *beta / *alpha : 0);
    *alpha = s[TULLE__ALPHA];
    *beta = s[TULLE__BETA];
    T->e[T->n++] = *beta / (*alpha * *alpha);
    return TULLE_OK;
}

/* Returns the seed of this process's part of Lanczos' first vector. Parts of the same numbers would
 * have nothing of eigenvectors that differ in sign between processes. */
static uint64_t seed_of(const tulle_solver *S) {
    const tulle_comm *comm = S->options.comm;
    return SEED + (comm ? (uint64_t)comm->functions.rank : 0);
}

static tulle_status start(tulle_solver *S, double *norm) {
    tulle_vec *r = tulle__vector(S, TULLE__R), *b = tulle__vector(S, TULLE__B);
    TULLE__TRY(tulle_vec_random(S->ctx, b, seed_of(S)));
    TULLE__TRY(tulle__solver_project(S, b));
    TULLE__TRY(tulle__solver_look_at_sizes(S));
    TULLE__TRY(tulle__solver_copy(S, b, r));
    TULLE__TRY(tulle__solver_norm(S, r, norm));
    S->now = (tulle__solve_state){.outcome = TULLE__GOES_ON, .most = INT64_MAX};
    S->now.scalar[TULLE__ONE] = 1;
    S->unit = 1;
    return S->method->begin(S);
}

static tulle_status estimate(tulle_solver *S, int steps, tridiagonal *T) {
    double norm, alpha = 0, beta = 0;
    TULLE__TRY(start(S, &norm));
    while (T->n < steps && S->now.outcome == TULLE__GOES_ON) {
        TULLE__TRY(take_step(S, T, &alpha, &beta));
        if (S->now.norm <= exhausted[S->type] * norm) break;
    }
    return TULLE_OK;
}

tulle_status tulle__spectrum(const char *function, tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                             const tulle_solver_options *of, int steps, double *lowest,
                             double *highest) {
    const tulle_solver_options options = {.method = TULLE_CG,
                                          .null_space = of->null_space,
                                          .constant_null_space = of->constant_null_space,
                                          .sum = of->sum,
                                          .sum_user = of->sum_user,
                                          .comm = of->comm};
    tulle_solver *S;
    tridiagonal T = {.n = 0};
    TULLE__TRY(tulle__solver_make(ctx, A, M, &options, &tulle__cg, 1, &S));
    const tulle_status status = tulle__comm_spoil(
        S->options.comm, estimate(S, steps < MOST_STEPS ? steps : MOST_STEPS, &T));
    const int outcome = S->now.outcome, units = S->units.A + S->units.M;
    tulle_solver_destroy(S);
    TULLE__TRY(status);
    if (T.n == 0 || outcome == TULLE_INDEFINITE || outcome == TULLE_NOT_A_NUMBER) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "no bounds of eigenvalues can be estimated: the preconditioned operator "
                           "is not positive definite; give lowest and highest");
    }
    *lowest = ldexp(eigenvalue(&T, 0), -units);
    *highest = ldexp(eigenvalue(&T, T.n - 1), -units);
    return TULLE_OK;
}
