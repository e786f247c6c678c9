/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/plan.h"

/* Returns the number of a node; size is the number of nodes of a row. */
static int64_t node_at(int64_t size, int64_t i, int64_t j) {
    return j * size + i;
}

static tulle_status fill(const tulle__mesh_request *r, tulle__plan *plan, int64_t nx, int64_t ny) {
    const int64_t wide = nx * plan->step, high = ny * plan->step, size = wide + 1;
    int64_t next = 0, edge = 0;
    for (int64_t j = 0; j <= high; j++) {
        for (int64_t i = 0; i <= wide; i++) {
            TULLE__TRY(tulle__mesh_making(r, node_at(size, i, j), plan->nodes));
            double *x = plan->x + 2 * node_at(size, i, j);
            x[0] = (double)i / (double)wide;
            x[1] = (double)j / (double)high;
        }
    }
    for (int64_t j = 0; j < ny; j++) {
        for (int64_t i = 0; i < nx; i++)
            TULLE__TRY(tulle__plan_patch(r, plan, &next, node_at, size, i, j));
    }
    const tulle__plan_side sides[] = {{{0, 0}, {1, 0}, nx, 3},
                                      {{nx, 0}, {0, 1}, ny, 2},
                                      {{nx, ny}, {-1, 0}, nx, 4},
                                      {{0, ny}, {0, -1}, ny, 1}};
    for (int s = 0; s < 4; s++)
        TULLE__TRY(tulle__plan_run(r, plan, &edge, node_at, size, &sides[s]));
    return TULLE_OK;
}

tulle_status tulle__plan_box(const tulle__mesh_request *r, tulle__plan *plan) {
    const int dimension = tulle__shape_of(r->shape)->info.dimension;
    if (r->given != 1 && r->given != dimension) {
        return tulle__mesh_spec_bad(r, "there must be one count, or %d", dimension);
    }
    const int64_t nx = r->count[0], ny = r->given > 1 ? r->count[1] : nx;
    if (dimension == 3) plan->layers = r->given > 1 ? r->count[2] : nx;
    TULLE__TRY(tulle__plan_product(r, nx * plan->step + 1, ny * plan->step + 1, &plan->nodes));
    plan->cells = nx * ny;
    plan->edges = 2 * (nx + ny);
    plan->groups = 4;
    plan->name[0] = "x-min";
    plan->name[1] = "x-max";
    plan->name[2] = "y-min";
    plan->name[3] = "y-max";
    TULLE__TRY(tulle__plan_allocate(r, plan));
    return fill(r, plan, nx, ny);
}
