/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Algebraic multigrid: a preconditioner with which the number of iterations hardly grows with the
 * size of an elliptic problem.
 *
 *     tulle_linop_from_mat(ctx, A, &L);
 *     tulle_amg_create(ctx, A, NULL, &M);                 zeros choose
 *     tulle_solver_create(ctx, L, M, NULL, &S);
 *
 * A hierarchy has levels: A on the first, and on each next one the product R A P of the level
 * before, with interpolation P and R = P^T. The operator M is one cycle through them: it smooths on
 * each level on the way down, solves on the last one, and smooths again on the way up. M is
 * symmetric where A is, and positive definite where A is, so that it goes with CG and MINRES; with
 * GMRES, BiCGStab and FGMRES for others. M of -A is -M of A.
 */
#ifndef TULLE_AMG_H
#define TULLE_AMG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "dist.h"
#include "export.h"
#include "linop.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** Levels through which the cycle passes: it only restricts and interpolates there, and their
 * matrices are not kept. */
typedef enum tulle_amg_passing {
    TULLE_AMG_PASS_CHOOSE = 0, /**< levels of the classical family whose matrix has at least 0.9
                                    times the entries of that of the level before, where nine tenths
                                    of the connections are strong, and the level before smooths
                                    what would be smoothed there, as where coefficients do not jump
                                    by 50 or more; never two in turn; none where degree is 1 */
    TULLE_AMG_PASS_NONE = 1,   /**< none */
    TULLE_AMG_PASS_FIRST = 2   /**< the first level below A: aggressive coarsening */
} tulle_amg_passing;

/** Ways of making the next level from a level's matrix. */
typedef enum tulle_amg_family {
    TULLE_AMG_FAMILY_CHOOSE = 0, /**< the classical family */
    TULLE_AMG_CLASSICAL = 1,     /**< coarse rows are some of the level's, and P is extended+i
                                      interpolation: fewest iterations where coefficients jump or have
                                      directions */
    TULLE_AMG_AGGREGATION = 2, /**< plain aggregation: coarse rows are aggregates of rows, P is 1 in
                                    the column of a row's aggregate, and the cycle is a W: least
                                  time of setup and memory */
    TULLE_AMG_SMOOTHED = 3     /**< smoothed aggregation: P of plain aggregation, smoothed once */
} tulle_amg_family;

/** Types of the numbers that a cycle computes with. */
typedef enum tulle_amg_precision {
    TULLE_AMG_PRECISION_CHOOSE = 0, /**< f32; for a matrix in f64 whose hierarchy has one level, or
                                         numbers that would leave the range of f32 or have too few
                                         digits there: f64. P of more
                                         levels than one has numbers of f32, as tulle_amg_create
                                         says */
    TULLE_AMG_SAME = 1              /**< the type of the matrix */
} tulle_amg_precision;

/** Options of tulle_amg_create; zeros are the defaults. */
typedef struct tulle_amg_options {
    double strength; /**< share of a row's largest connection from which a connection is strong,
                          0 to 1; 0: 0.25. In the classical family a connection is an entry with the
                          sign opposite to the diagonal's, and |a_ij| is compared; in the others
                          every entry beside the diagonal is one, |a_ij| / sqrt |a_ii a_jj| is
                          compared, and it must be strong in row i and in row j */
    double most_sum; /**< share of the diagonal; a row whose entries add up to more of it has no
                          strong connections; 0: 0.9 */
    int interpolation_entries; /**< largest number of entries of a row of P of the classical family,
                                    1 to 16; 0: 4 */
    int degree;            /**< degree of the Chebyshev polynomial of the fourth kind that smooths,
                                on the way down and on the way up, 1 to 8; 0: 2 */
    int most_levels;       /**< largest number of levels; 0: 25 */
    int64_t coarsest_rows; /**< number of rows up to which a level is the last, and is solved by its
                                inverse; 0: 256 */
    tulle_amg_passing passing; /**< levels through which the cycle passes */
    tulle_amg_family family;   /**< way in which levels are made */
    bool keep_plans; /**< true: the matrices of all levels, also of those that are passed, products
                          A P, P, R and plans of both products are kept in the type of the matrix,
                          in up to four times the memory that the hierarchy has without them, so
                        that tulle_amg_update with TULLE_AMG_KEEP_P computes numbers alone */
    tulle_amg_precision precision; /**< type of the numbers in a cycle; the hierarchy itself always
                                        has the type of the matrix */
    int64_t gathered_rows; /**< in tulle_amg_create_dist, number of rows of all processes, at least
                                coarsest_rows, up to which a level is gathered in all of them;
                                0: 500000 */
    int block; /**< unknowns of a node, 1 to 16: rows b i to b i + b - 1 are node i's. Above 1, or
                    with near_null, the family is smoothed aggregation of nodes. 0: with near_null,
                    the rows of A's blocks where A is a BSR matrix of square blocks; else 1 */
    const tulle_vec *near_null; /**< near null space B, n x k with 1 <= k <= 16, of A's type and in
                                     the context's memory: vectors that A nearly takes to 0, such as
                                     rigid motions (tulle_near_null_rigid). Setup copies it. NULL:
                                     with block, constants for each unknown of a node, k = block */
} tulle_amg_options;

