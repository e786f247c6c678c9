/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a pattern on the CPU that checks it and gathers its statistics. */
#include "matrix/check.h"
#include "matrix/functions.h"

void tulle__tally_merge(tulle__tally *total, const tulle__tally *part) {
    tulle__stats *s = &total->stats;
    const tulle__stats *p = &part->stats;
    bool earlier = s->bad_kind == TULLE__BAD_NONE || p->bad_row < s->bad_row;
    if (p->bad_kind != TULLE__BAD_NONE && earlier) {
        tulle__tally_bad(total, p->bad_kind, p->bad_row, p->bad_value);
    }
    s->sorted = s->sorted && p->sorted;
    s->rising = s->rising && p->rising;
    if (p->min_row < s->min_row) s->min_row = p->min_row;
    if (p->max_row > s->max_row) s->max_row = p->max_row;
    if (p->bandwidth > s->bandwidth) s->bandwidth = p->bandwidth;
    s->empty_rows += p->empty_rows;
    for (int b = 0; b <= 32; b++) s->row_histogram[b] += p->row_histogram[b];
    total->sum_of_squares += part->sum_of_squares;
}

tulle__stats tulle__tally_finish(const tulle__tally *tally, int64_t rows, int64_t nnz) {
    tulle__stats stats = tally->stats;
    if (stats.bad_kind != TULLE__BAD_NONE) {
        stats = tulle__stats_start();
        stats.bad_kind = tally->stats.bad_kind;
        stats.bad_row = tally->stats.bad_row;
        stats.bad_value = tally->stats.bad_value;
        return stats;
    }
    if (rows == 0) stats.min_row = 0;
    tulle__stats_finish(&stats, rows, nnz, tally->sum_of_squares);
    return stats;
}

tulle_status tulle__cpu_check_pattern(const tulle__place *place, const tulle__pattern_view *pattern,
                                      tulle__stats *host_stats) {
    return pattern->format == TULLE_CSR ? tulle__check_csr(place, pattern, host_stats)
                                        : tulle__check_coo(place, pattern, host_stats);
}
