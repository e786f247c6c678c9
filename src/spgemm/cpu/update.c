/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a product whose pattern is known, on a CPU: for each row of C, where its columns are is
 * written into a map, directly where they are near each other, else by hash; products go where the
 * map says. */
#ifndef VALUE

#include <omp.h>
#include <string.h>

#include "core/access.h"
#include "core/context.h"
#include "spgemm/cpu/chunks.h"
#include "spgemm/functions.h"

/* Columns that a row may reach over for its map to be direct, and to stay in the caches. */
enum { DIRECT = 1 << 15, LEAST_SLOTS = 16, SCALE = 107 };

/* What is kept: where chunks of equal work begin, in arrays[0]. */
enum { OWN_THREADS, OWN_CHUNKS };

static int64_t slots_for(int64_t columns) {
    int64_t slots = LEAST_SLOTS;
    while (slots < 2 * columns) slots *= 2;
    return slots;
}

/* A direct map, and keys and places of a hashed one. */
static int64_t map_numbers(const tulle__spgemm_task *task) {
    return DIRECT + 2 * slots_for(task->widest_row);
}

static int64_t offset_of(const tulle__spgemm_result *c, int64_t i) {
    return tulle__get(c->offsets, tulle_offset_size(c->index), i);
}

#define TULLE__SELF "spgemm/cpu/update.c"
#include "core/each_type.h"

typedef tulle_status (*keep_fn)(tulle__spgemm_task *task, tulle__spgemm_kept *kept,
                                int64_t *outside);
typedef tulle_status (*update_fn)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept);
static const keep_fn keep[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(keep);
static const update_fn update[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] = TULLE__RUN_ALL(update);

tulle_status tulle__cpu_keep_product(tulle__spgemm_task *task, tulle__spgemm_kept *kept,
                                     int64_t *outside) {
    return keep[task->type][task->index](task, kept, outside);
}

tulle_status tulle__cpu_update_product(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return update[task->type][task->index](task, kept);
}

#else /* once for each type combination */

/* The row of C that a thread is at. */
typedef struct NAME(map) {
    INDEX *direct;        /* by column less the first: which entry, if it has that column */
    INDEX *keys, *places; /* by hash; free keys are -1 */
    int64_t mask;         /* 0: the row's map is direct */
    const INDEX *cols;    /* of the row */
    int64_t count;
} NAME(map);

static inline int64_t NAME(slot)(const NAME(map) * map, INDEX column) {
    int64_t slot = (int64_t)((uint64_t)column * SCALE) & map->mask;
    while (map->keys[slot] != column && map->keys[slot] >= 0) slot = (slot + 1) & map->mask;
    return slot;
}

static inline void NAME(draw)(NAME(map) * map) {
    const int64_t span = map->cols[map->count - 1] - map->cols[0] + 1;
    map->mask = span <= DIRECT ? 0 : slots_for(map->count) - 1;
    if (map->mask == 0) {
        for (int64_t k = 0; k < map->count; k++) {
            map->direct[map->cols[k] - map->cols[0]] = (INDEX)k;
        }
        return;
    }
    memset(map->keys, -1, (size_t)(map->mask + 1) * sizeof *map->keys);
    for (int64_t k = 0; k < map->count; k++) {
        int64_t slot = NAME(slot)(map, map->cols[k]);
        map->keys[slot] = map->cols[k];
        map->places[slot] = (INDEX)k;
    }
}

static inline int64_t NAME(place)(const NAME(map) * map, INDEX column) {
    if (map->mask == 0) return map->direct[column - map->cols[0]];
    return map->places[NAME(slot)(map, column)];
}

/* Whether the row has the column: a direct map is full of what rows before left in it. */
static inline bool NAME(has)(const NAME(map) * map, INDEX column) {
    if (map->mask > 0) return map->keys[NAME(slot)(map, column)] == column;
    if (column < map->cols[0] || column > map->cols[map->count - 1]) return false;
    INDEX k = map->direct[column - map->cols[0]];
    return k >= 0 && k < map->count && map->cols[k] == column;
}

static bool NAME(fits)(const tulle__spgemm_task *task, const NAME(map) * map, int64_t i) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        int64_t end = b_offsets[a_cols[e] + 1];
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            if (map->count == 0 || !NAME(has)(map, b_cols[f])) return false;
        }
    }
    return true;
}

