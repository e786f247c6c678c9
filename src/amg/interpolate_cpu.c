/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation of the classical family on the CPU: a thread makes a row in a table of its columns,
 * which is as large as the row asks for, so that it stays in the cache. */
#ifndef VALUE

#include <math.h>
#include <omp.h>
#include <string.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "amg/part_cpu.h"
#include "core/context.h"
#include "core/search.h"
#include "core/threads/sizes.h"

/* Number of rows that a thread takes at a time. */
enum { ROWS_AT_ONCE = 512 };

/* An entry of a row of P that truncation looks at. */
typedef struct candidate {
    double p, size;
    int64_t column;
} candidate;

/* Marks as a word of eight, whose byte n is 1 where the n-th of the first `left` marks is that of a
 * strong connection with a coarse row. Few are, so that a walk from one to the next saves a look at
 * each, of which the processor predicts the outcome badly. */
static inline uint64_t coarse_among(const uint8_t *marks, int64_t left) {
    uint64_t word;
    memcpy(&word, marks, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) word = __builtin_bswap64(word);
    word &= word >> 1 & UINT64_C(0x0101010101010101);
    return left < 8 ? word & ((UINT64_C(1) << 8 * left) - 1) : word;
}

/* Index of the first mark of such a word, which is not 0. */
static inline int first_among(uint64_t word) {
    return __builtin_ctzll(word) / 8;
}

/* Loop over those entries q from `begin` to `end` that lead to coarse rows, in their order. */
#define EACH_TO_COARSE(marks, begin, end, q)                                                       \
    for (int64_t at_ = (begin); at_ < (end); at_ += 8)                                             \
        for (uint64_t word_ = coarse_among((marks) + at_, (end)-at_); word_ != 0;                  \
             word_ &= word_ - 1)                                                                   \
            for (int64_t q = at_ + first_among(word_), once_ = 1; once_; once_ = 0)

#define TULLE__SELF "amg/interpolate_cpu.c"
#include "core/each_type.h"

static int threads_of(const tulle__place *place, const tulle__pattern_view *csr) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
}

tulle_status tulle__cpu_amg_count_rows(const tulle__place *place, tulle__amg_interpolation *m,
                                       int64_t counted[2]) {
    static int64_t (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_interpolation *, void *) = TULLE__RUN_ALL(count_rows);
    const tulle__amg_split *s = m->split;
    const size_t index = (size_t)tulle_index_size(s->csr.index);
    size_t bytes;
    void *near = NULL; /* [rows] number of a fine row's strong connections to coarse rows */
    TULLE__TRY(tulle__size(s->csr.rows, (int64_t)index, 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &near));
    counted[1] = run[tulle__values_of(s->type)][s->csr.index](threads_of(place, &s->csr), m, near);
    counted[0] = tulle__amg_sum_up(m->P.before, s->csr.rows);
    tulle__free(place->ctx, near);
    return TULLE_OK;
}

/* Base-2 logarithm of the slots of the largest table. */
static int most_bits(int threads, const tulle__amg_interpolation *m) {
    const int64_t rows = m->split->csr.rows;
    int most = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most)
    for (int64_t i = 0; i < rows; i++) {
        if (m->bits[i] > most) most = m->bits[i];
    }
    return most;
}

/* Each thread has a table for the longest of all rows: its sums, its columns, and the slots. */
tulle_status tulle__cpu_amg_fill_rows(const tulle__place *place,
                                      const tulle__amg_interpolation *m) {
    static void (*const run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        int, const tulle__amg_interpolation *, int64_t, char *) = TULLE__RUN_ALL(fill_rows);
    const tulle__amg_split *s = m->split;
    const int threads = threads_of(place, &s->csr);
    const int64_t slots = INT64_C(1) << most_bits(threads, m);
    const int64_t slot = (int64_t)sizeof(double) + 2 * tulle_index_size(s->csr.index);
    size_t bytes;
    void *tables = NULL;
    TULLE__TRY(tulle__size(slots, slot * threads, 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &tables));
    run[tulle__values_of(s->type)][s->csr.index](threads, m, slots, tables);
    tulle__free(place->ctx, tables);
    tulle__amg_end_offsets(s->csr.index, &m->P, s->csr.rows);
    return TULLE_OK;
}

#else /* once for each type combination */

