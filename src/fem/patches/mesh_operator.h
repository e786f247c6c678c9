/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a mesh as an operator that makes element matrices anew whenever it is applied:
 * tulle_linop_matrix_free with what a problem has beside the cells of its mesh. `function` is the
 * public function that fails. */
#ifndef TULLE_FEM_PATCHES_MESH_OPERATOR_H
#define TULLE_FEM_PATCHES_MESH_OPERATOR_H

#include "fem/patches/patched.h"

/* The mesh has cells that there are operators of, and options are in range. */
tulle_status tulle__mesh_operator_check(const char *function, const tulle_ctx *ctx,
                                        const tulle_mesh *mesh,
                                        const tulle_matrix_free_options *options);

/* The mask is that of extras->rows; options->masked does not count. */
tulle_status tulle__linop_of_mesh(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_matrix_free_options *options,
                                  const tulle__mesh_extras *extras, tulle_type type,
                                  tulle_linop **L);

#endif
