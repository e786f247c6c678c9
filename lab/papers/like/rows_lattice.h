/* SPDX-License-Identifier: Apache-2.0 */
/* The hopping term of Wilson fermions on a periodic L^4 lattice, 4 spins x 3 colours a site. In the
 * basis where gamma_4 is diagonal, 1 - gamma_4 and 1 + gamma_4 have one entry in two of the rows
 * and none in the others, and 1 +- gamma_k (k = 1, 2, 3) two in each: 3 + 6 * 6 = 39 entries a row.
 * L = 8 gives the pattern of conf5_4-8x8-05, products and entries of the square included. */
#ifndef PAPERS_LIKE_ROWS_LATTICE_H
#define PAPERS_LIKE_ROWS_LATTICE_H

#include "io/rows_common.h"

enum { PAPER_LATTICE_SIDE };

/* Returns the spin of the neighbour to which gamma_(k + 1) couples a spin. */
static inline int paper_lattice_partner(int spin, int k) {
    return k < 2 ? 3 - spin : (spin + 2) % 4;
}

static inline int64_t paper_rows_lattice(const tulle__rows_args *g, int64_t row,
                                         tulle__columns columns) {
    int64_t side = g->number[PAPER_LATTICE_SIDE], site = row / 12, stride = 1, count = 0;
    int spin = (int)(row % 12 / 3);
    for (int k = 0; k < 4; k++, stride *= side) {
        int64_t at = site / stride % side;
        for (int step = 0; step < 2; step++) {
            int64_t to = step == 0 ? (at + 1) % side : (at + side - 1) % side;
            int64_t neighbour = site + (to - at) * stride;
            for (int other = 0; other < 4; other++) {
                bool coupled = k == 3 ? other == spin && (step == 0) == (spin < 2)
                                      : other == spin || other == paper_lattice_partner(spin, k);
                for (int colour = 0; coupled && colour < 3; colour++) {
                    tulle__column_set(columns, count, neighbour * 12 + other * 3 + colour);
                    count++;
                }
            }
        }
    }
    if (tulle__columns_wanted(columns)) tulle__columns_sort(columns, count);
    return count;
}

static inline double paper_value_lattice(const tulle__rows_args *g, int64_t row, int64_t column) {
    return tulle__random_value(g, row, column);
}

#endif
