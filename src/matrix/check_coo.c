/* SPDX-License-Identifier: Apache-2.0 */
/* Checks entries, then counts those of each row: by runs where the rows ascend, in a table of all
 * rows where that is no larger than the entries, else by runs of a sorted copy. */
#include <string.h>

#include "core/access.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "matrix/check.h"

/* Checks entries, and whether their rows ascend (never fall), which is weaker than being sorted. */
static bool check_entries(const tulle__place *place, const tulle__pattern_view *coo,
                          tulle__tally *tally) {
    int64_t size = tulle_index_size(coo->index);
    bool ascending = true;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, coo->nnz);
#pragma omp parallel num_threads(threads) reduction(&& : ascending)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(monotonic : dynamic, TULLE__CHECK_BLOCK) nowait
        for (int64_t k = 0; k < coo->nnz; k++) {
            if (part.stats.bad_kind != TULLE__BAD_NONE) continue;
            int64_t row = tulle__get(coo->rows_of, size, k);
            int64_t column = tulle__get(coo->cols_of, size, k);
            if (row < 0 || row >= coo->rows) {
                tulle__tally_bad(&part, TULLE__BAD_ROW, k, row);
                continue;
            }
            if (column < 0 || column >= coo->cols) {
                tulle__tally_bad(&part, TULLE__BAD_COLUMN, k, column);
                continue;
            }
            tulle__tally_distance(&part, row, column);
            if (k == 0) continue;
            int64_t row_before = tulle__get(coo->rows_of, size, k - 1);
            int64_t column_before = tulle__get(coo->cols_of, size, k - 1);
            if (row < row_before) ascending = false;
            bool falls = row < row_before || (row == row_before && column < column_before);
            if (falls) part.stats.sorted = false;
            if (falls || (row == row_before && column == column_before)) part.stats.rising = false;
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
    return ascending;
}

/* Counts runs of equal rows, each by the thread that meets its first entry. */
static void count_runs(int threads, const tulle__pattern_view *coo, const void *rows_of,
                       int64_t size, tulle__tally *tally) {
    int64_t filled = 0;
#pragma omp parallel num_threads(threads) reduction(+ : filled)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(dynamic, TULLE__CHECK_BLOCK) nowait
        for (int64_t k = 0; k < coo->nnz; k++) {
            int64_t row = tulle__get(rows_of, size, k);
            if (k > 0 && tulle__get(rows_of, size, k - 1) == row) continue;
            int64_t end = k + 1;
            while (end < coo->nnz && tulle__get(rows_of, size, end) == row) end++;
            tulle__tally_rows(&part, 1, end - k);
            filled++;
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
    tulle__tally_rows(tally, coo->rows - filled, 0);
}

static tulle_status count_in_table(const tulle__place *place, const tulle__pattern_view *coo,
                                   tulle__tally *tally) {
    size_t bytes;
    void *memory;
    TULLE__TRY(tulle__size(coo->rows, sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &memory));
    memset(memory, 0, bytes);
    int64_t *lengths = memory;
    int64_t size = tulle_index_size(coo->index);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, coo->rows + coo->nnz);
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for
        for (int64_t k = 0; k < coo->nnz; k++) {
            int64_t *length = &lengths[tulle__get(coo->rows_of, size, k)];
#pragma omp atomic
            ++*length;
        }
#pragma omp for nowait
        for (int64_t row = 0; row < coo->rows; row++) tulle__tally_rows(&part, 1, lengths[row]);
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
    tulle__free(place->ctx, memory);
    return TULLE_OK;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort, by the digit at shift. */
static void sort_by_digit(int64_t count, const int64_t *from, int64_t *to, int shift) {
    int64_t next[DIGITS] = {0};
    for (int64_t k = 0; k < count; k++) next[from[k] >> shift & (DIGITS - 1)]++;
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        int64_t here = next[d];
        next[d] = sum;
        sum += here;
    }
    for (int64_t k = 0; k < count; k++) to[next[from[k] >> shift & (DIGITS - 1)]++] = from[k];
}

/* Counts few entries in very many rows by a sorted copy of the rows. */
static tulle_status count_sorted_copy(const tulle__place *place, const tulle__pattern_view *coo,
                                      tulle__tally *tally) {
    size_t bytes;
    void *memory;
    TULLE__TRY(tulle__size(coo->nnz, 2 * sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &memory));
    int64_t *rows = memory, *spare = rows + coo->nnz;
    int64_t size = tulle_index_size(coo->index);
    for (int64_t k = 0; k < coo->nnz; k++) rows[k] = tulle__get(coo->rows_of, size, k);
    for (int shift = 0; shift < 64 && (coo->rows - 1) >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(coo->nnz, rows, spare, shift);
        int64_t *sorted = spare;
        spare = rows;
        rows = sorted;
    }
    count_runs(tulle__threads_for(place, TULLE__WORK_ENTRIES, coo->nnz), coo, rows, sizeof *rows,
               tally);
    tulle__free(place->ctx, memory);
    return TULLE_OK;
}

static tulle_status count_rows(const tulle__place *place, const tulle__pattern_view *coo,
                               bool ascending, tulle__tally *tally) {
    if (ascending) {
        const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, coo->nnz);
        count_runs(threads, coo, coo->rows_of, tulle_index_size(coo->index), tally);
        return TULLE_OK;
    }
    return coo->rows / 2 <= coo->nnz ? count_in_table(place, coo, tally)
                                     : count_sorted_copy(place, coo, tally);
}

tulle_status tulle__check_coo(const tulle__place *place, const tulle__pattern_view *coo,
                              tulle__stats *stats) {
    tulle__tally tally = tulle__tally_start();
    bool ascending = check_entries(place, coo, &tally);
    if (tally.stats.bad_kind == TULLE__BAD_NONE) {
        TULLE__TRY(count_rows(place, coo, ascending, &tally));
    }
    *stats = tulle__tally_finish(&tally, coo->rows, coo->nnz);
    return TULLE_OK;
}
