/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a product whose pattern is known, on a CPU. A row of C whose columns are near each
 * other is summed in a window of all columns between its first and its last one. In any other
 * row, a hash table or the number of lesser columns gives the place of each column. A row that
 * is one row of B needs neither. */
#ifndef VALUE

#include <omp.h>
#include <string.h>

#include "core/access.h"
#include "core/context.h"
#include "spgemm/cpu/chunks.h"
#include "spgemm/cpu/colset.h"
#include "spgemm/cpu/kin.h"
#include "spgemm/cpu/lanes.h"
#include "spgemm/functions.h"

enum { LEAST_SLOTS = 16, SCALE = 107 };

/* A row is summed in a window of at most NEAR columns, which stays in a core's cache, or of at
 * most FOR_EACH_ENTRY columns for each entry, while setting windows up takes little time beside
 * the work. In any other row of at most FEW entries, the column of a multiplication is compared
 * with all columns of the row. */
enum { NEAR = 1 << 14, MOST_NEAR = 1 << 16, FOR_EACH_ENTRY = 512, FEW = 32 };
typedef enum how { IN_WINDOW, BY_RANK, BY_HASH } how;

/* Numbers in tulle__spgemm_kept.own. The beginnings of chunks of equal work are in arrays[0];
 * where rows are summed in lanes, each row's relation to the row before (kin.h) is in arrays[1]. */
enum { OWN_THREADS, OWN_CHUNKS, OWN_WINDOW };

static int64_t slots_for(int64_t columns) {
    int64_t slots = LEAST_SLOTS;
    while (slots < 2 * columns) slots *= 2;
    return slots;
}

/* Returns the largest number of columns of a window. Memory that only saves time must not make a
 * context reach its cap. */
static int64_t most_in_window(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    const int64_t share = chunks->multiplications / (2 * chunks->threads);
    if (task->place->ctx->pool.cap > 0) return NEAR;
    return share > MOST_NEAR ? share : MOST_NEAR;
}

/* True when rows of A with the same columns are summed side by side, each in a lane of a vector:
 * where a quarter of the multiplications have such rows, and a window may be as wide with lanes. */
static bool has_lanes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                      int64_t window) {
    const bool fits = window <= MOST_NEAR || window * TULLE__LANES <= most_in_window(task, chunks);
    return task->place->ctx->pool.cap == 0 && chunks->twins > 0 &&
           chunks->twins >= chunks->multiplications / 4 && fits;
}

static bool is_near(int64_t span, int64_t count, int64_t window) {
    return span <= window && (span <= NEAR || span <= count * FOR_EACH_ENTRY);
}

static how way_of(int64_t span, int64_t count, int64_t window) {
    if (is_near(span, count, window)) return IN_WINDOW;
    return count <= FEW ? BY_RANK : BY_HASH;
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
    return keep[tulle__values_of(task->type)][task->index](task, kept, outside);
}

tulle_status tulle__cpu_update_product(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return update[tulle__values_of(task->type)][task->index](task, kept);
}

#else /* once for each type combination */

#include "spgemm/cpu/lanes.h"
#include "spgemm/cpu/row.h"

/* The row of C that a thread is at, and its scratch. */
typedef struct NAME(place) {
    VALUE *sums;          /* sums of the window; all are -0 between rows */
    NAME(lanes) * wide;   /* sums of the window with lanes; NULL: there are none */
    INDEX *keys, *places; /* hash table: column of each slot, or -1, and its entry */
    int64_t window;       /* number of columns of the window */
    const INDEX *cols;    /* columns of the row */
    int64_t count;        /* number of these columns */
    how way;              /* way in which the place of a column is found */
    int64_t mask;         /* number of slots of the hash table less one */
} NAME(place);

static inline int64_t NAME(slot)(const NAME(place) * at, INDEX column) {
    int64_t slot = (int64_t)((uint64_t)column * SCALE) & at->mask;
    while (at->keys[slot] != column && at->keys[slot] >= 0) slot = (slot + 1) & at->mask;
    return slot;
}

/* Returns the number of columns of the row that are less than `column`. */
static inline int64_t NAME(rank)(const NAME(place) * at, INDEX column) {
    INDEX rank = 0;
    for (int64_t k = 0; k < at->count; k++) rank += at->cols[k] < column;
    return rank;
}