/** Parts of a hierarchy that tulle_amg_update makes anew. */
typedef enum tulle_amg_how {
    TULLE_AMG_ANEW = 0,   /**< everything, as tulle_amg_create */
    TULLE_AMG_KEEP_P = 1, /**< numbers of coarse matrices, smoothers and the inverse; interpolation
                             stays */
    TULLE_AMG_KEEP_COARSENING = 2 /**< everything but the choice of coarse rows, or of aggregates */
} tulle_amg_how;

/** A level of a hierarchy. */
typedef struct tulle_amg_level_info {
    int64_t rows;            /**< number of rows of the level's matrix */
    int64_t nnz;             /**< number of entries of the level's matrix */
    double strong_share;     /**< strong connections of a mean fine row over the entries beside
                                  the diagonal of a mean row, in the classical family; 0 on the last
                                  level, and in the others */
    double split_ms;         /**< time of finding coarse rows or aggregates, in milliseconds */
    double interpolation_ms; /**< time of making P and R, in milliseconds */
    double product_ms;       /**< time of making the next level's matrix, in milliseconds */
    bool passed;             /**< true for a level through which the cycle passes */
    const tulle_mat *A;      /**< matrix of the level, the hierarchy's; NULL where it is passed, or
                                  its rows are shared by processes */
    const tulle_mat *P;      /**< interpolation from the next level; NULL on the last one, and where
                                  rows are shared */
    const tulle_mat *R;      /**< transpose of P; NULL on the last one, and where rows are shared */
    tulle_dist_mat *shared_A; /**< matrix of a level whose rows are shared by processes, the
                                   hierarchy's; NULL where it is passed, and on other levels */
    tulle_dist_mat *shared_P; /**< interpolation to a level whose rows are shared; else NULL */
} tulle_amg_level_info;

/** A hierarchy as a whole. */
typedef struct tulle_amg_info {
    int levels;                 /**< number of levels */
    double operator_complexity; /**< entries of all levels' matrices over those of A, without
                                     levels that are passed */
    double grid_complexity;     /**< rows of all levels over those of A */
    bool stalled;               /**< true when coarsening ended above coarsest_rows, at a level that
                                     smoothing does not solve */
    bool single;                /**< true when a cycle computes in f32 under a matrix in f64 */
    double setup_ms;            /**< time of tulle_amg_create, in milliseconds */
    int64_t bytes;              /**< bytes of the place's memory that the hierarchy holds beside A,
                                     without what the context's pool rounds up; of a distributed
                                     matrix those of this process */
    int shared_levels;          /**< number of levels whose rows are shared by processes */
    int block;                  /**< unknowns of a node of A; 0: levels are of rows */
    int near_null;   /**< columns of the near null space, which are the unknowns of a node
                          below the first level; 0: levels are of rows */
    int64_t dropped; /**< columns of aggregates' near null spaces, on all levels, that
                          depend on the columns before and were dropped */
} tulle_amg_info;

TULLE_BEGIN

