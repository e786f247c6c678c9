/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of many kinds, which batches factorise and solve. */
#ifndef TESTS_BATCH_SYSTEMS_H
#define TESTS_BATCH_SYSTEMS_H

#include "columns.h"
#include "factor_check.h"
#include "tulle/tulle.h"

/* Rows of blocks: system_sizes; multivectors lie as system_lies say. */
enum { SIZES = 8, LIES = 4, SWAPPED = 6, MOST_ROWS = SWAPPED * 16 };
extern const int system_sizes[SIZES];
extern const lie system_lies[LIES];
extern const int64_t system_order[SWAPPED]; /* of blocks */

/* A system whose factors are of another matrix until a batch computes them. */
typedef struct {
    factor_setting s;
    entries e;
    tulle_order *order;
    tulle_vec *rows, *cols;
    tulle_mat *A, *other;
    tulle_factor *F;
} system_of;

system_of make_system(tulle_ctx *ctx, int64_t n, factor_setting setting, uint64_t seed);
/* The system of a square matrix, which it owns from then on. */
system_of make_system_of(tulle_ctx *ctx, entries e, factor_setting setting);
void free_system(system_of *y);

/* The i-th of many; and L L^T of the same. */
factor_setting setting_number(int i, int block);
factor_setting root_of(factor_setting s);

/* Of the last run, which has ended. */
const tulle_batch_report *reports_of(tulle_ctx *ctx, tulle_batch *batch);

#endif
