/* SPDX-License-Identifier: Apache-2.0 */
/* A solver: a method, its vectors, and its scalars between stages.
 *
 * A solver of several right-hand sides has a member for each: a solver whose vectors and scalars
 * are the member's columns of the solver's. Iterations are those of the whole solver, with one
 * product for all right-hand sides; all else, from the units to the tested residual, is a member's
 * own. A solver of one right-hand side is its only member. */
#ifndef TULLE_SOLVER_SOLVER_H
#define TULLE_SOLVER_SOLVER_H

#include <math.h>

#include "operator/linop.h"
#include "solver/functions.h"
#include "tulle/solver.h"
#include "tulle/vec.h"

/* Numbers of the vectors that every method has; a method's own come after them. */
enum { TULLE__X, TULLE__R, TULLE__B, TULLE__OWN };

/* Largest number of vectors beside GMRES' basis, and of stages of an iteration. */
enum { TULLE__MOST_VECTORS = 12, TULLE__MOST_STAGES = 6 };

typedef struct tulle__method {
    const char *name;
    /* Returns the number of the method's own vectors, a basis not counted. */
    int (*vectors)(const tulle_solver *S);
    /* Returns the number of different iterations before the method begins anew or, where they go
     * round, before the first comes again; 0: all are the same. The scalars are in states 0 and
     * 1 in turns. */
    int (*phases)(const tulle_solver *S);
    /* Makes memory of the method's own; NULL: there is none. */
    tulle_status (*make)(tulle_solver *S);
    /* Computes anew the numbers that the method has of the operators' values, if these were
     * renewed; NULL: there are none. */
    tulle_status (*renew)(tulle_solver *S);
    /* Sets vectors and scalars before the first iteration from x and r = b - A x. Waits. */
    tulle_status (*begin)(tulle_solver *S);
    /* Starts the part of begin's work that is the same in each solution; begin calls
     * tulle__solver_prepare for it. NULL: begin does all by itself. */
    tulle_status (*prepare)(tulle_solver *S);
    /* Starts the work of an iteration. */
    tulle_status (*iterate)(tulle_solver *S, int phase);
    /* Adds to x the part that is not in it yet; NULL: there is none. */
    tulle_status (*end)(tulle_solver *S);
    int products; /* number of products with A, and with M if there is one, in an iteration */
    /* True when rounds of phases follow each other: all but the last are alike by twos, and the
     * last one has products_anew more products. */
    bool goes_round;
    int products_anew;
    int lag; /* number of iterations that are launched after the last one, for its norm */
    /* Method that goes on where this one has failed for want of accuracy; NULL: none. */
    const struct tulle__method *fallback;
} tulle__method;

extern const tulle__method tulle__cg, tulle__bicgstab, tulle__gmres, tulle__chebyshev;
extern const tulle__method tulle__minres, tulle__fgmres;

/* Pipelined CG (pipelined.c), for systems so small that a launch costs more than its work. */
extern const tulle__method tulle__pipelined_cg;

/* CG with one sum an iteration (cg_one_sum.c), for rows that are shared by processes. */
extern const tulle__method tulle__cg_one_sum;

/* The outer method of mixed precision, with the vectors that all methods have and no iterations. */
extern const tulle__method tulle__outer;

/* Returns the row of a method; NULL: no such method. */
const tulle__method *tulle__method_of(tulle_method method);

/* Scalars that a solver keeps between stages, in one piece: they come back at once while the
 * device goes on. */
typedef struct tulle__scalars {
    tulle__solve_state states[TULLE__MOST_STAGES]; /* states by stage; the first, or the first
                                                      two, are between iterations */
    double history[TULLE__HISTORY];                /* norms by iteration */
} tulle__scalars;

/* GMRES' bases and small problem. */
typedef struct tulle__basis {
    int most;
    void *V; /* basis, [most + 1][length] of the type, in the place's memory */
    void *Z; /* FGMRES: the preconditioned basis, [most][length]; else NULL */
    void *small;
    tulle__column column; /* arrays of the small problem */
    double *sums, *whole; /* sums of tulle__orthogonal */
} tulle__basis;

