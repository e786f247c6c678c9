/* SPDX-License-Identifier: Apache-2.0 */
/* Nested dissection by a multilevel scheme: a graph is made coarser by merging neighbours, a small
 * set of nodes that separates the coarsest graph is found, and the set is carried back and refined
 * on each finer graph. Everything is done by the calling thread, draws its numbers from a state of
 * its own, and asks the progress callback often. */
#ifndef TULLE_ORDER_DISSECT_H
#define TULLE_ORDER_DISSECT_H

#include "core/context.h"

/* The two parts of a graph, and the nodes between them. */
enum { TULLE__LEFT, TULLE__RIGHT, TULLE__BETWEEN };

/* A graph whose nodes and edges stand for several of the matrix. */
typedef struct tulle__web {
    int32_t nodes;
    int64_t *begin;      /* nodes + 1: neighbours of v stand from begin[v] to begin[v + 1] */
    int32_t *neighbours; /* each edge at both its ends */
    int32_t *weight;     /* how many nodes of the matrix a node stands for */
    int32_t *edges;      /* how many edges of the matrix each stands for; at most INT32_MAX */
} tulle__web;

/* An ordering under way. */
typedef struct tulle__dissection {
    tulle_ctx *ctx;
    const char *function;
    int64_t placed, nodes; /* of the graph that is dissected */
    const tulle__web *whole;
    int32_t *column;   /* of leaf.c: for each node of the whole graph, zero between its calls */
    int64_t looked_at; /* edges since the progress callback was asked */
    uint64_t random;
} tulle__dissection;

/* Counts edges that were looked at; asks the progress callback after each million of them. */
tulle_status tulle__dissect_count(tulle__dissection *d, int64_t edges);

/* A number below `bound`, which is positive. */
int32_t tulle__dissect_draw(tulle__dissection *d, int32_t bound);

/* Zeroed host memory for `count` numbers of `size` bytes. */
tulle_status tulle__dissect_array(tulle__dissection *d, int64_t count, size_t size, void **array);

/* web.c: room for a graph; what there is of it after a failure is for tulle__web_free. */
tulle_status tulle__web_alloc(tulle__dissection *d, int64_t nodes, int64_t ends, tulle__web *web);
void tulle__web_free(tulle_ctx *ctx, tulle__web *web);

/* The graph whose node g stands for all v with group[v] = g; each of `groups` has a member. */
tulle_status tulle__web_merge(tulle__dissection *d, const tulle__web *fine, const int32_t *group,
                              int32_t groups, tulle__web *coarse);

/* match.c: pairs of neighbours with heavy edges between them become groups; a pair weighs no more
 * than `most`. */
tulle_status tulle__web_match(tulle__dissection *d, const tulle__web *web, int64_t most,
                              int32_t *group, int32_t *groups);

/* twins.c: nodes that have the same neighbours and are neighbours themselves become a group. */
tulle_status tulle__web_twins(tulle__dissection *d, const tulle__web *web, int32_t *group,
                              int32_t *groups);

/* leaf.c: order[] becomes an order of the nodes named, which are at most a few hundred. */
tulle_status tulle__dissect_leaf(tulle__dissection *d, const int32_t *names, int32_t nodes,
                                 int32_t *order);

/* separate.c: side[v] is TULLE__LEFT, _RIGHT or _BETWEEN; no edge joins left and right. */
tulle_status tulle__separate(tulle__dissection *d, const tulle__web *web, unsigned char *side);

#endif
