/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/renumber.h"

#include "core/access.h"
#include "core/search.h"
#include "matrix/reformat.h"

/* Makes a pattern's arrays in the context's memory, which it then owns. */
static tulle_status make(tulle_ctx *ctx, tulle__pattern_view *view, tulle_type type,
                         const tulle__array *values, tulle_mat **A) {
    static const tulle__array own = {.ownership = TULLE_COPY};
    tulle__stats stats;
    tulle_status status;
    if (tulle__has(view->format, TULLE__COMPRESSED)) {
        status = tulle__layout_stats(ctx, view, type, values->data, &stats);
    } else {
        status = ctx->backend->matrix->check_pattern(&ctx->place, view, &stats);
    }
    if (status == TULLE_OK) status = tulle__mat_make(ctx, view, type, &own, values, &stats, A);
    return status;
}

static void free_view(tulle_ctx *ctx, tulle__pattern_view *view) {
    for (int k = 0; k < TULLE__ARRAYS; k++) tulle__free(ctx, (void *)*tulle__view_array(view, k));
}

static int64_t new_number(const tulle__axis *axis, int64_t old) {
    int64_t at = 0;
    TULLE__LOWER_BOUND(at, axis->count, i, axis->numbers[i] < old);
    return at;
}

/* Translates an array of indices, from old to new or back; it stays as it is where the axis has no
 * new indices. */
static tulle_status translate(tulle_ctx *ctx, const tulle__axis *axis, bool back, const void *from,
                              int64_t count, int64_t size, const void **to) {
    tulle__host_array array;
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 1, &bytes));
    void *made = tulle__host_alloc(ctx, bytes), *put = NULL;
    tulle_status status = made ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    array = (tulle__host_array){NULL, NULL};
    if (status == TULLE_OK) status = tulle__host_array_read(ctx, from, count, size, &array);
    for (int64_t i = 0; i < count && status == TULLE_OK; i++) {
        int64_t number = tulle__get(array.data, size, i);
        if (axis->few) number = back ? axis->numbers[number] : new_number(axis, number);
        tulle__put(made, size, i, number);
    }
    if (status == TULLE_OK) status = tulle__host_array_put(ctx, made, count, size, &put);
    *to = put;
    tulle__host_array_free(ctx, &array);
    tulle__host_free(ctx, made);
    return status;
}

/* Finds the offsets of rows with new indices from those of the rows that a DCSR lists, which are
 * among them. */
static tulle_status spread_offsets(tulle_ctx *ctx, const tulle__pattern *p, const tulle__axis *rows,
                                   const void **offsets) {
    const int64_t index = tulle_index_size(p->index), offset = tulle_offset_size(p->index);
    const int64_t heads = p->storage.heads;
    tulle__host_array order = {NULL, NULL}, begins = {NULL, NULL};
    size_t bytes;
    TULLE__TRY(tulle__size(rows->count + 1, offset, 0, &bytes));
    void *made = tulle__host_alloc(ctx, bytes), *put = NULL;
    tulle_status status = made ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK)
        status = tulle__host_array_read(ctx, p->order.data, heads, index, &order);
    if (status == TULLE_OK)
        status = tulle__host_array_read(ctx, p->offsets.data, heads + 1, offset, &begins);
    int64_t head = 0;
    for (int64_t i = 0; i <= rows->count && status == TULLE_OK; i++) {
        while (head < heads && i < rows->count &&
               tulle__get(order.data, index, head) < rows->numbers[i])
            head++;
        if (i == rows->count) head = heads;
        tulle__put(made, offset, i, tulle__get(begins.data, offset, head));
    }
    if (status == TULLE_OK)
        status = tulle__host_array_put(ctx, made, rows->count + 1, offset, &put);
    *offsets = put;
    tulle__host_array_free(ctx, &begins);
    tulle__host_array_free(ctx, &order);
    tulle__host_free(ctx, made);
    return status;
}

static tulle_status copy_offsets(tulle_ctx *ctx, const tulle__pattern *p, const void **offsets) {
    size_t bytes;
    void *made = NULL;
    TULLE__TRY(tulle__size(p->rows + 1, tulle_offset_size(p->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &made));
    *offsets = made;
    return tulle__copy_wait(ctx, made, p->offsets.data, bytes);
}

/* Fills in the arrays with new indices. COO stays COO; CSR, and DCSR whose rows get new indices,
 * become CSR. */
static tulle_status fill(tulle_ctx *ctx, const tulle__pattern *p, const tulle__axes_of *m,
                         tulle__pattern_view *view) {
    const int64_t size = tulle_index_size(p->index);
    TULLE__TRY(translate(ctx, m->cols, false, p->cols_of.data, p->nnz, size, &view->cols_of));
    if (p->format == TULLE_COO)
        return translate(ctx, m->rows, false, p->rows_of.data, p->nnz, size, &view->rows_of);
    view->format = TULLE_CSR;
    if (p->format == TULLE_CSR) return copy_offsets(ctx, p, &view->offsets);
    return spread_offsets(ctx, p, m->rows, &view->offsets);
}

static tulle_status renumber(tulle_ctx *ctx, const tulle_mat *A, const tulle__axes_of *m,
                             tulle_mat **small) {
    const tulle__pattern *p = A->pattern;
    const tulle__array values = {.data = A->values.data, .ownership = TULLE_BORROW};
    tulle__pattern_view view = {.rows = m->rows->few ? m->rows->count : p->rows,
                                .cols = m->cols->few ? m->cols->count : p->cols,
                                .nnz = p->nnz,
                                .format = p->format,
                                .index = p->index,
                                .storage = {.stored = p->nnz}};
    tulle_status status = fill(ctx, p, m, &view);
    if (status == TULLE_OK) status = make(ctx, &view, A->type, &values, small);
    if (status != TULLE_OK) free_view(ctx, &view);
    return status;
}

/* Renumbers a DCSR whose rows keep their indices: the rows are so few that a CSR has a table of
 * them. */
static tulle_status by_way_of_csr(tulle_ctx *ctx, const tulle__axes_of *m, tulle_mat **small) {
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, m->A, m->A->pattern->index, false, &csr));
    tulle_status status = renumber(ctx, csr, m, small);
    if (status == TULLE_OK && (*small)->values.data == csr->values.data) {
        (*small)->values.ownership = csr->values.ownership;
        csr->values.data = NULL;
    }
    tulle_mat_destroy(csr);
    return status;
}

