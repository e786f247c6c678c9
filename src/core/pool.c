/* SPDX-License-Identifier: Apache-2.0 */
#include "core/pool.h"

#include <stdint.h>
#include <string.h>

#include "core/available.h"
#include "core/pool_forecast.h"
#include "core/room.h"

/* A kept block serves a request of at least this share of its size, so that small requests do not
 * sit on large blocks. */
enum { LARGEST_WASTE = 2 };

/* A kept block that is larger by at least LEAST_REST bytes than its request is cut, at a multiple
 * of STEP bytes, where arrays of any type may begin. A smaller rest is not worth an entry of the
 * table.
 */
enum { LEAST_REST = 1 << 16, STEP = 512 };

/* Bytes of whole blocks that are kept on a CPU: most in all, and least of a block. The C library
 * keeps smaller ones itself. Such a block serves a request of at least 7/8 of its size. */
enum { MOST_WHOLE = 32 << 20, LEAST_WHOLE = 128 << 10, WHOLE_SHARE = 8 };

/* Blocks of this size that the C library maps all begin at the same place of a page, where arrays
 * that are walked together would push each other out of the nearest cache. So each begins a few
 * cache lines, LINES bytes times its number, behind that place, within its first PAGE bytes. */
enum { PAGE = 4096, LINES = 13 * 64 };

/* A block of this size on is worth an entry of the table for each of its parts. */
enum { LEAST_SPLIT = 1 << 20 };

void tulle__pool_init(tulle__pool *pool, const tulle_allocator *source, const tulle_allocator *host,
                      size_t cap, bool keeps) {
    *pool = (tulle__pool){.cap = cap,
                          .keeps = keeps,
                          .keeps_whole = !keeps && cap == 0 && tulle__is_promised(source),
                          .source = *source,
                          .host = *host};
    pthread_mutex_init(&pool->lock, NULL);
}

static void give_back(tulle__pool *pool, const tulle__pool_block *block) {
    if (tulle__is_promised(&pool->source)) tulle__cpu_promise(-(int64_t)block->whole);
    pool->source.release(pool->source.user, block->root, block->whole, pool->stream);
}

/* Gives kept blocks back, but for those of which the source knows a larger one: the rest of that is
 * in use. */
static void trim(tulle__pool *pool) {
    size_t live = 0;
    for (size_t i = 0; i < pool->count; i++) {
        const tulle__pool_block *block = &pool->blocks[i];
        if (block->parts == 0 && block->bytes == block->whole) {
            pool->kept -= block->bytes;
            give_back(pool, block);
        } else {
            pool->blocks[live++] = *block;
        }
    }
    pool->count = live;
}

void tulle__pool_trim(tulle__pool *pool) {
    pthread_mutex_lock(&pool->lock);
    trim(pool);
    pthread_mutex_unlock(&pool->lock);
}

void tulle__pool_close(tulle__pool *pool) {
    trim(pool);
    if (pool->blocks) {
        pool->host.release(pool->host.user, pool->blocks, pool->room * sizeof *pool->blocks, NULL);
    }
    pthread_mutex_destroy(&pool->lock);
}

static bool make_room(tulle__pool *pool) {
    if (pool->count < pool->room) return true;
    size_t room = pool->room ? 2 * pool->room : 32;
    tulle__pool_block *blocks = pool->host.allocate(pool->host.user, room * sizeof *blocks, NULL);
    if (!blocks) return false;
    if (pool->blocks) {
        memcpy(blocks, pool->blocks, pool->count * sizeof *blocks);
        pool->host.release(pool->host.user, pool->blocks, pool->room * sizeof *blocks, NULL);
    }
    pool->blocks = blocks;
    pool->room = room;
    return true;
}

/* True for a kept block that is large enough for a request and not wastefully so. */
static bool serves(const tulle__pool *pool, const tulle__pool_block *block, size_t bytes) {
    const size_t room = pool->keeps ? block->bytes : block->bytes - PAGE;
    if (block->parts > 0 || room < bytes) return false;
    return pool->keeps ? room / LARGEST_WASTE <= bytes : room - room / WHOLE_SHARE <= bytes;
}

/* The smallest kept block that serves a request, or NULL. */
static tulle__pool_block *best_kept(tulle__pool *pool, size_t bytes) {
    tulle__pool_block *best = NULL;
    for (size_t i = 0; i < pool->count; i++) {
        tulle__pool_block *block = &pool->blocks[i];
        if (!serves(pool, block, bytes)) continue;
        if (!best || block->bytes < best->bytes) best = block;
    }
    return best;
}

/* Cuts off what a request does not need of a kept block; the rest becomes a kept block of its own.
 * Returns the block, which may have moved. Blocks that are kept whole are not cut. Under a cap
 * blocks stay whole: none could be given back to make room below the cap while its rest is in use.
 */
