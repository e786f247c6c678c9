/* SPDX-License-Identifier: Apache-2.0 */
/* BSR: the CSR form of the blocks that have an entry. */
#include "format/lay_out.h"

#include <math.h>

/* The number of blocks with an entry, and the start of each block row. */
typedef struct blocks {
    int64_t count;
    int64_t *offsets;
} blocks;

static int64_t block_rows(const tulle__layout_job *job) {
    return tulle__ceil_div(job->draft.rows, tulle__block_rows(&job->draft.storage));
}

static tulle_status find_blocks(tulle__layout_job *job, blocks *b) {
    *b = (blocks){.count = 0};
    return tulle__wide_offsets(job, block_rows(job), NULL, &b->offsets, &b->count);
}

/* Returns the bytes of a layout of square blocks that a product must read. */
static double bytes_of(const tulle__layout_job *job, int64_t size, int64_t count) {
    double cells = (double)size * (double)size;
    bool full = (double)count * cells <= (double)job->draft.nnz;
    double mask = full ? 0 : 4 * (double)tulle__mask_words(size * size);
    double offsets = (double)job->draft.rows / (double)size;
    return (double)count * (cells * (double)tulle_type_size(job->draft.type) + mask +
                            (double)tulle_index_size(job->draft.index)) +
           offsets * (double)tulle_offset_size(job->draft.index);
}

/* Chooses the size of square blocks whose layout takes the fewest bytes. */
static tulle_status choose(tulle__layout_job *job, int64_t *size) {
    static const int sizes[] = TULLE__BLOCK_SIZES;
    int64_t counts[TULLE__BLOCK_SIZE_COUNT];
    TULLE__TRY(job->ctx->backend->format->count_blocks(&job->ctx->place, &job->csr, counts));
    double least = INFINITY;
    for (int i = 0; i < TULLE__BLOCK_SIZE_COUNT; i++) {
        double bytes = bytes_of(job, sizes[i], counts[i]);
        if (bytes >= least) continue;
        least = bytes;
        *size = sizes[i];
    }
    return TULLE_OK;
}

static tulle_status lay_out(tulle__layout_job *job, const blocks *b) {
    tulle__draft *d = &job->draft;
    tulle_storage *s = &d->storage;
    TULLE__TRY(tulle__slots(job, b->count, tulle__block_cells(s), &s->stored));
    s->full = s->stored == d->nnz;
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    TULLE__TRY(tulle__keep_offsets(job, b->offsets, block_rows(job) + 1));
    tulle__pattern_view laid = tulle__draft_view(d);
    return job->ctx->backend->format->list_blocks(&job->ctx->place, &job->csr, &laid,
                                                  d->arrays.cols_of);
}

static tulle_status check_option(const tulle__layout_job *job, const char *name, int64_t number) {
    if (number >= 0 && number <= TULLE__MOST_BLOCK) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                       "options: %s is %lld; it must be 1 to %d, or 0 for the default", name,
                       (long long)number, TULLE__MOST_BLOCK);
}

static tulle_status check_options(const tulle__layout_job *job) {
    const tulle_convert_options *o = &job->options;
    TULLE__TRY(check_option(job, "block", o->block));
    TULLE__TRY(check_option(job, "block_cols", o->block_cols));
    if (o->block > 0 || o->block_cols == 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                       "options: block_cols is %lld and block is not given: give the rows of a "
                       "block, too",
                       (long long)o->block_cols);
}

tulle_status tulle__lay_out_bsr(tulle__layout_job *job) {
    tulle_storage *s = &job->draft.storage;
    blocks b;
    TULLE__TRY(check_options(job));
    s->block = job->options.block;
    if (s->block == 0) TULLE__TRY(choose(job, &s->block));
    s->block_cols = job->options.block_cols > 0 ? job->options.block_cols : s->block;
    TULLE__TRY(find_blocks(job, &b));
    tulle_status status = lay_out(job, &b);
    tulle__free(job->ctx, b.offsets);
    return status;
}
