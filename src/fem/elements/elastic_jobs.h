/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions that compute elastic element matrices and vectors. All
 * arrays are in the place's memory. */
#ifndef TULLE_FEM_ELEMENTS_ELASTIC_JOBS_H
#define TULLE_FEM_ELEMENTS_ELASTIC_JOBS_H

#include "fem/elements/cell_jobs.h"

/* Elements of one shape, with the quantities of problems of diffusion and of elasticity; those of
 * the other kind of problem are 0. Cells of an elastic body have as many unknowns a node as
 * dimensions, facets with a traction one more. */
typedef struct tulle__body {
    tulle__cells cells;              /* of elasticity c alone counts: the factor of facets */
    tulle__cell_quantity lambda, mu; /* Lame's constants of cells */
    tulle__cell_quantity force[3];   /* the force along each axis; of facets the traction */
} tulle__body;

/* X(shape, dimension): elements, and how many unknowns a node of theirs has. */
#define TULLE__ELASTIC_SHAPES(X)                                                                   \
    X(TULLE_LINE, 2)                                                                               \
    X(TULLE_TRIANGLE, 2)                                                                           \
    X(TULLE_QUADRILATERAL, 2)                                                                      \
    X(TULLE_TRIANGLE, 3)                                                                           \
    X(TULLE_QUADRILATERAL, 3)                                                                      \
    X(TULLE_TETRAHEDRON, 3)                                                                        \
    X(TULLE_HEXAHEDRON, 3)

/* Element matrices, one behind the other, each by rows. */
typedef struct tulle__elastic_matrices_job {
    tulle_type type;
    tulle__body body;
    void *matrices; /* out */
} tulle__elastic_matrices_job;

/* Element vectors, one behind the other: integrals of the force, less what the numbers that are
 * given for u make of the rows. */
typedef struct tulle__elastic_loads_job {
    tulle_type type;
    tulle__body body;
    const double *given; /* of each unknown; 0 where u is not given */
    void *vectors;       /* out */
} tulle__elastic_loads_job;

#endif
