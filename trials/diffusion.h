/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices from the coordinates of a mesh: the data with which others make the same matrix. */
#ifndef TRIAL_DIFFUSION_H
#define TRIAL_DIFFUSION_H

#include "trials/problem.h"
#include "tulle/mesh.h"

/* The `own` of such a problem begins with it. */
typedef struct trial_diffusion {
    tulle_mesh *mesh;
    tulle_mesh_arrays arrays;
    bool is_load; /* the right-hand side, not the matrix */
} trial_diffusion;

/* Returns the distance of y from K v, K the matrix, in units of a bound; at most 1 is right. */
double trial_diffusion_error(const trial_diffusion *d, const double *v, const double *y);

#endif
