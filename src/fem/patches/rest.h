/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that patches do not write: those of nodes that several have, or none, or that share
 * their row, or are masked; and rows that get more than what patches add up. */
#ifndef TULLE_FEM_PATCHES_REST_H
#define TULLE_FEM_PATCHES_REST_H

#include "core/context.h"
#include "fem/patches/patches.h"

/* As the place has them. */
typedef struct tulle__rest {
    int64_t count, slots;  /* slots: numbers of from */
    int32_t *rows;         /* count: these rows */
    uint32_t *ends, *from; /* of row k the slots from[ends[k]] to before from[ends[k + 1]]; NULL
                              where sums are atomic */
    void *scales;          /* of each row, if it is masked, its diagonal entry, of the operator's
                              type; NULL: none is masked */
} tulle__rest;

/* The rows of an operator of a mesh. */
typedef struct tulle__mesh_rows {
    int64_t count;
    const int32_t *of_node; /* of each node, on the host; NULL: its own number */
    const uint8_t *masked;  /* of each row, the host's or the place's; NULL: none is */
    const double *scales;   /* of each row, on the host: of masked ones, their diagonal entries */
} tulle__mesh_rows;

/* Arrays that are only needed while these rows are found, on the host. Patches have nodes, and
 * memory has rows: nodes that share a row are as if patches shared them, even within one. */
typedef struct tulle__rest_making {
    tulle_ctx *ctx;
    int64_t nodes, row_count;
    const int32_t *row_of; /* of each node; NULL: its own number; the caller's */
    uint8_t *masked;       /* of each node; NULL: none is */
    uint8_t *row_masked;   /* of each row; without row_of the same array, as is the next but one */
    int32_t *touched;      /* of each node: patches that have it, and then sums that its row gets */
    int32_t *row_touched;  /* of each row: sums that it gets */
    int32_t *item;         /* of each row: which one of the rest it is, or -1 */
    int32_t *rows;         /* of the rest, as are the next two */
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
