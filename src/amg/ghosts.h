/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbourhood of a process's rows: a local matrix of its own rows and of the rows of other
 * processes that these name, and what is known of rows of other processes (ghosts). */
#ifndef TULLE_AMG_GHOSTS_H
#define TULLE_AMG_GHOSTS_H

#include "amg/amg.h"
#include "dist/rows.h"

/* Local rows are numbered in the order of the whole matrix: ghosts below the own rows, own rows,
 * ghosts above. A ghost that a row of this process names has all its entries in A; the ghosts that
 * only these rows name have none. */
typedef struct tulle__amg_ghosts {
    tulle_comm *comm;
    tulle__columns rows; /* numbers of local rows in the whole matrix */
    tulle_mat *A;        /* the local matrix, square, columns rising; owned */
    int64_t *names;      /* numbers of local rows in the place's memory, owned */
    tulle__halo halo;    /* the ghosts, and who has them */
    void *go, *come;     /* the place's memory for an item of 8 bytes for each row; owned */
    int64_t *number;     /* [all rows + 1] number of coarse rows before each local row, in the
                            place's memory, when rows are split; owned */
    int64_t strong;      /* number of strong connections of own fine rows (interpolate.c) */
} tulle__amg_ghosts;

/* Makes the neighbourhood of this process's rows of A, whose columns are shared as its rows are.
 * Communicates. After a failure it is still to be freed. */
tulle_status tulle__amg_ghosts_make(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__amg_ghosts *g);
void tulle__amg_ghosts_free(tulle_ctx *ctx, tulle__amg_ghosts *g);

/* Brings the items of ghosts from their owners, in an array of the place's memory that has an item
 * of `size` bytes, 1, 4 or 8, for each local row. here: status of this process so far.
 * Communicates; a failure may be this process's own. */
tulle_status tulle__amg_ghosts_bring(tulle_ctx *ctx, tulle__amg_ghosts *g, tulle_status here,
                                     void *items, size_t size);

/* Does tulle__amg_interpolate for a local matrix, where that is ghosts->A, whose rows are split
 * together with the other processes. P, also one without columns, then has rows of ghosts that are
 * of no use, as is the share of strong connections. Communicates, unless ghosts is NULL; a failure
 * may be this process's own. */
tulle_status tulle__amg_interpolate_with(tulle_ctx *ctx, const tulle_amg_options *options,
                                         const tulle_mat *A, tulle__amg_ghosts *ghosts,
                                         tulle__amg_coarsening *kept, tulle_amg_level_info *info,
                                         tulle_mat **P);

/* Makes aggregates of the rows of a local matrix, together with the other processes: T, a 1 in the
 * column of a row's aggregate, and S of smoothed aggregation (aggregate_rules.h), or NULL. Rows of
 * ghosts are of no use. *kinds gets the rows' kinds, of which roots are coarse. Communicates; a
 * failure may be this process's own. */
tulle_status tulle__amg_aggregate_with(tulle_ctx *ctx, const tulle_amg_options *options,
                                       tulle__amg_ghosts *ghosts, tulle__amg_coarsening *kinds,
                                       tulle_amg_level_info *info, tulle_mat **T, tulle_mat **S);

/* Adds numbers up over all processes, at most TULLE__AMG_MOST_SUMS. here: status of this process so
 * far. Communicates. */
enum { TULLE__AMG_MOST_SUMS = 2 };
tulle_status tulle__amg_sum(tulle_comm *comm, tulle_status here, double *numbers, int count);

#endif
