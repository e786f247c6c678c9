/* SPDX-License-Identifier: Apache-2.0 */
/* SELL-C-sigma (Kreutzer et al., SIAM J. Sci. Comput. 2014): slices of C rows, each as wide as its
 * longest row; rows are sorted by length within windows of sigma rows. */
#include "format/lay_out.h"

enum { SLICE = 32, WINDOW_SLICES = 32 };

/* Sorting scatters the accesses to y, so it must save a share of 1 / WORTH of the slots. */
enum { WORTH = 20 };

/* True when sorting saves that share, and at least as many bytes as the order of the rows takes. */
static bool sorting_pays(const tulle__layout_job *job, int64_t plain, int64_t sorted) {
    const int64_t index = tulle_index_size(job->draft.index);
    const int64_t slot = index + tulle_type_size(job->draft.type);
    if (sorted > plain - plain / WORTH) return false;
    return plain - sorted >= tulle__ceil_div(job->draft.rows * index, slot);
}

static tulle_status check(const tulle__layout_job *job) {
    int64_t slice = job->options.slice, window = job->options.window;
    if (slice < 0 || slice > TULLE__MOST_SLICE) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                           "options: slice is %lld; it must be 1 to %d, or 0 for the default",
                           (long long)slice, TULLE__MOST_SLICE);
    }
    int64_t unit = slice ? slice : SLICE;
    if (window < 0 || (window > 1 && window % unit != 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                           "options: window is %lld; it must be 1 or a multiple of the slice, %lld",
                           (long long)window, (long long)unit);
    }
    return TULLE_OK;
}

/* A way to lay the rows out: the order of the rows (NULL: as they are) and the starts of the
 * slices. */
typedef struct way {
    int64_t window;
    void *order;
    int64_t *offsets;
    int64_t slots;
} way;

static void drop(const tulle__layout_job *job, const way *w) {
    tulle__free(job->ctx, w->offsets);
    tulle__free(job->ctx, w->order);
}

static tulle_status draw(tulle__layout_job *job, int64_t window, way *w) {
    *w = (way){.window = window};
    int64_t slices = tulle__ceil_div(job->draft.rows, job->draft.storage.slice);
    tulle_status status = TULLE_OK;
    if (window > 1) status = tulle__layout_order(job, window, &w->order);
    if (status == TULLE_OK) {
        status = tulle__wide_offsets(job, slices, w->order, &w->offsets, &w->slots);
    }
    if (status != TULLE_OK) drop(job, w);
    return status;
}

static tulle_status choose(tulle__layout_job *job, way *best) {
    int64_t slice = job->draft.storage.slice;
    if (job->options.window > 0) return draw(job, job->options.window, best);
    way plain;
    TULLE__TRY(draw(job, 1, &plain));
    if (!sorting_pays(job, plain.slots, job->draft.nnz)) {
        *best = plain;
        return TULLE_OK;
    }
    tulle_status status = draw(job, slice * WINDOW_SLICES, best);
    if (status != TULLE_OK) {
        drop(job, &plain);
        return status;
    }
    const bool worth = sorting_pays(job, plain.slots, best->slots);
    drop(job, worth ? &plain : best);
    if (!worth) *best = plain;
    return TULLE_OK;
}

static tulle_status keep(tulle__layout_job *job, const way *w) {
    tulle__draft *d = &job->draft;
    d->storage.window = w->window;
    d->storage.stored = w->slots;
    TULLE__TRY(tulle__layout_fits(job, w->slots));
    if (d->format == TULLE_PACKED) TULLE__TRY(tulle__packed_count(job, w->order));
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    int64_t slices = tulle__ceil_div(d->rows, d->storage.slice);
    TULLE__TRY(tulle__keep_offsets(job, w->offsets, slices + 1));
    if (!w->order) return TULLE_OK;
    return job->ctx->backend->copy(&job->ctx->place, d->arrays.order, w->order,
                                   tulle__bytes(d->rows, tulle_index_size(d->index)));
}

tulle_status tulle__lay_out_sell(tulle__layout_job *job) {
    TULLE__TRY(check(job));
    job->draft.storage.slice = job->options.slice ? job->options.slice : SLICE;
    way w = {0};
    TULLE__TRY(choose(job, &w));
    tulle_status status = keep(job, &w);
    drop(job, &w);
    return status;
}
