/* SPDX-License-Identifier: Apache-2.0 */
#include "split_meshes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meshes.h"
#include "places.h"

/* Corners of the cells that a cube is divided into, from 0 to 2 along each axis: digits x, y, z. */
static const char *const triangles[] = {"000 200 220", "000 220 020"};
static const char *const squares[] = {"000 200 220 020"};
static const char *const cubes[] = {"000 200 220 020 002 202 222 022"};
static const char *const prisms[] = {"000 200 220 002 202 222", "000 220 020 002 222 022"};
static const char *const tetrahedra[] = {"000 200 220 222", "000 220 020 222", "000 020 022 222",
                                         "000 022 002 222", "000 002 202 222", "000 202 200 222"};
static const char *const pyramids[] = {"000 200 220 020 111", "002 022 222 202 111",
                                       "000 002 202 200 111", "020 220 222 022 111",
                                       "000 020 022 002 111", "200 202 222 220 111"};

typedef struct {
    int count;
    const char *const *cell;
} division;

static division division_of(const tulle_shape_info *shape, tulle_shape which) {
    if (which == TULLE_PRISM) return (division){2, prisms};
    if (which == TULLE_PYRAMID) return (division){6, pyramids};
    if (shape->dimension == 2) {
        return shape->corners == 3 ? (division){2, triangles} : (division){1, squares};
    }
    return shape->corners == 4 ? (division){6, tetrahedra} : (division){1, cubes};
}

/* Where a node is among the corners' lattice: by the functions of order 1 of its reference cell. */
static void place_node(tulle_shape which, const tulle_shape_info *shape, const char *corners,
                       int node, int at[3]) {
    double p[3];
    must(tulle_shape_point(which, node, p));
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (int c = 0; c < shape->corners; c++) {
            double own[3], weight = 1, rest = 1;
            must(tulle_shape_point(which, c, own));
            if (node < shape->corners) {
                weight = c == node;
            } else if (shape->corners == shape->dimension + 1) {
                for (int k = 0; k < shape->dimension; k++) rest -= p[k];
                weight = c == 0 ? rest : p[c - 1];
            } else {
                for (int k = 0; k < shape->dimension; k++) weight *= (1 + own[k] * p[k]) / 2;
            }
            sum += weight * (corners[4 * c + d] - '0');
        }
        at[d] = (int)lrint(sum);
    }
}

static void coordinates_of(const int at[3], int last, int dimension, double bend, double *x) {
    double wave = bend;
    for (int d = 0; d < dimension; d++) wave *= sin(acos(-1) * at[d] / last);
    for (int d = 0; d < dimension; d++) x[d] = (double)at[d] / last + wave * (d == 1 ? -1 : 0.7);
}

tulle_mesh *mesh_split(tulle_ctx *ctx, tulle_shape which, int side, double bend) {
    tulle_shape_info shape;
    must(tulle_shape_describe(which, &shape));
    const division into = division_of(&shape, which);
    const int last = 2 * side, wide = last + 1, levels = shape.dimension == 3 ? wide : 1;
    const int cubes_of = side * side * (shape.dimension == 3 ? side : 1);
    int32_t *number = malloc((size_t)(wide * wide * levels) * sizeof *number);
    int32_t *list = malloc((size_t)(cubes_of * into.count * shape.nodes) * sizeof *list);
    double *x = malloc((size_t)(wide * wide * levels * shape.dimension) * sizeof *x);
    assert_true(number && list && x);
    memset(number, 0xff, (size_t)(wide * wide * levels) * sizeof *number);
    int32_t nodes = 0;
    int next = 0;
    for (int cube = 0; cube < cubes_of; cube++) {
        const int from[3] = {cube % side * 2, cube / side % side * 2, cube / side / side * 2};
        for (int c = 0; c < into.count; c++) {
            for (int n = 0; n < shape.nodes; n++) {
                int at[3];
                place_node(which, &shape, into.cell[c], n, at);
                for (int d = 0; d < 3; d++) at[d] += from[d];
                int32_t *own = &number[(at[2] * wide + at[1]) * wide + at[0]];
                if (*own < 0) {
                    coordinates_of(at, last, shape.dimension, bend, x + nodes * shape.dimension);
                    *own = nodes++;
                }
                list[next++] = *own;
            }
        }
    }
    const tulle_mesh_block block = {which, (int64_t)cubes_of * into.count, list, NULL};
    const tulle_mesh_arrays a = mesh_small(shape.dimension, nodes, x, &block, 1);
    tulle_mesh *mesh;
    must(tulle_mesh_create(ctx, &a, &mesh));
    must(tulle_mesh_check(ctx, mesh));
    free(number);
    free(list);
    free(x);
    return mesh;
}
