/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_MESH_TURN_H
#define TULLE_MESH_TURN_H

#include "mesh/mesh.h"

TULLE_BEGIN

/* Puts the nodes of cells that are turned over into mirrored order where that makes the cells good;
 * *turned is the number of these cells. The mesh must be complete. Surfaces in space have no wrong
 * side, and stay as they are. */
TULLE_API tulle_status tulle__mesh_turn(tulle_ctx *ctx, tulle_mesh *mesh, int64_t *turned);

TULLE_END

#endif
