/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_MESH_PERMUTE_H
#define TULLE_MESH_PERMUTE_H

#include "mesh/mesh.h"

/* Makes the mesh whose node i is node nodes[i] of a mesh, and whose element i is element
 * elements[i]. Elements are counted through all blocks; both are in the same block. */
tulle_status tulle__mesh_permute(tulle_ctx *ctx, const tulle_mesh *mesh, const int64_t *nodes,
                                 const int64_t *elements, tulle_mesh **permuted);

#endif
