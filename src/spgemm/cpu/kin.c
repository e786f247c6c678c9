/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "spgemm/cpu/kin.h"

#include <string.h>

#include "core/context.h"
#include "spgemm/cpu/chunks.h"

/* Kin pay where at least one row in so many is kin: rows that are computed before they are
 * counted cannot use it. */
enum { FEWEST = 2 };

/* Sample of the rows: STRETCHES stretches of STRETCH rows, spread over all rows, are looked at
 * first. Where fewer of these rows are kin than four fifths of the share that all rows must have,
 * the others are not looked at. */
enum { STRETCHES = 8, STRETCH = 32, SAMPLE_OF_FIVE = 4 };

#define TULLE__SELF "spgemm/cpu/kin.c"
#include "matrix/each_index.h"

/* next[k] := 1 where row k of B is the row before, moved by a column; else 0. */
static void find_next(const tulle__spgemm_task *task, uint8_t *next) {
    if (task->index == TULLE_I32) find_next_i32(task, next);
    if (task->index == TULLE_I64_I32) find_next_i64_i32(task, next);
    if (task->index == TULLE_I64) find_next_i64(task, next);
}

static bool may_be_kin(const tulle__spgemm_task *task) {
    if (task->index == TULLE_I32) return may_be_kin_i32(task);
    if (task->index == TULLE_I64_I32) return may_be_kin_i64_i32(task);
    return may_be_kin_i64(task);
}

/* Finds the kind of each row; returns the number of rows that are kin. */
static int64_t find_kin(const tulle__spgemm_task *task, const uint8_t *next, uint8_t *kin) {
    if (task->index == TULLE_I32) return find_kin_i32(task, next, kin);
    if (task->index == TULLE_I64_I32) return find_kin_i64_i32(task, next, kin);
    return find_kin_i64(task, next, kin);
}

tulle_status tulle__spgemm_kin_make(const tulle__spgemm_task *task, uint8_t **kin) {
    tulle_ctx *ctx = task->place->ctx;
    void *next = NULL, *found = NULL;
    *kin = NULL;
    if (!may_be_kin(task)) return TULLE_OK;
    TULLE__TRY(tulle__alloc(ctx, (size_t)task->b.rows, &next));
    tulle_status status = tulle__alloc(ctx, (size_t)task->a.rows, &found);
    if (status == TULLE_OK) {
        find_next(task, next);
        *kin = found;
        if (find_kin(task, next, found) < (task->a.rows + FEWEST - 1) / FEWEST) {
            tulle__free(ctx, found);
            *kin = NULL;
        }
    }
    tulle__free(ctx, next);
    return status;
}

#else /* once for each index type */

/* True when a row's columns are another row's, each `more` higher. */
static bool NAME(is_moved)(const INDEX *from, const INDEX *to, int64_t length, INDEX more) {
    for (int64_t k = 0; k < length; k++) {
        if (to[k] != from[k] + more) return false;
    }
    return true;
}

static bool NAME(is_next)(const tulle__spgemm_operand *o, int64_t i, INDEX more) {
    const OFFSET *offsets = o->offsets;
    const INDEX *cols = o->cols_of;
    int64_t length = offsets[i + 1] - offsets[i];
    return offsets[i] - offsets[i - 1] == length &&
           NAME(is_moved)(cols + offsets[i - 1], cols + offsets[i], length, more);
}

/* True when kin_of would call the row kin, for which the rows of B that it needs are looked at;
 * 0 < i. */
static bool NAME(is_kin)(const tulle__spgemm_task *task, int64_t i) {
    const OFFSET *offsets = task->a.offsets;
    const INDEX *cols = task->a.cols_of;
    if (offsets[i] == offsets[i + 1]) return false;
    if (NAME(is_next)(&task->a, i, 0)) return true;
    if (!NAME(is_next)(&task->a, i, 1)) return false;
    for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
        if (cols[e] == 0 || !NAME(is_next)(&task->b, cols[e], 1)) return false;
    }
    return true;
}

static bool NAME(may_be_kin)(const tulle__spgemm_task *task) {
    const int64_t rows = task->a.rows;
    int64_t found = 0, seen = 0;
    for (int64_t s = 0; s < STRETCHES; s++) {
        const int64_t begin = rows / STRETCHES * s + 1;
        for (int64_t i = begin; i < begin + STRETCH && i < rows; i++, seen++) {
            found += NAME(is_kin)(task, i);
        }
    }
    return 5 * FEWEST * found >= SAMPLE_OF_FIVE * seen;
}

static void NAME(find_next)(const tulle__spgemm_task *task, uint8_t *next) {
#pragma omp parallel for schedule(static) num_threads(tulle__spgemm_threads_early(task))
    for (int64_t k = 0; k < task->b.rows; k++) next[k] = k > 0 && NAME(is_next)(&task->b, k, 1);
}

static uint8_t NAME(kin_of)(const tulle__spgemm_task *task, const uint8_t *next, int64_t i) {
    const OFFSET *offsets = task->a.offsets;
    const INDEX *cols = task->a.cols_of;
    if (i == 0 || offsets[i] == offsets[i + 1]) return TULLE__SPGEMM_STRANGER;
    if (NAME(is_next)(&task->a, i, 0)) return TULLE__SPGEMM_TWIN;
    if (!NAME(is_next)(&task->a, i, 1)) return TULLE__SPGEMM_STRANGER;
    for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
        if (!next[cols[e]]) return TULLE__SPGEMM_STRANGER;
    }
    return TULLE__SPGEMM_NEXT;
}

static int64_t NAME(find_kin)(const tulle__spgemm_task *task, const uint8_t *next, uint8_t *kin) {
    int64_t found = 0;
#pragma omp parallel for schedule(static) num_threads(tulle__spgemm_threads_early(task)) reduction(+ : found)
    for (int64_t i = 0; i < task->a.rows; i++) {
        kin[i] = NAME(kin_of)(task, next, i);
        found += kin[i] != TULLE__SPGEMM_STRANGER;
    }
    return found;
}

#endif
