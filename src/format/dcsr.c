/* SPDX-License-Identifier: Apache-2.0 */
/* DCSR (Buluc and Gilbert, IPDPS 2008: doubly compressed): a CSR of only the rows that have
 * entries. */
#include "format/lay_out.h"

static tulle_status list_heads(tulle__layout_job *job, void *rows_of) {
    const tulle__place *place = &job->ctx->place;
    const tulle__format_functions *format = job->ctx->backend->format;
    tulle__draft *d = &job->draft;
    int64_t heads = 0;
    TULLE__TRY(format->expand_offsets(place, &job->csr, rows_of));
    return format->list_heads(place, d->index, d->nnz, rows_of, d->arrays.order, d->arrays.offsets,
                              NULL, &heads);
}

tulle_status tulle__lay_out_dcsr(tulle__layout_job *job) {
    tulle__draft *d = &job->draft;
    d->storage.heads = d->rows - job->stats->empty_rows;
    d->storage.stored = d->nnz;
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    void *rows_of = NULL;
    TULLE__TRY(tulle__alloc(job->ctx, tulle__bytes(d->nnz, tulle_index_size(d->index)), &rows_of));
    tulle_status status = list_heads(job, rows_of);
    tulle__free(job->ctx, rows_of);
    return status;
}
