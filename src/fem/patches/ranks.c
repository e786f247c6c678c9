/* SPDX-License-Identifier: Apache-2.0 */
/* Patches whose nodes add up products rank by rank (cells.h). */
#include <omp.h>
#include <string.h>

#include "fem/arrays.h"
#include "fem/patches/patching.h"

/* For each node of a patch: the number of products that it gets, and of those listed so far. */
typedef struct room {
    int32_t gets[TULLE__LATTICE_MOST], got[TULLE__LATTICE_MOST];
} room;

typedef struct filling {
    const tulle__patching *p;
    const tulle__rest_making *rest;
    tulle__lattice_patches *patches;
    tulle__meetings meetings;
    room *rooms; /* one room for each thread */
} filling;

static int64_t rounded(int64_t places) {
    return (places + TULLE__LATTICE_ROUND - 1) / TULLE__LATTICE_ROUND * TULLE__LATTICE_ROUND;
}

/* Returns the largest number of products of a node. */
static int32_t count_products(const tulle__meeting *m, int32_t elements, room *r) {
    int32_t most = 0;
    for (int32_t i = 0; i < m->count; i++) r->gets[i] = r->got[i] = 0;
    for (int32_t k = 0; k < elements * TULLE__LATTICE; k++) {
        const int32_t gets = ++r->gets[m->points[k]];
        most = gets > most ? gets : most;
    }
    return most;
}

/* Nodes with the most products first, and otherwise in the order of before. */
static void number_nodes(const room *r, int32_t most, tulle__meeting *m) {
    int32_t next = 0;
    for (int32_t gets = most; gets > 0; gets--) {
        for (int32_t i = 0; i < m->count; i++) {
            if (r->gets[i] == gets) m->again[i] = next++;
        }
    }
}

static void give_slots(const filling *f, tulle__lattice_patch *patch) {
    for (int64_t i = patch->node; i < patch->node + patch->nodes; i++) {
        const uint32_t flags = f->patches->list[i] & ~TULLE__PATCH_NODE;
        f->patches->slot_of[i] = (uint16_t)(flags == TULLE__PATCH_SHARED ? patch->slots++ : 0);
    }
}

/* Cells in their order; a node's k-th product is that of its k-th cell. */
static void list_places(const filling *f, const tulle__lattice_patch *patch,
                        const tulle__meeting *m, room *r) {
    tulle__lattice_patches *all = f->patches;
    int32_t *ends = all->rank_ends + patch->rank, end = 0;
    for (int32_t k = 0; k < patch->ranks; k++) {
        for (int32_t i = 0; i < m->count; i++) end += r->gets[i] > k;
        ends[k] = end;
    }
    for (int32_t e = 0; e < patch->elements; e++) {
        all->order[patch->element + e] = f->p->centres[patch->element + e].element;
        for (int i = 0; i < TULLE__LATTICE; i++) {
            const int32_t at = i * patch->elements + e, point = m->points[e * TULLE__LATTICE + i];
            const int32_t rank = r->got[point]++, begin = rank > 0 ? ends[rank - 1] : 0;
            all->places[patch->place + at] = (uint16_t)m->again[point];
            all->from[patch->place + begin + m->again[point]] = (uint16_t)at;
        }
    }
}

static void fill_patch(const filling *f, int64_t k, room *r, tulle__meeting *m) {
    tulle__lattice_patch *patch = &f->patches->patch[k];
    tulle__meet(f->p, k, m);
    patch->ranks = count_products(m, patch->elements, r);
    number_nodes(r, patch->ranks, m);
    tulle__list_nodes(m, f->rest, f->patches->list + patch->node);
    give_slots(f, patch);
    list_places(f, patch, m, r);
}

/* Sets the beginnings of patches. Ranks stand where they have room for certain: as if each cell
 * made one. */
static void place(const tulle__patching *p, tulle__lattice_patches *all) {
    tulle__lattice_patch next = {.node = 0};
    for (int64_t k = 0; k < p->patches; k++) {
        next.nodes = p->nodes_of[k];
        next.elements = (int32_t)(p->begins[k + 1] - p->begins[k]);
        all->patch[k] = next;
        next.node += next.nodes;
        next.element += next.elements;
        next.rank = next.element;
        next.place += rounded((int64_t)next.elements * TULLE__LATTICE);
    }
}

/* Slots and ranks of all patches behind each other. */
static void close_up(tulle__lattice_patches *all) {
    for (int64_t k = 0; k < all->count; k++) {
        tulle__lattice_patch *patch = &all->patch[k];
        memmove(all->rank_ends + all->ranks, all->rank_ends + patch->rank,
                (size_t)patch->ranks * sizeof *all->rank_ends);
        patch->slot = all->slots;
        patch->rank = all->ranks;
        all->slots += patch->slots;
        all->ranks += patch->ranks;
    }
}

