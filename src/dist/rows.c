/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a distributed matrix in host memory. */
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

static void put(tulle__rows *to, int64_t at, int64_t column, const tulle__rows *from, int64_t k) {
    to->columns[at] = column;
    tulle__move_value(to->type, to->values, at, from->values, k);
}

/* Joins the rows of both matrices: entries in lower columns, own ones, and those in higher columns.
 */
static void join(const tulle_dist_mat *A, const tulle__rows *block, const tulle__rows *edge,
                 tulle__rows *all) {
    const int64_t first = A->col_starts[A->comm->functions.rank];
    int64_t at = 0, e = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        const bool edged = e < A->edge_rows && A->edge_row[e] == i;
        int64_t k = edged ? edge->offsets[e] : 0;
        const int64_t end = edged ? edge->offsets[e + 1] : 0;
        for (; k < end && A->edge_col[edge->columns[k]] < first; k++) {
            put(all, at++, A->edge_col[edge->columns[k]], edge, k);
        }
        for (int64_t j = block->offsets[i]; j < block->offsets[i + 1]; j++) {
            put(all, at++, first + block->columns[j], block, j);
        }
        for (; k < end; k++) put(all, at++, A->edge_col[edge->columns[k]], edge, k);
        all->offsets[i + 1] = at;
        e += edged;
    }
}

tulle_status tulle__rows_of_dist(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__rows *all) {
    tulle__rows block = {.rows = 0}, edge = {.rows = 0};
    TULLE__TRY(tulle__rows_make(ctx, A->type, A->rows, A->nnz, all));
    tulle_status status = tulle__rows_of_mat(ctx, A->block, &block);
    if (status == TULLE_OK && A->edge) status = tulle__rows_of_mat(ctx, A->edge, &edge);
    if (status == TULLE_OK) join(A, &block, &edge, all);
    tulle__rows_free(ctx, &block);
    tulle__rows_free(ctx, &edge);
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
    if (r->rows >= INT32_MAX || cols >= INT32_MAX || nnz >= INT32_MAX) {
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

/* Reads the rows of a part, with columns of the whole matrix; skipped: number of entries before
 * them. */
static tulle_status read_part(tulle_ctx *ctx, const tulle__local_part *part, tulle__rows *r,
                              int64_t *skipped) {
    TULLE__TRY(tulle__rows_of_mat(ctx, part->A, r));
    const int64_t begin = r->offsets[part->first], end = r->offsets[part->first + part->rows];
    for (int64_t k = begin; k < end; k++) {
        r->columns[k] = tulle__columns_name(part->names, r->columns[k]);
    }
    for (int64_t i = 0; i <= part->rows; i++) {
        r->offsets[i] = r->offsets[part->first + i] - begin;
    }
    *skipped = begin;
    return TULLE_OK;
}

tulle_status tulle__rows_share(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                               const tulle__local_part *part, tulle_dist_mat **A) {
    tulle__rows r = {.rows = 0};
    int64_t skipped = 0;
    if (here == TULLE_OK) here = read_part(ctx, part, &r, &skipped);
    tulle_status status = tulle__comm_agree(comm, NULL, here, NULL, 0);
    if (status == TULLE_OK) {
        const size_t size = (size_t)tulle_type_size(r.type);
        status =
            tulle_dist_mat_create(ctx, comm, part->rows, part->cols, r.offsets, r.columns + skipped,
                                  r.type, (char *)r.values + (size_t)skipped * size, A);
    }
    tulle__rows_free(ctx, &r);
    return status;
}
