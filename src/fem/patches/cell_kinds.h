/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a mesh by kind, in patches, with what is needed of their geometry. */
#ifndef TULLE_FEM_PATCHES_CELL_KINDS_H
#define TULLE_FEM_PATCHES_CELL_KINDS_H

#include "fem/patches/matrix_free.h"
#include "fem/patches/patching.h"
#include "fem/patches/rest.h"
#include "mesh/mesh.h"
#include "tulle/fem.h"

/* Cells of one block of the mesh whose Jacobians are constant, or the others. */
typedef struct tulle__cell_kind {
    tulle_shape shape;
    bool affine;
    int64_t first;            /* cell of the mesh that the block begins with */
    tulle__patching patching; /* while they are made */
    tulle__patches patches;   /* arrays in the place's memory; order is NULL there */
    tulle__metrics metrics;   /* as in tulle__patches_job, of affine ones */
    void *coordinates;        /* of others, as are the next two */
    void *diffusion, *reaction;
    int64_t first_slot; /* of the operator's, that its slot 0 is */
} tulle__cell_kind;

/* Whether the Jacobian of a cell is constant, to what its coordinates are known to, or the type. */
bool tulle__is_cell_affine(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                           tulle_type type);

/* Sorts the cells of a block into two kinds, and finds their centres; the first one that is turned
 * over, without volume, or has a node twice is refused. TULLE_INVALID_MESH, TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cell_kinds_sort(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                    int64_t block, tulle_type type, tulle__cell_kind kinds[2]);

/* Fills the patches, and brings them, of rows now, and what is kept of cells into the place's
 * memory; the patches on the host are for who gives them back. */
tulle_status tulle__cell_kind_fill(tulle_ctx *ctx, const tulle_mesh *mesh,
                                   const tulle_matrix_free_options *options, tulle_type type,
                                   const tulle__rest_making *rest, tulle__cell_kind *c,
                                   tulle__patches *host);

/* Where metrics of few kinds stand for those of all affine cells, brings them and of which kind
 * each cell is; numbers: of all, on the host. Two are of one kind if they differ by less than 16
 * units of rounding, of f64 or the type, times the largest coordinate over the shortest column of
 * the Jacobian. Each cell is of the first kind that it is like, in the order of patches. */
tulle_status tulle__metrics_join(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_type type,
                                 const int32_t *order, tulle__cell_kind *c, const void *numbers);

void tulle__cell_kind_close(tulle_ctx *ctx, tulle__cell_kind *c);

#endif
