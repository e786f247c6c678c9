/* SPDX-License-Identifier: Apache-2.0 */
/* A distributed matrix of rows of local matrices, which are split in the place's memory. */
#include "dist/sift.h"

#include "dist/functions.h"
#include "dist/rows.h"
#include "matrix/build.h"
#include "matrix/result.h"

/* Everything that is made on the way. */
typedef struct making {
    const tulle__local_part *part;
    tulle__sift_job job;
    tulle__draft block, edge;
    int64_t counted[2]; /* numbers of rows of the edge, and of its entries */
    void *names;        /* memory of job.names */
} making;

/* Returns the number of entries before a row. Waits. */
static tulle_status read_offset(tulle_ctx *ctx, const tulle_mat *L, int64_t row, int64_t *offset) {
    const int64_t size = tulle_offset_size(L->pattern->index);
    const char *offsets = L->pattern->offsets.data;
    TULLE__TRY(tulle__copy_wait(ctx, offset, offsets + row * size, (size_t)size));
    *offset = tulle__get(offset, size, 0);
    return TULLE_OK;
}

/* Counts the entries of the rows that are taken. Waits. */
static tulle_status count(tulle_ctx *ctx, const tulle__local_part *p, int64_t *nnz) {
    int64_t first = 0, end = 0;
    TULLE__TRY(read_offset(ctx, p->A, p->first, &first));
    TULLE__TRY(read_offset(ctx, p->A, p->first + p->rows, &end));
    *nnz = end - first;
    return TULLE_OK;
}

static tulle_status take_counters(tulle_ctx *ctx, tulle__sift_job *s) {
    const size_t rows = ((size_t)s->rows + 1) * sizeof *s->rows_before;
    const size_t others = (size_t)(s->local.cols - s->own) * sizeof *s->used;
    TULLE__TRY(tulle__alloc(ctx, rows, (void **)&s->rows_before));
    TULLE__TRY(tulle__alloc(ctx, rows, (void **)&s->entries_before));
    TULLE__TRY(tulle__alloc(ctx, others, (void **)&s->used));
    return others > 0 ? ctx->backend->set_bytes(&ctx->place, s->used, 0, others) : TULLE_OK;
}

/* Lists the other columns that have entries, and numbers them. used, names: room. */
static void list_used(const tulle__columns *all, const int *used, int64_t *names,
                      tulle_dist_mat *A) {
    for (int64_t k = 0; k < all->count; k++) {
        names[k] = A->halo.come_rows;
        if (used[k]) A->edge_col[A->halo.come_rows++] = all->others[k];
    }
}

static tulle_status name_others(tulle_dist_mat *A, making *m) {
    tulle_ctx *ctx = A->ctx;
    const tulle__columns *all = m->part->names;
    const size_t others = (size_t)all->count;
    int *used = tulle__host_alloc(ctx, others * sizeof *used + 1);
    int64_t *names = tulle__host_alloc(ctx, others * sizeof *names + 1);
    A->edge_col = tulle__host_alloc(ctx, others * sizeof *A->edge_col + 1);
    tulle_status status = used && names && A->edge_col ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = tulle__alloc(ctx, others * sizeof *names, &m->names);
    if (status == TULLE_OK && others > 0) {
        status = tulle__copy_wait(ctx, used, m->job.used, others * sizeof *used);
    }
    if (status == TULLE_OK) list_used(all, used, names, A);
    if (status == TULLE_OK && others > 0) {
        status = tulle__copy_wait(ctx, m->names, names, others * sizeof *names);
    }
    m->job.names = m->names;
    tulle__host_free(ctx, used);
    tulle__host_free(ctx, names);
    return status;
}

static tulle_status draft(const tulle_dist_mat *A, int64_t rows, int64_t cols, int64_t nnz,
                          tulle__draft *d, tulle__sifted *to) {
    const tulle_index index = tulle__local_index(rows, cols, nnz);
    *d = (tulle__draft){.ctx = A->ctx,
                        .rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .format = TULLE_CSR,
                        .index = index,
                        .type = A->type};
    TULLE__TRY(tulle__draft_alloc(d));
    *to = (tulle__sifted){tulle_offset_size(index), tulle_index_size(index), d->arrays.offsets,
                          d->arrays.cols_of, d->values};
    return TULLE_OK;
}

