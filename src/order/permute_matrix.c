/* SPDX-License-Identifier: Apache-2.0 */
/* Computes B := P A Q^T: entry (i, j) of A moves to (inverse of P at i, inverse of Q at j), and
 * then the entries are sorted. */
#include "dense/functions.h"
#include "dense/gather.h"
#include "matrix/build.h"
#include "matrix/functions.h"
#include "matrix/reformat.h"
#include "order/order.h"

/* Makes an array with the new index of each index in `from`, which the caller frees. */
static tulle_status map_indices(tulle_ctx *ctx, const tulle__pattern *p, const tulle_order *order,
                                const void *from, void **to) {
    int64_t size = tulle_index_size(p->index);
    void *map = NULL;
    size_t map_bytes, bytes;
    TULLE__TRY(tulle__size(order->length, size, 0, &map_bytes));
    TULLE__TRY(tulle__size(p->nnz, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, map_bytes, &map));
    tulle_status status = tulle__alloc(ctx, bytes, to);
    if (status == TULLE_OK) {
        status = ctx->backend->format->convert_indices(
            &ctx->place, order->length, sizeof *order->inverse, order->inverse, size, map, 0);
    }
    if (status == TULLE_OK) {
        tulle__gather job = {.rows = p->nnz,
                             .cols = 1,
                             .order_size = size,
                             .order = from,
                             .item_size = size,
                             .from = map,
                             .from_row = 1,
                             .to = *to,
                             .to_row = 1};
        status = ctx->backend->dense->gather_rows(&ctx->place, &job);
    }
    tulle__free(ctx, map);
    return status;
}

static tulle_status sort_moved(tulle_ctx *ctx, const tulle_mat *A, const tulle__places *from,
                               const void *rows_of, const void *cols_of, tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    tulle__coo_to_csr job = {.rows = p->rows,
                             .cols = p->cols,
                             .nnz = p->nnz,
                             .in_index_size = tulle_index_size(p->index),
                             .index = p->index,
                             .type = A->type,
                             .rows_of = rows_of ? rows_of : from->rows_of,
                             .cols_of = cols_of ? cols_of : from->cols_of,
                             .values = A->values.data};
    return tulle__sorted_csr(ctx, &job, B);
}

/* Permutes A, which is in COO, CSR or CSC. */
static tulle_status permute(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P,
                            const tulle_order *Q, tulle_mat **B) {
    tulle__places from;
    void *rows_of = NULL, *cols_of = NULL;
    TULLE__TRY(tulle__places_of(ctx, A, &from));
    tulle_status status = TULLE_OK;
    if (P) status = map_indices(ctx, A->pattern, P, from.rows_of, &rows_of);
    if (Q && status == TULLE_OK) {
        status = map_indices(ctx, A->pattern, Q, from.cols_of, &cols_of);
    }
    if (status == TULLE_OK) status = sort_moved(ctx, A, &from, rows_of, cols_of, B);
    tulle__free(ctx, cols_of);
    tulle__free(ctx, rows_of);
    tulle__free(ctx, from.scratch);
    return status;
}

tulle_status tulle_mat_permute(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P,
                               const tulle_order *Q, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    if (P) TULLE__TRY(tulle__order_check(__func__, ctx, P, "P", p->rows, "rows"));
    if (Q) TULLE__TRY(tulle__order_check(__func__, ctx, Q, "Q", p->cols, "columns"));
    TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, p->rows, p->index));
    if (tulle__has(p->format, TULLE__LIST)) return permute(ctx, A, P, Q, B);
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, p->index, false, &csr));
    tulle_status status = permute(ctx, csr, P, Q, B);
    tulle_mat_destroy(csr);
    return status;
}
