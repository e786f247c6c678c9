/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that interpolate on elements (basis functions). Sources: T. J. R. Hughes, "The
 * Finite Element Method", chapter 3; for pyramids G. Bedrosian, "Shape functions and integration
 * formulas for three-dimensional finite element analysis", Int. J. Numer. Meth. Eng. 35 (1992). */
#include "mesh/shape.h"

/* value_of returns the value at x of the polynomial that is 1 at the node `at` and 0 at the other
 * nodes; slope_of returns its derivative. The nodes are -1 and 1, and for order 2 also 0. */
static double value_of(int order, int at, double x) {
    if (order == 1) return (1 + at * x) / 2;
    return at == 0 ? 1 - x * x : x * (x + at) / 2;
}

static double slope_of(int order, int at, double x) {
    if (order == 1) return at / 2.0;
    return at == 0 ? -2 * x : x + at / 2.0;
}

static void product(const tulle__shape *shape, int n, const double at[3], double *value,
                    double slope[3]) {
    const int dimension = shape->info.dimension, order = shape->info.order;
    *value = 1;
    for (int d = 0; d < dimension; d++) *value *= value_of(order, shape->point[n][d], at[d]);
    for (int k = 0; k < dimension; k++) {
        slope[k] = 1;
        for (int d = 0; d < dimension; d++) {
            const int node = shape->point[n][d];
            slope[k] *= d == k ? slope_of(order, node, at[d]) : value_of(order, node, at[d]);
        }
    }
}

/* Computes a function of a serendipity element. The function of a corner c is the product of all (1
 * + c_d x_d) / 2 times (the sum of c_d x_d, less dimension - 1); that of the middle of an edge
 * along axis k is (1 - x_k^2) times the other (1 + c_d x_d) / 2. */
static void serendipity(const tulle__shape *shape, int n, const double at[3], double *value,
                        double slope[3]) {
    const int dimension = shape->info.dimension;
    const signed char *node = shape->point[n];
    double factor[3], rise[3], sum = 1 - dimension;
    bool corner = true;
    for (int d = 0; d < dimension; d++) {
        const bool between = node[d] == 0;
        factor[d] = between ? 1 - at[d] * at[d] : (1 + node[d] * at[d]) / 2;
        rise[d] = between ? -2 * at[d] : node[d] / 2.0;
        sum += node[d] * at[d];
        corner = corner && !between;
    }
    *value = corner ? sum : 1;
    for (int d = 0; d < dimension; d++) *value *= factor[d];
    for (int k = 0; k < dimension; k++) {
        double others = 1;
        for (int d = 0; d < dimension; d++) others *= d == k ? 1 : factor[d];
        slope[k] = others * (corner ? rise[k] * sum + factor[k] * node[k] : rise[k]);
    }
}

/* Computes a function of a simplex. L_0 = 1 - sum of x_d and L_d = x_d are each 1 at their corner.
 * A function of order 1 is the L of its corner; of order 2 it is L (2 L - 1) at a corner, and 4 L M
 * between the corners of L and M. */
static void simplex(const tulle__shape *shape, int n, const double at[3], double *value,
                    double slope[3]) {
    const int dimension = shape->info.dimension, unit = shape->unit;
    int part[4] = {unit}, ends[2] = {0, 0}, found = 0;
    double L[4] = {1};
    for (int d = 0; d < dimension; d++) {
        part[d + 1] = shape->point[n][d];
        part[0] -= part[d + 1];
        L[d + 1] = at[d];
        L[0] -= at[d];
    }
    for (int c = 0; c <= dimension; c++) {
        if (part[c] > 0) ends[found++] = c;
    }
    const double one = L[ends[0]], other = L[ends[1]];
    for (int k = 0; k < dimension; k++) {
        const double first = ends[0] == 0 ? -1 : ends[0] == k + 1;
        const double second = ends[1] == 0 ? -1 : ends[1] == k + 1;
        slope[k] = first;
        if (unit == 2)
            slope[k] = found == 1 ? (4 * one - 1) * first : 4 * (one * second + other * first);
    }
    *value = one;
    if (unit == 2) *value = found == 1 ? one * (2 * one - 1) : 4 * one * other;
}

static void prism(const tulle__shape *shape, int n, const double at[3], double *value,
                  double slope[3]) {
    const int level = shape->point[n][2], corner = n % 3;
    const double of_line = value_of(1, level, at[2]);
    const double of_triangle = corner == 0 ? 1 - at[0] - at[1] : at[corner - 1];
    *value = of_triangle * of_line;
    for (int k = 0; k < 2; k++) slope[k] = (corner == 0 ? -1 : corner == k + 1) * of_line;
    slope[2] = of_triangle * slope_of(1, level, at[2]);
}

/* Computes a function of a pyramid: (h + a x) (h + b y) / (4 h) with h = 1 - z for the corner (a,
 * b) of the base, and z for the top. */
static void pyramid(const tulle__shape *shape, int n, const double at[3], double *value,
                    double slope[3]) {
    const double a = shape->point[n][0], b = shape->point[n][1], h = 1 - at[2];
    *value = at[2];
    slope[0] = slope[1] = 0;
    slope[2] = 1;
    if (n == shape->info.nodes - 1) return;
    const double x = h + a * at[0], y = h + b * at[1];
    *value = x * y / (4 * h);
    slope[0] = a * y / (4 * h);
    slope[1] = b * x / (4 * h);
    slope[2] = (a * at[0] * b * at[1] / (h * h) - 1) / 4;
}

void tulle__shape_basis(const tulle__shape *shape, const double at[3],
                        double value[TULLE_MESH_MOST_NODES],
                        double slope[TULLE_MESH_MOST_NODES][3]) {
    static void (*const functions[])(const tulle__shape *shape, int n, const double at[3],
                                     double *value,
                                     double slope[3]) = {[TULLE__PRODUCT] = product,
                                                         [TULLE__SERENDIPITY] = serendipity,
                                                         [TULLE__SIMPLEX] = simplex,
                                                         [TULLE__PRISM] = prism,
                                                         [TULLE__PYRAMID] = pyramid};
    for (int n = 0; n < shape->info.nodes; n++) {
        for (int d = 0; d < 3; d++) slope[n][d] = 0;
        functions[shape->kind](shape, n, at, &value[n], slope[n]);
    }
}
