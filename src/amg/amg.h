/* SPDX-License-Identifier: Apache-2.0 */
/* A hierarchy of algebraic multigrid. */
#ifndef TULLE_AMG_AMG_H
#define TULLE_AMG_AMG_H

#include "amg/block_jobs.h"
#include "core/stopwatch.h"
#include "operator/linop.h"
#include "spgemm/lengths.h"
#include "tulle/amg.h"
#include "tulle/dist.h"

/* Largest number of levels, and largest degree of the smoother. */
enum { TULLE__AMG_MOST_LEVELS = 64, TULLE__AMG_MOST_DEGREE = 8 };

/* The part of a level's coarsening that other values of the matrix may share: of the classical
 * family the kinds of rows, one byte each, also where processes share them; of smoothed aggregation
 * in one process the numbers of the rows' aggregates, in the type of the matrix's columns. */
typedef struct tulle__amg_coarsening {
    tulle__own_vector rows; /* kinds or numbers, in the place's memory */
    int64_t first;          /* place of the first own row, behind rows of other processes */
    int64_t coarse;         /* number of rows of the next level; 0: nothing is kept */
} tulle__amg_coarsening;

/* The matrices of a level that a cycle multiplies with, owned: the level's, or those that working.c
 * makes of them in f32. */
typedef struct tulle__amg_matrices {
    tulle_mat *A, *P, *R, *inverse;
} tulle__amg_matrices;

/* The matrices of a level whose rows are shared by processes, and their operators; owned. NULL on a
 * level of which all processes have all rows. */
typedef struct tulle__amg_shared {
    tulle_dist_mat *A, *P, *R; /* A: NULL on a level that is passed */
    tulle_linop *of_A, *of_P, *of_R;
    int64_t rows; /* number of own rows */
} tulle__amg_shared;

/* The way of vectors to the first level of which all processes have all rows, after shared ones:
 * all get all of b, and take their own rows of x. */
typedef struct tulle__amg_whole {
    tulle_mat *A;             /* owned; the matrix of that level, where the cycle passes through it:
                                 what processes gathered is not made again; else NULL */
    tulle_vec *b, *x;         /* owned; NULL: there is no such level after shared ones */
    int64_t first, rows;      /* own rows */
    tulle_comm_piece *pieces; /* owned; pieces of b that come, and then those that go */
    int receives, sends;
} tulle__amg_whole;

typedef struct tulle__amg_level {
    tulle_mat *A;       /* owned, CSR, columns rising; NULL on a level that is passed and, below the
                           first level, while it is given up */
    tulle_mat *P;       /* owned; NULL on the last level, and while it is given up */
    tulle_mat *R;       /* owned; NULL as P is */
    tulle_mat *inverse; /* owned; the inverse of A on a last level that is solved; else NULL */
    tulle_vec *d;       /* owned; inverted sums of the sizes of A's rows, 0 where a row has none;
                           NULL below the first level while it is given up */
    tulle__amg_matrices cycle;
    tulle_mat *AP, *next; /* owned; A P, and the matrix of the next level, which may be passed,
                             where updates are to compute numbers alone; else NULL */
    tulle_vec *b, *x;     /* owned; right-hand side and solution of the level; NULL on the first,
                             unless the cycle is in f32 */
    tulle_vec *r, *z[2];  /* owned; residual, and the smoother's last two steps */
    tulle__amg_coarsening kept;
    tulle__spgemm_lengths lengths[2]; /* owned; of the rows of A P and of R A P, for an update */
    tulle__amg_shared shared;
    tulle_vec *blocks, *inverses; /* owned; of a level of nodes the diagonal blocks of the smoother
                                     and their inverses, in f64, while the cycle's matrices are
                                     made; else NULL */
    double bound; /* bound of the eigenvalues of the product of the inverted diagonal blocks and the
                     matrix, of a level of nodes */
    bool passes;  /* true for a level that is neither smoothed nor solved: the cycle only restricts
                     and interpolates through it */
    bool twice;   /* true for a level that a cycle visits twice in turn */
    double correction; /* factor of the correction that comes from the next level */
    bool is_far; /* true where the level before hardly smooths the error of a row (diagonal.c) */
    tulle_vec *sizes; /* owned; sizes of the rows of the level before, restricted, until is_far is
                         known; else NULL */
    tulle_amg_level_info info;
} tulle__amg_level;