/* Graphs of iterations, one for each phase. */
typedef struct tulle__graph_of {
    void *graph;
    bool has_run; /* true when the phase has run, so that all memory it needs is there */
} tulle__graph_of;

/* Exponents of the powers of 2 by which a solver multiplies A, M and b; x is multiplied by 2^(b
 * - A). */
typedef struct tulle__units {
    int A, M, b;
    bool known;  /* true when A and M have been looked at */
    uint64_t of; /* number of renewals of the operators when they were */
} tulle__units;

/* The exponent of the length of a vector. */
typedef struct tulle__exponent {
    bool finite, is_0; /* finite: no NaN or Inf; is_0: all zeros; `power` is set only of a vector
                          that is finite and not 0 */
    int power;
} tulle__exponent;

struct tulle_solver {
    tulle_ctx *ctx;     /* owned context */
    tulle_linop *A, *M; /* owned operators */
    tulle_solver_options options;
    const tulle__method *first, *method; /* method of a solution at its start, and now */
    tulle_type type;
    int64_t n, length; /* number of rows; length of vectors, with zeros beyond n */
    int count;
    int columns;           /* number of right-hand sides of this solution */
    int most_columns;      /* number of right-hand sides that there is memory for */
    tulle_solver *members; /* owned members, [most_columns]; NULL where there is one right-hand
                              side, and in members */
    tulle_solver *several; /* owned solver of several right-hand sides, made when a solution first
                              has them; else NULL */
    void *numbers;         /* memory of all vectors, [count][most_columns][length]; a member's is
                              the solver's */
    tulle_vec vector[TULLE__MOST_VECTORS];
    tulle_vec *exact;              /* the residual in f64, where type is f32; else NULL */
    tulle_vec *null_space, *along; /* null vectors, and a multivector's components along them */
    tulle__scalars *scalars;       /* scalars between stages, in the place's memory,
                                      [most_columns] */
    double *sums;                  /* sums of stages, [most_columns]
                                      [TULLE__MOST_STAGES][TULLE__STAGE_SUMS][pieces]; with a
                                      communicator, of a stage [ranks][TULLE__STAGE_SUMS] */
    double *own_sums; /* sums of a stage over this process's rows, [TULLE__STAGE_SUMS], where a
                         communicator gathers them */
    int64_t pieces;
    int64_t places; /* number of pieces, or of processes where these are more */
    tulle__basis basis;
    double lowest, highest; /* bounds of the eigenvalues of M A for Chebyshev's method */
    uint64_t estimated_at;  /* number of renewals of the operators when the bounds were estimated */

    tulle__graph_of *graphs;  /* graphs of iterations, [phases, or 1] */
    tulle__graph_of round;    /* graph of many iterations */
    tulle__graph_of prepared; /* graph of the work before the first iteration */
    uint64_t stamp;           /* stamp of the operators that the graphs captured */
    int64_t launched;         /* number of iterations launched, of all solutions */
    tulle__scalars *back;     /* copies of `scalars`, [2][most_columns], in memory that the host
                                 and the device see */
    void *event[2];

