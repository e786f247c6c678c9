/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/outline.h"

static tulle_status too_large(const tulle__mesh_request *r) {
    return tulle__fail(TULLE_TOO_LARGE, "tulle_mesh_generate", "spec", -1,
                       "\"%.60s\" has more than %d nodes", r->spec, INT32_MAX);
}

/* Fails if memory has no room for the nodes, elements and coordinates of the mesh. */
static tulle_status check_size(const tulle__mesh_request *r, const tulle__outline *outline) {
    const tulle_shape_info *shape = &tulle__shape_of(r->shape)->info;
    const double layers = outline->layers > 0 ? (double)outline->layers : 1;
    const double nodes =
        (double)outline->nodes * (outline->layers > 0 ? layers * outline->step + 1 : 1);
    const double split = shape->corners == 3                          ? 2
                         : shape->corners == 4 && outline->layers > 0 ? 6
                                                                      : 1;
    const double bytes = nodes * shape->dimension * 8 +
                         (double)outline->cells * layers * split * (shape->nodes + 1) * 4;
    if (nodes > INT32_MAX) return too_large(r);
    return tulle__mesh_room("tulle_mesh_generate", "spec", bytes, r->spec);
}

tulle_status tulle__outline_allocate(const tulle__mesh_request *r, tulle__outline *outline) {
    const int64_t side = outline->step + 1;
    void *array;
    TULLE__TRY(check_size(r, outline));
    TULLE__TRY(tulle__mesh_array(r->ctx, outline->nodes, 2 * sizeof *outline->x, &array));
    outline->x = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, outline->cells, side * side * 4, &array));
    outline->patch = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, outline->edges, side * 4, &array));
    outline->edge = array;
    TULLE__TRY(tulle__mesh_array(r->ctx, outline->edges, sizeof *outline->group, &array));
    outline->group = array;
    return TULLE_OK;
}

tulle_status tulle__outline_product(const tulle__mesh_request *r, int64_t a, int64_t b,
                                    int64_t *product) {
    if (__builtin_mul_overflow(a, b, product) || *product > INT32_MAX) return too_large(r);
    return TULLE_OK;
}

tulle_status tulle__outline_patch(const tulle__mesh_request *r, tulle__outline *outline,
                                  int64_t *next, tulle__outline_node node, int64_t size, int64_t i,
                                  int64_t j) {
    const int side = outline->step + 1;
    int32_t *patch = outline->patch + (*next)++ * side * side;
    for (int v = 0; v < side; v++) {
        for (int u = 0; u < side; u++) {
            patch[v * side + u] = (int32_t)node(size, i * outline->step + u, j * outline->step + v);
        }
    }
    return tulle__mesh_making(r, *next, outline->cells);
}

tulle_status tulle__outline_run(const tulle__mesh_request *r, tulle__outline *outline,
                                int64_t *next, tulle__outline_node node, int64_t size,
                                const tulle__outline_side *run) {
    for (int64_t k = 0; k < run->count; k++, ++*next) {
        TULLE__TRY(tulle__mesh_making(r, *next, outline->edges));
        outline->group[*next] = run->group;
        for (int64_t e = 0; e <= outline->step; e++) {
            const int64_t along = k * outline->step + e;
            outline->edge[*next * (outline->step + 1) + e] =
                (int32_t)node(size, run->from[0] * outline->step + along * run->step[0],
                              run->from[1] * outline->step + along * run->step[1]);
        }
    }
    return TULLE_OK;
}
