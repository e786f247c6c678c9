/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a row that only operations that make a matrix fill in (trials/making.h). */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include "tools/common/json.h"
#include "tulle/tulle.h"

struct bench_row;

typedef struct bench_made {
    /* true where tulle's own calls reported their phases and memory, in the row's values: those of
     * a call made after the timed ones */
    bool reported;
    int64_t nnz; /* entries of C */
    /* most bytes held at a time, with C and without A and B; -1: unknown */
    int64_t peak_bytes;
    bool sorted; /* the columns of each row of C rise */
} bench_made;

/* Returns the most bytes that were held beside A, B and C; -1: unknown. */
int64_t bench_made_extra(const struct bench_row *row);

/* These functions add to a row's JSON the operands, and the times with the verdict on C. */
void bench_made_add_operands(cJSON *json, const struct bench_row *row);
void bench_made_add_times(cJSON *json, const struct bench_row *row);

#endif
