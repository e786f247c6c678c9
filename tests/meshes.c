/* SPDX-License-Identifier: Apache-2.0 */
#include "meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"

/* The area of a regular polygon of 16 corners, which cylinders of 4 cells to a side have, is
 * 8 sin(pi / 8). */
#define POLYGON 3.0614674589207183

const mesh_case mesh_cases[] = {{"box-tri:4x3", 20, 24, 14, 1},
                                {"box-quad:4", 25, 16, 16, 1},
                                {"box-tet:3", 64, 162, 108, 1},
                                {"box-hex:3x4x5", 120, 60, 94, 1},
                                {"box-hex27:2", 125, 8, 24, 1},
                                {"box-hex:1x1x1,size=2x3x0.5", 8, 1, 6, 3},
                                {"lshape-tri:4", 65, 96, 32, 3},
                                {"lshape-quad:4", 65, 48, 32, 3},
                                {"lshape-tet:4x2", 195, 576, 320, 3},
                                {"lshape-hex:4x2", 195, 96, 160, 3},
                                {"lshape-hex27:2x2", 325, 24, 56, 3},
                                {"cylinder-tri:4x2", 57, 96, 16, POLYGON},
                                {"cylinder-quad:4x2", 57, 48, 16, POLYGON},
                                {"cylinder-tet:4x2x3", 228, 864, 288, POLYGON},
                                {"cylinder-hex:4x2x3", 228, 144, 144, POLYGON},
                                {"cylinder-hex27:4x2x3", 1463, 144, 144, POLYGON},
                                {"box-tri:8,perturb=0.3,seed=3", 81, 128, 32, 1},
                                {"box-quad:8,perturb=0.3,shuffle=1", 81, 64, 32, 1},
                                {"box-tet:4,perturb=0.2,shuffle=1,seed=5", 125, 384, 192, 1},
                                {"box-hex:4,shuffle=1,perturb=0.2", 125, 64, 96, 1},
                                {"cylinder-hex27:4x1x1,perturb=0.1", 435, 32, 80, POLYGON},
                                {NULL, 0, 0, 0, 0}};

tulle_mesh *mesh_of(tulle_ctx *ctx, const char *spec) {
    tulle_mesh *mesh;
    must(tulle_mesh_generate(ctx, spec, &mesh));
    return mesh;
}

tulle_mesh_arrays mesh_arrays(const tulle_mesh *mesh) {
    tulle_mesh_arrays arrays;
    must(tulle_mesh_view(mesh, &arrays));
    return arrays;
}

tulle_mesh_info mesh_info(const tulle_mesh *mesh) {
    tulle_mesh_info info;
    must(tulle_mesh_describe(mesh, &info));
    return info;
}

int shape_nodes(tulle_shape shape) {
    tulle_shape_info info;
    must(tulle_shape_describe(shape, &info));
    return info.nodes;
}

static double determinant(const double *a, const double *b, const double *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

double mesh_enclosed(const tulle_mesh *boundary) {
    const tulle_mesh_arrays a = mesh_arrays(boundary);
    double sum = 0;
    for (int64_t b = 0; b < a.block_count; b++) {
        tulle_shape_info shape;
        must(tulle_shape_describe(a.blocks[b].shape, &shape));
        for (int64_t i = 0; i < a.blocks[b].count; i++) {
            const double *x[4] = {NULL};
            for (int c = 0; c < shape.corners; c++) {
                x[c] = a.coordinates + a.dimension * a.blocks[b].nodes[i * shape.nodes + c];
            }
            if (shape.corners == 2) {
                sum += (x[0][0] * x[1][1] - x[0][1] * x[1][0]) / 2;
            } else {
                sum += determinant(x[0], x[1], x[2]) / 6;
                if (shape.corners == 4) sum += determinant(x[0], x[2], x[3]) / 6;
            }
        }
    }
    return sum;
}

static bool same(const void *a, const void *b, int64_t bytes) {
    if (!a || !b) return a == b;
    return bytes == 0 || memcmp(a, b, (size_t)bytes) == 0;
}

bool mesh_equal(const tulle_mesh *one, const tulle_mesh *other) {
    const tulle_mesh_arrays a = mesh_arrays(one), b = mesh_arrays(other);
    if (a.dimension != b.dimension || a.node_count != b.node_count ||
        a.block_count != b.block_count || a.group_count != b.group_count ||
        a.union_count != b.union_count ||
        !same(a.coordinates, b.coordinates, a.node_count * a.dimension * 8))
        return false;
    for (int64_t k = 0; k < a.block_count; k++) {
        const tulle_mesh_block *p = &a.blocks[k], *q = &b.blocks[k];
        if (p->shape != q->shape || p->count != q->count ||
            !same(p->nodes, q->nodes, p->count * shape_nodes(p->shape) * 4) ||
            !same(p->groups, q->groups, p->count * 4))
            return false;
    }
    for (int64_t g = 0; g < a.group_count; g++) {
        if (a.groups[g].number != b.groups[g].number ||
            a.groups[g].dimension != b.groups[g].dimension ||
            strcmp(a.groups[g].name, b.groups[g].name) != 0)
            return false;
    }
    for (int64_t u = 0; u < a.union_count; u++) {
        const tulle_mesh_union *p = &a.unions[u], *q = &b.unions[u];
        if (p->number != q->number || p->dimension != q->dimension || p->count != q->count ||
            !same(p->groups, q->groups, p->count * 4))
            return false;
    }
    return true;
}
