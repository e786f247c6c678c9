/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Linear operators, which are applied to vectors. Solvers (solver.h) take nothing else. An
 * operator is made from a matrix, from factors (then it solves with them), from other operators, or
 * from the caller's own functions.
 *
 *     tulle_linop_from_mat(ctx, A, &L);
 *     tulle_linop_jacobi(ctx, L, &M);                 M := diag(A)^-1, a preconditioner
 *     tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y);
 *
 * An operator keeps the matrices, factors, tuners and operators that it was made from (one more
 * owner of each), so the caller may destroy them in any order. An operator sees new values of all
 * of these at its next use; numbers that were computed from values (diagonals, inverted blocks,
 * bounds of eigenvalues) are computed again by tulle_linop_renew.
 *
 * To make an operator synchronises only where its function says so. Applied, an operator is as
 * deterministic as the objects that it was made from: sums, products and scalings of others add
 * nothing that depends on threads or time.
 */
#ifndef TULLE_LINOP_H
#define TULLE_LINOP_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "factor.h"
#include "matrix.h"
#include "status.h"
#include "tune.h"
#include "types.h"
#include "vec.h"

/** A linear operator. */
typedef struct tulle_linop tulle_linop;

/**
 * The functions of an operator of the caller's. X and Y are in the context's memory, of the
 * operator's type, apart from each other, with as many columns as they please; work is in the order
 * of the context's stream. A function that fails returns a positive tulle_status; the call of
 * tulle's that needed the function then fails with that status.
 */
typedef struct tulle_linop_functions {
    /** Computes Y := A X. */
    tulle_status (*apply)(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y);
    /** Computes Y := A^T X; NULL: the operator cannot be applied transposed. */
    tulle_status (*apply_transposed)(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y);
    /** Stores the diagonal of A in d, a vector whose numbers are side by side in memory; NULL: the
     * operator does not know its diagonal. */
    tulle_status (*diagonal)(void *self, tulle_ctx *ctx, tulle_vec *d);
    /** Frees self; called once, when the operator's last owner gives it up. NULL: nothing is to be
     * freed. */
    void (*destroy)(void *self);
    /**
     * True when apply, after its first call with a shape, only starts work in the context's stream,
     * always the same with the same arrays: then it may be captured in a CUDA graph.
     */
    bool capturable;
} tulle_linop_functions;

/** Properties of an operator. */
typedef struct tulle_linop_info {
    const char *name;  /**< kind of the operator: "matrix", "factors", "product", ... */
    int64_t rows;      /**< number of rows: length of the vectors that it makes */
    int64_t cols;      /**< number of columns: length of the vectors that it takes */
    tulle_type type;   /**< type of the vectors that it takes */
    bool transposes;   /**< true when it can be applied transposed */
    bool has_diagonal; /**< true when it knows its diagonal */
    bool capturable;   /**< true when it may be captured in a CUDA graph after its first use */
} tulle_linop_info;

TULLE_BEGIN

/** The matrix A as an operator: tulle_spmv for one column, tulle_spmm for more, with their plans,
 * determinism and bounds. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY. */
TULLE_API tulle_status tulle_linop_from_mat(tulle_ctx *ctx, tulle_mat *A, tulle_linop **L);

/**
 * The matrix A as an operator whose products get faster while it is used: tulle_tuner_spmv for A x,
 * tulle_linop_from_mat's for the rest. It may be captured in a CUDA graph from when the tuner has
 * settled, and so may products, sums and polynomials of it: a solver (solver.h) then goes on with
 * graphs. L keeps the tuner (one more owner), which has its findings for the next matrix of the
 * same structure. Not deterministic before it has settled. Errors: as tulle_linop_from_mat.
 */
TULLE_API tulle_status tulle_linop_tuned(tulle_ctx *ctx, tulle_tuner *tuner, tulle_mat *A,
                                         tulle_linop **L);

/** Solving with factors, X := M^-1 B, as tulle_factor_solve: a preconditioner. L keeps F (one more
 * owner). The operator takes vectors of @a type: F's, or f64 with factors in f32. Errors: as
 * tulle_linop_from_mat, and TULLE_TYPE_MISMATCH. */
TULLE_API tulle_status tulle_linop_from_factor(tulle_ctx *ctx, tulle_factor *F, tulle_type type,
                                               tulle_linop **L);

/** An operator of the caller's: rows x cols on vectors of @a type; @a self is handed to its
 * functions, which are copied. Errors: TULLE_INVALID_ARGUMENT (no apply, a negative size, a bad
 * type), TULLE_OUT_OF_MEMORY; after them destroy was not called. */
TULLE_API tulle_status tulle_linop_create(tulle_ctx *ctx, tulle_type type, int64_t rows,
                                          int64_t cols, const tulle_linop_functions *functions,
                                          void *self, tulle_linop **L);

/** The product A B: applied to x, it applies B to x, and A to the result, which it keeps in a
 * vector of its own. So one application at a time may be in flight. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SPACE_MISMATCH, TULLE_SHAPE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_OUT_OF_MEMORY. */
