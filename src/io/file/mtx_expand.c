/* SPDX-License-Identifier: Apache-2.0 */
/* Makes entries from chunks: copies them, mirrors the entries off the diagonal of a symmetric
 * matrix, and computes the places of an array's values. The part of the result that a chunk fills
 * is known before any thread begins, so that the order of the entries is the file's for any number
 * of threads. */
#include <string.h>

#include "core/search.h"
#include "io/file/mtx.h"

/* Place in the matrix of a value of an array file. */
typedef struct position {
    int64_t row, col;
} position;

/* Returns the first row of a column that an array file stores. */
static int64_t first_row(const tulle__mtx_head *head, int64_t col) {
    if (head->symmetry == TULLE__GENERAL) return 0;
    return col + (head->symmetry == TULLE__SKEW);
}

/* Returns the number of values in the columns before a column, which fits in 64 bits because the
 * number of all values does. */
static int64_t values_before(const tulle__mtx_head *head, int64_t col) {
    if (head->symmetry == TULLE__GENERAL) return col * head->rows;
    const __int128 twice = (__int128)col * (2 * (__int128)head->rows - col + 1);
    return (int64_t)(twice / 2) - (head->symmetry == TULLE__SKEW ? col : 0);
}

/* Returns the place of value number i, in the last column with at most i values before the
 * column. */
static position position_of(const tulle__mtx_head *head, int64_t i) {
    int64_t behind = 1;
    TULLE__LOWER_BOUND(behind, head->cols, col, values_before(head, col) <= i);
    int64_t col = behind - 1;
    return (position){first_row(head, col) + i - values_before(head, col), col};
}

static void next_position(const tulle__mtx_head *head, position *at) {
    if (++at->row < head->rows) return;
    at->col++;
    at->row = first_row(head, at->col);
}

static double value_at(const tulle__mtx_head *head, const void *values, int64_t i) {
    if (!values) return 1;
    return head->type == TULLE_F32 ? (double)((const float *)values)[i]
                                   : ((const double *)values)[i];
}

static int64_t index_at(const tulle__mtx_head *head, const void *indices, int64_t i) {
    return head->wide ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}

static void put(const tulle__mtx_head *head, tulle__entries *entries, int64_t at, position where,
                double value) {
    if (head->wide) {
        ((int64_t *)entries->rows_of)[at] = where.row;
        ((int64_t *)entries->cols_of)[at] = where.col;
    } else {
        ((int32_t *)entries->rows_of)[at] = (int32_t)where.row;
        ((int32_t *)entries->cols_of)[at] = (int32_t)where.col;
    }
    if (head->type == TULLE_F32) {
        ((float *)entries->values)[at] = (float)value;
    } else {
        ((double *)entries->values)[at] = value;
    }
}

/* Stores an entry, and its mirror image if the symmetry has one; returns the number of entries
 * stored. */
static int64_t put_both(const tulle__mtx_head *head, tulle__entries *entries, int64_t at,
                        position where, double value) {
    put(head, entries, at, where, value);
    if (head->symmetry == TULLE__GENERAL || where.row == where.col) return 1;
    put(head, entries, at + 1, (position){where.col, where.row},
        head->symmetry == TULLE__SKEW ? -value : value);
    return 2;
}

static void expand_array(const tulle__mtx_head *head, const tulle__chunk *chunk,
                         tulle__entries *entries, int64_t at) {
    if (chunk->count == 0) return;
    position where = position_of(head, chunk->first);
    for (int64_t i = 0; i < chunk->count; i++, next_position(head, &where)) {
        const double value = value_at(head, chunk->values, i);
        if (value != 0) at += put_both(head, entries, at, where, value);
    }
}

static void expand_coordinates(const tulle__mtx_head *head, const tulle__chunk *chunk,
                               tulle__entries *entries, int64_t at) {
    for (int64_t i = 0; i < chunk->count; i++) {
        const position where = {index_at(head, chunk->rows_of, i),
                                index_at(head, chunk->cols_of, i)};
        at += put_both(head, entries, at, where, value_at(head, chunk->values, i));
    }
}

