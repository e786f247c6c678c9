/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "places.h"

/* Values and slopes of the polynomials of all nodes, at a place of the reference cell. */
typedef struct {
    long double value[CELL_NODES], slope[CELL_NODES][3];
} polynomials;

static bool is_simplex(tulle_shape shape) {
    return shape == TULLE_TRIANGLE || shape == TULLE_TETRAHEDRON;
}

/* The polynomial of an interval that is 1 at a node and 0 at the others; its derivative. */
static long double value_of(int order, double node, long double x) {
    if (order == 1) return (1 + (long double)node * x) / 2;
    return node == 0 ? 1 - x * x : x * (x + (long double)node) / 2;
}
static long double slope_of(int order, double node, long double x) {
    if (order == 1) return (long double)node / 2;
    return node == 0 ? -2 * x : x + (long double)node / 2;
}

static polynomials polynomials_at(tulle_shape shape, int dimension, int nodes,
                                  const long double at[3]) {
    polynomials p = {{0}, {{0}}};
    tulle_shape_info info;
    must(tulle_shape_describe(shape, &info));
    for (int a = 0; a < nodes; a++) {
        double node[3];
        must(tulle_shape_point(shape, a, node));
        if (is_simplex(shape)) {
            long double rest = 1;
            for (int d = 0; d < dimension; d++) {
                rest -= at[d];
                p.slope[a][d] = a == 0 ? -1 : node[d] > 0 ? 1 : 0;
            }
            p.value[a] = rest;
            for (int d = 0; d < dimension; d++) {
                if (node[d] > 0) p.value[a] = at[d];
            }
            continue;
        }
        p.value[a] = 1;
        for (int d = 0; d < dimension; d++) {
            p.value[a] *= value_of(info.order, node[d], at[d]);
            p.slope[a][d] = slope_of(info.order, node[d], at[d]);
            for (int o = 0; o < dimension; o++) {
                if (o != d) p.slope[a][d] *= value_of(info.order, node[o], at[o]);
            }
        }
    }
    return p;
}

/* The inverse of a matrix of 2 or 3 columns by cofactors; its determinant. */
static long double invert(int n, long double A[3][3], long double inverse[3][3]) {
    long double determinant = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int a = (i + 1) % n, b = (i + 2) % n, c = (j + 1) % n, d = (j + 2) % n;
            inverse[j][i] =
                n == 2 ? (i == j ? A[a][c] : -A[a][c]) : A[a][c] * A[b][d] - A[a][d] * A[b][c];
        }
    }
    for (int j = 0; j < n; j++) determinant += A[0][j] * inverse[j][0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) inverse[i][j] /= determinant;
    }
    return determinant;
}

static void add_point(const tulle_mesh_arrays *a, tulle_shape shape, const int32_t *nodes,
                      const long double at[3], long double weight, cell_matrix *K) {
    const int d = K->dimension, n = K->nodes;
    const polynomials p = polynomials_at(shape, d, n, at);
    long double J[3][3] = {{0}}, inverse[3][3], gradient[CELL_NODES][3] = {{0}}, longest = 0;
    for (int i = 0; i < d; i++) {
        long double square = 0;
        for (int k = 0; k < d; k++) {
            for (int m = 0; m < n; m++) {
                J[k][i] += (long double)a->coordinates[nodes[m] * d + k] * p.slope[m][i];
            }
            square += J[k][i] * J[k][i];
        }
        longest = fmaxl(longest, sqrtl(square));
        K->shortest = fminl(K->shortest, sqrtl(square));
    }
    const long double determinant = invert(d, J, inverse);
    assert_true(determinant > 0);
    long double forth = 0, back = 0;
    for (int i = 0; i < d; i++) {
        for (int k = 0; k < d; k++) {
            forth += J[i][k] * J[i][k];
            back += inverse[i][k] * inverse[i][k];
        }
    }
    K->condition = fmaxl(K->condition, sqrtl(forth * back));
    K->J = fmaxl(K->J, longest);
    K->q = fmaxl(K->q, powl(longest, d) / determinant);
    for (int m = 0; m < n; m++) {
        for (int k = 0; k < d; k++) {
            for (int i = 0; i < d; i++) gradient[m][k] += p.slope[m][i] * inverse[i][k];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            long double dot = 0;
            for (int k = 0; k < d; k++) dot += gradient[i][k] * gradient[j][k];
            K->stiffness[i][j] += weight * determinant * dot;
            K->mass[i][j] += weight * determinant * p.value[i] * p.value[j];
        }
    }
}

/* A simplex has one Jacobian, and (1 + delta_ij) / ((d + 1) (d + 2)) of its volume in its mass. */
static void exact_mass(cell_matrix *K) {
    const int n = K->nodes;
    long double volume = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) volume += K->mass[i][j];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            K->mass[i][j] = volume * (i == j ? 2 : 1) / (long double)(n * (n + 1));
        }
    }
}

cell_matrix cell_matrix_of(const tulle_mesh_arrays *a, tulle_shape shape, const int32_t *nodes) {
    tulle_shape_info info;
    must(tulle_shape_describe(shape, &info));
    cell_matrix K = {.dimension = info.dimension, .nodes = info.nodes, .shortest = INFINITY};
    long double at[3] = {0};
    if (is_simplex(shape)) {
        K.V = info.dimension == 2 ? 1 / 2.0L : 1 / 6.0L;
        add_point(a, shape, nodes, at, K.V, &K);
        exact_mass(&K);
        return K;
    }
    K.V = 1 << info.dimension;
    const int points = info.order + 1;
    for (int q = 0; q < (int)powl(points, info.dimension); q++) {
        long double weight = 1;
        for (int d = 0, rest = q; d < info.dimension; d++, rest /= points) {
            const int digit = rest % points;
            at[d] = info.order == 1 ? (digit ? 1 : -1) / sqrtl(3) : (digit - 1) * sqrtl(0.6L);
            if (info.order == 2) weight *= digit == 1 ? 8 / 9.0L : 5 / 9.0L;
        }
        add_point(a, shape, nodes, at, weight, &K);
    }
    return K;
}