static void NAME(hash)(const NAME(place) * at) {
    memset(at->keys, -1, (size_t)(at->mask + 1) * sizeof *at->keys);
    for (int64_t k = 0; k < at->count; k++) {
        int64_t slot = NAME(slot)(at, at->cols[k]);
        at->keys[slot] = at->cols[k];
        at->places[slot] = (INDEX)k;
    }
}

/* Goes to row i of C, and returns its first entry. */
static inline int64_t NAME(go_to)(const tulle__spgemm_task *task, NAME(place) * at, int64_t i) {
    const int64_t begin = offset_of(&task->c, i);
    at->cols = (const INDEX *)task->c.cols_of + begin;
    at->count = offset_of(&task->c, i + 1) - begin;
    if (at->count == 0) return begin;
    const int64_t span = (int64_t)at->cols[at->count - 1] - at->cols[0] + 1;
    at->way = way_of(span, at->count, at->window);
    if (at->way == BY_HASH) at->mask = slots_for(at->count) - 1;
    return begin;
}

/* Marks the row's columns in a window: by 1 while the row is looked at, then by -0. */
static void NAME(mark)(const NAME(place) * at, VALUE mark) {
    for (int64_t k = 0; k < at->count; k++) at->sums[at->cols[k] - at->cols[0]] = mark;
}

static inline bool NAME(has)(const NAME(place) * at, INDEX column) {
    if (at->way == BY_HASH) return at->keys[NAME(slot)(at, column)] == column;
    if (column < at->cols[0] || column > at->cols[at->count - 1]) return false;
    if (at->way == BY_RANK) return at->cols[NAME(rank)(at, column)] == column;
    return at->sums[column - at->cols[0]] == 1;
}

static bool NAME(has_all)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        int64_t end = b_offsets[a_cols[e] + 1];
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            if (at->count == 0 || !NAME(has)(at, b_cols[f])) return false;
        }
    }
    return true;
}

static bool NAME(fits)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i) {
    if (at->way == BY_HASH) NAME(hash)(at);
    if (at->way == IN_WINDOW) NAME(mark)(at, 1);
    const bool fits = NAME(has_all)(task, at, i);
    if (at->way == IN_WINDOW) NAME(mark)(at, -(VALUE)0);
    return fits;
}

/* True when row i is one row of B, of as many entries: it has the same columns. */
static inline bool NAME(is_copy)(const tulle__spgemm_task *task, const NAME(place) * at,
                                 int64_t i) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    if (a_offsets[i + 1] - a_offsets[i] != 1) return false;
    const INDEX k = ((const INDEX *)task->a.cols_of)[a_offsets[i]];
    return b_offsets[k + 1] - b_offsets[k] == at->count;
}

static void NAME(scale)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i,
                        VALUE alpha, VALUE *restrict values) {
    const OFFSET e = ((const OFFSET *)task->a.offsets)[i];
    const INDEX k = ((const INDEX *)task->a.cols_of)[e];
    const VALUE factor = ((const VALUE *)task->a.values)[e];
    const VALUE *b_values = (const VALUE *)task->b.values + ((const OFFSET *)task->b.offsets)[k];
    for (int64_t f = 0; f < at->count; f++) values[f] = alpha * (factor * b_values[f]);
}

static void NAME(sum_in_window)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i,
                                VALUE alpha, VALUE *restrict values) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of, *cols = at->cols;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    const int64_t base = cols[0];
    VALUE *sums = at->sums;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        const VALUE factor = a_values[e];
        const int64_t end = b_offsets[a_cols[e] + 1];
        NAME(ask_ahead)(task, e);
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            sums[b_cols[f] - base] += factor * b_values[f];
        }
    }
    for (int64_t k = 0; k < at->count; k++) {
        values[k] = alpha * sums[cols[k] - base];
        sums[cols[k] - base] = -(VALUE)0;
    }
}

/* Number of rows from row i on, which is in the window, that have the same columns in A, and
 * whose columns in C lie between the same two. */
static int NAME(twins_from)(const tulle__spgemm_task *task, const NAME(place) * at,
                            const uint8_t *kin, int64_t i, int64_t end) {
    const INDEX *cols = task->c.cols_of;
    int rows = 1;
    for (; rows < TULLE__LANES && i + rows < end && kin[i + rows] == TULLE__SPGEMM_TWIN; rows++) {
        const int64_t from = offset_of(&task->c, i + rows), to = offset_of(&task->c, i + rows + 1);
        if (from == to || cols[from] != at->cols[0]) break;
        if (cols[to - 1] != at->cols[at->count - 1]) break;
    }
    return rows;
}

