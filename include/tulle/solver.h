/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Iterative solution of A x = b by Krylov methods, on operators (linop.h).
 *
 *     tulle_solver_create(ctx, A, M, &(tulle_solver_options){.method = TULLE_CG}, &S);
 *     tulle_solver_run(ctx, S, b, x, &report);
 *     ... A gets new values ...
 *     tulle_linop_renew(ctx, M);                      computes M anew from the new values
 *     tulle_solver_run(ctx, S, b, x, &report);        allocates nothing
 *
 * M is a preconditioner: M times a vector is an approximation of A^-1 times the vector.
 * tulle_linop_renew is needed where M has computed numbers from A's values, such as a diagonal. A
 * solution that does not converge is no error: the report says how it ended.
 */
#ifndef TULLE_SOLVER_H
#define TULLE_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm.h"
#include "context.h"
#include "export.h"
#include "linop.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** A method with its vectors, for any number of systems with the same operators. */
typedef struct tulle_solver tulle_solver;

/** Methods. */
typedef enum tulle_method {
    TULLE_CG = 0,        /**< conjugate gradients: A and M symmetric and positive definite. On a
                              GPU, up to 262,144 rows and 2,097,152 entries, with a diagonal M or
                              none, are begun in its pipelined form, with one sum an iteration;
                              where that ends without a solution, the plain form goes on. In
                              the pipelined form a norm that has fallen by ten digits or more from
                              its largest value may grow again. If max_iterations or max_seconds
                              ends the solution then, x has the norm that is reported, not the
                              smaller one that it had before. With a communicator of several
                              processes, the sums of an iteration are added up at once, and the
                              plain form goes on in the same way */
    TULLE_BICGSTAB = 1,  /**< stabilised biconjugate gradients: any A, two products an iteration */
    TULLE_GMRES = 2,     /**< generalised minimal residuals, restarted: any A */
    TULLE_CHEBYSHEV = 3, /**< Chebyshev's iteration: the eigenvalues of M A positive, no sums */
    TULLE_MINRES = 4,    /**< minimal residuals: A symmetric, also indefinite or singular; M
                              symmetric and positive definite, or none. Of all x in the Krylov
                              space it has the one with the least norm of r = b - A x: that norm,
                              which never grows, is the root of (r, M r), and without M it is |r|.
                              An M that is not positive definite ends as TULLE_INDEFINITE. A
                              singular A for whose b there is no solution ends as TULLE_STAGNATED
                              or TULLE_BROKE_DOWN, with an x of nearly the least |r| */
    TULLE_FGMRES = 5     /**< flexible GMRES: any A. M may be a different operator each time that it
                              is applied, such as an inner solver. x becomes x + Z y, where the
                              columns of Z are the vectors that M returned; they are kept, which
                              takes one vector more per iteration than GMRES, until the method
                              begins anew. TULLE_TRUE_NORM only:
                              other norms are refused (TULLE_INVALID_ARGUMENT) */
} tulle_method;

/** Number of methods. */
enum { TULLE_METHOD_COUNT = 6 };

/** Norms of the residual r = b - A x, one of which is tested. */
typedef enum tulle_residual_norm {
    TULLE_TRUE_NORM = 0,          /**< |r|, against |b|; GMRES, FGMRES and BiCGStab precondition
                                       from the right */
    TULLE_PRECONDITIONED_NORM = 1 /**< |M r|, against |M b|; GMRES and BiCGStab precondition from
                                       the left */
} tulle_residual_norm;

/** Outcomes of a solution: name, number, text. */
#define TULLE_OUTCOMES(X)                                                                          \
    X(CONVERGED, 0, "converged")                                                                   \
    X(MOST_ITERATIONS, 1, "not converged: the limit on iterations was reached")                    \
    X(MOST_TIME, 2, "not converged: the limit on time was reached")                                \
    X(STAGNATED, 3, "not converged: the residual gets no smaller")                                 \
    X(BROKE_DOWN, 4, "not converged: a number that the method divides by became 0")                \
    X(INDEFINITE, 5, "not converged: the matrix or the preconditioner is not positive definite")   \
    X(NOT_A_NUMBER, 6, "not converged: a number is Inf or NaN")                                    \
    X(STOPPED, 7, "not converged: cancelled by the caller")

