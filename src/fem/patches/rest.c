/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/rest.h"

#include "fem/arrays.h"
#include "fem/assembly/jobs.h"

static tulle_status copy_mask(tulle__rest_making *m, const uint8_t *given, uint8_t **masked) {
    const size_t bytes = (size_t)m->row_count;
    void *copy = NULL;
    if (!given || bytes == 0) return TULLE_OK;
    m->row_masked = tulle__host_alloc(m->ctx, bytes);
    if (!m->row_masked) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(m->ctx, m->row_masked, given, bytes));
    if (!masked) return TULLE_OK;
    TULLE__TRY(tulle__alloc(m->ctx, bytes, &copy));
    *masked = copy;
    return tulle__copy_wait(m->ctx, copy, m->row_masked, bytes);
}

static tulle_status open_nodes(tulle__rest_making *m) {
    m->touched = tulle__host_alloc(m->ctx, (size_t)m->nodes * sizeof *m->touched);
    if (!m->touched) return TULLE_OUT_OF_MEMORY;
    if (!m->row_masked) return TULLE_OK;
    m->masked = tulle__host_alloc(m->ctx, (size_t)m->nodes);
    if (!m->masked) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < m->nodes; i++) m->masked[i] = m->row_masked[m->row_of[i]];
    return TULLE_OK;
}

tulle_status tulle__rest_making_open(tulle_ctx *ctx, int64_t nodes, const tulle__mesh_rows *rows,
                                     uint8_t **masked, tulle__rest_making *m) {
    *m = (tulle__rest_making){
        .ctx = ctx, .nodes = nodes, .row_count = rows->count, .row_of = rows->of_node};
    TULLE__TRY(copy_mask(m, rows->masked, masked));
    const size_t count = (size_t)m->row_count;
    m->row_touched = tulle__host_alloc(ctx, count * sizeof *m->row_touched);
    m->item = tulle__host_alloc(ctx, count * sizeof *m->item);
    if (!m->row_touched || !m->item) return TULLE_OUT_OF_MEMORY;
    if (m->row_of) return open_nodes(m);
    m->touched = m->row_touched;
    m->masked = m->row_masked;
    return TULLE_OK;
}

void tulle__rest_making_close(const tulle__rest_making *m) {
    void *const all[] = {m->from,
                         m->next,
                         m->ends,
                         m->rows,
                         m->item,
                         m->row_touched,
                         m->row_masked,
                         m->touched == m->row_touched ? NULL : m->touched,
                         m->masked == m->row_masked ? NULL : m->masked};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__host_free(m->ctx, all[i]);
}

static bool is_masked(const tulle__rest_making *m, int64_t row) {
    return m->row_masked && m->row_masked[row];
}

static bool is_rest(const tulle__rest_making *m, int64_t row) {
    return m->row_touched[row] != 1 || is_masked(m, row);
}

/* A row gets the sums of all its nodes, and each of these is told how many. */
static void join_nodes(const tulle__rest_making *m) {
    if (!m->row_of) return;
    for (int64_t i = 0; i < m->nodes; i++) m->row_touched[m->row_of[i]] += m->touched[i];
    for (int64_t i = 0; i < m->nodes; i++) m->touched[i] = m->row_touched[m->row_of[i]];
}

tulle_status tulle__rest_list(tulle__rest_making *m) {
    join_nodes(m);
    for (int64_t i = 0; i < m->row_count; i++) m->count += is_rest(m, i);
    m->rows = tulle__host_alloc(m->ctx, (size_t)m->count * sizeof *m->rows);
    m->ends = tulle__host_alloc(m->ctx, (size_t)(m->count + 1) * sizeof *m->ends);
    m->next = tulle__host_alloc(m->ctx, (size_t)(m->count + 1) * sizeof *m->next);
    if (!m->rows || !m->ends || !m->next) return TULLE_OUT_OF_MEMORY;
    int64_t k = 0;
    for (int64_t i = 0; i < m->row_count; i++) {
        m->item[i] = -1;
        if (!is_rest(m, i)) continue;
        m->rows[k] = (int32_t)i;
        m->item[i] = (int32_t)k;
        m->next[k] = m->ends[k];
        m->ends[k + 1] = m->ends[k] + (is_masked(m, i) ? 0 : (uint32_t)m->row_touched[i]);
        k++;
    }
    m->from = tulle__host_alloc(m->ctx, (size_t)m->ends[k] * sizeof *m->from);
    return m->from ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__rest_rename(const tulle__rest_making *m, uint32_t *list, int64_t count) {
    if (!m->row_of) return;
    for (int64_t l = 0; l < count; l++) {
        if (list[l] == TULLE__PATCH_NONE) continue;
        const uint32_t node = list[l] & TULLE__PATCH_NODE;
        list[l] = (list[l] - node) | (uint32_t)m->row_of[node];
    }
}

void tulle__rest_add_slot(const tulle__rest_making *m, int64_t row, int64_t slot) {
    m->from[m->next[m->item[row]]++] = (uint32_t)slot;
}

tulle_status tulle__rest_bring(const tulle__rest_making *m, bool sums, tulle__rest *rest) {
    void *array = NULL;
    *rest = (tulle__rest){.count = m->count, .slots = m->ends[m->count]};
    TULLE__TRY(tulle__array_copy(m->ctx, m->rows, rest->count, sizeof *m->rows, &array));
    rest->rows = array;
    if (!sums) return TULLE_OK;
    TULLE__TRY(tulle__array_copy(m->ctx, m->ends, rest->count + 1, sizeof *m->ends, &array));
    rest->ends = array;
    TULLE__TRY(tulle__array_copy(m->ctx, m->from, rest->slots, sizeof *m->from, &array));
    rest->from = array;
    return TULLE_OK;
}

tulle_status tulle__rest_bring_scales(const tulle__rest_making *m, const double *scales,
                                      tulle_type type, tulle__rest *rest) {
    const int64_t size = tulle_type_size(type);
    void *host = tulle__host_alloc(m->ctx, (size_t)(rest->count * size));
    if (!host) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < rest->count; k++) {
        tulle__put_number(type, host, k, is_masked(m, m->rows[k]) ? scales[m->rows[k]] : 0);
    }
    const tulle_status status = tulle__array_copy(m->ctx, host, rest->count, size, &rest->scales);
    tulle__host_free(m->ctx, host);
    return status;
}

void tulle__rest_close(tulle_ctx *ctx, const tulle__rest *rest) {
    tulle__free(ctx, rest->scales);
    tulle__free(ctx, rest->from);
    tulle__free(ctx, rest->ends);
    tulle__free(ctx, rest->rows);
}
