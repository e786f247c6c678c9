/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions for operators. */
#ifndef TULLE_OPERATOR_JOBS_H
#define TULLE_OPERATOR_JOBS_H

#include "core/place.h"
#include "format/view.h"
#include "vector/jobs.h"

/* A job with one result for each row of a CSR matrix. */
typedef struct tulle__rows_job {
    tulle__pattern_view csr;
    tulle_type type;
    const void *values;
    int block; /* diagonal_blocks: number of rows of a block */
    /* result: the diagonal, or [ceil(rows / block)][block][block] numbers, of the type */
    void *to;
    double alpha;      /* residual: factor of A, a power of 2 */
    const void *b, *x; /* residual: vectors of the type */
    double *r;         /* residual: the result b - alpha A x */
} tulle__rows_job;

/* A job with dense blocks along a diagonal, [count][block][block], each by rows. Where the last
 * block has no rows, it has ones on its diagonal. */
typedef struct tulle__blocks_job {
    tulle_type type;
    int64_t rows; /* number of rows of the matrix */
    int block;
    void *blocks;
    const void *largest; /* invert_numbers: largest size of the numbers, one number of the type */
    /* invert_blocks: result, the lowest first row of a singular block, or -1 */
    int64_t *singular;
    bool transposed;
    int64_t cols; /* apply_blocks: number of columns of X and Y in Y := alpha op(D) X + beta Y */
    tulle_scalar alpha, beta;
    tulle__strided x, y;
} tulle__blocks_job;

static inline int64_t tulle__block_count(const tulle__blocks_job *job) {
    return job->rows / job->block + (job->rows % job->block != 0);
}

#endif
