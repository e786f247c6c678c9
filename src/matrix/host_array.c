/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/renumber.h"

tulle_status tulle__host_array_read(tulle_ctx *ctx, const void *from, int64_t count, int64_t size,
                                    tulle__host_array *array) {
    *array = (tulle__host_array){.data = from};
    if (ctx->kind == TULLE_CPU || count == 0) return TULLE_OK;
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    array->data = array->owned = tulle__host_alloc(ctx, bytes);
    if (!array->owned) return TULLE_OUT_OF_MEMORY;
    return tulle__copy_wait(ctx, array->owned, from, bytes);
}

void tulle__host_array_free(tulle_ctx *ctx, tulle__host_array *array) {
    tulle__host_free(ctx, array->owned);
    *array = (tulle__host_array){NULL, NULL};
}

tulle_status tulle__host_array_put(tulle_ctx *ctx, const void *host, int64_t count, int64_t size,
                                   void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, array));
    tulle_status status = tulle__copy_wait(ctx, *array, host, bytes);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *array);
    *array = NULL;
    return status;
}
