/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions that compute elastic element matrices and vectors. All
 * arrays are in the place's memory. */
#ifndef TULLE_FEM_ELEMENTS_ELASTIC_JOBS_H
#define TULLE_FEM_ELEMENTS_ELASTIC_JOBS_H

#include "fem/elements/cell_jobs.h"

/* Cells of an elastic body, or facets with a traction, of one shape: cells have as many unknowns a
 * node as dimensions, facets one more. */
typedef struct tulle__elastic {
    tulle__cells cells;              /* of k and f nothing counts; c is the factor of facets */
    tulle__cell_quantity lambda, mu; /* of cells */
    tulle__cell_quantity force[3];   /* along each axis; the traction of facets */
} tulle__elastic;

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
    tulle__elastic body;
    void *matrices; /* out */
} tulle__elastic_matrices_job;

/* Element vectors, one behind the other: integrals of the force, less what the numbers that are
 * given for u make of the rows. */
typedef struct tulle__elastic_loads_job {
    tulle_type type;
    tulle__elastic body;
    const double *given; /* of each unknown; 0 where u is not given */
    void *vectors;       /* out */
} tulle__elastic_loads_job;

#endif
