/* SPDX-License-Identifier: Apache-2.0 */
/* A CSR or DCSR matrix in host memory, for the tool's own loops. A matrix of the host is looked at
 * in place, a matrix of a device is copied, and one in another format is converted to CSR. */
#ifndef TOOL_CSR_H
#define TOOL_CSR_H

#include <stdbool.h>

#include "tulle/tulle.h"

typedef struct tool_csr {
    int64_t rows, cols, nnz;
    tulle_type type;
    tulle_index index;
    /* number of rows that are stored: CSR: all rows; DCSR: the rows that have entries */
    int64_t heads;
    const void *offsets, *columns, *values;
    const void *order; /* DCSR: the row at each position; else NULL */
    void *owned[4];    /* the copies, or NULL */
    tulle_mat *made;   /* the matrix in CSR, or NULL where it is in CSR or DCSR; owned */
} tool_csr;

tulle_status tool_csr_open(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr);

/* Opens a matrix in CSR, DCSR or BSR as it is stored: offsets and columns of BSR count blocks,
 * whose numbers follow each other in values; rows, cols and nnz are those of the whole matrix. */
tulle_status tool_csr_open_stored(tulle_ctx *ctx, const tulle_mat *A, tool_csr *csr);
void tool_csr_close(tool_csr *csr);

/* Returns the place of the first entry of the row at a position. */
static inline int64_t tool_csr_offset(const tool_csr *A, int64_t p) {
    return A->index == TULLE_I32 ? ((const int32_t *)A->offsets)[p]
                                 : ((const int64_t *)A->offsets)[p];
}

/* Returns the number of the row at a position. */
static inline int64_t tool_csr_row(const tool_csr *A, int64_t p) {
    if (!A->order) return p;
    return A->index == TULLE_I64 ? ((const int64_t *)A->order)[p] : ((const int32_t *)A->order)[p];
}

static inline int64_t tool_csr_column(const tool_csr *A, int64_t entry) {
    return A->index == TULLE_I64 ? ((const int64_t *)A->columns)[entry]
                                 : ((const int32_t *)A->columns)[entry];
}

static inline double tool_csr_value(const tool_csr *A, int64_t entry) {
    return A->type == TULLE_F32 ? (double)((const float *)A->values)[entry]
                                : ((const double *)A->values)[entry];
}

#endif
