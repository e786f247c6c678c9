/* SPDX-License-Identifier: Apache-2.0 */
/* Places of nodes in a balanced tree of boxes, each of which is cut in two halves of as many
 * places: so neither a graded mesh nor one of flat cells makes it deeper (J. L. Bentley,
 * "Multidimensional binary search trees used for associative searching", Communications of the ACM
 * 18, 1975). */
#ifndef TULLE_MESH_TREE_H
#define TULLE_MESH_TREE_H

#include "mesh/mesh.h"

enum { TULLE__TREE_DEPTH = 32 };

typedef struct tulle__tree {
    int dimension, depth; /* levels below the root */
    int64_t places;
    int32_t *node; /* of each place, the lowest one where nodes coincide; a box has its places
                      beside each other */
    double *at;    /* places x dimension */
    double *box;   /* boxes x 2 x dimension: low, high; box b is cut into 2 b + 1 and 2 b + 2 */
} tulle__tree;

/* A tree of some nodes of a mesh, in n log n steps. After a failure there is nothing to free. */
tulle_status tulle__tree_make(tulle_ctx *ctx, const char *what, const tulle_mesh *mesh,
                              const int32_t *nodes, int64_t count, tulle__tree *tree);

void tulle__tree_free(tulle_ctx *ctx, tulle__tree *tree);

/* The first place of the i-th box of a level; the box's last one stands before that of the next. */
static inline int64_t tulle__tree_begin(const tulle__tree *tree, int level, int64_t i) {
    return (int64_t)(((__uint128_t)(uint64_t)i * (uint64_t)tree->places) >> level);
}

#endif
