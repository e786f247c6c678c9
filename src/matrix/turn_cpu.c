/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix: its entries, sorted by column. */
#include "core/context.h"
#include "format/functions.h"
#include "matrix/functions.h"

tulle_status tulle__cpu_turn_csr(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    void *rows_of = NULL;
    size_t bytes;
    int64_t nnz = 0;
    TULLE__TRY(tulle__size(csr->nnz, tulle_index_size(csr->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &rows_of));
    const tulle__coo_to_csr sort = {.rows = csr->cols,
                                    .cols = csr->rows,
                                    .nnz = csr->nnz,
                                    .in_index_size = tulle_index_size(csr->index),
                                    .index = csr->index,
                                    .type = job->type,
                                    .rows_of = csr->cols_of,
                                    .cols_of = rows_of,
                                    .values = job->values,
                                    .offsets = job->offsets,
                                    .out_cols = job->out_cols,
                                    .out_values = job->out_values,
                                    .perm = job->perm,
                                    .host_nnz = &nnz};
    tulle_status status = tulle__cpu_expand_offsets(place, csr, rows_of);
    if (status == TULLE_OK) status = tulle__cpu_coo_to_csr(place, &sort);
    tulle__free(place->ctx, rows_of);
    return status;
}