/** tulle_amg_create with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_amg_create_sized(tulle_ctx *ctx, tulle_mat *A,
                                              const tulle_amg_options *options, size_t options_size,
                                              tulle_linop **M);

/**
 * Makes a hierarchy of A, n x n, and the operator M that is one cycle through it
 *
 * In the classical family coarse rows are an independent set of strongly connected rows (PMIS),
 * found by integers that are hashes of row numbers, and P is extended+i interpolation of at most
 * interpolation_entries a row. A row that smoothing alone solves (most_sum), as one of a given
 * value, is never coarse, and nothing is interpolated from it. With aggregation coarse rows are
 * aggregates around roots, a maximal set of rows of which no two are within two strong connections
 * of each other (MIS-2), by hashes, too. A row joins a neighbouring root, or the neighbour of a
 * root with the strongest connection. P has one entry a row, a 1; smoothed, P is (I - 4/3 D^-1 A_F)
 * times that, where A_F is A with weak connections added to the diagonal, and d_i the sum of the
 * sizes of A_F's row i. Rows without strong connections have no entries in P.
 *
 * Where a cycle in f32 may be used (options.precision, A in f64), P is rounded to f32 as soon as it
 * is made, so that the coarse matrices belong to the P of the cycle. A row of n entries that add up
 * to 1, to 2^-30, does so then exactly, so that constants are interpolated as constants: each entry
 * changes by at most 2^-23 n times the row's largest one. In another row each entry becomes the
 * nearest number of f32; one that has fewer digits there, as it would overflow or underflow, stays,
 * and the cycle is in f64.
 *
 * For systems, options.block = b and options.near_null = B, nodes are aggregated instead of rows,
 * and levels are BSR matrices: A has blocks of b x b, P of the first level b x k, and all coarse
 * matrices k x k. Connections are measured by the Frobenius norms of blocks; a node whose blocks
 * beside the diagonal have less than 1 - most_sum of the size of its diagonal block, together,
 * takes no part, as nodes with given values do. The rows of B of an aggregate are orthonormalised
 * column by column, B = Q R: Q has the blocks of T, and R is a part of the near null space of the
 * next level. A column of which less than 10^-7 of its norm is left (10^-5 in f32), as it depends
 * on the columns before, is dropped: Q, R and the coarse matrix have zeros there. P = T - 4/3 D^-1
 * A T. D has the diagonal blocks of A, multiplied by 1.1 times the largest eigenvalue of the
 * product of their inverses and A, as 12 steps of the power method find it. So P maps the coarse
 * near null space to B - 4/3 D^-1 A B, which is B wherever A B = 0. D is the diagonal of the
 * smoother, too. A matrix that is not BSR with such blocks, all of whose cells are entries, is
 * copied into one. Where a cycle in f32 may be used, P is rounded to f32, and M holds levels in
 * both types.
 *
 * Coarse matrices are tulle_spgemm_galerkin's. Which rows are coarse and which entries P has is
 * decided by numbers that are computed in one order everywhere, so that a hierarchy has the same
 * patterns on a CPU with any number of threads and on a GPU, and in each run. The smoother is
 * Chebyshev's polynomial of the fourth kind in D^-1 A, where d_i is the sum of |a_ij| over row i,
 * with the sign of a_ii: the eigenvalues of D^-1 A are at most 1 where A is symmetric. Unless
 * options.precision is TULLE_AMG_SAME, a cycle computes in f32: M x then has some six right digits
 * of f64's. GMRES, which makes x by one more M, may take more iterations for that: take FGMRES, or
 * TULLE_AMG_SAME. Where coefficients jump so far that roundings of f32 are large beside a number of
 * a coarse matrix, from 10^7 on or so, of plain aggregation from 10^6 on, the cycle is in A's type,
 * so that M stays definite; tulle_amg_explain says so.
 *
 * A may be singular with null vectors that are constants on parts of A that hang on nothing, as
 * many as there are. Such a part is found where all that a coarse matrix has of it is below 16
 * roundings of the sum of sizes in A that it is made of: then it counts as 0, and is not corrected.
 * For nodes the null vectors are those of near_null on parts of A, as of free bodies, and the bound
 * is 2^-44 of these sizes (2^-23 in f32).
 * If b has no part in the null space, A x = b is solved as where A is regular. Powers of 2 in A and
 * x change no digit of M x in either precision. The cycle is a V; with plain aggregation it is a W,
 * whose corrections have the factor 1.8 where a level is visited twice, or solved.
 *
 * All families take constants for the errors that smoothing leaves, as of diffusion, where rows of
 * A add up to 0 away from boundaries. Those of D A D, D diagonal, are D^-1 times constants: where D
 * varies from row to row, CG takes ten times the iterations, or more. Solve (D A D) x = b as A y =
 * D^-1 b, x = D^-1 y, with D = sqrt of the diagonal where coefficients do not vary.
 *
 * A may be in any format with any index type; M keeps it, one more owner. After its values have
 * changed M is not to be applied before tulle_amg_update: the first level may use A's own values,
 * with a smoother that fits the old ones. To go on with an old hierarchy, give it a copy of A.
 *
 * Where a cycle is in f32, M holds the cycle's matrices alone, unless options.keep_plans is true:
 * the numbers in f64 of the levels below the first are given up during setup, and made again for
 * tulle_amg_level and for updates.
 *
 * M takes vectors and multivectors of A's type, not transposed. An application neither waits nor
 * allocates after the first one; M is used by one call at a time.
 * Deterministic: bitwise.
 *
 * @param options NULL for the defaults.
 *
 * Synchronises: yes. Progress is told after each level, and cancelling leaves nothing behind.
 *
 * Errors: TULLE_INVALID_ARGUMENT (options; block or near_null with another family; near_null has
 * Inf or NaN), TULLE_SHAPE_MISMATCH (A is not square; its rows are not a multiple of block;
 * near_null has not as many rows as A, or more than 16 columns, or more than rows),
 * TULLE_TYPE_MISMATCH (near_null), TULLE_UNSUPPORTED (block or near_null with keep_plans or
 * TULLE_AMG_PASS_FIRST), TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED,
 * TULLE_DEVICE_FAULT.
 *
 * Sources: H. De Sterck, U. M. Yang and J. J. Heys, "Reducing complexity in parallel algebraic
 * multigrid preconditioners", 2006; R. Li, B. Sjogreen and U. M. Yang, "A new class of AMG
 * interpolation methods based on matrix-matrix multiplications", 2021; A. H. Baker, R. D. Falgout,
 * T. V. Kolev and U. M. Yang, "Multigrid smoothers for ultraparallel computing", 2011; J. Lottes,
 * "Optimal polynomial smoothers for multigrid V-cycles", 2023. Of aggregation: P. Vanek, J. Mandel
 * and M. Brezina, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
 * problems", 1996; B. Kelley and S. Rajamanickam, "Parallel, portable algorithms for distance-2
 * maximal independent set and graph coarsening", 2022; D. Braess, "Towards algebraic multigrid for
 * elliptic problems of second order", 1995.
 */