#include "amg/rules_cpu.h"

/* Marks the entries of a fine row; returns the number of its strong connections. */
static int64_t NAME(mark_row)(const tulle__amg_interpolation *m, int64_t i, INDEX *near) {
    const tulle__amg_split *s = m->split;
    const OFFSET *offsets = s->csr.offsets;
    const VALUE *values = s->values;
    double sum = 0;
    INDEX count = 0;
    int64_t strong = 0;
    const OFFSET end = s->kind[i] == TULLE__AMG_FINE ? offsets[i + 1] : 0;
    for (OFFSET k = offsets[i]; k < end; k++) {
        const uint8_t mark = NAME(mark_of)(s, k);
        s->strong[k] = mark;
        strong += mark >= TULLE__AMG_TO_FINE;
        if (mark != TULLE__AMG_TO_COARSE) continue;
        sum += (double)values[k];
        count++;
    }
    m->to_coarse[i] = sum;
    near[i] = count;
    return i >= s->begin && i < s->end ? strong : 0;
}

/* Puts those columns of row i that lead to coarse rows behind `count` others, unless they are among
 * these, until there are `most`; returns how many there are then. */
static int NAME(list_columns)(const tulle__amg_split *s, int64_t i, int most, int count,
                              INDEX *found) {
    const OFFSET *offsets = s->csr.offsets;
    const INDEX *cols_of = s->csr.cols_of;
    const int others = count;
    EACH_TO_COARSE(s->strong, offsets[i], offsets[i + 1], q) {
        int at = 0;
        while (at < others && found[at] != cols_of[q]) at++;
        if (at < others) continue;
        found[count++] = cols_of[q];
        if (count == most) return count;
    }
    return count;
}

/* Returns the number of entries of a fine row of P. */
static int64_t NAME(count_fine_row)(const tulle__amg_interpolation *m, int64_t i,
                                    const INDEX *near) {
    const tulle__amg_split *s = m->split;
    const OFFSET *offsets = s->csr.offsets;
    const INDEX *cols_of = s->csr.cols_of;
    INDEX found[TULLE__AMG_MOST_KEPT];
    int64_t bound = near[i];
    int count = NAME(list_columns)(s, i, m->most, 0, found);
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        if (s->strong[k] != TULLE__AMG_TO_FINE || near[cols_of[k]] == 0) continue;
        bound += near[cols_of[k]];
        if (near[cols_of[k]] >= m->most) count = m->most;
        if (count < m->most) count = NAME(list_columns)(s, cols_of[k], m->most, count, found);
    }
    m->bits[i] = NAME(bits_of_table)(m, bound);
    return count;
}

static int64_t NAME(count_rows)(int threads, const tulle__amg_interpolation *m, void *near) {
    const int64_t rows = m->split->csr.rows;
    const uint8_t *kind = m->split->kind;
    int64_t strong = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, ROWS_AT_ONCE) reduction(+ : strong)
        for (int64_t i = 0; i < rows; i++) strong += NAME(mark_row)(m, i, near);
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) {
            const bool fine = kind[i] == TULLE__AMG_FINE;
            m->bits[i] = 0;
            m->P.before[i] = fine ? NAME(count_fine_row)(m, i, near) : kind[i] == TULLE__AMG_COARSE;
        }
    }
    return strong;
}

/* Columns of a row of P and their numbers as they come, and the places of these in a hash table. */
typedef struct NAME(row) {
    double *sums;
    INDEX *columns;
    INDEX
    *places; /* [2^bits] index of the slot's column, counted from 1; 0 where the slot is free */
    int64_t count;
    int bits;
} NAME(row);

/* Returns the number of a column, which is 0 where the column is new. */
static inline double *NAME(number_of)(NAME(row) * row, INDEX column) {
    const int64_t mask = (INT64_C(1) << row->bits) - 1;
    int64_t slot = tulle__amg_first_slot(column, row->bits);
    for (; row->places[slot] != 0; slot = (slot + 1) & mask) {
        const int64_t place = row->places[slot] - 1;
        if (row->columns[place] == column) return row->sums + place;
    }
    const int64_t place = row->count++;
    row->places[slot] = (INDEX)row->count;
    row->columns[place] = column;
    row->sums[place] = 0;
    return row->sums + place;
}

