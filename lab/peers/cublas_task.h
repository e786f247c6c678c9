/* SPDX-License-Identifier: Apache-2.0 */
/* An operation on vectors with cuBLAS. */
#ifndef BENCH_PEERS_CUBLAS_TASK_H
#define BENCH_PEERS_CUBLAS_TASK_H

#include "lab/peers/cublas_library.h"
#include "trials/vectors.h"

typedef union cublas_scalar {
    float f32;
    double f64;
} cublas_scalar;

/* A multivector: columns `step` numbers apart, whose numbers are `inc` apart. */
typedef struct cublas_operand {
    char *data;
    int rows, cols, ld, inc, step;
} cublas_operand;

typedef struct cublas_task {
    tulle_ctx *ctx;
    const trial_vectors *vectors;
    cublasHandle_t handle;
    tulle_vec *scratch;
    tulle_type type;
    bool host;   /* scalars are on the host */
    bool by_row; /* all multivectors are by row, else by column */
    cublas_operand x, second, y;
    cublas_scalar zero, one, factor; /* scalars on the host */
} cublas_task;

/* Opens a task. Fails with TULLE_UNSUPPORTED where a length passes 31 bits. After a failure there
 * is nothing to close. */
tulle_status cublas_task_open(const trial_problem *problem, bool host, trial_task *task);
void cublas_task_close(void *state);

/* Returns the address of number (row, column). */
void *cublas_at(const cublas_task *task, const cublas_operand *operand, int row, int column);

#endif
