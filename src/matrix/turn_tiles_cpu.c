/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of few long rows whose columns rise, by tiles of columns. A row of thousands of
 * entries passes by all columns, so that when the next row comes to a column, the lines of memory
 * where its entries go have left the caches; and two threads that each have half of the rows write
 * to the same lines. Here each thread has columns of its own: it walks along all rows at once, a
 * tile of columns at a time, counts the tile's entries and puts them where the counts say. A tile's
 * entries are read twice, the second time from the nearest cache, and the entries before a thread's
 * first tile are counted by searching each row for it. */
#ifndef INDEX

#include "matrix/turn_tiles.h"

#include <omp.h>

#include "core/access.h"
#include "core/context.h"
#include "core/search.h"

/* WIDTH: columns of a tile, whose lines of the result and counts fit in the second cache;
 * LEAST_PART: entries of a row in a tile, in the mean, from which the beginning of a part takes
 * little of the time; RUNS_A_THREAD: runs of tiles for each thread, as columns may have unlike
 * lengths. */
enum { WIDTH = 512, LEAST_PART = 16, RUNS_A_THREAD = 4 };

static int64_t tiles_of(const tulle__turning *job) {
    return (job->csr->cols + WIDTH - 1) / WIDTH;
}

bool tulle__suits_tiles(const tulle__turning *job) {
    const int64_t tiles = tiles_of(job);
    return job->rising && tiles > 1 && job->csr->nnz / tiles / LEAST_PART >= job->csr->rows;
}

/* The work of a call: runs of tiles, and for each thread and row where its entries of a tile begin
 * and end. */
typedef struct tiled {
    const tulle__turning *job;
    int64_t tiles, runs;
    int64_t *marks; /* threads x rows x 2 */
} tiled;

/* Arrays that move with the rows of entries: their places in A, or their values. */
typedef enum moved { NOTHING, PLACES, FLOATS, DOUBLES } moved;

#define TULLE__SELF "matrix/turn_tiles_cpu.c"
#include "matrix/each_index.h"

/* Takes a run of tiles. */
static void take(const tiled *t, int member, int64_t run) {
    switch (t->job->csr->index) {
        case TULLE_I32:
            take_i32(t, member, run);
            break;
        case TULLE_I64_I32:
            take_i64_i32(t, member, run);
            break;
        case TULLE_I64:
            take_i64(t, member, run);
            break;
    }
}

tulle_status tulle__turn_tiles(const tulle__place *place, int threads, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    const int64_t tiles = tiles_of(job), runs = (int64_t)threads * RUNS_A_THREAD;
    tiled t = {.job = job, .tiles = tiles, .runs = runs < tiles ? runs : tiles};
    void *memory;
    size_t bytes;
    TULLE__TRY(tulle__progress(place->ctx, "transposing", 0, csr->nnz));
    TULLE__TRY(tulle__size(threads, 2 * csr->rows * (int64_t)sizeof *t.marks, 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &memory));
    t.marks = memory;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t run = 0; run < t.runs; run++) take(&t, omp_get_thread_num(), run);
    tulle__put(job->offsets, tulle_offset_size(csr->index), csr->cols, csr->nnz);
    tulle__free(place->ctx, memory);
    return TULLE_OK;
}

#else

/* Finds where the entries of each row begin that lie in a column or behind it; returns the number
 * of entries before them. */
static int64_t NAME(begin_rows)(const tulle__pattern_view *csr, int64_t column, int64_t *begins) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    int64_t before = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t at = offsets[i];
        TULLE__LOWER_BOUND(at, (int64_t)offsets[i + 1], middle, columns[middle] < column);
        begins[i] = at;
        before += at - offsets[i];
    }
    return before;
}

/* Counts the entries of a tile by column, and notes where they end in each row. */
static void NAME(count_tile)(const tulle__pattern_view *csr, int64_t first, int64_t behind,
                             const int64_t *begins, int64_t *ends, OFFSET *next) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    for (int64_t j = 0; j < behind - first; j++) next[j] = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        const int64_t end = offsets[i + 1];
        int64_t e = begins[i];
        for (; e < end && columns[e] < behind; e++) next[columns[e] - first]++;
        ends[i] = e;
    }
}

/* Puts the entries of a tile; each kind of what moves with them has a loop of its own. */
static inline __attribute__((always_inline)) void NAME(put_parts)(const tulle__turning *job,
                                                                  int64_t first, int64_t *begins,
                                                                  const int64_t *ends, OFFSET *next,
                                                                  moved with) {
    const INDEX *columns = job->csr->cols_of;
    INDEX *out_cols = job->out_cols;
    int64_t *perm = job->perm;
    const void *values = job->values;
    void *out_values = job->out_values;
    for (int64_t i = 0; i < job->csr->rows; i++) {
        for (int64_t e = begins[i]; e < ends[i]; e++) {
            const OFFSET to = next[columns[e] - first]++;
            out_cols[to] = (INDEX)i;
            if (with == PLACES) perm[to] = e;
            if (with == FLOATS) ((float *)out_values)[to] = ((const float *)values)[e];
            if (with == DOUBLES) ((double *)out_values)[to] = ((const double *)values)[e];
        }
        begins[i] = ends[i];
    }
}

static void NAME(put_tile)(const tulle__turning *job, int64_t first, int64_t *begins,
                           const int64_t *ends, OFFSET *next) {
    if (job->perm) {
        NAME(put_parts)(job, first, begins, ends, next, PLACES);
    } else if (!job->out_values) {
        NAME(put_parts)(job, first, begins, ends, next, NOTHING);
    } else if (job->type == TULLE_F32) {
        NAME(put_parts)(job, first, begins, ends, next, FLOATS);
    } else {
        NAME(put_parts)(job, first, begins, ends, next, DOUBLES);
    }
}

static void NAME(take)(const tiled *t, int member, int64_t run) {
    const tulle__pattern_view *csr = t->job->csr;
    int64_t *begins = t->marks + member * 2 * csr->rows, *ends = begins + csr->rows;
    OFFSET *offsets = t->job->offsets, next[WIDTH];
    const int64_t last = t->tiles * (run + 1) / t->runs;
    int64_t tile = t->tiles * run / t->runs;
    OFFSET at = (OFFSET)NAME(begin_rows)(csr, tile * WIDTH, begins);
    for (; tile < last; tile++) {
        const int64_t first = tile * WIDTH;
        const int64_t behind = first + WIDTH < csr->cols ? first + WIDTH : csr->cols;
        NAME(count_tile)(csr, first, behind, begins, ends, next);
        for (int64_t j = first; j < behind; j++) {
            const OFFSET here = next[j - first];
            offsets[j] = next[j - first] = at;
            at += here;
        }
        NAME(put_tile)(t->job, first, begins, ends, next);
    }
}

#endif
