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
    TULLE__SCALARS,
    /* Factors of MINRES' direction, in places that it does not use otherwise: on a GPU each number
     * of a state is two registers of all threads. */
    TULLE__STEP = TULLE__BETA_OMEGA, /* factor of the direction that is added to x */
    TULLE__OF_Z = TULLE__RHO,        /* factor of Lanczos' vector in the direction */
    TULLE__OF_LAST = TULLE__DELTA,   /* factor of the last direction in the next one */
    TULLE__OF_BEFORE = TULLE__THETA  /* factor of the direction before the last in the next one */
};

/* The outcome of a solution that goes on. */
enum { TULLE__GOES_ON = -1 };

/* MINRES: the scalars that no term of a stage names. */
typedef struct tulle__rotations {
    double gamma;        /* length of Lanczos' next vector, the root of (v, z) */
    double gamma_before; /* length of the vector before it */
    double delta;        /* (z, A z) / gamma^2 */
    double eta;          /* norm of the residual by M, the root of (r, M r), with a sign */
    double cosine, sine; /* the last rotation */
    double above;        /* number above the diagonal of the next column, by the rotation before */
    double above_two;    /* number two above the diagonal of the next column */
    double largest;      /* largest number of all columns so far, which stands for the norm of A */
    double noise;        /* share of it that rounding may leave */
    double most;         /* largest length of a direction, in units of 1 / largest */
    double weight;       /* power of 2 by which M counts: roots are the same in all units of M */
} tulle__rotations;

typedef struct tulle__solve_state {
    double scalar[TULLE__SCALARS];
    double limit, norm;       /* limit of the tested norm, and the norm itself */
    int64_t iterations, most; /* iterations done, and the number at which the method itself must
                                 end */
    int64_t columns;          /* GMRES: number of columns of the basis, by which x can be
                                 improved */
    int outcome;              /* TULLE__GOES_ON, or a tulle_outcome: then stages do nothing more */
    int preconditioned;       /* true: the preconditioned norm is tested */
    tulle__rotations turning; /* used by MINRES' stages only: the others need not keep it */
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
    } else if (s->iterations >= s->most) {
        tulle__end(s, TULLE_MOST_ITERATIONS);
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

/* Ends MINRES before a column counts: neither x nor the residual changes any more. */
TULLE__RULE void tulle__minres_leave(tulle__solve_state *s, tulle_outcome outcome) {
    s->scalar[TULLE__ALPHA] = 1;
    s->scalar[TULLE__BETA] = s->scalar[TULLE__OMEGA] = s->scalar[TULLE__STEP] = 0;
    s->scalar[TULLE__OF_Z] = s->scalar[TULLE__OF_LAST] = s->scalar[TULLE__OF_BEFORE] = 0;
    tulle__end(s, outcome);
}

/* MINRES, after (z, A z) of the vector z = M v of length gamma, M without its weight: the factors
 * of Lanczos' next vector A z / gamma - delta v / gamma - gamma v' / gamma', where v' is the vector
 * before, and gamma' its length. The last factor is omega, which is 0 where there is no vector
 * before. */
TULLE__RULE void tulle__rule_minres_lanczos(tulle__solve_state *s, const double *sums) {
    const double gamma = s->turning.gamma, factor = s->turning.weight / gamma;
    const double delta = sums[0] * factor * factor;
    s->turning.delta = delta;
    s->scalar[TULLE__ALPHA] = factor;
    s->scalar[TULLE__BETA] = -delta / gamma;
    const bool numbers = tulle__is_number(factor) && tulle__is_number(delta / gamma) &&
                         tulle__is_number(s->scalar[TULLE__OMEGA]);
    if (!numbers) tulle__minres_leave(s, TULLE_NOT_A_NUMBER);
}

/* MINRES, after (v, z) of Lanczos' next vector: turns the next column of the tridiagonal matrix,
 * and makes the factors of the residual, alpha r + beta v, and of the direction. A column of which
 * nothing but roundoff is left, since A is singular, does not count. */
TULLE__RULE void tulle__rule_minres_turn(tulle__solve_state *s, const double *sums) {
    const tulle__rotations t = s->turning;
    const double next = sqrt(t.weight * sums[0]), diagonal = t.cosine * t.delta - t.sine * t.above;
    const double length = hypot(diagonal, next), second = t.sine * t.delta + t.cosine * t.above;
    const double coupling = s->scalar[TULLE__OMEGA] == 0 ? 0 : t.gamma;
    const double largest = fmax(fmax(t.largest, coupling), fmax(fabs(t.delta), next));
    const double of_z = t.weight / t.gamma / length;
    if (tulle__is_number(sums[0]) && sums[0] < 0) {
        tulle__minres_leave(s, TULLE_INDEFINITE);
    } else if (tulle__is_number(length) && length <= t.noise * largest) {
        tulle__minres_leave(s, TULLE_BROKE_DOWN);
    } else if (!tulle__is_number(length) || !tulle__is_number(of_z)) {
        tulle__minres_leave(s, TULLE_NOT_A_NUMBER);
    } else {
        s->turning.cosine = diagonal / length;
        s->turning.sine = next / length;
        s->turning.eta = -s->turning.sine * t.eta;
        s->turning.above = t.cosine * next;
        s->turning.above_two = t.sine * next;
        s->turning.gamma_before = t.gamma;
        s->turning.gamma = next;
        s->turning.largest = largest;
        s->scalar[TULLE__STEP] = s->turning.cosine * t.eta;
        s->scalar[TULLE__OF_Z] = of_z;
        s->scalar[TULLE__OF_LAST] = -second / length;
        s->scalar[TULLE__OF_BEFORE] = -t.above_two / length;
        s->scalar[TULLE__ALPHA] = s->turning.sine * s->turning.sine;
        s->scalar[TULLE__BETA] = -s->scalar[TULLE__STEP] / length;
        s->scalar[TULLE__OMEGA] = -next / t.gamma;
    }
}

/* MINRES, after (w, w) of the direction, (z, z) of the Lanczos vector that it was made of, and (r,
 * r) of the new residual. Where the direction is so long beside that vector that A w is noise, r
 * is a null vector of A, as far as can be known, and x stays: what is to be done is then said by
 * the residual that is computed anew. Lanczos' next vector may be 0 to M and yet not be 0, where M
 * is singular. */
TULLE__RULE void tulle__rule_minres_step(tulle__solve_state *s, const double *sums) {
    const double unit = s->turning.weight * sqrt(sums[1]) / s->turning.gamma_before;
    const double length = sqrt(sums[0]) * s->turning.largest;
    if (!tulle__is_number(length) || !tulle__is_number(unit)) {
        tulle__minres_leave(s, TULLE_NOT_A_NUMBER);
    } else if (length > s->turning.most * unit) {
        tulle__minres_leave(s, TULLE_CONVERGED);
    } else {
        tulle__judge(s, sums[2]);
        if (s->outcome == TULLE__GOES_ON && s->turning.gamma == 0) {
            tulle__end(s, TULLE_BROKE_DOWN);
        }
    }
}

/* MINRES without a preconditioner, after (w, w) and (z, z): eta is the norm of the residual. */
TULLE__RULE void tulle__rule_minres_step_plain(tulle__solve_state *s, const double *sums) {
    const double all[] = {sums[0], sums[1], s->turning.eta * s->turning.eta};
    tulle__rule_minres_step(s, all);
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
