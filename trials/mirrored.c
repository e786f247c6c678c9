/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/mirrored.h"

#include <stdlib.h>

#include "tools/common/csr.h"
#include "tools/common/error.h"

/* Entries in no order, on the host. */
typedef struct draft {
    int64_t *rows, *cols, count;
    void *values;
    tulle_type type;
} draft;

static void put(draft *d, int64_t row, int64_t col, double value) {
    d->rows[d->count] = row;
    d->cols[d->count] = col;
    if (d->type == TULLE_F32) {
        ((float *)d->values)[d->count] = (float)value;
    } else {
        ((double *)d->values)[d->count] = value;
    }
    d->count++;
}

static void fill(const tool_csr *A, tulle_reads reads, int64_t block, draft *d) {
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t i = tool_csr_row(A, p);
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            const int64_t j = tool_csr_column(A, e), below = i / block - j / block;
            if (reads == TULLE_READS_LOWER ? below < 0 : below > 0) continue;
            put(d, i, j, tool_csr_value(A, e));
            if (below != 0) put(d, j, i, tool_csr_value(A, e));
        }
    }
}

static tulle_status build(tulle_ctx *ctx, const tool_csr *A, tulle_reads reads, int64_t block,
                          tulle_mat **B) {
    const size_t room = 2 * (size_t)A->nnz + 1;
    draft d = {.type = A->type};
    tulle_mat *coo = NULL;
    d.rows = tool_alloc(room, sizeof *d.rows);
    d.cols = tool_alloc(room, sizeof *d.cols);
    d.values = tool_alloc(room, (size_t)tulle_type_size(d.type));
    fill(A, reads, block, &d);
    tulle_status status = tulle_mat_create_coo(ctx, A->rows, A->cols, d.count, TULLE_I64, d.rows,
                                               d.cols, d.type, d.values, NULL, &coo);
    free(d.rows);
    free(d.cols);
    free(d.values);
    if (status == TULLE_OK) status = tulle_mat_convert(ctx, coo, TULLE_CSR, TULLE_I64, 0, B);
    tulle_mat_destroy(coo);
    return status;
}

tulle_status trial_mirrored(tulle_ctx *ctx, tulle_mat *A, tulle_reads reads, int64_t block,
                            tulle_mat **B) {
    tool_csr csr = {0};
    if (reads == TULLE_READS_ALL) {
        *B = tulle_mat_retain(A);
        return TULLE_OK;
    }
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) status = build(ctx, &csr, reads, block, B);
    tool_csr_close(&csr);
    return status;
}