/* Adds a factor times the strong connections of row k to coarse rows. */
static inline void NAME(add_row)(const tulle__amg_split *s, int64_t k, double factor,
                                 NAME(row) * row) {
    const OFFSET *offsets = s->csr.offsets;
    const INDEX *cols_of = s->csr.cols_of;
    const VALUE *values = s->values;
    EACH_TO_COARSE(s->strong, offsets[k], offsets[k + 1], q) {
        *NAME(number_of)(row, (INDEX)s->number[cols_of[q]]) += factor * (double)values[q];
    }
}

/* Puts a candidate among those that are preferred, best first; returns their number. */
static inline int NAME(offer)(candidate c, int most, int count, candidate *kept) {
    int at = count;
    while (at > 0 && NAME(prefers)(c.size, c.column, kept[at - 1].size, kept[at - 1].column)) at--;
    if (at == most) return count;
    if (count < most) count++;
    for (int q = count - 1; q > at; q--) kept[q] = kept[q - 1];
    kept[at] = c;
    return count;
}

/* Lists the kept entries of a row in the order of columns; returns their number. */
static inline int NAME(truncate)(int most, const NAME(row) * row, candidate *kept) {
    int count = 0;
    for (int64_t k = 0; k < row->count; k++) {
        const candidate c = {row->sums[k], NAME(size_of)(row->sums[k]), row->columns[k]};
        count = NAME(offer)(c, most, count, kept);
    }
    for (int a = 1; a < count; a++) {
        const candidate c = kept[a];
        int b = a;
        for (; b > 0 && kept[b - 1].column > c.column; b--) kept[b] = kept[b - 1];
        kept[b] = c;
    }
    return count;
}

static void NAME(fill_fine_row)(const tulle__amg_interpolation *m, int64_t i, NAME(row) row) {
    const tulle__amg_split *s = m->split;
    const OFFSET *offsets = s->csr.offsets;
    const INDEX *cols_of = s->csr.cols_of;
    const int64_t at = m->P.before[i];
    candidate kept[TULLE__AMG_MOST_KEPT];
    double weight = 0, all = 0, some = 0;
    row.bits = m->bits[i];
    memset(row.places, 0, sizeof *row.places << row.bits);
    for (OFFSET q = offsets[i]; q < offsets[i + 1]; q++) {
        double part;
        const int64_t k = cols_of[q];
        const double share = NAME(share_of)(m, i, q, &part);
        weight += part;
        if (s->strong[q] != TULLE__AMG_TO_FINE || m->to_coarse[k] == 0) continue;
        all += share * m->to_coarse[k];
        NAME(add_row)(s, k, share, &row);
    }
    all += m->to_coarse[i];
    NAME(add_row)(s, i, 1, &row);
    const int count = NAME(truncate)(m->most, &row, kept);
    for (int k = 0; k < count; k++) some += kept[k].p;
    const double divisor = NAME(divisor_of)(s, i, weight), growth = NAME(growth_of)(all, some);
    for (int k = 0; k < count; k++) {
        ((INDEX *)m->P.cols_of)[at + k] = (INDEX)kept[k].column;
        ((VALUE *)m->P.values)[at + k] = (VALUE)(-(kept[k].p / divisor) * growth);
    }
}

static void NAME(fill_rows)(int threads, const tulle__amg_interpolation *m, int64_t slots,
                            char *tables) {
    const tulle__amg_split *s = m->split;
    const int64_t rows = s->csr.rows;
    const int64_t bytes = slots * (int64_t)(sizeof(double) + 2 * sizeof(INDEX));
#pragma omp parallel num_threads(threads)
    {
        double *sums = (double *)(tables + omp_get_thread_num() * bytes);
        INDEX *columns = (INDEX *)(sums + slots);
        const NAME(row) row = {.sums = sums, .columns = columns, .places = columns + slots};
#pragma omp for schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = m->P.before[i];
            ((OFFSET *)m->P.offsets)[i] = (OFFSET)at;
            if (s->kind[i] == TULLE__AMG_FINE) NAME(fill_fine_row)(m, i, row);
            if (s->kind[i] != TULLE__AMG_COARSE) continue;
            ((INDEX *)m->P.cols_of)[at] = (INDEX)s->number[i];
            ((VALUE *)m->P.values)[at] = 1;
        }
    }
}

#endif
