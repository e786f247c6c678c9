/* SPDX-License-Identifier: Apache-2.0 */
/* Elements for operations that take them: the hexahedra of a box, in the natural order of elements
 * and nodes, with random element matrices. */
#ifndef TRIAL_ELEMENTS_H
#define TRIAL_ELEMENTS_H

#include "trials/problem.h"

enum { TRIAL_HEXAHEDRON = 8 };

typedef struct trial_elements {
    int64_t side;  /* nodes along an edge of the box: the box with about so many unknowns */
    int64_t nodes; /* number of nodes in all */
    int unknowns;  /* number of unknowns of a node */
    int32_t *list; /* list of nodes, in host memory */
    tulle_elements elements;
} trial_elements;

/* Makes a box with about n unknowns in all. */
void trial_elements_open(trial_elements *b, int64_t n, int unknowns, tulle_element_layout layout);
void trial_elements_close(trial_elements *b);

/* The first returns the number of numbers of all element matrices, the second the number of rows of
 * one. */
int64_t trial_elements_numbers(const trial_elements *b);
int trial_elements_rows(const trial_elements *b);

/* Returns the position of entry (i, j) of element e's matrix in the array of all element matrices.
 */
static inline int64_t trial_elements_at(const trial_elements *b, int64_t e, int i, int j) {
    const int64_t m = trial_elements_rows(b), ij = i * m + j;
    return b->elements.layout == TULLE_INTERLEAVED ? ij * b->elements.count + e : e * m * m + ij;
}

/* Returns the unknown to which row i of element e's matrix belongs. */
static inline int64_t trial_elements_unknown(const trial_elements *b, int64_t e, int i) {
    const int64_t node = b->list[e * TRIAL_HEXAHEDRON + i / b->unknowns];
    return node * b->unknowns + i % b->unknowns;
}

#endif
