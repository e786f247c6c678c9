/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "spgemm/cpu/chunks.h"

#include <omp.h>

#include "core/access.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "spgemm/cpu/kin.h"

/* Number of chunks: so many for each thread that no thread waits long for the last chunk, and so
 * few that a chunk has neighbouring rows. There are more where a chunk would be so much work
 * that a user who cancels would have to wait. */
enum { CHUNKS_A_THREAD = 32, MOST_CHUNKS = 1 << 20, MOST_WORK = 1 << 21 };

int tulle__spgemm_threads(const tulle__spgemm_task *task, int64_t items) {
    return tulle__threads_for(task->place, TULLE__WORK_ENTRIES, items);
}

int tulle__spgemm_threads_early(const tulle__spgemm_task *task) {
    return tulle__spgemm_threads(task, task->a.rows + task->a.nnz + task->b.nnz);
}

/* Results of one look at the rows; see tulle__spgemm_chunks. */
typedef struct findings {
    int64_t longest, widest, twins;
} findings;

#define TULLE__SELF "spgemm/cpu/chunks.c"
#include "matrix/each_index.h"

/* Looks at all rows: before[i + 1] := the multiplications of row i. */
static findings look(const tulle__spgemm_task *task, const uint8_t *kin, int64_t *before) {
    switch (task->index) {
        case TULLE_I32:
            return look_i32(task, kin, before);
        case TULLE_I64_I32:
            return look_i64_i32(task, kin, before);
        case TULLE_I64:
            break;
    }
    return look_i64(task, kin, before);
}

int64_t tulle__spgemm_sum_up(int64_t *offsets, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) offsets[i + 1] += offsets[i];
    return offsets[rows];
}

/* Work of the rows before row i: a row costs something even without multiplications. */
static int64_t work_before(const int64_t *before, int64_t i) {
    return before[i] + i;
}

static void cut_at(const int64_t *before, int64_t rows, tulle__spgemm_chunks *chunks) {
    int64_t work = work_before(before, rows), row = 0;
    for (int c = 0; c < chunks->count; c++) {
        while (row < rows && work_before(before, row) < work / chunks->count * c) row++;
        chunks->first[c] = c > 0 ? row : 0;
        chunks->before[c] = before[chunks->first[c]];
    }
    chunks->first[chunks->count] = rows;
    chunks->before[chunks->count] = before[rows];
}

static int chunks_for(const tulle__spgemm_task *task, int64_t work) {
    const int64_t few = (int64_t)task->place->threads * CHUNKS_A_THREAD;
    const int64_t many = work / MOST_WORK < MOST_CHUNKS ? work / MOST_WORK : MOST_CHUNKS;
    return (int)(many > few ? many : few);
}

static tulle_status cut(const tulle__spgemm_task *task, tulle__spgemm_chunks *chunks) {
    void *first = NULL;
    chunks->count = chunks_for(task, work_before(chunks->offsets, task->a.rows));
    const size_t numbers = 2 * ((size_t)chunks->count + 1);
    TULLE__TRY(tulle__alloc(task->place->ctx, numbers * sizeof(int64_t), &first));
    chunks->first = first;
    chunks->before = chunks->first + chunks->count + 1;
    cut_at(chunks->offsets, task->a.rows, chunks);
    return TULLE_OK;
}

