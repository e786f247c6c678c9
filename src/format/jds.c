/* SPDX-License-Identifier: Apache-2.0 */
/* JDS (jagged diagonals) and JDS-ELL: rows by falling length. JDS-ELL (GPU Teaching Kit) cuts
 * the rows into sections, each a transposed ELL; here a section is the rows whose lengths have
 * the same number of bits, so that less than half of it is padding. Rows without entries are in
 * no section. */
#include "format/lay_out.h"

/* Cuts the rows in `order` into sections; the histogram has the numbers of rows by the bits of
 * their lengths. */
static tulle_status cut_sections(tulle__layout_job *job, const void *order) {
    const tulle__stats *stats = job->stats;
    tulle_storage *s = &job->draft.storage;
    for (int bits = TULLE_SECTIONS - 1; bits > 0; bits--) {
        int64_t rows = stats->row_histogram[bits], width = 0, slots = 0;
        if (rows == 0) continue;
        int64_t first = s->section_row[s->sections];
        TULLE__TRY(tulle__length_at(job, order, first, &width));
        TULLE__TRY(tulle__slots(job, tulle__stride_of(rows), width, &slots));
        slots += s->section_at[s->sections];
        TULLE__TRY(tulle__layout_fits(job, slots));
        s->sections++;
        s->section_row[s->sections] = first + rows;
        s->section_at[s->sections] = slots;
    }
    s->stored = s->section_at[s->sections];
    return TULLE_OK;
}

static tulle_status keep_diagonals(tulle__layout_job *job, const void *order) {
    int64_t *offsets = NULL, last = 0, width = job->draft.storage.width;
    TULLE__TRY(tulle__wide_offsets(job, width, order, &offsets, &last));
    tulle_status status = tulle__keep_offsets(job, offsets, width + 1);
    tulle__free(job->ctx, offsets);
    return status;
}

static tulle_status lay_out(tulle__layout_job *job, const void *order) {
    tulle__draft *d = &job->draft;
    if (d->format == TULLE_JDS_ELL) {
        TULLE__TRY(cut_sections(job, order));
    } else {
        d->storage.width = job->stats->max_row;
        d->storage.stored = d->nnz;
    }
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    TULLE__TRY(job->ctx->backend->copy(&job->ctx->place, d->arrays.order, order,
                                       tulle__bytes(d->rows, tulle_index_size(d->index))));
    return d->format == TULLE_JDS ? keep_diagonals(job, order) : TULLE_OK;
}

tulle_status tulle__lay_out_jds(tulle__layout_job *job) {
    void *order = NULL;
    TULLE__TRY(tulle__layout_order(job, job->csr.rows > 0 ? job->csr.rows : 1, &order));
    tulle_status status = lay_out(job, order);
    tulle__free(job->ctx, order);
    return status;
}
