/* SPDX-License-Identifier: Apache-2.0 */
/* The rest: rows that patches do not write, because several patches or none have their node,
 * because several nodes share the row, or because it is masked; and rows that get more than the
 * sums of patches. */
#ifndef TULLE_FEM_PATCHES_REST_H
#define TULLE_FEM_PATCHES_REST_H

#include "core/context.h"
#include "fem/patches/patches.h"

/* The rest as it is in the place's memory. */
typedef struct tulle__rest {
    int64_t count, slots;  /* numbers of rows, and of elements of from */
    int32_t *rows;         /* count: the rows of the rest */
    uint32_t *ends, *from; /* row k adds the slots from[ends[k]] to before from[ends[k + 1]]; NULL
                              where sums are atomic */
    void *scales; /* for each row that is masked its diagonal entry, of the operator's type; NULL:
                     none is masked */
} tulle__rest;

/* The rows of an operator of a mesh. */
typedef struct tulle__mesh_rows {
    int64_t count;
    const int32_t *of_node; /* row of each node, in host memory; NULL: the node's number */
    const uint8_t *masked;  /* flag of each row, host's or place's; NULL: none is masked */
    const double *scales;   /* diagonal entry of each masked row, in host memory, indexed by row */
} tulle__mesh_rows;

/* Arrays in host memory that are only needed while the rest is found. Patches have nodes, and
 * memory has rows: nodes that share a row are treated as if patches shared them, even within one
 * patch. */
typedef struct tulle__rest_making {
    tulle_ctx *ctx;
    int64_t nodes, row_count;
    const int32_t *row_of; /* row of each node; NULL: its own number; the caller's */
    uint8_t *masked;       /* flag of each node; NULL: none is masked */
    uint8_t *row_masked;   /* flag of each row; without row_of the same array as masked */
    int32_t *touched; /* number of patches that have each node; later, of sums that its row gets */
    int32_t *row_touched; /* number of sums that each row gets; without row_of the same array as
                             touched */
    int32_t *item;        /* index in the rest of each row, or -1 */
    int32_t *rows; /* the rows of the rest; ends and next have an element for each of them, too */
    uint32_t *ends, *next;
    uint32_t *from;
    int64_t count;
} tulle__rest_making;

/* *masked: a copy of the mask of rows in the place's memory, NULL where there is none, which the
 * caller frees, also after a failure. NULL: none is asked for.
 *
 * Patches are divided between the first and the second call, which add to `touched`, and elements
 * that are kept add to `row_touched`. They are filled between the second and the last: each has its
 * nodes renamed, once nobody asks for their coordinates any more, and its slots listed, so that
 * they come to rows in the order of patches. To be closed after a failure, too. */
tulle_status tulle__rest_making_open(tulle_ctx *ctx, int64_t nodes, const tulle__mesh_rows *rows,
                                     uint8_t **masked, tulle__rest_making *m);
tulle_status tulle__rest_list(tulle__rest_making *m);
/* A list of nodes with flags becomes one of rows. */
void tulle__rest_rename(const tulle__rest_making *m, uint32_t *list, int64_t count);
/* The sum in a slot comes to a row, which is not masked. */
void tulle__rest_add_slot(const tulle__rest_making *m, int64_t row, int64_t slot);
tulle_status tulle__rest_bring(const tulle__rest_making *m, bool sums, tulle__rest *rest);
/* The diagonal entries of the rows of the rest, some of which may be masked. */
tulle_status tulle__rest_bring_scales(const tulle__rest_making *m, const double *scales,
                                      tulle_type type, tulle__rest *rest);
void tulle__rest_making_close(const tulle__rest_making *m);

void tulle__rest_close(tulle_ctx *ctx, const tulle__rest *rest);

#endif
