/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs cells that are turned over: such a cell is good with its nodes in mirrored order.
 * Programs that draw meshes accept such cells, and some programs write them. */
#include "mesh/turn.h"
#include "mesh/jacobian.h"

/* Sets mirror[n] to the node of the reference cell at the mirror image of node n. For a line the
 * first coordinate changes its sign; for other shapes the first two coordinates are exchanged. */
static void mirror_of(const tulle__shape *shape, int mirror[TULLE_MESH_MOST_NODES]) {
    for (int n = 0; n < shape->info.nodes; n++) {
        const signed char *p = shape->point[n];
        const bool line = shape->info.dimension == 1;
        for (int m = 0; m < shape->info.nodes; m++) {
            const signed char *q = shape->point[m];
            const bool same = line ? q[0] == -p[0] : q[0] == p[1] && q[1] == p[0] && q[2] == p[2];
            if (same) mirror[n] = m;
        }
    }
}

/* Mirrors the cell if that makes the cell good; returns true if so. */
static bool turn(const tulle_mesh *mesh, const tulle__shape *shape, const tulle__frames *frames,
                 const int mirror[TULLE_MESH_MOST_NODES], int32_t *node) {
    int32_t mirrored[TULLE_MESH_MOST_NODES];
    if (tulle__scaled_jacobian(frames, mesh, node) >= -TULLE__FLAT) return false;
    for (int n = 0; n < shape->info.nodes; n++) mirrored[n] = node[mirror[n]];
    if (tulle__scaled_jacobian(frames, mesh, mirrored) < TULLE__FLAT) return false;
    for (int n = 0; n < shape->info.nodes; n++) node[n] = mirrored[n];
    return true;
}

static tulle_status turn_block(tulle_ctx *ctx, const tulle_mesh *mesh, int64_t b, int64_t *turned) {
    const tulle_mesh_block *block = &mesh->blocks[b];
    const tulle__shape *shape = tulle__shape_of(block->shape);
    int mirror[TULLE_MESH_MOST_NODES];
    tulle__frames frames;
    tulle__frames_of(shape, &frames);
    mirror_of(shape, mirror);
    for (int64_t begin = 0, end; begin < block->count; begin = end) {
        int64_t count = 0;
        end = tulle__ask_end(begin, block->count);
        TULLE__TRY(tulle__progress(ctx, "looking for turned cells", mesh->starts[b] + begin,
                                   mesh->info.cells));
#pragma omp parallel for num_threads(tulle__mesh_threads(ctx, end - begin)) reduction(+ : count)
        for (int64_t i = begin; i < end; i++) {
            count += turn(mesh, shape, &frames, mirror, (int32_t *)tulle__element(block, i));
        }
        *turned += count;
    }
    return TULLE_OK;
}

tulle_status tulle__mesh_turn(tulle_ctx *ctx, tulle_mesh *mesh, int64_t *turned) {
    *turned = 0;
    if (mesh->info.cell_dimension != mesh->info.dimension) return TULLE_OK;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        TULLE__TRY(turn_block(ctx, mesh, b, turned));
    }
    return TULLE_OK;
}
