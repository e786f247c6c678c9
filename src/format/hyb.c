/* SPDX-License-Identifier: Apache-2.0 */
/* HYB and CSR+COO (GPU Teaching Kit): the first entries of each row are in ELL or CSR, the tails of
 * long rows in COO, so that one long row neither widens nor delays all others. */
#include <math.h>

#include "format/lay_out.h"

/* Computes the largest length that at least a third of the rows reach (Bell and Garland 2009). */
static tulle_status width_of_hyb(tulle__layout_job *job, int64_t *width) {
    *width = 0;
    if (job->draft.rows / 3 >= job->csr.rows) return TULLE_OK;
    void *order = NULL;
    TULLE__TRY(tulle__layout_order(job, job->csr.rows, &order));
    tulle_status status = tulle__length_at(job, order, job->draft.rows / 3, width);
    tulle__free(job->ctx, order);
    return status;
}

static int64_t width_of_csr(const tulle__stats *stats) {
    double width = ceil(stats->mean_row + 2 * stats->sd_row);
    return width < 1 ? 1 : (int64_t)width;
}

static tulle_status choose_width(tulle__layout_job *job, int64_t *width) {
    const tulle__stats *stats = job->stats;
    *width = job->options.width;
    if (*width < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                           "options: width is %lld; it must be positive, or 0 for the default",
                           (long long)*width);
    }
    if (*width == 0 && job->draft.format == TULLE_HYB) TULLE__TRY(width_of_hyb(job, width));
    if (*width == 0 && job->draft.format == TULLE_CSR_COO) *width = width_of_csr(stats);
    if (*width > stats->max_row) *width = stats->max_row;
    return TULLE_OK;
}

static tulle_status lay_out(tulle__layout_job *job, const int64_t *clipped, int64_t in_head) {
    tulle__draft *d = &job->draft;
    tulle_storage *s = &d->storage;
    s->head = in_head;
    if (d->format == TULLE_HYB) {
        s->stride = tulle__stride_of(d->rows);
        TULLE__TRY(tulle__slots(job, s->width, s->stride, &s->head));
    }
    s->stored = s->head + (job->csr.nnz - in_head);
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    size_t bytes;
    int64_t size = tulle_offset_size(d->index);
    TULLE__TRY(tulle__size(d->rows + 1, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(job->ctx, bytes, &job->clipped));
    TULLE__TRY(job->ctx->backend->format->convert_indices(&job->ctx->place, d->rows + 1, 8, clipped,
                                                          size, job->clipped, 0));
    return d->format == TULLE_CSR_COO ? tulle__keep_offsets(job, clipped, d->rows + 1) : TULLE_OK;
}

tulle_status tulle__lay_out_hyb(tulle__layout_job *job) {
    TULLE__TRY(choose_width(job, &job->draft.storage.width));
    int64_t *clipped = NULL, in_head = 0;
    TULLE__TRY(tulle__wide_offsets(job, job->csr.rows, NULL, &clipped, &in_head));
    tulle_status status = lay_out(job, clipped, in_head);
    tulle__free(job->ctx, clipped);
    return status;
}
