/* SPDX-License-Identifier: Apache-2.0 */
#include "amg/part.h"

#include "matrix/result.h"

tulle_status tulle__amg_take(tulle_ctx *ctx, int64_t count, size_t size, void *pointer) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, (int64_t)size, 0, &bytes));
    return tulle__alloc(ctx, bytes, (void **)pointer);
}

tulle_status tulle__amg_draft_part(tulle_ctx *ctx, const tulle__amg_split *split, int64_t cols,
                                   int64_t entries, tulle__amg_part *part, tulle__draft *draft) {
    *draft = (tulle__draft){.ctx = ctx,
                            .rows = split->csr.rows,
                            .cols = cols,
                            .nnz = entries,
                            .format = TULLE_CSR,
                            .index = split->csr.index,
                            .type = split->type,
                            .together = true};
    TULLE__TRY(tulle__draft_alloc(draft));
    part->offsets = draft->arrays.offsets;
    part->cols_of = draft->arrays.cols_of;
    part->values = draft->values;
    if (split->csr.rows > 0) return TULLE_OK;
    /* A process without rows has no row behind which a kernel would store the end. */
    return ctx->backend->set_bytes(&ctx->place, part->offsets, 0,
                                   (size_t)tulle_offset_size(split->csr.index));
}

tulle_status tulle__amg_finish_part(tulle__draft *draft, tulle_mat **A) {
    const tulle__asked as_it_is = {.given = true, .index = draft->index};
    return tulle__result_finish(draft, as_it_is, true, A);
}
