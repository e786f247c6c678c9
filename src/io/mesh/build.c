/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/build.h"

enum { MOST_GROUPS = 8 };

int32_t *tulle__next_element(tulle__mesh_builder *b, int block, int32_t group) {
    const tulle_mesh_block *to = &b->mesh->blocks[block];
    const int64_t i = b->filled[block]++;
    ((int32_t *)to->groups)[i] = group;
    return (int32_t *)tulle__element(to, i);
}

static tulle_status make_nodes(tulle__mesh_builder *b) {
    const tulle__outline *outline = b->outline;
    const double *size = b->request->size;
    const int64_t dimension = outline->layers > 0 ? 3 : 2, high = outline->layers * outline->step;
    void *array;
    b->mesh->arrays.node_count = outline->nodes * (high + 1);
    TULLE__TRY(tulle__mesh_array(b->mesh->ctx, b->mesh->arrays.node_count, dimension * 8, &array));
    b->mesh->coordinates = array;
    for (int64_t k = 0; k <= high; k++) {
        for (int64_t i = 0; i < outline->nodes; i++) {
            double *x = b->mesh->coordinates + (k * outline->nodes + i) * dimension;
            TULLE__TRY(
                tulle__mesh_making(b->request, k * outline->nodes + i, b->mesh->arrays.node_count));
            x[0] = size[0] * outline->x[2 * i];
            x[1] = size[1] * outline->x[2 * i + 1];
            if (dimension == 3) x[2] = size[2] * (double)k / (double)high;
        }
    }
    return TULLE_OK;
}

static tulle_status make_groups(tulle__mesh_builder *b) {
    const tulle__outline *outline = b->outline;
    const int dimension = outline->layers > 0 ? 3 : 2;
    tulle_mesh_group group[MOST_GROUPS] = {{1, dimension, "domain"}};
    int count = 1;
    for (; count <= outline->groups; count++) {
        group[count] = (tulle_mesh_group){count, dimension - 1, outline->name[count - 1]};
    }
    if (dimension == 3) {
        group[count] = (tulle_mesh_group){count, 2, "z-min"};
        count++;
        group[count] = (tulle_mesh_group){count, 2, "z-max"};
        count++;
    }
    return tulle__mesh_groups_copy(b->mesh, group, count);
}

/* Allocates the blocks of cells and facets. A square makes two triangles, a brick six tetrahedra;
 * the facets at the sides and ends are halved too. */
static tulle_status make_blocks(tulle__mesh_builder *b) {
    const tulle__outline *outline = b->outline;
    const tulle__shape *shape = tulle__shape_of(b->request->shape);
    const bool simplex = shape->kind == TULLE__SIMPLEX;
    const int64_t layers = outline->layers > 0 ? outline->layers : 1;
    int64_t cells = outline->cells * layers;
    int64_t facets =
        outline->layers > 0 ? outline->edges * layers + 2 * outline->cells : outline->edges;
    if (simplex && outline->layers > 0) facets *= 2;
    if (simplex) cells *= outline->layers > 0 ? 6 : 2;
    void *array;
    TULLE__TRY(tulle__mesh_array(b->mesh->ctx, 2, sizeof *b->mesh->blocks, &array));
    b->mesh->blocks = array;
    b->mesh->arrays.block_count = 2;
    TULLE__TRY(
        tulle__mesh_block_new(b->mesh->ctx, b->request->shape, cells, true, &b->mesh->blocks[0]));
    return tulle__mesh_block_new(b->mesh->ctx, shape->info.facet_shape, facets, true,
                                 &b->mesh->blocks[1]);
}

static tulle_status build(tulle__mesh_builder *b) {
    TULLE__TRY(make_nodes(b));
    TULLE__TRY(make_groups(b));
    TULLE__TRY(make_blocks(b));
    TULLE__TRY(tulle__shape_of(b->request->shape)->kind == TULLE__SIMPLEX
                   ? tulle__fill_simplices(b)
                   : tulle__fill_products(b));
    return tulle__mesh_ready(b->mesh);
}

tulle_status tulle__mesh_build(const tulle__mesh_request *request, const tulle__outline *outline,
                               tulle_mesh **mesh) {
    tulle__mesh_builder b = {.request = request, .outline = outline};
    TULLE__TRY(tulle__mesh_new(request->ctx, outline->layers > 0 ? 3 : 2, &b.mesh));
    const tulle_status status = build(&b);
    if (status == TULLE_OK) {
        *mesh = b.mesh;
    } else {
        tulle_mesh_destroy(b.mesh);
    }
    return status;
}
