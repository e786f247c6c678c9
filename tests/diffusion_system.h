/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion problems on meshes for tests; everything fails the test where the library does. */
#ifndef TESTS_DIFFUSION_SYSTEM_H
#define TESTS_DIFFUSION_SYSTEM_H

#include "tulle/tulle.h"

/* A problem on a mesh with its matrix, in CSR, and right-hand side. */
typedef struct {
    tulle_mesh *mesh;
    tulle_diffusion *D;
    tulle_assembly *S;
    tulle_mat *A;
    tulle_vec *b;
    int64_t n; /* rows */
} diffusion_system;

diffusion_system diffusion_open(tulle_ctx *ctx, const char *spec, const tulle_diffusion_problem *p,
                                tulle_type type);

/* The same on a mesh, which then is the system's. */
diffusion_system diffusion_open_on(tulle_ctx *ctx, tulle_mesh *mesh,
                                   const tulle_diffusion_problem *p, tulle_type type);
void diffusion_close(diffusion_system *s);

/* A vector on the host; the caller frees it. */
double *diffusion_read(tulle_ctx *ctx, const tulle_vec *v, tulle_type type, int64_t n);

/* The coordinates of a node, 0 beyond the mesh's dimension. */
void diffusion_node(const tulle_mesh *mesh, int64_t node, double x[3]);

#endif
