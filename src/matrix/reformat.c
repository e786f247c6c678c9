/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_convert and tulle_mat_transpose. */
#include "matrix/reformat.h"
#include "core/options.h"
#include "matrix/csc.h"
#include "matrix/functions.h"
#include "matrix/turn.h"
#include "matrix/turn_blocks.h"

/* Makes A or its transpose as CSR or DCSR, sorted, by way of its entries. A: COO, CSR, CSC or
 * DCSR. */
static tulle_status sort_entries(tulle_ctx *ctx, const tulle_mat *A, tulle_index index,
                                 bool transpose, bool sum_duplicates, bool compress,
                                 tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    tulle__places e;
    TULLE__TRY(tulle__places_of(ctx, A, &e));
    tulle__coo_to_csr job = {.rows = transpose ? p->cols : p->rows,
                             .cols = transpose ? p->rows : p->cols,
                             .nnz = p->nnz,
                             .in_index_size = tulle_index_size(p->index),
                             .index = index,
                             .type = A->type,
                             .rows_of = transpose ? e.cols_of : e.rows_of,
                             .cols_of = transpose ? e.rows_of : e.cols_of,
                             .values = A->values.data,
                             .sum_duplicates = sum_duplicates};
    tulle_status status =
        compress ? tulle__sorted_dcsr(ctx, &job, B) : tulle__sorted_csr(ctx, &job, B);
    tulle__free(ctx, e.scratch);
    return status;
}

static tulle_status convert_rows(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    tulle_ctx *ctx = d->ctx;
    tulle__places e;
    TULLE__TRY(tulle__places_of(ctx, A, &e));
    tulle_status status = ctx->backend->format->convert_indices(
        &ctx->place, p->nnz, tulle_index_size(p->index), e.rows_of, tulle_index_size(d->index),
        d->arrays.rows_of, 0);
    tulle__free(ctx, e.scratch);
    return status;
}

static tulle_status convert_offsets(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    return d->ctx->backend->format->convert_indices(
        &d->ctx->place, p->rows + 1, tulle_offset_size(p->index), p->offsets.data,
        tulle_offset_size(d->index), d->arrays.offsets, 0);
}

static tulle_status convert_entries(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    const tulle__backend *backend = d->ctx->backend;
    const tulle__place *place = &d->ctx->place;
    TULLE__TRY(backend->format->convert_indices(place, p->nnz, tulle_index_size(p->index),
                                                p->cols_of.data, tulle_index_size(d->index),
                                                d->arrays.cols_of, 0));
    return backend->format->convert_values(place, p->nnz, A->type, A->values.data, d->type,
                                           d->values);
}

/* Converts with the same entries in the same order: CSR to CSR, or COO or CSR to COO. */
static tulle_status keep_order(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                               tulle_index index, tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->rows,
                          .cols = p->cols,
                          .nnz = p->nnz,
                          .format = format,
                          .index = index,
                          .type = A->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status =
        format == TULLE_CSR ? convert_offsets(A, &draft) : convert_rows(A, &draft);
    if (status == TULLE_OK) status = convert_entries(A, &draft);
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &p->stats, B);
}

static bool is_compressed(const tulle_mat *A) {
    return tulle__has(A->pattern->format, TULLE__COMPRESSED);
}

/* Returns A itself, or its CSR where neither sorting nor copying knows A's format. They know
 * compressed rows, unless entries keep their order on the way to CSR (by_rows). */
static tulle_status as_list(tulle_ctx *ctx, const tulle_mat *A, bool by_rows, tulle_mat **list) {
    bool itself = tulle__has(A->pattern->format, TULLE__LIST) || (is_compressed(A) && !by_rows);
    if (!itself) return tulle__walk_to_csr(ctx, A, list);
    *list = tulle_mat_retain((tulle_mat *)A);
    return TULLE_OK;
}

static tulle_status list_to_csr(tulle_ctx *ctx, const tulle_mat *list, tulle_index index, bool sum,
                                tulle_mat **B) {
    bool keep = list->pattern->format == TULLE_CSR && !sum;
    return keep ? keep_order(ctx, list, TULLE_CSR, index, B)
                : sort_entries(ctx, list, index, false, sum, false, B);
}

static tulle_status list_to_coo(tulle_ctx *ctx, const tulle_mat *list, tulle_index index, bool sum,
                                tulle_mat **B) {
    bool keep = list->pattern->format != TULLE_CSC && !sum;
    if (keep) return keep_order(ctx, list, TULLE_COO, index, B);
    tulle_mat *csr;
    TULLE__TRY(sort_entries(ctx, list, index, false, sum, is_compressed(list), &csr));
    tulle_status status = keep_order(ctx, csr, TULLE_COO, index, B);
    tulle_mat_destroy(csr);
    return status;
}

/* Transposes a list of entries; for CSR there is a shorter way than for others. */
static tulle_status turn_list(tulle_ctx *ctx, const tulle_mat *list, bool compress, tulle_mat **B) {
    const tulle__pattern *p = list->pattern;
    if (p->format == TULLE_CSR && !compress) return tulle__turn(ctx, list, B);
    return sort_entries(ctx, list, p->index, true, false, compress, B);
}

