/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/kept_operand.h"

#include "matrix/marks_of.h"
#include "matrix/turn.h"

/* Finds the place of each of a transpose's values in p; the pattern is found once more on the
 * way. */
static tulle_status find_perm(tulle_ctx *ctx, const tulle__pattern *p, int64_t **perm) {
    size_t offsets_bytes = 0, cols_bytes = 0, perm_bytes = 0;
    void *offsets = NULL, *cols = NULL, *found = NULL;
    TULLE__TRY(tulle__size(p->cols + 1, tulle_offset_size(p->index), 0, &offsets_bytes));
    TULLE__TRY(tulle__size(p->nnz, tulle_index_size(p->index), 0, &cols_bytes));
    TULLE__TRY(tulle__size(p->nnz, sizeof **perm, 0, &perm_bytes));
    tulle_status status = tulle__alloc(ctx, perm_bytes, &found);
    if (status == TULLE_OK) status = tulle__alloc(ctx, offsets_bytes, &offsets);
    if (status == TULLE_OK) status = tulle__alloc(ctx, cols_bytes, &cols);
    if (status == TULLE_OK) status = tulle__turn_pattern(ctx, p, offsets, cols, found);
    tulle__free(ctx, cols);
    tulle__free(ctx, offsets);
    if (status != TULLE_OK) tulle__free(ctx, found);
    if (status == TULLE_OK) *perm = found;
    return status;
}

/* Copies a transpose that shares the pattern of M, because the pattern is its own transpose, to
 * a matrix with another pattern: what a pattern keeps must not hold a pattern that may hold it
 * in turn. */
static tulle_status with_own_pattern(tulle_ctx *ctx, const tulle_mat *csr, tulle_mat **own) {
    const tulle__pattern *p = csr->pattern;
    const tulle__backend *backend = ctx->backend;
    const tulle__place *place = &ctx->place;
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->rows,
                          .cols = p->cols,
                          .nnz = p->nnz,
                          .format = TULLE_CSR,
                          .index = p->index,
                          .type = csr->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status = backend->copy(place, draft.arrays.offsets, p->offsets.data,
                                        tulle__bytes(p->rows + 1, tulle_offset_size(p->index)));
    if (status == TULLE_OK) {
        status = backend->copy(place, draft.arrays.cols_of, p->cols_of.data,
                               tulle__bytes(p->nnz, tulle_index_size(p->index)));
    }
    if (status == TULLE_OK) return tulle__draft_finish(&draft, &p->stats, own);
    tulle__draft_free(&draft);
    return status;
}

/* True when csr has M's values and no sums of them, in the same order, but for the transpose. */
static bool has_values_of(tulle_trans op, const tulle_mat *M, const tulle_mat *csr) {
    const tulle__pattern *p = M->pattern;
    if (csr == M || p->format != TULLE_CSR) return false;
    if (op == TULLE_T) return csr->pattern->nnz == p->nnz;
    return p->stats.rising || !csr->pattern->stats.rising;
}

tulle_status tulle__spgemm_keep_operand(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M,
                                        tulle_mat *csr, tulle__spgemm_kept_operand *kept) {
    if (!has_values_of(op, M, csr)) return TULLE_OK;
    if (op == TULLE_T && M->pattern->nnz > 0) TULLE__TRY(find_perm(ctx, M->pattern, &kept->perm));
    if (csr->pattern == M->pattern) {
        TULLE__TRY(with_own_pattern(ctx, csr, &kept->csr));
    } else {
        kept->csr = tulle_mat_retain(csr);
    }
    return TULLE_OK;
}

tulle_status tulle__spgemm_renew_operand(tulle_ctx *ctx, const tulle_mat *M,
                                         const tulle__spgemm_kept_operand *kept) {
    const tulle__format_functions *format = ctx->backend->format;
    const int64_t nnz = M->pattern->nnz;
    void *to = kept->csr->values.data;
    if (nnz == 0) return TULLE_OK;
    if (!kept->perm) {
        return format->convert_values(&ctx->place, nnz, M->type, M->values.data, M->type, to);
    }
    return format->gather_values(&ctx->place, nnz, M->type, kept->perm, M->values.data, to);
}

void tulle__spgemm_drop_operand(tulle_ctx *ctx, tulle__spgemm_kept_operand *kept) {
    tulle_mat_destroy(kept->csr);
    tulle__free(ctx, kept->perm);
    *kept = (tulle__spgemm_kept_operand){.csr = NULL};
}

int64_t tulle__spgemm_operand_bytes(const tulle__spgemm_kept_operand *kept) {
    if (!kept->csr) return 0;
    const tulle__pattern *p = kept->csr->pattern;
    const tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    const int64_t perm = kept->perm ? p->nnz * (int64_t)sizeof *kept->perm : 0;
    return tulle__structure_bytes(&n, p->index) + tulle__marks_bytes(p) +
           p->nnz * tulle_type_size(kept->csr->type) + perm;
}
