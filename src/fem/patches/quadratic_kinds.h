/* SPDX-License-Identifier: Apache-2.0 */
/* The hexahedra of order 2 of a mesh by kind, in patches, with their numbers. */
#ifndef TULLE_FEM_PATCHES_QUADRATIC_KINDS_H
#define TULLE_FEM_PATCHES_QUADRATIC_KINDS_H

#include "fem/patches/quadratic_patches.h"
#include "mesh/mesh.h"
#include "tulle/fem.h"

/* All cells of a mesh, on the host. */
typedef struct tulle__lattice_cells {
    int64_t count;
    int32_t *nodes;                    /* of each, in the lattice's order; owned */
    uint8_t *affine;                   /* of each, whether its Jacobian is constant; owned */
    signed char place[TULLE__LATTICE]; /* of node a of a cell of the mesh */
} tulle__lattice_cells;

/* Cells whose Jacobians are constant, or the others. */
typedef struct tulle__lattice_kind {
    bool affine;
    tulle__lattice_patching patching; /* while they are made */
    tulle__lattice_patches patches;   /* arrays in the place's memory */
    void *numbers;                    /* as in tulle__lattices_job */
    int64_t first_slot;               /* of the operator's, that its slot 0 is */
} tulle__lattice_kind;

/* Looks at all cells; the first one that is turned over, without volume, or has a node twice is
 * refused. TULLE_INVALID_MESH, TULLE_OUT_OF_MEMORY. */
tulle_status tulle__lattice_cells_open(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                       tulle_type type, tulle__lattice_cells *cells);
void tulle__lattice_cells_close(tulle_ctx *ctx, tulle__lattice_cells *cells);

/* The cells of one kind, with their centres. */
tulle_status tulle__lattice_kind_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__lattice_cells *cells, bool affine, int64_t most,
                                      tulle__lattice_kind *kind);

/* Brings filled patches into the place's memory, and computes the numbers of their cells. */
tulle_status tulle__lattice_kind_bring(tulle_ctx *ctx, const tulle_mesh *mesh,
                                       const tulle__lattice_cells *cells,
                                       const tulle_matrix_free_options *options, tulle_type type,
                                       const tulle__lattice_patches *host,
                                       tulle__lattice_kind *kind);

void tulle__lattice_kind_close(tulle_ctx *ctx, tulle__lattice_kind *kind);

/* Whether cells have a mass. */
static inline bool tulle__lattice_massive(const tulle_matrix_free_options *options) {
    return options->cell_reaction || options->reaction != 0;
}

#endif
