/* SPDX-License-Identifier: Apache-2.0 */
/* DIA (Bell and Garland 2009): each diagonal with an entry is stored whole. */
#include "format/lay_out.h"

static bool fits(const tulle__layout_job *job, int64_t diagonals) {
    int64_t slots = 0;
    return !__builtin_mul_overflow(diagonals, tulle__stride_of(job->csr.rows), &slots) &&
           tulle__layout_holds(job, slots);
}

/* Returns the most diagonals that the limit on slots allows, at most the number of entries. */
static int64_t most_diagonals(const tulle__layout_job *job) {
    int64_t first = 1;
    TULLE__LOWER_BOUND(first, job->csr.nnz + 1, i, fits(job, i));
    return first - 1;
}

static tulle_status lay_out(tulle__layout_job *job, const void *diagonals, int64_t count) {
    tulle__draft *d = &job->draft;
    tulle_storage *s = &d->storage;
    s->width = count;
    s->stride = tulle__stride_of(d->rows);
    TULLE__TRY(tulle__slots(job, s->width, s->stride, &s->stored));
    TULLE__TRY(tulle__layout_alloc(job));
    if (job->forecast) return TULLE_OK;
    return job->ctx->backend->copy(&job->ctx->place, d->arrays.cols_of, diagonals,
                                   tulle__bytes(count, tulle_index_size(d->index)));
}

/* Limits of the table that finds diagonals, in a forecast. The table has an element for each
 * diagonal of the shape; a back end may take eight bytes per element. FINE_TABLE: bytes of a table
 * that is always allowed. FINE_AN_ENTRY: further bytes per entry of the matrix. */
enum { FINE_TABLE = 512 << 20, FINE_AN_ENTRY = 128 };

static tulle_status check_table(const tulle__layout_job *job) {
    const tulle__pattern_view *csr = &job->csr;
    int64_t all = csr->cols < INT64_MAX - csr->rows ? csr->rows + csr->cols : INT64_MAX;
    size_t bytes;
    TULLE__TRY(tulle__size(all, 8, 0, &bytes));
    bool large = (double)all > FINE_TABLE + FINE_AN_ENTRY * (double)csr->nnz;
    if (!job->forecast || !large) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, job->function, "format", -1,
                       "a table of the diagonals of so large a matrix is not worth its memory");
}

tulle_status tulle__lay_out_dia(tulle__layout_job *job) {
    TULLE__TRY(check_table(job));
    int64_t most = most_diagonals(job), count = 0;
    void *diagonals = NULL;
    TULLE__TRY(
        tulle__alloc(job->ctx, tulle__bytes(most, tulle_index_size(job->csr.index)), &diagonals));
    tulle_status status = job->ctx->backend->format->find_diagonals(&job->ctx->place, &job->csr,
                                                                    most, diagonals, &count);
    if (status == TULLE_OK) status = lay_out(job, diagonals, count);
    tulle__free(job->ctx, diagonals);
    return status;
}