/* Copies the whole arrays of a chunk of a general matrix with values. */
static void copy_coordinates(const tulle__mtx_head *head, const tulle__chunk *chunk,
                             tulle__entries *entries, int64_t at) {
    const size_t index = head->wide ? 8 : 4, value = (size_t)tulle_type_size(head->type);
    const size_t count = (size_t)chunk->count, start = (size_t)at;
    if (count == 0) return;
    memcpy((char *)entries->rows_of + start * index, chunk->rows_of, count * index);
    memcpy((char *)entries->cols_of + start * index, chunk->cols_of, count * index);
    memcpy((char *)entries->values + start * value, chunk->values, count * value);
}

/* Returns the number of entries that a chunk expands to. */
static int64_t expanded_count(const tulle__mtx_head *head, const tulle__chunk *chunk) {
    if (!head->array)
        return chunk->count + (head->symmetry == TULLE__GENERAL ? 0 : chunk->mirrored);
    if (chunk->count == 0) return 0;
    int64_t count = 0;
    position where = position_of(head, chunk->first);
    for (int64_t i = 0; i < chunk->count; i++, next_position(head, &where)) {
        if (value_at(head, chunk->values, i) == 0) continue;
        count += 1 + (head->symmetry != TULLE__GENERAL && where.row != where.col);
    }
    return count;
}

tulle_status tulle__entries_alloc(tulle_ctx *cpu, const tulle__mtx_head *head,
                                  tulle__entries *entries) {
    const int64_t index = head->wide ? 8 : 4;
    size_t index_bytes, value_bytes;
    TULLE__TRY(tulle__size(entries->count, index, 0, &index_bytes));
    TULLE__TRY(tulle__size(entries->count, tulle_type_size(head->type), 0, &value_bytes));
    TULLE__TRY(tulle__alloc(cpu, index_bytes, &entries->rows_of));
    TULLE__TRY(tulle__alloc(cpu, index_bytes, &entries->cols_of));
    TULLE__TRY(tulle__alloc(cpu, value_bytes, &entries->values));
    tulle__want_huge_pages(entries->rows_of, index_bytes);
    tulle__want_huge_pages(entries->cols_of, index_bytes);
    tulle__want_huge_pages(entries->values, value_bytes);
    return TULLE_OK;
}

void tulle__entries_free(tulle_ctx *cpu, tulle__entries *entries) {
    tulle__free(cpu, entries->rows_of);
    tulle__free(cpu, entries->cols_of);
    tulle__free(cpu, entries->values);
    *entries = (tulle__entries){0};
}

tulle_status tulle__mtx_expand(tulle_ctx *cpu, const tulle__mtx_head *head, tulle__chunks *chunks,
                               tulle__entries *entries) {
    int threads = cpu->place.threads;
    if (threads > chunks->count) threads = (int)chunks->count;
    *entries = (tulle__entries){0};
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < chunks->count; i++) {
        chunks->chunk[i]->expanded = expanded_count(head, chunks->chunk[i]);
    }
    for (int64_t i = 0; i < chunks->count; i++) {
        const int64_t expanded = chunks->chunk[i]->expanded;
        chunks->chunk[i]->expanded = entries->count;
        entries->count += expanded;
    }
    const tulle_status status = tulle__entries_alloc(cpu, head, entries);
    if (status != TULLE_OK) {
        tulle__entries_free(cpu, entries);
        tulle__chunks_free(cpu, chunks);
        return status;
    }
    const bool whole = head->symmetry == TULLE__GENERAL && head->field != TULLE__PATTERN;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < chunks->count; i++) {
        tulle__chunk *chunk = chunks->chunk[i];
        if (head->array) {
            expand_array(head, chunk, entries, chunk->expanded);
        } else if (whole) {
            copy_coordinates(head, chunk, entries, chunk->expanded);
        } else {
            expand_coordinates(head, chunk, entries, chunk->expanded);
        }
    }
    tulle__chunks_free(cpu, chunks);
    return TULLE_OK;
}
