/* SPDX-License-Identifier: Apache-2.0 */
/* One row of A and some columns of B as operands of their own, on a CPU. */
#ifndef INDEX

#include <string.h>

#include "core/access.h"
#include "core/search.h"
#include "spgemm/functions.h"

#define TULLE__SELF "spgemm/cpu/strip.c"
#include "matrix/each_index.h"

tulle_status tulle__cpu_count_strip(const tulle__spgemm_task *task,
                                    const tulle__spgemm_strip *strip, int64_t *host_nnz) {
    if (task->index == TULLE_I32) *host_nnz = count_i32(task, strip);
    if (task->index == TULLE_I64_I32) *host_nnz = count_i64_i32(task, strip);
    if (task->index == TULLE_I64) *host_nnz = count_i64(task, strip);
    return TULLE_OK;
}

tulle_status tulle__cpu_fill_strip(const tulle__spgemm_task *task,
                                   const tulle__spgemm_strip *strip) {
    if (task->index == TULLE_I32) fill_i32(task, strip);
    if (task->index == TULLE_I64_I32) fill_i64_i32(task, strip);
    if (task->index == TULLE_I64) fill_i64(task, strip);
    return TULLE_OK;
}

tulle_status tulle__cpu_raise_numbers(const tulle__place *place, int64_t count, int64_t by,
                                      int64_t size, void *numbers) {
    (void)place;
    for (int64_t i = 0; i < count; i++) {
        tulle__put(numbers, size, i, tulle__get(numbers, size, i) + by);
    }
    return TULLE_OK;
}

#else /* once for each index type */

/* Returns the first entry of B's row k in column `low` or behind it. */
static int64_t NAME(first_from)(const tulle__spgemm_task *task, int64_t k, int64_t low) {
    const OFFSET *offsets = task->b.offsets;
    const INDEX *cols = task->b.cols_of;
    int64_t first = offsets[k], last = offsets[k + 1];
    TULLE__LOWER_BOUND(first, last, q, cols[q] < low);
    return first;
}

static int64_t NAME(count)(const tulle__spgemm_task *task, const tulle__spgemm_strip *strip) {
    const INDEX *a_cols = (const INDEX *)task->a.cols_of + strip->begin;
    OFFSET *offsets = strip->offsets;
    INDEX *numbers = strip->numbers;
    offsets[0] = 0;
    for (int64_t e = 0; e < strip->end - strip->begin; e++) {
        int64_t length = NAME(first_from)(task, a_cols[e], strip->high) -
                         NAME(first_from)(task, a_cols[e], strip->low);
        offsets[e + 1] = (OFFSET)(offsets[e] + length);
        numbers[e] = (INDEX)e;
    }
    return offsets[strip->end - strip->begin];
}

static void NAME(fill)(const tulle__spgemm_task *task, const tulle__spgemm_strip *strip) {
    const INDEX *a_cols = (const INDEX *)task->a.cols_of + strip->begin;
    const INDEX *b_cols = task->b.cols_of;
    const OFFSET *offsets = strip->offsets;
    const int64_t size = tulle_type_size(task->type);
    INDEX *cols = strip->cols_of;
    for (int64_t e = 0; e < strip->end - strip->begin; e++) {
        int64_t count = offsets[e + 1] - offsets[e];
        int64_t from = NAME(first_from)(task, a_cols[e], strip->low);
        for (int64_t k = 0; k < count; k++) {
            cols[offsets[e] + k] = (INDEX)(b_cols[from + k] - strip->low);
        }
        if (count == 0) continue;
        memcpy((char *)strip->values + offsets[e] * size,
               (const char *)task->b.values + from * size, (size_t)(count * size));
    }
}

#endif
