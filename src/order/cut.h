/* SPDX-License-Identifier: Apache-2.0 */
/* A separator in the making: nodes between two sides move to one of them, and push those of the
 * other side that they touch in between. */
#ifndef TULLE_ORDER_CUT_H
#define TULLE_ORDER_CUT_H

#include "order/dissect.h"

/* Nodes that may move to one side, the one with the highest gain at the root of a heap. */
typedef struct tulle__queue {
    int32_t count;
    int32_t *heap;  /* nodes */
    int32_t *place; /* of each node in the heap plus 1, or 0 */
    int32_t *gain;  /* of each node between: by how much its move makes the separator lighter */
} tulle__queue;

typedef struct tulle__cut {
    const tulle__web *web;
    unsigned char *side;
    int64_t weight[3];      /* of the left, of the right and between */
    tulle__queue to[2];     /* moves to the left and to the right */
    unsigned char *settled; /* moved once in this pass */
    int32_t *log;           /* for each move what was pushed in between, then ~node */
    int64_t logged;
} tulle__cut;

/* Scratch for graphs of at most so many nodes; what there is after a failure is for _free. */
tulle_status tulle__cut_alloc(tulle__dissection *d, int32_t nodes, tulle__cut *cut);
void tulle__cut_free(tulle_ctx *ctx, tulle__cut *cut);

/* Starts anew: all of the graph is on the right. */
void tulle__cut_start(tulle__cut *cut, const tulle__web *web, unsigned char *side);

/* Starts with the sides that side[] has, and weighs them. */
void tulle__cut_weigh(tulle__cut *cut, const tulle__web *web, unsigned char *side);

/* grow.c: a first separator: the left grows from a node at random until it weighs half. */
void tulle__cut_grow(tulle__dissection *d, tulle__cut *cut);

/* Another first separator: the nodes that are near one end of the graph are the left. */
void tulle__cut_near(tulle__dissection *d, tulle__cut *cut);

/* refine.c: moves nodes as long as that makes the separator lighter or the sides more equal. */
tulle_status tulle__cut_refine(tulle__dissection *d, tulle__cut *cut);

/* The cost of a separator; of two separators the one with the lower cost is better. */
double tulle__cut_cost(const tulle__cut *cut);

/* cut.c: the moves of both queues are gone, no node is settled, nothing is logged. */
void tulle__cut_clear(tulle__cut *cut);

/* A node between, whose gains are counted, may move to either side. */
void tulle__cut_offer(tulle__cut *cut, int32_t v);

/* Takes a move out of the queue. */
void tulle__queue_drop(tulle__queue *queue, int32_t v);

/* Moves v, which is between. */
void tulle__cut_move(tulle__cut *cut, int32_t v, int to);

/* Takes the moves back from the last one to where the log was `logged` long. */
void tulle__cut_undo(tulle__cut *cut, int64_t logged);

#endif