/** Outcomes of a solution. */
typedef enum tulle_outcome {
/** @cond */
#define X(name, number, text) TULLE_##name = number,
    /** @endcond */
    TULLE_OUTCOMES(X)
#undef X
} tulle_outcome;

/**
 * A function that is told every iteration's number and norm, in order, some iterations late on a
 * GPU; iteration 0 is the start. Where it returns another number than 0 the solution ends, as
 * TULLE_STOPPED, and nothing more is told. Where vectors are distributed, by a communicator or a
 * replaced sum, each process may have a monitor or none; when one says stop, all end in the same
 * iteration.
 */
typedef int (*tulle_monitor_fn)(void *user, int64_t iteration, double norm);

/**
 * A function that turns sums over this process's rows into sums over all processes' rows: @a count
 * of them, on the host. For vectors that are distributed; A and M then do the same with theirs. All
 * processes get the same numbers, and have the same options; a process may have no rows. The first
 * process whose time is over ends the solution in all. As no process has a rank, estimates of
 * eigenvalues start from the same numbers in all of them, and so miss eigenvectors that differ
 * in sign between processes: give Chebyshev its lowest and highest, or use options.comm.
 */
typedef tulle_status (*tulle_sum_fn)(void *user, double *sums, int count);

/** Options of a solution; zeros are the defaults. */
typedef struct tulle_solver_options {
    tulle_method method;      /**< method; 0: TULLE_CG */
    double tolerance;         /**< relative tolerance: the solution ends where the norm is at most
                                   this times that of b; 0: 1e-8, in f32 1e-5 */
    double absolute;          /**< absolute tolerance: the solution also ends where the norm is
                                   at most this */
    tulle_residual_norm norm; /**< norm of the residual that is tested */
    int64_t max_iterations;   /**< largest number of iterations; 0: 10000 */
    double max_seconds;       /**< largest time of a solution in seconds; 0: no limit */
    int64_t patience;         /**< number of iterations without a smaller norm after which the
                                   solution ends; 0: 1000 */
    bool guess;               /**< true: x holds a guess, where the solution starts; false: it
                                   starts at 0 */
    int restart;              /**< GMRES, FGMRES: number of vectors before it begins anew, 1 to
                                   256; 0: 30 */
    double lowest;            /**< Chebyshev: lower bound of the eigenvalues of M A. lowest and
                                   highest both 0: they are estimated by 20 steps of Lanczos'
                                   method when the solver is made, and again after
                                   tulle_linop_renew of A or M */
    double highest;           /**< Chebyshev: upper bound of the eigenvalues of M A; 0: see
                                   lowest */
    /**
     * True when A is singular, its null space is the constant vectors, and the null space of its
     * transpose is the same, as it is where A is symmetric. Another null space is given by
     * null_space; the two options exclude each other. x and M's results are made orthogonal to the
     * null space, and the part of b along it is left out. If the null space of the transpose is
     * another one, b - A x has parts that no x takes away, and a solution does not converge.
     */
    bool constant_null_space;
    const tulle_vec *null_space; /**< Basis of the null space of a singular A, as for
                                        constant_null_space: n x k, columns orthonormal, copied.
                                        NULL: none */
    tulle_monitor_fn monitor;    /**< told every iteration; NULL: none */
    void *monitor_user;          /**< handed to monitor */
    tulle_sum_fn sum;            /**< replaces sums where vectors are distributed; NULL: all
                                      rows are here. With one there is no graph */
    void *sum_user;              /**< handed to sum */
    /**
     * Operator of mixed precision: the method runs in f32 with it, again and again on the residual
     * b - A x in f64, to the same tolerance where the method gains in f32 at all (where A's
     * condition is well below 1e7); a correction that gains nothing is left out. NULL: in A's type.
     */
    tulle_linop *single_A;
    tulle_linop *single_M; /**< preconditioner of single_A; NULL: none */
    double single_scale;   /**< single_A is A times this scale, which brings the numbers of A
                                into the range of f32; a power of 2 leaves their digits. 0: 1 */
    tulle_comm *comm;      /**< communicator of distributed vectors, if A is an operator of the
                                caller's: sums are over all of its processes, in an order of
                                comm.h's, and on a GPU they are queued in the stream. All
                                processes call, and have the same options, which
                                tulle_solver_create compares, and contexts of one kind (CPUs, or
                                GPUs). The solver holds comm. NULL: A's communicator
                                (tulle_linop_from_dist), or none. It excludes sum, and is A's and
                                M's where they have one. An operator of the caller's has none:
                                bounds that tulle_linop_chebyshev estimates for it are those of
                                this process's part alone, tulle_linop_apply of it does nothing
                                in a process without rows, and its failures do not spoil the
                                communicator that it uses */
} tulle_solver_options;

