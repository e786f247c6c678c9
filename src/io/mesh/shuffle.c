/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/generator.h"
#include "io/rows_common.h"
#include "mesh/permute.h"

/* streams of random numbers, for nodes and for elements */
enum { OF_NODES = 0x7368, OF_ELEMENTS = 0x7369 };

/* Stores the indices first to first + count - 1 in random order (Fisher and Yates; the bias of the
 * remainder is below 2^-32). */
static tulle_status draw(const tulle__mesh_request *r, uint64_t stream, int64_t first,
                         int64_t count, int64_t *order) {
    for (int64_t i = 0; i < count; i++) order[first + i] = first + i;
    for (int64_t i = count - 1; i > 0; i--) {
        TULLE__TRY(tulle__ask(r->ctx, "shuffling", count - 1 - i, count));
        const uint64_t bits = tulle__bits(r->seed, (uint64_t)(first + i), stream);
        const int64_t j = (int64_t)(bits % (uint64_t)(i + 1)), other = order[first + i];
        order[first + i] = order[first + j];
        order[first + j] = other;
    }
    return TULLE_OK;
}

tulle_status tulle__mesh_shuffle(const tulle__mesh_request *r, tulle_mesh **mesh) {
    const tulle_mesh_info *info = &(*mesh)->info;
    void *nodes, *elements = NULL;
    tulle_mesh *shuffled = NULL;
    tulle_status status = tulle__mesh_array(r->ctx, info->nodes, sizeof(int64_t), &nodes);
    if (status == TULLE_OK) {
        status = tulle__mesh_array(r->ctx, info->cells + info->facets, sizeof(int64_t), &elements);
    }
    if (status == TULLE_OK) status = draw(r, OF_NODES, 0, info->nodes, nodes);
    if (status == TULLE_OK) status = draw(r, OF_ELEMENTS, 0, info->cells, elements);
    if (status == TULLE_OK) status = draw(r, OF_ELEMENTS, info->cells, info->facets, elements);
    if (status == TULLE_OK) status = tulle__mesh_permute(r->ctx, *mesh, nodes, elements, &shuffled);
    tulle__host_free(r->ctx, nodes);
    tulle__host_free(r->ctx, elements);
    if (status != TULLE_OK) return status;
    tulle_mesh_destroy(*mesh);
    *mesh = shuffled;
    return TULLE_OK;
}
