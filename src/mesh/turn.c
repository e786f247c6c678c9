/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are seen from the wrong side: the same cell with its nodes in mirrored order is good.
 * Programs that draw meshes do not mind, and some of them write such. */
#include "mesh/turn.h"
#include "mesh/jacobian.h"

/* Nodes of the reference cell whose first coordinate has the other sign, of a line, or whose first
 * two coordinates change places. */
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

/* Whether the cell was turned. */
static bool turn(const tulle_mesh *mesh, const tulle__shape *shape, const tulle__frames *frames,
                 const int mirror[TULLE_MESH_MOST_NODES], int32_t *node) {
    int32_t mirrored[TULLE_MESH_MOST_NODES];
    if (tulle__scaled_jacobian(frames, mesh, node) >= -TULLE__FLAT) return false;
    for (int n = 0; n < shape->info.nodes; n++) mirrored[n] = node[mirror[n]];
    if (tulle__scaled_jacobian(frames, mesh, mirrored) < TULLE__FLAT) return false;
    for (int n = 0; n < shape->info.nodes; n++) node[n] = mirrored[n];
    return true;
}

tulle_status tulle__mesh_turn(tulle_ctx *ctx, tulle_mesh *mesh, int64_t *turned) {
    *turned = 0;
    if (mesh->info.cell_dimension != mesh->info.dimension) return TULLE_OK;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const tulle__shape *shape = tulle__shape_of(block->shape);
        int mirror[TULLE_MESH_MOST_NODES];
        int64_t count = 0;
        tulle__frames frames;
        TULLE__TRY(tulle__progress(ctx, "looking for turned cells", b, mesh->info.cell_blocks));
        tulle__frames_of(shape, &frames);
        mirror_of(shape, mirror);
#pragma omp parallel for num_threads(tulle__mesh_threads(ctx, block->count)) reduction(+ : count)
        for (int64_t i = 0; i < block->count; i++) {
            count += turn(mesh, shape, &frames, mirror, (int32_t *)tulle__element(block, i));
        }
        *turned += count;
    }
    return TULLE_OK;
}