/** Outcome, counts, norms and times of a solution. */
typedef struct tulle_solver_report {
    tulle_outcome outcome; /**< reason why the solution ended */
    int64_t iterations;    /**< number of all iterations; for GMRES and FGMRES, of inner ones */
    int64_t begun_anew;    /**< number of times that the method was begun anew from x, since the
                                norm that it carries had been too small, or for mixed precision */
    int64_t products;      /**< number of applications of A, in either precision */
    int64_t preconditions; /**< number of applications of M */
    double start_norm;     /**< the tested norm at the start */
    double norm;           /**< the tested norm of b - A x at the end, computed anew (see
                                tulle_solver_run) */
    double limit;          /**< limit that the tested norm was to reach */
    double setup_ms;       /**< time of the call before the first iteration, in milliseconds */
    double solve_ms;       /**< time of the rest of the call, in milliseconds */
} tulle_solver_report;

TULLE_BEGIN

/** tulle_solver_create with the size of its options in bytes: bindings for other languages call it.
 */
TULLE_API tulle_status tulle_solver_create_sized(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                                 const tulle_solver_options *options,
                                                 size_t options_size, tulle_solver **S);

/**
 * A solver for A x = b, A n x n, preconditioned by M (NULL: none). It keeps both operators, one
 * more owner of each, and all vectors that the method needs. options NULL: all zeros; copied.
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (options; columns of null_space that are not
 * orthonormal to half of their digits; with a communicator, an option that differs between
 * processes), TULLE_PEER_FAILED, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_TYPE_MISMATCH, TULLE_UNSUPPORTED (Chebyshev: no bounds can be estimated, M A is not
 * positive definite), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT, and statuses that operators and the
 * sum return.
 */
TULLE_HOST_INLINE tulle_status tulle_solver_create(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                                   const tulle_solver_options *options,
                                                   tulle_solver **S) {
    return tulle_solver_create_sized(ctx, A, M, options, sizeof(tulle_solver_options), S);
}

