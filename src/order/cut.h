/* SPDX-License-Identifier: Apache-2.0 */
/* A separator that is being improved. The separator's nodes are between two sides. A move puts one
 * of these nodes on a side, and pushes the node's neighbours on the other side in between. */
#ifndef TULLE_ORDER_CUT_H
#define TULLE_ORDER_CUT_H

#include "order/dissect.h"

/* The nodes that may move to one side, in a heap with the highest gain at its root. */
typedef struct tulle__queue {
    int32_t count;
    int32_t *heap;  /* nodes in the heap */
    int32_t *place; /* 1 + the place of each node in the heap; 0: the node is not in the heap */
    int32_t *gain;  /* gain of each node between: weight that its move takes off the separator */
} tulle__queue;

typedef struct tulle__cut {
    const tulle__web *web;
    unsigned char *side;
    int64_t weight[3];      /* weights of the left side, the right side and the separator */
    tulle__queue to[2];     /* nodes that may move to the left, and to the right */
    unsigned char *settled; /* 1 for a node that has moved in this pass */
    int32_t *log;           /* for each move the nodes that it pushed in between, then ~node */
    int64_t logged;
} tulle__cut;

/* Allocates a cut for graphs of at most so many nodes. tulle__cut_free frees it, also after a
 * failure. */
tulle_status tulle__cut_alloc(tulle__dissection *d, int32_t nodes, tulle__cut *cut);
void tulle__cut_free(tulle_ctx *ctx, tulle__cut *cut);

/* Begins with a new graph, all of which is on the right. */
void tulle__cut_start(tulle__cut *cut, const tulle__web *web, unsigned char *side);

/* Begins with a graph and the sides in side[], and computes their weights. */
void tulle__cut_weigh(tulle__cut *cut, const tulle__web *web, unsigned char *side);

/* grow.c: makes a first separator: the left side grows from a random node until it weighs half. */
void tulle__cut_grow(tulle__dissection *d, tulle__cut *cut);

/* Makes a first separator in another way: the nodes near one end of the graph become the left
 * side. */
void tulle__cut_near(tulle__dissection *d, tulle__cut *cut);

/* refine.c: moves nodes as long as moves make the separator lighter or the sides more equal. */
tulle_status tulle__cut_refine(tulle__dissection *d, tulle__cut *cut);

/* Returns the cost of a separator; of two separators the one with the lower cost is better. */
double tulle__cut_cost(const tulle__cut *cut);

/* cut.c: empties both queues and the log, and takes all nodes for not moved. */
void tulle__cut_clear(tulle__cut *cut);

/* Computes the gains of a node between, and puts the node into both queues unless it has moved. */
void tulle__cut_offer(tulle__cut *cut, int32_t v);

/* Removes a node from the queue if the queue has it. */
void tulle__queue_drop(tulle__queue *queue, int32_t v);

/* Moves node v, which is between, to a side. */
void tulle__cut_move(tulle__cut *cut, int32_t v, int to);

/* Undoes the last moves, until the log has length `logged`. */
void tulle__cut_undo(tulle__cut *cut, int64_t logged);

#endif
