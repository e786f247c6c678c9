/* SPDX-License-Identifier: Apache-2.0 */
/* A problem of diffusion or of elasticity on a mesh, with the steps to its matrix and its
 * right-hand side: for the trials of operators and of assembly, and for tulle solve. */
#ifndef TRIAL_MESH_PROBLEM_H
#define TRIAL_MESH_PROBLEM_H

#include "tulle/diffusion.h"
#include "tulle/elasticity.h"
#include "tulle/tulle.h"

typedef struct trial_mesh_problem {
    tulle_ctx *ctx;
    tulle_diffusion *D;    /* problem of diffusion; NULL: the problem is one of elasticity */
    tulle_elasticity *E;   /* problem of elasticity; NULL: the problem is one of diffusion */
    int64_t rows;          /* number of rows of its matrices */
    int unknowns;          /* number of unknowns of a node */
    int64_t given;         /* number of rows where u is given */
    const uint8_t *masked; /* nonzero for each of these rows; in the context's memory */
    int blocks;            /* number of blocks of elements */
    const tulle_elements *elements; /* the blocks of elements */
    const int32_t *row_of; /* row of each node of the mesh, in host memory; NULL: a node's rows
                              follow from its number */
    tulle_assembly *S; /* assembly, which has the pattern of the matrix; NULL: the pattern has not
                          been found yet */
} trial_mesh_problem;

/* Poses a problem on a mesh. There is something to close even after a failure. */
tulle_status trial_mesh_problem_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_diffusion_problem *posed, trial_mesh_problem *p);
tulle_status trial_elastic_problem_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                        const tulle_elasticity_problem *posed,
                                        trial_mesh_problem *p);
void trial_mesh_problem_close(trial_mesh_problem *p);

/* Finds the pattern of the matrix, which the functions below need. */
tulle_status trial_mesh_problem_pattern(trial_mesh_problem *p);

/* Makes a matrix on the pattern, for values to come: in CSR, of elasticity in BSR. */
tulle_status trial_mesh_problem_matrix(const trial_mesh_problem *p, tulle_type type, tulle_mat **A);

/* Makes the coordinates of a mesh's nodes a multivector with a row for each. */
tulle_status trial_mesh_nodes(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_type type,
                              tulle_vec **X);

/* Computes the values of A, a matrix of trial_mesh_problem_matrix, and the right-hand side b; NULL:
 * that one is left out. */
tulle_status trial_mesh_problem_values(const trial_mesh_problem *p, tulle_mat *A, tulle_vec *b);

/* x := the numbers that are given, in their rows. */
tulle_status trial_mesh_problem_give(const trial_mesh_problem *p, tulle_vec *x);

/* Makes the matrix with its values. */
tulle_status trial_mesh_problem_assemble(const trial_mesh_problem *p, tulle_type type,
                                         tulle_mat **A);

#endif
