/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the first Inf or NaN of a matrix or a vector. */
#ifndef TOOL_NOT_FINITE_H
#define TOOL_NOT_FINITE_H

#include "tools/common/csr.h"

typedef struct tool_not_finite {
    bool found;
    int64_t row, column; /* indices of the number, from 0; a vector's column is 0 */
    double value;
} tool_not_finite;

tool_not_finite tool_not_finite_in_matrix(const tool_csr *A);

/* Looks at n numbers in host memory. */
tool_not_finite tool_not_finite_in_vector(tulle_type type, int64_t n, const void *numbers);

/* Looks at a matrix in CSR or DCSR, in any memory space. */
tulle_status tool_not_finite_find(tulle_ctx *ctx, const tulle_mat *A, tool_not_finite *found);

/* Records that a matrix with this name has an Inf or NaN, as the reason for a failure with
 * TULLE_ZERO_PIVOT; returns that status. */
tulle_status tool_not_finite_record(const char *name, const tool_not_finite *found);

#endif
