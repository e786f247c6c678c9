/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a mesh in blocks: of each of its blocks those whose Jacobians are constant, and then
 * the others. Cells of order 2 are one block, whose nodes are copied in the order of the lattice.
 */
#include <inttypes.h>
#include <math.h>

#include "fem/elements/reference.h"
#include "fem/patches/look.h"
#include "fem/patches/patched.h"

/* The middle of the box that a cell is in; the box's size is added. */
static tulle__centre centre_of(const tulle_mesh *mesh, const tulle_mesh_block *block, int64_t e,
                               double size[3]) {
    tulle__centre centre = {.element = (int32_t)e};
    const int32_t *nodes = tulle__element(block, e);
    for (int d = 0; d < mesh->arrays.dimension; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < tulle__cell_nodes(block->shape); i++) {
            low = fmin(low, tulle__node(mesh, nodes[i])[d]);
            high = fmax(high, tulle__node(mesh, nodes[i])[d]);
        }
        centre.at[d] = (float)(low + (high - low) / 2);
        size[d] += high - low;
    }
    return centre;
}

/* Takes the cells that were found to be so. */
static tulle_status take_cells(tulle__patched_making *m, const tulle_mesh_block *block,
                               int64_t first, const uint8_t *findings, tulle__finding finding) {
    const bool lattice = block->shape == TULLE_HEXAHEDRON27;
    tulle__patched_block *b = &m->own->block[m->own->blocks++];
    tulle__patching *p = &b->patching;
    int64_t count = 0;
    *b = (tulle__patched_block){
        .kind = lattice ? &tulle__lattices_kind : &tulle__cells_kind,
        .shape = block->shape,
        .affine = finding == TULLE__CELL_AFFINE,
        .first = first,
        .patching = {
            .ctx = m->ctx, .nodes = block->nodes, .each = tulle__cell_nodes(block->shape)}};
    for (int64_t e = 0; e < block->count; e++) count += findings[e] == finding;
    if (count == 0) return TULLE_OK;
    p->centres = tulle__host_alloc(m->ctx, (size_t)count * sizeof *p->centres);
    if (!p->centres) return TULLE_OUT_OF_MEMORY;
    for (int64_t e = 0; e < block->count; e++) {
        if (findings[e] != finding) continue;
        p->centres[p->count++] = centre_of(m->mesh, block, e, p->size);
    }
    for (int d = 0; d < 3; d++) p->size[d] /= (double)count;
    return TULLE_OK;
}

static tulle__finding look(const tulle__patched_making *m, const tulle_mesh_block *block,
                           int64_t e) {
    const int32_t *nodes = tulle__element(block, e);
    return block->shape == TULLE_HEXAHEDRON27
               ? tulle__look_at_lattice(m->mesh, nodes, m->type)
               : tulle__look_at_cell(m->mesh, block->shape, nodes, m->type);
}

static tulle_status sort_block(tulle__patched_making *m, const tulle_mesh_block *block,
                               int64_t first) {
    int64_t bad = INT64_MAX;
    uint8_t *findings = tulle__host_alloc(m->ctx, (size_t)block->count);
    if (!findings) return TULLE_OUT_OF_MEMORY;
#pragma omp parallel for reduction(min : bad) num_threads(tulle__mesh_threads(m->ctx, block->count))
    for (int64_t e = 0; e < block->count; e++) {
        findings[e] = (uint8_t)look(m, block, e);
        if (findings[e] == TULLE__CELL_BAD && e < bad) bad = e;
    }
    tulle_status status = TULLE_OK;
    if (bad < INT64_MAX) {
        status = tulle__fail(TULLE_INVALID_MESH, m->function, "mesh", first + bad,
                             "cell %" PRId64 " is turned over, without volume, or has a node twice",
                             first + bad);
    }
    if (status == TULLE_OK) status = take_cells(m, block, first, findings, TULLE__CELL_AFFINE);
    if (status == TULLE_OK) status = take_cells(m, block, first, findings, TULLE__CELL_GENERAL);
    tulle__host_free(m->ctx, findings);
    return status;
}

static tulle_status sort_lattices(tulle__patched_making *m) {
    const tulle_mesh_info *info = &m->mesh->info;
    tulle__lattice_cells *cells = &m->lattices;
    int64_t cell = 0;
    tulle__lattice_places(TULLE_HEXAHEDRON27, cells->place);
    cells->nodes =
        tulle__host_alloc(m->ctx, (size_t)info->cells * TULLE__LATTICE * sizeof *cells->nodes);
    if (!cells->nodes) return TULLE_OUT_OF_MEMORY;
    for (int64_t b = 0; b < info->cell_blocks; b++) {
        const tulle_mesh_block *block = &m->mesh->blocks[b];
        for (int64_t e = 0; e < block->count; e++, cell++) {
            for (int a = 0; a < TULLE__LATTICE; a++) {
                cells->nodes[cell * TULLE__LATTICE + cells->place[a]] = tulle__element(block, e)[a];
            }
        }
    }
    const tulle_mesh_block all = {
        .shape = TULLE_HEXAHEDRON27, .count = info->cells, .nodes = cells->nodes};
    return sort_block(m, &all, 0);
}

bool tulle__is_lattice_mesh(const tulle_mesh *mesh) {
    const tulle_mesh_info *info = &mesh->info;
    bool all = info->dimension == 3 && info->cell_blocks > 0;
    for (int64_t b = 0; b < info->cell_blocks; b++) {
        all = all && mesh->blocks[b].shape == TULLE_HEXAHEDRON27;
    }
    return all;
}

tulle_status tulle__cells_sort(tulle__patched_making *m) {
    const int64_t blocks = m->mesh->info.cell_blocks;
    tulle__patched *own = m->own;
    own->block = tulle__host_alloc(m->ctx, (size_t)blocks * 2 * sizeof *own->block);
    if (!own->block) return TULLE_OUT_OF_MEMORY;
    if (tulle__is_lattice_mesh(m->mesh)) return sort_lattices(m);
    int64_t first = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const tulle_mesh_block *block = &m->mesh->blocks[b];
        TULLE__TRY(sort_block(m, block, first));
        first += block->count;
    }
    return TULLE_OK;
}
