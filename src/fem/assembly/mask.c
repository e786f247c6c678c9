/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a pattern that a mask changes. */
#include "fem/assembly/assembly.h"
#include "fem/functions.h"
#include "format/functions.h"

/* Scratch: the row of each entry, and how many masked ones stand before it. */
typedef struct scratch {
    void *rows_of, *before;
} scratch;

static tulle_status open_scratch(tulle_ctx *ctx, const tulle__pattern_view *csr, scratch *s) {
    size_t bytes;
    TULLE__TRY(tulle__size(csr->nnz, tulle_index_size(csr->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &s->rows_of));
    TULLE__TRY(tulle__size(csr->nnz + 1, sizeof(int64_t), 0, &bytes));
    return tulle__alloc(ctx, bytes, &s->before);
}

static tulle_status list(tulle_assembly *S, tulle__masked_job *job) {
    tulle_ctx *ctx = S->ctx;
    void *slots = NULL, *what = NULL, *zeros = NULL;
    job->host_count = &S->masked_count;
    TULLE__TRY(ctx->backend->format->expand_offsets(&ctx->place, &job->csr, (void *)job->rows_of));
    TULLE__TRY(ctx->backend->fem->count_masked(&ctx->place, job));
    TULLE__TRY(tulle__assembly_alloc(S, S->masked_count, sizeof *job->slots, &slots));
    S->masked_slots = job->slots = slots;
    TULLE__TRY(tulle__assembly_alloc(S, S->masked_count, sizeof *job->what, &what));
    S->masked_what = job->what = what;
    TULLE__TRY(tulle__assembly_alloc(S, 1, sizeof *S->masked_zeros, &zeros));
    S->masked_zeros = zeros;
    TULLE__TRY(ctx->backend->set_bytes(&ctx->place, zeros, 0, sizeof *S->masked_zeros));
    return ctx->backend->fem->list_masked(&ctx->place, job);
}

tulle_status tulle__assembly_mask(tulle_assembly *S, const tulle__pattern_view *csr,
                                  int64_t ell_stride) {
    scratch s = {0};
    if (csr->nnz == 0) return TULLE_OK;
    tulle_status status = open_scratch(S->ctx, csr, &s);
    if (status == TULLE_OK) {
        tulle__masked_job job = {.csr = *csr,
                                 .rows_of = s.rows_of,
                                 .masked = S->masked,
                                 .unknowns = S->block,
                                 .ell_stride = ell_stride,
                                 .count_before = s.before};
        status = list(S, &job);
    }
    tulle__free(S->ctx, s.before);
    tulle__free(S->ctx, s.rows_of);
    return status;
}
