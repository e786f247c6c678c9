/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix on the CPU: its entries, sorted by column, stably. Each thread
 * counts the entries of a chunk by column, sums give the places of each chunk's entries in each
 * column, and each thread puts its chunk there. There are no more chunks than leave the counts
 * fewer than twice the entries, one at least. Where a column has far less than one entry in the
 * mean, the entries are sorted as a list. Both give the same result for any number of threads. One
 * thread counts in the transpose's offsets themselves, each column in the offset of the next one,
 * where the column's place ends as its entries are put. */
#ifndef INDEX

#include "core/context.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "format/functions.h"
#include "matrix/functions.h"
#include "matrix/turn_tiles.h"

/* ASK: number of entries, some tenths of a second of work, after which the caller is asked again
 * whether to go on. BLOCK: number of columns whose places a thread finds at a time. SPARSE: columns
 * for each entry from which sorting takes less time than counting. */
enum { ASK = 1 << 24, BLOCK = 4096, SPARSE = 4 };

typedef struct turner {
    tulle_ctx *ctx;
    const tulle__turning *job;
    int threads;
    int64_t steps;  /* parts of a chunk, before each of which the caller is asked */
    int64_t blocks; /* blocks of columns */
    int64_t *sums;  /* entries of each block, and then those before it */
    void *next; /* threads x columns, of the offset type: the place of the chunk's next entry; of
                   one thread the offsets of the transpose behind the first */
} turner;

/* Returns the first entry of a step of a chunk. */
static int64_t step_begin(const turner *t, int64_t chunk, int64_t step) {
    const int64_t nnz = t->job->csr->nnz, all = t->threads * t->steps, k = chunk * t->steps + step;
    const int64_t share = nnz / all, rest = nnz % all;
    return k * share + (k < rest ? k : rest);
}

static tulle_status ask(const turner *t, int64_t done) {
    return tulle__progress(t->ctx, "transposing", done, t->job->csr->nnz);
}

static int64_t block_end(const turner *t, int64_t block) {
    const int64_t end = (block + 1) * BLOCK, cols = t->job->csr->cols;
    return end < cols ? end : cols;
}

/* Arrays that move with the rows of entries: their places in A, or their values. */
typedef enum moved { NOTHING, PLACES, FLOATS, DOUBLES } moved;

#define TULLE__SELF "matrix/turn_cpu.c"
#include "matrix/each_index.h"

static tulle_status run(turner *t) {
    switch (t->job->csr->index) {
        case TULLE_I32:
            return turn_i32(t);
        case TULLE_I64_I32:
            return turn_i64_i32(t);
        case TULLE_I64:
            return turn_i64(t);
    }
    return TULLE_OK;
}

static tulle_status by_counts(turner *t) {
    const tulle__pattern_view *csr = t->job->csr;
    size_t bytes;
    void *memory;
    t->steps = csr->nnz / ASK / t->threads + 1;
    t->blocks = csr->cols / BLOCK + 1;
    if (t->threads == 1) {
        t->next = (char *)t->job->offsets + tulle_offset_size(csr->index);
        return run(t);
    }
    TULLE__TRY(tulle__size(t->threads, csr->cols, 0, &bytes));
    TULLE__TRY(tulle__size((int64_t)bytes, tulle_offset_size(csr->index),
                           t->blocks * (int64_t)sizeof *t->sums, &bytes));
    TULLE__TRY(tulle__alloc(t->ctx, bytes, &memory));
    t->sums = memory;
    t->next = t->sums + t->blocks;
    tulle_status status = run(t);
    tulle__free(t->ctx, memory);
    return status;
}