    tulle__solve_state now; /* state as the host knows it */
    tulle_solver_report report;
    tulle_solver_report *reports; /* reports of the last solution's right-hand sides, where there
                                     were several, [report_count], with room for most_reports */
    int64_t report_count, most_reports;
    tulle_vec column_of_x; /* the caller's x of a member */
    tulle__units units;
    double unit;              /* factor by which norms of an inner solver are told; else 1 */
    const tulle_vec *given;   /* the caller's x, which holds the guess while the solver runs */
    double noise;             /* norm that rounding may leave of a b that is all null vectors;
                                 else 0 */
    double norm_of_b;         /* 2-norm of b as it is here, in the solver's units */
    tulle_vec *early;         /* the caller's x, where it may be written before the solution is
                                 tested; NULL: not */
    bool is_given;            /* true when the caller's x has the numbers of the solver's own */
    bool from_zero;           /* true when x is 0 at the start */
    bool bad_guess;           /* true when the guess has NaN or Inf */
    double started, deadline; /* times of the start and of the end that is allowed, in seconds;
                                 deadline 0: none */
    double best;              /* the least norm so far; best_at is its iteration */
    int64_t best_at;
    int64_t began; /* number of iterations before this run of the method */
    int64_t told;  /* number of iterations of this run whose norms the host knows */
    bool stopped;  /* true when a monitor has ended the call, and is asked no more */
    bool watched;  /* true where sums are over processes and one of these has a monitor */
    int stop;      /* outcome that the host found in this run, TULLE__GOES_ON, or
                      TULLE__NOT_BEGUN */
    double tested; /* tested norm of x, as it was computed last */
    double before; /* tested norm when the method was begun anew last */
    int ended;     /* outcome of the solution so far, or TULLE__GOES_ON */
    int kept;      /* number of the vector that keeps an x from before; kept_norm is its norm,
                      INFINITY: there is none */
    double kept_norm;
    double begun_with;   /* norm from which the method runs now */
    tulle_solver *inner; /* owned inner solver of mixed precision; else NULL */
    double *room; /* numbers on the host for sums, [room_numbers]: grows, but not in a second run */
    size_t room_numbers;
};

/* Returns the index of the graph for a phase. */
static inline int tulle__graph_of_phase(const tulle_solver *S, int phase) {
    if (!S->method->goes_round) return phase;
    return phase + 1 < S->method->phases(S) ? phase % 2 : 2;
}

/* True when sums are over processes: by the caller's function, or by a communicator. */
static inline bool tulle__is_shared(const tulle_solver *S) {
    return S->options.sum || S->options.comm;
}

/* True when there are no rows, here and, as far as is known, elsewhere. */
static inline bool tulle__is_empty(const tulle_solver *S) {
    return S->n == 0 && !tulle__is_shared(S);
}

/* Says of a member that it is not among those that iterate. */
enum { TULLE__NOT_BEGUN = -2 };

/* Returns how many times its limit a tested norm is: the larger, the farther from a solution. */
static inline double tulle__excess(double norm, double limit) {
    if (!tulle__is_number(norm)) return INFINITY;
    return limit > 0 ? norm / limit : norm > 0 ? INFINITY : 0;
}

/* Returns the solver of right-hand side `column` of a solver. */
static inline tulle_solver *tulle__member(tulle_solver *S, int column) {
    return S->members ? S->members + column : S;
}

/* Returns the vector of an index (TULLE__X and so on): of all right-hand sides. */
static inline tulle_vec *tulle__vector(tulle_solver *S, int number) {
    return S->vector + number;
}

/* True when M's results may differ from the vectors that it is applied to. */
static inline bool tulle__has_M(const tulle_solver *S) {
    return S->M || S->null_space;
}
static inline bool tulle__from_left(const tulle_solver *S) {
    return tulle__has_M(S) && S->options.norm == TULLE_PRECONDITIONED_NORM;
}

/* Make S->null_space, where its options have one, and room for components along it: first memory,
 * column-major, for kernels that want columns; and then the numbers, which communicates. */
tulle_status tulle__solver_take_null_space(tulle_solver *S);
tulle_status tulle__solver_fill_null_space(tulle_solver *S);

/* Compute y := A x and y := M x, with null vectors taken out, in the solver's units. */
tulle_status tulle__solver_apply(tulle_solver *S, tulle_vec *x, tulle_vec *y);
tulle_status tulle__solver_precondition(tulle_solver *S, tulle_vec *x, tulle_vec *y);

/* Computes v := A M x, and hat := M x on the way (preconditioned from the right), or v := M A x,
 * and hat := A x on the way (from the left). Without M, v := A x, and hat is not used. */
tulle_status tulle__solver_operator(tulle_solver *S, tulle_vec *x, tulle_vec *hat, tulle_vec *v);

/* Adds up numbers in host memory over processes. If the caller's sum fails, the error record says
 * so. */
