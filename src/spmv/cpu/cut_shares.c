/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "spmv/cpu/cut_shares.h"

#include <stdlib.h>

#include "core/access.h"
#include "core/search.h"

enum { SAMPLES = 256 }; /* entries, and rows, of a sample */

static int by_size(const void *a, const void *b) {
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

/* Returns the next number of a linear congruential generator (Knuth, The Art of Computer
 * Programming, volume 2, 3.3.4, line 26), below `end`. Places at random are sampled, as evenly
 * spaced ones would all be first entries where rows are alike. */
static int64_t next_place(uint64_t *state, int64_t end) {
    *state = *state * 6364136223846793005u + 1;
    return (int64_t)((*state >> 1) % (uint64_t)end);
}

static int64_t column(const tulle__pattern *pattern, int64_t entry) {
    return tulle__get(pattern->cols_of.data, tulle_index_size(pattern->index), entry);
}

static int64_t offset(const tulle__pattern *pattern, int64_t row) {
    return tulle__get(pattern->offsets.data, tulle_offset_size(pattern->index), row);
}

/* Deals the columns out, and returns the part of the sampled entries that the largest share has. */
static double deal_entries(const tulle__pattern *pattern, tulle__column_shares *shares) {
    int64_t columns[SAMPLES];
    uint64_t state = 1;
    for (int k = 0; k < SAMPLES; k++)
        columns[k] = column(pattern, next_place(&state, pattern->nnz));
    qsort(columns, SAMPLES, sizeof *columns, by_size);
    int before = 0, most = 0;
    for (int s = 0; s < shares->count; s++) {
        const bool last = s + 1 == shares->count;
        const int64_t begin = s == 0 ? 0 : shares->share[s - 1].end;
        const int64_t end = last ? pattern->cols : columns[(s + 1) * SAMPLES / shares->count];
        int after = before;
        TULLE__LOWER_BOUND(after, SAMPLES, k, columns[k] < end);
        if (after - before > most) most = after - before;
        before = after;
        shares->share[s] = (tulle__column_share){.begin = begin, .end = end};
    }
    return (double)most / SAMPLES;
}

/* Returns the entries of a row in columns before `end`. */
static int64_t length_before(const tulle__pattern *pattern, int64_t row, int64_t end) {
    const int64_t first = offset(pattern, row), after = offset(pattern, row + 1);
    int64_t e = first;
    TULLE__LOWER_BOUND(e, after, middle, column(pattern, middle) < end);
    return e - first;
}

static bool differ(const tulle__pattern *pattern, int64_t row, const tulle__column_share *share) {
    int64_t length[2];
    for (int k = 0; k < 2; k++) {
        length[k] = length_before(pattern, row + k, share->end) -
                    length_before(pattern, row + k, share->begin);
    }
    return length[0] != length[1];
}

/* Returns the part of the sampled rows whose successors have another length in the share. */
static double changes(const tulle__pattern *pattern, const tulle__column_share *share) {
    uint64_t state = 1;
    int count = 0;
    for (int k = 0; k < SAMPLES && pattern->rows > 1; k++) {
        count += differ(pattern, next_place(&state, pattern->rows - 1), share);
    }
    return (double)count / SAMPLES;
}

tulle__deal tulle__deal_columns(const tulle__pattern *pattern, tulle__column_shares *shares) {
    const tulle__column_share all = {.end = pattern->cols};
    tulle__deal deal = {.largest = deal_entries(pattern, shares),
                        .row_changes = changes(pattern, &all)};
    for (int s = 0; s < shares->count; s++) {
        const double own = changes(pattern, &shares->share[s]);
        if (own > deal.piece_changes) deal.piece_changes = own;
    }
    return deal;
}

#define TULLE__SELF "spmv/cpu/cut_shares.c"
#include "matrix/each_index.h"

void tulle__cut_rows(const tulle__pattern *pattern, int threads, tulle__column_shares *shares) {
    typedef void cut(const tulle__pattern *, int, tulle__column_shares *);
    static cut *const cuts[TULLE__INDEX_COUNT] = {cut_i32, cut_i64_i32, cut_i64};
    cuts[pattern->index](pattern, threads, shares);
}

#else

/* Finds the rows that have entries in the columns of share s. */
static void NAME(find_rows)(const tulle__pattern *pattern, int s, tulle__column_shares *shares) {
    const OFFSET *offsets = pattern->offsets.data, *cuts = shares->cuts;
    const OFFSET *from = s > 0 ? cuts + (s - 1) * pattern->rows : offsets;
    const OFFSET *to = s + 1 < shares->count ? cuts + s * pattern->rows : offsets + 1;
    int64_t begin = 0, end = pattern->rows;
    while (begin < end && from[begin] == to[begin]) begin++;
    while (begin < end && from[end - 1] == to[end - 1]) end--;
    shares->share[s].row_begin = begin;
    shares->share[s].row_end = end;
}

static void NAME(cut)(const tulle__pattern *pattern, int threads, tulle__column_shares *shares) {
    const OFFSET *offsets = pattern->offsets.data;
    const INDEX *cols = pattern->cols_of.data;
    OFFSET *cuts = shares->cuts;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < pattern->rows; i++) {
        OFFSET e = offsets[i];
        for (int s = 0; s + 1 < shares->count; s++) {
            while (e < offsets[i + 1] && cols[e] < shares->share[s].end) e++;
            cuts[s * pattern->rows + i] = e;
        }
    }
    for (int s = 0; s < shares->count; s++) NAME(find_rows)(pattern, s, shares);
}

#endif
