/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/local_patches.h"

/* Elements of a patch: as many as have some 2000 nodes where they fill space, and, where they
 * follow each other in a mesh that is numbered line by line, twice that. */
enum { CELLS = 2048, OTHERS = 4096 };
enum { PATCH_BYTES = 113 * 1024 }; /* of shared memory, at most: two blocks on a multiprocessor */
enum { MOST_UNKNOWNS = 1 << 30 };  /* that have a number beside the flags of patches */

/* On the host. */
typedef struct dividing {
    tulle_ctx *ctx;
    const tulle__fem_blocks *parts;
    int64_t rows;
    int32_t *list[TULLE_ELEMENT_BLOCKS]; /* of unknowns; `rows` for those left out */
    tulle__patching patching[TULLE_ELEMENT_BLOCKS];
    uint8_t *masked; /* rows + 1: the last one, which nobody writes */
    tulle__rest_making rest;
} dividing;

static void close_dividing(const dividing *d) {
    tulle__rest_making_close(&d->rest);
    tulle__host_free(d->ctx, d->masked);
    for (int b = d->parts->count - 1; b >= 0; b--) {
        tulle__host_free(d->ctx, d->patching[b].begins);
        tulle__host_free(d->ctx, d->patching[b].centres);
        tulle__host_free(d->ctx, d->list[b]);
    }
}

static bool fits(const tulle__fem_blocks *parts, int64_t rows) {
    bool fit = rows < MOST_UNKNOWNS;
    for (int b = 0; b < parts->count; b++) {
        const int points = parts->block[b].points;
        fit = fit && (points == 3 || points == 4 || points == 8) &&
              parts->block[b].count <= INT32_MAX;
    }
    return fit;
}

static bool has_twice(const int32_t *points, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (points[i] == points[j] && points[i] >= 0) return true;
        }
    }
    return false;
}

/* Brings a block's list; whether no element has an unknown twice. */
static tulle_status bring_list(dividing *d, int b, bool *single) {
    const tulle__fem_block *part = &d->parts->block[b];
    const size_t bytes = (size_t)(part->count * part->points) * sizeof(int32_t);
    int32_t *list = d->list[b] = tulle__host_alloc(d->ctx, bytes);
    if (!list) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(d->ctx, list, part->list, bytes));
    for (int64_t e = 0; e < part->count && *single; e++) {
        *single = !has_twice(list + e * part->points, part->points);
    }
    for (int64_t k = 0; k < part->count * part->points; k++) {
        if (list[k] < 0) list[k] = (int32_t)d->rows;
    }
    return TULLE_OK;
}

/* Where an element is says its number. */
static tulle_status divide(dividing *d, int b, int64_t size, tulle__patches *patches) {
    const tulle__fem_block *part = &d->parts->block[b];
    const int64_t group = tulle__patch_room(1, TULLE__PATCH_GROUP);
    tulle__patching *p = &d->patching[b];
    *p = (tulle__patching){.ctx = d->ctx,
                           .nodes = d->list[b],
                           .each = part->points,
                           .more = 1,
                           .count = part->count,
                           .size = {1, 1, 1},
                           .most_elements = part->points == 8 ? CELLS : OTHERS,
                           .most_nodes = PATCH_BYTES / size / group * TULLE__PATCH_GROUP};
    p->centres = tulle__host_alloc(d->ctx, (size_t)part->count * sizeof *p->centres);
    if (!p->centres) return TULLE_OUT_OF_MEMORY;
    for (int64_t e = 0; e < part->count; e++) {
        p->centres[e] = (tulle__centre){.at = {(float)e}, .element = (int32_t)e};
    }
    return tulle__patches_divide(p, d->rest.touched, patches);
}

static tulle_status fill(dividing *d, int b, int64_t first_slot, tulle__local_block *block,
                         int32_t **order) {
    const size_t bytes = (size_t)d->parts->block[b].count * sizeof **order;
    void *array = NULL;
    tulle__patches host = block->patches;
    block->patches = (tulle__patches){.count = 0};
    TULLE__TRY(tulle__patches_fill(&d->patching[b], d->rest.touched, d->masked, &host));
    tulle__rest_list_slots(&d->rest, &host, first_slot);
    tulle_status status = tulle__patches_bring(d->ctx, &host, &block->patches);
    if (status == TULLE_OK) status = tulle__alloc(d->ctx, bytes, &array);
    *order = array;
    if (status == TULLE_OK) status = tulle__copy_wait(d->ctx, array, host.order, bytes);
    tulle__patches_free(d->ctx, &host);
    return status;
}

static tulle_status divide_all(dividing *d, int64_t size, tulle__local_block *blocks) {
    d->masked = tulle__host_alloc(d->ctx, (size_t)d->rows + 1);
    if (!d->masked) return TULLE_OUT_OF_MEMORY;
    d->masked[d->rows] = 1;
    TULLE__TRY(tulle__rest_making_open(d->ctx, d->rows + 1, d->masked, &d->rest));
    for (int b = 0; b < d->parts->count; b++) {
        if (d->parts->block[b].count == 0) continue;
        TULLE__TRY(divide(d, b, size, &blocks[b].patches));
    }
    d->rest.nodes = d->rows;
    return tulle__rest_list(&d->rest);
}

static tulle_status patch_all(dividing *d, int64_t size, tulle__local_block *blocks,
                              int32_t *order[], tulle__rest *rest, bool *there) {
    bool single = true;
    for (int b = 0; b < d->parts->count && single; b++) {
        TULLE__TRY(bring_list(d, b, &single));
    }
    if (!single) return TULLE_OK;
    TULLE__TRY(divide_all(d, size, blocks));
    int64_t first_slot = 0;
    for (int b = 0; b < d->parts->count; b++) {
        if (d->parts->block[b].count == 0) continue;
        TULLE__TRY(fill(d, b, first_slot, &blocks[b], &order[b]));
        first_slot += blocks[b].patches.slots;
    }
    *there = true;
    return tulle__rest_bring(&d->rest, true, rest);
}

tulle_status tulle__local_patch(tulle_ctx *ctx, const tulle__fem_blocks *parts, int64_t rows,
                                int64_t size, tulle__local_block *blocks, int32_t *order[],
                                tulle__rest *rest, bool *there) {
    dividing d = {.ctx = ctx, .parts = parts, .rows = rows};
    *there = false;
    if (!fits(parts, rows)) return TULLE_OK;
    const tulle_status status = patch_all(&d, size, blocks, order, rest, there);
    close_dividing(&d);
    return status;
}
