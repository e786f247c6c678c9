/* SPDX-License-Identifier: Apache-2.0 */
/* DIA (Bell and Garland 2009): every diagonal with an entry, whole. */
#include "matrix/layout.h"

/* As many diagonals as the limit on slots lets pass, and no more than there are entries. */
static int64_t most_diagonals(const tulle__layout_job *job) {
    const tulle__pattern *csr = tulle__job_csr(job);
    int64_t low = 0, high = csr->nnz;
    while (low < high) {
        int64_t middle = high - (high - low) / 2, slots = 0;
        bool fits = !__builtin_mul_overflow(middle, tulle__stride_of(csr->rows), &slots) &&
                    tulle__layout_holds(job, slots);
        if (fits) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static tulle_status plan(tulle__layout_job *job, const void *diagonals, int64_t count) {
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

/* Diagonals are found in a table of all that the shape allows; a backend may take eight bytes for
 * each. */
static tulle_status check_table(const tulle__pattern_view *csr) {
    int64_t all = csr->cols < INT64_MAX - csr->rows ? csr->rows + csr->cols : INT64_MAX;
    size_t bytes;
    return tulle__size(all, 8, 0, &bytes);
}

tulle_status tulle__plan_dia(tulle__layout_job *job) {
    tulle__pattern_view csr = tulle__view_of(tulle__job_csr(job));
    TULLE__TRY(check_table(&csr));
    int64_t most = most_diagonals(job), count = 0;
    void *diagonals = NULL;
    TULLE__TRY(tulle__alloc(job->ctx, tulle__bytes(most, tulle_index_size(csr.index)), &diagonals));
    tulle_status status =
        job->ctx->backend->find_diagonals(&job->ctx->place, &csr, most, diagonals, &count);
    if (status == TULLE_OK) status = plan(job, diagonals, count);
    tulle__free(job->ctx, diagonals);
    return status;
}
