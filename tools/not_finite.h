/* SPDX-License-Identifier: Apache-2.0 */
/* The first Inf or NaN of a matrix or a vector. */
#ifndef TOOL_NOT_FINITE_H
#define TOOL_NOT_FINITE_H

#include "tools/common/csr.h"

typedef struct tool_not_finite {
    bool found;
    int64_t row, column; /* from 0; of a vector column is 0 */
    double value;
} tool_not_finite;

tool_not_finite tool_not_finite_in_matrix(const tool_csr *A);

/* n numbers on the host. */
tool_not_finite tool_not_finite_in_vector(tulle_type type, int64_t n, const void *numbers);

/* Of a matrix in CSR or DCSR, wherever it lives. */
tulle_status tool_not_finite_find(tulle_ctx *ctx, const tulle_mat *A, tool_not_finite *found);

/* Records that a matrix with this name has such a number, for what ended with TULLE_ZERO_PIVOT,
 * and returns that. */
tulle_status tool_not_finite_record(const char *name, const tool_not_finite *found);

#endif
