/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/patching.h"

#include <omp.h>

#include "fem/patches/bisect.h"
#include "mesh/mesh.h"

static void close_meeting(const tulle__meeting *m) {
    tulle__host_free(m->ctx, m->points);
    tulle__host_free(m->ctx, m->again);
    tulle__host_free(m->ctx, m->node);
    tulle__host_free(m->ctx, m->where);
    tulle__host_free(m->ctx, m->value);
    tulle__host_free(m->ctx, m->key);
}

static tulle_status open_meeting(tulle_ctx *ctx, size_t count, tulle__meeting *m) {
    size_t addresses = 2;
    while (addresses < 2 * count) addresses *= 2;
    *m = (tulle__meeting){.ctx = ctx, .last = (uint32_t)(addresses - 1)};
    m->key = tulle__host_alloc(ctx, addresses * sizeof *m->key);
    m->value = tulle__host_alloc(ctx, addresses * sizeof *m->value);
    m->where = tulle__host_alloc(ctx, count * sizeof *m->where);
    m->node = tulle__host_alloc(ctx, count * sizeof *m->node);
    m->again = tulle__host_alloc(ctx, count * sizeof *m->again);
    m->points = tulle__host_alloc(ctx, count * sizeof *m->points);
    return m->key && m->value && m->where && m->node && m->again && m->points ? TULLE_OK
                                                                              : TULLE_OUT_OF_MEMORY;
}

void tulle__meetings_close(const tulle__meetings *all) {
    for (int t = 0; all->of && t < all->threads; t++) {
        if (all->of[t].ctx) close_meeting(&all->of[t]);
    }
    tulle__host_free(all->ctx, all->of);
}

tulle_status tulle__meetings_open(const tulle__patching *p, int64_t elements,
                                  tulle__meetings *all) {
    tulle_status status = TULLE_OK;
    *all = (tulle__meetings){.ctx = p->ctx, .threads = tulle__mesh_threads(p->ctx, p->count)};
    all->of = tulle__host_alloc(p->ctx, (size_t)all->threads * sizeof *all->of);
    if (!all->of) return TULLE_OUT_OF_MEMORY;
    for (int t = 0; t < all->threads && status == TULLE_OK; t++) {
        status = open_meeting(p->ctx, (size_t)(elements * p->each), &all->of[t]);
    }
    if (status != TULLE_OK) tulle__meetings_close(all);
    return status;
}

static int32_t number_of(tulle__meeting *m, int32_t node) {
    const uint32_t mixed = (uint32_t)node * UINT32_C(2654435769);
    uint32_t at = (mixed ^ mixed >> 15) & m->last;
    while (m->key[at] != 0 && m->key[at] != node + 1) at = (at + 1) & m->last;
    if (m->key[at] == 0) {
        m->key[at] = node + 1;
        m->value[at] = m->count;
        m->where[m->count] = at;
        m->node[m->count++] = node;
    }
    return m->value[at];
}

void tulle__meet(const tulle__patching *p, int64_t k, tulle__meeting *m) {
    const int64_t first = p->begins[k], elements = p->begins[k + 1] - first;
    for (int32_t i = 0; i < m->count; i++) m->key[m->where[i]] = 0;
    m->count = 0;
    for (int64_t n = 0; n < elements * p->each; n++) {
        const int64_t e = p->by_place ? n % elements : n / p->each;
        const int64_t i = p->by_place ? n / elements : n % p->each;
        const int32_t *nodes = p->nodes + (int64_t)p->centres[first + e].element * p->each;
        m->points[e * p->each + i] = number_of(m, nodes[i]);
    }
}

void tulle__list_nodes(const tulle__meeting *m, const tulle__rest_making *rest, uint32_t *list) {
    for (int32_t i = 0; i < m->count; i++) {
        const int32_t node = m->node[i];
        uint32_t flags = rest->touched[node] > 1 ? TULLE__PATCH_SHARED : 0;
        if (rest->masked && rest->masked[node]) flags = TULLE__PATCH_SHARED | TULLE__PATCH_MASKED;
        list[m->again[i]] = (uint32_t)node | flags;
    }
}

int64_t tulle__largest_patch(const tulle__patching *p) {
    int64_t most = 0;
    for (int64_t k = 0; k < p->patches; k++) {
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

/* Patches of so many elements; *fits: none of them has more nodes than it may. */
static tulle_status divide(tulle__patching *p, const tulle__meetings *all, bool *fits) {
    int64_t nodes = 0;
    int32_t most = 0;
    p->patches = tulle__bisect_patches(p->count, p->most_elements);
    tulle__host_free(p->ctx, p->nodes_of);
    tulle__host_free(p->ctx, p->begins);
    p->begins = tulle__host_alloc(p->ctx, (size_t)(p->patches + 1) * sizeof *p->begins);
    p->nodes_of = tulle__host_alloc(p->ctx, (size_t)p->patches * sizeof *p->nodes_of);
    if (!p->begins || !p->nodes_of) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(find_patches(p));
#pragma omp parallel for schedule(dynamic) reduction(+ : nodes) reduction(max : most) \
    num_threads(all->threads)
    for (int64_t k = 0; k < p->patches; k++) {
        tulle__meeting *m = &all->of[omp_get_thread_num()];
        tulle__meet(p, k, m);
        p->nodes_of[k] = (m->count + p->round - 1) / p->round * p->round;
        nodes += p->nodes_of[k];
        if (p->nodes_of[k] > most) most = p->nodes_of[k];
    }
    p->total_nodes = nodes;
    p->largest = most;
    *fits = most <= p->most_nodes || p->most_elements == 1;
    return TULLE_OK;
}

static void touch(const tulle__patching *p, int32_t *touched, const tulle__meetings *all) {
#pragma omp parallel for schedule(dynamic) num_threads(all->threads)
    for (int64_t k = 0; k < p->patches; k++) {
        tulle__meeting *m = &all->of[omp_get_thread_num()];
        tulle__meet(p, k, m);
        for (int32_t i = 0; i < m->count; i++) {
#pragma omp atomic
            touched[m->node[i]]++;
        }
    }
}

tulle_status tulle__patches_divide(tulle__patching *p, int32_t *touched) {
    tulle__meetings all;
    if (p->most_elements > p->count) p->most_elements = p->count;
    if (p->most_elements > UINT16_MAX / p->each) p->most_elements = UINT16_MAX / p->each;
    TULLE__TRY(tulle__meetings_open(p, p->most_elements, &all));
    bool fits = true;
    tulle_status status = divide(p, &all, &fits);
    while (status == TULLE_OK && !fits) {
        p->most_elements = (p->most_elements + 1) / 2;
        status = divide(p, &all, &fits);
    }
    if (status == TULLE_OK) touch(p, touched, &all);
    tulle__meetings_close(&all);
    return status;
}

void tulle__patching_close(tulle__patching *p) {
    tulle__host_free(p->ctx, p->nodes_of);
    tulle__host_free(p->ctx, p->begins);
    tulle__host_free(p->ctx, p->centres);
    p->nodes_of = NULL;
    p->begins = NULL;
    p->centres = NULL;
}
