/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "core/access.h"
#include "core/threads/sizes.h"
#include "format/bsr.h"
#include "matrix/check.h"
#include "matrix/functions.h"

/* GROUP: number of rows whose lengths are tallied together; SHORT: length from which a row has no
 * place there, so that numbers of 16 bits hold a group's lengths, and of 32 bits their squares'
 * sum; RUN: number of entries that are counted in 32 bits. */
enum { GROUP = 128, SHORT = 2048, RUN = 1 << 20 };

/* Tallies the lengths of a group of rows, in passes that a compiler makes of vectors: rows with at
 * least so many bits in their length are counted for each number of bits, which is a bin of the
 * histogram, up to the longest row's. */
static void tally_group(const int16_t *lengths, tulle__tally *tally) {
    tulle__stats *s = &tally->stats;
    int16_t shortest = INT16_MAX, longest = 0;
    int32_t squares = 0;
    for (int k = 0; k < GROUP; k++) {
        shortest = lengths[k] < shortest ? lengths[k] : shortest;
        longest = lengths[k] > longest ? lengths[k] : longest;
    }
    for (int k = 0; k < GROUP; k++) squares += (int32_t)lengths[k] * lengths[k];
    if (shortest < s->min_row) s->min_row = shortest;
    if (longest > s->max_row) s->max_row = longest;
    tally->sum_of_squares += (tulle__uint128)squares;
    int16_t before = GROUP;
    for (int bits = 0; before > 0; bits++) {
        const int16_t least = (int16_t)(1 << bits);
        int16_t reach = 0;
        for (int k = 0; k < GROUP; k++) reach = (int16_t)(reach + (lengths[k] >= least));
        if (bits == 0) s->empty_rows += before - reach;
        s->row_histogram[bits] += before - reach;
        before = reach;
    }
}

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
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, csr->rows);
    tulle__tally tally = tulle__tally_start();
    switch (csr->index) {
        case TULLE_I32:
            lengths_i32(threads, csr, &tally);
            break;
        case TULLE_I64_I32:
            lengths_i64_i32(threads, csr, &tally);
            break;
        case TULLE_I64:
            lengths_i64(threads, csr, &tally);
            break;
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

/* Tallies the lengths of the rows begin to end - 1, in groups where no row is long. */
static void NAME(tally_lengths)(const OFFSET *offsets, int64_t begin, int64_t end,
                                tulle__tally *tally) {
    int16_t lengths[GROUP];
    while (begin < end) {
        OFFSET bits = 0;
        const int64_t behind = end - begin < GROUP ? end : begin + GROUP;
        if (behind - begin == GROUP) {
            for (int k = 0; k < GROUP; k++) {
                const OFFSET length = offsets[begin + k + 1] - offsets[begin + k];
                lengths[k] = (int16_t)length;
                bits |= length;
            }
            if (bits < SHORT) {
                tally_group(lengths, tally);
                begin = behind;
                continue;
            }
        }
        for (; begin < behind; begin++) {
            tulle__tally_rows(tally, 1, offsets[begin + 1] - offsets[begin]);
        }
    }
}

static void NAME(check_row)(const tulle__pattern_view *csr, int64_t row, tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    int64_t begin = offsets[row], end = offsets[row + 1];
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

/* Returns the number of entries, among some that follow each other, whose column is not higher than
 * that of the entry before. */
static int64_t NAME(falls)(const INDEX *columns, int64_t begin, int64_t end) {
    int64_t falls = 0;
    while (begin + 1 < end) {
        const int64_t behind = end - begin < RUN ? end : begin + RUN;
        int32_t run = 0;
        for (int64_t k = begin + 1; k < behind; k++) run += columns[k] <= columns[k - 1];
        falls += run;
        begin = behind - 1;
    }
    return falls;
}

/* Returns true where the columns of the rows begin to end - 1 are valid and rise, which they do if
 * they fall between rows alone, and the first and last one of each row are valid. These are then
 * the farthest from the diagonal. */
static bool NAME(rise)(const tulle__pattern_view *csr, int64_t begin, int64_t end,
                       tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    const int64_t start = offsets[begin];
    int64_t falls = NAME(falls)(columns, start, offsets[end]);
    int64_t farthest = tally->stats.bandwidth;
    bool valid = true;
    for (int64_t i = begin; i < end; i++) {
        if (offsets[i] == offsets[i + 1]) continue;
        const int64_t first = columns[offsets[i]], last = columns[offsets[i + 1] - 1];
        valid &= first >= 0 && last < csr->cols;
        farthest = i - first > farthest ? i - first : farthest;
        farthest = last - i > farthest ? last - i : farthest;
        if (offsets[i] > start) falls -= first <= columns[offsets[i] - 1];
    }
    if (!valid || falls > 0) return false;
    tally->stats.bandwidth = farthest;
    return true;
}

static void NAME(check)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
    NAME(check_offsets)(threads, csr, tally);
    if (tally->stats.bad_kind != TULLE__BAD_NONE) return;
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(monotonic : dynamic) nowait
        for (int64_t block = 0; block < tulle__check_blocks(csr->rows); block++) {
            const int64_t begin = tulle__check_begin(csr->rows, block);
            const int64_t end = tulle__check_begin(csr->rows, block + 1);
            NAME(tally_lengths)(csr->offsets, begin, end, &part);
            if (part.stats.rising && NAME(rise)(csr, begin, end, &part)) continue;
            for (int64_t row = begin; row < end && part.stats.bad_kind == TULLE__BAD_NONE; row++) {
                NAME(check_row)(csr, row, &part);
            }
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
}

static void NAME(lengths)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(dynamic) nowait
        for (int64_t block = 0; block < tulle__check_blocks(csr->rows); block++) {
            NAME(tally_lengths)
            (csr->offsets, tulle__check_begin(csr->rows, block),
             tulle__check_begin(csr->rows, block + 1), &part);
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
}

/* Tallies rows begin to end - 1 of CSR, whose columns rise: the first or last column of a row is
 * the farthest from the diagonal. */
static void NAME(rising_rows)(const tulle__pattern_view *csr, int64_t begin, int64_t end,
                              tulle__tally *tally) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    int64_t farthest = tally->stats.bandwidth;
    NAME(tally_lengths)(offsets, begin, end, tally);
    for (int64_t i = begin; i < end; i++) {
        if (offsets[i] == offsets[i + 1]) continue;
        const int64_t before = i - columns[offsets[i]], behind = columns[offsets[i + 1] - 1] - i;
        farthest = before > farthest ? before : farthest;
        farthest = behind > farthest ? behind : farthest;
    }
    tally->stats.bandwidth = farthest;
}

/* Tallies a block row of BSR, whose first and last row have the farthest columns. */
static void NAME(rising_line)(const tulle__pattern_view *bsr, int64_t line, tulle__tally *tally) {
    const int64_t tall = tulle__block_rows(&bsr->storage), wide = tulle__block_cols(&bsr->storage);
    const INDEX *columns = bsr->cols_of;
    const int64_t begin = ((const OFFSET *)bsr->offsets)[line];
    const int64_t end = ((const OFFSET *)bsr->offsets)[line + 1], row = line * tall;
    const int64_t behind = row + tall < bsr->rows ? row + tall : bsr->rows;
    tulle__tally_rows(tally, behind - row, (end - begin) * wide);
    if (begin == end) return;
    const int64_t first = columns[begin] * wide, last = (columns[end - 1] + 1) * wide - 1;
    tulle__tally_distance(tally, behind - 1, first);
    tulle__tally_distance(tally, row, last);
    tulle__tally_distance(tally, row, first);
    tulle__tally_distance(tally, behind - 1, last);
}

/* Tallies rows of rising columns. */
static void NAME(rising)(int threads, const tulle__pattern_view *csr, tulle__tally *tally) {
    const bool blocks = csr->format == TULLE_BSR;
    const int64_t lines =
        blocks ? tulle__ceil_div(csr->rows, tulle__block_rows(&csr->storage)) : csr->rows;
#pragma omp parallel num_threads(threads)
    {
        tulle__tally part = tulle__tally_start();
#pragma omp for schedule(dynamic) nowait
        for (int64_t block = 0; block < tulle__check_blocks(lines); block++) {
            const int64_t begin = tulle__check_begin(lines, block);
            const int64_t end = tulle__check_begin(lines, block + 1);
            if (!blocks) NAME(rising_rows)(csr, begin, end, &part);
            for (int64_t i = begin; blocks && i < end; i++) NAME(rising_line)(csr, i, &part);
        }
#pragma omp critical
        tulle__tally_merge(tally, &part);
    }
}

#endif