TULLE_HOST_INLINE tulle_status tulle_amg_create(tulle_ctx *ctx, tulle_mat *A,
                                                const tulle_amg_options *options, tulle_linop **M) {
    return tulle_amg_create_sized(ctx, A, options, sizeof(tulle_amg_options), M);
}

/** tulle_amg_create_dist with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_amg_create_dist_sized(tulle_ctx *ctx, tulle_dist_mat *A,
                                                   const tulle_amg_options *options,
                                                   size_t options_size, tulle_linop **M);

/**
 * Makes a hierarchy of a matrix whose rows are shared by processes, n x n with columns that are
 * shared as the rows are, and the operator M that is one cycle through it: a preconditioner of
 * tulle_linop_from_dist's operator
 *
 * The hierarchy is that of tulle_amg_create for the whole matrix, with the same coarse rows, the
 * same P and the same coarse matrices, bit for bit, however many processes there are, if A has an
 * entry (j, i) for each entry (i, j); else neighbours of different processes may both be coarse.
 * Coarse rows stay where they are: a process chooses among its rows, in rounds in which processes
 * tell their neighbours of their choice, and interpolates also from rows of others. An aggregate
 * belongs to the process of its root, and may have rows of others. A process may
 * end up without rows, or have none. A level of at most options.gathered_rows rows, and those
 * below, are held and worked on by all processes, each for itself: a cycle then gathers a
 * right-hand side once, where one process that solves for all would also have to send solutions
 * back.
 *
 * A cycle has the smoothers and the form of tulle_amg_create's. On levels whose rows are shared it
 * computes in A's type; from the gathered level on as options.precision says. Products there have
 * the roundings of tulle_dist_mat_multiply, so M differs in rounding with the number of processes.
 *
 * options.keep_plans must be false, and block and near_null are not given. M keeps A, one more
 * owner. tulle_linop_renew and tulle_amg_update, with A NULL, bring M to the values that A has then
 * (tulle_dist_mat_set_values); smoothed aggregation has no TULLE_AMG_KEEP_COARSENING. Numbers of
 * rows at the boundary between processes go through host memory; the rows do so where the
 * communicator does not work on the stream. M takes vectors of this process's rows; all processes
 * apply it.
 *
 * Communicates. Synchronises: yes. Deterministic: bitwise, for any communicator. Errors, in all
 * processes: those of tulle_amg_create; TULLE_UNSUPPORTED (keep_plans, block, near_null);
 * TULLE_INVALID_ARGUMENT where options differ between processes; TULLE_PEER_FAILED where another
 * process failed.
 *
 * @param options NULL for the defaults.
 */
