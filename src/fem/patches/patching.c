/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/patching.h"

#include <omp.h>
#include <string.h>

#include "fem/assembly/colour.h"
#include "fem/patches/grow.h"
#include "mesh/mesh.h"

/* A thread's room for the work on one patch. Nodes have numbers in the order in which they are met,
 * which a table with open addresses keeps. */
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
    tulle__colour_room colouring;
    tulle__colours colours; /* of the patch's elements */
} room;

static void close_room(room *r) {
    tulle__host_free(r->ctx, r->colours.begins);
    tulle__host_free(r->ctx, r->colours.order);
    tulle__host_free(r->ctx, r->colouring.colour);
    tulle__host_free(r->ctx, r->colouring.taken);
    tulle__host_free(r->ctx, r->points);
    tulle__host_free(r->ctx, r->again);
    tulle__host_free(r->ctx, r->node);
    tulle__host_free(r->ctx, r->where);
    tulle__host_free(r->ctx, r->value);
    tulle__host_free(r->ctx, r->key);
}

/* Elements with so many nodes each. */
static tulle_status open_room(tulle_ctx *ctx, int64_t elements, int each, room *r) {
    const size_t count = (size_t)(elements * each);
    size_t addresses = 2;
    while (addresses < 2 * count) addresses *= 2;
    *r = (room){.ctx = ctx, .last = (uint32_t)(addresses - 1)};
    r->key = tulle__host_alloc(ctx, addresses * sizeof *r->key);
    r->value = tulle__host_alloc(ctx, addresses * sizeof *r->value);
    r->where = tulle__host_alloc(ctx, count * sizeof *r->where);
    r->node = tulle__host_alloc(ctx, count * sizeof *r->node);
    r->again = tulle__host_alloc(ctx, count * sizeof *r->again);
    r->points = tulle__host_alloc(ctx, count * sizeof *r->points);
    return r->key && r->value && r->where && r->node && r->again && r->points ? TULLE_OK
                                                                              : TULLE_OUT_OF_MEMORY;
}

