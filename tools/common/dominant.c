/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/dominant.h"

#include <math.h>
#include <stdlib.h>

#include "core/access.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"

/* The result in the making, on the host. */
typedef struct draft {
    void *offsets, *cols, *values;
    tulle_type type;
    tulle_index index;
    int64_t count;
} draft;

static void put(draft *d, int64_t col, double value) {
    tulle__put(d->cols, tulle_index_size(d->index), d->count, col);
    if (d->type == TULLE_F32) {
        ((float *)d->values)[d->count] = (float)value;
    } else {
        ((double *)d->values)[d->count] = value;
    }
    d->count++;
}

/* Copies a row with its diagonal entry, which goes before the first entry of a higher column, so
 * that a sorted row stays sorted. */
static void copy_row(const tool_csr *A, int64_t i, int64_t begin, int64_t end, draft *d) {
    double sum = 1;
    bool there = false;
    for (int64_t e = begin; e < end; e++) {
        if (tool_csr_column(A, e) != i) sum += fabs(tool_csr_value(A, e));
    }
    for (int64_t e = begin; e < end; e++) {
        const int64_t j = tool_csr_column(A, e);
        if (j > i && !there) {
            put(d, i, sum);
            there = true;
        }
        if (j != i) put(d, j, tool_csr_value(A, e));
    }
    if (!there) put(d, i, sum);
}

static tulle_status build(tulle_ctx *ctx, const tool_csr *A, tulle_mat **B) {
    const int64_t room = A->nnz + A->rows;
    draft d = {.type = A->type, .index = A->index};
    if (d.index == TULLE_I32 && room > INT32_MAX) d.index = TULLE_I64_I32;
    d.offsets = tool_alloc((size_t)A->rows + 1, (size_t)tulle_offset_size(d.index));
    d.cols = tool_alloc((size_t)room + 1, (size_t)tulle_index_size(d.index));
    d.values = tool_alloc((size_t)room + 1, (size_t)tulle_type_size(d.type));
    for (int64_t i = 0, p = 0; i < A->rows; i++) {
        const bool any = p < A->heads && tool_csr_row(A, p) == i;
        copy_row(A, i, any ? tool_csr_offset(A, p) : 0, any ? tool_csr_offset(A, p + 1) : 0, &d);
        tulle__put(d.offsets, tulle_offset_size(d.index), i + 1, d.count);
        p += any;
    }
    tulle_status status = tulle_mat_create_csr(ctx, A->rows, A->cols, d.count, d.index, d.offsets,
                                               d.cols, d.type, d.values, NULL, B);
    free(d.offsets);
    free(d.cols);
    free(d.values);
    return status;
}

tulle_status tool_dominant(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) status = build(ctx, &csr, B);
    tool_csr_close(&csr);
    return status;
}
