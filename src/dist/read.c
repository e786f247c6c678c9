/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_read: this process's rows in host memory. */
#include "core/access.h"
#include "dist/dist.h"
#include "matrix/build.h"

/* A CSR matrix in host memory, with 64-bit numbers; NULLs for no matrix. */
typedef struct arrays {
    int64_t *offsets, *columns;
    void *values;
} arrays;

static tulle_status read_wide(tulle_ctx *ctx, const tulle_mat *A, arrays *a) {
    tulle_mat *wide;
    size_t offsets, columns, values;
    TULLE__TRY(tulle__size(A->pattern->rows + 1, sizeof *a->offsets, 0, &offsets));
    TULLE__TRY(tulle__size(A->pattern->nnz, sizeof *a->columns, 1, &columns));
    TULLE__TRY(tulle__size(A->pattern->nnz, tulle_type_size(A->type), 1, &values));
    a->offsets = tulle__host_alloc(ctx, offsets);
    a->columns = tulle__host_alloc(ctx, columns);
    a->values = tulle__host_alloc(ctx, values);
    if (!a->offsets || !a->columns || !a->values) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    const tulle_status status = tulle_mat_read(ctx, wide, a->offsets, NULL, a->columns, a->values);
    tulle_mat_destroy(wide);
    return status;
}

static void discard(tulle_ctx *ctx, arrays *a) {
    tulle__host_free(ctx, a->offsets);
    tulle__host_free(ctx, a->columns);
    tulle__host_free(ctx, a->values);
}

/* Joins the rows of both matrices: entries in own columns, then those in other columns. */
static void join(const tulle_dist_mat *A, const arrays *block, const arrays *edge, arrays *all) {
    const int64_t first = A->col_starts[A->comm->functions.rank];
    int64_t at = 0, e = 0;
    all->offsets[0] = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
            all->columns[at] = first + block->columns[k];
            tulle__move_value(A->type, all->values, at++, block->values, k);
        }
        const bool edged = e < A->edge_rows && A->edge_row[e] == i;
        for (int64_t k = edged ? edge->offsets[e] : 0; edged && k < edge->offsets[e + 1]; k++) {
            all->columns[at] = A->edge_col[edge->columns[k]];
            tulle__move_value(A->type, all->values, at++, edge->values, k);
        }
        e += edged;
        all->offsets[i + 1] = at;
    }
}

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
    arrays block = {NULL, NULL, NULL}, edge = {NULL, NULL, NULL};
    tulle_status status = read_wide(ctx, A->block, &block);
    if (status == TULLE_OK && A->edge) status = read_wide(ctx, A->edge, &edge);
    if (status == TULLE_OK) join(A, &block, &edge, &(arrays){offsets, columns, values});
    discard(ctx, &block);
    discard(ctx, &edge);
    return status;
}