static tulle_status open_colours(tulle_ctx *ctx, int64_t elements, int each, room *r) {
    const size_t count = (size_t)elements;
    tulle__colours *c = &r->colours;
    r->colouring.taken = tulle__host_alloc(ctx, count * (size_t)each * sizeof *r->colouring.taken);
    r->colouring.colour = tulle__host_alloc(ctx, count * sizeof *r->colouring.colour);
    c->order = tulle__host_alloc(ctx, count * sizeof *c->order);
    c->begins = tulle__host_alloc(ctx, (count + 2) * sizeof *c->begins);
    const bool there = r->colouring.taken && r->colouring.colour && c->order && c->begins;
    return there ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* One for each thread. */
typedef struct rooms {
    int threads;
    room *of;
} rooms;

static void close_rooms(tulle_ctx *ctx, rooms *all) {
    for (int t = 0; all->of && t < all->threads; t++) {
        if (all->of[t].ctx) close_room(&all->of[t]);
    }
    tulle__host_free(ctx, all->of);
}

static tulle_status open_rooms(const tulle__patching *p, int64_t elements, bool colours,
                               rooms *all) {
    tulle_status status = TULLE_OK;
    all->threads = tulle__mesh_threads(p->ctx, p->count);
    all->of = tulle__host_alloc(p->ctx, (size_t)all->threads * sizeof *all->of);
    if (!all->of) return TULLE_OUT_OF_MEMORY;
    for (int t = 0; t < all->threads && status == TULLE_OK; t++) {
        status = open_room(p->ctx, elements, p->each, &all->of[t]);
        if (status == TULLE_OK && colours) {
            status = open_colours(p->ctx, elements, p->each, &all->of[t]);
        }
    }
    if (status != TULLE_OK) close_rooms(p->ctx, all);
    return status;
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

static tulle_status find_patches(const tulle__patching *p) {
    if (p->node_count == 0) {
        return tulle__bisect(p->ctx, p->count, p->centres, p->size, p->most_elements, p->begins);
    }
    return tulle__grow(p->ctx, p->count, p->centres, p->each, p->nodes, p->node_count,
                       p->most_elements, p->begins);
}

/* Patches of so many elements; whether none of them has more nodes than it may. */
static tulle_status divide(tulle__patching *p, tulle__patches *patches, const rooms *all,
                           bool *fits) {
    const int64_t count = tulle__bisect_patches(p->count, p->most_elements);
    int64_t nodes = 0;
    int32_t most = 0;
    patches->count = count;
    tulle__host_free(p->ctx, p->begins);
    p->begins = tulle__host_alloc(p->ctx, (size_t)(count + 1) * sizeof *p->begins);
    if (!p->begins) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(find_patches(p));
#pragma omp parallel for schedule(dynamic) reduction(+ : nodes) reduction(max : most) \
    num_threads(all->threads)
    for (int64_t k = 0; k < count; k++) {
        room *r = &all->of[omp_get_thread_num()];
        meet(p, p->begins[k], p->begins[k + 1], r);
        nodes += rounded(r->count);
        if (rounded(r->count) > most) most = rounded(r->count);
    }
    patches->nodes = nodes;
    patches->most = most;
    *fits = most <= p->most_nodes || p->most_elements == 1;
    return TULLE_OK;
}

static void touch(const tulle__patching *p, int64_t patches, int32_t *touched, const rooms *all) {
#pragma omp parallel for schedule(dynamic) num_threads(all->threads)
    for (int64_t k = 0; k < patches; k++) {
        room *r = &all->of[omp_get_thread_num()];
        meet(p, p->begins[k], p->begins[k + 1], r);
        for (int32_t i = 0; i < r->count; i++) {
#pragma omp atomic
            touched[r->node[i]]++;
        }
    }
}

tulle_status tulle__patches_divide(tulle__patching *p, int32_t *touched, tulle__patches *patches) {
    rooms all;
    *patches = (tulle__patches){.each = p->each, .width = 1, .more = p->more, .elements = p->count};
    while (patches->width < p->each) patches->width *= 2;
    if (p->most_elements > p->count) p->most_elements = p->count;
    if (p->most_elements > UINT16_MAX / p->each) p->most_elements = UINT16_MAX / p->each;
    TULLE__TRY(open_rooms(p, p->most_elements, false, &all));
    bool fits = true;
    tulle_status status = divide(p, patches, &all, &fits);
    while (status == TULLE_OK && !fits) {
        p->most_elements = (p->most_elements + 1) / 2;
        status = divide(p, patches, &all, &fits);
    }
    if (status == TULLE_OK) touch(p, patches->count, touched, &all);
    close_rooms(p->ctx, &all);
    return status;
}

/* What is being filled, patch by patch. */
typedef struct filling {
    const tulle__patching *p;
    const int32_t *touched;
    const uint8_t *masked;
    tulle__patches *patches;
} filling;

/* The numbers that nodes have in the end: the first nodes of all elements of the first colour, then
 * their second ones, and so on, and then what other colours have not met. Threads that have
 * neighbours of one colour so read neighbours, wherever elements of a colour lie in rows. */
static void number_nodes(const filling *f, room *r) {
    const int each = f->p->each;
    int32_t next = 0;
    for (int32_t i = 0; i < r->count; i++) r->again[i] = -1;
    for (int64_t c = 0; c < r->colours.count; c++) {
        for (int i = 0; i < each; i++) {
            for (int64_t k = r->colours.begins[c]; k < r->colours.begins[c + 1]; k++) {
                int32_t *again = &r->again[r->points[(int64_t)r->colours.order[k] * each + i]];
                if (*again < 0) *again = next++;
            }
        }
    }
}

static void list_nodes(const filling *f, const room *r, tulle__patch *patch) {
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

static void list_elements(const filling *f, const room *r, const tulle__patch *patch,
                          int64_t first) {
    tulle__patches *all = f->patches;
    for (int32_t k = 0; k < patch->elements; k++) {
        const int64_t e = r->colours.order[k], to = patch->element + k;
        all->order[to] = f->p->centres[first + e].element;
        for (int i = 0; i < all->width; i++) {
            const int from = i < all->each ? i : 0;
            const int32_t node = r->again[r->points[e * all->each + from]];
            all->places[to * all->width + i] = (uint16_t)tulle__patch_place(all->more, node);
        }
    }
}

static void list_steps(const filling *f, const room *r, tulle__patch *patch) {
    for (int64_t c = 0; c < r->colours.count; c++) {
        int64_t at = r->colours.begins[c];
        while (at < r->colours.begins[c + 1]) {
            at += TULLE__PATCH_STEP;
            if (at > r->colours.begins[c + 1]) at = r->colours.begins[c + 1];
            f->patches->step_ends[patch->step + patch->steps++] = (int32_t)at;
        }
    }
}

/* Slots and steps stand where they have room for certain: as if all nodes had a slot, and all
 * elements a step. */
static void fill_patch(const filling *f, int64_t k, room *r) {
    const int64_t first = f->p->begins[k], end = f->p->begins[k + 1];
    tulle__patch *patch = &f->patches->patch[k];
    meet(f->p, first, end, r);
    patch->slot = patch->node;
    patch->step = patch->element;
    tulle__colours_fill(end - first, f->p->each, r->count, r->points, &r->colouring, &r->colours);
    number_nodes(f, r);
    list_nodes(f, r, patch);
    list_elements(f, r, patch, first);
    list_steps(f, r, patch);
}

/* Where nodes and elements of patches begin. */
static void place(const filling *f, const rooms *all) {
    tulle__patches *to = f->patches;
    int64_t node = 0;
#pragma omp parallel for schedule(dynamic) num_threads(all->threads)
    for (int64_t k = 0; k < to->count; k++) {
        room *r = &all->of[omp_get_thread_num()];
        const int64_t first = f->p->begins[k], end = f->p->begins[k + 1];
        meet(f->p, first, end, r);
        to->patch[k] = (tulle__patch){
            .element = first, .elements = (int32_t)(end - first), .nodes = rounded(r->count)};
    }
    for (int64_t k = 0; k < to->count; k++) {
        to->patch[k].node = node;
        node += to->patch[k].nodes;
    }
}

/* Slots and steps of all patches behind each other. */
static void close_up(tulle__patches *all) {
    all->slots = all->steps = 0;
    for (int64_t k = 0; k < all->count; k++) {
        tulle__patch *patch = &all->patch[k];
        memmove(all->surface + all->slots, all->surface + patch->slot,
                (size_t)patch->slots * sizeof *all->surface);
        memmove(all->step_ends + all->steps, all->step_ends + patch->step,
                (size_t)patch->steps * sizeof *all->step_ends);
        patch->slot = all->slots;
        patch->step = all->steps;
        all->slots += patch->slots;
        all->steps += patch->steps;
    }
}

static void fill(const filling *f, const rooms *all) {
    place(f, all);
#pragma omp parallel for schedule(dynamic) num_threads(all->threads)
    for (int64_t k = 0; k < f->patches->count; k++) {
        fill_patch(f, k, &all->of[omp_get_thread_num()]);
    }
    close_up(f->patches);
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
    const filling f = {.p = p, .touched = touched, .masked = masked, .patches = patches};
    rooms all;
    TULLE__TRY(open_rooms(p, largest(p, patches->count), true, &all));
    const tulle_status status = open_arrays(p->ctx, patches);
    if (status == TULLE_OK) fill(&f, &all);
    close_rooms(p->ctx, &all);
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

static tulle_status bring(tulle_ctx *ctx, const void *host, int64_t count, int64_t size,
                          void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, array));
    return tulle__copy_wait(ctx, *array, host, bytes);
}

tulle_status tulle__patches_bring(tulle_ctx *ctx, const tulle__patches *host, tulle__patches *to) {
    void *array = NULL;
    *to = *host;
    to->patch = NULL;
    to->list = NULL;
    to->surface = to->places = NULL;
    to->step_ends = to->order = NULL;
    TULLE__TRY(bring(ctx, host->patch, host->count, sizeof *host->patch, &array));
    to->patch = array;
    TULLE__TRY(bring(ctx, host->list, host->nodes, sizeof *host->list, &array));
    to->list = array;
    TULLE__TRY(bring(ctx, host->surface, host->slots, sizeof *host->surface, &array));
    to->surface = array;
    TULLE__TRY(
        bring(ctx, host->places, host->elements * host->width, sizeof *host->places, &array));
    to->places = array;
    TULLE__TRY(bring(ctx, host->step_ends, host->steps, sizeof *host->step_ends, &array));
    to->step_ends = array;
    return TULLE_OK;
}

void tulle__patches_release(tulle_ctx *ctx, const tulle__patches *patches) {
    tulle__free(ctx, patches->step_ends);
    tulle__free(ctx, patches->places);
    tulle__free(ctx, patches->surface);
    tulle__free(ctx, patches->list);
    tulle__free(ctx, patches->patch);
}
