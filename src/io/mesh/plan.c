/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/plan.h"

static tulle_status too_large(const tulle__mesh_request *r) {
    return tulle__fail(TULLE_TOO_LARGE, "tulle_mesh_generate", "spec", -1,
                       "\"%.60s\" has more than %d nodes", r->spec, INT32_MAX);
}

/* Fails if memory has no room for the nodes, elements and coordinates of the mesh. */
static tulle_status check_size(const tulle__mesh_request *r, const tulle__plan *plan) {
    const tulle_shape_info *shape = &tulle__shape_of(r->shape)->info;
    const double layers = plan->layers > 0 ? (double)plan->layers : 1;
    const double nodes = (double)plan->nodes * (plan->layers > 0 ? layers * plan->step + 1 : 1);
    const double split = shape->corners == 3 ? 2 : shape->corners == 4 && plan->layers > 0 ? 6 : 1;
    const double bytes = nodes * shape->dimension * 8 +
                         (double)plan->cells * layers * split * (shape->nodes + 1) * 4;
    if (nodes > INT32_MAX) return too_large(r);
    return tulle__mesh_room("tulle_mesh_generate", "spec", bytes, r->spec);
}

tulle_status tulle__plan_allocate(const tulle__mesh_request *r, tulle__plan *plan) {
    const int64_t side = plan->step + 1;
    void *array;
    TULLE__TRY(check_size(r, plan));
    TULLE__TRY(tulle__mesh_array(r->ctx, plan->nodes, 2 * sizeof *plan->x, &array));
    plan->x = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, plan->cells, side * side * 4, &array));
    plan->patch = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, plan->edges, side * 4, &array));
    plan->edge = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, plan->edges, sizeof *plan->group, &array));
    plan->group = array;
    return TULLE_OK;
}

tulle_status tulle__plan_product(const tulle__mesh_request *r, int64_t a, int64_t b,
                                 int64_t *product) {
    if (__builtin_mul_overflow(a, b, product) || *product > INT32_MAX) return too_large(r);
    return TULLE_OK;
}

tulle_status tulle__plan_patch(const tulle__mesh_request *r, tulle__plan *plan, int64_t *next,
                               tulle__plan_node node, int64_t size, int64_t i, int64_t j) {
    const int side = plan->step + 1;
    int32_t *patch = plan->patch + (*next)++ * side * side;
    for (int v = 0; v < side; v++) {
        for (int u = 0; u < side; u++) {
            patch[v * side + u] = (int32_t)node(size, i * plan->step + u, j * plan->step + v);
        }
    }
    return tulle__mesh_making(r, *next, plan->cells);
}

tulle_status tulle__plan_run(const tulle__mesh_request *r, tulle__plan *plan, int64_t *next,
                             tulle__plan_node node, int64_t size, const tulle__plan_side *run) {
    for (int64_t k = 0; k < run->count; k++, ++*next) {
        TULLE__TRY(tulle__mesh_making(r, *next, plan->edges));
        plan->group[*next] = run->group;
        for (int64_t e = 0; e <= plan->step; e++) {
            const int64_t along = k * plan->step + e;
            plan->edge[*next * (plan->step + 1) + e] =
                (int32_t)node(size, run->from[0] * plan->step + along * run->step[0],
                              run->from[1] * plan->step + along * run->step[1]);
        }
    }
    return TULLE_OK;
}
