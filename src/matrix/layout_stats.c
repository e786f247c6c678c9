/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and statistics of layouts that a caller made. */
#include "core/access.h"
#include "format/faults.h"
#include "matrix/check.h"
#include "matrix/reformat.h"
#include "matrix/renumber.h"

tulle_status tulle__check_layout_stats(const char *function, const tulle__pattern_view *view,
                                       const tulle__stats *s, int base) {
    static const struct {
        const char *argument, *text;
    } faults[] = {
        [TULLE__BAD_OFFSET] = {"offsets",
                               "offsets start at the base, never fall, and end where the slots "
                               "(bsr: the blocks) do; sell: they rise by whole slices; jds: "
                               "never by more than before; dcsr: they rise"},
        [TULLE__BAD_INDEX] = {"cols", "is out of range"},
        [TULLE__BAD_PADDING] = {"cols", "entries stand before the padding of their row"},
        [TULLE__BAD_ASCENT] = {"cols", "diagonals, and the block columns of a block row, ascend"},
        [TULLE__BAD_TAIL] = {"rows", "the rows of the tail are in range and never fall"},
        [TULLE__BAD_ORDER] = {"order", "every row stands at one position; dcsr: they ascend"},
        [TULLE__BAD_LENGTH] = {"lengths", "it is the number of entries of the row"},
        [TULLE__BAD_MASK] = {"mask", "is the bit of a place outside the matrix"},
        [TULLE__BAD_CODES] = {"mask", "is the word of a line whose codes lie outside codes"}};
    if (s->bad_kind == TULLE__BAD_NONE) return TULLE_OK;
    const char *argument = faults[s->bad_kind].argument;
    tulle__facts facts = tulle__facts_of(view);
    if (facts.by_rows && s->bad_kind == TULLE__BAD_INDEX) argument = "rows";
    if (facts.coded && s->bad_kind == TULLE__BAD_PADDING) argument = "mask";
    return tulle__fail(TULLE_INVALID_MATRIX, function, argument, -1, "%s, %s[%lld]: %lld: %s",
                       tulle_format_name(view->format), argument, (long long)s->bad_row,
                       (long long)s->bad_value + base, faults[s->bad_kind].text);
}

static tulle_status stats_of_csr(tulle_ctx *ctx, const tulle_mat *A, tulle__stats *stats) {
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, A->pattern->index, false, &csr));
    tulle__pattern_view view = tulle__view_of(csr->pattern);
    tulle_status status = ctx->backend->matrix->check_pattern(&ctx->place, &view, stats);
    tulle_mat_destroy(csr);
    return status;
}

/* Finds statistics by way of COO, which has no place for rows without entries. */
static tulle_status stats_of_entries(tulle_ctx *ctx, const tulle_mat *A, tulle__stats *stats) {
    tulle__pattern_view view = tulle__view_of(A->pattern);
    tulle__places e;
    TULLE__TRY(tulle__places_of(ctx, A, &e));
    view.format = TULLE_COO;
    view.rows_of = e.rows_of;
    tulle_status status = ctx->backend->matrix->check_pattern(&ctx->place, &view, stats);
    tulle__free(ctx, e.scratch);
    return status;
}

static void tally_rows(const tulle__pattern *p, const tulle__host_array *order,
                       const tulle__host_array *begins, const tulle__host_array *cols,
                       tulle__tally *tally) {
    const int64_t index = tulle_index_size(p->index), offset = tulle_offset_size(p->index);
    for (int64_t h = 0; h < p->storage.heads; h++) {
        const int64_t row = tulle__get(order->data, index, h);
        const int64_t begin = tulle__get(begins->data, offset, h);
        const int64_t end = tulle__get(begins->data, offset, h + 1);
        for (int64_t e = begin; e < end; e++) {
            const int64_t column = tulle__get(cols->data, index, e);
            const int64_t before = e > begin ? tulle__get(cols->data, index, e - 1) : -1;
            if (column < before) tally->stats.sorted = false;
            if (column <= before) tally->stats.rising = false;
            tulle__tally_distance(tally, row, column);
        }
        tulle__tally_rows(tally, 1, end - begin);
    }
    tulle__tally_rows(tally, p->rows - p->storage.heads, 0);
}

/* Finds the statistics of a DCSR on the host: a GPU counts the entries of every row, for which
 * these are too many. */
static tulle_status stats_of_heads(tulle_ctx *ctx, const tulle_mat *A, tulle__stats *stats) {
    const tulle__pattern *p = A->pattern;
    const int64_t index = tulle_index_size(p->index), offset = tulle_offset_size(p->index);
    tulle__host_array order = {NULL, NULL}, begins = {NULL, NULL}, cols = {NULL, NULL};
    tulle__tally tally = tulle__tally_start();
    tulle_status status =
        tulle__host_array_read(ctx, p->order.data, p->storage.heads, index, &order);
    if (status == TULLE_OK) {
        status =
            tulle__host_array_read(ctx, p->offsets.data, p->storage.heads + 1, offset, &begins);
    }
    if (status == TULLE_OK) {
        status = tulle__host_array_read(ctx, p->cols_of.data, p->nnz, index, &cols);
    }
    if (status == TULLE_OK) {
        tally_rows(p, &order, &begins, &cols, &tally);
        *stats = tulle__tally_finish(&tally, p->rows, p->nnz);
    }
    tulle__host_array_free(ctx, &cols);
    tulle__host_array_free(ctx, &begins);
    tulle__host_array_free(ctx, &order);
    return status;
}

/* Finds the statistics of a matrix that nobody else has yet. */
static tulle_status stats_of(tulle_ctx *ctx, const tulle_mat *A, tulle__stats *stats) {
    const tulle__pattern *p = A->pattern;
    if (p->format == TULLE_DCSR && ctx->kind != TULLE_CPU &&
        tulle__is_hypersparse(p->rows, p->nnz)) {
        return stats_of_heads(ctx, A, stats);
    }
    bool compressed = tulle__has(A->pattern->format, TULLE__COMPRESSED);
    return compressed ? stats_of_entries(ctx, A, stats) : stats_of_csr(ctx, A, stats);
}

static tulle_status count_entries(tulle_ctx *ctx, tulle__pattern_view *view) {
    void *offsets = NULL;
    size_t bytes = 0;
    int listed = TULLE__LIST | TULLE__COMPRESSED;
    if (tulle__has(view->format, listed)) return TULLE_OK;
    TULLE__TRY(tulle__size(view->rows + 1, tulle_offset_size(view->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &offsets));
    tulle_status status =
        ctx->backend->format->walk_offsets(&ctx->place, view, offsets, &view->nnz);
    tulle__free(ctx, offsets);
    return status;
}

tulle_status tulle__layout_stats(tulle_ctx *ctx, tulle__pattern_view *view, tulle_type type,
                                 const void *values, tulle__stats *stats) {
    tulle__array lent = {.data = (void *)values, .ownership = TULLE_BORROW};
    if (view->format == TULLE_BSR && view->storage.full) {
        view->nnz = view->storage.stored;
        return ctx->backend->matrix->rising_stats(&ctx->place, view, stats);
    }
    TULLE__TRY(count_entries(ctx, view));
    tulle_mat *A = NULL;
    tulle__stats none = {.bad_row = -1};
    TULLE__TRY(tulle__mat_make(ctx, view, type, &lent, &lent, &none, &A));
    tulle_status status = stats_of(ctx, A, stats);
    tulle_mat_destroy(A);
    return status;
}
