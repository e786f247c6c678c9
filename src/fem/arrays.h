/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the place's, for whoever frees them with tulle__free. */
#ifndef TULLE_FEM_ARRAYS_H
#define TULLE_FEM_ARRAYS_H

#include "core/context.h"

/* Room for so many items of a size in bytes. */
static inline tulle_status tulle__array_new(tulle_ctx *ctx, int64_t count, int64_t size,
                                            void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, array);
}

/* A copy of an array of the host's. Waits. */
static inline tulle_status tulle__array_copy(tulle_ctx *ctx, const void *host, int64_t count,
                                             int64_t size, void **array) {
    TULLE__TRY(tulle__array_new(ctx, count, size, array));
    return tulle__copy_wait(ctx, *array, host, (size_t)count * (size_t)size);
}

#endif
