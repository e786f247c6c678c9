/* SPDX-License-Identifier: Apache-2.0 */
/* A Markov chain on an nx x ny grid of states (susceptible, infected): staying, one recovery, one
 * arrival, and one infection, which turns a susceptible into an infected. With 513 x 1025 states
 * the counts are those of mc2depi, products and entries of the square included. */
#ifndef TULLE_IO_ROWS_MARKOV_H
#define TULLE_IO_ROWS_MARKOV_H

#include "io/rows_common.h"

enum { TULLE__MARKOV_NX, TULLE__MARKOV_NY };

ROWS_FUNCTION int64_t tulle__rows_markov(const tulle__rows_args *g, int64_t row,
                                         tulle__columns columns) {
    int64_t nx = g->number[TULLE__MARKOV_NX], ny = g->number[TULLE__MARKOV_NY];
    int64_t x = row % nx, y = row / nx, count = 0;
    if (y > 0 && x < nx - 1) tulle__column_set(columns, count++, row - nx + 1);
    if (x > 0) tulle__column_set(columns, count++, row - 1);
    tulle__column_set(columns, count++, row);
    if (y < ny - 1) tulle__column_set(columns, count++, row + nx);
    return count;
}

ROWS_FUNCTION double tulle__value_markov(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
