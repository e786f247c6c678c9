/* SPDX-License-Identifier: Apache-2.0 */
/* All rows in hash tables, counted and then computed: paper 4's way, on a CPU. */
#ifndef VALUE

#include <omp.h>

#include "core/access.h"
#include "core/context.h"
#include "spgemm/cpu/telling.h"

#define TULLE__SELF "spgemm/published/cpu/hash.c"
#include "core/each_type.h"

extern const tulle__spgemm_kernel tulle__cpu_spgemm_hash;
const tulle__spgemm_kernel tulle__cpu_spgemm_hash = {
    .head = {.name = "spgemm_hash",
             .summary = "a hash table a thread, counting and then computing, rows of equal work",
             .source = "paper 4, section III, by threads of a CPU; long rows sorted by digits",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL},
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spgemm/cpu/row.h"

#include "spgemm/cpu/table.h"

static void NAME(count)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                        const NAME(table) * table, tulle__spgemm_telling *telling) {
#pragma omp for schedule(dynamic)
    for (int c = 0; c < chunks->count; c++) {
        if (!tulle__spgemm_goes_on(telling)) continue;
        for (int64_t i = chunks->first[c]; i < chunks->first[c + 1]; i++) {
            tulle__spgemm_row row = NAME(row_at)(task, i);
            chunks->offsets[i + 1] = NAME(table_count)(task, table, &row);
        }
        tulle__spgemm_note_done(telling, c);
    }
}

static void NAME(compute)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                          const NAME(table) * table, tulle__spgemm_telling *telling) {
    VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
#pragma omp for schedule(dynamic)
    for (int c = 0; c < chunks->count; c++) {
        if (!tulle__spgemm_goes_on(telling)) continue;
        for (int64_t i = chunks->first[c]; i < chunks->first[c + 1]; i++) {
            tulle__spgemm_row row = NAME(row_at)(task, i);
            int64_t at = chunks->offsets[i];
            NAME(table_row)
            (task, table, &row, alpha, (INDEX *)task->c.cols_of + at, (VALUE *)task->c.values + at);
        }
        tulle__spgemm_note_done(telling, c);
    }
}

/* Computes C; memory: a table for each thread. */
static tulle_status NAME(compute_c)(tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                                    char *memory, int64_t bytes) {
    const int threads = chunks->threads;
    tulle__spgemm_telling telling = tulle__spgemm_telling_of(task, chunks, TULLE__SPGEMM_COUNT);
    chunks->offsets[0] = 0;
#pragma omp parallel num_threads(threads)
    {
        NAME(table)
        table =
            NAME(table_in)(memory + omp_get_thread_num() * bytes, chunks->longest, chunks->widest);
        NAME(count)(task, chunks, &table, &telling);
    }
    TULLE__TRY(tulle__spgemm_said(&telling));
    int64_t nnz = tulle__spgemm_sum_up(chunks->offsets, task->a.rows);
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    TULLE__TRY(task->make_c(task, nnz));
    tulle__spgemm_put_offsets(task, chunks);
    telling = tulle__spgemm_telling_of(task, chunks, TULLE__SPGEMM_COMPUTE);
#pragma omp parallel num_threads(threads)
    {
        NAME(table)
        table =
            NAME(table_in)(memory + omp_get_thread_num() * bytes, chunks->longest, chunks->widest);
        NAME(compute)(task, chunks, &table, &telling);
    }
    TULLE__TRY(tulle__spgemm_said(&telling));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

static tulle_status NAME(run)(tulle__spgemm_task *task) {
    tulle_ctx *ctx = task->place->ctx;
    tulle__spgemm_chunks chunks;
    void *memory = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__spgemm_chunks_make(task, NULL, &chunks));
    task->multiplications = chunks.multiplications;
    int64_t each = NAME(table_bytes)(chunks.longest, chunks.widest);
    tulle_status status = tulle__size(each, chunks.threads, 0, &bytes);
    task->bound_bytes = tulle__spgemm_bound(task, &chunks, (int64_t)bytes);
    if (status == TULLE_OK) status = task->ends(task, TULLE__SPGEMM_ANALYSIS);
    if (status == TULLE_OK) status = tulle__alloc(ctx, bytes, &memory);
    if (status == TULLE_OK) status = NAME(compute_c)(task, &chunks, memory, each);
    tulle__free(ctx, memory);
    tulle__spgemm_chunks_free(task, &chunks);
    return status;
}

#endif
