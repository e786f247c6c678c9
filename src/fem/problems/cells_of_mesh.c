/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh's cells of one shape, side by side. */
#include <string.h>

#include "fem/elements/tabulated.h"
#include "fem/problems/draft.h"

void tulle__lattice_places(tulle_shape shape, signed char place[TULLE__LATTICE]) {
    const tulle__shape *s = tulle__shape_of(shape);
    for (int a = 0; a < s->info.nodes; a++) {
        place[a] = 0;
        for (int d = 0; d < s->info.dimension; d++) {
            place[a] = (signed char)(place[a] + (s->point[a][d] + 1) * tulle__lattice_nodes(d));
        }
    }
}

tulle_status tulle__cells_new(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_shape shape,
                              int64_t count, tulle__cells *cells) {
    void *nodes = NULL;
    *cells = (tulle__cells){.shape = shape, .count = count, .dimension = mesh->arrays.dimension};
    const int64_t bytes = tulle__cell_nodes(shape) * (int64_t)sizeof(int32_t);
    TULLE__TRY(tulle__mesh_array(ctx, count, bytes, &nodes));
    cells->nodes = nodes;
    if (tulle__is_quadratic(shape)) tulle__lattice_places(shape, cells->place);
    if (tulle__is_tabulated(shape)) return tulle__tabulate(ctx, shape, &cells->table);
    return TULLE_OK;
}

int64_t tulle__cells_count(const tulle_mesh *mesh, tulle_shape shape) {
    int64_t count = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        if (block->shape == shape) count += block->count;
    }
    return count;
}

void tulle__cells_fill(const tulle_mesh *mesh, const tulle__cells *cells) {
    const size_t nodes = (size_t)tulle__cell_nodes(cells->shape);
    int32_t *to = (int32_t *)cells->nodes;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const size_t numbers = (size_t)block->count * nodes;
        if (block->shape != cells->shape) continue;
        memcpy(to, block->nodes, numbers * sizeof *to);
        to += numbers;
    }
}
