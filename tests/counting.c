/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "counting.h"

#include <stdlib.h>

static void *allocate(void *user, size_t bytes, void *stream) {
    (void)stream;
    counting *c = user;
    void *pointer = NULL;
    if (++c->requests == c->fail_at || posix_memalign(&pointer, 256, bytes) != 0) return NULL;
    c->live++;
    c->bytes += (int64_t)bytes;
    if (c->most < c->bytes) c->most = c->bytes;
    return pointer;
}

static void release(void *user, void *pointer, size_t bytes, void *stream) {
    (void)stream;
    counting *c = user;
    c->live--;
    c->bytes -= (int64_t)bytes;
    free(pointer);
}

tulle_allocator counting_allocator(counting *c) {
    return (tulle_allocator){allocate, release, c};
}
