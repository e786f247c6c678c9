/* SPDX-License-Identifier: Apache-2.0 */
/* A solver: a method, its vectors, and its scalars between stages. */
#ifndef TULLE_SOLVE_SOLVER_H
#define TULLE_SOLVE_SOLVER_H

#include <math.h>

#include "operator/linop.h"
#include "solve/functions.h"
#include "tulle/solve.h"
#include "tulle/vector.h"

/* The vectors that every method has, by number; its own come after them. */
enum { TULLE__X, TULLE__R, TULLE__B, TULLE__OWN };

/* Most vectors beside GMRES' basis, and most stages of an iteration. */
enum { TULLE__MOST_VECTORS = 12, TULLE__MOST_STAGES = 6 };

typedef struct tulle__method {
    const char *name;
    /* How many vectors of its own, a basis not counted. */
    int (*vectors)(const tulle_solver *S);
    /* How many different iterations there are before it begins anew, or, where they go round,
     * before the first comes again; 0: all are the same. The scalars are in states 0 and 1 in
     * turns. */
    int (*phases)(const tulle_solver *S);
    /* Memory of its own; NULL: none. */
    tulle_status (*make)(tulle_solver *S);
    /* What it computed of the operators' values, if these were renewed; NULL: nothing. */
    tulle_status (*renew)(tulle_solver *S);
    /* From x and r = b - A x: vectors and scalars before the first iteration. Waits. */
    tulle_status (*begin)(tulle_solver *S);
    /* Starts the work of an iteration. */
    tulle_status (*iterate)(tulle_solver *S, int phase);
    /* Puts into x what is not there yet; NULL: nothing. */
    tulle_status (*end)(tulle_solver *S);
    int products; /* with A, and with M if there is one, in an iteration */
    /* Rounds of phases follow each other; all but the last are alike by twos, and the last one has
     * so many more products. */
    bool goes_round;
    int products_anew;
    int lag; /* iterations that are launched after the last one, for its norm */
    /* What goes on where this one has failed for want of accuracy; NULL: nothing. */
    const struct tulle__method *fallback;
} tulle__method;

extern const tulle__method tulle__cg, tulle__bicgstab, tulle__gmres, tulle__chebyshev;

/* CG in other words, for systems so small that a launch costs more than it does. */
extern const tulle__method tulle__pipelined_cg;

/* Of mixed precision: nothing but the vectors that all methods have. */
extern const tulle__method tulle__outer;

/* NULL: no such method. */
const tulle__method *tulle__method_of(tulle_method method);

/* What a solver keeps between stages, in one piece: it comes back at once while the device goes on.
 */
typedef struct tulle__scalars {
    tulle__solve_state states[TULLE__MOST_STAGES]; /* the first, or two, are between iterations */
    double history[TULLE__HISTORY];                /* norms by iteration */
} tulle__scalars;

/* GMRES' basis and small problem. */
typedef struct tulle__basis {
    int most;
    void *V; /* [most + 1][length] of the type, in the place's memory */
    void *small;
    tulle__column column; /* its arrays */
    double *sums, *whole; /* of tulle__orthogonal */
} tulle__basis;

/* Graphs of iterations, one a phase. */
typedef struct tulle__graph_of {
    void *graph;
    bool has_run; /* so that all it needs is there */
} tulle__graph_of;

/* The powers of 2 by which a solver multiplies what it works with, by their exponents: A, M, b, and
 * x by 2^(b - A). */
typedef struct tulle__units {
    int A, M, b;
    bool known;  /* A and M have been looked at */
    uint64_t of; /* after so many renewals of the operators */
} tulle__units;

/* The exponent of the length of a vector. */
typedef struct tulle__exponent {
    bool finite, is_0; /* power: only of what is finite and not 0 */
    int power;
} tulle__exponent;

struct tulle_solver {
    tulle_ctx *ctx;     /* owned */
    tulle_linop *A, *M; /* owned */
    tulle_solve_options options;
    const tulle__method *first, *method; /* of a solution, and now */
    tulle_type type;
    int64_t n, length; /* length: of vectors, with zeros beyond n */
    int count;
    void *numbers; /* of all vectors */
    tulle_dense vector[TULLE__MOST_VECTORS];
    tulle_dense *exact;              /* the residual in f64, where type is f32; else NULL */
    tulle_dense *null_space, *along; /* null vectors, and a multivector's components along them */
    tulle__scalars *scalars;         /* in the place's memory */
    double *sums;                    /* [TULLE__MOST_STAGES][TULLE__STAGE_SUMS][pieces] */
    int64_t pieces;
    tulle__basis basis;
    double lowest, highest; /* Chebyshev */
    uint64_t estimated_at;  /* renewals of the operators when these were estimated */

