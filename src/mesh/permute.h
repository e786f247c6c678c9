/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_MESH_PERMUTE_H
#define TULLE_MESH_PERMUTE_H

#include "mesh/mesh.h"

/* The mesh whose node i is node nodes[i] of this one, and whose element i, counted through all
 * blocks, is elements[i], of the same block. */
tulle_status tulle__mesh_permute(tulle_ctx *ctx, const tulle_mesh *mesh, const int64_t *nodes,
                                 const int64_t *elements, tulle_mesh **permuted);

#endif