/* A hierarchy of nodes, whose levels are matrices of blocks (nodes.c). */
typedef struct tulle__amg_nodes {
    int block;            /* unknowns of a node of A; 0: the hierarchy is one of rows */
    int columns;          /* columns of the near null space */
    tulle_vec *near_null; /* owned; the caller's, n x columns by rows in f64; NULL: constants */
    tulle_vec *near;      /* owned; that of the last level so far, while levels are made */
    tulle_vec *made;    /* owned; sizes of the numbers in A that the unknowns of the level that was
                           made last are made of (nodes.c), in f64; NULL: levels are complete */
    tulle_vec *entry;   /* owned; blocks of D^-1 of the first level by rows, in A's type */
    tulle_vec *entered; /* owned; D^-1 b where the cycle is in f32 */
    uint64_t pattern;   /* serial number of the pattern that the first level was made of */
    int64_t dropped;    /* columns of aggregates that depend on others, on all levels */
} tulle__amg_nodes;

typedef struct tulle__amg {
    tulle_linop head;
    tulle_mat *A;         /* owned, as the caller gave it; NULL for a distributed matrix */
    tulle_dist_mat *dist; /* owned, as the caller gave it; NULL for a matrix of one process */
    int shared;           /* number of levels whose rows are shared */
    tulle__amg_whole whole;
    tulle_amg_options options;
    tulle__amg_nodes nodes;
    tulle__amg_level level[TULLE__AMG_MOST_LEVELS];
    int levels;
    tulle_amg_info info;
    tulle_vec *noise; /* owned; what roundings may be in the diagonal of the level that was made
                         last (diagonal.c); NULL: it is the first one, or levels are complete */
    int64_t unfit;    /* reason why the cycle is not in f32 where it was tried; else 0 */
    bool single;      /* true: the cycle is in f32, under a hierarchy in f64 (working.c) */
    bool gives_up;    /* true: levels give up their numbers in f64 (wide.c) */
    bool stale; /* true: an update has failed, and of the levels P alone is left for the next */
    tulle_vec *unit; /* owned; memory of tulle__amg_passage.unit, and of unfit behind it; NULL where
                        no cycle in f32 was tried */
    tulle__own_vector own_x; /* x where its numbers do not follow each other */
    tulle__own_vector own_y; /* the cycle's result where it does not go straight into y */
} tulle__amg;

/* Returns the milliseconds since a time in seconds, which becomes now. The device must have ended
 * its work. */
static inline double tulle__amg_lap(double *since) {
    const double now = tulle__seconds(), passed = 1e3 * (now - *since);
    *since = now;
    return passed;
}

/* Takes the caller's options, checks them, and puts defaults in the place of zeros. */
tulle_status tulle__amg_take_options(const char *function, const tulle_amg_options *options,
                                     size_t options_size, tulle_amg_options *o);

/* Makes the operator of a hierarchy without levels; own->head is for tulle_linop_destroy. */
tulle_status tulle__amg_make(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                             const tulle_amg_options *options, tulle__amg **made);

/* True where a next level of so many rows is worth its work. */
static inline bool tulle__amg_shrinks(double rows, double coarse) {
    return coarse > 0 && coarse <= 0.9 * rows;
}

/* True for a level whose rows are shared. */
static inline bool tulle__amg_is_shared(const tulle__amg_level *level) {
    return level->shared.A || level->shared.P;
}

/* True for a level whose equations are multiplied by the inverse of the smoother's diagonal: in a
 * cycle in f32 (working.c), and where levels are of nodes (node_cycle.c). */