static tulle_status by_sorting(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    void *rows_of = NULL;
    size_t bytes;
    int64_t nnz = 0;
    TULLE__TRY(tulle__size(csr->nnz, tulle_index_size(csr->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &rows_of));
    const tulle__coo_to_csr sort = {.rows = csr->cols,
                                    .cols = csr->rows,
                                    .nnz = csr->nnz,
                                    .in_index_size = tulle_index_size(csr->index),
                                    .index = csr->index,
                                    .type = job->type,
                                    .rows_of = csr->cols_of,
                                    .cols_of = rows_of,
                                    .values = job->values,
                                    .offsets = job->offsets,
                                    .out_cols = job->out_cols,
                                    .out_values = job->out_values,
                                    .perm = job->perm,
                                    .host_nnz = &nnz};
    tulle_status status = tulle__cpu_expand_offsets(place, csr, rows_of);
    if (status == TULLE_OK) status = tulle__cpu_coo_to_csr(place, &sort);
    tulle__free(place->ctx, rows_of);
    return status;
}

tulle_status tulle__cpu_turn_csr(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    if (csr->cols / SPARSE > csr->nnz) return by_sorting(place, job);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
    if (tulle__suits_tiles(job)) return tulle__turn_tiles(place, threads, job);
    const int64_t chunks = 2 * csr->nnz / (csr->cols > 0 ? csr->cols : 1);
    turner t = {.ctx = place->ctx,
                .job = job,
                .threads = chunks >= threads ? threads
                           : chunks > 1      ? (int)chunks
                                             : 1};
    return by_counts(&t);
}

/* Counting takes less time than looking for the mirror image of each entry. */
tulle_status tulle__cpu_mirror_csr(const tulle__place *place, const tulle__turning *job,
                                   bool *host_mirrored) {
    (void)place;
    (void)job;
    *host_mirrored = false;
    return TULLE_OK;
}

#else

/* Counts the entries of a step of a chunk by column. */
static void NAME(count)(const turner *t, int64_t chunk, int64_t step) {
    const INDEX *columns = t->job->csr->cols_of;
    OFFSET *counts = (OFFSET *)t->next + chunk * t->job->csr->cols;
    const int64_t end = step_begin(t, chunk, step + 1);
    for (int64_t e = step_begin(t, chunk, step); e < end; e++) counts[columns[e]]++;
}

static void NAME(clear)(const turner *t, int64_t chunk) {
    const int64_t cols = t->job->csr->cols;
    OFFSET *counts = (OFFSET *)t->next + chunk * cols;
    for (int64_t j = 0; j < cols; j++) counts[j] = 0;
}

static void NAME(sum_block)(const turner *t, int64_t block) {
    const int64_t cols = t->job->csr->cols, end = block_end(t, block);
    int64_t sum = 0;
    for (int64_t chunk = 0; chunk < t->threads; chunk++) {
        const OFFSET *counts = (const OFFSET *)t->next + chunk * cols;
        for (int64_t j = block * BLOCK; j < end; j++) sum += counts[j];
    }
    t->sums[block] = sum;
}

/* Turns the counts of a block of columns into places, and stores the offsets. */
static void NAME(place_block)(const turner *t, int64_t block) {
    const int64_t cols = t->job->csr->cols, end = block_end(t, block);
    OFFSET *offsets = t->job->offsets, *next = t->next;
    OFFSET at = (OFFSET)t->sums[block];
    for (int64_t j = block * BLOCK; j < end; j++) {
        offsets[j] = at;
        for (int64_t chunk = 0; chunk < t->threads; chunk++) {
            const OFFSET here = next[chunk * cols + j];
            next[chunk * cols + j] = at;
            at += here;
        }
    }
}

/* Puts entries, from one on and before another, where their columns' next places are. Each kind of
 * what moves with them has a loop of its own, as rows are often too short to ask in each. */
static inline __attribute__((always_inline)) void NAME(put_entries)(const tulle__turning *job,
                                                                    OFFSET *next, int64_t begin,
                                                                    int64_t end, moved with) {
    const OFFSET *offsets = job->csr->offsets;
    const INDEX *columns = job->csr->cols_of;
    INDEX *out_cols = job->out_cols;
    int64_t *perm = job->perm;
    const void *values = job->values;
    void *out_values = job->out_values;
    int64_t row = 0;
    TULLE__LOWER_BOUND(row, job->csr->rows, middle, offsets[middle + 1] <= begin);
    for (int64_t e = begin; e < end; row++) {
        const int64_t last = offsets[row + 1] < end ? offsets[row + 1] : end;
        for (; e < last; e++) {
            const OFFSET to = next[columns[e]]++;
            out_cols[to] = (INDEX)row;
            if (with == PLACES) perm[to] = e;
            if (with == FLOATS) ((float *)out_values)[to] = ((const float *)values)[e];
            if (with == DOUBLES) ((double *)out_values)[to] = ((const double *)values)[e];
        }
    }
}

/* Puts the entries of a step of a chunk, which may begin and end within rows. */
static void NAME(put)(const turner *t, int64_t chunk, int64_t step) {
    const tulle__turning *job = t->job;
    OFFSET *next = (OFFSET *)t->next + chunk * job->csr->cols;
    const int64_t begin = step_begin(t, chunk, step), end = step_begin(t, chunk, step + 1);
    if (begin == end) return;
    if (job->perm) {
        NAME(put_entries)(job, next, begin, end, PLACES);
    } else if (!job->out_values) {
        NAME(put_entries)(job, next, begin, end, NOTHING);
    } else if (job->type == TULLE_F32) {
        NAME(put_entries)(job, next, begin, end, FLOATS);
    } else {
        NAME(put_entries)(job, next, begin, end, DOUBLES);
    }
}

/* Turns the counts of one thread into places; the first offset lies before them. */
static void NAME(place_all)(const turner *t) {
    OFFSET *next = t->next, at = 0;
    next[-1] = 0;
    for (int64_t j = 0; j < t->job->csr->cols; j++) {
        const OFFSET here = next[j];
        next[j] = at;
        at += here;
    }
}

/* Turns the counts of all chunks into places, and stores the offsets. */
static void NAME(place_blocks)(const turner *t) {
#pragma omp parallel for num_threads(t->threads)
    for (int64_t block = 0; block < t->blocks; block++) NAME(sum_block)(t, block);
    int64_t sum = 0;
    for (int64_t block = 0; block < t->blocks; block++) {
        const int64_t here = t->sums[block];
        t->sums[block] = sum;
        sum += here;
    }
#pragma omp parallel for num_threads(t->threads)
    for (int64_t block = 0; block < t->blocks; block++) NAME(place_block)(t, block);
    ((OFFSET *)t->job->offsets)[t->job->csr->cols] = (OFFSET)sum;
}

static tulle_status NAME(turn)(turner *t) {
    const tulle__pattern_view *csr = t->job->csr;
    for (int64_t step = 0; step < t->steps; step++) {
        TULLE__TRY(ask(t, csr->nnz / 3 / t->steps * step));
#pragma omp parallel for num_threads(t->threads)
        for (int64_t chunk = 0; chunk < t->threads; chunk++) {
            if (step == 0) NAME(clear)(t, chunk);
            NAME(count)(t, chunk, step);
        }
    }
    if (t->threads == 1) {
        NAME(place_all)(t);
    } else {
        NAME(place_blocks)(t);
    }
    for (int64_t step = 0; step < t->steps; step++) {
        TULLE__TRY(ask(t, csr->nnz / 3 + csr->nnz * 2 / 3 / t->steps * step));
#pragma omp parallel for num_threads(t->threads)
        for (int64_t chunk = 0; chunk < t->threads; chunk++) NAME(put)(t, chunk, step);
    }
    return TULLE_OK;
}

#endif
