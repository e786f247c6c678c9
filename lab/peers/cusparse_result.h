/* SPDX-License-Identifier: Apache-2.0 */
/* A CSR matrix that cuSPARSE makes, in arrays that its user allocates. A peer's task begins with
 * such a result. */
#ifndef BENCH_PEERS_CUSPARSE_RESULT_H
#define BENCH_PEERS_CUSPARSE_RESULT_H

#include "lab/peers/cuda_memory.h"
#include "lab/peers/cusparse_library.h"

typedef struct cusparse_result {
    tulle_ctx *ctx;
    cusparseHandle_t handle; /* works in the context's flow */
    cuda_memory memory;      /* memory of the arrays, and of scratch */
    int64_t rows, cols, nnz;
    tulle_type type;
    cudaDataType data_type; /* the type as the library names it */
    void *offsets, *columns, *values;
} cusparse_result;

/* Fails with TULLE_UNSUPPORTED unless the library takes the operands: CSR with 32-bit indices. */
tulle_status cusparse_takes(const trial_making *making);

tulle_status cusparse_result_open(const trial_making *making, int64_t rows, int64_t cols,
                                  cusparse_result *result);

/* These functions allocate the arrays, in the order in which their sizes become known. */
tulle_status cusparse_result_offsets(cusparse_result *result);
tulle_status cusparse_result_entries(cusparse_result *result, int64_t nnz);

/* The `take` and `peak` of a bench_peer_maker, for a task that begins with its result: a matrix
 * that borrows the arrays, and the most memory that was held. */
tulle_status cusparse_result_take(void *task, tulle_mat **C);
int64_t cusparse_result_peak(const void *task);

/* Gives arrays and scratch back. */
void cusparse_result_drop(cusparse_result *result);
/* Waits for work that still runs, and gives arrays and scratch back. */
void cusparse_result_close(cusparse_result *result);

#endif
