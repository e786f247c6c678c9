/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a context's place: a table of live blocks over an allocator, with a cap and a
 * high-water mark. On a GPU freed blocks are kept for reuse: all work of a context is in one
 * stream, so a block that the host has given back may serve work that comes later in that stream.
 * Where there is no cap, a large kept block is cut for a smaller request, so that the rest serves
 * others, and joined again when both are kept: what is in use is what was asked for, but for less
 * than 64 KB a block.
 *
 * On a CPU without a cap, blocks of the C library's are kept, too, whole and at most 32 MB of them:
 * the library would give their pages back to the system, which clears pages anew for the next call.
 * Those kept longest go first. */
#ifndef TULLE_CORE_POOL_H
#define TULLE_CORE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "tulle/context.h"

typedef struct tulle__pool_block {
    void *pointer;
    size_t bytes;
    int parts;    /* number of parts that are given out; 0: the block is kept */
    void *root;   /* the source's block that this one is cut from, or is */
    size_t whole; /* bytes of that */
    size_t turn;  /* number of the block's last keeping, where blocks are kept whole */
} tulle__pool_block;

typedef struct tulle__pool {
    pthread_mutex_t lock; /* taken since objects may be destroyed by other threads than the
                             context's */
    tulle__pool_block *blocks;
    size_t count, room;
    size_t in_use, high, kept, cap;
    size_t refused;         /* bytes as of tulle__pool_refusal */
    bool keeps;             /* true when all freed blocks are kept */
    bool keeps_whole;       /* true when freed blocks of the C library's are kept */
    size_t turns;           /* number of times that whole blocks were made or kept */
    tulle_allocator source; /* allocator that blocks come from */
    tulle_allocator host;   /* allocator of the table */
    void *stream;
} tulle__pool;

void tulle__pool_init(tulle__pool *pool, const tulle_allocator *source, const tulle_allocator *host,
                      size_t cap, bool keeps);

/* Gives everything back. Nothing may be in use. */
void tulle__pool_close(tulle__pool *pool);

/* Returns a block of bytes > 0; NULL where there is no memory or the cap would be passed, and
 * *capped is true in the latter case. */
void *tulle__pool_get(tulle__pool *pool, size_t bytes, bool *capped);

/* Returns a block of which `parts` parts, each at an address of its own, will be put back one by
 * one; it is in use until the last one is. Otherwise as tulle__pool_get. */
void *tulle__pool_get_parts(tulle__pool *pool, size_t bytes, int parts, bool *capped);

/* Makes the parts of a block, of so many bytes each, rounded up to multiples of `step`, blocks of
 * their own, so that each that is put back serves others. Those of 0 bytes are none. Does nothing
 * where the block is small, or there is a cap. */
void tulle__pool_split(tulle__pool *pool, void *pointer, const size_t bytes[], int count,
                       size_t step);

/* Returns the bytes that would have been in use, had the cap not refused a request since the
 * last call of this; 0: it refused none. */
size_t tulle__pool_refusal(tulle__pool *pool);

/* Puts a block, or a part of one, back; NULL is fine. */
void tulle__pool_put(tulle__pool *pool, void *pointer);

/* Gives kept blocks back to the source; the caller has waited for the stream. */
void tulle__pool_trim(tulle__pool *pool);

/* Returns the bytes in use, their high-water mark, and the bytes that are kept. */
tulle_memory_usage tulle__pool_usage(const tulle__pool *pool);

/* Starts a new high-water mark at what is in use now. */
void tulle__pool_reset_high(tulle__pool *pool);

/* Raises the mark to at least so many bytes, for a caller that started a new one for a while. */
void tulle__pool_raise_high(tulle__pool *pool, size_t bytes);

/* Return and set the stream that is handed to the source. */
void *tulle__pool_stream(const tulle__pool *pool);
void tulle__pool_set_stream(tulle__pool *pool, void *stream);

#endif
