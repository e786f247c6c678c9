/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/quadratic_patches.h"

/* Room for the work on one patch. */
typedef struct room {
    tulle_ctx *ctx;
    int32_t *number; /* of each node of the mesh: its number in the patch; -1: none */
    int32_t *node;   /* numbers: which node; TULLE__LATTICE_MOST, as are the next four */
    int32_t *gets;   /* numbers: products */
    int32_t *got;    /* numbers: products that are listed */
    int32_t *again;  /* numbers: which one they become */
    int32_t *points; /* places: the number that is there; number i of cell e at i * elements + e */
    int32_t count;   /* of nodes */
} room;

static void close_room(const room *r) {
    tulle__host_free(r->ctx, r->points);
    tulle__host_free(r->ctx, r->again);
    tulle__host_free(r->ctx, r->got);
    tulle__host_free(r->ctx, r->gets);
    tulle__host_free(r->ctx, r->node);
    tulle__host_free(r->ctx, r->number);
}

static tulle_status open_room(const tulle__lattice_patching *p, room *r) {
    const size_t bytes = TULLE__LATTICE_MOST * sizeof(int32_t);
    *r = (room){.ctx = p->ctx};
    r->number = tulle__host_alloc(p->ctx, (size_t)p->node_count * sizeof *r->number);
    r->node = tulle__host_alloc(p->ctx, bytes);
    r->gets = tulle__host_alloc(p->ctx, bytes);
    r->got = tulle__host_alloc(p->ctx, bytes);
    r->again = tulle__host_alloc(p->ctx, bytes);
    r->points = tulle__host_alloc(p->ctx, bytes);
    if (!r->number || !r->node || !r->gets || !r->got || !r->again || !r->points) {
        close_room(r);
        return TULLE_OUT_OF_MEMORY;
    }
    for (int64_t i = 0; i < p->node_count; i++) r->number[i] = -1;
    return TULLE_OK;
}

/* Nodes get numbers as they are met: the first ones of all cells, the second ones, and so on, so
 * that threads that have cells in a row meet numbers in a row. */
static void meet(const tulle__lattice_patching *p, int64_t k, room *r) {
    const int64_t first = p->begins[k], cells = p->begins[k + 1] - first;
    for (int32_t i = 0; i < r->count; i++) r->number[r->node[i]] = -1;
    r->count = 0;
    for (int64_t i = 0; i < TULLE__LATTICE; i++) {
        for (int64_t e = 0; e < cells; e++) {
            const int32_t cell = p->centres[first + e].element;
            const int32_t node = p->nodes[(int64_t)cell * TULLE__LATTICE + i];
            if (r->number[node] < 0) {
                r->gets[r->count] = 0;
                r->node[r->count] = node;
                r->number[node] = r->count++;
            }
            r->gets[r->number[node]]++;
            r->points[i * cells + e] = r->number[node];
        }
    }
}

static int64_t rounded(int64_t places) {
    return (places + TULLE__LATTICE_ROUND - 1) / TULLE__LATTICE_ROUND * TULLE__LATTICE_ROUND;
}

static int32_t most_products(const room *r) {
    int32_t most = 0;
    for (int32_t i = 0; i < r->count; i++) most = r->gets[i] > most ? r->gets[i] : most;
    return most;
}

static void count_patches(tulle__lattice_patching *p, int32_t *touched, room *r,
                          tulle__lattice_patches *patches) {
    for (int64_t k = 0; k < patches->count; k++) {
        meet(p, k, r);
        patches->nodes += r->count;
        patches->ranks += most_products(r);
        patches->places_count += rounded((p->begins[k + 1] - p->begins[k]) * TULLE__LATTICE);
        if (r->count > patches->most) patches->most = r->count;
        for (int32_t i = 0; i < r->count; i++) touched[r->node[i]]++;
    }
}

tulle_status tulle__lattice_patches_divide(tulle__lattice_patching *p, int32_t *touched,
                                           tulle__lattice_patches *patches) {
    room r;
    if (p->most > TULLE__LATTICE_CELLS) p->most = TULLE__LATTICE_CELLS;
    patches->count = tulle__bisect_patches(p->count, p->most);
    patches->elements = p->count;
    p->begins = tulle__host_alloc(p->ctx, (size_t)(patches->count + 1) * sizeof *p->begins);
    if (!p->begins) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__bisect(p->ctx, p->count, p->centres, p->size, p->most, p->begins));
    TULLE__TRY(open_room(p, &r));
    count_patches(p, touched, &r, patches);
    close_room(&r);
    return TULLE_OK;
}

/* What is being filled, patch by patch. */
typedef struct filling {
    const tulle__lattice_patching *p;
    const int32_t *touched;
    const uint8_t *masked;
    tulle__lattice_patches *patches;
    room room;
} filling;

/* Nodes with the most products first, and otherwise in the order of before. */
static void number_nodes(room *r, int32_t most) {
    int32_t next = 0;
    for (int32_t gets = most; gets > 0; gets--) {
        for (int32_t i = 0; i < r->count; i++) {
            if (r->gets[i] == gets) r->again[i] = next++;
        }
    }
}