TULLE_HOST_INLINE tulle_status tulle_amg_create_dist(tulle_ctx *ctx, tulle_dist_mat *A,
                                                     const tulle_amg_options *options,
                                                     tulle_linop **M) {
    return tulle_amg_create_dist_sized(ctx, A, options, sizeof(tulle_amg_options), M);
}

/**
 * Makes B, the rigid motions of nodes in space or in a plane: the near null space of linear
 * elasticity, for tulle_amg_options.near_null
 *
 * Row dim p + r of B belongs to unknown r of node p, at x = coordinates(p, 0 to dim - 1). With the
 * mean c of all nodes and the largest size s of a number of x - c, y = (x - c) / s, so that units
 * change nothing, B has
 *
 *     in a plane, 3 columns: e_1, e_2, and the rotation (-y_2, y_1);
 *     in space, 6 columns: e_1, e_2, e_3, and the rotations (0, -y_3, y_2), (y_3, 0, -y_1) and
 *     (-y_2, y_1, 0).
 *
 * @param coordinates nodes x at least dim, of which further columns are not read; in ctx's memory
 * @param dim         2 or 3
 * @param B           new, nodes dim x 3 or 6, row-major, of the coordinates' type; the caller's
 *                    (tulle_vec_destroy)
 *
 * Synchronises: yes; B is made on the host. Deterministic: bitwise. Errors: TULLE_INVALID_ARGUMENT
 * (dim; a coordinate that is not finite), TULLE_SHAPE_MISMATCH (fewer than dim columns),
 * TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_near_null_rigid(tulle_ctx *ctx, const tulle_vec *coordinates, int dim,
                                             tulle_vec **B);

/**
 * Brings a hierarchy to other values: those that its own A has now (A NULL), or those of another
 * matrix of the same shape and type, which M keeps then instead
 *
 *     ... A gets new values (tulle_mat_set_values) ...
 *     tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P);
 *     tulle_solver_run(ctx, S, b, x, &report);
 *
 * With TULLE_AMG_KEEP_P the new coarse matrices are P^T A P with the P that there is, which saves
 * the time of splitting and interpolation. Any P is right; one that was made for values that have
 * become very different takes more iterations. Where the matrix is the same one in CSR with rising
 * columns, or shares its pattern (tulle_mat_with_values), the patterns of all levels stay, too, and
 * with options.keep_plans no pattern is computed again; the first such update makes the plans. M
 * of the same values stays the same, bit for bit. tulle_linop_renew(ctx, M) does as TULLE_AMG_ANEW.
 *
 * With TULLE_AMG_KEEP_COARSENING P fits the new values, and the time of choosing coarse rows is
 * saved. In the classical family the rows that are coarse stay so; strong connections and P are
 * found anew, and a fine row that has no strong connection any more has no entries in P. With
 * smoothed aggregation the aggregates stay, and are smoothed by the new values. With plain
 * aggregation P does not depend on values, and the call does as with TULLE_AMG_KEEP_P. For this a
 * hierarchy holds one byte for each row of a level in the classical family, and one column index
 * with smoothed aggregation. A hierarchy of nodes does all of this in blocks, with the near null
 * space that it was made with. Where A has columns of another type than the matrix before,
 * aggregates are found anew. After an update with TULLE_AMG_KEEP_P that has failed, M still holds
 * P, and the next such update keeps it; after others the next one makes everything anew.
 *
 * With TULLE_AMG_KEEP_P the old levels stay while there is memory for them beside new numbers;
 * where there is not, all but P is given up first, so that an update fits where setup did. Then
 * captured graphs are made again.
 *
 * After a failure M has no numbers: M is not applied, and tulle_amg_level and tulle_amg_explain
 * tell nothing (TULLE_INVALID_ARGUMENT), until an update succeeds; except after
 * TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_SPACE_MISMATCH and
 * TULLE_UNSUPPORTED, which leave M as it was.
 *
 * M of tulle_amg_create_dist is brought to other values by all processes together, which
 * communicate: where one refuses, or `how` differs (TULLE_INVALID_ARGUMENT), all return.
 * Synchronises: yes. Errors: those of tulle_amg_create, TULLE_TYPE_MISMATCH, TULLE_INVALID_ARGUMENT
 * (M was not made by tulle_amg_create), TULLE_UNSUPPORTED (M of tulle_amg_create_dist: A is given,
 * or TULLE_AMG_KEEP_COARSENING with smoothed aggregation), and TULLE_PEER_FAILED (another process
 * has refused: M is as it was; or has failed).
 */
