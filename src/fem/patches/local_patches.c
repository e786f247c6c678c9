/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/local_patches.h"

#include "fem/functions.h"

/* Elements of a patch. Matrices of 8 rows: a cube of 2048 hexahedra has some 2700 nodes, whose x
 * and sums are 43 KB of f64. Others are twice as many, since there are fewer nodes to an element.
 */
enum { ELEMENTS = 2048, SMALL_ELEMENTS = 4096 };
/* A GPU has three blocks on a multiprocessor, and two patches for each of these, or some of it
 * would wait for the last patches; but a patch has elements for two steps of a block. */
enum { PATCHES_OF_MULTIPROCESSOR = 6, FEWEST_ELEMENTS = 2 * TULLE__PATCH_STEP };
enum { PATCH_BYTES = 75 * 1024 }; /* of shared memory, at most: three blocks on a multiprocessor */
enum { MOST_NODES = 1 << 30 };    /* that have a number beside the flags of patches */

/* On the host. Places of elements that are left out are nodes of their own behind the others, as
 * they would be masked: no two elements share one, which would keep them from the same step. */
typedef struct dividing {
    tulle_ctx *ctx;
    const tulle_assembly *places;
    int64_t nodes; /* unknowns, and these */
    int32_t *list[TULLE_ELEMENT_BLOCKS];
    tulle__patching patching[TULLE_ELEMENT_BLOCKS];
    uint8_t *masked; /* nodes */
    tulle__rest_making rest;
} dividing;

static void close_dividing(const dividing *d) {
    tulle__rest_making_close(&d->rest);
    tulle__host_free(d->ctx, d->masked);
    for (int b = d->places->parts.count - 1; b >= 0; b--) {
        tulle__host_free(d->ctx, d->patching[b].begins);
        tulle__host_free(d->ctx, d->patching[b].centres);
        tulle__host_free(d->ctx, d->list[b]);
    }
}

static bool has_twice(const int32_t *points, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (points[i] == points[j] && points[i] >= 0) return true;
        }
    }
    return false;
}

/* Brings a block's list; whether its elements can be in patches. */
static tulle_status bring_list(dividing *d, int b, bool *can) {
    const tulle__fem_block *part = &d->places->parts.block[b];
    const int64_t count = tulle__places_of_block(part);
    const size_t bytes = (size_t)count * sizeof(int32_t);
    const int rows = part->points;
    *can = part->count == 0 || ((rows == 3 || rows == 4 || rows == 8) && part->count <= INT32_MAX);
    if (!*can) return TULLE_OK;
    int32_t *list = d->list[b] = tulle__host_alloc(d->ctx, bytes);
    if (!list) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(d->ctx, list, part->list, bytes));
    for (int64_t e = 0; e < part->count && *can; e++) {
        *can = !has_twice(list + e * part->points, part->points);
    }
    for (int64_t k = 0; k < count && *can; k++) {
        if (list[k] < 0) list[k] = (int32_t)d->nodes++;
        *can = d->nodes < MOST_NODES;
    }
    return TULLE_OK;
}

static tulle_status bring_lists(dividing *d, bool *can) {
    *can = d->nodes < MOST_NODES;
    for (int b = 0; b < d->places->parts.count && *can; b++) TULLE__TRY(bring_list(d, b, can));
    return TULLE_OK;
}

static tulle_status open_rest(dividing *d) {
    const int64_t unknowns = d->places->points;
    d->masked = tulle__host_alloc(d->ctx, (size_t)d->nodes);
    if (!d->masked) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = unknowns; i < d->nodes; i++) d->masked[i] = 1;
    const tulle__mesh_rows rows = {.count = d->nodes, .masked = d->masked};
    return tulle__rest_making_open(d->ctx, d->nodes, &rows, NULL, &d->rest);
}

static int64_t elements_of_patch(const tulle_ctx *ctx, const tulle__fem_block *part) {
    const int64_t most = part->points == 8 ? ELEMENTS : SMALL_ELEMENTS;
    const int64_t patches = (int64_t)ctx->info.multiprocessors * PATCHES_OF_MULTIPROCESSOR;
    const int64_t share = patches > 0 ? (part->count + patches - 1) / patches : most;
    if (share < FEWEST_ELEMENTS) return FEWEST_ELEMENTS;
    return share < most ? share : most;
}

static tulle_status divide(dividing *d, int b, int64_t size, int64_t most,
                           tulle__patches *patches) {
    const tulle__fem_block *part = &d->places->parts.block[b];
    const int64_t group = tulle__patch_room(1, TULLE__PATCH_GROUP);
    tulle__patching *p = &d->patching[b];
    *p = (tulle__patching){.ctx = d->ctx,
                           .nodes = d->list[b],
                           .node_count = d->nodes,
                           .each = part->points,
                           .more = 1,
                           .count = part->count,
                           .most_elements = most > 0 ? most : elements_of_patch(d->ctx, part),
                           .most_nodes = PATCH_BYTES / size / group * TULLE__PATCH_GROUP};
    p->centres = tulle__host_alloc(d->ctx, (size_t)part->count * sizeof *p->centres);
    if (!p->centres) return TULLE_OUT_OF_MEMORY;
    return tulle__patches_divide(p, d->rest.touched, patches);
}

