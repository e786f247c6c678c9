/* SPDX-License-Identifier: Apache-2.0 */
/* A caching pool over a place's allocator, with a cap and a high-water mark. */
#ifndef TULLE_CORE_POOL_H
#define TULLE_CORE_POOL_H

#include <pthread.h>
#include <stddef.h>

#include "tulle/context.h"

typedef struct tulle__pool_block {
    void *pointer;
    size_t bytes;
    int in_use;
} tulle__pool_block;

typedef struct tulle__pool {
    pthread_mutex_t lock;
    tulle__pool_block *blocks; /* all blocks, in use or kept */
    size_t count, room;
    size_t in_use, high, kept, cap;
    int keep;                 /* whether freed blocks are kept for reuse (GPU) */
    tulle_allocator allocate; /* where blocks come from */
    tulle_allocator host;     /* for the table of blocks */
    void *stream;
} tulle__pool;

#endif