TULLE_API tulle_status tulle_amg_update(tulle_ctx *ctx, tulle_linop *M, tulle_mat *A,
                                        tulle_amg_how how);

/** Describes a hierarchy. Errors: TULLE_INVALID_ARGUMENT (M was not made by tulle_amg_create). */
TULLE_API tulle_status tulle_amg_describe(const tulle_linop *M, tulle_amg_info *info);

/**
 * Describes level `level` of a hierarchy, from 0 on, without its matrices: A, P and R are NULL.
 * Makes nothing and does not wait. Errors: TULLE_INVALID_ARGUMENT (M was not made by
 * tulle_amg_create; level).
 */
TULLE_API tulle_status tulle_amg_level_numbers(const tulle_linop *M, int level,
                                               tulle_amg_level_info *info);

/**
 * Describes level `level` of a hierarchy, from 0 on, with its matrices. These stay the hierarchy's,
 * until it is updated, renewed or destroyed.
 *
 * Where a cycle computes in f32, the hierarchy does not hold these matrices, and the first call for
 * a level makes them, with the bits that they had in setup: P and R from the cycle's P, and A,
 * below the first level, by the products of all levels between the next level above whose matrix is
 * there and this one, from the values that the hierarchy's A has now. So ask for level 0 first,
 * then for level 1, and so on, and before A gets other values. Where A is not in CSR with rising
 * columns, level 0 is a copy in CSR, which has A's values as of the last update. The matrices are
 * then held until the next update, which is memory beside tulle_amg_info.bytes. So a call may
 * change what M holds: no other thread uses M meanwhile, as for all that M does.
 *
 * Synchronises: where it makes matrices. Deterministic: bitwise. Errors: TULLE_INVALID_ARGUMENT (as
 * tulle_amg_level_numbers); where it makes matrices, those of tulle_spgemm_galerkin.
 */
TULLE_API tulle_status tulle_amg_level(const tulle_linop *M, int level, tulle_amg_level_info *info);

/**
 * Says in words what a hierarchy is: its levels, complexity, bytes and time of setup, how the last
 * level is solved, by which factor a residual falls in an iteration with M, with advice where that
 * is above 0.9, and in a line for each level its rows and entries, its entries over those of A,
 * and the times of splitting, interpolation and the next level's matrix. English, lines of at most
 * 100 characters, each with its end; for people: the words may change in any release.
 *
 * @param text   @a room bytes, filled as far as they go and always ended by a 0; NULL where room
 *               is 0.
 * @param length how many bytes the whole text has, without the 0: when it is not below @a room, the
 *               text was cut. May be NULL.
 *
 * For the factor, of an A of one process, M and A are applied some times to vectors that are made
 * for it: so each call computes, waits, and may change what M holds. No other thread uses M
 * meanwhile.
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (M was not made by tulle_amg_create),
 * TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_amg_explain(const tulle_linop *M, char *text, size_t room,
                                         size_t *length);

TULLE_END
#endif
