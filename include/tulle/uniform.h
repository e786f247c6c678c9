/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Uniform batches: many small systems at once whose matrices share one sparse pattern, each with
 * values of its own, as chemistry, combustion and implicit steps of many zones have them; and many
 * small dense matrices of one size.
 *
 *     tulle_uniform_create(ctx, n, offsets, columns, &P);
 *     tulle_uniform_solve(ctx, P, &(tulle_uniform_options){.method = TULLE_BICGSTAB,
 *                         .preconditioner = TULLE_UNIFORM_JACOBI}, A, B, X,
 *                         tulle_reports_to(reports));
 *
 * A system's numbers are a column of a multivector (vec.h): values of the matrices are nnz x
 * count, in the order of the pattern's entries, vectors n x count. So column-major is system by
 * system, and row-major has the systems interleaved; either may have a leading dimension, and be
 * the caller's own array (tulle_vec_wrap). Operands of a call may differ in that. On a GPU system
 * by system is the faster way for functions that take whole systems.
 *
 * Systems have nothing to do with each other: each has the bits that a call with it alone gives,
 * for any number of threads, and one that fails leaves the rest as they are. Nothing here waits
 * unless reports go to the host, nor allocates in a call that is like an earlier one in the same
 * context: so it can be captured in a CUDA graph, which then uses the context's workspace, as
 * tulle_spmv does (spmv.h).
 */
#ifndef TULLE_UNIFORM_H
#define TULLE_UNIFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "solver.h"
#include "status.h"
#include "trisolve.h"
#include "types.h"
#include "vec.h"

/** A pattern that the matrices of batches share, with its analysis. */
typedef struct tulle_uniform tulle_uniform;

/** The largest systems. */
enum {
    TULLE_UNIFORM_MOST_ROWS = 1024,     /**< rows of a system */
    TULLE_UNIFORM_MOST_ENTRIES = 12288, /**< entries of a system */
    TULLE_UNIFORM_MOST_DENSE = 32       /**< rows of a dense matrix */
};

/** Preconditioners M, which the method applies in the place of A^-1. */
typedef enum tulle_uniform_preconditioner {
    TULLE_UNIFORM_NONE = 0,   /**< the identity */
    TULLE_UNIFORM_JACOBI = 1, /**< the inverse of A's diagonal */
    TULLE_UNIFORM_ILU = 2     /**< (L U)^-1 of A's ILU(0), as tulle_uniform_ilu has it */
} tulle_uniform_preconditioner;

/** Options of a solution; zeros are the defaults. All systems of a call have the same. */
typedef struct tulle_uniform_options {
    tulle_method method; /**< method: TULLE_CG (0), TULLE_BICGSTAB or TULLE_GMRES; the latter two
                              precondition from the right */
    tulle_uniform_preconditioner preconditioner; /**< preconditioner; 0: none */
    double tolerance; /**< relative tolerance: a system ends where its residual's 2-norm is at
                           most this times that of its b; 0: 1e-8, in f32 1e-5 */
    double absolute;  /**< absolute tolerance: a system also ends where its residual's 2-norm is
                           at most this */
    int64_t max_iterations; /**< largest number of iterations of a system; 0: 1000 */
    bool guess;             /**< true: X holds a guess, where a solution starts; false: it starts
                                 at 0 */
    int restart;            /**< GMRES: number of vectors before it begins anew, 1 to 256; 0: 30 */
} tulle_uniform_options;

/** Outcome of one system. */
typedef struct tulle_uniform_report {
    tulle_outcome outcome; /**< reason why it ended */
    int32_t row;           /**< row of the first pivot, from 0, that cannot be divided by; -1:
                                there is none */
    int64_t iterations;    /**< number of its method's iterations; for GMRES, of inner ones */
    double norm;           /**< 2-norm of b - A x at the end, computed anew */
} tulle_uniform_report;

/**
 * The place for reports, one for each system; zeros: there are none. Make one with tulle_reports_to
 * or tulle_reports_at.
 */
typedef struct tulle_uniform_reports {
    tulle_uniform_report *host;    /**< array on the host, for which the call waits; or NULL */
    tulle_uniform_report *address; /**< array in the context's memory, looked at where host is
                                        NULL; NULL: no reports */
} tulle_uniform_reports;

/** Reports on the host. Makes the call wait. */
TULLE_INLINE tulle_uniform_reports tulle_reports_to(tulle_uniform_report *host) {
    tulle_uniform_reports r;
    r.host = host;
    r.address = 0;
    return r;
}

/** Reports in the context's memory, written when the operation runs. They overlap no operand. */
TULLE_INLINE tulle_uniform_reports tulle_reports_at(tulle_uniform_report *address) {
    tulle_uniform_reports r;
    r.host = 0;
    r.address = address;
    return r;
}

TULLE_BEGIN