/* Converts to CSC by way of the sorted CSR of A, which has the statistics, and of its transpose. */
static tulle_status list_to_csc(tulle_ctx *ctx, const tulle_mat *list, tulle_index index, bool sum,
                                tulle_mat **B) {
    tulle_mat *csr = NULL, *transposed = NULL;
    TULLE__TRY(sort_entries(ctx, list, index, false, sum, is_compressed(list), &csr));
    tulle_status status = turn_list(ctx, csr, false, &transposed);
    if (status == TULLE_OK) {
        status = tulle__csc_around(ctx, transposed, &csr->pattern->stats, B);
    }
    tulle_mat_destroy(transposed);
    tulle_mat_destroy(csr);
    return status;
}

/* True when A is the wanted CSR already. */
static bool is_csr(const tulle_mat *A, tulle_index index, bool sum) {
    const tulle__pattern *p = A->pattern;
    return p->format == TULLE_CSR && p->index == index && (!sum || p->stats.rising);
}

tulle_status tulle__as_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_index index, bool sum,
                           tulle_mat **csr) {
    if (is_csr(A, index, sum)) {
        *csr = tulle_mat_retain((tulle_mat *)A);
        return TULLE_OK;
    }
    tulle_mat *list = NULL;
    TULLE__TRY(as_list(ctx, A, true, &list));
    tulle_status status = list_to_csr(ctx, list, index, sum, csr);
    tulle_mat_destroy(list);
    return status;
}

static tulle_status convert_list(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                 tulle_index index, bool sum, tulle_mat **B) {
    tulle_mat *list = NULL;
    TULLE__TRY(as_list(ctx, A, format == TULLE_CSR, &list));
    tulle_status status = format == TULLE_CSR   ? list_to_csr(ctx, list, index, sum, B)
                          : format == TULLE_COO ? list_to_coo(ctx, list, index, sum, B)
                                                : list_to_csc(ctx, list, index, sum, B);
    tulle_mat_destroy(list);
    return status;
}

/* True when entries in any order become compressed rows, with no CSR in between. */
static bool compresses(const tulle__pattern *p, tulle_format format) {
    bool listed = tulle__has(p->format, TULLE__LIST | TULLE__COMPRESSED);
    return tulle__has(format, TULLE__COMPRESSED) && listed && p->format != TULLE_CSR;
}

/* True when the way of a conversion has rows + 1 offsets somewhere: all have but those in which
 * entries keep their order, and those from compressed rows to lists. */
static bool needs_offsets(const tulle__pattern *p, tulle_format format, bool sum) {
    if (tulle__has(p->format, TULLE__COMPRESSED)) return format != TULLE_COO && format != TULLE_CSC;
    return sum || format != TULLE_COO || !tulle__has(p->format, TULLE__LIST) ||
           p->format == TULLE_CSC;
}

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                          tulle_format format, tulle_index index, unsigned flags) {
    if ((unsigned)format >= TULLE_FORMAT_COUNT) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "format", -1,
                           "format %d is not one of tulle_format", (int)format);
    }
    TULLE__TRY(tulle__check_index(function, index));
    if (flags & ~(unsigned)TULLE_SUM_DUPLICATES) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "flags", -1,
                           "flags %#x has unknown bits", flags);
    }
    TULLE__TRY(tulle__check_space(function, ctx, A));
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(tulle__check_sizes(function, p->rows, p->cols, p->nnz, index));
    bool offsets = !compresses(p, format) && needs_offsets(p, format, flags != 0);
    if (offsets && p->format != TULLE_CSR) {
        TULLE__TRY(tulle__check_offsets_fit(function, ctx, p->rows, index));
    }
    return format == TULLE_CSC ? tulle__check_offsets_fit(function, ctx, p->cols, index) : TULLE_OK;
}

tulle_status tulle__convert(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                            tulle_format format, tulle_index index,
                            const tulle_convert_options *options, void **clipped, tulle_mat **B) {
    TULLE__TRY(check(function, ctx, A, format, index, options->flags));
    bool sum = options->flags != 0;
    if (compresses(A->pattern, format)) return sort_entries(ctx, A, index, false, sum, true, B);
    if (!tulle__has(format, TULLE__LIST))
        return tulle__to_layout(ctx, function, A, format, index, options, clipped, B);
    return convert_list(ctx, A, format, index, sum, B);
}

tulle_status tulle_mat_convert(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                               tulle_index index, unsigned flags, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle_convert_options options = {.flags = flags};
    return tulle__convert(__func__, ctx, A, format, index, &options, NULL, B);
}

tulle_status tulle_mat_convert_with_sized(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                          tulle_index index, const tulle_convert_options *options,
                                          size_t options_size, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle_convert_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    return tulle__convert(__func__, ctx, A, format, index, &own, NULL, B);
}

tulle_status tulle_mat_transpose(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    const bool listed = is_compressed(A) || p->format == TULLE_COO || p->format == TULLE_CSR;
    const bool compress = listed && tulle__is_hypersparse(p->cols, p->nnz);
    if (!compress) TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, p->cols, p->index));
    if (p->format == TULLE_BSR) return tulle__turn_bsr(ctx, A, B, NULL);
    tulle_mat *list = NULL;
    TULLE__TRY(as_list(ctx, A, false, &list));
    tulle_status status = turn_list(ctx, list, compress, B);
    tulle_mat_destroy(list);
    return status;
}
