/* SPDX-License-Identifier: Apache-2.0 */
/* New values for a pattern. */
#include "matrix/build.h"
#include "matrix/copies.h"

tulle_status tulle_mat_with_values(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                   const void *values, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    tulle__pattern *pattern = A->pattern;
    if (pattern->storage.stored > 0) TULLE__NEED(values);
    size_t bytes;
    TULLE__TRY(tulle__size(pattern->storage.stored, tulle_type_size(type), 0, &bytes));
    tulle__array copy = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__alloc(ctx, bytes, &copy.data));
    tulle_status status = tulle__copy_wait(ctx, copy.data, values, bytes);
    if (status == TULLE_OK) status = tulle__mat_around(ctx, pattern, type, &copy, B);
    if (status != TULLE_OK) tulle__free(ctx, copy.data);
    return status;
}

tulle_status tulle_mat_set_values(tulle_ctx *ctx, tulle_mat *A, const void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    if (A->pattern->storage.stored == 0) return TULLE_OK;
    TULLE__NEED(values);
    if (values != A->values.data) {
        size_t bytes = tulle__bytes(A->pattern->storage.stored, tulle_type_size(A->type));
        TULLE__TRY(ctx->backend->copy(&ctx->place, A->values.data, values, bytes));
    }
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = tulle__copies_refresh(ctx, A);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
}
