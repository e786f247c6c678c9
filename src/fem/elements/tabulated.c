/* SPDX-License-Identifier: Apache-2.0 */
/* Points of quadrature of shapes with a table. Triangles, tetrahedra and pyramids are squares and
 * cubes of which a side has collapsed: the places (u, v, w) of these become u times the cell's
 * width at (v, w), and the power of the width by which the volume shrinks is the weight of the
 * formula of Gauss and Jacobi along that axis. With n points along each axis all is exact that is
 * of degree 2 n - 1 in the cell. On a pyramid the functions are rational, but in (u, v, w) they and
 * their derivatives are polynomials. Sources: A. H. Stroud, "Approximate Calculation of Multiple
 * Integrals", 1971, chapter 2 (conical products); G. Bedrosian, "Shape functions and integration
 * formulas for three-dimensional finite element analysis", Int. J. Numer. Meth. Eng. 35 (1992). */
#include "fem/elements/tabulated.h"

#include "fem/elements/reference.h"
#include "mesh/mesh.h"

enum { MOST = 3, MOST_POINTS = MOST * MOST * MOST };

/* Places in the interval from 0 to 1, and weights: exact for polynomials of degree 2 count - 1
 * times (1 - t)^power. */
typedef struct gauss {
    int count;
    double at[MOST], weight[MOST];
} gauss;

/* Jacobi's polynomial of degree n for the weight (1 - x)^power, by its recurrence (M. Abramowitz
 * and I. A. Stegun, "Handbook of Mathematical Functions", 22.7.1). */
static double jacobi(int n, int power, double x) {
    double before = 1, now = (power + 1) + (power + 2) * (x - 1) / 2;
    if (n == 0) return 1;
    for (int k = 2; k <= n; k++) {
        const double s = 2 * k + power;
        const double next = ((s - 1) * (s * (s - 2) * x + power * power) * now -
                             2 * (k + power - 1) * (k - 1) * s * before) /
                            (2 * k * (k + power) * (s - 2));
        before = now;
        now = next;
    }
    return now;
}

/* The root of the polynomial between two places where its signs differ. */
static double bisect(int n, int power, double low, double high) {
    const double sign = jacobi(n, power, low);
    for (double middle = (low + high) / 2; middle > low && middle < high;
         middle = (low + high) / 2) {
        if ((jacobi(n, power, middle) > 0) == (sign > 0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The integral over t from 0 to 1 of (1 - t)^power t^k: power! k! / (power + k + 1)!. */
static double moment(int power, int k) {
    double product = 1;
    for (int i = 1; i <= power; i++) product *= (double)i / (k + i);
    return product / (k + power + 1);
}

/* The integral of the polynomial that is 1 at place i and 0 at the others. */
static double weight_of(const gauss *g, int power, int i) {
    double coefficient[MOST] = {1}, sum = 0;
    int degree = 0;
    for (int j = 0; j < g->count; j++) {
        if (j == i) continue;
        const double gap = g->at[i] - g->at[j];
        for (int k = ++degree; k >= 0; k--) {
            const double lower = k > 0 ? coefficient[k - 1] : 0;
            coefficient[k] = (lower - (k < degree ? coefficient[k] * g->at[j] : 0)) / gap;
        }
    }
    for (int k = 0; k < g->count; k++) sum += coefficient[k] * moment(power, k);
    return sum;
}

static gauss gauss_of(int count, int power) {
    enum { STEPS = 64 }; /* roots are further apart than one of so many steps */
    gauss g = {.count = 0};
    for (int s = 0; s < STEPS && g.count < count; s++) {
        const double low = -1 + 2.0 * s / STEPS - 1.0 / (3 * STEPS), high = low + 2.0 / STEPS;
        if ((jacobi(count, power, low) > 0) == (jacobi(count, power, high) > 0)) continue;
        g.at[g.count++] = (1 + bisect(count, power, low, high)) / 2;
    }
    for (int i = 0; i < g.count; i++) g.weight[i] = weight_of(&g, power, i);
    return g;
}

/* A point of quadrature. */
typedef struct place {
    double at[3], weight;
} place;

/* Says that the width of a shape along axis d shrinks from 1 to 0 along axis e. */
static bool narrows(tulle_shape shape, int d, int e) {
    if (shape == TULLE_PYRAMID) return d < 2 && e == 2;
    if (shape == TULLE_TETRAHEDRON10) return d < e;
    return (shape == TULLE_TRIANGLE6 || shape == TULLE_PRISM) && d == 0 && e == 1;
}

/* Says that an axis of the reference cell is from 0 to 1; others are from -1 to 1. */
static bool is_short(tulle_shape shape, int d) {
    if (shape == TULLE_TRIANGLE6 || shape == TULLE_TETRAHEDRON10) return true;
    if (shape == TULLE_PRISM) return d < 2;
    return shape == TULLE_PYRAMID && d == 2;
}

static int list_places(tulle_shape shape, place list[MOST_POINTS]) {
    const int dimension = tulle__cell_dimension(shape), points = tulle__cell_points(shape);
    const int each = points == 1 << dimension ? 2 : 3;
    gauss axis[3];
    for (int e = 0; e < dimension; e++) {
        int power = 0;
        for (int d = 0; d < dimension; d++) power += narrows(shape, d, e);
        axis[e] = gauss_of(each, power);
    }
    for (int q = 0; q < points; q++) {
        place *p = &list[q];
        double t[3] = {0};
        *p = (place){.weight = 1};
        for (int d = 0, rest = q; d < dimension; d++, rest /= each) {
            t[d] = axis[d].at[rest % each];
            p->weight *= axis[d].weight[rest % each] * (is_short(shape, d) ? 1 : 2);
        }
        for (int d = 0; d < dimension; d++) {
            p->at[d] = is_short(shape, d) ? t[d] : 2 * t[d] - 1;
            for (int e = 0; e < dimension; e++) {
                if (narrows(shape, d, e)) p->at[d] *= 1 - t[e];
            }
        }
    }
    return points;
}

tulle_status tulle__tabulate(tulle_ctx *ctx, tulle_shape shape, const double **table) {
    const tulle__shape *s = tulle__shape_of(shape);
    const int nodes = s->info.nodes, columns = s->info.dimension;
    place list[MOST_POINTS];
    void *array;
    TULLE__TRY(tulle__mesh_array(ctx, tulle__table_numbers(shape), sizeof(double), &array));
    double *to = array;
    const int points = list_places(shape, list);
    for (int q = 0; q < points; q++) {
        double value[TULLE_MESH_MOST_NODES], slope[TULLE_MESH_MOST_NODES][3];
        tulle__shape_basis(s, list[q].at, value, slope);
        *to++ = list[q].weight;
        for (int a = 0; a < nodes; a++) *to++ = value[a];
        for (int a = 0; a < nodes; a++) {
            for (int k = 0; k < columns; k++) *to++ = slope[a][k];
        }
    }
    *table = array;
    return TULLE_OK;
}