tulle_status tulle__solver_sum(const tulle_solver *S, double *numbers, int count);

/* Takes the part of x along null vectors out. */
tulle_status tulle__solver_project(tulle_solver *S, tulle_vec *x);

/* Runs the stage i, from 0 on, of an iteration, on the vectors of the given indices. The last one's
 * scalars are the next iteration's first. */
tulle_status tulle__solver_stage(tulle_solver *S, tulle__stage_name name, int i, bool last,
                                 const int *vectors);

/* Runs a stage between any two states: takes the sums number `came`, makes those number `goes`. */
typedef struct tulle__step {
    int from, to, came, goes;
} tulle__step;
tulle_status tulle__solver_step(tulle_solver *S, tulle__stage_name name, tulle__step step,
                                const int *vectors);

/* Copies the sums of stage i to the host. Waits. */
tulle_status tulle__solver_sums(tulle_solver *S, tulle__stage_name name, int i, double *sums);

/* Copies all numbers, zeros beyond n too. */
tulle_status tulle__solver_copy(tulle_solver *S, const tulle_vec *from, tulle_vec *to);

/* Sets the scalars before an iteration: queues their copy to the place, and sets the host's
 * copy. */
tulle_status tulle__solver_set_state(tulle_solver *S, const tulle__solve_state *state);

/* Adds up numbers of the type in the place's memory over all processes; each is a sum over this
 * process's rows. */
tulle_status tulle__solver_sum_all(tulle_solver *S, void *numbers, int count);

/* Computes x := 2^power x. */
tulle_status tulle__solver_multiply(tulle_solver *S, int power, tulle_vec *x);

/* Finds the exponent of a vector with this norm, over all processes. Waits. */
tulle_status tulle__solver_exponent(tulle_solver *S, const tulle_vec *x, double norm,
                                    tulle__exponent *found);

/* Returns the exponent of b's unit by b alone, where |b| is this norm. */
int tulle__solver_power_of_b(const tulle_solver *S, double norm, const tulle__exponent *b);

/* Finds the units of A and M by their products with B, which is not 0, unless they are known: X
 * and R are then overwritten. Waits. */
tulle_status tulle__solver_look_at_sizes(tulle_solver *S);

/* Returns the number to be added to the exponent of b's unit, for the sake of A and of a guess,
 * which is in the caller's units. */
int tulle__solver_share_of_b(const tulle_solver *S, const tulle__exponent *guess);

/* Makes X the start: the guess in the solver's units, or 0. */
tulle_status tulle__solver_take_start(tulle_solver *S);

/* Computes r := b - A x; carefully: as exactly as A can. norm: the tested norm, in f64. Waits. */
tulle_status tulle__solver_residual(tulle_solver *S, bool carefully, double *norm);

/* Computes the residual, carefully, of the x that may be handed out: its part along null vectors
 * is taken out before. Where these are no null vectors of A, r is then another one than the
 * method carries. */
tulle_status tulle__solver_check(tulle_solver *S, double *norm);

/* Computes the norm of a vector of one column, over all processes. Waits. */
tulle_status tulle__solver_norm(tulle_solver *S, const tulle_vec *x, double *norm);

/* Iterates from begin to end, or until a limit: the members' `now` says how each ended. Members
 * that had ended before stay as they are. */
tulle_status tulle__solver_iterate(tulle_solver *S);

/* Goes on with another method, which has at most the vectors of the solver's first. */
void tulle__solver_turn_to(tulle_solver *S, const tulle__method *method);

/* Starts the work of the iteration of that phase, and of others that follow it, `most` in all:
 * as many as there is a graph of; count returns their number. */
tulle_status tulle__solver_launch(tulle_solver *S, int phase, int most, int *count);

/* Starts the work that the method prepares: as one launch where it has run before. */
tulle_status tulle__solver_prepare(tulle_solver *S);

/* Gives up graphs of operators that do other work than when they were captured. */
void tulle__solver_look_at_graphs(tulle_solver *S);

/* Gives up all graphs. */
void tulle__solver_forget_graphs(tulle_solver *S);

