/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_linop_matrix_free with what a problem has beside the cells of its mesh. */
#ifndef TULLE_FEM_PATCHES_MESH_OPERATOR_H
#define TULLE_FEM_PATCHES_MESH_OPERATOR_H

#include "fem/patches/kept.h"
#include "mesh/mesh.h"
#include "operator/linop.h"

/* Rows that nodes share, and facets with matrices. */
typedef struct tulle__mesh_extras {
    tulle__mesh_rows rows;
    tulle__kept_given kept;
} tulle__mesh_extras;

/* `function` is the public function that fails; extras->rows.masked counts, options->masked does
 * not. */
tulle_status tulle__linop_of_mesh(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_matrix_free_options *options,
                                  const tulle__mesh_extras *extras, tulle_type type,
                                  tulle_linop **L);

#endif
