/* SPDX-License-Identifier: Apache-2.0 */
/* Patches whose elements are in steps (patches.h). */
#include <omp.h>
#include <string.h>

#include "fem/arrays.h"
#include "fem/assembly/colour.h"
#include "fem/patches/patching.h"

/* The colours of a patch's elements: a thread's room for them. */
typedef struct room {
    tulle__colour_room colouring;
    tulle__colours colours;
} room;

typedef struct filling {
    const tulle__patching *p;
    const tulle__rest_making *rest;
    tulle__patches *patches;
    tulle__meetings meetings;
    room *rooms; /* one room for each thread */
} filling;

static void close_rooms(const filling *f) {
    tulle_ctx *ctx = f->p->ctx;
    for (int t = 0; f->rooms && t < f->meetings.threads; t++) {
        tulle__host_free(ctx, f->rooms[t].colours.begins);
        tulle__host_free(ctx, f->rooms[t].colours.order);
        tulle__host_free(ctx, f->rooms[t].colouring.colour);
        tulle__host_free(ctx, f->rooms[t].colouring.taken);
    }
    tulle__host_free(ctx, f->rooms);
}

static bool open_rooms(filling *f, size_t elements) {
    tulle_ctx *ctx = f->p->ctx;
    const size_t places = elements * (size_t)f->p->each;
    f->rooms = tulle__host_alloc(ctx, (size_t)f->meetings.threads * sizeof *f->rooms);
    bool there = f->rooms;
    for (int t = 0; t < f->meetings.threads && there; t++) {
        tulle__colours *c = &f->rooms[t].colours;
        tulle__colour_room *r = &f->rooms[t].colouring;
        r->taken = tulle__host_alloc(ctx, places * sizeof *r->taken);
        r->colour = tulle__host_alloc(ctx, elements * sizeof *r->colour);
        c->order = tulle__host_alloc(ctx, elements * sizeof *c->order);
        c->begins = tulle__host_alloc(ctx, (elements + 2) * sizeof *c->begins);
        there = r->taken && r->colour && c->order && c->begins;
    }
    return there;
}

/* The numbers that nodes have in the end: the first nodes of all elements of the first colour, then
 * their second ones, and so on, and then those that other colours alone have. Threads that have
 * neighbours of one colour so read neighbours, wherever elements of a colour lie in rows. */
static void number_nodes(const tulle__colours *colours, int each, tulle__meeting *m) {
    int32_t next = 0;
    for (int32_t i = 0; i < m->count; i++) m->again[i] = -1;
    for (int64_t c = 0; c < colours->count; c++) {
        for (int i = 0; i < each; i++) {
            for (int64_t k = colours->begins[c]; k < colours->begins[c + 1]; k++) {
                int32_t *again = &m->again[m->points[(int64_t)colours->order[k] * each + i]];
                if (*again < 0) *again = next++;
            }
        }
    }
}

static void list_surface(const filling *f, const tulle__meeting *m, tulle__patch *patch) {
    uint32_t *list = f->patches->list + patch->node;
    for (int32_t i = m->count; i < patch->nodes; i++) list[i] = TULLE__PATCH_NONE;
    for (int32_t i = 0; i < m->count; i++) {
        if ((list[i] & ~TULLE__PATCH_NODE) != TULLE__PATCH_SHARED) continue;
        f->patches->surface[patch->slot + patch->slots++] = (uint16_t)i;
    }
}

static void list_elements(const filling *f, const tulle__colours *colours, const tulle__meeting *m,
                          const tulle__patch *patch) {
    tulle__patches *all = f->patches;
    for (int32_t k = 0; k < patch->elements; k++) {
        const int64_t e = colours->order[k], to = patch->element + k;
        all->order[to] = f->p->centres[patch->element + e].element;
        for (int i = 0; i < all->width; i++) {
            const int from = i < all->each ? i : 0;
            const int32_t node = m->again[m->points[e * all->each + from]];
            all->places[to * all->width + i] = (uint16_t)tulle__patch_place(all->more, node);
        }
    }
}

static void list_steps(const filling *f, const tulle__colours *colours, tulle__patch *patch) {
    for (int64_t c = 0; c < colours->count; c++) {
        int64_t at = colours->begins[c];
        while (at < colours->begins[c + 1]) {
            at += TULLE__PATCH_STEP;
            if (at > colours->begins[c + 1]) at = colours->begins[c + 1];
            f->patches->step_ends[patch->step + patch->steps++] = (int32_t)at;
        }
    }
}

