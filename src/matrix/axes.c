/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rows and columns of several matrices that have entries. */
#include <string.h>

#include "core/access.h"
#include "matrix/renumber.h"

/* Return true when the matrix has no table of all its rows; and of all its columns. */
static bool lists_rows(const tulle_mat *A) {
    return A->pattern->format == TULLE_COO || tulle__has(A->pattern->format, TULLE__COMPRESSED);
}
static bool lists_cols(const tulle_mat *A) {
    return lists_rows(A) || A->pattern->format == TULLE_CSR;
}

/* True when all matrices that have the axis have few entries for its size and no table of it. */
static bool is_few(const tulle__axes_of *m, int count, const tulle__axis *axis) {
    double entries = 0;
    for (int k = 0; k < count; k++) {
        if (!m[k].A || (m[k].rows != axis && m[k].cols != axis)) continue;
        if (m[k].rows == axis && !lists_rows(m[k].A)) return false;
        if (m[k].cols == axis && !lists_cols(m[k].A)) return false;
        entries += (double)m[k].A->pattern->nnz;
    }
    return entries < 0x1p60 && tulle__is_hypersparse(axis->size, (int64_t)entries);
}

bool tulle__axes_find(const tulle__axes_of *m, int count) {
    bool found = false;
    for (int k = 0; k < count; k++) {
        if (!m[k].A) continue;
        m[k].rows->size = m[k].A->pattern->rows;
        m[k].cols->size = m[k].A->pattern->cols;
    }
    for (int k = 0; k < count; k++) {
        if (!m[k].A) continue;
        m[k].rows->few = is_few(m, count, m[k].rows);
        m[k].cols->few = is_few(m, count, m[k].cols);
        found = found || m[k].rows->few || m[k].cols->few;
    }
    return found;
}

/* Sorts by digits of 16 bits, of which those are left out in which no two numbers differ. */
enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

static void sort_by_digit(const int64_t *from, int64_t n, int shift, int64_t *next, int64_t *to) {
    memset(next, 0, (DIGITS + 1) * sizeof *next);
    for (int64_t i = 0; i < n; i++) next[(from[i] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) next[d + 1] += next[d];
    for (int64_t i = 0; i < n; i++) to[next[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static bool rises(const int64_t *numbers, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        if (numbers[i] < numbers[i - 1]) return false;
    }
    return true;
}

static tulle_status sort(tulle_ctx *ctx, int64_t **numbers, int64_t n) {
    if (rises(*numbers, n)) return TULLE_OK;
    int64_t differing = 0;
    for (int64_t i = 1; i < n; i++) differing |= (*numbers)[i] ^ (*numbers)[0];
    int64_t *spare = tulle__host_alloc(ctx, (size_t)n * sizeof *spare);
    int64_t *next = tulle__host_alloc(ctx, (DIGITS + 1) * sizeof *next);
    tulle_status status = spare && next ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    for (int shift = 0; shift < 64 && status == TULLE_OK; shift += DIGIT_BITS) {
        if ((differing >> shift & (DIGITS - 1)) == 0) continue;
        sort_by_digit(*numbers, n, shift, next, spare);
        int64_t *sorted = spare;
        spare = *numbers;
        *numbers = sorted;
    }
    tulle__host_free(ctx, next);
    tulle__host_free(ctx, spare);
    return status;
}

/* Keeps each number once. */
static int64_t keep_different(int64_t *numbers, int64_t n) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
    }
    return kept;
}

/* Number and places of the rows, or of the columns, that a matrix lists. */
static int64_t listed_count(const tulle__axes_of *m, bool rows) {
    const tulle__pattern *p = m->A->pattern;
    return rows && tulle__has(p->format, TULLE__COMPRESSED) ? p->storage.heads : p->nnz;
}
static const void *listed_array(const tulle__axes_of *m, bool rows) {
    const tulle__pattern *p = m->A->pattern;
    if (!rows) return p->cols_of.data;
    return tulle__has(p->format, TULLE__COMPRESSED) ? p->order.data : p->rows_of.data;
}

static tulle_status append(tulle_ctx *ctx, const tulle__axes_of *m, bool rows, tulle__axis *axis) {
    const int64_t n = listed_count(m, rows), size = tulle_index_size(m->A->pattern->index);
    tulle__host_array array;
    tulle_status status = tulle__host_array_read(ctx, listed_array(m, rows), n, size, &array);
    for (int64_t i = 0; i < n && status == TULLE_OK; i++) {
        axis->numbers[axis->count++] = tulle__get(array.data, size, i);
    }
    tulle__host_array_free(ctx, &array);
    return status;
}

static tulle_status list_axis(tulle_ctx *ctx, const tulle__axes_of *m, int count,
                              tulle__axis *axis) {
    int64_t all = 0;
    size_t bytes;
    for (int k = 0; k < count; k++) {
        if (m[k].A && m[k].rows == axis) all += listed_count(&m[k], true);
        if (m[k].A && m[k].cols == axis) all += listed_count(&m[k], false);
    }
    TULLE__TRY(tulle__size(all, sizeof *axis->numbers, sizeof *axis->numbers, &bytes));
    axis->numbers = tulle__host_alloc(ctx, bytes);
    if (!axis->numbers) return TULLE_OUT_OF_MEMORY;
    for (int k = 0; k < count; k++) {
        if (m[k].A && m[k].rows == axis) TULLE__TRY(append(ctx, &m[k], true, axis));
        if (m[k].A && m[k].cols == axis) TULLE__TRY(append(ctx, &m[k], false, axis));
    }
    TULLE__TRY(sort(ctx, &axis->numbers, axis->count));
    axis->count = keep_different(axis->numbers, axis->count);
    return TULLE_OK;
}

tulle_status tulle__axes_list(tulle_ctx *ctx, const tulle__axes_of *m, int count) {
    TULLE__TRY(tulle__progress(ctx, "listing rows and columns", 0, count));
    for (int k = 0; k < count; k++) {
        if (!m[k].A) continue;
        tulle__axis *const both[] = {m[k].rows, m[k].cols};
        for (int i = 0; i < 2; i++) {
            if (both[i]->few && !both[i]->numbers) TULLE__TRY(list_axis(ctx, m, count, both[i]));
        }
    }
    return tulle__progress(ctx, "listing rows and columns", count, count);
}

static void free_axis(tulle_ctx *ctx, tulle__axis *axis) {
    tulle__host_free(ctx, axis->numbers);
    axis->numbers = NULL;
}

void tulle__axes_free(tulle_ctx *ctx, const tulle__axes_of *m, int count) {
    for (int k = 0; k < count; k++) {
        if (!m[k].A) continue;
        free_axis(ctx, m[k].rows);
        free_axis(ctx, m[k].cols);
    }
}
