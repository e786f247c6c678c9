/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON lines of all operations have. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdio.h>

#include "bench/row.h"
#include "tools/common/json.h"

/* What ran. */
typedef struct bench_ran {
    const char *kernel, *params;
    int threads;
} bench_ran;

void bench_json_experiment(cJSON *json, const bench_experiment *experiment); /* NULL is fine */
void bench_json_matrix(cJSON *json, const bench_matrix *matrix, const tulle_mat_info *A,
                       const char *class);
/* How a matrix lies in memory; what takes a size has none. */
void bench_json_layout(cJSON *json, const tulle_mat_info *A);
/* rows: of a block of A; 1: entries are numbers. */
void bench_json_shape(cJSON *json, tulle_trans trans, const trial_block *block, int64_t rows);
void bench_json_choice(cJSON *json, const bench_place *place, const bench_variant *variant,
                       const char *choice, const bench_ran *ran);
void bench_json_origin(cJSON *json, const bench_place *place);

/* Prints it as a line, gives it up and flushes; false, and errno, when it cannot be written. */
bool bench_json_print(cJSON *json, FILE *file);

#endif
