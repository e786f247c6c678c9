/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of the statistics, shared by CPU and GPU so that both give the same bits. */
#ifndef TULLE_FORMAT_STATS_H
#define TULLE_FORMAT_STATS_H

#include <math.h>
#include <string.h>

#include "format/view.h"

__extension__ typedef unsigned __int128 tulle__uint128;

/* Returns the statistics of a valid pattern without rows, to which rows are then added. */
static inline tulle__stats tulle__stats_start(void) {
    tulle__stats s;
    memset(&s, 0, sizeof s);
    s.bad_row = -1;
    s.bad_kind = TULLE__BAD_NONE;
    s.sorted = true;
    s.rising = true;
    return s;
}

/* Returns the index in row_histogram for a row of so many entries: the number of bits of its
 * length. */
static inline int tulle__stats_bin(int64_t length) {
    const int bits = 63 - __builtin_clzll(2 * (unsigned long long)length + 1);
    return bits < 32 ? bits : 32;
}

/* Computes mean and standard deviation of the row lengths from exact totals. The fused operation is
 * written out, so that no compiler's choice to contract an expression changes the bits. */
static inline void tulle__stats_finish(tulle__stats *s, int64_t rows, int64_t nnz,
                                       tulle__uint128 sum_of_squares) {
    s->mean_row = 0;
    s->sd_row = 0;
    if (rows == 0) return;
    s->mean_row = (double)nnz / (double)rows;
    s->sd_row =
        sqrt(fmax(0.0, fma(-s->mean_row, s->mean_row, (double)sum_of_squares / (double)rows)));
}

#endif