TULLE_API tulle_status tulle_linop_product(tulle_ctx *ctx, tulle_linop *A, tulle_linop *B,
                                           tulle_linop **L);

/** alpha A + beta B; B may be NULL: then alpha A. It knows its diagonal where both know theirs.
 * Errors: as tulle_linop_product. */
TULLE_API tulle_status tulle_linop_sum(tulle_ctx *ctx, double alpha, tulle_linop *A, double beta,
                                       tulle_linop *B, tulle_linop **L);

/** X := d .* B, element by element, d a vector of n numbers, copied; symmetric. Errors: as
 * tulle_linop_from_mat, and TULLE_SHAPE_MISMATCH (d is no vector). */
TULLE_API tulle_status tulle_linop_diagonal(tulle_ctx *ctx, const tulle_vec *d, tulle_linop **L);

/**
 * Jacobi's preconditioner: X := diag(A)^-1 B. Where a diagonal entry is 0 or NaN, the
 * largest of them in size stands for it, or 1 where there is none.
 * Synchronises where A is a matrix in another format than CSR. Errors: as tulle_linop_product;
 * TULLE_UNSUPPORTED (A does not know its diagonal), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_linop_jacobi(tulle_ctx *ctx, tulle_linop *A, tulle_linop **L);

/**
 * Block Jacobi: X := D^-1 B, D the blocks of @a block rows and columns along A's diagonal, each
 * inverted with row exchanges. A is a square matrix, whose entries outside of D are not read.
 * Synchronises. Errors: TULLE_INVALID_ARGUMENT (block is not 1 to 16), TULLE_SHAPE_MISMATCH,
 * TULLE_SPACE_MISMATCH, TULLE_ZERO_PIVOT (a block is singular; the record names its row),
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_linop_block_jacobi(tulle_ctx *ctx, tulle_mat *A, int block,
                                                tulle_linop **L);

/**
 * The Chebyshev polynomial of @a degree (1 to 100) in M A, times M, that comes nearest to the
 * inverse of A where the eigenvalues of M A are between @a lowest and @a highest: a symmetric
 * preconditioner without inner products. M may be NULL: the identity. Both bounds 0: highest is
 * 1.1 times an estimate by 20 steps of Lanczos' method on a random vector, lowest a thirtieth
 * of it. Each use applies A degree - 1 times and M degree times; its vectors are its own: one use
 * at a time.
 *
 * Where A is distributed (dist.h) all processes call, with the same degree and bounds, as the call
 * communicates. Synchronises where it estimates. Errors: as tulle_linop_product; TULLE_PEER_FAILED;
 * TULLE_INVALID_ARGUMENT (degree; bounds that are not 0 < lowest < highest), TULLE_UNSUPPORTED (no
 * estimate: M A is not positive definite), TULLE_DEVICE_FAULT. Source: Y. Saad, "Iterative Methods
 * for Sparse Linear Systems", algorithm 12.1.
 */
TULLE_API tulle_status tulle_linop_chebyshev(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                             int degree, double lowest, double highest,
                                             tulle_linop **L);

/**
 * Y := alpha op(L) X + beta Y; X and Y multivectors of L's type, apart from each other. With
 * beta == 0, Y is not read.
 *
 * Functions that an operator of the caller's lacks are made from those that it has: alpha and beta
 * cost a multivector of L's own, and a pass. Neither synchronises nor allocates after its first
 * call with so many columns, if L's functions do not. Determinism: that of the objects that L was
 * made from. Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_TYPE_MISMATCH, TULLE_ALIASED, TULLE_UNSUPPORTED (L cannot be applied transposed),
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT, and statuses that functions of the caller's return.
 */
TULLE_API tulle_status tulle_linop_apply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                         tulle_linop *L, const tulle_vec *X, tulle_scalar beta,
                                         tulle_vec *Y);

/** d := the diagonal of L, which is square. Of a matrix, entries that stand twice count as their
 * sum. d may be a column of a row-major multivector: then a vector is allocated on the way.
 * Synchronises where L is a matrix in another format than CSR. Errors: as tulle_linop_apply;
 * TULLE_UNSUPPORTED (L does not know its diagonal). */
TULLE_API tulle_status tulle_linop_get_diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d);

/**
 * Computes anew what L has computed of the values of matrices and operators, after these have
 * changed, and solvers that have estimated bounds of L's eigenvalues estimate them again in their
 * next run. Synchronises for block Jacobi and multigrid, for Jacobi's preconditioner where A is a
 * matrix in another format than CSR, for Chebyshev's polynomial where it estimates bounds, and for
 * products, sums and polynomials of such operators; for no others of tulle's. Errors: as of the
 * function that made L.
 */
TULLE_API tulle_status tulle_linop_renew(tulle_ctx *ctx, tulle_linop *L);

/** Describes L. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_linop_describe(const tulle_linop *L, tulle_linop_info *info);

/** Gives up an operator; NULL is fine. It goes with its last owner. Synchronises where giving up a
 * matrix that it keeps does (tulle_mat_destroy). */
TULLE_API void tulle_linop_destroy(tulle_linop *L);

TULLE_END
#endif
