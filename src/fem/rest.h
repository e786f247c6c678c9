/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that patches do not write: several have them, none has, or they are masked. */
#ifndef TULLE_FEM_REST_H
#define TULLE_FEM_REST_H

#include "core/context.h"
#include "fem/patches.h"

/* As the place has them. */
typedef struct tulle__rest {
    int64_t count, slots;
    int32_t *rows;         /* count: these nodes */
    uint32_t *ends, *from; /* of node k the slots from[ends[k]] to before from[ends[k + 1]]; NULL
                              where sums are atomic */
} tulle__rest;

/* What is only needed while they are found, on the host. */
typedef struct tulle__rest_making {
    tulle_ctx *ctx;
    int64_t nodes;
    const uint8_t *masked; /* of each node; NULL: none is; the caller's */
    int32_t *touched;      /* of each node: patches that have it */
    int32_t *item;         /* of each node: which one of the rest it is, or -1 */
    int32_t *rows;         /* of the rest, as are the next two */
    uint32_t *ends, *next;
    uint32_t *from;
    int64_t count;
} tulle__rest_making;

/* Patches are divided between the first and the second call, which add to `touched`, and filled
 * between the second and the last: each has its slots listed, which so come to nodes in the order
 * of patches. To be closed after a failure, too. */
tulle_status tulle__rest_making_open(tulle_ctx *ctx, int64_t nodes, const uint8_t *masked,
                                     tulle__rest_making *m);
tulle_status tulle__rest_list(tulle__rest_making *m);
void tulle__rest_list_slots(const tulle__rest_making *m, const tulle__patches *host,
                            int64_t first_slot);
tulle_status tulle__rest_bring(const tulle__rest_making *m, bool sums, tulle__rest *rest);
void tulle__rest_making_close(const tulle__rest_making *m);

void tulle__rest_close(tulle_ctx *ctx, const tulle__rest *rest);

#endif
