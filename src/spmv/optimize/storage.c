/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts the layout of a form more cheaply than by making it. */
#include "format/lay_out.h"
#include "spmv/optimize/contest.h"

/* Number of rows of a sample, and the number of which it is a multiple: blocks of 1 to 6, 8 and 16
 * rows fit into it without a remainder. */
enum { SAMPLE = 48 * 1024, SAMPLE_UNIT = 48 };

/* Takes rows in the middle of a pattern, whole blocks of any size in the list of sizes from
 * their first. */
static tulle__pattern_view sample_of(const tulle__pattern *csr) {
    tulle__pattern_view view = tulle__view_of(csr);
    if (csr->rows <= SAMPLE) return view;
    int64_t first = (csr->rows - SAMPLE) / 2 / SAMPLE_UNIT * SAMPLE_UNIT;
    view.rows = SAMPLE;
    view.offsets = (const char *)view.offsets + first * tulle_offset_size(view.index);
    return view;
}

/* Number of blocks of each of TULLE__BLOCK_SIZES in the sample: all sizes at once, and once for
 * a pattern, since finding out costs a wait. */
typedef struct block_sample {
    tulle__derived base;
    int64_t count[TULLE__BLOCK_SIZE_COUNT];
} block_sample;

static const tulle__owner block_samples = {.free = NULL};

static tulle_status count_blocks(tulle_ctx *ctx, tulle__pattern *csr, const block_sample **sample) {
    pthread_mutex_lock(&csr->lock);
    *sample = (const block_sample *)tulle__derived_first(csr, &block_samples);
    pthread_mutex_unlock(&csr->lock);
    if (*sample) return TULLE_OK;
    block_sample *made = tulle__derived_new(ctx, sizeof *made, &block_samples);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__pattern_view view = sample_of(csr);
    tulle_status status = ctx->backend->format->count_blocks(&ctx->place, &view, made->count);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->base);
        return status;
    }
    pthread_mutex_lock(&csr->lock);
    tulle__derived_put(csr, &made->base);
    pthread_mutex_unlock(&csr->lock);
    *sample = made;
    return TULLE_OK;
}

static int64_t blocks_of_size(const block_sample *sample, int64_t size) {
    static const int sizes[] = TULLE__BLOCK_SIZES;
    int i = 0;
    while (sizes[i] != size) i++;
    return sample->count[i];
}

/* Forecasts BSR: as full of entries everywhere as in the sample. */
static tulle_status forecast_bsr(tulle_ctx *ctx, tulle__pattern *csr, int64_t size,
                                 tulle_storage *s) {
    const block_sample *sample = NULL;
    TULLE__TRY(count_blocks(ctx, csr, &sample));
    int64_t blocks = blocks_of_size(sample, size), entries = blocks_of_size(sample, 1);
    if (entries == 0) return TULLE_UNSUPPORTED;
    double cells = (double)blocks * (double)(size * size);
    double all = (double)csr->nnz * cells / (double)entries / (double)(size * size);
    if (all * (double)(size * size) > (double)INT64_MAX / 64) return TULLE_TOO_LARGE;
    s->stored = (int64_t)all * size * size;
    s->full = cells <= (double)entries;
    return TULLE_OK;
}

/* Counts all diagonals; those of the sample are not all there are. */
static tulle_status count_diagonals(tulle_ctx *ctx, const tulle__pattern *csr, int64_t *count) {
    tulle__pattern_view view = sample_of(csr);
    return ctx->backend->format->find_diagonals(&ctx->place, &view, 0, NULL, count);
}

/* Checks that the diagonals of the sample alone are not too many. */
static tulle_status check_diagonals(tulle_ctx *ctx, const tulle__pattern *csr) {
    int64_t diagonals = 0, slots = 0;
    if (csr->rows <= SAMPLE) return TULLE_OK;
    TULLE__TRY(count_diagonals(ctx, csr, &diagonals));
    bool fits = !__builtin_mul_overflow(diagonals, tulle__stride_of(csr->rows), &slots) &&
                tulle__fill_holds(slots, csr->nnz, TULLE__GAINFUL_FILL);
    return fits ? TULLE_OK : TULLE_TOO_LARGE;
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
    if (size > 0) s->stored = tulle__ceil_div(csr->nnz, size * size) * size * size;
}

tulle_status tulle__forecast_storage(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                     tulle_type type, const tulle__form_key *key, bool hopeful,
                                     tulle_storage *storage) {
    *storage = (tulle_storage){.stored = csr->nnz, .block = key->options.block};
    if (tulle__has(key->format, TULLE__LIST)) return TULLE_OK;
    if (tulle__has(key->format, TULLE__SINGLE) && !csr->stats.rising) return TULLE_UNSUPPORTED;
    if (hopeful) {
        without_padding(csr, key, storage);
        return TULLE_OK;
    }
    if (key->options.block > 0) {
        TULLE__TRY(forecast_bsr(ctx, csr, key->options.block, storage));
    } else {
        tulle__pattern_view view = tulle__view_of(csr);
        if (key->format == TULLE_DIA) TULLE__TRY(check_diagonals(ctx, csr));
        TULLE__TRY(tulle__layout_forecast(ctx, function, &view, &csr->stats, type, key->format,
                                          &key->options, storage));
    }
    bool fits = tulle__fill_holds(storage->stored, csr->nnz, TULLE__GAINFUL_FILL);
    return fits ? TULLE_OK : TULLE_TOO_LARGE;
}
