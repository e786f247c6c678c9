/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patching.h"

#include "fem/colour.h"

/* Room for the work on one patch. Nodes have numbers in the order in which they are met, which a
 * table with open addresses keeps. */
typedef struct room {
    tulle_ctx *ctx;
    int32_t *key; /* of an address: its node plus one; 0: none */
    int32_t *value;
    uint32_t last;   /* address */
    int32_t count;   /* of nodes */
    uint32_t *where; /* numbers: their address */
    int32_t *node;   /* numbers: their node */
    int32_t *again;  /* numbers: which one they become */
    int32_t *points; /* places of elements: the numbers that are there */
} room;

static void close_room(room *r) {
    tulle__host_free(r->ctx, r->points);
    tulle__host_free(r->ctx, r->again);
    tulle__host_free(r->ctx, r->node);
    tulle__host_free(r->ctx, r->where);
    tulle__host_free(r->ctx, r->value);
    tulle__host_free(r->ctx, r->key);
}

static tulle_status open_room(tulle_ctx *ctx, int64_t places, room *r) {
    const size_t count = (size_t)places;
    size_t addresses = 2;
    while (addresses < 2 * count) addresses *= 2;
    *r = (room){.ctx = ctx, .last = (uint32_t)(addresses - 1)};
    r->key = tulle__host_alloc(ctx, addresses * sizeof *r->key);
    r->value = tulle__host_alloc(ctx, addresses * sizeof *r->value);
    r->where = tulle__host_alloc(ctx, count * sizeof *r->where);
    r->node = tulle__host_alloc(ctx, count * sizeof *r->node);
    r->again = tulle__host_alloc(ctx, count * sizeof *r->again);
    r->points = tulle__host_alloc(ctx, count * sizeof *r->points);
    if (r->key && r->value && r->where && r->node && r->again && r->points) return TULLE_OK;
    close_room(r);
    return TULLE_OUT_OF_MEMORY;
}

static int32_t number_of(room *r, int32_t node) {
    const uint32_t mixed = (uint32_t)node * UINT32_C(2654435769);
    uint32_t at = (mixed ^ mixed >> 15) & r->last;
    while (r->key[at] != 0 && r->key[at] != node + 1) at = (at + 1) & r->last;
    if (r->key[at] == 0) {
        r->key[at] = node + 1;
        r->value[at] = r->count;
        r->where[r->count] = at;
        r->node[r->count++] = node;
    }
    return r->value[at];
}

static void meet(const tulle__patching *p, int64_t first, int64_t end, room *r) {
    for (int32_t i = 0; i < r->count; i++) r->key[r->where[i]] = 0;
    r->count = 0;
    for (int64_t k = first; k < end; k++) {
        const int32_t *nodes = p->nodes + (int64_t)p->centres[k].element * p->each;
        for (int i = 0; i < p->each; i++) {
            r->points[(k - first) * p->each + i] = number_of(r, nodes[i]);
        }
    }
}

static int32_t rounded(int32_t nodes) {
    return (nodes + TULLE__PATCH_ROUND - 1) / TULLE__PATCH_ROUND * TULLE__PATCH_ROUND;
}

/* Elements of the largest patch. */
static int64_t largest(const tulle__patching *p, int64_t patches) {
    int64_t most = 0;
    for (int64_t k = 0; k < patches; k++) {
        const int64_t elements = p->begins[k + 1] - p->begins[k];
        if (elements > most) most = elements;
    }
    return most;
}

/* Patches of so many elements; whether none of them has more nodes than it may. */
static tulle_status divide(tulle__patching *p, tulle__patches *patches, room *r, bool *fits) {
    const int64_t count = tulle__bisect_patches(p->count, p->most_elements);
    *fits = true;
    patches->count = count;
    patches->nodes = patches->most = 0;
    tulle__host_free(p->ctx, p->begins);
    p->begins = tulle__host_alloc(p->ctx, (size_t)(count + 1) * sizeof *p->begins);
    if (!p->begins) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__bisect(p->ctx, p->count, p->centres, p->size, p->most_elements, p->begins));
    for (int64_t k = 0; k < count && *fits; k++) {
        meet(p, p->begins[k], p->begins[k + 1], r);
        patches->nodes += rounded(r->count);
        if (r->count > patches->most) patches->most = rounded(r->count);
        *fits = patches->most <= p->most_nodes || p->most_elements == 1;
    }
    return TULLE_OK;
}

static void touch(const tulle__patching *p, int64_t patches, int32_t *touched, room *r) {
    for (int64_t k = 0; k < patches; k++) {
        meet(p, p->begins[k], p->begins[k + 1], r);
        for (int32_t i = 0; i < r->count; i++) touched[r->node[i]]++;
    }
}

tulle_status tulle__patches_divide(tulle__patching *p, int32_t *touched, tulle__patches *patches) {
    room r;
    *patches = (tulle__patches){.each = p->each, .width = 1, .elements = p->count};
    while (patches->width < p->each) patches->width *= 2;
    if (p->most_elements > p->count) p->most_elements = p->count;
    if (p->most_elements > UINT16_MAX / p->each) p->most_elements = UINT16_MAX / p->each;
    TULLE__TRY(open_room(p->ctx, p->most_elements * p->each, &r));
    bool fits;
    tulle_status status = divide(p, patches, &r, &fits);
    while (status == TULLE_OK && !fits) {
        p->most_elements = (p->most_elements + 1) / 2;
        status = divide(p, patches, &r, &fits);
    }
    if (status == TULLE_OK) touch(p, patches->count, touched, &r);
    close_room(&r);
    return status;
}

