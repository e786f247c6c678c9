/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/patched.h"

#include "fem/arrays.h"
#include "fem/functions.h"

/* Elements of a patch. Matrices of 8 rows: a cube of 2048 hexahedra has some 2700 nodes, whose x
 * and sums are 43 KB of f64. Others are twice as many, since there are fewer nodes to an element.
 */
enum { ELEMENTS = 2048, SMALL_ELEMENTS = 4096 };
/* A GPU has three blocks on a multiprocessor, and two patches for each of these, or some of it
 * would wait for the last patches; but a patch has elements for two steps of a block. */
enum { PATCHES_OF_MULTIPROCESSOR = 6, FEWEST_ELEMENTS = 2 * TULLE__PATCH_STEP };
enum { PATCH_BYTES = 75 * 1024 }; /* bytes of shared memory; three blocks fit on a multiprocessor */
enum { MOST_NODES = 1 << 30 }; /* number of nodes whose numbers fit beside the flags of patches */

static int64_t elements_of_patch(const tulle_ctx *ctx, const tulle__patching *p) {
    const int64_t most = p->each == 8 ? ELEMENTS : SMALL_ELEMENTS;
    const int64_t patches = (int64_t)ctx->info.multiprocessors * PATCHES_OF_MULTIPROCESSOR;
    const int64_t share = patches > 0 ? (p->count + patches - 1) / patches : most;
    if (share < FEWEST_ELEMENTS) return FEWEST_ELEMENTS;
    return share < most ? share : most;
}

static void limit(const tulle__patched_making *m, tulle__patched_block *b) {
    tulle__patching *p = &b->patching;
    const int64_t size = tulle_type_size(m->type);
    p->more = 1;
    p->round = TULLE__PATCH_ROUND;
    p->most_elements = m->patch > 0 ? m->patch : elements_of_patch(m->ctx, p);
    p->most_nodes =
        PATCH_BYTES / size / tulle__patch_room(1, TULLE__PATCH_GROUP) * TULLE__PATCH_GROUP;
}

static tulle_status fill(const tulle__patched_making *m, tulle__patched_block *b) {
    tulle__patches host;
    void *order = NULL;
    tulle_status status = tulle__steps_fill(&b->patching, &m->rest, &host);
    if (status == TULLE_OK) {
        tulle__steps_list_slots(&host, b->first_slot, &m->rest);
        status = tulle__steps_bring(m->ctx, &host, &b->patches);
    }
    if (status == TULLE_OK) {
        status = tulle__array_copy(m->ctx, host.order, host.elements, sizeof *host.order, &order);
    }
    b->order = order;
    b->slots = host.slots;
    tulle__steps_free(m->ctx, &host);
    return status;
}

static tulle_status multiply(const tulle__patched *own, const tulle__patched_block *b,
                             tulle_type type, const tulle__column *a) {
    const tulle__local_patches_job job = {.type = type,
                                          .stored = b->stored,
                                          .packed = b->packed,
                                          .transposed = a->op == TULLE_T,
                                          .patches = b->patches,
                                          .vectors = tulle__patched_vectors(own, b, type, a),
                                          .numbers = b->matrices,
                                          .room = own->room};
    return a->ctx->backend->fem->apply_local_patches(&a->ctx->place, &job);
}

static int64_t room(const tulle__patched_block *b) {
    return tulle__patch_room(b->patching.more, b->patching.largest);
}

static void close_block(tulle_ctx *ctx, const tulle__patched_block *b) {
    tulle__free(ctx, b->order);
    tulle__steps_release(ctx, &b->patches);
}

static const tulle__patch_kind kind = {
    .limit = limit, .fill = fill, .multiply = multiply, .room = room, .close = close_block};

/* Lists of nodes on the host. Places of elements that are left out are nodes of their own behind
 * the others, as they would be masked: no two elements share one, which would keep them from the
 * same step. */
typedef struct lists {
    const tulle__fem_blocks *parts;
    int64_t unknowns;
    int64_t nodes; /* unknowns, and these */
    int32_t *of[TULLE_ELEMENT_BLOCKS];
    uint8_t *masked; /* nodes */
} lists;

