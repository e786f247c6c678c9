/* SPDX-License-Identifier: Apache-2.0 */
/* The scalars of a method between its stages, in the place's memory, and the rules by which a stage
 * makes them of the sums of the one before: the same lines on every device. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_SOLVER_STATE_H
#define TULLE_SOLVER_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "tulle/solver.h"

#if defined(__CUDACC__)
#define TULLE__RULE static __host__ __device__ __forceinline__
#else
#define TULLE__RULE static inline
#endif

/* Indices of the scalars, by which the terms of a stage name them. */
enum {
    TULLE__NONE,
    TULLE__ONE, /* 1 */
    TULLE__ALPHA,
    TULLE__BETA,
    TULLE__OMEGA,
    TULLE__BETA_OMEGA, /* product of beta and omega */
    TULLE__RHO,        /* inner product (r, z), or (r0, r) */
    TULLE__DELTA,      /* Chebyshev: half of highest - lowest */
    TULLE__THETA,      /* Chebyshev: the middle of lowest and highest */
    TULLE__SCALARS
};

/* The outcome of a solution that goes on. */
enum { TULLE__GOES_ON = -1 };

typedef struct tulle__solve_state {
    double scalar[TULLE__SCALARS];
    double limit, norm;       /* limit of the tested norm, and the norm itself */
    int64_t iterations, most; /* iterations done, and the number at which the method itself must
                                 end */
    int64_t columns;          /* GMRES: number of columns of the basis, by which x can be
                                 improved */
    int outcome;              /* TULLE__GOES_ON, or a tulle_outcome: then stages do nothing more */
    int preconditioned;       /* true: the preconditioned norm is tested */
} tulle__solve_state;

/* Number of iterations back whose norms are kept. */
enum { TULLE__HISTORY = 256 };

TULLE__RULE bool tulle__is_number(double x) {
    return x - x == 0;
}

/* Ends the method. After NaN or Inf the scalars become 0, so that zeros behind a vector's end
 * stay. */
TULLE__RULE void tulle__end(tulle__solve_state *s, tulle_outcome outcome) {
    s->outcome = (int)outcome;
    if (outcome != TULLE_NOT_A_NUMBER) return;
    s->scalar[TULLE__ALPHA] = s->scalar[TULLE__BETA] = 0;
    s->scalar[TULLE__OMEGA] = s->scalar[TULLE__BETA_OMEGA] = 0;
}

/* Ends an iteration with the square of its norm. */
TULLE__RULE void tulle__judge(tulle__solve_state *s, double square) {
    s->norm = sqrt(square);
    s->iterations++;
    if (!tulle__is_number(square)) {
        tulle__end(s, TULLE_NOT_A_NUMBER);
    } else if (s->norm <= s->limit) {
        tulle__end(s, TULLE_CONVERGED);
    }
}

/* Makes no scalars: there are no sums. */
TULLE__RULE void tulle__rule_none(tulle__solve_state *s, const double *sums) {
    (void)s;
    (void)sums;
}

/* CG, after (p, A p). */
TULLE__RULE void tulle__rule_cg_step(tulle__solve_state *s, const double *sums) {
    s->scalar[TULLE__ALPHA] = s->scalar[TULLE__RHO] / sums[0];
    if (tulle__is_number(sums[0]) && sums[0] > 0 && tulle__is_number(s->scalar[TULLE__ALPHA])) {
        return;
    }
    s->scalar[TULLE__ALPHA] = 0;
    tulle__end(s,
               tulle__is_number(sums[0]) && sums[0] <= 0 ? TULLE_INDEFINITE : TULLE_NOT_A_NUMBER);
}

/* CG, after (r, r), (r, z) and (z, z) of the new residual. */
TULLE__RULE void tulle__rule_cg_turn(tulle__solve_state *s, const double *sums) {
    const double rho = sums[1];
    s->scalar[TULLE__BETA] = rho / s->scalar[TULLE__RHO];
    s->scalar[TULLE__RHO] = rho;
    tulle__judge(s, s->preconditioned ? sums[2] : sums[0]);
    if (s->outcome != TULLE__GOES_ON) return;
    if (!tulle__is_number(rho)) {
        tulle__end(s, TULLE_NOT_A_NUMBER);
    } else if (rho <= 0) {
        tulle__end(s, TULLE_INDEFINITE);
    }
}

/* CG without a preconditioner, after (r, r) of the new residual. */
TULLE__RULE void tulle__rule_cg_turn_plain(tulle__solve_state *s, const double *sums) {
    const double all[] = {sums[0], sums[0], sums[0]};
    tulle__rule_cg_turn(s, all);
}

