/* SPDX-License-Identifier: Apache-2.0 */
/* -div((1 + u^2) grad u) = f in the unit square, u = 0 around it, by finite differences: the flux
 * between two neighbours is (1 + m^2) (u_i - u_j), m their mean. */
#ifndef PAPERS_NEWTON_H
#define PAPERS_NEWTON_H

#include <stdint.h>

/* Row by row: the pattern is the five-point stencil's. */
typedef struct newton_grid {
    int64_t side, rows, nnz;
    int32_t *offsets, *columns;
    double *values; /* of the Jacobian at u */
    double *u;      /* starts at 0 */
    double *left;   /* f less what u gives */
} newton_grid;

void newton_open(int64_t side, newton_grid *grid);
void newton_close(newton_grid *grid);

/* Values and left for u; returns the 2-norm of left. */
double newton_assemble(newton_grid *grid);

#endif