    tulle__graph_of *graphs; /* [phases, or 1] */
    tulle__graph_of round;   /* of many iterations */
    uint64_t stamp;          /* of what they captured */
    int64_t launched;        /* iterations, of all solutions */
    tulle__scalars *back;    /* [2], memory that the host and the device see */
    void *event[2];

    tulle__solve_state now; /* as the host knows it */
    tulle_solve_report report;
    tulle__units units;
    double unit;              /* norms of an inner solver are told times this; else 1 */
    const tulle_dense *given; /* the caller's x, which holds the guess while the solver runs */
    double noise;             /* what rounding may leave of a b that is all null vectors; else 0 */
    double norm_of_b;         /* the true one, of b as it is here */
    bool from_zero;           /* x is 0 at the start */
    double started, deadline; /* in seconds; deadline 0: none */
    double best;              /* the least norm so far, and whose iteration's it was */
    int64_t best_at;
    int kept; /* the vector of an x from before, and its norm; INFINITY: there is none */
    double kept_norm;
    double begun_with;   /* the norm from which the method runs now */
    tulle_solver *inner; /* mixed precision: owned */
    double *room; /* [room_numbers] of the host, for sums: it grows, but not in a second run */
    size_t room_numbers;
};

/* The graph of a phase, by number. */
static inline int tulle__graph_of_phase(const tulle_solver *S, int phase) {
    if (!S->method->goes_round) return phase;
    return phase + 1 < S->method->phases(S) ? phase % 2 : 2;
}

/* Whether there are no rows, here and, as far as is known, elsewhere. */
static inline bool tulle__is_empty(const tulle_solver *S) {
    return S->n == 0 && !S->options.sum;
}

/* A vector by number. */
static inline tulle_dense *tulle__vector(tulle_solver *S, int number) {
    return S->vector + number;
}

/* Whether M's results differ from what it is applied to. */
static inline bool tulle__has_M(const tulle_solver *S) {
    return S->M || S->null_space;
}
static inline bool tulle__from_left(const tulle_solver *S) {
    return tulle__has_M(S) && S->options.norm == TULLE_PRECONDITIONED_NORM;
}

/* S->null_space, where its options have one, and room for components along it. */
tulle_status tulle__solver_make_null_space(tulle_solver *S);

/* y := A x; y := M x, with null vectors taken out: in the solver's units. */
tulle_status tulle__solver_apply(tulle_solver *S, tulle_dense *x, tulle_dense *y);
tulle_status tulle__solver_precondition(tulle_solver *S, tulle_dense *x, tulle_dense *y);

/* v := the preconditioned operator times x: from the right A M x, with hat := M x; from the left
 * M A x, with hat for what is between. Without M, hat is not used. */
tulle_status tulle__solver_operator(tulle_solver *S, tulle_dense *x, tulle_dense *hat,
                                    tulle_dense *v);

/* The caller's sum; its failure is told as such. */
tulle_status tulle__solver_sum(const tulle_solver *S, double *numbers, int count);

/* Takes the part along null vectors out. */
tulle_status tulle__solver_project(tulle_solver *S, tulle_dense *x);

/* Stage number i of an iteration, on vectors by number. The last one's scalars are the next
 * iteration's first. */
tulle_status tulle__solver_stage(tulle_solver *S, tulle__stage_name name, int i, bool last,
                                 const int *vectors);

/* The same between any two states, with the sums number `came`, making those number `goes`. */
typedef struct tulle__step {
    int from, to, came, goes;
} tulle__step;
tulle_status tulle__solver_step(tulle_solver *S, tulle__stage_name name, tulle__step step,
                                const int *vectors);

/* The sums of stage i, on the host. Waits. */
tulle_status tulle__solver_sums(tulle_solver *S, tulle__stage_name name, int i, double *sums);

/* to := from, zeros beyond n too. */
tulle_status tulle__solver_copy(tulle_solver *S, const tulle_dense *from, tulle_dense *to);

/* The scalars before an iteration, which nobody has yet. */
tulle_status tulle__solver_set_state(tulle_solver *S, const tulle__solve_state *state);

/* Numbers of the type in the place's memory, each a sum over this process's rows. */
tulle_status tulle__solver_sum_all(tulle_solver *S, void *numbers, int count);

