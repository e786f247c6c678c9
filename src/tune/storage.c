/* SPDX-License-Identifier: Apache-2.0 */
/* How a form would be laid out, found more cheaply than by making it. */
#include "matrix/layout.h"
#include "tune/contest.h"

/* Rows of a sample: whole blocks of all sizes up to 6, and of 8 and 16. */
enum { SAMPLE = 48 * 1024, SAMPLE_UNIT = 48 };

/* Rows in the middle of a pattern, whole blocks of any size in the list of sizes from their first.
 */
static tulle__pattern_view sample_of(const tulle__pattern *csr) {
    tulle__pattern_view view = tulle__view_of(csr);
    if (csr->rows <= SAMPLE) return view;
    int64_t first = (csr->rows - SAMPLE) / 2 / SAMPLE_UNIT * SAMPLE_UNIT;
    view.rows = SAMPLE;
    view.offsets = (const char *)view.offsets + first * tulle_offset_size(view.index);
    return view;
}

/* All sizes at once, and once for a pattern: to find out costs a wait. */
static tulle_status count_blocks(tulle_ctx *ctx, tulle__pattern *csr) {
    if (csr->sampled) return TULLE_OK;
    tulle__pattern_view view = sample_of(csr);
    TULLE__TRY(ctx->backend->count_blocks(&ctx->place, &view, csr->block_counts));
    csr->sampled = true;
    return TULLE_OK;
}

static int64_t blocks_of_size(const tulle__pattern *csr, int64_t size) {
    static const int sizes[] = TULLE__BLOCK_SIZES;
    int i = 0;
    while (sizes[i] != size) i++;
    return csr->block_counts[i];
}

/* As full of entries everywhere as in the sample. */
static tulle_status forecast_bsr(tulle_ctx *ctx, tulle__pattern *csr, int64_t size,
                                 tulle_storage *s) {
    TULLE__TRY(count_blocks(ctx, csr));
    int64_t blocks = blocks_of_size(csr, size), entries = blocks_of_size(csr, 1);
    if (entries == 0) return TULLE_UNSUPPORTED;
    double cells = (double)blocks * (double)(size * size);
    double all = (double)csr->nnz * cells / (double)entries / (double)(size * size);
    if (all * (double)(size * size) > (double)INT64_MAX / 64) return TULLE_TOO_LARGE;
    s->stored = (int64_t)all * size * size;
    s->full = cells <= (double)entries;
    return TULLE_OK;
}

/* Diagonals of the sample are not all there are. */
static tulle_status count_diagonals(tulle_ctx *ctx, const tulle__pattern *csr, int64_t *count) {
    tulle__pattern_view view = sample_of(csr);
    return ctx->backend->find_diagonals(&ctx->place, &view, 0, NULL, count);
}

/* More than twice the slots that there are entries: no product gains then. */
static bool mostly_padding(const tulle__pattern *csr, double slots) {
    return slots > 2 * (double)csr->nnz + 65536;
}

static double slots_of(const tulle__pattern *csr, int64_t diagonals) {
    return (double)diagonals * (double)tulle__stride_of(csr->rows);
}

static tulle_status forecast_dia(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                 tulle_type type, const tulle__form_key *key, tulle_storage *s) {
    int64_t diagonals = 0;
    if (csr->rows > SAMPLE) TULLE__TRY(count_diagonals(ctx, csr, &diagonals));
    if (mostly_padding(csr, slots_of(csr, diagonals))) return TULLE_TOO_LARGE;
    return tulle__layout_forecast(ctx, function, csr, type, TULLE_DIA, &key->options, s);
}

static void without_padding(const tulle__pattern *csr, const tulle__form_key *key,
                            tulle_storage *s) {
    int64_t size = key->options.block, stride = tulle__stride_of(csr->rows);
    s->stored = s->head = csr->nnz;
    s->slice = 32;
    s->window = 1;
    s->block = size;
    s->full = true;
    s->stride = stride;
    s->width = stride > 0 ? tulle__ceil_div(csr->nnz, stride) : 0;
    if (key->format == TULLE_DIA) s->stored = s->width * stride;
    if (key->format == TULLE_BSR) s->stored = tulle__ceil_div(csr->nnz, size * size) * size * size;
}

tulle_status tulle__forecast_storage(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                     tulle_type type, const tulle__form_key *key, bool hopeful,
                                     tulle_storage *storage) {
    *storage = (tulle_storage){.stored = csr->nnz, .block = key->options.block};
    if (tulle__is_list(key->format)) return TULLE_OK;
    bool must_rise = key->format == TULLE_DIA || key->format == TULLE_BSR;
    if (must_rise && !csr->stats.rising) return TULLE_UNSUPPORTED;
    if (hopeful) {
        without_padding(csr, key, storage);
        return TULLE_OK;
    }
    if (key->format == TULLE_BSR) return forecast_bsr(ctx, csr, key->options.block, storage);
    if (key->format == TULLE_DIA) return forecast_dia(ctx, function, csr, type, key, storage);
    TULLE__TRY(
        tulle__layout_forecast(ctx, function, csr, type, key->format, &key->options, storage));
    bool padded = tulle__is_sliced(key->format) && mostly_padding(csr, (double)storage->stored);
    return padded ? TULLE_TOO_LARGE : TULLE_OK;
}
