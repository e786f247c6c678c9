/* SPDX-License-Identifier: Apache-2.0 */
/* A balanced tree of boxes with the places of nodes. Each box is cut into two halves with equally
 * many places, so that neither a graded mesh nor flat cells make the tree deeper (J. L. Bentley,
 * "Multidimensional binary search trees used for associative searching", Communications of the ACM
 * 18, 1975). */
#ifndef TULLE_MESH_TREE_H
#define TULLE_MESH_TREE_H

#include "mesh/mesh.h"

enum { TULLE__TREE_DEPTH = 32 };

typedef struct tulle__tree {
    int dimension, depth; /* number of coordinates, and of levels below the root */
    int64_t places;
    /* node of each place, the lowest one where nodes coincide; the places of a box follow each
     * other */
    int32_t *node;
    double *at; /* coordinates of each place */
    /* lowest and highest coordinates of each box; box b is cut into 2 b + 1 and 2 b + 2 */
    double *box;
} tulle__tree;

/* Makes the tree of some nodes of a mesh, in n log n steps. After a failure there is nothing to
 * free. */
tulle_status tulle__tree_make(tulle_ctx *ctx, const char *what, const tulle_mesh *mesh,
                              const int32_t *nodes, int64_t count, tulle__tree *tree);

void tulle__tree_free(tulle_ctx *ctx, tulle__tree *tree);

/* Returns the first place of the i-th box of a level; the box's last place is before the first
 * place of the next box. */
static inline int64_t tulle__tree_begin(const tulle__tree *tree, int level, int64_t i) {
    return (int64_t)(((__uint128_t)(uint64_t)i * (uint64_t)tree->places) >> level);
}

#endif
