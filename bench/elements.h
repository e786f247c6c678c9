/* SPDX-License-Identifier: Apache-2.0 */
/* Elements for operations that take them: the hexahedra of a box, in the natural order of elements
 * and nodes, with random element matrices. */
#ifndef BENCH_ELEMENTS_H
#define BENCH_ELEMENTS_H

#include "bench/problem.h"

enum { BENCH_HEXAHEDRON = 8 };

typedef struct bench_elements {
    int64_t side;  /* nodes along an edge of the box: the box with about so many unknowns */
    int64_t nodes; /* in all */
    int unknowns;  /* of a node */
    int32_t *list; /* on the host */
    tulle_elements elements;
} bench_elements;

/* Of about n unknowns in all. */
void bench_elements_open(bench_elements *b, int64_t n, int unknowns, tulle_element_layout layout);
void bench_elements_close(bench_elements *b);

/* Numbers of all element matrices, and rows of one. */
int64_t bench_elements_numbers(const bench_elements *b);
int bench_elements_rows(const bench_elements *b);

/* Entry (i, j) of element e's matrix among these. */
static inline int64_t bench_elements_at(const bench_elements *b, int64_t e, int i, int j) {
    const int64_t m = bench_elements_rows(b), ij = i * m + j;
    return b->elements.layout == TULLE_INTERLEAVED ? ij * b->elements.count + e : e * m * m + ij;
}

/* The unknown of row i of element e's matrix. */
static inline int64_t bench_elements_unknown(const bench_elements *b, int64_t e, int i) {
    const int64_t node = b->list[e * BENCH_HEXAHEDRON + i / b->unknowns];
    return node * b->unknowns + i % b->unknowns;
}

#endif
