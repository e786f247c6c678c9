/* SPDX-License-Identifier: Apache-2.0 */
/* The product by chunks of positions (chunks.h), once for each type combination: `run`, made of two
 * functions that the including file has defined before:
 *
 *   sum_chunk(task, begin, end, sums): adds the entries of the positions begin to end - 1, times x,
 *     to sums, one sum a position, in the order of each row;
 *   scatter_chunk(task, begin, end, alpha, own, y): adds alpha times the entries of these positions
 *     times own, which has one number of x a position, to y.
 *
 * A chunk is one thread's, and so is each part of a transposed product, which has a y of its own;
 * these are added in order. So both are bitwise the same for any number of threads. No include
 * guard, on purpose. */
#include <string.h>

static int64_t NAME(row)(const tulle__spmv_task *task, int64_t p) {
    const INDEX *order = task->order;
    return order ? order[p] : p;
}

static int64_t NAME(chunk_end)(const tulle__spmv_task *task, int64_t begin) {
    int64_t end = begin + tulle__chunk_positions(&task->shape);
    return end < task->shape.rows ? end : task->shape.rows;
}

static void NAME(forward)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    int64_t positions = tulle__chunk_positions(&task->shape);
    int64_t chunks = tulle__ceil_div(task->shape.rows, positions);
    VALUE *y = task->y;
#pragma omp parallel for num_threads(tulle__spmv_threads(task)) schedule(dynamic, 4)
    for (int64_t c = 0; c < chunks; c++) {
        COMPUTED sums[TULLE__CHUNK_ROOM];
        int64_t begin = c * positions, end = NAME(chunk_end)(task, begin);
        memset(sums, 0, (size_t)positions * sizeof *sums);
        NAME(sum_chunk)(task, begin, end, sums);
        for (int64_t p = begin; p < end; p++) {
            int64_t i = NAME(row)(task, p);
            COMPUTED sum = alpha * sums[p - begin];
            y[i] = beta == 0 ? sum : sum + beta * y[i];
        }
    }
}

static void NAME(scatter_part)(const tulle__spmv_task *task, int part, int parts, COMPUTED alpha,
                               VALUE *y) {
    int64_t positions = tulle__chunk_positions(&task->shape);
    int64_t chunks = tulle__ceil_div(task->shape.rows, positions);
    tulle__chunk_share share = tulle__chunk_share_of(&task->shape, chunks, part, parts);
    const VALUE *x = task->x;
    COMPUTED own[TULLE__CHUNK_ROOM];
    for (int64_t c = share.first; c < share.end; c += share.step) {
        int64_t begin = c * positions, end = NAME(chunk_end)(task, begin);
        for (int64_t p = begin; p < end; p++) own[p - begin] = x[NAME(row)(task, p)];
        NAME(scatter_chunk)(task, begin, end, alpha, own, y);
    }
}

#include "spmv/cpu/by_parts.h"

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    if (shape->trans == TULLE_N) {
        NAME(forward)(task);
    } else {
        NAME(by_parts)
        (task, tulle__spmv_threads(task), tulle__chunk_parts(shape), shape->cols, NULL);
    }
    return TULLE_OK;
}
