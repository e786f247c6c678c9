/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of cells by the definition, in long double. */
#ifndef TESTS_CELL_MATRIX_H
#define TESTS_CELL_MATRIX_H

#include "tulle/mesh.h"

enum { CELL_NODES = 27 };

/* What a cell is like for bounds: J the longest column of its Jacobians, `shortest` the shortest
 * one, q the largest J^d / det, V the reference cell's volume, condition the largest |J| |J^-1| by
 * Frobenius' norms. */
typedef struct {
    int dimension, nodes;
    long double J, shortest, q, V, condition;
    long double stiffness[CELL_NODES][CELL_NODES], mass[CELL_NODES][CELL_NODES];
} cell_matrix;

/* Integrals are those of two Gauss points in each direction, of three in cells of order 2; of
 * simplices they are exact. */
cell_matrix cell_matrix_of(const tulle_mesh_arrays *a, tulle_shape shape, const int32_t *nodes);

#endif