static inline bool tulle__amg_is_scaled(const tulle__amg *own, const tulle__amg_level *level) {
    return own->nodes.block > 0 || (own->single && !tulle__amg_is_shared(level));
}

/* Decides whether the cycle passes through level l, when the next one is made (build.c). */
bool tulle__amg_passes(const tulle__amg *own, int l);

/* Smoothing solves a level where no row's sizes add up to more than so many times its diagonal. */
static const double tulle__amg_dominated = 1.5;

/* Makes the levels of own->dist whose rows are shared; done: there are no others. Else the level
 * behind them has all rows in all processes. Communicates (shared.c). */
tulle_status tulle__amg_build_shared(tulle_ctx *ctx, tulle__amg *own, bool *done);

/* Computes the diagonal of a shared level's smoother from its matrix, of which own rows are made
 * one local matrix, and own->noise, which is begun where it is NULL (shared.c). */
tulle_status tulle__amg_set_shared_diagonal(tulle_ctx *ctx, tulle__amg *own,
                                            const tulle_dist_mat *A, tulle__amg_level *level);

/* Makes the local matrix of own rows, whose columns have the order of the whole matrix (shared.c).
 */
tulle_status tulle__amg_own_rows(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_mat **local);

/* Puts R times the numbers of own rows, which are given up, in their place. rows: own rows of R.
 * here: status of this process so far; *numbers and rows may be NULL where it is a failure, of
 * which all processes hear. Communicates (travel.c). */
tulle_status tulle__amg_restrict_numbers(tulle_ctx *ctx, const tulle_dist_mat *R,
                                         const tulle_mat *rows, tulle_status here,
                                         tulle_vec **numbers);

/* Gathers numbers of A's own rows, if there are any, in all processes, which hear of a failure
 * (whole.c). Communicates. */
tulle_status tulle__amg_gather_numbers(tulle_ctx *ctx, const tulle_dist_mat *A,
                                       tulle_vec **numbers);

/* Brings the levels whose rows are shared, and the gathered one, to the values of own->dist, with
 * the interpolation that there is (update_shared.c). Communicates. */
tulle_status tulle__amg_bring_shared(tulle_ctx *ctx, tulle__amg *own);

/* Gathers the level behind the shared ones in all processes (whole.c). Communicates; a failure may
 * be this process's own. */
tulle_status tulle__amg_gather(tulle_ctx *ctx, tulle__amg *own);

/* Makes all levels of own->A or own->dist; on failure none is left. kept: coarsenings that the
 * first levels are to have, of TULLE__AMG_MOST_LEVELS levels, which are taken over; NULL: none. */
tulle_status tulle__amg_build(tulle_ctx *ctx, tulle__amg *own, tulle__amg_coarsening *kept);
void tulle__amg_forget(tulle__amg *own);

/* Fills own->info and the levels' from levels that are complete. */
void tulle__amg_describe_levels(tulle__amg *own);

/* Brings all levels to the values of own->A, with the interpolation that there is (update.c). */
tulle_status tulle__amg_bring_values(tulle_ctx *ctx, tulle__amg *own);

/* Decides which levels a cycle visits twice, and the factors of corrections (visits.c). */
void tulle__amg_plan_visits(tulle__amg *own);

/* Makes all levels anew from their coarsenings (update.c). */
tulle_status tulle__amg_keep_coarsening(tulle_ctx *ctx, tulle__amg *own);

/* Puts an array of the context's memory, which is taken over, into *kept (coarsening.c). */
void tulle__amg_keep(tulle_ctx *ctx, void *rows, size_t bytes, int64_t first, int64_t coarse,
                     tulle__amg_coarsening *kept);
void tulle__amg_drop(tulle__amg_coarsening *kept);

/* Computes the diagonal of a level's smoother from the level's matrix, which need not be kept, and
 * from own->noise, which is NULL on the first level (diagonal.c). */
