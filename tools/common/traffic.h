/* SPDX-License-Identifier: Apache-2.0 */
/* A product of a CSR matrix moves so many bytes when every thread block works on a number of
 * consecutive rows, as spmv_csr_vector does.
 *
 * Effective bytes are the estimate of Reguly and Giles, "Efficient sparse matrix-vector
 * multiplication on cache-based GPUs" (InPar 2012; slides, "Bandwidth estimation"): the distinct
 * lines of 128 bytes that each block touches, without sharing between blocks and with an infinite
 * cache within a block:
 *
 *     effective = 128 * sum over blocks of (lines of offsets + columns + values + x + y)
 *
 * Minimal bytes take whole arrays, without lines: (rows + 1) offsets, nnz columns and values, cols
 * numbers of x, rows numbers of y. Where many columns are empty, the effective bytes can be fewer.
 */
#ifndef TOOL_TRAFFIC_H
#define TOOL_TRAFFIC_H

#include "tulle/tulle.h"

typedef struct paper_traffic {
    int64_t rows_per_block;  /* rows that a thread block works on */
    int64_t blocks;          /* thread blocks */
    int64_t minimal_bytes;   /* each input read once, each output written once */
    int64_t effective_bytes; /* the sum of the three below */
    int64_t matrix_bytes;    /* lines of offsets, columns and values */
    int64_t x_bytes;         /* lines of x */
    int64_t y_bytes;         /* lines of y */
} paper_traffic;

/* Finds the traffic of y = A x, where y is only written. rows_per_block 0: the number that the rule
 * "reguly_giles" takes. Fails with TULLE_TOO_LARGE where the bytes of x pass 64 bits,
 * TULLE_UNSUPPORTED for a format other than CSR, or as tulle_mat_read does. */
tulle_status paper_traffic_of(tulle_ctx *ctx, const tulle_mat *A, int64_t rows_per_block,
                              paper_traffic *traffic);

#endif
