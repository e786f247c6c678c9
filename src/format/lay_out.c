/* SPDX-License-Identifier: Apache-2.0 */
#include "format/lay_out.h"

#include <inttypes.h>

bool tulle__layout_holds(const tulle__layout_job *job, int64_t slots) {
    bool narrow = tulle_offset_size(job->draft.index) == 4;
    return tulle__fill_holds(slots, job->draft.nnz, job->options.fill) &&
           (!narrow || slots <= INT32_MAX);
}

static tulle_status too_large(const tulle__layout_job *job, double slots) {
    const tulle__draft *d = &job->draft;
    bool bare = tulle__has(d->format, TULLE__SINGLE);
    double fill = job->options.fill > 0 ? job->options.fill : TULLE__MOST_FILL;
    int64_t item = tulle_type_size(d->type) + (bare ? 0 : tulle_index_size(d->index));
    char needed[TULLE__HUMAN];
    tulle__human_bytes(slots * (double)item, needed);
    return tulle__fail(TULLE_TOO_LARGE, job->function, "format", -1,
                       "as %s, %" PRId64
                       " entries would take %.4g slots (%s): more than %g for "
                       "each entry (options: fill), or than the index type holds; take another "
                       "format",
                       tulle_format_name(d->format), d->nnz, slots, needed, fill);
}

tulle_status tulle__layout_fits(const tulle__layout_job *job, int64_t slots) {
    bool fits = job->forecast || tulle__layout_holds(job, slots);
    return fits ? TULLE_OK : too_large(job, (double)slots);
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
    size_t bytes = tulle__bytes(job->csr.rows, tulle_index_size(job->csr.index));
    TULLE__TRY(tulle__alloc(ctx, bytes, order));
    tulle_status status = ctx->backend->format->order_rows(&ctx->place, &job->csr, window, *order);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *order);
    *order = NULL;
    return status;
}

/* Reads number i of an array into host memory; waits for the device. */
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
    const tulle__pattern_view *csr = &job->csr;
    int64_t size = tulle_offset_size(csr->index), row = 0, begin = 0, end = 0;
    TULLE__TRY(read_number(job->ctx, order, tulle_index_size(csr->index), p, &row));
    TULLE__TRY(read_number(job->ctx, csr->offsets, size, row, &begin));
    TULLE__TRY(read_number(job->ctx, csr->offsets, size, row + 1, &end));
    *length = end - begin;
    return TULLE_OK;
}

tulle_status tulle__wide_offsets(tulle__layout_job *job, int64_t count, const void *order,
                                 int64_t **offsets, int64_t *last) {
    tulle_ctx *ctx = job->ctx;
    tulle__pattern_view laid = tulle__draft_view(&job->draft);
    if (laid.index == TULLE_I32) laid.index = TULLE_I64_I32;
    laid.order = order;
    laid.rows = job->csr.rows;
    size_t bytes;
    TULLE__TRY(tulle__size(count + 1, sizeof **offsets, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)offsets));
    tulle_status status =
        ctx->backend->format->layout_offsets(&ctx->place, &job->csr, &laid, *offsets, last);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *offsets);
    *offsets = NULL;
    return status;
}

tulle_status tulle__keep_offsets(tulle__layout_job *job, const int64_t *wide, int64_t count) {
    return job->ctx->backend->format->convert_indices(&job->ctx->place, count, 8, wide,
                                                      tulle_offset_size(job->draft.index),
                                                      job->draft.arrays.offsets, 0);
}

tulle_status tulle__lay_out_none(tulle__layout_job *job) {
    job->draft.storage.stored = job->csr.nnz;
    return TULLE_OK;
}

tulle_status tulle__lay_out(tulle__layout_job *job) {
    switch (job->draft.format) {
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    case TULLE_##number:                                                                           \
        return tulle__lay_out_##lay_out(job);
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return TULLE_OK;
}

tulle__layout_job tulle__layout_job_for(tulle_ctx *ctx, const char *function,
                                        const tulle__pattern_view *csr, const tulle__stats *stats,
                                        tulle_type type, tulle_format format,
                                        const tulle_convert_options *options) {
    return (tulle__layout_job){.function = function,
                               .ctx = ctx,
                               .csr = *csr,
                               .stats = stats,
                               .options = *options,
                               .draft = {.ctx = ctx,
                                         .rows = csr->rows,
                                         .cols = csr->cols,
                                         .nnz = csr->nnz,
                                         .format = format,
                                         .index = csr->index,
                                         .type = type}};
}

tulle_status tulle__layout_forecast(tulle_ctx *ctx, const char *function,
                                    const tulle__pattern_view *csr, const tulle__stats *stats,
                                    tulle_type type, tulle_format format,
                                    const tulle_convert_options *options, tulle_storage *storage) {
    tulle__layout_job job = tulle__layout_job_for(ctx, function, csr, stats, type, format, options);
    bool compressed = tulle__has(csr->format, TULLE__COMPRESSED);
    bool none = (tulle__has(format, TULLE__SINGLE) && !stats->rising) ||
                (compressed && !tulle__has(format, TULLE__BY_LENGTHS));
    job.forecast = true;
    if (compressed) job.csr.rows = csr->storage.heads;
    tulle_status status = none ? TULLE_UNSUPPORTED : tulle__lay_out(&job);
    tulle__free(ctx, job.places);
    *storage = job.draft.storage;
    if (status == TULLE_TOO_LARGE) *storage = (tulle_storage){.stored = INT64_MAX};
    return status;
}
