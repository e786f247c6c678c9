/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "core/print.h"
#include "mesh/facets.h"
#include "mesh/jacobian.h"

/* Finds the first flat cell of a block; the result is one behind the last cell where no cell is
 * flat. */
static tulle_status find_flat_of(tulle_ctx *ctx, const tulle_mesh *mesh,
                                 const tulle_mesh_block *block, const tulle__frames *frames,
                                 int64_t before, int64_t *flat_cell) {
    int64_t first = block->count;
    for (int64_t begin = 0, end; begin < block->count && first == block->count; begin = end) {
        end = tulle__ask_end(begin, block->count);
        TULLE__TRY(tulle__progress(ctx, "checking cells", before + begin, mesh->info.cells));
#pragma omp parallel for num_threads(tulle__mesh_threads(ctx, end - begin))                        \
    schedule(dynamic, 1024) reduction(min                                                          \
                                      : first)
        for (int64_t i = begin; i < end; i++) {
            const bool good =
                tulle__scaled_jacobian(frames, mesh, tulle__element(block, i)) >= TULLE__FLAT;
            if (!good && i < first) first = i;
        }
    }
    *flat_cell = first;
    return TULLE_OK;
}

static tulle_status find_flat(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__mesh_fault *fault) {
    int64_t before = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks && fault->kind == TULLE__MESH_GOOD; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        tulle__frames frames;
        int64_t first;
        TULLE__TRY(tulle__ask(ctx, "checking cells", b, mesh->info.cell_blocks));
        tulle__frames_of(tulle__shape_of(block->shape), &frames);
        TULLE__TRY(find_flat_of(ctx, mesh, block, &frames, before, &first));
        if (first < block->count) {
            fault->scaled = tulle__scaled_jacobian(&frames, mesh, tulle__element(block, first));
            fault->kind =
                fault->scaled < -TULLE__FLAT ? TULLE__MESH_INVERTED : TULLE__MESH_DEGENERATE;
            fault->element = before + first;
        }
        before += block->count;
    }
    return TULLE_OK;
}

tulle_status tulle__mesh_find_fault(tulle_ctx *ctx, const tulle_mesh *mesh,
                                    tulle__mesh_fault *fault) {
    tulle__mesh_rim rim;
    *fault = (tulle__mesh_fault){.kind = TULLE__MESH_GOOD};
    TULLE__TRY(find_flat(ctx, mesh, fault));
    if (fault->kind != TULLE__MESH_GOOD) return TULLE_OK;
    TULLE__TRY(tulle__mesh_rim_find(ctx, mesh, &rim, fault));
    if (fault->kind != TULLE__MESH_GOOD) return TULLE_OK;
    const tulle_status status = tulle__mesh_find_hanging(ctx, mesh, &rim, fault);
    tulle__mesh_rim_free(ctx, &rim);
    return status;
}

static long long named(const int64_t *names, int64_t number) {
    return (long long)(names ? names[number] : number);
}

/* Writes the corners of a facet of a cell as text, such as "1, 2, 3". */
static void list_corners(const tulle_mesh *mesh, const tulle__mesh_fault *fault,
                         const tulle__mesh_names *names, char *text, size_t room) {
    int32_t node[TULLE_MESH_MOST_NODES];
    const int64_t side = fault->element * TULLE_MESH_MOST_FACETS + fault->facet;
    const tulle__shape *shape = tulle__side_nodes(mesh, side, node);
    size_t used = 0;
    for (int c = 0; c < shape->info.corners && used < room; c++) {
        used += (size_t)snprintf(text + used, room - used, "%s%lld", c > 0 ? ", " : "",
                                 named(names->nodes, node[c]));
    }
}

void tulle__mesh_fault_words(const tulle_mesh *mesh, const tulle__mesh_fault *fault,
                             const tulle__mesh_names *names, char words[TULLE__MESH_FAULT_TEXT]) {
    int64_t element = fault->element;
    const char *shape =
        tulle__shape_of(mesh->blocks[tulle__block_of(mesh, 0, &element)].shape)->info.name;
    const size_t room = TULLE__MESH_FAULT_TEXT;
    const long long name = named(names->elements, fault->element);
    const long long other = named(names->elements, fault->other);
    char corners[96] = "";
    if (fault->kind == TULLE__MESH_THIRD || fault->kind == TULLE__MESH_HANGING) {
        list_corners(mesh, fault, names, corners, sizeof corners);
    }
    switch (fault->kind) {
        case TULLE__MESH_INVERTED:
            tulle__print(words, room,
                         "element %lld (%s) is turned over: its scaled Jacobian is %.3g", name,
                         shape, fault->scaled);
            break;
        case TULLE__MESH_DEGENERATE:
            tulle__print(words, room,
                         "element %lld (%s) is degenerate: its scaled Jacobian is %.3g", name,
                         shape, fault->scaled);
            break;
        case TULLE__MESH_REPEATED:
            snprintf(words, room, "element %lld (%s) has the same nodes as element %lld", name,
                     shape, other);
            break;
        case TULLE__MESH_THIRD:
            snprintf(words, room,
                     "element %lld (%s) is the third with the facet of nodes %s; element %lld is "
                     "the first",
                     name, shape, corners, other);
            break;
        case TULLE__MESH_HANGING:
            snprintf(words, room, "element %lld (%s): node %lld hangs on its facet of nodes %s",
                     name, shape, named(names->nodes, fault->node), corners);
            break;
        default:
            snprintf(words, room, "element %lld (%s) is no facet of a cell", name, shape);
    }
}

tulle_status tulle_mesh_check(tulle_ctx *ctx, const tulle_mesh *mesh) {
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    tulle__mesh_fault fault;
    char words[TULLE__MESH_FAULT_TEXT];
    TULLE__TRY(tulle__mesh_find_fault(ctx, mesh, &fault));
    if (fault.kind == TULLE__MESH_GOOD) return TULLE_OK;
    tulle__mesh_fault_words(mesh, &fault, &(tulle__mesh_names){.elements = NULL}, words);
    return tulle__fail(TULLE_INVALID_MESH, __func__, "mesh", fault.element, "%s", words);
}
