/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "core/available.h"
#include "mesh/mesh.h"

tulle_status tulle__mesh_array(tulle_ctx *ctx, int64_t count, int64_t size, void **array) {
    size_t bytes;
    *array = NULL;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    *array = tulle__host_alloc(ctx, bytes);
    return *array ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__mesh_room(const char *function, const char *argument, double bytes,
                              const char *what) {
    const int64_t left = tulle__cpu_available();
    char wanted[TULLE__HUMAN], has[TULLE__HUMAN];
    if (left <= 0 || bytes <= (double)left) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, argument, -1,
                       "%s takes %s, and this machine has %s of memory available", what,
                       tulle__human_bytes(bytes, wanted), tulle__human_bytes((double)left, has));
}

tulle_status tulle__mesh_new(tulle_ctx *ctx, int dimension, tulle_mesh **mesh) {
    tulle_mesh *made = tulle__host_alloc(ctx, sizeof *made);
    *mesh = made;
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->owners, 1);
    made->ctx = ctx;
    made->arrays.dimension = dimension;
    tulle__ctx_retain(ctx);
    return TULLE_OK;
}

tulle_status tulle__mesh_block_new(tulle_ctx *ctx, tulle_shape shape, int64_t count, bool grouped,
                                   tulle_mesh_block *block) {
    const int64_t nodes = tulle__shape_of(shape)->info.nodes;
    void *array;
    *block = (tulle_mesh_block){.shape = shape, .count = count};
    TULLE__TRY(tulle__mesh_array(ctx, count, nodes * (int64_t)sizeof *block->nodes, &array));
    block->nodes = array;
    if (!grouped) return TULLE_OK;
    TULLE__TRY(tulle__mesh_array(ctx, count, sizeof *block->groups, &array));
    block->groups = array;
    return TULLE_OK;
}

tulle_status tulle__mesh_groups_copy(tulle_mesh *mesh, const tulle_mesh_group *groups,
                                     int64_t count) {
    void *array;
    TULLE__TRY(tulle__mesh_array(mesh->ctx, count, sizeof *groups, &array));
    mesh->groups = array;
    mesh->arrays.group_count = count;
    for (int64_t g = 0; g < count; g++) {
        TULLE__TRY(tulle__ask(mesh->ctx, "naming groups", g, count));
        const char *name = groups[g].name ? groups[g].name : "";
        char *copy = tulle__host_alloc(mesh->ctx, strlen(name) + 1);
        if (!copy) return TULLE_OUT_OF_MEMORY;
        strcpy(copy, name);
        mesh->groups[g] = groups[g];
        mesh->groups[g].name = copy;
    }
    return TULLE_OK;
}

static int block_dimension(const tulle_mesh_block *block) {
    return tulle__shape_of(block->shape)->info.dimension;
}

static const char *const what = "describing the mesh";

static tulle_status count_blocks(tulle_mesh *mesh) {
    tulle_mesh_info *info = &mesh->info;
    const tulle_mesh_block *block = mesh->blocks;
    void *array;
    TULLE__TRY(
        tulle__mesh_array(mesh->ctx, mesh->arrays.block_count + 1, sizeof *mesh->starts, &array));
    mesh->starts = array;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        if (b == 0) info->cell_dimension = block_dimension(block);
        const bool cells = block_dimension(&block[b]) == info->cell_dimension;
        *(cells ? &info->cells : &info->facets) += block[b].count;
        *(cells ? &info->cell_blocks : &info->facet_blocks) += 1;
        const int64_t nodes = tulle__shape_of(block[b].shape)->info.nodes;
        info->bytes += block[b].count * (nodes + (block[b].groups != NULL)) * 4;
        mesh->starts[b + 1] = mesh->starts[b] + block[b].count;
    }
    info->bytes += info->nodes * info->dimension * (int64_t)sizeof *mesh->coordinates;
    return TULLE_OK;
}

