/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_read. */
#include <string.h>

#include "dist/rows.h"
#include "matrix/operand.h"

tulle_status tulle_dist_mat_read(tulle_ctx *ctx, const tulle_dist_mat *A, int64_t *offsets,
                                 int64_t *columns, void *values) {
    tulle__rows own = {.rows = 0};
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(offsets);
    if (A->nnz > 0) {
        TULLE__NEED(columns);
        TULLE__NEED(values);
    }
    TULLE__TRY(tulle__check_space_of(__func__, "A", ctx, A->block));
    const tulle_status status = tulle__rows_of_dist(ctx, A, &own);
    if (status == TULLE_OK) {
        const size_t entries = (size_t)A->nnz;
        memcpy(offsets, own.offsets, ((size_t)A->rows + 1) * sizeof *offsets);
        if (entries > 0) {
            memcpy(columns, own.columns, entries * sizeof *columns);
            memcpy(values, own.values, entries * (size_t)tulle_type_size(A->type));
        }
    }
    tulle__rows_free(ctx, &own);
    return status;
}
