/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a square matrix on the host: an edge between i and j != i where A or its transpose
 * has an entry. */
#ifndef TULLE_ORDER_GRAPH_H
#define TULLE_ORDER_GRAPH_H

#include "core/context.h"
#include "tulle/matrix.h"

typedef struct tulle__graph {
    int64_t nodes;
    bool narrow;      /* neighbours have 32 bits */
    int64_t *begin;   /* nodes + 1: the neighbours of v, each once, from begin[v] to begin[v + 1] */
    void *neighbours; /* twice the edges */
} tulle__graph;

/* Of the rows of A, an argument of the public function; or, where `blocks` and A is BSR, of its
 * block rows. After a failure there is nothing to free. */
tulle_status tulle__graph_of(const char *function, tulle_ctx *ctx, const tulle_mat *A, bool blocks,
                             tulle__graph *graph);

void tulle__graph_free(tulle_ctx *ctx, tulle__graph *graph);

/* rcm.c: the reverse Cuthill-McKee order of any graph, as tulle_order_rcm: order[i], for each of
 * its nodes, is the node at place i. */
tulle_status tulle__order_rcm_graph(tulle_ctx *ctx, const tulle__graph *graph, int64_t *order);

#endif
