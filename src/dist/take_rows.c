/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_from_rows: takes this process's rows out of a matrix. */
#include "core/access.h"
#include "dist/dist.h"
#include "matrix/reformat.h"

static const char *const function = "tulle_dist_mat_from_rows";

/* Copies of the arrays of a matrix in CSR, in host memory, with indices as they are there. */
typedef struct copies {
    void *offsets, *columns, *values;
} copies;

/* This process's rows as tulle_dist_mat_create takes them. offsets and columns are owned. */
typedef struct taken {
    int64_t *offsets, *columns;
    const void *values;
} taken;

static tulle_status check(const tulle_ctx *ctx, const tulle_mat *from, int64_t first,
                          int64_t rows) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, from);
    TULLE__TRY(tulle__check_space_of(function, "from", ctx, from));
    const int64_t all = tulle_mat_rows(from);
    if (first >= 0 && rows >= 0 && first <= all && rows <= all - first) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "first", -1,
                       "%lld rows from row %lld on are not within the matrix's %lld",
                       (long long)rows, (long long)first, (long long)all);
}

static tulle_status room_for(tulle_ctx *ctx, int64_t count, int64_t size, void **room) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 1, &bytes));
    *room = tulle__host_alloc(ctx, bytes);
    return *room ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static tulle_status read_arrays(tulle_ctx *ctx, const tulle_mat *csr, const tulle_mat_info *about,
                                copies *host) {
    const tulle_index index = about->index;
    TULLE__TRY(room_for(ctx, about->rows + 1, tulle_offset_size(index), &host->offsets));
    TULLE__TRY(room_for(ctx, about->nnz, tulle_index_size(index), &host->columns));
    TULLE__TRY(room_for(ctx, about->nnz, tulle_type_size(about->type), &host->values));
    return tulle_mat_read(ctx, csr, host->offsets, NULL, host->columns, host->values);
}

static tulle_status take(tulle_ctx *ctx, const tulle_mat_info *about, const copies *host,
                         int64_t first, int64_t rows, taken *own) {
    const int64_t wide = tulle_offset_size(about->index), narrow = tulle_index_size(about->index);
    const int64_t begin = tulle__get(host->offsets, wide, first);
    const int64_t nnz = tulle__get(host->offsets, wide, first + rows) - begin;
    TULLE__TRY(room_for(ctx, rows + 1, sizeof *own->offsets, (void **)&own->offsets));
    TULLE__TRY(room_for(ctx, nnz, sizeof *own->columns, (void **)&own->columns));
    for (int64_t i = 0; i <= rows; i++) {
        own->offsets[i] = tulle__get(host->offsets, wide, first + i) - begin;
    }
    for (int64_t k = 0; k < nnz; k++) {
        own->columns[k] = tulle__get(host->columns, narrow, begin + k);
    }
    own->values = (const char *)host->values + begin * tulle_type_size(about->type);
    return TULLE_OK;
}

tulle_status tulle_dist_mat_from_rows(tulle_ctx *ctx, tulle_comm *comm, const tulle_mat *from,
                                      int64_t first, int64_t rows, int64_t cols,
                                      tulle_dist_mat **A) {
    if (A) *A = NULL;
    TULLE__NEED(comm);
    copies host = {NULL, NULL, NULL};
    taken own = {NULL, NULL, NULL};
    tulle_mat *csr = NULL;
    tulle_mat_info about = {.cols = 0};
    tulle_status status = check(ctx, from, first, rows);
    if (status == TULLE_OK) status = tulle_mat_describe(from, &about);
    if (status == TULLE_OK) status = tulle__as_csr(ctx, from, about.index, false, &csr);
    if (status == TULLE_OK) status = tulle_mat_describe(csr, &about);
    if (status == TULLE_OK) status = read_arrays(ctx, csr, &about, &host);
    if (status == TULLE_OK) status = take(ctx, &about, &host, first, rows, &own);
    tulle_mat_destroy(csr);
    const tulle__agreement wide = {"number of columns of from", (uint64_t)about.cols};
    status = tulle__comm_agree(comm, function, status, &wide, 1);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_create(ctx, comm, rows, cols, own.offsets, own.columns, about.type,
                                       own.values, A);
    }
    if (ctx) {
        tulle__host_free(ctx, own.offsets);
        tulle__host_free(ctx, own.columns);
        tulle__host_free(ctx, host.offsets);
        tulle__host_free(ctx, host.columns);
        tulle__host_free(ctx, host.values);
    }
    return status;
}
