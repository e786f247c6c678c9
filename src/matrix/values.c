/* SPDX-License-Identifier: Apache-2.0 */
/* New values for a pattern. */
#include "matrix/values.h"

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

/* Gives A an array of its own in the place of a borrowed one, which is the caller's, who may not
 * even be allowed to write it. The array is from the pool of the context at hand, which need not be
 * A's. */
static void replace_borrowed(tulle_ctx *ctx, tulle_mat *A, void *own) {
    tulle__ctx_retain(ctx);
    if (A->values.lent) tulle__give_back(A->ctx, A->values.data);
    A->values =
        (tulle__array){.data = own, .ownership = TULLE_TAKE, .release = give_back, .user = ctx};
}

tulle_status tulle__values_room(tulle_ctx *ctx, const tulle_mat *A, void **room) {
    *room = A->values.data;
    if (A->values.ownership != TULLE_BORROW) return TULLE_OK;
    return tulle__alloc(ctx, tulle__bytes(A->pattern->storage.stored, tulle_type_size(A->type)),
                        room);
}

void tulle__values_drop(tulle_ctx *ctx, const tulle_mat *A, void *room) {
    if (room != A->values.data) tulle__free(ctx, room);
}

static tulle_status refresh(tulle_ctx *ctx, tulle_mat *A) {
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = tulle__copies_refresh(ctx, A);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
}

tulle_status tulle__values_put(tulle_ctx *ctx, tulle_mat *A, void *room) {
    if (room != A->values.data) replace_borrowed(ctx, A, room);
    return refresh(ctx, A);
}

static tulle_status copy_values(tulle_ctx *ctx, tulle_mat *A, const void *values) {
    const size_t bytes = tulle__bytes(A->pattern->storage.stored, tulle_type_size(A->type));
    void *room = NULL;
    TULLE__TRY(tulle__values_room(ctx, A, &room));
    const tulle_status status = ctx->backend->copy(&ctx->place, room, values, bytes);
    if (status == TULLE_OK) return tulle__values_put(ctx, A, room);
    tulle__values_drop(ctx, A, room);
    return status;
}

tulle_status tulle_mat_set_values(tulle_ctx *ctx, tulle_mat *A, int64_t count, const void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    TULLE__TRY(check_count(__func__, A, count, values));
    if (count == 0) return TULLE_OK;
    return values == A->values.data ? refresh(ctx, A) : copy_values(ctx, A, values);
}

tulle_status tulle_mat_values_changed(tulle_ctx *ctx, tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    return A->pattern->storage.stored > 0 ? refresh(ctx, A) : TULLE_OK;
}