static void NAME(sum)(const tulle__spgemm_task *task, const NAME(map) * map, int64_t i, VALUE alpha,
                      VALUE *values) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    for (int64_t k = 0; k < map->count; k++) values[k] = -(VALUE)0;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        const VALUE factor = a_values[e];
        const int64_t end = b_offsets[a_cols[e] + 1];
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            values[NAME(place)(map, b_cols[f])] += factor * b_values[f];
        }
    }
    for (int64_t k = 0; k < map->count; k++) values[k] *= alpha;
}

static NAME(map) NAME(map_in)(const tulle__spgemm_task *task, INDEX *memory) {
    const int64_t slots = slots_for(task->widest_row);
    memset(memory, 0, DIRECT * sizeof *memory);
    return (NAME(map)){
        .direct = memory, .keys = memory + DIRECT, .places = memory + DIRECT + slots};
}

static int64_t NAME(row)(const tulle__spgemm_task *task, NAME(map) * map, int64_t i) {
    const int64_t begin = offset_of(&task->c, i);
    map->cols = (const INDEX *)task->c.cols_of + begin;
    map->count = offset_of(&task->c, i + 1) - begin;
    if (map->count > 0) NAME(draw)(map);
    return begin;
}

/* kept: rows in chunks. outside: NULL, and values are computed; or the least row that does not
 * fit, and no value is. */
static tulle_status NAME(go)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept,
                             int64_t *outside) {
    const int threads = (int)kept->own[OWN_THREADS], chunks = (int)kept->own[OWN_CHUNKS];
    const int64_t *first = kept->arrays[0], each = map_numbers(task);
    const VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
    int64_t least = INT64_MAX;
    void *memory = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(each * (int64_t)sizeof(INDEX), threads, 0, &bytes));
    TULLE__TRY(tulle__alloc(task->place->ctx, bytes, &memory));
#pragma omp parallel num_threads(threads) reduction(min : least)
    {
        NAME(map) map = NAME(map_in)(task, (INDEX *)memory + omp_get_thread_num() * each);
#pragma omp for schedule(dynamic)
        for (int c = 0; c < chunks; c++) {
            for (int64_t i = first[c]; i < first[c + 1]; i++) {
                int64_t begin = NAME(row)(task, &map, i);
                if (!outside) {
                    NAME(sum)(task, &map, i, alpha, (VALUE *)task->c.values + begin);
                } else if (i < least && !NAME(fits)(task, &map, i)) {
                    least = i;
                }
            }
        }
    }
    tulle__free(task->place->ctx, memory);
    if (outside) *outside = least < INT64_MAX ? least : -1;
    return TULLE_OK;
}

static tulle_status NAME(keep)(tulle__spgemm_task *task, tulle__spgemm_kept *kept,
                               int64_t *outside) {
    tulle__spgemm_chunks chunks;
    TULLE__TRY(tulle__spgemm_chunks_make(task, NULL, &chunks));
    kept->arrays[0] = chunks.first;
    kept->bytes = 2 * (chunks.count + 1) * (int64_t)sizeof(int64_t);
    kept->own[OWN_THREADS] = chunks.threads;
    kept->own[OWN_CHUNKS] = chunks.count;
    chunks.first = NULL;
    tulle__spgemm_chunks_free(task, &chunks);
    return NAME(go)(task, kept, outside);
}

static tulle_status NAME(update)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return NAME(go)(task, kept, NULL);
}

#endif
