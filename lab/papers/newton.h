/* SPDX-License-Identifier: Apache-2.0 */
/* The equation -div((1 + u^2) grad u) = f in the unit square, u = 0 on its boundary, by finite
 * differences: the flux between two neighbours i and j is (1 + m^2) (u_i - u_j), m = (u_i + u_j)
 * / 2.
 */
#ifndef PAPERS_NEWTON_H
#define PAPERS_NEWTON_H

#include <stdint.h>

/* The equation on a grid, with a Jacobian in CSR whose pattern is the five-point stencil's. */
typedef struct newton_grid {
    int64_t side, rows, nnz;
    int32_t *offsets, *columns;
    double *values; /* values of the Jacobian at u */
    double *u;      /* the solution so far, which starts at 0 */
    double *left; /* residual: h^2 f minus the fluxes out of each point, h the distance of points */
} newton_grid;

void newton_open(int64_t side, newton_grid *grid);
void newton_close(newton_grid *grid);

/* Computes the values of the Jacobian and the residual at u; returns the residual's 2-norm. */
double newton_assemble(newton_grid *grid);

#endif