/**
 * A pattern of n rows and columns from its CSR arrays, in host memory or in the context's, copied:
 * offsets n + 1, columns as many as offsets end with. The columns of a row may stand in any order;
 * none twice. columns may be NULL where there are none.
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE (more rows or entries than
 * above), TULLE_INVALID_MATRIX (offsets not starting at 0 or falling, a column out of range or
 * standing twice; the record names the row), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_uniform_create(tulle_ctx *ctx, int64_t n, const int32_t *offsets,
                                            const int32_t *columns, tulle_uniform **P);

/** Gives up a pattern; NULL is fine. Work of other contexts that uses it must be done. */
TULLE_API void tulle_uniform_destroy(tulle_uniform *P);

/**
 * y := alpha A x + beta y for every system: A nnz x count, X and Y n x count. With beta == 0, Y is
 * not read. X and Y share no number.
 *
 * Error: |y - exact| <= gamma(m + 2) (|alpha| |A| |x| + |beta| |y0|) + (m + 2) (1 + |alpha|) s, m
 * the entries of the row, gamma(m) = m u / (1 - m u), u the unit roundoff of the type, s its
 * smallest positive number. Bitwise repeatable. Does not synchronise. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED, TULLE_UNSUPPORTED (a GPU whose blocks have too little shared memory for a system),
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_uniform_spmv(tulle_ctx *ctx, const tulle_uniform *P,
                                          tulle_scalar alpha, const tulle_vec *A,
                                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y);

/**
 * The incomplete factors of every system without fill, ILU(0): L U is A on the pattern, in the
 * order of the rows; entries that come up beside it are dropped. A and F nnz x count, possibly the
 * same array. F has the numbers of U where columns are from the row's own on, and those of L
 * before; the ones on L's diagonal are left out.
 *
 * A system whose pivot cannot be divided by (0, NaN, too close to an end of the type, or not in the
 * pattern, where A is 0) is reported as TULLE_BROKE_DOWN with the first such row, others as
 * TULLE_CONVERGED; its factors may then be any numbers.
 *
 * Error: |A - L U| <= gamma(m + 2) |L| |U| + (m + p) s on the pattern, m the rows that go before,
 * p, below the diagonal, the size of the pivot of the entry's column, elsewhere 0, gamma and s as
 * for tulle_uniform_spmv. Bitwise repeatable. Synchronises where the reports go to the
 * host. Errors: as tulle_uniform_spmv; TULLE_OUT_OF_MEMORY. Source: Y. Saad, "Iterative Methods for
 * Sparse Linear Systems", algorithm 10.4.
 */
TULLE_API tulle_status tulle_uniform_ilu(tulle_ctx *ctx, const tulle_uniform *P, const tulle_vec *A,
                                         tulle_vec *F, tulle_uniform_reports reports);

/**
 * X := (L U)^-1 B for every system, with the factors F of tulle_uniform_ilu: both triangles of
 * tulle_uniform_trisolve, and otherwise as that.
 */
TULLE_API tulle_status tulle_uniform_ilu_solve(tulle_ctx *ctx, const tulle_uniform *P,
                                               const tulle_vec *F, const tulle_vec *B,
                                               tulle_vec *X);

/**
 * X := T^-1 B for every system, T the given triangle of A; B and X n x count, possibly the same
 * array. A diagonal that is 0, or not in the pattern, divides, and gives Inf or NaN as IEEE 754 has
 * it, unless diag is TULLE_UNIT.
 *
 * Error: |B - T X| <= gamma(m + 2) (|T| |X| + |B|) + (m + 2) s / u + s |T| e, m the entries of the
 * row, gamma, u and s as for tulle_uniform_spmv, e all ones. Bitwise repeatable. Does not
 * synchronise. Errors: as tulle_uniform_spmv; TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_uniform_trisolve(tulle_ctx *ctx, const tulle_uniform *P,
                                              tulle_part part, tulle_diag diag, const tulle_vec *A,
                                              const tulle_vec *B, tulle_vec *X);

/** tulle_uniform_solve with the size of its options in bytes: bindings for other languages call it.
 */
TULLE_API tulle_status tulle_uniform_solve_sized(tulle_ctx *ctx, const tulle_uniform *P,
                                                 const tulle_uniform_options *options,
                                                 size_t options_size, const tulle_vec *A,
                                                 const tulle_vec *B, tulle_vec *X,
                                                 tulle_uniform_reports reports);

