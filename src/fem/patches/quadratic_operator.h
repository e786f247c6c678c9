/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a mesh of hexahedra of order 2 as an operator; see tulle__linop_of_mesh, whose
 * arguments have been checked. */
#ifndef TULLE_FEM_PATCHES_QUADRATIC_OPERATOR_H
#define TULLE_FEM_PATCHES_QUADRATIC_OPERATOR_H

#include "fem/patches/mesh_operator.h"

/* Whether a mesh has no other cells. */
bool tulle__is_lattice_mesh(const tulle_mesh *mesh);

tulle_status tulle__linop_lattices(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                   const tulle_matrix_free_options *options,
                                   const tulle__mesh_extras *extras, tulle_type type,
                                   tulle_linop **L);

/* Whether L is one of these, and then what it is like. */
bool tulle__linop_lattices_describe(const tulle_linop *L, tulle_matrix_free_info *info);

#endif
