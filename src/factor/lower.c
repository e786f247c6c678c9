/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of L L^T where A's own rows determine the pattern: nothing goes through host
 * memory. */
#include "factor/functions.h"
#include "factor/object.h"
#include "format/draft.h"
#include "matrix/build.h"

/* Makes the pattern, which then owns the arrays; before that, and after a failure, they belong to
 * the task. */
static tulle_status put_pattern(tulle_ctx *ctx, const tulle__lower_task *task, tulle__symbolic *s) {
    static const tulle__array from_pool = {.ownership = TULLE_COPY};
    const tulle__pattern_view view = {.rows = s->n,
                                      .cols = s->n,
                                      .nnz = s->entries,
                                      .format = TULLE_CSR,
                                      .index = task->index,
                                      .storage = {.stored = s->entries},
                                      .offsets = task->lower_offsets,
                                      .cols_of = task->lower_cols};
    tulle__stats stats;
    TULLE__TRY(ctx->backend->matrix->rising_stats(&ctx->place, &view, &stats));
    return tulle__pattern_make(ctx, &view, &from_pool, &stats, &s->pattern);
}

static tulle_status list_entries(tulle_ctx *ctx, tulle__lower_task *task, tulle__symbolic *s) {
    const size_t size = (size_t)tulle_index_size(task->index);
    size_t bytes;
    TULLE__TRY(tulle__size(s->entries, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &task->lower_cols));
    TULLE__TRY(tulle__size(s->entries, sizeof *s->source, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&s->source));
    task->source = s->source;
    TULLE__TRY(ctx->backend->factor->lower_entries(&ctx->place, task, s->entries));
    return put_pattern(ctx, task, s);
}

tulle_status tulle__lower_make(tulle_ctx *ctx, const tulle_mat *A, tulle__symbolic *s) {
    const tulle__pattern *p = A->pattern;
    tulle__lower_task task = {
        .index = p->index, .rows = s->rows, .offsets = p->offsets.data, .cols_of = p->cols_of.data};
    size_t bytes;
    TULLE__TRY(tulle__size(s->rows + 1, tulle_offset_size(p->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &task.lower_offsets));
    tulle_status status = ctx->backend->factor->lower_offsets(&ctx->place, &task, &s->entries);
    if (status == TULLE_OK && s->entries >= 0) status = list_entries(ctx, &task, s);
    if (s->pattern) return status;
    tulle__free(ctx, task.lower_offsets);
    tulle__free(ctx, task.lower_cols);
    return status;
}
