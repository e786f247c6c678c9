/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of A' in host memory, in blocks, in which fill is found. */
#ifndef TULLE_FACTOR_HOST_ROWS_H
#define TULLE_FACTOR_HOST_ROWS_H

#include "matrix/matrix.h"
#include "tulle/factor.h"

/* Rows with ascending columns, among them the diagonal; source as in tulle__factor_from. */
typedef struct tulle__host_rows {
    int64_t rows;
    int64_t *begins; /* [rows + 1] begin of each row, and end of the last */
    int64_t *cols, *source;
} tulle__host_rows;

/* The choice of entries of A for A'. */
typedef struct tulle__host_choice {
    tulle_reads reads;
    /* true when A is symmetric, and each entry that is read stands for its mirror image too */
    bool mirrored;
    bool lower;           /* true for the entries below the diagonal and on it, before mirroring */
    const int64_t *place; /* [rows] place of each row of A in the order; NULL: its own */
} tulle__host_choice;

void tulle__host_rows_free(tulle_ctx *ctx, tulle__host_rows *r);

/* Makes the rows of A', for a CSR or a BSR matrix. A diagonal that A lacks is added with source -1.
 * Waits for the device. Fails with TULLE_UNSUPPORTED, and names the row of A, if an entry is
 * repeated. */
tulle_status tulle__host_rows_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                 const tulle__host_choice *choice, tulle__host_rows *r);

/* The bytes per entry of the filled pattern: of host memory, where the entries are found, and of
 * the place's memory, where they go with their numbers. */
typedef struct tulle__fill_room {
    const char *function;
    tulle_ctx *ctx;
    double host_bytes, place_bytes; /* bytes per entry */
} tulle__fill_room;

/* Fails with TULLE_OUT_OF_MEMORY if there is no room for so many entries; `least` is true when
 * there may be more. */
tulle_status tulle__fill_fits(const tulle__fill_room *room, double entries, bool least);

/* Computes a lower bound of the number of entries with fill of level 1 or, with `whole`, with all
 * fill. The bound is counted for one pivot k, the best one: any two entries a_ik and a_kj behind
 * a_kk make an entry (i, j) of level 1, and the entries that are not behind k in both row and
 * column are added. */
tulle_status tulle__fill_least(tulle_ctx *ctx, const tulle__host_rows *from, bool whole,
                               double *entries);

/* Each of these functions makes the rows with fill, up to a level or all of it; sources of fill are
 * -1. */
tulle_status tulle__fill_levels(const tulle__fill_room *room, const tulle__host_rows *from,
                                int most, tulle__host_rows *to);
tulle_status tulle__fill_all(const tulle__fill_room *room, const tulle__host_rows *from,
                             tulle__host_rows *to);

/* Keeps the lower triangle and the diagonal. */
void tulle__host_rows_lower(tulle__host_rows *r);

/* Copies the sources of those entries of `to` that `from` has too. */
void tulle__host_rows_sources(const tulle__host_rows *from, tulle__host_rows *to);

/* Allocates arrays for so many rows and entries. */
tulle_status tulle__host_rows_make(tulle_ctx *ctx, int64_t rows, int64_t entries,
                                   tulle__host_rows *r);

/* Makes a pattern of the rows in the context's memory, with the format, blocks and indices of
 * another pattern; offsets become 64-bit if the entries need that. Waits for the device. */
tulle_status tulle__host_rows_pattern(tulle_ctx *ctx, const tulle__pattern *like,
                                      const tulle__host_rows *r, tulle__pattern **pattern);

#endif