/* What is being filled, patch by patch. */
typedef struct filling {
    const tulle__patching *p;
    const int32_t *touched;
    const uint8_t *masked;
    tulle__patches *patches;
    tulle__colours colours; /* of the patch's elements */
    room room;
} filling;

/* The numbers that nodes have in the end: the first nodes of all elements of the first colour, then
 * their second ones, and so on, and then what other colours have not met. Threads that have
 * neighbours of one colour so read neighbours, wherever elements of a colour lie in rows. */
static void number_nodes(filling *f) {
    const int each = f->p->each;
    room *r = &f->room;
    int32_t next = 0;
    for (int32_t i = 0; i < r->count; i++) r->again[i] = -1;
    for (int64_t c = 0; c < f->colours.count; c++) {
        for (int i = 0; i < each; i++) {
            for (int64_t k = f->colours.begins[c]; k < f->colours.begins[c + 1]; k++) {
                int32_t *again = &r->again[r->points[(int64_t)f->colours.order[k] * each + i]];
                if (*again < 0) *again = next++;
            }
        }
    }
}

static void list_nodes(const filling *f, tulle__patch *patch) {
    const room *r = &f->room;
    uint32_t *list = f->patches->list + patch->node;
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t node = r->node[i];
        uint32_t flags = f->touched[node] > 1 ? TULLE__PATCH_SHARED : 0;
        if (f->masked && f->masked[node]) flags = TULLE__PATCH_SHARED | TULLE__PATCH_MASKED;
        list[r->again[i]] = (uint32_t)node | flags;
    }
    for (int32_t i = r->count; i < patch->nodes; i++) list[i] = TULLE__PATCH_NONE;
    for (int32_t i = 0; i < r->count; i++) {
        if ((list[i] & ~TULLE__PATCH_NODE) != TULLE__PATCH_SHARED) continue;
        f->patches->surface[patch->slot + patch->slots++] = (uint16_t)i;
    }
}

static void list_elements(const filling *f, const tulle__patch *patch, int64_t first) {
    tulle__patches *all = f->patches;
    for (int32_t k = 0; k < patch->elements; k++) {
        const int64_t e = f->colours.order[k], to = patch->element + k;
        all->order[to] = f->p->centres[first + e].element;
        for (int i = 0; i < all->width; i++) {
            const int from = i < all->each ? i : 0;
            all->places[to * all->width + i] =
                (uint16_t)f->room.again[f->room.points[e * all->each + from]];
        }
    }
}

static void list_steps(const filling *f, tulle__patch *patch) {
    for (int64_t c = 0; c < f->colours.count; c++) {
        int64_t at = f->colours.begins[c];
        while (at < f->colours.begins[c + 1]) {
            at += TULLE__PATCH_STEP;
            if (at > f->colours.begins[c + 1]) at = f->colours.begins[c + 1];
            f->patches->step_ends[patch->step + patch->steps++] = (int32_t)at;
        }
    }
}

static tulle_status fill_patch(filling *f, int64_t k, tulle__patch *patch) {
    const int64_t first = f->p->begins[k], end = f->p->begins[k + 1];
    meet(f->p, first, end, &f->room);
    patch->elements = (int32_t)(end - first);
    patch->nodes = rounded(f->room.count);
    TULLE__TRY(tulle__colours_find(f->p->ctx, end - first, f->p->each, f->room.count,
                                   f->room.points, &f->colours));
    number_nodes(f);
    list_nodes(f, patch);
    list_elements(f, patch, first);
    list_steps(f, patch);
    tulle__colours_free(f->p->ctx, &f->colours);
    return TULLE_OK;
}

static tulle_status fill(filling *f) {
    tulle__patches *all = f->patches;
    tulle__patch next = {.node = 0};
    for (int64_t k = 0; k < all->count; k++) {
        all->patch[k] = next;
        TULLE__TRY(fill_patch(f, k, &all->patch[k]));
        next.node += all->patch[k].nodes;
        next.slot += all->patch[k].slots;
        next.element += all->patch[k].elements;
        next.step += all->patch[k].steps;
    }
    all->slots = next.slot;
    all->steps = next.step;
    return TULLE_OK;
}

static tulle_status open_arrays(tulle_ctx *ctx, tulle__patches *all) {
    all->patch = tulle__host_alloc(ctx, (size_t)all->count * sizeof *all->patch);
    all->list = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->list);
    all->surface = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->surface);
    all->places =
        tulle__host_alloc(ctx, (size_t)all->elements * (size_t)all->width * sizeof *all->places);
    all->step_ends = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->step_ends);
    all->order = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->order);
    const bool there = all->patch && all->list && all->surface && all->places && all->step_ends;
    return there && all->order ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__patches_fill(tulle__patching *p, const int32_t *touched, const uint8_t *masked,
                                 tulle__patches *patches) {
    filling f = {.p = p, .touched = touched, .masked = masked, .patches = patches};
    TULLE__TRY(open_room(p->ctx, largest(p, patches->count) * p->each, &f.room));
    tulle_status status = open_arrays(p->ctx, patches);
    if (status == TULLE_OK) status = fill(&f);
    close_room(&f.room);
    if (status != TULLE_OK) tulle__patches_free(p->ctx, patches);
    return status;
}

void tulle__patches_free(tulle_ctx *ctx, tulle__patches *patches) {
    tulle__host_free(ctx, patches->order);
    tulle__host_free(ctx, patches->step_ends);
    tulle__host_free(ctx, patches->places);
    tulle__host_free(ctx, patches->surface);
    tulle__host_free(ctx, patches->list);
    tulle__host_free(ctx, patches->patch);
    patches->order = patches->step_ends = NULL;
    patches->places = patches->surface = NULL;
    patches->list = NULL;
    patches->patch = NULL;
}
