/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/outline.h"

/* Returns the number of a node; size is the number of nodes of a row. */
static int64_t node_at(int64_t size, int64_t i, int64_t j) {
    return j * size + i;
}

static tulle_status fill(const tulle__mesh_request *r, tulle__outline *outline, int64_t nx,
                         int64_t ny) {
    const int64_t wide = nx * outline->step, high = ny * outline->step, size = wide + 1;
    int64_t next = 0, edge = 0;
    for (int64_t j = 0; j <= high; j++) {
        for (int64_t i = 0; i <= wide; i++) {
            TULLE__TRY(tulle__mesh_making(r, node_at(size, i, j), outline->nodes));
            double *x = outline->x + 2 * node_at(size, i, j);
            x[0] = (double)i / (double)wide;
            x[1] = (double)j / (double)high;
        }
    }
    for (int64_t j = 0; j < ny; j++) {
        for (int64_t i = 0; i < nx; i++)
            TULLE__TRY(tulle__outline_patch(r, outline, &next, node_at, size, i, j));
    }
    const tulle__outline_side sides[] = {{{0, 0}, {1, 0}, nx, 3},
                                         {{nx, 0}, {0, 1}, ny, 2},
                                         {{nx, ny}, {-1, 0}, nx, 4},
                                         {{0, ny}, {0, -1}, ny, 1}};
    for (int s = 0; s < 4; s++)
        TULLE__TRY(tulle__outline_run(r, outline, &edge, node_at, size, &sides[s]));
    return TULLE_OK;
}

tulle_status tulle__outline_box(const tulle__mesh_request *r, tulle__outline *outline) {
    const int dimension = tulle__shape_of(r->shape)->info.dimension;
    if (r->given != 1 && r->given != dimension) {
        return tulle__mesh_spec_bad(r, "there must be one count, or %d", dimension);
    }
    const int64_t nx = r->count[0], ny = r->given > 1 ? r->count[1] : nx;
    if (dimension == 3) outline->layers = r->given > 1 ? r->count[2] : nx;
    TULLE__TRY(
        tulle__outline_product(r, nx * outline->step + 1, ny * outline->step + 1, &outline->nodes));
    outline->cells = nx * ny;
    outline->edges = 2 * (nx + ny);
    outline->groups = 4;
    outline->name[0] = "x-min";
    outline->name[1] = "x-max";
    outline->name[2] = "y-min";
    outline->name[3] = "y-max";
    TULLE__TRY(tulle__outline_allocate(r, outline));
    return fill(r, outline, nx, ny);
}