/* Pipelined CG, after (r, u), (w, u), (r, r) and (u, u), u = M r, w = A u: these are of the
 * residual that the iteration before has left, of which there is none where rho is 0. */
TULLE__RULE void tulle__rule_cg_pipelined(tulle__solve_state *s, const double *sums) {
    const double rho = sums[0], before = s->scalar[TULLE__RHO];
    const double beta = before == 0 ? 0 : rho / before;
    const double curvature = before == 0 ? sums[1] : sums[1] - beta * rho / s->scalar[TULLE__ALPHA];
    if (before != 0) tulle__judge(s, s->preconditioned ? sums[3] : sums[2]);
    s->scalar[TULLE__RHO] = rho;
    s->scalar[TULLE__BETA] = beta;
    s->scalar[TULLE__ALPHA] = rho / curvature;
    if (s->outcome == TULLE__GOES_ON && s->iterations >= s->most) {
        tulle__end(s, TULLE_MOST_ITERATIONS);
    }
    if (s->outcome == TULLE__GOES_ON && !(rho > 0 && curvature > 0)) {
        const bool numbers = tulle__is_number(rho) && tulle__is_number(curvature);
        tulle__end(s, numbers ? TULLE_INDEFINITE : TULLE_NOT_A_NUMBER);
    }
    if (s->outcome != TULLE__GOES_ON) s->scalar[TULLE__ALPHA] = s->scalar[TULLE__BETA] = 0;
}

/* Pipelined CG without a preconditioner, after (r, r) and (w, r). */
TULLE__RULE void tulle__rule_cg_pipelined_plain(tulle__solve_state *s, const double *sums) {
    const double all[] = {sums[0], sums[1], sums[0], sums[0]};
    tulle__rule_cg_pipelined(s, all);
}

/* BiCGStab, after (r0, A p). */
TULLE__RULE void tulle__rule_bicgstab_step(tulle__solve_state *s, const double *sums) {
    s->scalar[TULLE__ALPHA] = s->scalar[TULLE__RHO] / sums[0];
    if (tulle__is_number(s->scalar[TULLE__ALPHA])) return;
    s->scalar[TULLE__ALPHA] = 0;
    tulle__end(s, sums[0] == 0 ? TULLE_BROKE_DOWN : TULLE_NOT_A_NUMBER);
}

/* BiCGStab, after (t, s), (t, t) and (s, s), t = A s. Where s is 0, so is t, and the half step has
 * solved the system. */
TULLE__RULE void tulle__rule_bicgstab_smooth(tulle__solve_state *s, const double *sums) {
    s->scalar[TULLE__OMEGA] = sums[2] == 0 ? 0 : sums[0] / sums[1];
    if (tulle__is_number(s->scalar[TULLE__OMEGA])) return;
    s->scalar[TULLE__OMEGA] = 0;
    tulle__end(s, sums[1] == 0 ? TULLE_BROKE_DOWN : TULLE_NOT_A_NUMBER);
}

/* BiCGStab, after (r, r) and (r0, r). */
TULLE__RULE void tulle__rule_bicgstab_turn(tulle__solve_state *s, const double *sums) {
    const double rho = sums[1], omega = s->scalar[TULLE__OMEGA];
    const double beta = rho / s->scalar[TULLE__RHO] * (s->scalar[TULLE__ALPHA] / omega);
    s->scalar[TULLE__BETA] = beta;
    s->scalar[TULLE__BETA_OMEGA] = beta * omega;
    s->scalar[TULLE__RHO] = rho;
    tulle__judge(s, sums[0]);
    if (s->outcome != TULLE__GOES_ON) return;
    if (omega == 0 || rho == 0) {
        tulle__end(s, TULLE_BROKE_DOWN);
    } else if (!tulle__is_number(beta)) {
        tulle__end(s, TULLE_NOT_A_NUMBER);
    }
}

/* Chebyshev, after (r, r): the factors of the next correction d := beta d + alpha z. */
TULLE__RULE void tulle__rule_chebyshev(tulle__solve_state *s, const double *sums) {
    const double ratio = s->scalar[TULLE__THETA] / s->scalar[TULLE__DELTA];
    const double before = s->scalar[TULLE__RHO], rho = 1 / (2 * ratio - before);
    s->scalar[TULLE__BETA] = rho * before;
    s->scalar[TULLE__ALPHA] = 2 * rho / s->scalar[TULLE__DELTA];
    s->scalar[TULLE__RHO] = rho;
    tulle__judge(s, sums[0]);
}

#endif