/**
 * Solves A x = b for every system, each with a stop of its own. A nnz x count, B and X n x count,
 * possibly the same array. options NULL: all zeros.
 *
 * A system ends as a solution by tulle_solver_run would (solver.h): its residual is computed anew
 * from x, each number as if in twice the precision of f64, before TULLE_CONVERGED is said, and
 * where the one that the method carries was smaller, the method begins anew from x, up to ten times
 * and as long as this halves the residual. b == 0 gives x = 0 at once, whatever A and the guess
 * are: TULLE_CONVERGED with norm 0 and row -1, and A, which may have NaN or a zero pivot, is not
 * looked at. For other b, NaN or Inf in b or from A, or x beyond the largest number of its type,
 * ends as TULLE_NOT_A_NUMBER; x may then be any numbers, as after no other outcome. An x that loses
 * digits below the smallest normal number ends as TULLE_STAGNATED. Squares of A's numbers may be
 * beyond the ends of the type; a guess's residual times A times that residual may not, and then
 * ends so, too. A diagonal, or a pivot, by which the preconditioner cannot divide (0, NaN, too
 * close to an end of the type, or not in the pattern) ends as TULLE_BROKE_DOWN before the first
 * iteration, and the report names its row.
 *
 * Bitwise repeatable. Synchronises where the reports go to the host. Errors:
 * TULLE_INVALID_ARGUMENT (options), TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_TYPE_MISMATCH, TULLE_ALIASED, TULLE_UNSUPPORTED (other methods; a GPU whose blocks have
 * too little shared memory for a system), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 *
 * Sources: as tulle_solver_run; one block of threads a system from first to last: I. Aggarwal, A.
 * Kashi, P. Nayak, C. J. Balos, C. S. Woodward and H. Anzt, "Batched sparse iterative solvers for
 * computational chemistry simulations on GPUs" (2021).
 */
TULLE_HOST_INLINE tulle_status tulle_uniform_solve(tulle_ctx *ctx, const tulle_uniform *P,
                                                   const tulle_uniform_options *options,
                                                   const tulle_vec *A, const tulle_vec *B,
                                                   tulle_vec *X, tulle_uniform_reports reports) {
    return tulle_uniform_solve_sized(ctx, P, options, sizeof(tulle_uniform_options), A, B, X,
                                     reports);
}

/**
 * Factorises dense matrices in place with row exchanges (partial pivoting): P A = L U for each
 * column of A. A is n^2 x count, n up to TULLE_UNIFORM_MOST_DENSE; column s has matrix s, an n x n
 * matrix, with its entry (i, j) at i + j n. U replaces the upper triangle; L, without its ones on
 * the diagonal, replaces the part below the diagonal.
 *
 * @param pivots count x n integers in the context's memory: pivots[s * n + k] is the row of matrix
 *               s, counted from 0, that was exchanged with row k at step k. The array overlaps no
 *               other one.
 *
 * The pivot of a step is the largest number, in size, of its column on and below the diagonal; of
 * several, the first. A matrix with a pivot that is 0, Inf or NaN is reported as TULLE_BROKE_DOWN
 * with the first such row, other matrices as TULLE_CONVERGED.
 *
 * Error: |P A - L U| <= gamma(n + 2) |L| |U| + (n + p) s. For an entry below the diagonal p is the
 * size of the pivot of the entry's column; elsewhere p is 0. gamma and s are as for
 * tulle_uniform_spmv. Bitwise repeatable. Synchronises where the reports go to the host. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE (n), TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_ALIASED, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT. Source: G. H. Golub and C. F. Van Loan,
 * "Matrix Computations", 3.4.
 */
TULLE_API tulle_status tulle_uniform_lu(tulle_ctx *ctx, int64_t n, tulle_vec *A, int32_t *pivots,
                                        tulle_uniform_reports reports);

/**
 * X := A^-1 B with what tulle_uniform_lu made of every A; B and X n x count, possibly the same
 * array. A pivot that is 0 divides, and gives Inf or NaN as IEEE 754 has it.
 *
 * Error: |P B - L U X| <= 3 gamma(n + 2) |L| |U| |X| + 3 (n + 2) s (1 / u + |L| (e + |U| e)), e all
 * ones, the others as for tulle_uniform_spmv. Bitwise repeatable. Does not synchronise. Errors: as
 * tulle_uniform_lu; TULLE_TYPE_MISMATCH.
 */
TULLE_API tulle_status tulle_uniform_lu_solve(tulle_ctx *ctx, int64_t n, const tulle_vec *A,
                                              const int32_t *pivots, const tulle_vec *B,
                                              tulle_vec *X);

/**
 * A = L L^T of every symmetric matrix, otherwise as tulle_uniform_lu: of A, the numbers above the
 * diagonal are neither read nor written, the others become L. A matrix with a pivot that is not
 * positive, or Inf, is reported as TULLE_INDEFINITE with its row; its factors may then be any
 * numbers.
 *
 * Error: |A - L L^T| <= gamma(n + 3) |L| |L^T| + (n + p) s, p as there, of L. Source: Golub and Van
 * Loan, 4.2.
 */
TULLE_API tulle_status tulle_uniform_cholesky(tulle_ctx *ctx, int64_t n, tulle_vec *A,
                                              tulle_uniform_reports reports);

/** X := A^-1 B with what tulle_uniform_cholesky made of every A; otherwise as
 * tulle_uniform_lu_solve. */
TULLE_API tulle_status tulle_uniform_cholesky_solve(tulle_ctx *ctx, int64_t n, const tulle_vec *A,
                                                    const tulle_vec *B, tulle_vec *X);

TULLE_END
#endif