tulle_status tulle__spgemm_chunks_make(const tulle__spgemm_task *task, const uint8_t *kin,
                                       tulle__spgemm_chunks *chunks) {
    void *offsets = NULL;
    size_t bytes = 0;
    *chunks = (tulle__spgemm_chunks){.count = 0};
    TULLE__TRY(tulle__size(task->a.rows + 1, sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(task->place->ctx, bytes, &offsets));
    chunks->offsets = offsets;
    findings found = look(task, kin, chunks->offsets);
    chunks->multiplications = tulle__spgemm_sum_up(chunks->offsets, task->a.rows);
    chunks->longest = found.longest;
    chunks->widest = found.widest;
    chunks->twins = found.twins;
    chunks->threads = tulle__spgemm_threads(task, task->a.rows + chunks->multiplications);
    const tulle_status status = cut(task, chunks);
    if (status != TULLE_OK) tulle__spgemm_chunks_free(task, chunks);
    return status;
}

void tulle__spgemm_chunks_free(const tulle__spgemm_task *task, tulle__spgemm_chunks *chunks) {
    tulle__free(task->place->ctx, chunks->offsets);
    tulle__free(task->place->ctx, chunks->first);
}

/* The bound is computed in doubles, which do not overflow. */
int64_t tulle__spgemm_bound(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                            int64_t scratch) {
    double rows = (double)task->a.rows + 1, each = (double)(2 * sizeof(int64_t));
    double entries = tulle__spgemm_most_of(task, chunks->multiplications);
    double c = entries * (double)(tulle_index_size(task->index) + tulle_type_size(task->type));
    double all = (double)scratch + rows * each + 2 * (chunks->count + 1.0) * sizeof(int64_t) + c;
    return all < 9e18 ? (int64_t)all : INT64_MAX;
}

void tulle__spgemm_put_offsets(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    int64_t size = tulle_offset_size(task->c.index);
    const int64_t *offsets = chunks->offsets;
#pragma omp parallel for schedule(static) num_threads(chunks->threads)
    for (int64_t i = 0; i <= task->a.rows; i++) tulle__put(task->c.offsets, size, i, offsets[i]);
}

#else /* once for each index type */

#include "spgemm/cpu/row.h"

/* Counts the multiplications of row i of a product with a mask: none where the mask has no entry.
 */
static int64_t NAME(masked_multiplications)(const tulle__spgemm_task *task, int64_t i) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const OFFSET *mask_offsets = task->mask.offsets;
    const INDEX *a_cols = task->a.cols_of;
    int64_t multiplications = 0;
    if (mask_offsets[i] == mask_offsets[i + 1]) return 0;
    for (OFFSET e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        multiplications += b_offsets[a_cols[e] + 1] - b_offsets[a_cols[e]];
    }
    return multiplications;
}

/* Counts the multiplications of the rows begin to end - 1 of C, and finds the longest and the
 * widest row, unless there is a mask. A row that is kin of the row before has as many
 * multiplications as that. */
static void NAME(look_at)(const tulle__spgemm_task *task, const uint8_t *kin, int64_t begin,
                          int64_t end, int64_t *before, findings *found) {
    if (task->mask.offsets) {
        for (int64_t i = begin; i < end; i++) before[i + 1] = NAME(masked_multiplications)(task, i);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        if (kin && kin[i] == TULLE__SPGEMM_TWIN && i > begin) found->twins += before[i];
        if (kin && kin[i] != TULLE__SPGEMM_STRANGER && i > begin) {
            before[i + 1] = before[i];
            continue;
        }
        tulle__spgemm_row row = NAME(row_at)(task, i);
        before[i + 1] = row.multiplications;
        if (row.multiplications > found->longest) found->longest = row.multiplications;
        /* A kin row that follows may have its columns up to 63 further right, counted from the same
         * multiple of 64. */
        int64_t reach = row.span < INT64_MAX - 63 ? row.span + 63 : INT64_MAX;
        if (reach > found->widest) found->widest = reach;
    }
}

static findings NAME(look)(const tulle__spgemm_task *task, const uint8_t *kin, int64_t *before) {
    int64_t longest = 0, widest = 0, twins = 0;
    before[0] = 0;
#pragma omp parallel num_threads(tulle__spgemm_threads_early(task)) reduction(max : longest, widest)            \
    reduction(+ : twins)
    {
        int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        findings found = {0};
        NAME(look_at)
        (task, kin, task->a.rows * thread / threads, task->a.rows * (thread + 1) / threads, before,
         &found);
        longest = found.longest;
        widest = found.widest;
        twins = found.twins;
    }
    return (findings){longest, widest, twins};
}

#endif
