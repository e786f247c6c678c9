/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of A' in host memory, in blocks: where fill is found. */
#ifndef TULLE_FACTOR_HOST_ROWS_H
#define TULLE_FACTOR_HOST_ROWS_H

#include "matrix/matrix.h"
#include "tulle/factor.h"

/* Rows with ascending columns, the diagonal among them; source as in tulle__factor_from. */
typedef struct tulle__host_rows {
    int64_t rows;
    int64_t *begins; /* [rows + 1] */
    int64_t *cols, *source;
} tulle__host_rows;

/* Which entries of A there are in A'. */
typedef struct tulle__host_choice {
    tulle_reads reads;
    bool mirrored;        /* A is symmetric: what is read stands for its mirror, too */
    bool lower;           /* the entries below the diagonal and on it, before mirroring */
    const int64_t *place; /* [rows] where the order puts each row of A; NULL: where it is */
} tulle__host_choice;

void tulle__host_rows_free(tulle_ctx *ctx, tulle__host_rows *r);

/* Rows of A', for a CSR or a BSR matrix; a diagonal that A lacks is there with source -1. Waits.
 * TULLE_UNSUPPORTED names a row of A with a repeated entry. */
tulle_status tulle__host_rows_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                 const tulle__host_choice *choice, tulle__host_rows *r);

/* The bytes that entries of the filled pattern take: of host memory, where they are found, and of
 * the place's, where they go with their numbers. */
typedef struct tulle__fill_room {
    const char *function;
    tulle_ctx *ctx;
    double host_bytes, place_bytes; /* of an entry */
} tulle__fill_room;

/* TULLE_OUT_OF_MEMORY where there is no room for so many entries; least: there may be more. */
tulle_status tulle__fill_fits(const tulle__fill_room *room, double entries, bool least);

/* A lower bound of the entries with fill of level 1, or, with `whole`, with all fill. It is counted
 * of one pivot k, the best one: any two entries a_ik and a_kj behind a_kk make an entry (i, j) of
 * level 1, and the entries that are not behind k in both row and column stay beside these. */
tulle_status tulle__fill_least(tulle_ctx *ctx, const tulle__host_rows *from, bool whole,
                               double *entries);

/* The same rows with fill up to a level, or all of it; sources of fill are -1. */
tulle_status tulle__fill_levels(const tulle__fill_room *room, const tulle__host_rows *from,
                                int most, tulle__host_rows *to);
tulle_status tulle__fill_all(const tulle__fill_room *room, const tulle__host_rows *from,
                             tulle__host_rows *to);

/* Keeps the lower triangle and the diagonal. */
void tulle__host_rows_lower(tulle__host_rows *r);

/* Sources of `to` from those entries that `from` has, too. */
void tulle__host_rows_sources(const tulle__host_rows *from, tulle__host_rows *to);

/* Arrays for so many rows and entries. */
tulle_status tulle__host_rows_make(tulle_ctx *ctx, int64_t rows, int64_t entries,
                                   tulle__host_rows *r);

/* The same rows as a pattern in the context's memory, of the format, blocks and indices of another;
 * offsets become 64-bit where entries need that. Waits. */
tulle_status tulle__host_rows_pattern(tulle_ctx *ctx, const tulle__pattern *like,
                                      const tulle__host_rows *r, tulle__pattern **pattern);

#endif
