/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a new matrix of some entries of a matrix on the CPU: threads count the picked entries of
 * rows, and fill the rows of the new matrix in a second pass. */
#ifndef VALUE

#include "algebra/functions.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 256 };

#define TULLE__SELF "algebra/pick_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_pick_entries(const tulle__place *place, tulle__pick *pick) {
    static tulle_status (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, tulle__pick *, int64_t *) = TULLE__RUN_ALL(pick);
    const tulle__pattern_view *a = pick->a;
    const int64_t entries = a->nnz + (pick->b ? pick->b->nnz : 0);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, a->rows + entries);
    size_t bytes;
    void *before = NULL; /* for each row, number of picked entries of the rows before it */
    TULLE__TRY(tulle__size(a->rows, sizeof(int64_t), sizeof(int64_t), &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &before));
    const tulle_status status = run[tulle__values_of(pick->type)][a->index](threads, pick, before);
    tulle__free(place->ctx, before);
    return status;
}

#else /* once for each type combination */

static int64_t NAME(count_in_band)(const tulle__pick *pick, int64_t row) {
    const OFFSET *offsets = pick->a->offsets;
    const INDEX *cols_of = pick->a->cols_of;
    int64_t count = 0;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        count += tulle__in_band(pick->least, pick->most, row, cols_of[k]);
    }
    return count;
}

static void NAME(fill_in_band)(const tulle__pick *pick, int64_t row, int64_t to) {
    const OFFSET *offsets = pick->a->offsets;
    const INDEX *cols_of = pick->a->cols_of;
    const VALUE *values = pick->values;
    INDEX *out_cols = pick->c.cols_of;
    VALUE *out = pick->c.values;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        if (!tulle__in_band(pick->least, pick->most, row, cols_of[k])) continue;
        out_cols[to] = cols_of[k];
        out[to++] = values[k];
    }
}

static int64_t NAME(count_common)(const tulle__pick *pick, int64_t row) {
    const OFFSET *a_offsets = pick->a->offsets, *b_offsets = pick->b->offsets;
    const INDEX *a_cols = pick->a->cols_of, *b_cols = pick->b->cols_of;
    int64_t k = a_offsets[row], q = b_offsets[row], count = 0;
    while (k < a_offsets[row + 1] && q < b_offsets[row + 1]) {
        const INDEX in_a = a_cols[k], in_b = b_cols[q];
        count += in_a == in_b;
        k += in_a <= in_b;
        q += in_b <= in_a;
    }
    return count;
}

static void NAME(fill_common)(const tulle__pick *pick, int64_t row, int64_t to) {
    const OFFSET *a_offsets = pick->a->offsets, *b_offsets = pick->b->offsets;
    const INDEX *a_cols = pick->a->cols_of, *b_cols = pick->b->cols_of;
    const VALUE *a_values = pick->values, *b_values = pick->b_values;
    INDEX *out_cols = pick->c.cols_of;
    VALUE *out = pick->c.values;
    int64_t k = a_offsets[row], q = b_offsets[row];
    while (k < a_offsets[row + 1] && q < b_offsets[row + 1]) {
        const INDEX in_a = a_cols[k], in_b = b_cols[q];
        if (in_a == in_b) {
            out_cols[to] = in_a;
            out[to++] = a_values[k] * b_values[q];
        }
        k += in_a <= in_b;
        q += in_b <= in_a;
    }
}

static tulle_status NAME(pick)(int threads, tulle__pick *pick, int64_t *before) {
    const int64_t rows = pick->a->rows;
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) {
        before[i + 1] = pick->b ? NAME(count_common)(pick, i) : NAME(count_in_band)(pick, i);
    }
    before[0] = 0;
    for (int64_t i = 0; i < rows; i++) before[i + 1] += before[i];
    TULLE__TRY(pick->make_c(pick, before[rows]));
    OFFSET *offsets = pick->c.offsets;
    offsets[rows] = (OFFSET)before[rows];
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int64_t i = 0; i < rows; i++) {
        offsets[i] = (OFFSET)before[i];
        (pick->b ? NAME(fill_common) : NAME(fill_in_band))(pick, i, before[i]);
    }
    return TULLE_OK;
}

#endif