static tulle__pool_block *cut(tulle__pool *pool, tulle__pool_block *block, size_t bytes) {
    const size_t at = (size_t)(block - pool->blocks);
    const size_t needed = bytes <= SIZE_MAX - STEP ? (bytes + STEP - 1) / STEP * STEP : bytes;
    if (pool->cap > 0 || !pool->keeps) return block;
    if (block->bytes < needed || block->bytes - needed < LEAST_REST) return block;
    if (!make_room(pool)) return pool->blocks + at;
    block = pool->blocks + at;
    tulle__pool_block rest = *block;
    rest.pointer = (char *)block->pointer + needed;
    rest.bytes -= needed;
    block->bytes = needed;
    pool->blocks[pool->count++] = rest;
    return block;
}

/* True for two kept blocks that were cut from one another. */
static bool adjoin(const tulle__pool_block *a, const tulle__pool_block *b) {
    const bool kept = a->parts == 0 && b->parts == 0, one = a->root == b->root;
    return kept && one && (char *)a->pointer + a->bytes == (char *)b->pointer;
}

/* Joins a kept block with those that it was cut from. */
static void join(tulle__pool *pool, tulle__pool_block *block) {
    for (size_t i = 0; i < pool->count; i++) {
        tulle__pool_block *other = &pool->blocks[i];
        if (!adjoin(other, block) && !adjoin(block, other)) continue;
        tulle__pool_block *lower = adjoin(other, block) ? other : block;
        tulle__pool_block *upper = lower == other ? block : other;
        lower->bytes += upper->bytes;
        *upper = pool->blocks[--pool->count];
        join(pool, lower == pool->blocks + pool->count ? upper : lower);
        return;
    }
}

static bool passes_cap(const tulle__pool *pool, size_t bytes) {
    return pool->cap > 0 && (bytes > pool->cap || pool->in_use + pool->kept > pool->cap - bytes);
}

/* Asks the source for a block. The C library would promise memory that the machine does not
 * have: such a request is refused. */
static void *ask_source(const tulle__pool *pool, size_t bytes) {
    if (tulle__is_promised(&pool->source) && tulle__host_lacks(bytes)) return NULL;
    return pool->source.allocate(pool->source.user, bytes, pool->stream);
}

static tulle__pool_block *new_block(tulle__pool *pool, size_t bytes, bool *capped) {
    if (!make_room(pool)) return NULL;
    if (passes_cap(pool, bytes)) trim(pool);
    *capped = passes_cap(pool, bytes);
    if (*capped) {
        pool->refused = pool->in_use + bytes;
        return NULL;
    }
    const bool aside = pool->keeps_whole && bytes >= LEAST_WHOLE;
    const size_t whole = aside ? bytes + PAGE : bytes;
    char *root = ask_source(pool, whole);
    if (!root && pool->kept > 0) {
        trim(pool);
        root = ask_source(pool, whole);
    }
    if (!root) return NULL;
    char *pointer = aside ? root + ++pool->turns * LINES % PAGE : root;
    if (tulle__is_promised(&pool->source)) tulle__cpu_promise((int64_t)whole);
    tulle__pool_block *block = &pool->blocks[pool->count++];
    *block = (tulle__pool_block){.pointer = pointer, .bytes = bytes, .root = root, .whole = whole};
    pool->kept += bytes;
    return block;
}

void *tulle__pool_get(tulle__pool *pool, size_t bytes, bool *capped) {
    return tulle__pool_get_parts(pool, bytes, 1, capped);
}

void *tulle__pool_get_parts(tulle__pool *pool, size_t bytes, int parts, bool *capped) {
    *capped = false;
    pthread_mutex_lock(&pool->lock);
    tulle__pool_block *block = best_kept(pool, bytes);
    block = block ? cut(pool, block, bytes) : new_block(pool, bytes, capped);
    void *pointer = NULL;
    if (block) {
        block->parts = parts;
        pool->kept -= block->bytes;
        if (!pool->keeps) block->bytes = bytes;
        pool->in_use += block->bytes;
        if (pool->in_use > pool->high) pool->high = pool->in_use;
        pointer = block->pointer;
    }
    pthread_mutex_unlock(&pool->lock);
    return pointer;
}

size_t tulle__pool_refusal(tulle__pool *pool) {
    pthread_mutex_lock(&pool->lock);
    size_t refused = pool->refused;
    pool->refused = 0;
    pthread_mutex_unlock(&pool->lock);
    return refused;
}

static tulle__pool_block *block_of(tulle__pool *pool, const void *pointer) {
    for (size_t i = 0; i < pool->count; i++) {
        tulle__pool_block *block = &pool->blocks[i];
        if (block->parts > 0 && (uintptr_t)pointer - (uintptr_t)block->pointer < block->bytes) {
            return block;
        }
    }
    return NULL;
}

