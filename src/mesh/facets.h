/* SPDX-License-Identifier: Apache-2.0 */
/* Which facets of cells are the same. A facet of a cell has a number, TULLE_MESH_MOST_FACETS times
 * the cell's and its own in the cell. */
#ifndef TULLE_MESH_FACETS_H
#define TULLE_MESH_FACETS_H

#include "mesh/fault.h"

/* The facets that one cell alone has. */
typedef struct tulle__mesh_rim {
    int64_t count;
    int64_t *side;  /* their numbers, rising */
    int32_t *group; /* of the listed facet that each is; 0: none */
} tulle__mesh_rim;

/* Matches all facets, and says what is wrong with them: repeated cells, facets of three cells, and
 * listed ones of none. With a fault the rim is not made. */
tulle_status tulle__mesh_rim_find(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__mesh_rim *rim,
                                  tulle__mesh_fault *fault);

void tulle__mesh_rim_free(tulle_ctx *ctx, tulle__mesh_rim *rim);

/* A facet of a cell, by its number: the shape, and the nodes in the order of the facet's shape. */
const tulle__shape *tulle__side_nodes(const tulle_mesh *mesh, int64_t side,
                                      int32_t nodes[TULLE_MESH_MOST_NODES]);

/* hanging.c: the first facet of the rim that a vertex of it hangs on. */
tulle_status tulle__mesh_find_hanging(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__mesh_rim *rim, tulle__mesh_fault *fault);

#endif