static bool open_arrays(tulle_ctx *ctx, tulle__lattice_patches *all) {
    all->patch = tulle__host_alloc(ctx, (size_t)all->count * sizeof *all->patch);
    all->list = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->list);
    all->slot_of = tulle__host_alloc(ctx, (size_t)all->nodes * sizeof *all->slot_of);
    all->places = tulle__host_alloc(ctx, (size_t)all->places_count * sizeof *all->places);
    all->from = tulle__host_alloc(ctx, (size_t)all->places_count * sizeof *all->from);
    all->rank_ends = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->rank_ends);
    all->order = tulle__host_alloc(ctx, (size_t)all->elements * sizeof *all->order);
    const bool there = all->patch && all->list && all->slot_of && all->places && all->from;
    return there && all->rank_ends && all->order;
}

tulle_status tulle__ranks_fill(const tulle__patching *p, const tulle__rest_making *rest,
                               tulle__lattice_patches *host) {
    filling f = {.p = p, .rest = rest, .patches = host};
    *host = (tulle__lattice_patches){
        .count = p->patches, .nodes = p->total_nodes, .elements = p->count, .most = p->largest};
    for (int64_t k = 0; k < p->patches; k++) {
        host->places_count += rounded((p->begins[k + 1] - p->begins[k]) * TULLE__LATTICE);
    }
    TULLE__TRY(tulle__meetings_open(p, tulle__largest_patch(p), &f.meetings));
    f.rooms = tulle__host_alloc(p->ctx, (size_t)f.meetings.threads * sizeof *f.rooms);
    const bool there = f.rooms && open_arrays(p->ctx, host);
    if (there) {
        place(p, host);
#pragma omp parallel for schedule(dynamic) num_threads(f.meetings.threads)
        for (int64_t k = 0; k < host->count; k++) {
            const int t = omp_get_thread_num();
            fill_patch(&f, k, &f.rooms[t], &f.meetings.of[t]);
        }
        close_up(host);
    }
    tulle__host_free(p->ctx, f.rooms);
    tulle__meetings_close(&f.meetings);
    return there ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__ranks_free(tulle_ctx *ctx, tulle__lattice_patches *host) {
    void *const all[] = {host->order,   host->rank_ends, host->from, host->places,
                         host->slot_of, host->list,      host->patch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__host_free(ctx, all[i]);
}

void tulle__ranks_list_slots(const tulle__lattice_patches *host, int64_t first_slot,
                             const tulle__rest_making *rest) {
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__lattice_patch *patch = &host->patch[p];
        for (int64_t l = patch->node; l < patch->node + patch->nodes; l++) {
            const uint32_t listed = host->list[l];
            if ((listed & ~TULLE__PATCH_NODE) != TULLE__PATCH_SHARED) continue;
            tulle__rest_add_slot(rest, listed & TULLE__PATCH_NODE,
                                 first_slot + patch->slot + host->slot_of[l]);
        }
    }
}

tulle_status tulle__ranks_bring(tulle_ctx *ctx, const tulle__lattice_patches *host,
                                tulle__lattice_patches *to) {
    void *array = NULL;
    *to = *host;
    to->patch = NULL;
    to->list = NULL;
    to->slot_of = to->places = to->from = NULL;
    to->rank_ends = to->order = NULL;
    TULLE__TRY(tulle__array_copy(ctx, host->patch, host->count, sizeof *host->patch, &array));
    to->patch = array;
    TULLE__TRY(tulle__array_copy(ctx, host->list, host->nodes, sizeof *host->list, &array));
    to->list = array;
    TULLE__TRY(tulle__array_copy(ctx, host->slot_of, host->nodes, sizeof *host->slot_of, &array));
    to->slot_of = array;
    TULLE__TRY(
        tulle__array_copy(ctx, host->places, host->places_count, sizeof *host->places, &array));
    to->places = array;
    TULLE__TRY(tulle__array_copy(ctx, host->from, host->places_count, sizeof *host->from, &array));
    to->from = array;
    TULLE__TRY(
        tulle__array_copy(ctx, host->rank_ends, host->ranks, sizeof *host->rank_ends, &array));
    to->rank_ends = array;
    return TULLE_OK;
}

void tulle__ranks_release(tulle_ctx *ctx, const tulle__lattice_patches *patches) {
    tulle__free(ctx, patches->rank_ends);
    tulle__free(ctx, patches->from);
    tulle__free(ctx, patches->places);
    tulle__free(ctx, patches->slot_of);
    tulle__free(ctx, patches->list);
    tulle__free(ctx, patches->patch);
}
