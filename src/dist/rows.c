/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in host memory. */
#include "dist/rows.h"

#include "core/access.h"

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

tulle_status tulle__rows_of_mat(tulle_ctx *ctx, const tulle_mat *A, tulle__rows *r) {
    tulle_mat *wide;
    TULLE__TRY(tulle__rows_make(ctx, A->type, A->pattern->rows, A->pattern->nnz, r));
    TULLE__TRY(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    const tulle_status status = tulle_mat_read(ctx, wide, r->offsets, NULL, r->columns, r->values);
    tulle_mat_destroy(wide);
    return status;
}

/* Copies `from` whole numbers to an array of smaller ones. */
static void *narrowed(tulle_ctx *ctx, const int64_t *from, int64_t count) {
    int32_t *to = tulle__host_alloc(ctx, (size_t)count * sizeof *to + 1);
    for (int64_t k = 0; to && k < count; k++) to[k] = (int32_t)from[k];
    return to;
}

tulle_status tulle__rows_to_mat(tulle_ctx *ctx, const tulle__rows *r, int64_t cols, tulle_mat **A) {
    const int64_t nnz = r->offsets[r->rows];
    if (tulle__local_index(r->rows, cols, nnz) == TULLE_I64) {
        return tulle_mat_create_csr(ctx, r->rows, cols, nnz, TULLE_I64, r->offsets, r->columns,
                                    r->type, r->values, NULL, A);
    }
    void *offsets = narrowed(ctx, r->offsets, r->rows + 1), *columns = NULL;
    if (offsets) columns = narrowed(ctx, r->columns, nnz);
    const tulle_status status =
        columns ? tulle_mat_create_csr(ctx, r->rows, cols, nnz, TULLE_I32, offsets, columns,
                                       r->type, r->values, NULL, A)
                : TULLE_OUT_OF_MEMORY;
    tulle__host_free(ctx, offsets);
    tulle__host_free(ctx, columns);
    return status;
}
