/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the outline of a disc: a square (the core) in the middle, and rings from the outline of the
 * square to the circle, on straight lines. The corners of the square are half way out; three cells
 * meet there, with angles of 90, 135 and 135 degrees. */
#include <math.h>

#include "io/mesh/outline.h"

/* Returns the number of a node of the core; size is the number of the lattice's squares along a
 * side of the core. */
static int64_t core_at(int64_t size, int64_t i, int64_t j) {
    return j * (size + 1) + i;
}

/* Computes place t on the core's outline, counterclockwise from the lower left corner. */
static void core_outline(int64_t size, int64_t t, int64_t *i, int64_t *j) {
    const int64_t side = t / size, along = t % size;
    *i = side == 0 ? along : side == 1 ? size : side == 2 ? size - along : 0;
    *j = side == 0 ? 0 : side == 1 ? along : side == 2 ? size : size - along;
}

/* Returns the number of a node of the rings; i counts outwards from 0 on the core's outline, j
 * counts around. */
static int64_t ring_at(int64_t size, int64_t i, int64_t j) {
    int64_t t = j % (4 * size), u, v;
    if (i > 0) return (size + 1) * (size + 1) + (i - 1) * 4 * size + t;
    core_outline(size, t, &u, &v);
    return core_at(size, u, v);
}

static tulle_status place_nodes(const tulle__mesh_request *request, tulle__outline *outline,
                                int64_t size, int64_t rings) {
    const double half = sqrt(0.125), pi = acos(-1);
    for (int64_t j = 0; j <= size; j++) {
        for (int64_t i = 0; i <= size; i++) {
            TULLE__TRY(tulle__mesh_making(request, core_at(size, i, j), outline->nodes));
            double *x = outline->x + 2 * core_at(size, i, j);
            x[0] = half * (double)(2 * i - size) / (double)size;
            x[1] = half * (double)(2 * j - size) / (double)size;
        }
    }
    for (int64_t r = 1; r <= rings; r++) {
        const double out = (double)r / (double)rings;
        for (int64_t t = 0; t < 4 * size; t++) {
            const double angle = pi * ((double)t / (double)(2 * size) - 0.75);
            TULLE__TRY(tulle__mesh_making(request, ring_at(size, r, t), outline->nodes));
            double *x = outline->x + 2 * ring_at(size, r, t);
            const double *from = outline->x + 2 * ring_at(size, 0, t);
            x[0] = (1 - out) * from[0] + out * cos(angle);
            x[1] = (1 - out) * from[1] + out * sin(angle);
        }
    }
    return TULLE_OK;
}

static tulle_status fill(const tulle__mesh_request *r, tulle__outline *outline, int64_t n,
                         int64_t rings) {
    const int64_t size = n * outline->step;
    int64_t next = 0, edge = 0;
    TULLE__TRY(place_nodes(r, outline, size, rings * outline->step));
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            TULLE__TRY(tulle__outline_patch(r, outline, &next, core_at, size, i, j));
    }
    for (int64_t i = 0; i < rings; i++) {
        for (int64_t j = 0; j < 4 * n; j++) {
            TULLE__TRY(tulle__outline_patch(r, outline, &next, ring_at, size, i, j));
        }
    }
    const tulle__outline_side side = {{rings, 0}, {0, 1}, 4 * n, 1};
    TULLE__TRY(tulle__outline_run(r, outline, &edge, ring_at, size, &side));
    return TULLE_OK;
}

tulle_status tulle__outline_cylinder(const tulle__mesh_request *r, tulle__outline *outline) {
    if (r->given < 2) return tulle__mesh_spec_bad(r, "R, the number of rings, is missing");
    const int64_t n = r->count[0], rings = r->count[1], size = n * outline->step;
    int64_t around;
    if (tulle__shape_of(r->shape)->info.dimension == 3) {
        outline->layers = r->given > 2 ? r->count[2] : n;
    }
    TULLE__TRY(tulle__outline_product(r, size + 1, size + 1, &outline->nodes));
    TULLE__TRY(tulle__outline_product(r, 4 * size, rings * outline->step, &around));
    outline->nodes += around;
    outline->cells = n * n + 4 * n * rings;
    outline->edges = 4 * n;
    outline->groups = 1;
    outline->name[0] = "side";
    TULLE__TRY(tulle__outline_allocate(r, outline));
    return fill(r, outline, n, rings);
}
