/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a square matrix, in host memory: an edge joins i and j != i where A or its transpose
 * has an entry. */
#ifndef TULLE_ORDER_GRAPH_H
#define TULLE_ORDER_GRAPH_H

#include "core/context.h"
#include "tulle/matrix.h"

typedef struct tulle__graph {
    int64_t nodes;
    bool narrow; /* true when the numbers of neighbours have 32 bits */
    /* nodes + 1 positions: the neighbours of v, each once, are at begin[v] to begin[v + 1] - 1 */
    int64_t *begin;
    void *neighbours; /* neighbours of each node: twice as many numbers as edges */
} tulle__graph;

/* Makes the graph of the rows of A or, if `blocks` is true and A is in BSR, of its block rows.
 * Errors name the argument A of a public function. After a failure there is nothing to free. */
tulle_status tulle__graph_of(const char *function, tulle_ctx *ctx, const tulle_mat *A, bool blocks,
                             tulle__graph *graph);

/* Makes the graph of `count` rows of a square matrix in CSR, in host memory. */
tulle_status tulle__graph_of_rows(tulle_ctx *ctx, int64_t count, const int64_t *offsets,
                                  const int64_t *columns, tulle__graph *graph);

void tulle__graph_free(tulle_ctx *ctx, tulle__graph *graph);

/* rcm.c: computes the reverse Cuthill-McKee order of any graph, as tulle_order_rcm does; order[i]
 * is the node at place i. */
tulle_status tulle__order_rcm_graph(tulle_ctx *ctx, const tulle__graph *graph, int64_t *order);

#endif
