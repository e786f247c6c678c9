/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics while they are computed on the CPU. Threads look at different parts of a pattern,
 * and the results are put together in any order: all totals are integers, so the order changes
 * nothing. */
#ifndef TULLE_MATRIX_CHECK_H
#define TULLE_MATRIX_CHECK_H

#include "core/place.h"
#include "format/stats.h"

typedef struct tulle__tally {
    tulle__stats stats;
    tulle__uint128 sum_of_squares;
} tulle__tally;

/* Number of rows or entries that a thread takes at a time. */
enum { TULLE__CHECK_BLOCK = 4096 };

static inline int64_t tulle__check_blocks(int64_t rows) {
    return (rows + TULLE__CHECK_BLOCK - 1) / TULLE__CHECK_BLOCK;
}

/* Returns the first row of a block; that of the block behind the last one is the number of rows. */
static inline int64_t tulle__check_begin(int64_t rows, int64_t block) {
    const int64_t begin = block * TULLE__CHECK_BLOCK;
    return begin < rows ? begin : rows;
}

static inline tulle__tally tulle__tally_start(void) {
    tulle__tally tally = {.stats = tulle__stats_start()};
    tally.stats.min_row = INT64_MAX;
    return tally;
}

static inline void tulle__tally_bad(tulle__tally *tally, int kind, int64_t row, int64_t value) {
    tally->stats.bad_kind = kind;
    tally->stats.bad_row = row;
    tally->stats.bad_value = value;
}

static inline void tulle__tally_rows(tulle__tally *tally, int64_t rows, int64_t length) {
    if (rows == 0) return;
    tulle__stats *s = &tally->stats;
    if (length < s->min_row) s->min_row = length;
    if (length > s->max_row) s->max_row = length;
    if (length == 0) s->empty_rows += rows;
    s->row_histogram[tulle__stats_bin(length)] += rows;
    tally->sum_of_squares += (tulle__uint128)rows * (tulle__uint128)length * (tulle__uint128)length;
}

static inline void tulle__tally_distance(tulle__tally *tally, int64_t row, int64_t column) {
    int64_t distance = column < row ? row - column : column - row;
    if (distance > tally->stats.bandwidth) tally->stats.bandwidth = distance;
}

/* Adds the result of a part to the total. Of two faults the one in the lower row is kept. */
void tulle__tally_merge(tulle__tally *total, const tulle__tally *part);

/* Returns the statistics of a valid pattern; for a pattern with a fault, the fault and no
 * statistics. */
tulle__stats tulle__tally_finish(const tulle__tally *tally, int64_t rows, int64_t nnz);

tulle_status tulle__check_csr(const tulle__place *place, const tulle__pattern_view *csr,
                              tulle__stats *stats);
tulle_status tulle__check_coo(const tulle__place *place, const tulle__pattern_view *coo,
                              tulle__stats *stats);

#endif
