/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/newton.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"

/* Right-hand side, by which u gets to about 1, so that 1 + u^2 doubles. */
static const double f = 20;

enum { NEIGHBOURS = 4 };

/* Finds the neighbours of a point i by ascending columns: two before i, two behind i; -1: none. */
static void find_neighbours(const newton_grid *g, int64_t i, int64_t neighbour[NEIGHBOURS]) {
    const int64_t x = i % g->side, y = i / g->side;
    neighbour[0] = y > 0 ? i - g->side : -1;
    neighbour[1] = x > 0 ? i - 1 : -1;
    neighbour[2] = x + 1 < g->side ? i + 1 : -1;
    neighbour[3] = y + 1 < g->side ? i + g->side : -1;
}

static void fill_pattern(newton_grid *g) {
    int32_t e = 0;
    for (int64_t i = 0; i < g->rows; i++) {
        int64_t neighbour[NEIGHBOURS];
        find_neighbours(g, i, neighbour);
        g->offsets[i] = e;
        for (int k = 0; k < NEIGHBOURS; k++) {
            if (k == NEIGHBOURS / 2) g->columns[e++] = (int32_t)i;
            if (neighbour[k] >= 0) g->columns[e++] = (int32_t)neighbour[k];
        }
    }
    g->offsets[g->rows] = e;
}

void newton_open(int64_t side, newton_grid *g) {
    const int64_t rows = side * side, nnz = 5 * rows - 4 * side;
    *g = (newton_grid){.side = side, .rows = rows, .nnz = nnz};
    g->offsets = tool_alloc((size_t)rows + 1, sizeof *g->offsets);
    g->columns = tool_alloc((size_t)nnz, sizeof *g->columns);
    g->values = tool_alloc((size_t)nnz, sizeof *g->values);
    g->u = tool_alloc((size_t)rows, sizeof *g->u);
    g->left = tool_alloc((size_t)rows, sizeof *g->left);
    fill_pattern(g);
}

void newton_close(newton_grid *g) {
    free(g->offsets);
    free(g->columns);
    free(g->values);
    free(g->u);
    free(g->left);
}

/* Computes row i of the Jacobian; returns the flux out of point i times h^2. With m the mean of u
 * and v, dm/du = dm/dv = 1/2. */
static double assemble_row(newton_grid *g, int64_t i) {
    const double u = g->u[i];
    int64_t neighbour[NEIGHBOURS];
    double *value = g->values + g->offsets[i], *own = NULL, diagonal = 0, flow = 0;
    find_neighbours(g, i, neighbour);
    for (int k = 0; k < NEIGHBOURS; k++) {
        const double v = neighbour[k] >= 0 ? g->u[neighbour[k]] : 0;
        const double m = (u + v) / 2, conductivity = 1 + m * m;
        flow += conductivity * (u - v);
        diagonal += conductivity + m * (u - v);
        if (k == NEIGHBOURS / 2) own = value++;
        if (neighbour[k] >= 0) *value++ = m * (u - v) - conductivity;
    }
    *own = diagonal;
    return flow;
}

double newton_assemble(newton_grid *g) {
    const double h = 1 / (double)(g->side + 1);
    double square = 0;
    for (int64_t i = 0; i < g->rows; i++) {
        g->left[i] = h * h * f - assemble_row(g, i);
        square += g->left[i] * g->left[i];
    }
    return sqrt(square);
}