tulle_status tulle__amg_set_diagonal(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A,
                                     tulle__amg_level *level);

/* Inverts sums of sizes of A's rows for a level's smoother; row i has its diagonal entry in column
 * first + i. *unfit tells of rows whose noise is too large for f32; it may be NULL. */
tulle_status tulle__amg_invert_sums(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A,
                                    int64_t first, tulle_vec *d, int64_t *unfit);

/* Rounding unit of f32; numbers of noise are the t of diagonal.c times this, which leaves room for
 * sums of the largest numbers of f64. */
static const double tulle__amg_noise_unit = 0x1p-24;

/* Turns the largest sizes in the rows of the first level into noise. */
tulle_status tulle__amg_begin_noise(tulle_ctx *ctx, tulle_vec *noise);

/* Brings own->noise from a level to the next one. NULL: the level is the first, and has its matrix.
 */
tulle_status tulle__amg_pass_noise(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level);
void tulle__amg_drop_noise(tulle__amg *own);

/* Makes the vector of the largest sizes in the rows of a level's matrix. */
tulle_status tulle__amg_find_sizes(tulle_ctx *ctx, const tulle_mat *A, tulle_vec **sizes);

/* Finds level->is_far from level->sizes, where there are any, which are given up. */
tulle_status tulle__amg_find_far(tulle_ctx *ctx, tulle__amg_level *level);

/* Returns the share of a row's noise up to which a number that counts the row counts as 0. */
double tulle__amg_lost(tulle_type type);

/* Returns the share of nodes.made up to which a pivot of nodes counts as 0. */
double tulle__amg_lost_of_nodes(tulle_type type);

/* Returns the noise over a number that counts, on a level of so many rows, from which on a cycle is
 * not in f32. */
double tulle__amg_most_noise(const tulle__amg *own, int64_t rows);

/* Returns the place of the reason why the cycle is not in f32. */
int64_t *tulle__amg_unfit(const tulle__amg *own);

/* Finds whether the cycle may be in f32 by all that was computed so far (waits). */
tulle_status tulle__amg_look_for_unfit(tulle_ctx *ctx, tulle__amg *own);

/* True where a cycle in f32 is tried. */
bool tulle__amg_may_be_single(const tulle__amg *own);

/* Rounds P, which was just made, to the numbers of f32, where a cycle in f32 is tried. */
tulle_status tulle__amg_shorten_P(tulle_ctx *ctx, const tulle__amg *own, tulle_mat *P);

/* Comes before all levels are made, or are brought to new values. gives_up: each level is to give
 * up its numbers in f64 as soon as the cycle has them. */
tulle_status tulle__amg_begin_cycle(tulle_ctx *ctx, tulle__amg *own, bool gives_up);

/* Makes the cycle's matrices of level l, but for that of the first level, where the cycle is to be
 * in f32: level l has its matrix and diagonal, and the next level its diagonal. */
tulle_status tulle__amg_narrow_level(tulle_ctx *ctx, tulle__amg *own, int l);

/* Gives up the numbers of a level that the cycle does not need, where own->gives_up says so. */
void tulle__amg_give_up(const tulle__amg *own, tulle__amg_level *level);

/* Makes a matrix on a pattern, whose numbers are to be computed. */
tulle_status tulle__amg_make_on(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                                tulle_mat **to);

/* Gives a level the matrix that was made for it, which is taken over; same: on the pattern that the
 * level had. */
tulle_status tulle__amg_put(tulle_ctx *ctx, bool same, tulle_mat *made, tulle__amg_level *level);

/* Makes R A P of a level as the matrix of the next one; keeps what options.keep_plans says. */
tulle_status tulle__amg_multiply(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *level,
                                 const tulle_mat *A, tulle_mat **next);

/* Make a level's P; P and R; the matrix of level l; and all of these and the diagonals, where they
 * have been given up. */