/* Sums rows i to i + rows - 1, whose columns in A are the same. No multiplication lies beside
 * the columns of these rows in C, because none lies beside those of row i. */
static void NAME(sum_in_lanes)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i,
                               int rows, VALUE alpha) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of, *cols = task->c.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    VALUE *values = task->c.values;
    const NAME(lanes) none = {-(VALUE)0, -(VALUE)0, -(VALUE)0, -(VALUE)0};
    NAME(lanes) *wide = at->wide;
    const int64_t base = at->cols[0], a_length = a_offsets[i + 1] - a_offsets[i];
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        NAME(lanes) factors = {0};
        for (int r = 0; r < rows; r++) factors[r] = a_values[e + r * a_length];
        const int64_t end = b_offsets[a_cols[e] + 1];
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            wide[b_cols[f] - base] += factors * b_values[f];
        }
    }
    for (int r = 0; r < rows; r++) {
        const int64_t end = offset_of(&task->c, i + r + 1);
        for (int64_t k = offset_of(&task->c, i + r); k < end; k++) {
            values[k] = alpha * wide[cols[k] - base][r];
        }
    }
    for (int64_t k = 0; k < at->count; k++) wide[at->cols[k] - base] = none;
}

/* Sums a row whose columns are found by rank or in the hash table. */
TULLE__INLINED void NAME(sum_in_row)(const tulle__spgemm_task *task, const NAME(place) * at,
                                     int64_t i, how way, VALUE alpha, VALUE *values) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    for (int64_t k = 0; k < at->count; k++) values[k] = -(VALUE)0;
    for (int64_t e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        const VALUE factor = a_values[e];
        const int64_t end = b_offsets[a_cols[e] + 1];
        NAME(ask_ahead)(task, e);
        for (int64_t f = b_offsets[a_cols[e]]; f < end; f++) {
            const int64_t k =
                way == BY_RANK ? NAME(rank)(at, b_cols[f]) : at->places[NAME(slot)(at, b_cols[f])];
            values[k] += factor * b_values[f];
        }
    }
    for (int64_t k = 0; k < at->count; k++) values[k] *= alpha;
}

static void NAME(sum)(const tulle__spgemm_task *task, const NAME(place) * at, int64_t i,
                      VALUE alpha, VALUE *values) {
    if (at->count == 0) return;
    if (NAME(is_copy)(task, at, i)) {
        NAME(scale)(task, at, i, alpha, values);
    } else if (at->way == IN_WINDOW) {
        NAME(sum_in_window)(task, at, i, alpha, values);
    } else if (at->way == BY_RANK) {
        NAME(sum_in_row)(task, at, i, BY_RANK, alpha, values);
    } else {
        NAME(hash)(at);
        NAME(sum_in_row)(task, at, i, BY_HASH, alpha, values);
    }
}

static int64_t NAME(numbers)(const tulle__spgemm_kept *kept) {
    return kept->own[OWN_WINDOW] * (kept->arrays[1] ? TULLE__LANES : 1);
}

/* Bytes of scratch of a thread, in whole lines of a cache. */
static int64_t NAME(scratch_bytes)(const tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    const int64_t slots = slots_for(task->widest_row);
    const int64_t bytes =
        NAME(numbers)(kept) * (int64_t)sizeof(VALUE) + 2 * slots * (int64_t)sizeof(INDEX);
    return (bytes + 63) / 64 * 64;
}

static NAME(place)
    NAME(place_in)(const tulle__spgemm_task *task, const tulle__spgemm_kept *kept, char *memory) {
    const int64_t count = NAME(numbers)(kept);
    NAME(place) at = {.sums = (VALUE *)(void *)memory, .window = kept->own[OWN_WINDOW]};
    if (kept->arrays[1]) at.wide = (NAME(lanes) *)(void *)memory;
    at.keys = (INDEX *)(void *)(at.sums + count);
    at.places = at.keys + slots_for(task->widest_row);
    for (int64_t k = 0; k < count; k++) at.sums[k] = -(VALUE)0;
    return at;
}

