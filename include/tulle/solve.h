/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A x = b in one call: tulle_solve counts facts of A, chooses a method and a preconditioner, and
 * says why.
 *
 *     tulle_solve_report report;
 *     tulle_solve(ctx, A, b, x, NULL, &report);
 *     if (report.solver.outcome != TULLE_CONVERGED) ...
 *
 * For many systems with one matrix, or for time steps, make the chosen solver once: solver.h.
 */
#ifndef TULLE_SOLVE_H
#define TULLE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "amg.h"
#include "context.h"
#include "dist.h"
#include "export.h"
#include "factor.h"
#include "facts.h"
#include "linop.h"
#include "matrix.h"
#include "solver.h"
#include "status.h"
#include "types.h"
#include "vec.h"

enum {
    TULLE_PRECOND_NAME = 32, /**< bytes of a preconditioner's name */
    TULLE_WHY = 256,         /**< bytes of a reason */
    TULLE_MOST_ATTEMPTS = 8  /**< largest number of attempts at one system */
};

/** Options of tulle_solve; zeros choose. */
typedef struct tulle_solve_options {
    const char *method; /**< name of the method, as tulle_method_name gives it; NULL: chosen */
    /**
     * Preconditioner; NULL: chosen. "none"; "jacobi": the diagonal; "block-jacobi:B": blocks of B
     * rows along the diagonal, 1 to 16 (without ":B" 4); "ilu:K", "ic:K": incomplete factors L U,
     * or L L^T, with fill up to level K (without ":K" 0); "milu:K": ILU with what is dropped
     * subtracted from the diagonal (tulle_factor_options.modified = 1); "lu": complete factors in
     * an order with little fill, without exchanges of rows, tiny pivots boosted; "chebyshev:D":
     * Chebyshev's polynomial of degree D on the diagonal, 1 to 100 (without ":D" 4); "amg:D":
     * multigrid with a smoother of degree D, 1 to 8 (without ":D" 2); "amg-plain:D",
     * "amg-smoothed:D": multigrid by plain, or smoothed, aggregation (tulle_amg_family).
     */
    const char *precond;
    double shift;           /**< incomplete factors: diagonal entries count 1 + shift times */
    double precond_lowest;  /**< "chebyshev:D": lower bound of the eigenvalues of M A, M the inverse
                                 diagonal; both bounds 0: they are estimated */
    double precond_highest; /**< "chebyshev:D": upper bound of these eigenvalues */
    bool keep_format;       /**< true: products and factors take A in its own format; false: blocks
                                 (BSR) may be chosen where A is in CSR and its blocks are full */
    bool mixed; /**< true: A, which is in f64 and CSR, is rounded to f32, and the method runs in
                     f32 on residuals in f64 (tulle_solver_options.single_A) */
    /**
     * An operator that is A but for rounding, such as a product without a matrix: the method
     * iterates with it, and what is made of entries (facts, preconditioner) is made of A. NULL: A.
     */
    tulle_linop *instead;
    int max_attempts; /**< largest number of attempts, also of those whose preconditioner
                           cannot be made, at most TULLE_MOST_ATTEMPTS; 0: as many as
                           the facts of A allow */
    int block; /**< unknowns of a node, 1 to 16, for multigrid of nodes: tulle_amg_options.block. 0:
                    with near_null, the rows of A's blocks where A is in BSR, or in CSR with full
                    blocks where the preconditioner is chosen; else 1 */
    const tulle_vec *near_null;  /**< near null space for multigrid of nodes, such as rigid motions
                                      (tulle_near_null_rigid): tulle_amg_options.near_null. NULL:
                                      none */
    tulle_linop **keep_precond;  /**< receives the preconditioner of the attempt whose x was handed
                                      out, one more owner of it, for further solutions or
                                      questions (tulle_amg_level); NULL is stored where there is
                                      none. NULL: not wanted */
    tulle_solver_options solver; /**< tolerance, limits, guess, monitor, null space and so on. The
                                      field stays the last one, because its struct may grow. Its
                                      method, single_A, single_M and single_scale are not read.
                                      max_iterations, where it is not 0, and max_seconds hold for
                                      the whole call: conversions, counting, preconditioners and
                                      all attempts together. Time is looked at where the context's
                                      progress callback is told, so that one step of a factor or
                                      of an order may end late */
} tulle_solve_options;

