/* SPDX-License-Identifier: Apache-2.0 */
#include "beyond.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"

const int64_t beyond[BEYOND] = {((int64_t)1 << 31) - 7, ((int64_t)1 << 31) + 2,
                                ((int64_t)1 << 32) - 8, ((int64_t)1 << 32) + 3};

const void *moved_back(const void *pointer, int64_t base, int64_t item_size) {
    return (const void *)((uintptr_t)pointer - (uintptr_t)(base * item_size));
}

void *moved_offsets(tulle_ctx *ctx, const void *offsets, int64_t rows, int64_t base) {
    const size_t bytes = (size_t)(rows + 1) * sizeof(int64_t);
    int64_t *host = malloc(bytes);
    void *there = NULL;
    assert_non_null(host);
    must(tulle__copy_wait(ctx, host, offsets, bytes));
    for (int64_t i = 0; i <= rows; i++) host[i] += base;
    must(tulle__alloc(ctx, bytes, &there));
    must(tulle__copy_wait(ctx, there, host, bytes));
    free(host);
    return there;
}

void arrays_compare(tulle_ctx *ctx, const void *got, const void *want, size_t bytes) {
    char *one = malloc(bytes + 1), *two = malloc(bytes + 1);
    assert_true(one && two);
    must(tulle__copy_wait(ctx, one, got, bytes));
    must(tulle__copy_wait(ctx, two, want, bytes));
    assert_memory_equal(one, two, bytes);
    free(one);
    free(two);
}