/* x := 2^power x. */
tulle_status tulle__solver_multiply(tulle_solver *S, int power, tulle_dense *x);

/* The exponent of a vector with this norm, over all processes. Waits. */
tulle_status tulle__solver_exponent(tulle_solver *S, const tulle_dense *x, double norm,
                                    tulle__exponent *found);

/* The exponent of b's unit, where |b| is this norm, as far as b says. */
int tulle__solver_power_of_b(const tulle_solver *S, double norm, const tulle__exponent *b);

/* The units of A and M, by what they make of B, which is not 0, where that is not known yet: X and
 * R are then overwritten. Waits. */
tulle_status tulle__solver_look_at_sizes(tulle_solver *S);

/* The number to be added to the exponent of b's unit, for the sake of A and of a guess, which is in
 * the caller's units. */
int tulle__solver_share_of_b(const tulle_solver *S, const tulle__exponent *guess);

/* X becomes the start: the guess in the solver's units, or 0. */
tulle_status tulle__solver_take_start(tulle_solver *S);

/* r := b - A x; carefully: as exactly as A can. norm: the tested one, in f64. Waits. */
tulle_status tulle__solver_residual(tulle_solver *S, bool carefully, double *norm);

/* The same, carefully, of the x that may be handed out: its part along null vectors is taken out
 * before. Where these are none of A, r is then not what the method believes. */
tulle_status tulle__solver_check(tulle_solver *S, double *norm);

/* The norm of a vector, over all processes. Waits. */
tulle_status tulle__solver_norm(tulle_solver *S, const tulle_dense *x, double *norm);

/* Iterates from begin to end, or until a limit: S->now says how it ended. */
tulle_status tulle__solver_iterate(tulle_solver *S);

/* Another method, that of the solver's first at most, goes on. */
void tulle__solver_turn_to(tulle_solver *S, const tulle__method *method);

/* Starts the work of the iteration of that phase, and of others that follow it, `most` in all: so
 * many as there is a graph of, count of them. */
tulle_status tulle__solver_launch(tulle_solver *S, int phase, int most, int *count);

/* Gives up graphs of operators that are other work than they were. */
void tulle__solver_look_at_graphs(tulle_solver *S);

/* The graphs are of no use any more. */
void tulle__solver_forget_graphs(tulle_solver *S);

/* Solves from B and X, which are in the solver's units, and makes a report in the same units. */
tulle_status tulle__solver_rounds(tulle_solver *S);
tulle_status tulle__solver_mixed(tulle_solver *S);

/* |M b|, or |b|, whichever is tested. */
tulle_status tulle__solver_norm_of_b(tulle_solver *S, double *norm);

/* Parts of these: the limit of the tested norm and the first residual with that norm; the method
 * once, from a residual with that norm; how a solution ends whose norm is known, `before` it
 * another one, and `said` is what the method says: TULLE__GOES_ON where it is to go on; the same at
 * the start, of which the monitor is told.
 */
tulle_status tulle__solver_first_residual(tulle_solver *S, double *norm);
tulle_status tulle__solver_run_method(tulle_solver *S, double norm);
int tulle__solver_judge(tulle_solver *S, double norm, double before, int said);
int tulle__solver_start(tulle_solver *S, double norm);

/* Takes back the x that was kept, if its norm is less than this one, which is then computed anew;
 * carefully where that counts. */
tulle_status tulle__solver_take_back(tulle_solver *S, bool carefully, double *norm);

/* The exponent of the unit of the tested norm; and a tested norm in the caller's units. */
static inline int tulle__norm_power(const tulle_solver *S) {
    return S->units.b + (S->options.norm == TULLE_PRECONDITIONED_NORM ? S->units.M : 0);
}
static inline double tulle__told_norm(const tulle_solver *S, double norm) {
    return ldexp(norm * S->unit, -tulle__norm_power(S));
}

/* Estimates of the least and the largest eigenvalue of M A, by so many steps of Lanczos' method,
 * with the null space and the sum of the options. */
tulle_status tulle__spectrum(const char *function, tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                             const tulle_solve_options *of, int steps, double *lowest,
                             double *highest);

/* A solver by this method, whatever the options say. */
tulle_status tulle__solver_make(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                const tulle_solve_options *options, const tulle__method *method,
                                tulle_solver **S);

/* Whether M is one more factor in a pass over a vector. */
static inline bool tulle__is_scaled(const tulle_solver *S) {
    return S->M && S->M->scales && !S->null_space;
}

#endif