size_t tulle__pool_forecast(tulle__pool *pool, const size_t bytes[], int count) {
    pthread_mutex_lock(&pool->lock);
    size_t in_use = pool->in_use;
    void *taken[TULLE__POOL_FORESEEN] = {NULL};
    for (int k = 0; k < count; k++) {
        tulle__pool_block *block = bytes[k] > 0 ? best_kept(pool, bytes[k]) : NULL;
        if (block) block = cut(pool, block, bytes[k]);
        in_use += block && pool->keeps ? block->bytes : bytes[k];
        if (!block) continue;
        block->parts = 1;
        taken[k] = block->pointer;
    }
    for (int k = 0; k < count; k++) {
        tulle__pool_block *block = taken[k] ? block_of(pool, taken[k]) : NULL;
        if (!block) continue;
        block->parts = 0;
        join(pool, block);
    }
    pthread_mutex_unlock(&pool->lock);
    return in_use;
}

/* Makes the first of a block's parts a block of its own; returns the block of the others. */
static tulle__pool_block *part_off(tulle__pool *pool, tulle__pool_block *block, size_t bytes) {
    tulle__pool_block rest = *block;
    rest.pointer = (char *)block->pointer + bytes;
    rest.bytes -= bytes;
    rest.parts--;
    block->bytes = bytes;
    block->parts = 1;
    pool->blocks[pool->count] = rest;
    return &pool->blocks[pool->count++];
}

void tulle__pool_split(tulle__pool *pool, void *pointer, const size_t bytes[], int count,
                       size_t step) {
    pthread_mutex_lock(&pool->lock);
    tulle__pool_block *block = block_of(pool, pointer);
    const bool worth = block && pool->cap == 0 && block->bytes >= LEAST_SPLIT;
    for (int k = 0; worth && k < count && block->parts > 1; k++) {
        const size_t at = (size_t)(block - pool->blocks);
        if (bytes[k] == 0) continue;
        if (!make_room(pool)) break;
        block = part_off(pool, pool->blocks + at, (bytes[k] + step - 1) / step * step);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void drop(tulle__pool *pool, tulle__pool_block *block) {
    give_back(pool, block);
    *block = pool->blocks[--pool->count];
}

static tulle__pool_block *kept_longest(tulle__pool *pool) {
    tulle__pool_block *oldest = NULL;
    for (size_t i = 0; i < pool->count; i++) {
        tulle__pool_block *block = &pool->blocks[i];
        if (block->parts > 0) continue;
        if (!oldest || block->turn < oldest->turn) oldest = block;
    }
    return oldest;
}

/* Keeps a block whole, of at most MOST_WHOLE bytes, and gives others back that have no room beside
 * it. */
static void keep_whole(tulle__pool *pool, tulle__pool_block *block) {
    block->bytes = block->whole;
    block->turn = ++pool->turns;
    pool->kept += block->bytes;
    while (pool->kept > MOST_WHOLE) {
        tulle__pool_block *oldest = kept_longest(pool);
        pool->kept -= oldest->bytes;
        drop(pool, oldest);
    }
}

/* Frees a block whose last part was put back. */
static void free_block(tulle__pool *pool, tulle__pool_block *block) {
    pool->in_use -= block->bytes;
    if (pool->keeps) {
        pool->kept += block->bytes;
        join(pool, block);
    } else if (pool->keeps_whole && block->whole >= LEAST_WHOLE && block->whole <= MOST_WHOLE) {
        keep_whole(pool, block);
    } else {
        drop(pool, block);
    }
}

void tulle__pool_put(tulle__pool *pool, void *pointer) {
    if (!pointer) return;
    pthread_mutex_lock(&pool->lock);
    tulle__pool_block *block = block_of(pool, pointer);
    if (block && --block->parts == 0) free_block(pool, block);
    pthread_mutex_unlock(&pool->lock);
}

/* The pool's lock, which readers take too. */
static pthread_mutex_t *lock_of(const tulle__pool *pool) {
    return (pthread_mutex_t *)&pool->lock;
}

tulle_memory_usage tulle__pool_usage(const tulle__pool *pool) {
    pthread_mutex_lock(lock_of(pool));
    tulle_memory_usage usage = {.in_use = pool->in_use, .high = pool->high, .pooled = pool->kept};
    pthread_mutex_unlock(lock_of(pool));
    return usage;
}

void *tulle__pool_stream(const tulle__pool *pool) {
    pthread_mutex_lock(lock_of(pool));
    void *stream = pool->stream;
    pthread_mutex_unlock(lock_of(pool));
    return stream;
}

void tulle__pool_reset_high(tulle__pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->high = pool->in_use;
    pthread_mutex_unlock(&pool->lock);
}

void tulle__pool_raise_high(tulle__pool *pool, size_t bytes) {
    pthread_mutex_lock(&pool->lock);
    if (pool->high < bytes) pool->high = bytes;
    pthread_mutex_unlock(&pool->lock);
}

void tulle__pool_set_stream(tulle__pool *pool, void *stream) {
    pthread_mutex_lock(&pool->lock);
    pool->stream = stream;
    pthread_mutex_unlock(&pool->lock);
}
