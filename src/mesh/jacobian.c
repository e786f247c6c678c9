/* SPDX-License-Identifier: Apache-2.0 */
/* On products of intervals columns are derivatives of the interpolating polynomials, at nodes and
 * in the middle; on simplices, whose Jacobian is constant, they are the edges at each corner. */
#include "mesh/jacobian.h"

#include <math.h>

/* Which corners the edges at corner c of a simplex go to, in an order that keeps the sign. */
static const int triangle_edges[3][2] = {{1, 2}, {2, 0}, {0, 1}};
static const int tetrahedron_edges[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {0, 2, 1}};

static void simplex_frames(const tulle__shape *shape, tulle__frames *f) {
    f->count = shape->info.corners;
    f->scale = f->columns == 2 ? 2 / sqrt(3) : sqrt(2);
    for (int c = 0; c < f->count; c++) {
        for (int k = 0; k < f->columns; k++) {
            const int to = f->columns == 2 ? triangle_edges[c][k] : tetrahedron_edges[c][k];
            f->weight[c][k][to] = 1;
            f->weight[c][k][c] = -1;
        }
    }
}

/* The polynomial that is 1 at the node `at` of -1, 1 (and 0, of order 2) and 0 at the others, and
 * its derivative, at x. */
static double value(int order, int at, double x) {
    if (order == 1) return (1 + at * x) / 2;
    return at == 0 ? 1 - x * x : x * (x + at) / 2;
}

static double slope(int order, int at, double x) {
    if (order == 1) return at / 2.0;
    return at == 0 ? -2 * x : x + at / 2.0;
}

static void product_frames(const tulle__shape *shape, tulle__frames *f) {
    const signed char middle[3] = {0, 0, 0};
    const bool with_middle = shape->info.order == 1 && f->columns == 3;
    f->count = shape->info.nodes + with_middle;
    f->scale = 1;
    for (int frame = 0; frame < f->count; frame++) {
        const signed char *x = frame < shape->info.nodes ? shape->point[frame] : middle;
        for (int k = 0; k < f->columns; k++) {
            for (int n = 0; n < f->nodes; n++) {
                double weight = 1;
                for (int d = 0; d < f->columns; d++) {
                    const int at = shape->point[n][d];
                    weight *= d == k ? slope(shape->info.order, at, x[d])
                                     : value(shape->info.order, at, x[d]);
                }
                f->weight[frame][k][n] = weight;
            }
        }
    }
}

void tulle__frames_of(const tulle__shape *shape, tulle__frames *frames) {
    *frames = (tulle__frames){.columns = shape->info.dimension, .nodes = shape->info.nodes};
    if (shape->simplex) {
        simplex_frames(shape, frames);
    } else {
        product_frames(shape, frames);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* The determinant of so many columns in a space of so many dimensions; without a sign where these
 * are more. */
static double volume(double column[3][3], int columns, int dimension) {
    double normal[3];
    if (columns == 1) return dimension == 1 ? column[0][0] : sqrt(dot(column[0], column[0]));
    cross(column[0], column[1], normal);
    if (columns == 3) return dot(normal, column[2]);
    return dimension == 2 ? normal[2] : sqrt(dot(normal, normal));
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
            size *= sqrt(dot(column[k], column[k]));
        }
        const double scaled = volume(column, f->columns, dimension) / size;
        least = fmin(least, isfinite(scaled) ? scaled : 0); /* a side is 0, or too long to say */
    }
    return least * f->scale;
}
