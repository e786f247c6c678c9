/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a context's place: a table of live blocks over an allocator, with a cap and a
 * high-water mark. On a GPU freed blocks are kept for reuse: all work of a context is in one
 * stream, so a block that the host has given back may serve work that comes later in that stream.
 */
#ifndef TULLE_CORE_POOL_H
#define TULLE_CORE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "tulle/context.h"

typedef struct tulle__pool_block {
    void *pointer;
    size_t bytes;
    int parts; /* that are given out; 0: the block is kept */
} tulle__pool_block;

typedef struct tulle__pool {
    pthread_mutex_t lock; /* objects may be destroyed by other threads than the context's */
    tulle__pool_block *blocks;
    size_t count, room;
    size_t in_use, high, kept, cap;
    size_t refused; /* see tulle__pool_refusal */
    bool keeps;
    tulle_allocator source; /* where blocks come from */
    tulle_allocator host;   /* for the table */
    void *stream;
} tulle__pool;

void tulle__pool_init(tulle__pool *pool, const tulle_allocator *source, const tulle_allocator *host,
                      size_t cap, bool keeps);

/* Gives everything back. Nothing may be in use. */
void tulle__pool_close(tulle__pool *pool);

/* NULL where there is no memory or the cap would be passed; *capped says which. bytes > 0. */
void *tulle__pool_get(tulle__pool *pool, size_t bytes, bool *capped);

/* The same for a block of which so many parts, each at an address of its own, will be put back one
 * by one; it is in use until the last one is. */
void *tulle__pool_get_parts(tulle__pool *pool, size_t bytes, int parts, bool *capped);

/* What would have been in use, had the cap not refused a request since this was asked last; 0: it
 * refused none. */
size_t tulle__pool_refusal(tulle__pool *pool);

/* A block, or a part of one; NULL is fine. */
void tulle__pool_put(tulle__pool *pool, void *pointer);

/* Gives kept blocks back to the source; the caller has waited for the stream. */
void tulle__pool_trim(tulle__pool *pool);

/* What is in use, its high-water mark, what is kept. */
tulle_memory_usage tulle__pool_usage(const tulle__pool *pool);

/* Starts a new high-water mark at what is in use now. */
void tulle__pool_reset_high(tulle__pool *pool);

/* Raises the mark to at least so many bytes, for who started a new one for a while. */
void tulle__pool_raise_high(tulle__pool *pool, size_t bytes);

/* The stream that the source is told, now and from now on. */
void *tulle__pool_stream(const tulle__pool *pool);
void tulle__pool_set_stream(tulle__pool *pool, void *stream);

#endif
