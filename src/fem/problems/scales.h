/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal entries of rows that are masked, as the matrix has them before its mask counts: so
 * a number that is given is weighed as its neighbours are, in any unit. On the host; elements
 * without a masked node take no time. */
#ifndef TULLE_FEM_PROBLEMS_SCALES_H
#define TULLE_FEM_PROBLEMS_SCALES_H

#include "fem/problems/problem.h"

/* Rows, and their diagonal entries as far as elements have been added. */
typedef struct tulle__scaling {
    const tulle__problem_kind *kind;
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    int64_t rows;
    int unknowns;          /* number of unknowns of a node */
    const uint8_t *masked; /* flag of each row, in host memory */
    double *scales;        /* diagonal entry of each masked row, 0 of all other rows; to be freed by
                              tulle__host_free */
} tulle__scaling;

/* Makes scales, all 0, in host memory. */
tulle_status tulle__scaling_open(tulle__scaling *s);

/* Adds the diagonals of the element matrices of a block, whose arrays are the host's, in masked
 * rows. `points` has for each node of each element the number of the node among those that have
 * rows. */
tulle_status tulle__scales_of_block(tulle__scaling *s, const tulle__body *body,
                                    const int32_t *points);

/* After the last elements: makes a 0 of a masked row the largest magnitude of all, or 1. */
void tulle__scaling_finish(const tulle__scaling *s);

#endif