/** One attempt to solve a system. */
typedef struct tulle_solve_attempt {
    tulle_method method;              /**< method */
    char precond[TULLE_PRECOND_NAME]; /**< preconditioner, as in tulle_solve_options.precond */
    bool permuted; /**< true: rows of A were permuted first (tulle_order_diagonal) */
    bool made;     /**< false: the preconditioner could not be made or is of no use, and nothing was
                        iterated */
    tulle_outcome outcome; /**< reason why the iteration ended, where made */
    int64_t iterations;    /**< number of iterations */
    int64_t row;           /**< not made: row of the pivot or block at fault; -1: no row */
    double norm;           /**< tested norm of b - A x at the end, where made */
    double ms;             /**< time of setup and iteration, in milliseconds */
} tulle_solve_attempt;

/** Findings, choice and result of tulle_solve. */
typedef struct tulle_solve_report {
    tulle_solver_report solver;       /**< outcome, counts, norms and times of the attempt whose x
                                           was handed out; the outcome is that of a limit or of
                                           the monitor (TULLE_MOST_TIME, TULLE_MOST_ITERATIONS,
                                           TULLE_STOPPED) where a limit or the
                                           monitor ended a later attempt. norm
                                           is that of the x that was handed out */
    tulle_method method;              /**< method of that attempt */
    char precond[TULLE_PRECOND_NAME]; /**< preconditioner of that attempt */
    bool permuted;                    /**< true: that attempt permuted the rows of A first */
    int restart;                      /**< vectors of GMRES before it begins anew; 0: the default */
    char method_why[TULLE_WHY]; /**< reason for the method, one line for people; "": it was given */
    char precond_why[TULLE_WHY]; /**< reason for the preconditioner; "": it was given */
    char format_why[TULLE_WHY]; /**< reason for the format; "": A is in its own format, or in CSR */
    tulle_facts facts;          /**< facts of A; zeros where nothing was to be chosen */
    tulle_factor_info factors;  /**< incomplete factors; rows 0: none */
    tulle_amg_info hierarchy;   /**< multigrid's hierarchy; levels 0: none */
    tulle_mat_info solved;      /**< A in the format and type that is iterated with */
    int attempts;               /**< number of attempts */
    int used;                   /**< index of the attempt whose x was handed out */
    tulle_solve_attempt attempt[TULLE_MOST_ATTEMPTS]; /**< attempts in their order */
    double choose_ms;  /**< time of counting and choosing, in milliseconds */
    double convert_ms; /**< time of conversions of A, in milliseconds */
    double precond_ms; /**< time of making preconditioners, in milliseconds, with that of finding
                          the order of factors */
    double create_ms;  /**< time of making solvers, in milliseconds */
} tulle_solve_report;

TULLE_BEGIN

