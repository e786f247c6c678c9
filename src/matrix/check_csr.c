/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "core/access.h"
#include "core/threads/sizes.h"
#include "format/bsr.h"
#include "matrix/check.h"
#include "matrix/functions.h"

#define TULLE__SELF "matrix/check_csr.c"
#include "matrix/each_index.h"

tulle_status tulle__check_csr(const tulle__place *place, const tulle__pattern_view *csr,
                              tulle__stats *stats) {
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
    tulle__tally tally = tulle__tally_start();
    switch (csr->index) {
        case TULLE_I32:
            check_i32(threads, csr, &tally);
            break;
        case TULLE_I64_I32:
            check_i64_i32(threads, csr, &tally);
            break;
        case TULLE_I64:
            check_i64(threads, csr, &tally);
            break;
    }
    *stats = tulle__tally_finish(&tally, csr->rows, csr->nnz);
    return TULLE_OK;
}

tulle_status tulle__cpu_rising_stats(const tulle__place *place, const tulle__pattern_view *csr,
                                     tulle__stats *host_stats) {
    const int threads = tulle__threads_for(place, TULLE__WORK_ROWS, csr->rows);
    tulle__tally tally = tulle__tally_start();
    switch (csr->index) {
        case TULLE_I32:
            rising_i32(threads, csr, &tally);
            break;
        case TULLE_I64_I32:
            rising_i64_i32(threads, csr, &tally);
            break;
        case TULLE_I64:
            rising_i64(threads, csr, &tally);
            break;
    }
    *host_stats = tulle__tally_finish(&tally, csr->rows, csr->nnz);
    return TULLE_OK;
}

tulle_status tulle__cpu_banded_stats(const tulle__place *place, const tulle__pattern_view *csr,
                                     int64_t bandwidth, tulle__stats *host_stats) {
    const int64_t offset = tulle_offset_size(csr->index);
    tulle__tally tally = tulle__tally_start();
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, csr->rows);
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(dynamic, TULLE__CHECK_BLOCK) nowait
        for (int64_t row = 0; row < csr->rows; row++) {
            tulle__tally_rows(
                &part, 1,
                tulle__get(csr->offsets, offset, row + 1) - tulle__get(csr->offsets, offset, row));
        }
#pragma omp critical
        tulle__tally_merge(&tally, &part);
    }
    *host_stats = tulle__tally_finish(&tally, csr->rows, csr->nnz);
    host_stats->bandwidth = bandwidth;
    return TULLE_OK;
}

#else

/* Checks offsets, which comes first: columns may be looked at only with good ones. */
static void NAME(check_offsets)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    if (offsets[0] != 0) {
        tulle__tally_bad(tally, TULLE__BAD_FIRST_OFFSET, 0, offsets[0]);
        return;
    }
    int64_t falling = csr->rows;
#pragma omp parallel for num_threads(threads) reduction(min : falling)
    for (int64_t i = 0; i < csr->rows; i++) {
        if (offsets[i + 1] < offsets[i] && i < falling) falling = i;
    }
    if (falling < csr->rows) {
        tulle__tally_bad(tally, TULLE__BAD_FALLING, falling, offsets[falling + 1]);
    } else if (offsets[csr->rows] != csr->nnz) {
        tulle__tally_bad(tally, TULLE__BAD_LAST_OFFSET, csr->rows, offsets[csr->rows]);
    }
}

static void NAME(check_row)(const tulle__pattern_view *csr, int64_t row, tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    int64_t begin = offsets[row], end = offsets[row + 1];
    tulle__tally_rows(tally, 1, end - begin);
    int64_t before = -1;
    for (int64_t k = begin; k < end; k++) {
        int64_t column = columns[k];
        if (column < 0 || column >= csr->cols) {
            tulle__tally_bad(tally, TULLE__BAD_COLUMN, row, column);
            return;
        }
        if (column < before) tally->stats.sorted = false;
        if (column <= before) tally->stats.rising = false;
        before = column;
        tulle__tally_distance(tally, row, column);
    }
}

static void NAME(check)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
    NAME(check_offsets)(threads, csr, tally);
    if (tally->stats.bad_kind != TULLE__BAD_NONE) return;
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(monotonic : dynamic, TULLE__CHECK_BLOCK) nowait
        for (int64_t row = 0; row < csr->rows; row++) {
            if (part.stats.bad_kind == TULLE__BAD_NONE) NAME(check_row)(csr, row, &part);
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
}

/* Tallies rows of rising columns: the first or last column of a row is the farthest from the
 * diagonal. In BSR the first and the last row of a block row have the farthest ones. */
static void NAME(rising)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    const bool blocks = csr->format == TULLE_BSR;
    const int64_t tall = blocks ? tulle__block_rows(&csr->storage) : 1;
    const int64_t wide = blocks ? tulle__block_cols(&csr->storage) : 1;
    const int64_t lines = tulle__ceil_div(csr->rows, tall);
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(dynamic, TULLE__CHECK_BLOCK) nowait
        for (int64_t line = 0; line < lines; line++) {
            int64_t begin = offsets[line], end = offsets[line + 1], row = line * tall;
            int64_t behind = row + tall < csr->rows ? row + tall : csr->rows;
            tulle__tally_rows(&part, behind - row, (end - begin) * wide);
            if (begin == end) continue;
            tulle__tally_distance(&part, behind - 1, columns[begin] * wide);
            tulle__tally_distance(&part, row, (columns[end - 1] + 1) * wide - 1);
            if (tall == 1) continue;
            tulle__tally_distance(&part, row, columns[begin] * wide);
            tulle__tally_distance(&part, behind - 1, (columns[end - 1] + 1) * wide - 1);
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
}

#endif
