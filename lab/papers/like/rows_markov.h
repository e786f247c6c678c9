/* SPDX-License-Identifier: Apache-2.0 */
/* A Markov chain on an nx x ny grid of states (susceptible, infected): staying, one recovery, one
 * arrival, and one infection, which turns a susceptible into an infected. With 513 x 1025 states
 * the counts are those of mc2depi, products and entries of the square included. */
#ifndef PAPERS_LIKE_ROWS_MARKOV_H
#define PAPERS_LIKE_ROWS_MARKOV_H

#include "io/rows_common.h"

enum { PAPER_MARKOV_NX, PAPER_MARKOV_NY };

static inline int64_t paper_rows_markov(const tulle__rows_args *g, int64_t row,
                                        tulle__columns columns) {
    int64_t nx = g->number[PAPER_MARKOV_NX], ny = g->number[PAPER_MARKOV_NY];
    int64_t x = row % nx, y = row / nx, count = 0;
    if (y > 0 && x < nx - 1) tulle__column_set(columns, count++, row - nx + 1);
    if (x > 0) tulle__column_set(columns, count++, row - 1);
    tulle__column_set(columns, count++, row);
    if (y < ny - 1) tulle__column_set(columns, count++, row + nx);
    return count;
}

static inline double paper_value_markov(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