static tulle_status fill(dividing *d, int b, int64_t first_slot, tulle__local_patches *p) {
    const size_t bytes = (size_t)d->places->parts.block[b].count * sizeof(int32_t);
    void *array = NULL;
    tulle__patches host = p->of[b];
    p->of[b] = (tulle__patches){.count = 0};
    TULLE__TRY(tulle__patches_fill(&d->patching[b], d->rest.touched, d->rest.masked, &host));
    tulle__rest_list_slots(&d->rest, &host, first_slot);
    tulle_status status = tulle__patches_bring(d->ctx, &host, &p->of[b]);
    if (status == TULLE_OK) status = tulle__alloc(d->ctx, bytes, &array);
    p->order[b] = array;
    if (status == TULLE_OK) status = tulle__copy_wait(d->ctx, array, host.order, bytes);
    tulle__patches_free(d->ctx, &host);
    return status;
}

/* Numbers that the largest patch is worked on in. */
static int64_t largest_room(const tulle__local_patches *p) {
    int64_t most = 0;
    for (int b = 0; b < TULLE_ELEMENT_BLOCKS; b++) {
        const int64_t room = tulle__patch_room(p->of[b].more, p->of[b].most);
        if (room > most) most = room;
    }
    return most;
}

static tulle_status open_room(tulle_ctx *ctx, int64_t slots, int64_t size,
                              tulle__local_patches *p) {
    size_t bytes;
    TULLE__TRY(tulle__size(slots, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &p->slots));
    if (ctx->kind != TULLE_CPU) return TULLE_OK;
    TULLE__TRY(tulle__size(largest_room(p) * ctx->place.threads, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, &p->room);
}

static tulle_status open_all(dividing *d, int64_t size, int64_t most, tulle__local_patches *p) {
    const tulle__fem_blocks *parts = &d->places->parts;
    bool can;
    int64_t slots = 0;
    TULLE__TRY(bring_lists(d, &can));
    if (!can) return TULLE_OK;
    TULLE__TRY(open_rest(d));
    for (int b = 0; b < parts->count; b++) {
        if (parts->block[b].count > 0) TULLE__TRY(divide(d, b, size, most, &p->of[b]));
    }
    d->rest.row_count = d->places->points; /* what is left out comes to no row */
    TULLE__TRY(tulle__rest_list(&d->rest));
    for (int b = 0; b < parts->count; b++) {
        if (parts->block[b].count == 0) continue;
        p->first_slot[b] = slots;
        TULLE__TRY(fill(d, b, slots, p));
        slots += p->of[b].slots;
    }
    TULLE__TRY(tulle__rest_bring(&d->rest, true, &p->rest));
    TULLE__TRY(open_room(d->ctx, slots, size, p));
    p->there = true;
    return TULLE_OK;
}

tulle_status tulle__local_patches_open(tulle_ctx *ctx, const tulle_assembly *places,
                                       tulle_type type, int64_t most, tulle__local_patches *p) {
    dividing d = {.ctx = ctx, .places = places, .nodes = places->points};
    const tulle_status status = open_all(&d, tulle_type_size(type), most, p);
    close_dividing(&d);
    return status;
}

void tulle__local_patches_close(tulle_ctx *ctx, const tulle__local_patches *p) {
    tulle__free(ctx, p->room);
    tulle__free(ctx, p->slots);
    tulle__rest_close(ctx, &p->rest);
    for (int b = TULLE_ELEMENT_BLOCKS - 1; b >= 0; b--) {
        tulle__free(ctx, p->order[b]);
        tulle__patches_release(ctx, &p->of[b]);
    }
}

void tulle__local_patches_combine(const tulle__local_patches *p, tulle__combine_job *job) {
    job->count = p->rest.count;
    job->rows = p->rest.rows;
    job->wide = false;
    job->ends = p->rest.ends;
    job->from = p->rest.from;
    job->products = p->slots;
}

tulle_status tulle__local_patches_multiply(const tulle__local_patches *p, int b, tulle_type type,
                                           tulle_type stored, bool packed, const void *numbers,
                                           const tulle__column *c) {
    const tulle__local_patches_job job = {
        .type = type,
        .stored = stored,
        .packed = packed,
        .transposed = c->op == TULLE_T,
        .patches = p->of[b],
        .vectors = {.diagonal = c->diagonal,
                    .slots = (char *)p->slots + p->first_slot[b] * tulle_type_size(type),
                    .alpha = c->alpha,
                    .beta = c->beta,
                    .x = c->x,
                    .y = c->y,
                    .x_step = c->x_step,
                    .y_step = c->y_step},
        .numbers = numbers,
        .room = p->room};
    return c->ctx->backend->fem->apply_local_patches(&c->ctx->place, &job);
}