/* Takes memory for both matrices, and for the rows of the edge. */
static tulle_status draft_both(tulle_dist_mat *A, making *m) {
    const int64_t entries = m->counted[1];
    A->edge_rows = m->counted[0];
    TULLE__TRY(draft(A, A->rows, A->cols, A->nnz - entries, &m->block, &m->job.block));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(draft(A, A->edge_rows, A->halo.come_rows, entries, &m->edge, &m->job.edge));
    const size_t bytes = (size_t)A->edge_rows * sizeof *A->edge_row;
    TULLE__TRY(tulle__alloc(A->ctx, bytes, &A->edge_order));
    m->job.edge_row = A->edge_order;
    A->edge_row = tulle__host_alloc(A->ctx, bytes);
    return A->edge_row ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Makes matrices of both drafts, which then have no arrays. */
static tulle_status finish_both(tulle_dist_mat *A, making *m) {
    const bool rising = m->part->A->pattern->stats.rising;
    const tulle__asked block = {true, m->block.index}, edge = {true, m->edge.index};
    tulle__draft of_block = m->block, of_edge = m->edge;
    m->block = (tulle__draft){.ctx = A->ctx};
    TULLE__TRY(tulle__result_finish(&of_block, block, rising, &A->block));
    if (A->edge_rows == 0) return TULLE_OK;
    m->edge = (tulle__draft){.ctx = A->ctx};
    TULLE__TRY(tulle__result_finish(&of_edge, edge, rising, &A->edge));
    return tulle__copy_wait(A->ctx, A->edge_row, A->edge_order,
                            (size_t)A->edge_rows * sizeof *A->edge_row);
}

static tulle_status make_both(tulle_dist_mat *A, making *m) {
    const tulle__dist_functions *functions = A->ctx->backend->dist;
    const tulle__place *place = &A->ctx->place;
    TULLE__TRY(take_counters(A->ctx, &m->job));
    TULLE__TRY(functions->dist_count_others(place, &m->job, m->counted));
    TULLE__TRY(name_others(A, m));
    TULLE__TRY(draft_both(A, m));
    TULLE__TRY(functions->dist_sift(place, &m->job));
    return finish_both(A, m);
}

static void give_back(tulle_ctx *ctx, making *m) {
    tulle__free(ctx, m->job.rows_before);
    tulle__free(ctx, m->job.entries_before);
    tulle__free(ctx, m->job.used);
    tulle__free(ctx, m->names);
    if (m->block.ctx) tulle__draft_free(&m->block);
    if (m->edge.ctx) tulle__draft_free(&m->edge);
}

/* Makes the matrices of A from rows of a local one. */
static tulle_status sift(tulle_dist_mat *A, const void *given) {
    const tulle__local_part *part = given;
    making m = {.part = part,
                .job = {.local = tulle__view_of(part->A->pattern),
                        .values = part->A->values.data,
                        .type = A->type,
                        .first = part->first,
                        .rows = part->rows,
                        .lower = part->names->lower,
                        .own = part->cols}};
    const tulle_status status = make_both(A, &m);
    give_back(A->ctx, &m);
    TULLE__TRY(status);
    return tulle__dist_assemble(A);
}

tulle_status tulle__local_share(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                const tulle__local_part *part, tulle_dist_mat **A) {
    tulle__dist_sizes own = {part->rows, part->cols, 0, 0};
    if (here == TULLE_OK) here = count(ctx, part, &own.nnz);
    if (here == TULLE_OK) own.rising = part->A->pattern->stats.rising;
    const tulle__dist_making all = {NULL, &own, here == TULLE_OK ? part->A->type : TULLE_F64, sift,
                                    part};
    return tulle__dist_make(ctx, comm, here, &all, A);
}
