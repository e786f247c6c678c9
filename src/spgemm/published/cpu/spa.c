/* SPDX-License-Identifier: Apache-2.0 */
/* A dense accumulator a thread: a number and a mark for every column of C (Gustavson 1978; SPA
 * of Gilbert, Moler and Schreiber 1992; paper 4 compares with it on a CPU). Nothing but its name
 * leads to this kernel. */
#ifndef VALUE

#include <omp.h>
#include <stdlib.h>

#include "core/access.h"
#include "core/context.h"
#include "spgemm/cpu/telling.h"

#define TULLE__SELF "spgemm/published/cpu/spa.c"
#include "core/each_type.h"

extern const tulle__spgemm_kernel tulle__cpu_spgemm_spa;
const tulle__spgemm_kernel tulle__cpu_spgemm_spa = {
    .head = {.name = "spgemm_spa",
             .summary = "a dense accumulator a thread, rows of equal work: the definition",
             .source = "F. Gustavson, 1978; paper 4, section II (SPA)",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL},
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

/* Accumulator of one thread: seen[j] is the row that met column j last, plus one. */
typedef struct NAME(accumulator) {
    VALUE *sums;
    int64_t *seen;
} NAME(accumulator);

static int64_t NAME(count_row)(const tulle__spgemm_task *task, int64_t i, int64_t *seen) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    int64_t count = 0;
    for (OFFSET e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            count += seen[b_cols[f]] != i + 1;
            seen[b_cols[f]] = i + 1;
        }
    }
    return count;
}

static int NAME(by_column)(const void *a, const void *b) {
    INDEX left = *(const INDEX *)a, right = *(const INDEX *)b;
    return (left > right) - (left < right);
}

static void NAME(compute_row)(const tulle__spgemm_task *task, int64_t i,
                              const NAME(accumulator) * own, VALUE alpha, INDEX *cols,
                              VALUE *values) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    size_t count = 0;
    for (OFFSET e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        for (OFFSET f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            INDEX j = b_cols[f];
            VALUE term = a_values[e] * b_values[f];
            if (own->seen[j] == i + 1) {
                own->sums[j] += term;
            } else {
                own->seen[j] = i + 1;
                own->sums[j] = term;
                cols[count++] = j;
            }
        }
    }
    if (!task->unsorted && count > 0) qsort(cols, count, sizeof *cols, NAME(by_column));
    for (size_t k = 0; k < count; k++) values[k] = alpha * own->sums[cols[k]];
}

static void NAME(count)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                        NAME(accumulator) own, tulle__spgemm_telling *telling) {
    int64_t *offsets = chunks->offsets;
    for (int64_t j = 0; j < task->b.cols; j++) own.seen[j] = 0;
#pragma omp for schedule(dynamic)
    for (int c = 0; c < chunks->count; c++) {
        if (!tulle__spgemm_goes_on(telling)) continue;
        for (int64_t i = chunks->first[c]; i < chunks->first[c + 1]; i++) {
            offsets[i + 1] = NAME(count_row)(task, i, own.seen);
        }
        tulle__spgemm_note_done(telling, c);
    }
}

static void NAME(compute)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                          NAME(accumulator) own, tulle__spgemm_telling *telling) {
    const int64_t *offsets = chunks->offsets;
    VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
    INDEX *cols = task->c.cols_of;
    VALUE *values = task->c.values;
    for (int64_t j = 0; j < task->b.cols; j++) own.seen[j] = 0;
#pragma omp for schedule(dynamic)
    for (int c = 0; c < chunks->count; c++) {
        if (!tulle__spgemm_goes_on(telling)) continue;
        for (int64_t i = chunks->first[c]; i < chunks->first[c + 1]; i++) {
            NAME(compute_row)(task, i, &own, alpha, cols + offsets[i], values + offsets[i]);
        }
        tulle__spgemm_note_done(telling, c);
    }
}

/* Computes C; scratch: the sums and marks of all threads. */
static tulle_status NAME(compute_c)(tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                                    VALUE *sums, int64_t *seen) {
    const int threads = chunks->threads;
    const int64_t cols = task->b.cols;
    tulle__spgemm_telling telling = tulle__spgemm_telling_of(task, chunks, TULLE__SPGEMM_COUNT);
    chunks->offsets[0] = 0;
#pragma omp parallel num_threads(threads)
    {
        int64_t before = omp_get_thread_num() * cols;
        NAME(count)(task, chunks, (NAME(accumulator)){sums + before, seen + before}, &telling);
    }
    TULLE__TRY(tulle__spgemm_said(&telling));
    int64_t nnz = tulle__spgemm_sum_up(chunks->offsets, task->a.rows);
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    TULLE__TRY(task->make_c(task, nnz));
    tulle__spgemm_put_offsets(task, chunks);
    telling = tulle__spgemm_telling_of(task, chunks, TULLE__SPGEMM_COMPUTE);
#pragma omp parallel num_threads(threads)
    {
        int64_t before = omp_get_thread_num() * cols;
        NAME(compute)(task, chunks, (NAME(accumulator)){sums + before, seen + before}, &telling);
    }
    TULLE__TRY(tulle__spgemm_said(&telling));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

static tulle_status NAME(with_scratch)(tulle__spgemm_task *task,
                                       const tulle__spgemm_chunks *chunks) {
    tulle_ctx *ctx = task->place->ctx;
    size_t sums_bytes = 0, seen_bytes = 0;
    int64_t all = task->b.cols * chunks->threads;
    TULLE__TRY(tulle__size(all, sizeof(VALUE), 0, &sums_bytes));
    TULLE__TRY(tulle__size(all, sizeof(int64_t), 0, &seen_bytes));
    task->bound_bytes = tulle__spgemm_bound(task, chunks, (int64_t)(sums_bytes + seen_bytes));
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    void *sums = NULL, *seen = NULL;
    tulle_status status = tulle__alloc(ctx, sums_bytes, &sums);
    if (status == TULLE_OK) status = tulle__alloc(ctx, seen_bytes, &seen);
    if (status == TULLE_OK) status = NAME(compute_c)(task, chunks, sums, seen);
    tulle__free(ctx, seen);
    tulle__free(ctx, sums);
    return status;
}

static tulle_status NAME(run)(tulle__spgemm_task *task) {
    tulle__spgemm_chunks chunks;
    TULLE__TRY(tulle__spgemm_chunks_make(task, NULL, &chunks));
    task->multiplications = chunks.multiplications;
    tulle_status status = NAME(with_scratch)(task, &chunks);
    tulle__spgemm_chunks_free(task, &chunks);
    return status;
}

#endif
