/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the facets that two cells have in common, and the rim. The number of a facet of a cell is
 * TULLE_MESH_MOST_FACETS times the cell's number plus the facet's index in the cell. */
#ifndef TULLE_MESH_FACETS_H
#define TULLE_MESH_FACETS_H

#include "mesh/fault.h"

/* The rim of a mesh: the facets that only one cell has. */
typedef struct tulle__mesh_rim {
    int64_t count;
    int64_t *side;  /* numbers of the facets, ascending */
    int32_t *group; /* group of the listed facet with the same corners; 0: no group */
} tulle__mesh_rim;

/* Matches all facets, and makes the rim. If there are repeated cells, facets of three cells, or
 * listed facets of no cell, *fault is the first of these faults, and the rim is not made. */
tulle_status tulle__mesh_rim_find(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__mesh_rim *rim,
                                  tulle__mesh_fault *fault);

void tulle__mesh_rim_free(tulle_ctx *ctx, tulle__mesh_rim *rim);

/* Lists the nodes of the facet with a number, in the order of the facet's shape; returns the
 * shape. */
const tulle__shape *tulle__side_nodes(const tulle_mesh *mesh, int64_t side,
                                      int32_t nodes[TULLE_MESH_MOST_NODES]);

/* hanging.c: finds the first facet of the rim on which a vertex of the rim hangs. */
tulle_status tulle__mesh_find_hanging(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__mesh_rim *rim, tulle__mesh_fault *fault);

#endif
