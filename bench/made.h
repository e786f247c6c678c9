/* SPDX-License-Identifier: Apache-2.0 */
/* A row's members of an operation that makes a matrix (trials/making.h). */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include <stdio.h>

#include "tools/common/json.h"
#include "tulle/tulle.h"

struct bench_row;

typedef struct bench_made {
    bool reported;              /* calls of tulle's own report what they took */
    tulle_spgemm_report report; /* of a call after those that were timed; its times are its own */
    int64_t nnz;                /* of C */
    int64_t peak_bytes;         /* most held at a time, with C and without A and B; -1: unknown */
    bool sorted;                /* the columns of each row of C rise */
} bench_made;

/* Returns the bytes that were held beside A, B and C; -1: unknown. */
int64_t bench_made_extra(const struct bench_row *row);

/* Add to a row's JSON the operands, and the times with the verdict on C. */
void bench_made_add_operands(cJSON *json, const struct bench_row *row);
void bench_made_add_times(cJSON *json, const struct bench_row *row);

/* Prints the rows of one matrix as a table for people, each series' fastest right one marked; with
 * the phases of tulle's own. */
void bench_made_report(const struct bench_row *rows, int count, FILE *file);

#endif
