/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the kernels of a CPU share, whatever the types: numbers of A', and pivots. */
#ifndef TULLE_FACTOR_CPU_ROW_H
#define TULLE_FACTOR_CPU_ROW_H

#include "factor/factor.h"
#include "factor/judge.h"
#include "format/bsr.h"

/* The rules for the pivots of one row of A'. */
typedef struct tulle__row_judge {
    const tulle__factor_task *task;
    int64_t row;    /* first scalar row of the block row */
    double largest; /* size of the row's largest number */
    tulle__pivots_seen *seen;
} tulle__row_judge;

static inline void tulle__note_row(int64_t row, int64_t *first, int64_t *count) {
    if (row < *first) *first = row;
    ++*count;
}

/* Returns the pivot to divide by, and notes a tiny or bad one; k: number of the pivot in the
 * block. */
static inline double tulle__judge_pivot(const tulle__row_judge *j, double pivot, int k) {
    const tulle__pivot_rule rule = tulle__rule_of(j->task);
    const tulle__judged judged = tulle__weigh_pivot(&rule, pivot, j->largest);
    if (judged.bad) tulle__note_row(j->row + k, &j->seen->bad_first, &j->seen->bad);
    if (judged.tiny) tulle__note_row(j->row + k, &j->seen->tiny_first, &j->seen->tiny);
    return judged.pivot;
}

static const tulle__pivots_seen tulle__no_pivots_seen = {.tiny_first = INT64_MAX,
                                                         .bad_first = INT64_MAX};

static inline void tulle__add_seen(tulle__pivots_seen *to, const tulle__pivots_seen *from) {
    if (from->tiny_first < to->tiny_first) to->tiny_first = from->tiny_first;
    if (from->bad_first < to->bad_first) to->bad_first = from->bad_first;
    to->tiny += from->tiny;
    to->bad += from->bad;
}

/* Returns number q of a block of A, which has a slot. */
static inline double tulle__number_at(const tulle__factor_from *from, int64_t block, int64_t slot,
                                      int64_t q) {
    const int64_t cells = block * block, at = slot * cells + q;
    if (from->mask && !tulle__bit(from->mask, 32 * slot * tulle__mask_words(block * block) + q))
        return 0;
    return from->type == TULLE_F32 ? (double)((const float *)from->values)[at]
                                   : ((const double *)from->values)[at];
}

static inline double tulle__scale_at(const tulle__factor_from *from, const void *scale, int64_t i) {
    if (!scale) return 1;
    return from->type == TULLE_F32 ? (double)((const float *)scale)[i] : ((const double *)scale)[i];
}

/* Returns number (r, c) of block e of A', which is in block row i and block column j. */
static inline double tulle__number_of(const tulle__factor_task *t, int64_t e, int64_t i, int64_t j,
                                      int r, int c) {
    const tulle__factor_from *from = &t->from;
    const int b = t->block;
    const int64_t slot = from->source ? from->source[e] : e, row = i * b + r, col = j * b + c;
    if (row >= t->n || col >= t->n) return row == col;
    double number = 0;
    if (slot >= 0) number = tulle__number_at(from, b, slot, (int64_t)r * b + c);
    if (slot <= -2) number = tulle__number_at(from, b, -2 - slot, (int64_t)c * b + r);
    if (row == col) number *= 1 + from->shift;
    return number * tulle__scale_at(from, from->row_scale, row) *
           tulle__scale_at(from, from->col_scale, col);
}

#endif
