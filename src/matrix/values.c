/* SPDX-License-Identifier: Apache-2.0 */
/* New values for a pattern. */
#include "matrix/build.h"
#include "matrix/copies.h"

/* Checks the caller's number of values, so that none is read behind their end. */
static tulle_status check_count(const char *function, const tulle_mat *A, int64_t count,
                                const void *values) {
    int64_t slots = A->pattern->storage.stored;
    if (count != slots) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "count", -1,
                           "count is %lld; A has %lld slots (format %s, %lld entries), one value "
                           "for each",
                           (long long)count, (long long)slots,
                           tulle_format_name(A->pattern->format), (long long)A->pattern->nnz);
    }
    if (slots == 0 || values) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "values", -1, "values is NULL");
}

tulle_status tulle_mat_with_values(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                   int64_t count, const void *values, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    TULLE__TRY(check_count(__func__, A, count, values));
    tulle__pattern *pattern = A->pattern;
    size_t bytes;
    TULLE__TRY(tulle__size(pattern->storage.stored, tulle_type_size(type), 0, &bytes));
    tulle__array copy = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__alloc(ctx, bytes, &copy.data));
    tulle_status status = tulle__copy_wait(ctx, copy.data, values, bytes);
    if (status == TULLE_OK) status = tulle__mat_around(ctx, pattern, type, &copy, B);
    if (status != TULLE_OK) tulle__free(ctx, copy.data);
    return status;
}

static void give_back(void *user, void *array) {
    tulle_ctx *ctx = user;
    tulle__free(ctx, array);
    tulle__ctx_release(ctx);
}

/* Gives A values of its own in the place of a borrowed array, which is the caller's, who may not
 * even be allowed to write it. They are from the pool of the context at hand, which need not be
 * A's. */
static tulle_status replace_borrowed(tulle_ctx *ctx, tulle_mat *A, const void *values,
                                     size_t bytes) {
    tulle__array own = {.ownership = TULLE_TAKE, .release = give_back, .user = ctx};
    TULLE__TRY(tulle__alloc(ctx, bytes, &own.data));
    tulle_status status = ctx->backend->copy(&ctx->place, own.data, values, bytes);
    if (status != TULLE_OK) {
        tulle__free(ctx, own.data);
        return status;
    }
    tulle__ctx_retain(ctx);
    if (A->values.lent) tulle__give_back(A->ctx, A->values.data);
    A->values = own;
    return TULLE_OK;
}

static tulle_status put_values(tulle_ctx *ctx, tulle_mat *A, const void *values) {
    size_t bytes = tulle__bytes(A->pattern->storage.stored, tulle_type_size(A->type));
    if (values == A->values.data) return TULLE_OK;
    if (A->values.ownership == TULLE_BORROW) return replace_borrowed(ctx, A, values, bytes);
    return ctx->backend->copy(&ctx->place, A->values.data, values, bytes);
}

static tulle_status refresh(tulle_ctx *ctx, tulle_mat *A) {
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = tulle__copies_refresh(ctx, A);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
}

tulle_status tulle_mat_set_values(tulle_ctx *ctx, tulle_mat *A, int64_t count, const void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    TULLE__TRY(check_count(__func__, A, count, values));
    if (count == 0) return TULLE_OK;
    TULLE__TRY(put_values(ctx, A, values));
    return refresh(ctx, A);
}

tulle_status tulle_mat_values_changed(tulle_ctx *ctx, tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    return A->pattern->storage.stored > 0 ? refresh(ctx, A) : TULLE_OK;
}