/**
 * Solves A x = b, or A X = B for several right-hand sides: b and x are n x k multivectors of A's
 * type in any layout, possibly the same array.
 *
 * With k > 1 there is one application of A and M to all columns in each iteration; everything else,
 * from the tolerance to the outcome, is a column's own, as if it were solved alone but for
 * rounding. A column that has ended stays as it is while others go on. At most 32 columns are
 * solved at once, and groups of them one after the other; mixed precision, and solutions with a
 * replaced sum or a communicator, take the columns one after the other. The monitor is told of each
 * group from iteration 0 on. After an error the columns of earlier groups may have been written. CG
 * is then never in its pipelined form. The report sums up: the outcome is that of the first column
 * that has not converged, norms and limit are of the column whose norm is the largest multiple of
 * its limit, counts are the largest of any column; tulle_solver_reports tells each column's. The
 * monitor is told each iteration once, with the norm of the column that is farthest from its limit.
 *
 * The residual at the end is computed anew from x, of which the part along the null space is taken
 * out before. Of matrices in CSR, of distributed ones, and of those in f32 in any format, each of
 * its numbers is computed as if in twice the precision of f64, of other operators in their type;
 * the norm, in f64. Matrices in f32 in other formats than CSR are converted for it each time, which
 * takes memory. TULLE_CONVERGED is said only if that norm is at most the limit. If it is larger,
 * although the norm that the method carries along was at most the limit, the method begins anew
 * from x, up to ten times and only as long as each time at least halves the residual. Where a cycle
 * of GMRES or FGMRES has made the residual larger than it was before an earlier one, x is that from
 * before.
 *
 * On a GPU an iteration is launched as a CUDA graph where the operators permit it and sums are of
 * this process alone; the host looks at norms some iterations late, and iterations that run
 * meanwhile leave x alone. Iterations and x do not depend on that. Deterministic: as A and M are.
 * Synchronises: yes. Allocates nothing from the second call on, if A and M do not, but for bounds
 * that are estimated again, and for the residual of f32 matrices in other formats than CSR.
 *
 * The report does not depend on units: where A, M or b are far from 1, the method works with them
 * times powers of 2, by which no digit is lost, and x gets its own; the reported norm is computed
 * of the x that is handed out. The sizes of A and M are found by one application of each in the
 * first solution, in the next one after tulle_linop_renew of A or M, and in that after one that did
 * not converge.
 *
 * b == 0 gives x = 0, whatever the guess, even one with NaN. Otherwise NaN or Inf in b, in a guess
 * or from A ends as TULLE_NOT_A_NUMBER, even where the start is good enough, and so does an x
 * beyond the type; x may then be any numbers. One whose digits are lost below the least normal
 * number ends as TULLE_STAGNATED, and so does a norm that grows to 1e16 times the least. After an
 * error x is as it was, unless the error came with the last residual or after it: then x may be the
 * solution that could not be tested.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED, TULLE_CANCELLED (by the context's progress callback),
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT, and statuses that operators and the sum return. After
 * any of them a solver's communicator has failed (comm.h), as others may wait for this process.
 *
 * Sources: CG: M. R. Hestenes and E. Stiefel 1952, pipelined: P. Ghysels and W. Vanroose 2014,
 * one sum: A. T. Chronopoulos and C. W. Gear 1989; BiCGStab: H. A. van der Vorst 1992; GMRES: Y.
 * Saad and M. H. Schultz 1986, with Gram-Schmidt's method, done twice where once is not enough (L.
 * Giraud and others 2005); Chebyshev: Y. Saad, "Iterative Methods for Sparse Linear Systems",
 * algorithm 12.1; MINRES: C. C. Paige and M. A. Saunders 1975, with M as in H. C. Elman, D. J.
 * Silvester and A. J. Wathen, "Finite Elements and Fast Iterative Solvers", algorithm 4.1; FGMRES:
 * Y. Saad 1993; the iterative solutions of I. Reguly and M. Giles, "Efficient sparse matrix-vector
 * multiplication on cache-based GPUs" (2012).
 */
TULLE_API tulle_status tulle_solver_run(tulle_ctx *ctx, tulle_solver *S, const tulle_vec *b,
                                        tulle_vec *x, tulle_solver_report *report);

/**
 * The reports of the last solution's right-hand sides, in the order of b's columns.
 *
 * *reports points into the solver and holds until its next solution; *columns is 0 where there was
 * no solution. Counts of products and preconditions are those that the column took part in; times
 * are those of the whole call. Errors: TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_solver_reports(const tulle_solver *S,
                                            const tulle_solver_report **reports, int64_t *columns);

/** Gives up a solver; NULL is fine. Synchronises. */
TULLE_API void tulle_solver_destroy(tulle_solver *S);

/** The name of a method: "cg", "bicgstab", "gmres", "chebyshev", "minres", "fgmres"; NULL for
 * no method. */
TULLE_API const char *tulle_method_name(tulle_method method);

/** The name of an outcome, e.g. "CONVERGED"; "UNKNOWN" for any other number. */
TULLE_API const char *tulle_outcome_name(tulle_outcome outcome);

/** One line of text for an outcome. Static storage. */
TULLE_API const char *tulle_outcome_text(tulle_outcome outcome);

TULLE_END
#endif
