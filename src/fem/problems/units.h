/* SPDX-License-Identifier: Apache-2.0 */
/* A problem on a mesh in units of the mesh: coordinates count times a power of 2 that brings the
 * mesh's box to a size of about 1, and quantities times powers that leave every integral as it is.
 * No digit changes by that; but products of lengths, which f32 would not hold for a mesh of 1e-12
 * or of 1e12, are then numbers of every type. */
#ifndef TULLE_FEM_PROBLEMS_UNITS_H
#define TULLE_FEM_PROBLEMS_UNITS_H

#include "fem/elements/jobs.h"
#include "mesh/mesh.h"

typedef struct tulle__mesh_units {
    tulle_mesh mesh;     /* the caller's mesh, with coordinates in units of the mesh */
    double *coordinates; /* coordinates in units of the mesh, in host memory */
    int power;           /* coordinates are multiplied by 2^power */
} tulle__mesh_units;

/* Sets units, which are zero before; to be closed in every case. */
tulle_status tulle__mesh_units_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                    tulle__mesh_units *units);
void tulle__mesh_units_close(tulle_ctx *ctx, const tulle__mesh_units *units);

/* Returns a quantity in units of the mesh; lengths: number of powers of length with which it is
 * integrated, 2 in a plane, and 0 for a coefficient of gradients there. */
double tulle__in_units(const tulle__mesh_units *units, int lengths, double number);

/* Converts all numbers of a quantity, arrays in host memory; *most becomes the largest magnitude
 * among them and *most. */
void tulle__quantity_in_units(const tulle__mesh_units *units, int lengths, int64_t count,
                              tulle__cell_quantity *quantity, double *most);

/* Fails where the largest of some numbers of a problem is so far from 1 that f32 would make 0 or
 * Inf of what is computed of it. `what` says what these numbers are. */
tulle_status tulle__check_range(const char *function, const char *argument, tulle_type type,
                                const char *what, double most);

#endif
