/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/layout.h"

#include <inttypes.h>

/* tulle/formats.h: the default of `fill`, and what is always fine. */
static const double default_fill = 10;
enum { FREE_SLOTS = 65536 };

const tulle__pattern *tulle__job_csr(const tulle__layout_job *job) {
    return job->csr->pattern;
}

static double fill_of(const tulle__layout_job *job) {
    return job->options.fill > 0 ? job->options.fill : default_fill;
}

bool tulle__layout_holds(const tulle__layout_job *job, int64_t slots) {
    bool narrow = tulle_offset_size(job->draft.index) == 4;
    return (slots <= FREE_SLOTS || (double)slots <= fill_of(job) * (double)job->draft.nnz) &&
           (!narrow || slots <= INT32_MAX);
}

static tulle_status too_large(const tulle__layout_job *job, double slots) {
    const tulle__draft *d = &job->draft;
    bool bare = d->format == TULLE_DIA || d->format == TULLE_BSR;
    int64_t item = tulle_type_size(d->type) + (bare ? 0 : tulle_index_size(d->index));
    char needed[TULLE__HUMAN];
    tulle__human_bytes(slots * (double)item, needed);
    return tulle__fail(TULLE_TOO_LARGE, job->function, "format", -1,
                       "as %s, %" PRId64
                       " entries would take %.4g slots (%s): more than %g for "
                       "each entry (options: fill), or than the index type holds; take another "
                       "format",
                       tulle_format_name(d->format), d->nnz, slots, needed, fill_of(job));
}

tulle_status tulle__layout_fits(const tulle__layout_job *job, int64_t slots) {
    return tulle__layout_holds(job, slots) ? TULLE_OK : too_large(job, (double)slots);
}

tulle_status tulle__slots(const tulle__layout_job *job, int64_t a, int64_t b, int64_t *slots) {
    if (!__builtin_mul_overflow(a, b, slots)) return TULLE_OK;
    return too_large(job, (double)a * (double)b);
}

static tulle_status set_bytes(tulle__layout_job *job, void *array, int byte, int64_t count,
                              int64_t size) {
    if (!array || count == 0) return TULLE_OK;
    return job->ctx->backend->set_bytes(&job->ctx->place, array, byte, tulle__bytes(count, size));
}

tulle_status tulle__layout_alloc(tulle__layout_job *job) {
    tulle__draft *d = &job->draft;
    TULLE__TRY(tulle__layout_fits(job, d->storage.stored));
    if (job->forecast) return TULLE_OK;
    TULLE__TRY(tulle__draft_alloc(d));
    tulle_mat_lengths n = tulle__counts(d->format, d->rows, d->cols, &d->storage);
    TULLE__TRY(set_bytes(job, d->arrays.cols_of, 0xff, n.cols, tulle_index_size(d->index)));
    TULLE__TRY(set_bytes(job, d->arrays.mask, 0, n.mask, 4));
    return set_bytes(job, d->values, 0, n.values, tulle_type_size(d->type));
}

tulle_status tulle__layout_order(tulle__layout_job *job, int64_t window, void **order) {
    tulle_ctx *ctx = job->ctx;
    tulle__pattern_view csr = tulle__view_of(tulle__job_csr(job));
    TULLE__TRY(tulle__alloc(ctx, tulle__bytes(csr.rows, tulle_index_size(csr.index)), order));
    tulle_status status = ctx->backend->order_rows(&ctx->place, &csr, window, *order);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *order);
    *order = NULL;
    return status;
}

/* Reads number i of an array; waits. */
static tulle_status read_number(tulle_ctx *ctx, const void *array, int64_t size, int64_t i,
                                int64_t *number) {
    int32_t narrow = 0;
    void *to = size == 4 ? (void *)&narrow : number;
    const char *from = (const char *)array + i * size;
    TULLE__TRY(tulle__copy_wait(ctx, to, from, (size_t)size));
    if (size == 4) *number = narrow;
    return TULLE_OK;
}

tulle_status tulle__length_at(tulle__layout_job *job, const void *order, int64_t p,
                              int64_t *length) {
    const tulle__pattern *csr = tulle__job_csr(job);
    int64_t size = tulle_offset_size(csr->index), row = 0, begin = 0, end = 0;
    TULLE__TRY(read_number(job->ctx, order, tulle_index_size(csr->index), p, &row));
    TULLE__TRY(read_number(job->ctx, csr->offsets.data, size, row, &begin));
    TULLE__TRY(read_number(job->ctx, csr->offsets.data, size, row + 1, &end));
    *length = end - begin;
    return TULLE_OK;
}

