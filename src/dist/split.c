/* SPDX-License-Identifier: Apache-2.0 */
/* Splits rows into entries in own columns and entries in other columns. */
#include "core/access.h"
#include "dist/dist.h"
#include "dist/numbers.h"

/* One of the two matrices while its arrays are filled, in host memory. */
typedef struct part {
    int64_t rows, cols, nnz;
    tulle_index index;
    void *offsets, *columns, *values;
    int64_t row, entry; /* number of rows and entries so far */
    int64_t near;       /* place of the last column of the edge */
} part;

static tulle_status make_part(tulle_ctx *ctx, tulle_type type, part *p) {
    const int64_t most = INT32_MAX;
    const bool narrow = p->rows < most && p->cols < most && p->nnz < most;
    size_t offsets, columns, values;
    p->index = narrow ? TULLE_I32 : TULLE_I64;
    TULLE__TRY(tulle__size(p->rows + 1, tulle_offset_size(p->index), 0, &offsets));
    TULLE__TRY(tulle__size(p->nnz, tulle_index_size(p->index), 1, &columns));
    TULLE__TRY(tulle__size(p->nnz, tulle_type_size(type), 1, &values));
    p->offsets = tulle__host_alloc(ctx, offsets);
    p->columns = tulle__host_alloc(ctx, columns);
    p->values = tulle__host_alloc(ctx, values);
    return p->offsets && p->columns && p->values ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void free_part(tulle_ctx *ctx, part *p) {
    tulle__host_free(ctx, p->offsets);
    tulle__host_free(ctx, p->columns);
    tulle__host_free(ctx, p->values);
}

static void put_entry(part *p, tulle_type type, int64_t column, const void *values, int64_t k) {
    tulle__put(p->columns, tulle_index_size(p->index), p->entry, column);
    tulle__move_value(type, p->values, p->entry, values, k);
    p->entry++;
}

static void end_row(part *p) {
    p->row++;
    tulle__put(p->offsets, tulle_offset_size(p->index), p->row, p->entry);
}

static tulle_status matrix_of(tulle_ctx *ctx, tulle_type type, const part *p, tulle_mat **A) {
    return tulle_mat_create_csr(ctx, p->rows, p->cols, p->nnz, p->index, p->offsets, p->columns,
                                type, p->values, NULL, A);
}

/* The first own column, and the end of the own columns. */
typedef struct range {
    int64_t begin, end;
} range;

static range own_of(const tulle_dist_mat *A) {
    const int rank = A->comm->functions.rank;
    return (range){A->col_starts[rank], A->col_starts[rank + 1]};
}

static bool is_in(range own, int64_t column) {
    return column >= own.begin && column < own.end;
}

/* Numbers of entries in other columns, and of the rows that have such. */
typedef struct counts {
    int64_t edge, rows;
} counts;

static counts count_edge(const tulle_dist_mat *A, const tulle__dist_rows *g) {
    const range own = own_of(A);
    counts found = {0, 0};
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t before = found.edge;
        for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
            found.edge += !is_in(own, g->columns[k]);
        }
        found.rows += found.edge > before;
    }
    return found;
}

/* Finds the other columns, ascending, and the rows that have entries there. */
static tulle_status find_edge(tulle_dist_mat *A, const tulle__dist_rows *g, int64_t entries) {
    const range own = own_of(A);
    int64_t found = 0, row = 0;
    A->edge_col = tulle__host_alloc(A->ctx, ((size_t)entries + 1) * sizeof *A->edge_col);
    A->edge_row = tulle__host_alloc(A->ctx, ((size_t)A->edge_rows + 1) * sizeof *A->edge_row);
    if (!A->edge_col || !A->edge_row) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t before = found;
        for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
            if (!is_in(own, g->columns[k])) A->edge_col[found++] = g->columns[k];
        }
        if (found > before) A->edge_row[row++] = i;
    }
    A->halo.come_rows = entries;
    return tulle__numbers_sort(A->ctx, A->edge_col, &A->halo.come_rows);
}

