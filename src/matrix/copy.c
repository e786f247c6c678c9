/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in other memory and of other value types. */
#include "matrix/build.h"
#include "matrix/functions.h"

/* Bytes of host memory through which data passes between two GPUs that cannot see each other's. */
enum { STAGE_BYTES = 1 << 20 };

static tulle_status copy_staged(tulle_ctx *to_ctx, char *to, tulle_ctx *from_ctx, const char *from,
                                size_t bytes) {
    size_t room = bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
    void *stage = tulle__host_alloc(to_ctx, room);
    if (!stage) return TULLE_OUT_OF_MEMORY;
    tulle_status status = TULLE_OK;
    for (size_t done = 0; done < bytes && status == TULLE_OK; done += room) {
        size_t part = bytes - done < room ? bytes - done : room;
        status = tulle__copy_wait(from_ctx, stage, from + done, part);
        if (status == TULLE_OK) status = tulle__copy_wait(to_ctx, to + done, stage, part);
    }
    tulle__host_free(to_ctx, stage);
    return status;
}

static tulle_status copy_between(tulle_ctx *to_ctx, void *to, tulle_ctx *from_ctx, const void *from,
                                 int64_t count, int64_t size) {
    size_t bytes = tulle__bytes(count, size);
    if (bytes == 0) return TULLE_OK;
    if (tulle__same_space(to_ctx, from_ctx) || from_ctx->kind == TULLE_CPU) {
        return tulle__copy_wait(to_ctx, to, from, bytes);
    }
    if (to_ctx->kind == TULLE_CPU) return tulle__copy_wait(from_ctx, to, from, bytes);
    return copy_staged(to_ctx, to, from_ctx, from, bytes);
}

/* Copies A's values to the context's memory, in the type wanted. */
static tulle_status copy_values(tulle_ctx *ctx, const tulle_mat *A, tulle_type type, void *to) {
    int64_t count = A->pattern->storage.stored, size = tulle_type_size(A->type);
    if (type == A->type) return copy_between(ctx, to, A->ctx, A->values.data, count, size);
    void *scratch = NULL;
    const void *from = A->values.data;
    if (!tulle__same_space(ctx, A->ctx)) {
        TULLE__TRY(tulle__alloc(ctx, tulle__bytes(count, size), &scratch));
        from = scratch;
    }
    tulle_status status = TULLE_OK;
    if (scratch) status = copy_between(ctx, scratch, A->ctx, A->values.data, count, size);
    if (status == TULLE_OK) {
        status = ctx->backend->format->convert_values(&ctx->place, count, A->type, from, type, to);
    }
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    tulle__free(ctx, scratch);
    return status;
}

static tulle_status copy_arrays(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        TULLE__TRY(copy_between(d->ctx, *tulle__array_at(&d->arrays, k), A->ctx, p->arrays[k].data,
                                tulle__array_count(&n, k), tulle__array_item(p->index, k)));
    }
    return copy_values(d->ctx, A, d->type, d->values);
}

static tulle_status copy_everything(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                    tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->rows,
                          .cols = p->cols,
                          .nnz = p->nnz,
                          .format = p->format,
                          .index = p->index,
                          .type = type,
                          .storage = p->storage};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status = copy_arrays(A, &draft);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &p->stats, B);
}

static tulle_status copy_values_only(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                     tulle_mat **B) {
    size_t bytes;
    TULLE__TRY(tulle__size(A->pattern->storage.stored, tulle_type_size(type), 0, &bytes));
    tulle__array values = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__alloc(ctx, bytes, &values.data));
    tulle_status status = copy_values(ctx, A, type, values.data);
    if (status == TULLE_OK) status = tulle__mat_around(ctx, A->pattern, type, &values, B);
    if (status != TULLE_OK) tulle__free(ctx, values.data);
    return status;
}

/* True when the copy shares A's pattern: patterns do not change, so a copy in the same context
 * may share one that is not borrowed. */
static bool shares_pattern(const tulle_ctx *ctx, const tulle_mat *A) {
    return ctx == A->ctx && ctx == A->pattern->ctx && A->pattern->cols_of.ownership != TULLE_BORROW;
}

tulle_status tulle_mat_copy(tulle_ctx *ctx, const tulle_mat *A, tulle_type type, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(A->ctx->backend->stream_wait(A->ctx->place.device, A->ctx->place.stream));
    return shares_pattern(ctx, A) ? copy_values_only(ctx, A, type, B)
                                  : copy_everything(ctx, A, type, B);
}
