/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/rest.h"

tulle_status tulle__rest_making_open(tulle_ctx *ctx, int64_t nodes, const uint8_t *masked,
                                     tulle__rest_making *m) {
    *m = (tulle__rest_making){.ctx = ctx, .nodes = nodes, .masked = masked};
    m->touched = tulle__host_alloc(ctx, (size_t)nodes * sizeof *m->touched);
    m->item = tulle__host_alloc(ctx, (size_t)nodes * sizeof *m->item);
    return m->touched && m->item ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__rest_making_close(const tulle__rest_making *m) {
    void *const all[] = {m->from, m->next, m->ends, m->rows, m->item, m->touched};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__host_free(m->ctx, all[i]);
}

static bool is_masked(const tulle__rest_making *m, int64_t node) {
    return m->masked && m->masked[node];
}

static bool is_rest(const tulle__rest_making *m, int64_t node) {
    return m->touched[node] != 1 || is_masked(m, node);
}

tulle_status tulle__rest_list(tulle__rest_making *m) {
    for (int64_t i = 0; i < m->nodes; i++) m->count += is_rest(m, i);
    m->rows = tulle__host_alloc(m->ctx, (size_t)m->count * sizeof *m->rows);
    m->ends = tulle__host_alloc(m->ctx, (size_t)(m->count + 1) * sizeof *m->ends);
    m->next = tulle__host_alloc(m->ctx, (size_t)(m->count + 1) * sizeof *m->next);
    if (!m->rows || !m->ends || !m->next) return TULLE_OUT_OF_MEMORY;
    int64_t k = 0;
    for (int64_t i = 0; i < m->nodes; i++) {
        m->item[i] = -1;
        if (!is_rest(m, i)) continue;
        m->rows[k] = (int32_t)i;
        m->item[i] = (int32_t)k;
        m->next[k] = m->ends[k];
        m->ends[k + 1] = m->ends[k] + (is_masked(m, i) ? 0 : (uint32_t)m->touched[i]);
        k++;
    }
    m->from = tulle__host_alloc(m->ctx, (size_t)m->ends[k] * sizeof *m->from);
    return m->from ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__rest_list_slots(const tulle__rest_making *m, const tulle__patches *host,
                            int64_t first_slot) {
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__patch *patch = &host->patch[p];
        for (int64_t s = patch->slot; s < patch->slot + patch->slots; s++) {
            const uint32_t listed = host->list[patch->node + host->surface[s]];
            const int32_t item = m->item[listed & TULLE__PATCH_NODE];
            m->from[m->next[item]++] = (uint32_t)(first_slot + s);
        }
    }
}

static tulle_status bring(tulle_ctx *ctx, const void *host, int64_t count, void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, sizeof(uint32_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, array));
    return tulle__copy_wait(ctx, *array, host, bytes);
}

tulle_status tulle__rest_bring(const tulle__rest_making *m, bool sums, tulle__rest *rest) {
    void *array = NULL;
    *rest = (tulle__rest){.count = m->count, .slots = m->ends[m->count]};
    TULLE__TRY(bring(m->ctx, m->rows, rest->count, &array));
    rest->rows = array;
    if (!sums) return TULLE_OK;
    TULLE__TRY(bring(m->ctx, m->ends, rest->count + 1, &array));
    rest->ends = array;
    TULLE__TRY(bring(m->ctx, m->from, rest->slots, &array));
    rest->from = array;
    return TULLE_OK;
}

void tulle__rest_close(tulle_ctx *ctx, const tulle__rest *rest) {
    tulle__free(ctx, rest->from);
    tulle__free(ctx, rest->ends);
    tulle__free(ctx, rest->rows);
}
