/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions that compute element matrices and vectors from coordinates.
 * All arrays are in the place's memory. */
#ifndef TULLE_FEM_ELEMENTS_JOBS_H
#define TULLE_FEM_ELEMENTS_JOBS_H

#include "core/place.h"
#include "fem/elements/cell.h"

/* A quantity of a block: one number; or `per` numbers for each element (1, or one for each point of
 * quadrature), number q of element e at q * count + e. */
typedef struct tulle__cell_quantity {
    int per;
    double number;
    const double *numbers;
} tulle__cell_quantity;

TULLE_INLINE bool tulle__is_nothing(const tulle__cell_quantity *quantity) {
    return quantity->per == 0 && quantity->number == 0;
}

/* Elements of one shape. */
typedef struct tulle__cells {
    tulle_shape shape;
    int64_t count;
    const int32_t *nodes; /* nodes of the elements; the nodes of an element follow each other */
    int dimension;        /* number of coordinates of a node */
    const double *coordinates;         /* coordinates; those of a node follow each other */
    bool stiff;                        /* true when k counts; facets have no k */
    signed char place[TULLE__LATTICE]; /* for order 2: position in the lattice of each node */
    const double *table; /* table of the shape functions, for shapes that have one (tabulated.h) */
    tulle__cell_quantity k, c, f;
} tulle__cells;

/* Entry (i, j) of element e at e_step e + i_step i + j_step j. */
typedef struct tulle__matrices_job {
    tulle_type type;
    tulle__cells cells;
    int64_t e_step, i_step, j_step;
    void *matrices; /* out */
} tulle__matrices_job;

/* Number i of element e at e_step e + i_step i: the integral of f N_i, less the product of row i of
 * the element matrix and the numbers that are given for u. */
typedef struct tulle__loads_job {
    tulle_type type;
    tulle__cells cells;
    const double *given; /* number given for each node; 0 where u is not given */
    int64_t e_step, i_step;
    void *vectors; /* out */
} tulle__loads_job;

/* y[i * step] := scales[i] given[i] where masked; scales NULL: 1. */
typedef struct tulle__give_job {
    tulle_type type;
    int64_t count;
    const uint8_t *masked;
    const double *given, *scales;
    void *y;
    int64_t step;
} tulle__give_job;

TULLE_INLINE void tulle__give_number(const tulle__give_job *job, int64_t i) {
    if (!job->masked[i]) return;
    const double number = job->scales ? job->scales[i] * job->given[i] : job->given[i];
    if (job->type == TULLE_F32) {
        ((float *)job->y)[i * job->step] = (float)number;
    } else {
        ((double *)job->y)[i * job->step] = number;
    }
}

/* Elements of one shape, with the quantities of problems of diffusion and of elasticity; the
 * quantities of the other kind of problem are 0. Cells of an elastic body have as many unknowns a
 * node as dimensions, facets with a traction one more. */
typedef struct tulle__body {
    tulle__cells cells;              /* for elasticity only c counts: the factor of facets */
    tulle__cell_quantity lambda, mu; /* Lame's constants of cells */
    tulle__cell_quantity force[3];   /* force along each axis; for facets the traction */
} tulle__body;

/* X(shape, dimension): elements, and the number of unknowns of each of their nodes. */
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

/* Element vectors, one behind the other: integrals of the force, less the products of the element
 * matrices and the numbers that are given for u. */
typedef struct tulle__elastic_loads_job {
    tulle_type type;
    tulle__body body;
    const double *given; /* number given for each unknown; 0 where u is not given */
    void *vectors;       /* out */
} tulle__elastic_loads_job;

#endif
