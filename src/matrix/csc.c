/* SPDX-License-Identifier: Apache-2.0 */
/* CSC: the CSR of the transpose, with rows and columns named as CSC has them. */
#include "matrix/csc.h"
#include "matrix/build.h"

static tulle_status copy_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size) {
    return ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size));
}

static tulle_status relabel(tulle_ctx *ctx, const tulle_mat *T, tulle__draft *d) {
    const tulle__pattern *p = T->pattern;
    TULLE__TRY(copy_array(ctx, d->arrays.offsets, p->offsets.data, p->rows + 1,
                          tulle_offset_size(p->index)));
    TULLE__TRY(
        copy_array(ctx, d->arrays.rows_of, p->cols_of.data, p->nnz, tulle_index_size(p->index)));
    TULLE__TRY(copy_array(ctx, d->values, T->values.data, p->nnz, tulle_type_size(T->type)));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

tulle_status tulle__csc_around(tulle_ctx *ctx, const tulle_mat *T, const tulle__stats *stats,
                               tulle_mat **B) {
    const tulle__pattern *p = T->pattern;
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->cols,
                          .cols = p->rows,
                          .nnz = p->nnz,
                          .format = TULLE_CSC,
                          .index = p->index,
                          .type = T->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status = relabel(ctx, T, &draft);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, stats, B);
}