tulle_status tulle__wide_offsets(tulle__layout_job *job, int64_t count, const void *order,
                                 int64_t **offsets, int64_t *last) {
    tulle_ctx *ctx = job->ctx;
    tulle__pattern_view csr = tulle__view_of(tulle__job_csr(job));
    tulle__pattern_view laid = tulle__draft_view(&job->draft);
    if (laid.index == TULLE_I32) laid.index = TULLE_I64_I32;
    laid.order = order;
    size_t bytes;
    TULLE__TRY(tulle__size(count + 1, sizeof **offsets, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)offsets));
    tulle_status status = ctx->backend->layout_offsets(&ctx->place, &csr, &laid, *offsets, last);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *offsets);
    *offsets = NULL;
    return status;
}

tulle_status tulle__keep_offsets(tulle__layout_job *job, const int64_t *wide, int64_t count) {
    return job->ctx->backend->convert_indices(&job->ctx->place, count, 8, wide,
                                              tulle_offset_size(job->draft.index),
                                              job->draft.arrays.offsets, 0);
}

static tulle_status plan(tulle__layout_job *job) {
    switch (job->draft.format) {
        case TULLE_SELL:
            return tulle__plan_sell(job);
        case TULLE_HYB:
        case TULLE_CSR_COO:
            return tulle__plan_hyb(job);
        case TULLE_JDS:
        case TULLE_JDS_ELL:
            return tulle__plan_jds(job);
        case TULLE_DIA:
            return tulle__plan_dia(job);
        case TULLE_BSR:
            return tulle__plan_bsr(job);
        case TULLE_PACKED:
            return tulle__plan_packed(job);
        default:
            return tulle__plan_ell(job);
    }
}

/* PACKED lacks nothing but its values. */
static tulle_status fill(tulle__layout_job *job) {
    static const tulle__pattern_arrays none = {0};
    tulle_ctx *ctx = job->ctx;
    tulle__draft *d = &job->draft;
    const tulle__pattern_arrays *out = d->format == TULLE_PACKED ? &none : &d->arrays;
    tulle__pattern_view csr = tulle__view_of(tulle__job_csr(job)), laid = tulle__draft_view(d);
    TULLE__TRY(ctx->backend->fill_layout(&ctx->place, &csr, d->type, job->csr->values.data, &laid,
                                         job->clipped, out, d->values));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static tulle_status make(tulle__layout_job *job, tulle_mat **B) {
    tulle_status status = plan(job);
    if (status == TULLE_OK) status = fill(job);
    tulle__free(job->ctx, job->places);
    if (status != TULLE_OK) {
        tulle__draft_free(&job->draft);
        return status;
    }
    return tulle__draft_finish(&job->draft, &tulle__job_csr(job)->stats, B);
}

static tulle_status lay_out(tulle__layout_job *job, void **clipped, tulle_mat **B) {
    tulle_status status = make(job, B);
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

static tulle__layout_job job_for(tulle_ctx *ctx, const char *function, const tulle_mat *csr,
                                 tulle_format format, const tulle_convert_options *options) {
    const tulle__pattern *p = csr->pattern;
    return (tulle__layout_job){.function = function,
                               .ctx = ctx,
                               .csr = csr,
                               .options = *options,
                               .draft = {.ctx = ctx,
                                         .rows = p->rows,
                                         .cols = p->cols,
                                         .nnz = p->nnz,
                                         .format = format,
                                         .index = p->index,
                                         .type = csr->type}};
}

tulle_status tulle__layout_forecast(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                    tulle_type type, tulle_format format,
                                    const tulle_convert_options *options, tulle_storage *storage) {
    tulle_mat A = {.ctx = ctx, .pattern = csr, .type = type}; /* of which no values are needed */
    tulle__layout_job job = job_for(ctx, function, &A, format, options);
    job.forecast = true;
    tulle_status status = plan(&job);
    tulle__free(ctx, job.places);
    *storage = job.draft.storage;
    return status;
}

tulle_status tulle__to_layout(tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              tulle_format format, tulle_index index,
                              const tulle_convert_options *options, void **clipped, tulle_mat **B) {
    TULLE__TRY(check_fill(function, options->fill));
    bool sum = format == TULLE_DIA || format == TULLE_BSR ||
               (options->flags & (unsigned)TULLE_SUM_DUPLICATES);
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, index, sum, &csr));
    tulle__layout_job job = job_for(ctx, function, csr, format, options);
    tulle_status status = lay_out(&job, clipped, B);
    tulle_mat_destroy(csr);
    return status;
}