static tulle_status find_box(tulle_mesh *mesh) {
    tulle_mesh_info *info = &mesh->info;
    for (int d = 0; d < info->dimension && info->nodes > 0; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < info->nodes; i++) {
            TULLE__TRY(tulle__ask(mesh->ctx, what, i, info->nodes));
            const double x = tulle__node(mesh, i)[d];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        info->low[d] = low;
        info->high[d] = high;
    }
    return TULLE_OK;
}

static tulle_status mark_used(const tulle_mesh *mesh, unsigned char *used) {
    int64_t first = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; first += mesh->blocks[b++].count) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const int nodes = tulle__shape_of(block->shape)->info.nodes;
        for (int64_t i = 0; i < block->count; i++) {
            TULLE__TRY(tulle__ask(mesh->ctx, what, first + i, mesh->info.cells));
            for (int n = 0; n < nodes; n++) used[block->nodes[i * nodes + n]] = 1;
        }
    }
    return TULLE_OK;
}

static tulle_status count_unused(tulle_mesh *mesh) {
    void *array;
    TULLE__TRY(tulle__mesh_array(mesh->ctx, mesh->info.nodes, 1, &array));
    unsigned char *used = array;
    const tulle_status status = mark_used(mesh, used);
    mesh->info.unused_nodes = mesh->info.nodes;
    for (int64_t i = 0; i < mesh->info.nodes; i++) mesh->info.unused_nodes -= used[i];
    tulle__host_free(mesh->ctx, used);
    return status;
}

tulle_status tulle__mesh_ready(tulle_mesh *mesh) {
    tulle_mesh_arrays *a = &mesh->arrays;
    a->coordinates = mesh->of ? mesh->of->arrays.coordinates : mesh->coordinates;
    a->blocks = mesh->blocks;
    a->groups = mesh->groups;
    a->unions = mesh->unions;
    mesh->info = (tulle_mesh_info){
        .dimension = a->dimension, .nodes = a->node_count, .groups = a->group_count};
    TULLE__TRY(count_blocks(mesh));
    TULLE__TRY(find_box(mesh));
    return count_unused(mesh);
}

tulle_status tulle_mesh_view(const tulle_mesh *mesh, tulle_mesh_arrays *arrays) {
    TULLE__NEED(mesh);
    TULLE__NEED(arrays);
    *arrays = mesh->arrays;
    return TULLE_OK;
}

tulle_status tulle_mesh_describe(const tulle_mesh *mesh, tulle_mesh_info *info) {
    TULLE__NEED(mesh);
    TULLE__NEED(info);
    *info = mesh->info;
    return TULLE_OK;
}

void tulle_mesh_destroy(tulle_mesh *mesh) {
    if (!mesh || atomic_fetch_sub(&mesh->owners, 1) > 1) return;
    tulle_ctx *ctx = mesh->ctx;
    for (int64_t b = 0; mesh->blocks && b < mesh->arrays.block_count; b++) {
        tulle__host_free(ctx, (void *)mesh->blocks[b].nodes);
        tulle__host_free(ctx, (void *)mesh->blocks[b].groups);
    }
    for (int64_t g = 0; mesh->groups && g < mesh->arrays.group_count; g++) {
        tulle__host_free(ctx, (void *)mesh->groups[g].name);
    }
    for (int64_t u = 0; mesh->unions && u < mesh->arrays.union_count; u++) {
        tulle__host_free(ctx, (void *)mesh->unions[u].groups);
    }
    tulle__host_free(ctx, mesh->blocks);
    tulle__host_free(ctx, mesh->unions);
    tulle__host_free(ctx, mesh->groups);
    tulle__host_free(ctx, mesh->coordinates);
    tulle__host_free(ctx, mesh->sides);
    tulle__host_free(ctx, mesh->starts);
    tulle_mesh_destroy(mesh->of);
    tulle__host_free(ctx, mesh);
    tulle__ctx_release(ctx);
}
