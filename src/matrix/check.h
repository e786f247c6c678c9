/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics in the making, on the CPU: parts of a pattern are judged by different threads and put
 * together in any order, which changes nothing, since all totals are integers. */
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

/* Adds a part; of two faults the one of the lower row stays. */
void tulle__tally_merge(tulle__tally *total, const tulle__tally *part);

/* The statistics of a valid pattern, or its fault and nothing else. */
tulle__stats tulle__tally_finish(const tulle__tally *tally, int64_t rows, int64_t nnz);

tulle_status tulle__check_csr(const tulle__place *place, const tulle__pattern_view *csr,
                              tulle__stats *stats);
tulle_status tulle__check_coo(const tulle__place *place, const tulle__pattern_view *coo,
                              tulle__stats *stats);

#endif