static void fill_patch(const filling *f, int64_t k, room *r, tulle__meeting *m) {
    tulle__patch *patch = &f->patches->patch[k];
    tulle__meet(f->p, k, m);
    tulle__colours_fill(patch->elements, f->p->each, m->count, m->points, &r->colouring,
                        &r->colours);
    number_nodes(&r->colours, f->p->each, m);
    tulle__list_nodes(m, f->rest, f->patches->list + patch->node);
    list_surface(f, m, patch);
    list_elements(f, &r->colours, m, patch);
    list_steps(f, &r->colours, patch);
}

/* Sets the beginnings of patches. Slots and steps stand where they have room for certain: as if all
 * nodes had a slot, and all elements a step. */
static void place(const tulle__patching *p, tulle__patches *all) {
    int64_t node = 0;
    for (int64_t k = 0; k < p->patches; k++) {
        all->patch[k] = (tulle__patch){.node = node,
                                       .slot = node,
                                       .element = p->begins[k],
                                       .step = p->begins[k],
                                       .nodes = p->nodes_of[k],
                                       .elements = (int32_t)(p->begins[k + 1] - p->begins[k])};
        node += p->nodes_of[k];
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

static bool open_arrays(tulle_ctx *ctx, tulle__patches *all) {
    all->patch = tulle__host_alloc(ctx, (size_t)all->count * sizeof *all->patch);
    all->list = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->list);
    all->surface = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->surface);
    all->places =
        tulle__host_alloc(ctx, (size_t)all->elements * (size_t)all->width * sizeof *all->places);
    all->step_ends = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->step_ends);
    all->order = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->order);
    return all->patch && all->list && all->surface && all->places && all->step_ends && all->order;
}

tulle_status tulle__steps_fill(const tulle__patching *p, const tulle__rest_making *rest,
                               tulle__patches *host) {
    filling f = {.p = p, .rest = rest, .patches = host};
    const int64_t most = tulle__largest_patch(p);
    *host = (tulle__patches){.count = p->patches,
                             .nodes = p->total_nodes,
                             .elements = p->count,
                             .each = p->each,
                             .width = 1,
                             .more = p->more,
                             .most = p->largest};
    while (host->width < p->each) host->width *= 2;
    TULLE__TRY(tulle__meetings_open(p, most, &f.meetings));
    const bool there = open_rooms(&f, (size_t)most) && open_arrays(p->ctx, host);
    if (there) {
        place(p, host);
#pragma omp parallel for schedule(dynamic) num_threads(f.meetings.threads)
        for (int64_t k = 0; k < host->count; k++) {
            const int t = omp_get_thread_num();
            fill_patch(&f, k, &f.rooms[t], &f.meetings.of[t]);
        }
        close_up(host);
    }
    close_rooms(&f);
    tulle__meetings_close(&f.meetings);
    return there ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__steps_free(tulle_ctx *ctx, tulle__patches *host) {
    void *const all[] = {host->order,   host->step_ends, host->places,
                         host->surface, host->list,      host->patch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__host_free(ctx, all[i]);
}

void tulle__steps_list_slots(const tulle__patches *host, int64_t first_slot,
                             const tulle__rest_making *rest) {
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__patch *patch = &host->patch[p];
        for (int64_t s = patch->slot; s < patch->slot + patch->slots; s++) {
            const uint32_t listed = host->list[patch->node + host->surface[s]];
            tulle__rest_add_slot(rest, listed & TULLE__PATCH_NODE, first_slot + s);
        }
    }
}

tulle_status tulle__steps_bring(tulle_ctx *ctx, const tulle__patches *host, tulle__patches *to) {
    void *array = NULL;
    *to = *host;
    to->patch = NULL;
    to->list = NULL;
    to->surface = to->places = NULL;
    to->step_ends = to->order = NULL;
    TULLE__TRY(tulle__array_copy(ctx, host->patch, host->count, sizeof *host->patch, &array));
    to->patch = array;
    TULLE__TRY(tulle__array_copy(ctx, host->list, host->nodes, sizeof *host->list, &array));
    to->list = array;
    TULLE__TRY(tulle__array_copy(ctx, host->surface, host->slots, sizeof *host->surface, &array));
    to->surface = array;
    TULLE__TRY(tulle__array_copy(ctx, host->places, host->elements * host->width,
                                 sizeof *host->places, &array));
    to->places = array;
    TULLE__TRY(
        tulle__array_copy(ctx, host->step_ends, host->steps, sizeof *host->step_ends, &array));
    to->step_ends = array;
    return TULLE_OK;
}

void tulle__steps_release(tulle_ctx *ctx, const tulle__patches *patches) {
    tulle__free(ctx, patches->step_ends);
    tulle__free(ctx, patches->places);
    tulle__free(ctx, patches->surface);
    tulle__free(ctx, patches->list);
    tulle__free(ctx, patches->patch);
}
