/* SPDX-License-Identifier: Apache-2.0 */
/* Members that the JSON lines of all operations have. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdio.h>

#include "bench/row.h"
#include "tools/common/json.h"

/* The kernel that ran, its parameters, and the number of threads. */
typedef struct bench_ran {
    const char *kernel, *params;
    int threads;
} bench_ran;

void bench_json_experiment(cJSON *json, const bench_experiment *experiment); /* NULL adds nothing */
void bench_json_matrix(cJSON *json, const bench_matrix *matrix, const tulle_mat_info *A,
                       const char *class);
/* Adds how a matrix lies in memory; nothing for an operation that takes a size in place of a
 * matrix. */
void bench_json_layout(cJSON *json, const tulle_mat_info *A);
/* `rows` is the number of rows of a block of A; 1: entries are numbers. */
void bench_json_shape(cJSON *json, tulle_trans trans, const trial_block *block, int64_t rows);
void bench_json_choice(cJSON *json, const bench_place *place, const bench_variant *variant,
                       const char *choice, const bench_ran *ran);
void bench_json_origin(cJSON *json, const bench_place *place);

/* Prints the JSON as one line, frees the JSON and flushes the file; false, with errno set, when the
 * line cannot be written. */
bool bench_json_print(cJSON *json, FILE *file);

#endif
