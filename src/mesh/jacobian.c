/* SPDX-License-Identifier: Apache-2.0 */
/* Computes scaled Jacobians. The columns of a Jacobian are derivatives of the map from the
 * reference cell, at some places: along the axes for products of intervals, else along the edges at
 * each corner. */
#include "mesh/jacobian.h"

#include <math.h>

#include "mesh/vectors.h"

/* Corners to which the edges at corner c of a simplex lead, in an order that keeps the sign. */
static const int triangle_edges[3][2] = {{1, 2}, {2, 0}, {0, 1}};
static const int tetrahedron_edges[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {0, 2, 1}};

static void place_of(const tulle__shape *shape, int node, double at[3]) {
    for (int d = 0; d < 3; d++) at[d] = (double)shape->point[node][d] / shape->unit;
}

/* Computes the directions of the columns: the axes, or the edges at corner c. */
static void directions_of(const tulle__shape *shape, int c, double direction[3][3]) {
    double from[3], to[3];
    const bool along_axes = shape->kind == TULLE__PRODUCT || shape->kind == TULLE__SERENDIPITY;
    place_of(shape, c, from);
    for (int k = 0; k < shape->info.dimension; k++) {
        int other = c;
        for (int d = 0; d < 3; d++) direction[k][d] = d == k;
        if (along_axes || (shape->kind == TULLE__PRISM && k == 2)) continue;
        if (shape->kind == TULLE__PYRAMID) {
            other = k == 2 ? 4 : (c + (k == 0 ? 1 : 3)) % 4;
        } else {
            other = shape->info.dimension == 3 && shape->kind == TULLE__SIMPLEX
                        ? tetrahedron_edges[c][k]
                        : triangle_edges[c % 3][k] + c / 3 * 3;
        }
        place_of(shape, other, to);
        for (int d = 0; d < 3; d++) direction[k][d] = to[d] - from[d];
    }
}

static void add_frame(const tulle__shape *shape, const double at[3], int corner, tulle__frames *f) {
    double value[TULLE_MESH_MOST_NODES], slope[TULLE_MESH_MOST_NODES][3], direction[3][3];
    tulle__shape_basis(shape, at, value, slope);
    directions_of(shape, corner, direction);
    for (int k = 0; k < f->columns; k++) {
        for (int n = 0; n < f->nodes; n++) {
            double weight = 0;
            for (int d = 0; d < f->columns; d++) weight += direction[k][d] * slope[n][d];
            f->weight[f->count][k][n] = weight;
        }
    }
    f->count++;
}

/* Adds the places of a simplex. For order 1 one place is enough, because the functions have the
 * same derivative everywhere. */
static void add_simplex_frames(const tulle__shape *shape, tulle__frames *f) {
    const int places = shape->info.order == 1 ? 1 : shape->info.nodes;
    double at[3];
    for (int n = 0; n < places; n++) {
        place_of(shape, n, at);
        for (int c = 0; c < shape->info.corners; c++) add_frame(shape, at, c, f);
    }
}

static void add_middle(const tulle__shape *shape, tulle__frames *f) {
    static const double middle[3] = {0, 0, 0}, of_prism[3] = {1.0 / 3, 1.0 / 3, 0};
    if (shape->kind == TULLE__PRISM) {
        for (int c = 0; c < 3; c++) add_frame(shape, of_prism, c, f);
    } else if (shape->kind == TULLE__SERENDIPITY ||
               (shape->kind == TULLE__PRODUCT && shape->info.order == 1 && f->columns == 3)) {
        add_frame(shape, middle, 0, f);
    }
}

void tulle__frames_of(const tulle__shape *shape, tulle__frames *frames) {
    const bool of_triangles = shape->kind == TULLE__PRISM ||
                              (shape->kind == TULLE__SIMPLEX && shape->info.dimension == 2);
    const bool with_axes = shape->kind == TULLE__PRODUCT || shape->kind == TULLE__SERENDIPITY;
    double at[3];
    *frames = (tulle__frames){.columns = shape->info.dimension,
                              .nodes = shape->info.nodes,
                              .scale = with_axes      ? 1
                                       : of_triangles ? 2 / sqrt(3)
                                                      : sqrt(2)};
    if (shape->kind == TULLE__SIMPLEX) {
        add_simplex_frames(shape, frames);
        return;
    }
    const int places = shape->info.nodes - (shape->kind == TULLE__PYRAMID);
    for (int n = 0; n < places; n++) {
        place_of(shape, n, at);
        add_frame(shape, at, n, frames);
    }
    add_middle(shape, frames);
}

/* Returns the determinant of `columns` columns in a space of `dimension` dimensions; without a sign
 * where there are more dimensions than columns. */
static double volume(double column[3][3], int columns, int dimension) {
    double normal[3];
    if (columns == 1) return dimension == 1 ? column[0][0] : sqrt(tulle__dot(column[0], column[0]));
    tulle__cross(column[0], column[1], normal);
    if (columns == 3) return tulle__dot(normal, column[2]);
    return dimension == 2 ? normal[2] : sqrt(tulle__dot(normal, normal));
}

double tulle__scaled_jacobian(const tulle__frames *f, const tulle_mesh *mesh,
                              const int32_t *nodes) {
    const int dimension = mesh->arrays.dimension;
    double least = INFINITY;
    for (int frame = 0; frame < f->count; frame++) {
        double column[3][3] = {{0}}, size = 1;
        for (int k = 0; k < f->columns; k++) {
            for (int n = 0; n < f->nodes; n++) {
                const double *x = tulle__node(mesh, nodes[n]);
                const double weight = f->weight[frame][k][n];
                for (int d = 0; d < dimension; d++) column[k][d] += weight * x[d];
            }
            size *= sqrt(tulle__dot(column[k], column[k]));
        }
        const double scaled = volume(column, f->columns, dimension) / size;
        /* else a side is 0, or its length overflows */
        least = fmin(least, isfinite(scaled) ? scaled : 0);
    }
    return least * f->scale;
}
