/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices as dense arrays, their facts by the definitions in tulle/facts.h, and the
 * comparison of these facts with those of the library. */
#ifndef TESTS_DENSE_FACTS_H
#define TESTS_DENSE_FACTS_H

#include "entries.h"
#include "tulle/facts.h"

enum { DENSE_MOST = 40 };

/* A matrix each of whose places has a number, or no entry. */
typedef struct dense {
    int rows, cols;
    bool has[DENSE_MOST][DENSE_MOST];
    double value[DENSE_MOST][DENSE_MOST];
} dense;

void dense_put(dense *d, int row, int col, double value);

/* Returns the entries of a matrix, by rows; the caller frees them. */
entries dense_entries(const dense *d);

/* Returns the facts of a matrix whose values have a type, computed in long double. */
tulle_facts dense_facts(const dense *d, tulle_type type);

/* Fails unless all facts are the same. */
void facts_expect(const tulle_facts *f, const tulle_facts *want);

/* Fails unless A has these facts, and the short comparison of A with its transpose agrees. */
void facts_check_mat(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *want);

/* Makes a CSR matrix of the array, and fails unless the matrix has the facts of the array. */
void facts_check(tulle_ctx *ctx, const dense *d, tulle_index index, tulle_type type);

/* Calls facts_check for all combinations of index and type. */
void facts_check_types(tulle_ctx *ctx, const dense *d);

/* Choice of the entries of a random matrix, and of the differences of mirror images. */
typedef struct dense_kind {
    int rows, cols;
    int of_100;    /* number of entries in a hundred places */
    int lone;      /* of a hundred entries, number of those without a mirror image */
    int apart;     /* of a hundred, number of those whose mirror image differs by a few roundings */
    int zeros;     /* of a hundred, number of those that are 0 */
    int without;   /* of a hundred rows, number of those without a diagonal entry */
    double weight; /* factor of the diagonal */
} dense_kind;

enum { DENSE_KINDS = 16 };
extern const dense_kind dense_kinds[DENSE_KINDS];

dense dense_random(const dense_kind *k, tulle_type type, uint64_t seed);

/* Returns true in so many of a hundred cases. */
bool dense_chance(uint64_t *seed, int of_100);

#endif