/** tulle_solve with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_solve_sized(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b,
                                         tulle_vec *x, const tulle_solve_options *options,
                                         size_t options_size, tulle_solve_report *report);

/**
 * Solves A x = b, A n x n, by an iterative method that is chosen, with its preconditioner, by facts
 * of A (tulle_mat_facts):
 *
 * - CG where A is symmetric and may be positive definite: its diagonal is positive, and no pair of
 *   entries shows the contrary; on trial also where A is only nearly symmetric
 *   (tulle_facts.nearly_symmetric) and otherwise like that: for 1,000 iterations, or for 250 if the
 *   norm has not fallen by then;
 * - BiCGStab where A is not symmetric and its diagonal is dominant;
 * - GMRES otherwise; on a GPU BiCGStab with the diagonal is on trial before it, for as many
 *   iterations, where A is not symmetric, has a whole diagonal and more than 256 rows.
 *
 * Where A is symmetric and all of its diagonal is negative, the system is solved as -A x = -b, with
 * a copy of A, if method and preconditioner are chosen, the preconditioner is not kept, and A
 * itself is iterated with in f64 or f32, in CSR: A is -A in what follows.
 *
 * The preconditioner is incomplete factors without fill if an iteration with them is expected to
 * take at most three times as long as one with the diagonal, because they save about two of three
 * iterations (two and a half times where A may get multigrid, because they save three of five), and
 * if making them is expected to take at most as long as 200 products with A. Both expectations come
 * from counts of entries, rows and levels alone. Otherwise it is the diagonal, or blocks along it
 * where A's blocks are full. Rows of an A that is not symmetric and lacks diagonal entries change
 * places first.
 *
 * With CG or BiCGStab, an A with at most a quarter of its entries off the diagonal positive gets
 * multigrid (tulle_amg_create) in two cases: at once, if many iterations are expected, to judge by
 * the longest chain of rows that wait for each other in A's lower triangle; and later, once the
 * method has taken as long as multigrid is expected to take, or CG a quarter of that time without
 * a fall of the norm, or half of it with a norm that foretells more than another half. Plain
 * aggregation comes first where the entries of nearly all rows are alike, and the classical family
 * follows where its first iterations gain too little; elsewhere the classical family comes first.
 *
 * Multigrid of nodes (tulle_amg_create, smoothed aggregation) comes first, with any method, where
 * options.block above 1 or options.near_null is given and the diagonal of A is positive, unless A
 * is symmetric and not definite. It has 200 iterations; the preconditioner that is chosen without
 * multigrid follows. In CSR with full blocks of that size A is converted to BSR for it.
 *
 * On a CPU, complete factors of at most 10,000 rows take the place of GMRES if making them is
 * expected to take at most as long as 50 of its iterations. If it is expected to take as long as
 * 300 iterations or less, complete factors follow GMRES (and CG, for at most 10,000 rows) once the
 * method has taken that long without a solution; CG gives way at half of its trial where its norm
 * foretells that the rest takes longer. Nothing is factorised to find these times out.
 *
 * An attempt that does not converge is followed by the next that the facts allow: another
 * preconditioner where its pivots fail, factors where the diagonal was too weak, GMRES where a
 * matrix turns out not to be definite, MINRES where A is symmetric, rows in an order that brings
 * large entries to the diagonal (tulle_order_diagonal) and, where that is of no use, back where
 * they came, GMRES with more vectors and with fill. Each attempt stands in the report. The next
 * attempt begins at the best x so far; x is, in the end, that with the smallest norm, the x at the
 * start (0, or the guess) included. A later attempt that has no memory ends the call with that x.
 * What is given in the options is not changed: then a preconditioner that cannot be made is an
 * error; where none of those that were chosen can be made the outcome is TULLE_BROKE_DOWN.
 *
 * @param A       any format for products; of another than CSR a copy in CSR is made where facts
 *                are counted, and factors are chosen for CSR and BSR alone. Repeated entries of
 *                COO, CSC, DCSR and CSR are added, in A's type, unless keep_format is true
 * @param b, x    vectors of A's type, apart from each other; or n x k multivectors for k right-hand
 *                sides, which are solved at once (tulle_solver_run). All go through the same
 *                attempts, in which those that are solved stay as they are; the report's outcome
 *                is that of the first that is not solved, its norm that of the one that is
 *                farthest from its limit
 * @param options NULL: all zeros
 * @param report  receives what was found, chosen and reached; not NULL
 *
 * TULLE_OK says that the call ended; the report's outcome says how. TULLE_CONVERGED rests on the
 * residual b - A x alone, which is computed anew from x with A as it was given (tulle_solver_run),
 * in all formats as if in twice the precision of f64. For that, formats other than CSR are
 * converted to CSR each time; where there is no memory for a copy the residual is computed in A's
 * type.
 *
 * After an error x may hold what an attempt left there.
 *
 * Synchronises. Deterministic: as the methods are. The choice depends on A, on the device and on
 * the number of the context's threads; in a repeatable context that number does not count. It does
 * not depend on time, except where max_seconds ends an attempt.
 *
 * Errors: TULLE_INVALID_ARGUMENT (options; block or near_null with a preconditioner that is not
 * "amg" or "amg-smoothed"), TULLE_SHAPE_MISMATCH (also of block and
 * near_null, as tulle_amg_create), TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_ALIASED,
 * TULLE_ZERO_PIVOT (of a preconditioner that was given; the record names the row),
 * TULLE_UNSUPPORTED (a preconditioner that was given and is not made of A's format; no bounds of
 * eigenvalues can be estimated; options.solver.sum or comm), TULLE_CANCELLED, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT, and statuses that operators and the sum return.
 */
