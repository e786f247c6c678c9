/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of elements that are awkward, with element matrices and vectors, on the host; and what they
 * make, by the definition. */
#ifndef TESTS_ELEMENT_ZOO_H
#define TESTS_ELEMENT_ZOO_H

#include "tulle/tulle.h"

enum { ELEMENT_ZOO_BLOCKS = 3 };

typedef struct {
    const char *name;
    int64_t nodes;
    int blocks;
    struct {
        int64_t count;
        int nodes;
        int64_t *list;
    } block[ELEMENT_ZOO_BLOCKS];
} element_list;

int element_zoo_count(void);
element_list element_zoo_make(int i);
void element_zoo_free(element_list *l);

/* How the list is handed over. */
typedef struct {
    int unknowns;
    tulle_index index;
    tulle_element_layout layout; /* of the first block; the others alternate */
    int64_t gap;                 /* stride beyond count */
    tulle_type type;
    bool masked;
    bool symmetric; /* element matrices, which are then also definite */
    uint64_t seed;
} element_case;

/* A list as a case has it: arrays on the host, whose gaps are NaN. */
typedef struct {
    tulle_elements elements[ELEMENT_ZOO_BLOCKS];
    void *lists[ELEMENT_ZOO_BLOCKS];
    void *K[ELEMENT_ZOO_BLOCKS], *f[ELEMENT_ZOO_BLOCKS];
    int64_t K_count[ELEMENT_ZOO_BLOCKS], f_count[ELEMENT_ZOO_BLOCKS];
    uint8_t *masked;  /* NULL: none is */
    int64_t unknowns; /* in all */
} element_arrays;

element_arrays element_arrays_make(const element_list *l, const element_case *c);
void element_arrays_free(element_arrays *a);

/* Entry (i, j) of element e's matrix, and number i of its vector. */
double element_entry(const element_arrays *a, const element_case *c, int block, int64_t e, int i,
                     int j);
double element_number(const element_arrays *a, const element_case *c, int block, int64_t e, int i);

/* The matrix and the vector that they make, dense: sums in the type, in the order of elements, and
 * in long double. */
typedef struct {
    int64_t n;
    bool *there;             /* entry (i, j) at i * n + j, as are the next */
    double *in_type;         /* as added up in the type, from 0 on */
    long double *sum, *size; /* of the numbers, and of their magnitudes */
    int64_t *terms;
    double *b_in_type;
    long double *b_sum, *b_size;
    int64_t *b_terms;
} element_reference;

/* blocks: a masked unknown has the diagonal block of its node. */
element_reference element_reference_make(const element_list *l, const element_arrays *a,
                                         const element_case *c, bool blocks);
void element_reference_free(element_reference *r);

#endif
