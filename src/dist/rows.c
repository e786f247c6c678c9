/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in host memory. */
#include "dist/rows.h"

tulle_status tulle__rows_make(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t nnz,
                              tulle__rows *made) {
    size_t offsets, columns, values;
    *made = (tulle__rows){.rows = rows, .type = type};
    TULLE__TRY(tulle__size(rows + 1, sizeof *made->offsets, 0, &offsets));
    TULLE__TRY(tulle__size(nnz, sizeof *made->columns, 1, &columns));
    TULLE__TRY(tulle__size(nnz, tulle_type_size(type), 1, &values));
    made->offsets = tulle__host_alloc(ctx, offsets);
    made->columns = tulle__host_alloc(ctx, columns);
    made->values = tulle__host_alloc(ctx, values);
    return made->offsets && made->columns && made->values ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__rows_free(tulle_ctx *ctx, tulle__rows *r) {
    tulle__host_free(ctx, r->offsets);
    tulle__host_free(ctx, r->columns);
    tulle__host_free(ctx, r->values);
    *r = (tulle__rows){.rows = 0};
}