tulle_status tulle__amg_need_P(tulle_ctx *ctx, tulle__amg_level *level);
tulle_status tulle__amg_need_R(tulle_ctx *ctx, tulle__amg_level *level);
tulle_status tulle__amg_need_A(tulle_ctx *ctx, tulle__amg *own, int l);
tulle_status tulle__amg_need_all(tulle_ctx *ctx, tulle__amg *own);

/* Makes the matrices and vectors of the cycle from those of all levels, or brings them to the
 * levels' new values (working.c; waits). */
tulle_status tulle__amg_prepare_cycle(tulle_ctx *ctx, tulle__amg *own);

/* Makes interpolation P from the coarse rows of A to all its rows, n x nc; nc is 0 where A has no
 * strong connections, and then P is NULL. Uses the coarsening in *kept, or puts it there. */
tulle_status tulle__amg_interpolate(tulle_ctx *ctx, const tulle_amg_options *options,
                                    const tulle_mat *A, tulle__amg_coarsening *kept,
                                    tulle_amg_level_info *info, tulle_mat **P);

/* Makes interpolation P from aggregates, as tulle__amg_interpolate; plain aggregation keeps
 * nothing. */
tulle_status tulle__amg_aggregate(tulle_ctx *ctx, const tulle_amg_options *options,
                                  const tulle_mat *A, tulle__amg_coarsening *kept,
                                  tulle_amg_level_info *info, tulle_mat **P);

/* Makes T of aggregates of nodes, with a 1 for each node in f64, of sizes of a level's blocks; NULL
 * where no two nodes are connected strongly. Uses the coarsening in *kept, or puts it there. */
tulle_status tulle__amg_aggregate_nodes(tulle_ctx *ctx, const tulle_amg_options *options,
                                        const tulle__amg_sizing *sized, tulle__amg_coarsening *kept,
                                        tulle_amg_level_info *info, tulle_mat **T);

/* Takes what the options say of nodes, for a matrix that was checked (node_options.c). */
tulle_status tulle__amg_take_nodes(const char *function, tulle_ctx *ctx, tulle__amg *own);

/* Make all levels of a hierarchy of nodes, and bring them to the values of own->A (nodes.c). */
tulle_status tulle__amg_build_nodes(tulle_ctx *ctx, tulle__amg *own);
tulle_status tulle__amg_bring_nodes(tulle_ctx *ctx, tulle__amg *own);
void tulle__amg_forget_nodes(tulle__amg *own);

/* Makes P of a level of nodes from the near null space of the level, which is replaced by that of
 * the next one; P is NULL where there is none (node_interpolation.c). */
tulle_status tulle__amg_interpolate_nodes(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level);

/* Makes the diagonal blocks of a level's smoother, and their inverses, unless they are there. */
tulle_status tulle__amg_need_blocks(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level);

/* Makes the cycle's matrices and vectors of levels of nodes, or brings them to the levels' new
 * values; gives up blocks (node_cycle.c; waits). */
tulle_status tulle__amg_prepare_nodes(tulle_ctx *ctx, tulle__amg *own);

/* Makes the vectors of a level for the cycle, where they are not there (working.c). */
tulle_status tulle__amg_need_vectors(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level);

/* Makes the inverse of a matrix of few rows, whose noise own has, as a full CSR matrix. Rows and
 * columns that depend on others have zeros, so that a singular A is solved where its right-hand
 * side allows it. Decides that the cycle is not in f32 where a pivot has too much noise for it.
 * *inverse: NULL, or the inverse of another such matrix, which gets the numbers. */
tulle_status tulle__amg_invert(tulle_ctx *ctx, tulle__amg *own, const tulle_mat *A,
                               tulle_mat **inverse);

/* Finds the factor by which a residual falls in an iteration with M, where A is in one process. */
tulle_status tulle__amg_find_factor(tulle_ctx *ctx, tulle__amg *own, double *factor);

/* x := one cycle for b, on vectors of one column. */
tulle_status tulle__amg_cycle(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x);

#endif
