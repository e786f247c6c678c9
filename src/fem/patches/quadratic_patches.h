/* SPDX-License-Identifier: Apache-2.0 */
/* How patches of hexahedra of order 2 are made, on the host: all kinds of cells are divided, and
 * then each is filled, when it is known which nodes are in several patches. */
#ifndef TULLE_FEM_PATCHES_QUADRATIC_PATCHES_H
#define TULLE_FEM_PATCHES_QUADRATIC_PATCHES_H

#include "core/context.h"
#include "fem/patches/bisect.h"
#include "fem/patches/quadratic_free.h"

typedef struct tulle__lattice_patching {
    tulle_ctx *ctx;
    const int32_t *nodes; /* of cell c from nodes + TULLE__LATTICE * c on, in the lattice's order */
    int64_t node_count;   /* of the mesh */
    int64_t count;
    tulle__centre *centres; /* of the cells that are meant; in the order of patches in the end */
    double size[3];         /* of a cell, in the mean */
    int64_t most;           /* cells of a patch */
    int64_t *begins;        /* of each patch in centres; owned */
} tulle__lattice_patching;

/* Divides the cells. touched: of each node, in how many patches it is; these are added. */
tulle_status tulle__lattice_patches_divide(tulle__lattice_patching *p, int32_t *touched,
                                           tulle__lattice_patches *patches);

/* Fills the arrays, on the host, to be given back by tulle__lattice_patches_free. masked: of each
 * node, or NULL. Deterministic. */
tulle_status tulle__lattice_patches_fill(tulle__lattice_patching *p, const int32_t *touched,
                                         const uint8_t *masked, tulle__lattice_patches *patches);
void tulle__lattice_patches_free(tulle_ctx *ctx, tulle__lattice_patches *patches);

#endif
