/* SPDX-License-Identifier: Apache-2.0 */
/* Nested dissection by a multilevel scheme: a graph is made coarser by merging neighbours, a small
 * set of nodes that separates the coarsest graph is found, and the set is carried back and refined
 * on each finer graph. The calling thread does all the work, takes random numbers from a state of
 * its own, and often reports progress. */
#ifndef TULLE_ORDER_DISSECT_H
#define TULLE_ORDER_DISSECT_H

#include "core/context.h"

/* The two sides of a graph, and the nodes between the sides. */
enum { TULLE__LEFT, TULLE__RIGHT, TULLE__BETWEEN };

/* A graph each of whose nodes and edges stands for one or more of the matrix. */
typedef struct tulle__web {
    int32_t nodes;
    /* nodes + 1 positions: the neighbours of v are at begin[v] to begin[v + 1] - 1 */
    int64_t *begin;
    int32_t *neighbours; /* neighbours of each node; an edge is listed at both its ends */
    int32_t *weight;     /* number of nodes of the matrix that each node stands for */
    /* number of edges of the matrix that each edge stands for, at most INT32_MAX */
    int32_t *edges;
} tulle__web;

/* An order that is being found. */
typedef struct tulle__dissection {
    tulle_ctx *ctx;
    const char *function;
    int64_t placed, nodes; /* number of nodes that have a place, and of all nodes of the graph */
    const tulle__web *whole;
    /* scratch of leaf.c: a number for each node of the whole graph, zero between calls */
    int32_t *column;
    int64_t looked_at; /* number of edges that were visited since the last report of progress */
    uint64_t random;
} tulle__dissection;

/* Counts visited edges, and reports progress once per million of them. */
tulle_status tulle__dissect_count(tulle__dissection *d, int64_t edges);

/* Returns a random number from 0 to bound - 1. */
int32_t tulle__dissect_draw(tulle__dissection *d, int32_t bound);

/* Allocates zeroed host memory for `count` numbers of `size` bytes. */
tulle_status tulle__dissect_array(tulle__dissection *d, int64_t count, size_t size, void **array);

/* web.c: allocates the arrays of a graph with `ends` ends of edges. tulle__web_free frees them,
 * also after a failure. */
tulle_status tulle__web_alloc(tulle__dissection *d, int64_t nodes, int64_t ends, tulle__web *web);
void tulle__web_free(tulle_ctx *ctx, tulle__web *web);

/* Makes the graph whose node g stands for all nodes v with group[v] = g. Each of the `groups`
 * groups has a member. */
tulle_status tulle__web_merge(tulle__dissection *d, const tulle__web *fine, const int32_t *group,
                              int32_t groups, tulle__web *coarse);

/* match.c: makes groups of two neighbours with a heavy edge between them; a group weighs at most
 * `most`. */
tulle_status tulle__web_match(tulle__dissection *d, const tulle__web *web, int64_t most,
                              int32_t *group, int32_t *groups);

/* twins.c: makes groups of neighbours that have the same neighbours otherwise. */
tulle_status tulle__web_twins(tulle__dissection *d, const tulle__web *web, int32_t *group,
                              int32_t *groups);

/* leaf.c: orders the nodes in names[], at most a few hundred. */
tulle_status tulle__dissect_leaf(tulle__dissection *d, const int32_t *names, int32_t nodes,
                                 int32_t *order);

/* separate.c: sets side[v] to TULLE__LEFT, _RIGHT or _BETWEEN, so that no edge joins left and
 * right. */
tulle_status tulle__separate(tulle__dissection *d, const tulle__web *web, unsigned char *side);

#endif
