/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a mesh: two nodes are neighbours if a cell has both. */
#ifndef TULLE_MESH_GRAPH_H
#define TULLE_MESH_GRAPH_H

#include "mesh/mesh.h"
#include "order/graph.h"

/* Makes the graph of a mesh. After a failure there is nothing to free. */
tulle_status tulle__mesh_graph(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__graph *graph);

#endif