static void NAME(update_rows)(const tulle__spgemm_task *task, NAME(place) * at, const uint8_t *kin,
                              int64_t begin, int64_t end) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
    int rows = 1;
    for (int64_t i = begin; i < end; i += rows) {
        const int64_t first = NAME(go_to)(task, at, i);
        const bool near = at->count > 0 && at->way == IN_WINDOW;
        rows = kin && near ? NAME(twins_from)(task, at, kin, i, end) : 1;
        if (rows > 1) {
            NAME(sum_in_lanes)(task, at, i, rows, alpha);
        } else {
            NAME(sum)(task, at, i, alpha, (VALUE *)task->c.values + first);
        }
    }
}

/* Returns the least of the rows that has a multiplication beside its columns, or INT64_MAX. */
static int64_t NAME(first_outside)(const tulle__spgemm_task *task, NAME(place) * at, int64_t begin,
                                   int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        NAME(go_to)(task, at, i);
        if (!NAME(fits)(task, at, i)) return i;
    }
    return INT64_MAX;
}

/* Goes through the rows, in chunks that `kept` has. outside NULL: values are computed; else it
 * becomes the least row that has a multiplication beside its columns, and no value is computed. */
static tulle_status NAME(go)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept,
                             int64_t *outside) {
    const int threads = (int)kept->own[OWN_THREADS], chunks = (int)kept->own[OWN_CHUNKS];
    const int64_t *first = kept->arrays[0], each = NAME(scratch_bytes)(task, kept);
    int64_t least = INT64_MAX;
    void *memory = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(each, threads, 0, &bytes));
    TULLE__TRY(tulle__alloc(task->place->ctx, bytes, &memory));
#pragma omp parallel num_threads(threads) reduction(min : least)
    {
        NAME(place) at = NAME(place_in)(task, kept, (char *)memory + omp_get_thread_num() * each);
#pragma omp for schedule(dynamic)
        for (int c = 0; c < chunks; c++) {
            if (!outside) {
                NAME(update_rows)(task, &at, kept->arrays[1], first[c], first[c + 1]);
            } else if (first[c] < least) {
                const int64_t i = NAME(first_outside)(task, &at, first[c], first[c + 1]);
                if (i < least) least = i;
            }
        }
    }
    tulle__free(task->place->ctx, memory);
    if (outside) *outside = least < INT64_MAX ? least : -1;
    return TULLE_OK;
}

/* Returns the number of columns of the window: as many as the widest row that is summed in a
 * window has, rounded up to a multiple of 64. */
static int64_t NAME(window)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    const int64_t rows = task->a.rows, most = most_in_window(task, chunks);
    const INDEX *cols = task->c.cols_of;
    int64_t window = 0;
#pragma omp parallel for num_threads(chunks->threads) reduction(max : window)
    for (int64_t i = 0; i < rows; i++) {
        const int64_t begin = offset_of(&task->c, i), end = offset_of(&task->c, i + 1);
        if (begin == end) continue;
        const int64_t span = (int64_t)cols[end - 1] - cols[begin] + 1;
        if (span > window && is_near(span, end - begin, most)) window = span;
    }
    return (window + 63) / 64 * 64;
}

static tulle_status NAME(keep)(tulle__spgemm_task *task, tulle__spgemm_kept *kept,
                               int64_t *outside) {
    tulle__spgemm_chunks chunks;
    uint8_t *kin = NULL;
    TULLE__TRY(tulle__spgemm_kin_make(task, &kin));
    tulle_status status = tulle__spgemm_chunks_make(task, kin, &chunks);
    if (status != TULLE_OK) {
        tulle__free(task->place->ctx, kin);
        return status;
    }
    const int64_t window = NAME(window)(task, &chunks);
    const bool lanes = kin && has_lanes(task, &chunks, window);
    kept->arrays[0] = chunks.first;
    kept->arrays[1] = lanes ? kin : NULL;
    kept->bytes = 2 * (chunks.count + 1) * (int64_t)sizeof(int64_t) + (lanes ? task->a.rows : 0);
    kept->own[OWN_THREADS] = chunks.threads;
    kept->own[OWN_CHUNKS] = chunks.count;
    kept->own[OWN_WINDOW] = window;
    chunks.first = NULL;
    tulle__spgemm_chunks_free(task, &chunks);
    if (!lanes) tulle__free(task->place->ctx, kin);
    return NAME(go)(task, kept, outside);
}

static tulle_status NAME(update)(tulle__spgemm_task *task, const tulle__spgemm_kept *kept) {
    return NAME(go)(task, kept, NULL);
}

#endif