/* Solves from B and X, which are in the solver's units, and makes a report of each member in the
 * same units. */
tulle_status tulle__solver_rounds(tulle_solver *S);
tulle_status tulle__solver_mixed(tulle_solver *S);

/* Computes |M b| or |b|, whichever is tested. */
tulle_status tulle__solver_norm_of_b(tulle_solver *S, double *norm);

/* These four are parts of tulle__solver_rounds. tulle__solver_first_residual finds the limit of the
 * tested norm, and computes the first residual and its norm. tulle__solver_run_method runs the
 * method once, in the members that go on (`ended`), from residuals with the norms `tested`.
 * tulle__solver_judge returns the outcome of a solution with the given norm: `before` is the norm
 * at the last beginning, `said` the method's own outcome; TULLE__GOES_ON: the method is to go on.
 * tulle__solver_start judges the start of each member, after it has told the monitor of it. */
tulle_status tulle__solver_first_residual(tulle_solver *S, double *norm);
tulle_status tulle__solver_run_method(tulle_solver *S);
int tulle__solver_judge(tulle_solver *S, double norm, double before, int said);
tulle_status tulle__solver_start(tulle_solver *S);

/* Takes back the x that was kept, if its norm is less than `norm`; the residual is then computed
 * anew, carefully where asked. */
tulle_status tulle__solver_take_back(tulle_solver *S, bool carefully, double *norm);

/* The first returns the exponent of the unit in which the solver has the tested norm; the second
 * returns a tested norm in the caller's units. */
static inline int tulle__norm_power(const tulle_solver *S) {
    return S->units.b + (S->options.norm == TULLE_PRECONDITIONED_NORM ? S->units.M : 0);
}
static inline double tulle__told_norm(const tulle_solver *S, double norm) {
    return ldexp(norm * S->unit, -tulle__norm_power(S));
}

/* Estimates the least and the largest eigenvalue of M A, by `steps` steps of Lanczos' method,
 * with the null space and the sum of the options. */
tulle_status tulle__spectrum(const char *function, tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                             const tulle_solver_options *of, int steps, double *lowest,
                             double *highest);

/* Makes a solver of so many right-hand sides by this method, whatever the options say. */
tulle_status tulle__solver_make(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                const tulle_solver_options *options, const tulle__method *method,
                                int columns, tulle_solver **S);

/* Makes the members of a solver of several right-hand sides, which has all its memory but the
 * method's own. */
tulle_status tulle__solver_make_members(tulle_solver *S);

/* Returns the number of numbers that the sums of one right-hand side take. */
static inline int64_t tulle__solver_sums_step(const tulle_solver *S) {
    return (int64_t)(TULLE__MOST_STAGES * TULLE__STAGE_SUMS) * S->places;
}

/* Solves for one right-hand side, in a call that started at that time in seconds; and the parts of
 * it: before the rounds, from the caller's b and x, and after them. */
tulle_status tulle__solver_run_one(tulle_solver *S, double started, const tulle_vec *b,
                                   tulle_vec *x);
tulle_status tulle__solver_take(tulle_solver *S, const tulle_vec *b, const tulle_vec *x);
tulle_status tulle__solver_give(tulle_solver *S, tulle_vec *x);

/* Queues the copy of x to the caller where x is said to be a solution and may be handed out before
 * its residual is known, so that one wait of the host ends both. */
tulle_status tulle__solver_give_early(tulle_solver *S);
void tulle__solver_reset(tulle_solver *S, double started);
void tulle__solver_tell(tulle_solver *S);

/* Solves A X = B for several right-hand sides by S->several, as many at once as there are members,
 * or, where vectors are distributed and for mixed precision, one after the other by S. */
tulle_status tulle__solver_run_several(tulle_solver *S, const tulle_vec *B, tulle_vec *X);

/* True when M is one more factor in a pass over a vector. */
static inline bool tulle__is_scaled(const tulle_solver *S) {
    return S->M && S->M->scales && !S->null_space;
}

#endif
