/* SPDX-License-Identifier: Apache-2.0 */
/* The job of operators that make element matrices anew whenever they are applied. All arrays are in
 * the place's memory. */
#ifndef TULLE_FEM_MATRIX_FREE_H
#define TULLE_FEM_MATRIX_FREE_H

#include "fem/cell.h"
#include "fem/patches.h"

/* A number for each element in the order of patches, of the job's type, or one for all. */
typedef struct tulle__coefficient {
    const void *of_element; /* NULL: one for all */
    double number;
} tulle__coefficient;

/* The elements of one kind times x: inner nodes of patches get alpha times their sums + beta y, of
 * the others sums go to slots; or, atomically, alpha times these are added to y. */
typedef struct tulle__patches_job {
    tulle_type type;
    tulle_shape shape;
    bool affine;   /* their Jacobians are constant */
    bool diagonal; /* of their matrices, instead of products: x is not looked at */
    bool atomic;
    tulle__patches patches;
    const void *coordinates; /* of each patch those of its nodes: coordinate d of node l at
                                dimension * patch.node + d * patch.nodes + l; in f32 from a point
                                of the patch's own on */
    tulle__coefficient diffusion, reaction;
    void *slots; /* sums of patches, from slot 0 of these on */
    void *room;  /* on a CPU: tulle__patch_room numbers for each thread */
    tulle_scalar alpha, beta;
    const void *x;
    void *y;
    int64_t x_step, y_step;
} tulle__patches_job;

/* Numbers that a patch of so many nodes is worked on in: x, sums and coordinates. */
TULLE_INLINE int64_t tulle__patch_room(tulle_shape shape, int64_t nodes) {
    return nodes * (2 + tulle__cell_dimension(shape));
}

#endif
