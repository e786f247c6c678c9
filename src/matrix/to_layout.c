/* SPDX-License-Identifier: Apache-2.0 */
#include "format/lay_out.h"
#include "matrix/reformat.h"

/* Copies columns and values for formats that have them in the order of the CSR. */
static tulle_status copy_entries(tulle__layout_job *job, const void *csr_values) {
    const tulle__format_functions *format = job->ctx->backend->format;
    const tulle__place *place = &job->ctx->place;
    tulle__draft *d = &job->draft;
    int64_t size = tulle_index_size(d->index);
    TULLE__TRY(
        format->convert_indices(place, d->nnz, size, job->csr.cols_of, size, d->arrays.cols_of, 0));
    return format->convert_values(place, d->nnz, d->type, csr_values, d->type, d->values);
}

/* Fills in a layout; one with packed columns lacks nothing but its values. */
static tulle_status fill(tulle__layout_job *job, const void *csr_values) {
    static const tulle__pattern_arrays none = {0};
    tulle_ctx *ctx = job->ctx;
    tulle__draft *d = &job->draft;
    bool packed = tulle__format_of(d->format)->numbers & TULLE__HAS_CODED;
    tulle__pattern_view laid = tulle__draft_view(d);
    if (tulle__has(d->format, TULLE__AS_CSR)) {
        TULLE__TRY(copy_entries(job, csr_values));
        return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    TULLE__TRY(ctx->backend->format->fill_layout(&ctx->place, &job->csr, d->type, csr_values, &laid,
                                                 job->clipped, packed ? &none : &d->arrays,
                                                 d->values));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static tulle_status make(tulle__layout_job *job, const void *csr_values, tulle_mat **B) {
    tulle_status status = tulle__lay_out(job);
    if (status == TULLE_OK) status = fill(job, csr_values);
    tulle__free(job->ctx, job->places);
    if (status != TULLE_OK) {
        tulle__draft_free(&job->draft);
        return status;
    }
    return tulle__draft_finish(&job->draft, job->stats, B);
}

static tulle_status lay_out(tulle__layout_job *job, const void *csr_values, void **clipped,
                            tulle_mat **B) {
    tulle_status status = make(job, csr_values, B);
    if (clipped && status == TULLE_OK) {
        *clipped = job->clipped;
    } else {
        tulle__free(job->ctx, job->clipped);
    }
    return status;
}

static tulle_status check_fill(const char *function, double fill) {
    if (fill >= 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                       "options: fill is %g; it must be positive, or 0 for the default", fill);
}

tulle_status tulle__to_layout(tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              tulle_format format, tulle_index index,
                              const tulle_convert_options *options, void **clipped, tulle_mat **B) {
    TULLE__TRY(check_fill(function, options->fill));
    bool sum =
        tulle__has(format, TULLE__SINGLE) || (options->flags & (unsigned)TULLE_SUM_DUPLICATES);
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, index, sum, &csr));
    tulle__pattern_view view = tulle__view_of(csr->pattern);
    tulle__layout_job job = tulle__layout_job_for(ctx, function, &view, &csr->pattern->stats,
                                                  csr->type, format, options);
    tulle_status status = lay_out(&job, csr->values.data, clipped, B);
    tulle_mat_destroy(csr);
    return status;
}

tulle_status tulle__mat_forecast(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                 const tulle_convert_options *options, tulle_storage *storage) {
    tulle__pattern_view view = tulle__view_of(A->pattern);
    return tulle__layout_forecast(ctx, __func__, &view, &A->pattern->stats, A->type, format,
                                  options, storage);
}