TULLE_HOST_INLINE tulle_status tulle_solve(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b,
                                           tulle_vec *x, const tulle_solve_options *options,
                                           tulle_solve_report *report) {
    return tulle_solve_sized(ctx, A, b, x, options, sizeof(tulle_solve_options), report);
}

/** tulle_dist_solve with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_dist_solve_sized(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *b,
                                              tulle_vec *x, const tulle_solve_options *options,
                                              size_t options_size, tulle_solve_report *report);

/**
 * Solves A x = b, or A X = B, for a square A whose rows are shared by processes, and its columns as
 * its rows are: as tulle_solve does, by a method and a preconditioner that all processes choose
 * alike, by facts that they gather from each other.
 *
 * The method is CG where A is symmetric but for rounding and has a positive diagonal, BiCGStab
 * where A is not symmetric and its diagonal is dominant, GMRES otherwise. Symmetry is seen by
 * comparing A v and A^T v for a random v. The preconditioner is incomplete factors of each
 * process's own rows and columns (block Jacobi over processes) where an iteration with them is
 * expected to take at most two and a half times as long as one with the diagonal in the slowest
 * process, and the diagonal otherwise. Multigrid (tulle_amg_create_dist) follows CG or BiCGStab, if
 * A is like that of an elliptic problem, once the method has taken as long as multigrid is expected
 * to take. An attempt that does not converge is followed by others, as of tulle_solve: factors
 * after the diagonal, GMRES, MINRES where A is symmetric, GMRES with 200 vectors and factors with
 * one level of fill. Rows do not change places.
 *
 * Preconditioners that are given: "none", "jacobi", "chebyshev:D", "amg:D", "amg-plain:D" and
 * "amg-smoothed:D" (tulle_amg_create_dist) are those of the whole A;
 * "block-jacobi:B", "ilu:K", "ic:K", "milu:K" and "lu" are of the block of each process's own rows
 * and columns, so that their iterations depend on the number of processes. Where one process cannot
 * make its part, all take another one, or fail where it was given.
 *
 * Of the options, keep_format is not read, as A is in CSR; mixed, instead, block,
 * near_null, solver.sum, and a solver.comm other than A's, are errors. All processes give the same
 * options, but for the monitor. Of the report's facts only symmetric, diagonal_positive and
 * not_dominant are filled in, and factors are those of this process; `solved` has the numbers of
 * rows, columns and entries of the whole A, and otherwise those of this process's block. Of several
 * right-hand sides the report tells as tulle_solve's does, and each has the best x of all attempts.
 *
 * Communicates. Synchronises. Deterministic: as the methods are; the choice depends on A, on how
 * rows are shared, on the devices and their numbers of threads, and not on time. Errors: as
 * tulle_solve; of A TULLE_SHAPE_MISMATCH (not square, or columns shared otherwise than rows);
 * TULLE_PEER_FAILED (an error in another process). Errors of arguments, and of a preconditioner
 * that was given, leave the communicator fit for use.
 */
TULLE_HOST_INLINE tulle_status tulle_dist_solve(tulle_ctx *ctx, tulle_dist_mat *A,
                                                const tulle_vec *b, tulle_vec *x,
                                                const tulle_solve_options *options,
                                                tulle_solve_report *report) {
    return tulle_dist_solve_sized(ctx, A, b, x, options, sizeof(tulle_solve_options), report);
}

TULLE_END
#endif
