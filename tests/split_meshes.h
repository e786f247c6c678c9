/* SPDX-License-Identifier: Apache-2.0 */
/* The unit square or cube, divided into cells of any shape of two or three dimensions. */
#ifndef TESTS_SPLIT_MESHES_H
#define TESTS_SPLIT_MESHES_H

#include "tulle/mesh.h"

/* Each side has so many squares or cubes, which are divided alike; `bend` moves what is inside,
 * order 2 along curves. */
tulle_mesh *mesh_split(tulle_ctx *ctx, tulle_shape shape, int side, double bend);

#endif