static void close_lists(tulle_ctx *ctx, const lists *l) {
    tulle__host_free(ctx, l->masked);
    for (int b = l->parts->count - 1; b >= 0; b--) tulle__host_free(ctx, l->of[b]);
}

static bool has_twice(const int32_t *points, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (points[i] == points[j] && points[i] >= 0) return true;
        }
    }
    return false;
}

/* Brings a block's list; *can becomes true when its elements can be in patches. */
static tulle_status bring_list(tulle_ctx *ctx, lists *l, int b, bool *can) {
    const tulle__fem_block *part = &l->parts->block[b];
    const int64_t count = tulle__places_of_block(part);
    const size_t bytes = (size_t)count * sizeof(int32_t);
    const int rows = part->points;
    *can = part->count == 0 || ((rows == 3 || rows == 4 || rows == 8) && part->count <= INT32_MAX);
    if (!*can) return TULLE_OK;
    int32_t *list = l->of[b] = tulle__host_alloc(ctx, bytes);
    if (!list) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(ctx, list, part->list, bytes));
    for (int64_t e = 0; e < part->count && *can; e++) *can = !has_twice(list + e * rows, rows);
    for (int64_t k = 0; k < count && *can; k++) {
        if (list[k] < 0) list[k] = (int32_t)l->nodes++;
        *can = l->nodes < MOST_NODES;
    }
    return TULLE_OK;
}

static tulle_status open_rest(tulle__patched_making *m, lists *l) {
    l->masked = tulle__host_alloc(m->ctx, (size_t)l->nodes);
    if (!l->masked) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = l->unknowns; i < l->nodes; i++) l->masked[i] = 1;
    const tulle__mesh_rows rows = {.count = l->nodes, .masked = l->masked};
    return tulle__rest_making_open(m->ctx, l->nodes, &rows, NULL, &m->rest);
}

static tulle_status open_blocks(tulle__patched_making *m, const lists *l) {
    tulle__patched *own = m->own;
    own->block = tulle__host_alloc(m->ctx, (size_t)l->parts->count * sizeof *own->block);
    if (!own->block) return TULLE_OUT_OF_MEMORY;
    for (; own->blocks < l->parts->count;) {
        const tulle__fem_block *part = &l->parts->block[own->blocks];
        tulle__patching p = {.ctx = m->ctx,
                             .nodes = l->of[own->blocks],
                             .node_count = l->nodes,
                             .each = part->points,
                             .count = part->count};
        p.centres = tulle__host_alloc(m->ctx, (size_t)part->count * sizeof *p.centres);
        own->block[own->blocks++] = (tulle__patched_block){.kind = &kind, .patching = p};
        if (!p.centres) return TULLE_OUT_OF_MEMORY;
    }
    return TULLE_OK;
}

static tulle_status open_all(tulle__patched_making *m, lists *l, bool *can) {
    *can = l->nodes < MOST_NODES;
    for (int b = 0; b < l->parts->count && *can; b++) TULLE__TRY(bring_list(m->ctx, l, b, can));
    if (!*can) return TULLE_OK;
    TULLE__TRY(open_rest(m, l));
    TULLE__TRY(open_blocks(m, l));
    TULLE__TRY(tulle__patched_divide(m));
    m->rest.row_count = l->unknowns; /* places that are left out come to no row */
    return tulle__patched_finish(m);
}

tulle_status tulle__local_patches_open(tulle_ctx *ctx, const tulle_assembly *places,
                                       tulle_type type, int64_t most, tulle__patched *own,
                                       bool *there) {
    const tulle__mesh_extras none = {.kept = {.blocks = 0}};
    lists l = {.parts = &places->parts, .unknowns = places->points, .nodes = places->points};
    tulle__patched_making m = {
        .ctx = ctx, .type = type, .own = own, .extras = &none, .patch = most, .rest = {.ctx = ctx}};
    const tulle_status status = open_all(&m, &l, there);
    tulle__rest_making_close(&m.rest);
    close_lists(ctx, &l);
    return status;
}
