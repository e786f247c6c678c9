/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_read. */
#include "dist/rows.h"
#include "matrix/operand.h"

tulle_status tulle_dist_mat_read(tulle_ctx *ctx, const tulle_dist_mat *A, int64_t *offsets,
                                 int64_t *columns, void *values) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(offsets);
    if (A->nnz > 0) {
        TULLE__NEED(columns);
        TULLE__NEED(values);
    }
    TULLE__TRY(tulle__check_space_of(__func__, "A", ctx, A->block));
    tulle__join_job job;
    void *scratch = NULL;
    tulle_status status = tulle__join_begin(ctx, A, A->edge_col, &job, &scratch);
    job.shift = A->col_starts[A->comm->functions.rank];
    const tulle__rows to = {A->rows, A->type, offsets, columns, values};
    if (status == TULLE_OK) status = tulle__join_read(ctx, &job, &to);
    tulle__free(ctx, scratch);
    return status;
}