/* The matrices that are made of the rows. */
typedef struct parts {
    part block, edge;
} parts;

static void put_row(const tulle_dist_mat *A, const tulle__dist_rows *g, int64_t i, parts *p) {
    const range own = own_of(A);
    for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
        const int64_t column = g->columns[k];
        if (is_in(own, column)) {
            put_entry(&p->block, A->type, column - own.begin, g->values, k);
        } else {
            const int64_t at =
                tulle__numbers_place(A->edge_col, p->edge.cols, column, &p->edge.near);
            put_entry(&p->edge, A->type, at, g->values, k);
        }
    }
    end_row(&p->block);
}

static void fill(const tulle_dist_mat *A, const tulle__dist_rows *g, parts *p) {
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t before = p->edge.entry;
        put_row(A, g, i, p);
        if (p->edge.entry > before) end_row(&p->edge);
    }
}

/* Makes the arrays of all parts and fills them. */
static tulle_status make_parts(const tulle_dist_mat *A, const tulle__dist_rows *g, counts found,
                               parts *p) {
    const int64_t others = A->halo.come_rows;
    *p = (parts){.block = {.rows = A->rows, .cols = A->cols, .nnz = A->nnz - found.edge},
                 .edge = {.rows = found.rows, .cols = others, .nnz = found.edge}};
    TULLE__TRY(make_part(A->ctx, A->type, &p->block));
    TULLE__TRY(make_part(A->ctx, A->type, &p->edge));
    fill(A, g, p);
    return TULLE_OK;
}

static void free_parts(tulle_ctx *ctx, parts *p) {
    free_part(ctx, &p->block);
    free_part(ctx, &p->edge);
}

static tulle_status make_matrices(tulle_dist_mat *A, const parts *p) {
    TULLE__TRY(matrix_of(A->ctx, A->type, &p->block, &A->block));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(matrix_of(A->ctx, A->type, &p->edge, &A->edge));
    return tulle__dist_place_edge(A);
}

tulle_status tulle__dist_split(tulle_dist_mat *A, const tulle__dist_rows *given) {
    const counts found = count_edge(A, given);
    parts p;
    A->edge_rows = found.rows;
    TULLE__TRY(find_edge(A, given, found.edge));
    tulle_status status = make_parts(A, given, found, &p);
    if (status == TULLE_OK) status = make_matrices(A, &p);
    free_parts(A->ctx, &p);
    return status == TULLE_OK ? tulle__dist_assemble(A) : status;
}

/* Returns true where all entries are in columns that A has. */
static bool knows_columns(const tulle_dist_mat *A, const tulle__dist_rows *g) {
    const range own = own_of(A);
    int64_t near = 0;
    for (int64_t k = 0; k < A->nnz; k++) {
        if (is_in(own, g->columns[k])) continue;
        if (!tulle__numbers_have(A->edge_col, A->halo.come_rows, g->columns[k], &near))
            return false;
    }
    return true;
}

static tulle_status set(tulle_dist_mat *A, tulle_mat *matrix, const part *p) {
    return tulle_mat_set_values(A->ctx, matrix, p->nnz, p->values);
}

tulle_status tulle__dist_refill(tulle_dist_mat *A, const tulle__dist_rows *given) {
    const counts found = count_edge(A, given);
    parts p;
    if (!knows_columns(A, given) || found.rows != A->edge_rows ||
        found.edge != (A->edge ? tulle_mat_nnz(A->edge) : 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_dist_mat_set_values", "columns", -1,
                           "columns are not those with which A was made");
    }
    tulle_status status = make_parts(A, given, found, &p);
    if (status == TULLE_OK) status = set(A, A->block, &p.block);
    if (status == TULLE_OK && A->edge) status = set(A, A->edge, &p.edge);
    if (status == TULLE_OK) status = tulle__dist_refresh(A);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(A->ctx); /* the values go now */
    free_parts(A->ctx, &p);
    return status;
}