static void list_nodes(const filling *f, tulle__lattice_patch *patch) {
    const room *r = &f->room;
    uint32_t *list = f->patches->list + patch->node;
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t node = r->node[i];
        uint32_t flags = f->touched[node] > 1 ? TULLE__PATCH_SHARED : 0;
        if (f->masked && f->masked[node]) flags = TULLE__PATCH_SHARED | TULLE__PATCH_MASKED;
        list[r->again[i]] = (uint32_t)node | flags;
    }
    for (int32_t i = 0; i < r->count; i++) {
        const bool has_slot = (list[i] & ~TULLE__PATCH_NODE) == TULLE__PATCH_SHARED;
        f->patches->slot_of[patch->node + i] = (uint16_t)(has_slot ? patch->slots++ : 0);
    }
}

/* Cells in their order; a node's k-th product is that of its k-th cell. */
static void list_places(const filling *f, const tulle__lattice_patch *patch, int64_t first) {
    tulle__lattice_patches *all = f->patches;
    const room *r = &f->room;
    int32_t *ends = all->rank_ends + patch->rank, end = 0;
    for (int32_t k = 0; k < patch->ranks; k++) {
        for (int32_t i = 0; i < r->count; i++) end += r->gets[i] > k;
        ends[k] = end;
    }
    for (int32_t i = 0; i < r->count; i++) r->got[i] = 0;
    for (int32_t e = 0; e < patch->elements; e++) {
        all->order[patch->element + e] = f->p->centres[first + e].element;
        for (int i = 0; i < TULLE__LATTICE; i++) {
            const int32_t at = i * patch->elements + e, point = r->points[at];
            const int32_t rank = r->got[point]++, begin = rank > 0 ? ends[rank - 1] : 0;
            all->places[patch->place + at] = (uint16_t)r->again[point];
            all->from[patch->place + begin + r->again[point]] = (uint16_t)at;
        }
    }
}

static void fill_patch(filling *f, int64_t k, tulle__lattice_patch *patch) {
    room *r = &f->room;
    meet(f->p, k, r);
    patch->elements = (int32_t)(f->p->begins[k + 1] - f->p->begins[k]);
    patch->nodes = r->count;
    patch->ranks = most_products(r);
    number_nodes(r, patch->ranks);
    list_nodes(f, patch);
    list_places(f, patch, f->p->begins[k]);
}

static void fill(filling *f) {
    tulle__lattice_patches *all = f->patches;
    tulle__lattice_patch next = {.node = 0};
    for (int64_t k = 0; k < all->count; k++) {
        all->patch[k] = next;
        fill_patch(f, k, &all->patch[k]);
        next.node += all->patch[k].nodes;
        next.slot += all->patch[k].slots;
        next.element += all->patch[k].elements;
        next.rank += all->patch[k].ranks;
        next.place += rounded((int64_t)all->patch[k].elements * TULLE__LATTICE);
    }
    all->slots = next.slot;
}

static tulle_status open_arrays(tulle_ctx *ctx, tulle__lattice_patches *all) {
    all->patch = tulle__host_alloc(ctx, (size_t)all->count * sizeof *all->patch);
    all->list = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->list);
    all->slot_of = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->slot_of);
    all->places = tulle__host_alloc(ctx, (size_t)all->places_count * sizeof *all->places);
    all->from = tulle__host_alloc(ctx, (size_t)all->places_count * sizeof *all->from);
    all->rank_ends = tulle__host_alloc(ctx, (size_t)all->ranks * sizeof *all->rank_ends);
    all->order = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->order);
    const bool there = all->patch && all->list && all->slot_of && all->places && all->from;
    return there && all->rank_ends && all->order ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__lattice_patches_fill(tulle__lattice_patching *p, const int32_t *touched,
                                         const uint8_t *masked, tulle__lattice_patches *patches) {
    filling f = {.p = p, .touched = touched, .masked = masked, .patches = patches};
    TULLE__TRY(open_room(p, &f.room));
    const tulle_status status = open_arrays(p->ctx, patches);
    if (status == TULLE_OK) {
        fill(&f);
    } else {
        tulle__lattice_patches_free(p->ctx, patches);
    }
    close_room(&f.room);
    return status;
}

void tulle__lattice_patches_free(tulle_ctx *ctx, tulle__lattice_patches *patches) {
    tulle__host_free(ctx, patches->order);
    tulle__host_free(ctx, patches->rank_ends);
    tulle__host_free(ctx, patches->from);
    tulle__host_free(ctx, patches->places);
    tulle__host_free(ctx, patches->slot_of);
    tulle__host_free(ctx, patches->list);
    tulle__host_free(ctx, patches->patch);
    patches->order = patches->rank_ends = NULL;
    patches->from = patches->places = patches->slot_of = NULL;
    patches->list = NULL;
    patches->patch = NULL;
}
