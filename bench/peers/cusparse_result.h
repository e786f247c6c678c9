/* SPDX-License-Identifier: Apache-2.0 */
/* A CSR matrix that cuSPARSE makes, in arrays that its user takes. */
#ifndef BENCH_PEERS_CUSPARSE_RESULT_H
#define BENCH_PEERS_CUSPARSE_RESULT_H

#include "bench/peers/cuda_memory.h"
#include "bench/peers/cusparse_library.h"

typedef struct cusparse_result {
    tulle_ctx *ctx;
    cuda_memory memory; /* of the arrays, and of scratch */
    int64_t rows, cols, nnz;
    tulle_type type;
    void *offsets, *columns, *values;
} cusparse_result;

/* Whether the library takes such operands: CSR, and 32-bit indices. */
tulle_status cusparse_takes(const bench_making *making);

tulle_status cusparse_result_open(const bench_making *making, int64_t rows, int64_t cols,
                                  cusparse_result *result);

/* The arrays, in the order in which their sizes are known. */
tulle_status cusparse_result_offsets(cusparse_result *result);
tulle_status cusparse_result_entries(cusparse_result *result, int64_t nnz);

/* A matrix that borrows them. */
tulle_status cusparse_result_matrix(const cusparse_result *result, tulle_mat **C);

/* Gives arrays and scratch back. */
void cusparse_result_drop(cusparse_result *result);
void cusparse_result_close(cusparse_result *result);

#endif
