/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: many small products of matrices. */
#ifndef BENCH_PEERS_CUBLAS_BATCH_H
#define BENCH_PEERS_CUBLAS_BATCH_H

#include "lab/peers/cublas_task.h"
#include "lab/peers/cuda_driver.h"

/* The product of one small problem, C := op(A) op(B) + beta C by columns, with C of m x n. */
typedef struct cublas_product {
    cublasOperation_t op_a, op_b;
    int m, n, inner;
    const cublas_operand *a, *b;
    const cublas_scalar *beta;
} cublas_product;

enum { CUBLAS_MOST_STREAMS = 32 };

/* A stream beside the context's, with a handle that works in it. */
typedef struct cublas_stream {
    CUstream stream;
    CUevent ended;
    cublasHandle_t handle;
    tulle_vec *scratch;
} cublas_stream;

typedef struct cublas_batch {
    cublas_task *task; /* task of all problems as if they were one */
    int count;
    cublas_product one;
    cublas_stream beside[CUBLAS_MOST_STREAMS];
    int streams; /* number of streams in `beside`; 0: all work is in the context's stream */
    CUevent started;
} cublas_batch;

/* Starts product number i in the stream of the handle. */
tulle_status cublas_batch_call(const cublas_batch *batch, cublasHandle_t handle, int i);

/* Opens so many streams; the batch is to be closed after a failure, too. */
tulle_status cublas_streams_open(cublas_batch *batch, int streams);
void cublas_streams_close(cublas_batch *batch);

/* Starts all products, on the streams in turns, after the work that the context's stream has and
 * before the work that follows there. This is the `run` of a bench_peer. */
tulle_status cublas_streams_run(void *batch);

#endif
