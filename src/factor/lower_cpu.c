/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "factor/functions.h"

#define TULLE__SELF "factor/lower_cpu.c"
#include "matrix/each_index.h"

tulle_status tulle__cpu_lower_offsets(const tulle__place *place, const tulle__lower_task *task,
                                      int64_t *host_entries) {
    (void)place;
    switch (task->index) {
        case TULLE_I32:
            *host_entries = find_offsets_i32(task);
            break;
        case TULLE_I64_I32:
            *host_entries = find_offsets_i64_i32(task);
            break;
        default:
            *host_entries = find_offsets_i64(task);
            break;
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_lower_entries(const tulle__place *place, const tulle__lower_task *task,
                                      int64_t entries) {
    (void)place;
    (void)entries;
    switch (task->index) {
        case TULLE_I32:
            list_entries_i32(task);
            break;
        case TULLE_I64_I32:
            list_entries_i64_i32(task);
            break;
        default:
            list_entries_i64(task);
            break;
    }
    return TULLE_OK;
}

#else

/* Computes the offsets; returns the number of entries, or -1 if a row has no diagonal. */
static int64_t NAME(find_offsets)(const tulle__lower_task *t) {
    const OFFSET *offsets = t->offsets;
    const INDEX *cols = t->cols_of;
    OFFSET *lower = t->lower_offsets;
    lower[0] = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        OFFSET at = offsets[i];
        while (at < offsets[i + 1] && cols[at] < i) at++;
        if (at == offsets[i + 1] || cols[at] != i) return -1;
        lower[i + 1] = lower[i] + (at + 1 - offsets[i]);
    }
    return lower[t->rows];
}

static void NAME(list_entries)(const tulle__lower_task *t) {
    const OFFSET *offsets = t->offsets, *lower = t->lower_offsets;
    const INDEX *cols = t->cols_of;
    INDEX *lower_cols = t->lower_cols;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t e = offsets[i];
        for (int64_t k = lower[i]; k < lower[i + 1]; k++) {
            lower_cols[k] = cols[e];
            t->source[k] = e++;
        }
    }
}

#endif
