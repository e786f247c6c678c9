/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/chunks.h"

#include "core/access.h"
#include "core/context.h"

/* So many chunks a thread that the last one is soon done, and rows in one stay neighbours. */
enum { CHUNKS_A_THREAD = 32 };

/* before[i + 1] := the products of row i. */
static void count_products(const tulle__spgemm_task *task, int64_t *before) {
    const tulle__spgemm_operand *a = &task->a, *b = &task->b;
    int64_t offset = tulle_offset_size(task->index), column = tulle_index_size(task->index);
    before[0] = 0;
#pragma omp parallel for schedule(static) num_threads(task->place->threads)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t end = tulle__get(a->offsets, offset, i + 1), products = 0;
        for (int64_t e = tulle__get(a->offsets, offset, i); e < end; e++) {
            int64_t k = tulle__get(a->cols_of, column, e);
            products += tulle__get(b->offsets, offset, k + 1) - tulle__get(b->offsets, offset, k);
        }
        before[i + 1] = products;
    }
}

int64_t tulle__spgemm_sum_up(int64_t *offsets, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) offsets[i + 1] += offsets[i];
    return offsets[rows];
}

/* A row costs something even without products. */
static int64_t work_before(const int64_t *before, int64_t i) {
    return before[i] + i;
}

static void cut(const int64_t *before, int64_t rows, tulle__spgemm_chunks *chunks) {
    int64_t work = work_before(before, rows), row = 0;
    for (int c = 0; c < chunks->count; c++) {
        while (row < rows && work_before(before, row) < work / chunks->count * c) row++;
        chunks->first[c] = row;
    }
    chunks->first[0] = 0;
    chunks->first[chunks->count] = rows;
}

tulle_status tulle__spgemm_chunks_make(const tulle__spgemm_task *task,
                                       tulle__spgemm_chunks *chunks) {
    tulle_ctx *ctx = task->place->ctx;
    void *before = NULL, *first = NULL;
    size_t bytes = 0;
    chunks->count = task->place->threads * CHUNKS_A_THREAD;
    TULLE__TRY(tulle__size(task->a.rows + 1, sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, ((size_t)chunks->count + 1) * sizeof(int64_t), &first));
    chunks->first = first;
    tulle_status status = tulle__alloc(ctx, bytes, &before);
    if (status != TULLE_OK) {
        tulle__spgemm_chunks_free(task, chunks);
        return status;
    }
    count_products(task, before);
    chunks->products = tulle__spgemm_sum_up(before, task->a.rows);
    cut(before, task->a.rows, chunks);
    tulle__free(ctx, before);
    return TULLE_OK;
}

void tulle__spgemm_chunks_free(const tulle__spgemm_task *task, tulle__spgemm_chunks *chunks) {
    tulle__free(task->place->ctx, chunks->first);
}

void tulle__spgemm_put_offsets(const tulle__spgemm_task *task, const int64_t *offsets) {
    int64_t size = tulle_offset_size(task->c.index);
#pragma omp parallel for schedule(static) num_threads(task->place->threads)
    for (int64_t i = 0; i <= task->a.rows; i++) tulle__put(task->c.offsets, size, i, offsets[i]);
}