tulle_status tulle__renumber(tulle_ctx *ctx, const tulle__axes_of *m, tulle_mat **small) {
    *small = NULL;
    if (!m->A) return TULLE_OK;
    if (!m->rows->few && !m->cols->few) {
        *small = tulle_mat_retain((tulle_mat *)m->A);
        return TULLE_OK;
    }
    bool table = tulle__has(m->A->pattern->format, TULLE__COMPRESSED) && !m->rows->few;
    return table ? by_way_of_csr(ctx, m, small) : renumber(ctx, m->A, m, small);
}

/* The rows that have entries, by their old indices, and their offsets; arrays of the host. */
typedef struct listed {
    int64_t count;
    void *order, *offsets;
} listed;

static tulle_status find_heads(tulle_ctx *ctx, const tulle__pattern *p, const tulle__axis *rows,
                               listed *h) {
    const int64_t index = tulle_index_size(p->index), offset = tulle_offset_size(p->index);
    tulle__host_array begins;
    size_t order_bytes, offset_bytes;
    TULLE__TRY(tulle__size(p->rows, index, 1, &order_bytes));
    TULLE__TRY(tulle__size(p->rows + 1, offset, 0, &offset_bytes));
    h->order = tulle__host_alloc(ctx, order_bytes);
    h->offsets = tulle__host_alloc(ctx, offset_bytes);
    if (!h->order || !h->offsets) return TULLE_OUT_OF_MEMORY;
    tulle_status status =
        tulle__host_array_read(ctx, p->offsets.data, p->rows + 1, offset, &begins);
    for (int64_t i = 0; i < p->rows && status == TULLE_OK; i++) {
        const int64_t end = tulle__get(begins.data, offset, i + 1);
        if (end == tulle__get(begins.data, offset, i)) continue;
        tulle__put(h->order, index, h->count++, rows->numbers[i]);
        tulle__put(h->offsets, offset, h->count, end);
    }
    tulle__host_array_free(ctx, &begins);
    return status;
}

static tulle_status fill_heads(tulle_ctx *ctx, const tulle__pattern *p, const tulle__axis *rows,
                               tulle__pattern_view *view) {
    listed h = {0};
    void *order = NULL, *offsets = NULL;
    tulle_status status = find_heads(ctx, p, rows, &h);
    if (status == TULLE_OK)
        status = tulle__host_array_put(ctx, h.order, h.count, tulle_index_size(p->index), &order);
    if (status == TULLE_OK)
        status = tulle__host_array_put(ctx, h.offsets, h.count + 1, tulle_offset_size(p->index),
                                       &offsets);
    view->order = order;
    view->offsets = offsets;
    view->storage.heads = h.count;
    tulle__host_free(ctx, h.order);
    tulle__host_free(ctx, h.offsets);
    return status;
}

static tulle_status fill_back(tulle_ctx *ctx, const tulle__pattern *p, const tulle__axis *rows,
                              const tulle__axis *cols, tulle__pattern_view *view) {
    TULLE__TRY(translate(ctx, cols, true, p->cols_of.data, p->nnz, tulle_index_size(p->index),
                         &view->cols_of));
    return rows->few ? fill_heads(ctx, p, rows, view) : copy_offsets(ctx, p, &view->offsets);
}

static tulle_status back(tulle_ctx *ctx, const tulle__axis *rows, const tulle__axis *cols,
                         tulle_mat *small, tulle_mat **C) {
    const tulle__pattern *p = small->pattern;
    tulle__pattern_view view = {.rows = rows->few ? rows->size : p->rows,
                                .cols = cols->few ? cols->size : p->cols,
                                .nnz = p->nnz,
                                .format = rows->few ? TULLE_DCSR : TULLE_CSR,
                                .index = p->index,
                                .storage = {.stored = p->nnz}};
    tulle_status status = fill_back(ctx, p, rows, cols, &view);
    if (status == TULLE_OK) status = make(ctx, &view, small->type, &small->values, C);
    if (status == TULLE_OK) small->values.data = NULL; /* the values are C's now */
    if (status != TULLE_OK) free_view(ctx, &view);
    return status;
}

tulle_status tulle__renumber_back(tulle_ctx *ctx, const tulle__axis *rows, const tulle__axis *cols,
                                  tulle_mat *small, tulle_mat **C) {
    if (!rows->few && !cols->few) {
        *C = small;
        return TULLE_OK;
    }
    tulle_status status = back(ctx, rows, cols, small, C);
    tulle_mat_destroy(small);
    return status;
}

/* Bytes of C's columns, rows and offsets, and for its statistics of a row and a position for
 * each entry; on a GPU of their scratch, too. */
double tulle__renumber_back_bytes(const tulle__axis *rows, tulle_index index, double nnz) {
    const double heads = rows->few && (double)rows->count < nnz ? (double)rows->count : nnz;
    const double table = rows->few ? 0 : (double)rows->size;
    return nnz * (2 * (double)tulle_index_size(index) + sizeof(int64_t)) +
           (2 * heads + table + 2) * sizeof(int64_t) + 65536;
}
