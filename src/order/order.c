/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include <inttypes.h>

/* Sets inverse[order[i]] to i for all i; fails if order is not a permutation. */
static tulle_status invert(int64_t n, const int64_t *order, int64_t *inverse) {
    for (int64_t k = 0; k < n; k++) inverse[k] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = order[i];
        if (k < 0 || k >= n) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_order_create", "order", i,
                               "order[%" PRId64 "] is %" PRId64 "; it must be 0 to %" PRId64, i, k,
                               n - 1);
        }
        if (inverse[k] >= 0) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_order_create", "order", i,
                               "%" PRId64 " is at both places %" PRId64 " and %" PRId64
                               "; each number may stand only once",
                               k, inverse[k], i);
        }
        inverse[k] = i;
    }
    return TULLE_OK;
}

/* Makes the arrays of the order in the memory of the context's place. */
static tulle_status fill(tulle_order *made, size_t bytes, const int64_t *order, int64_t *inverse) {
    tulle_ctx *ctx = made->ctx;
    TULLE__TRY(invert(made->length, order, inverse));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&made->order));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&made->inverse));
    TULLE__TRY(tulle__copy_wait(ctx, made->order, order, bytes));
    return tulle__copy_wait(ctx, made->inverse, inverse, bytes);
}

static tulle_status make(tulle_order *made, const int64_t *order) {
    size_t bytes;
    TULLE__TRY(tulle__size(made->length, sizeof *order, 0, &bytes));
    int64_t *inverse = tulle__host_alloc(made->ctx, bytes);
    if (!inverse) return TULLE_OUT_OF_MEMORY;
    tulle_status status = fill(made, bytes, order, inverse);
    tulle__host_free(made->ctx, inverse);
    return status;
}

tulle_status tulle_order_create(tulle_ctx *ctx, int64_t n, const int64_t *order, tulle_order **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    if (n < 0) return TULLE__BAD("n", "n is %" PRId64 "; it must not be negative", n);
    if (n > 0) TULLE__NEED(order);
    tulle_order *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    *made = (tulle_order){.ctx = ctx, .length = n};
    tulle__ctx_retain(ctx);
    tulle_status status = make(made, order);
    if (status == TULLE_OK) {
        *P = made;
    } else {
        tulle_order_destroy(made);
    }
    return status;
}

void tulle_order_destroy(tulle_order *P) {
    if (!P) return;
    tulle_ctx *ctx = P->ctx;
    tulle__free(ctx, P->inverse);
    tulle__free(ctx, P->order);
    tulle__host_free(ctx, P);
    tulle__ctx_release(ctx);
}

int64_t tulle_order_length(const tulle_order *P) {
    return P ? P->length : 0;
}

static tulle_status check_space(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                                const char *name) {
    if (tulle__same_space(ctx, P->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, name, -1,
                       "%s lives on another device than the context", name);
}

tulle_status tulle_order_read(tulle_ctx *ctx, const tulle_order *P, int64_t *order) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    if (P->length > 0) TULLE__NEED(order);
    TULLE__TRY(check_space(__func__, ctx, P, "P"));
    return tulle__copy_wait(ctx, order, P->order, (size_t)P->length * sizeof *order);
}

tulle_status tulle__order_check(const char *function, const tulle_ctx *ctx, const tulle_order *P,
                                const char *name, int64_t length, const char *of) {
    TULLE__TRY(check_space(function, ctx, P, name));
    if (P->length == length) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                       "%s orders %" PRId64 " numbers; there are %" PRId64 " %s", name, P->length,
                       length, of);
}
