/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions for operators. */
#ifndef TULLE_OPERATOR_JOBS_H
#define TULLE_OPERATOR_JOBS_H

#include "core/place.h"
#include "format/view.h"
#include "vector/jobs.h"

/* Something of each row of a CSR matrix. */
typedef struct tulle__rows_job {
    tulle__pattern_view csr;
    tulle_type type;
    const void *values;
    int block;         /* of diagonal_blocks: rows of a block */
    void *to;          /* the diagonal, or [ceil(rows / block)][block][block], of the type */
    double alpha;      /* of residual: a power of 2 */
    const void *b, *x; /* of residual: of the type */
    double *r;         /* of residual: b - alpha A x */
} tulle__rows_job;

/* Dense blocks along a diagonal, [count][block][block], by rows; the last one has ones where there
 * are no rows. */
typedef struct tulle__blocks_job {
    tulle_type type;
    int64_t rows; /* of the matrix */
    int block;
    void *blocks;
    const void *largest; /* of invert_numbers: their largest size, one number of the type */
    int64_t *singular;   /* of invert_blocks: the lowest first row of a singular block, or -1 */
    bool transposed;
    int64_t cols; /* of apply_blocks: Y := alpha op(D) X + beta Y, X and Y rows x cols */
    tulle_scalar alpha, beta;
    tulle__strided x, y;
} tulle__blocks_job;

static inline int64_t tulle__block_count(const tulle__blocks_job *job) {
    return job->rows / job->block + (job->rows % job->block != 0);
}

#endif
