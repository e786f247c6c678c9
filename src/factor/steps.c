/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether the steps of elimination are listed. */
#include "core/stopwatch.h"
#include "factor/functions.h"
#include "factor/object.h"
#include "trisolve/triangle.h"

/* Most steps per entry of the pattern: with more, the list would be several times as large as the
 * factors. */
enum { MOST_OF_AN_ENTRY = 16 };

/* Most entries of a row of which dropped products count: the row needs places for these in shared
 * memory too. */
enum { MOST_OF_MODIFIED_ROW = 80 };

tulle_status tulle__steps_make(const char *function, tulle_ctx *ctx, const tulle_factor *F) {
    tulle__symbolic *s = F->symbolic;
    const tulle__pattern *p = s->pattern;
    const bool dropped = F->options.modified > 0;
    if (s->rows == 0 || s->block > 1) return TULLE_OK;
    if (dropped && p->stats.max_row > MOST_OF_MODIFIED_ROW) return TULLE_OK;
    const double start = tulle__seconds();
    tulle__steps_task task = {.kind = s->kind,
                              .dropped = dropped,
                              .index = p->index,
                              .rows = s->rows,
                              .entries = s->entries,
                              .longest = p->stats.max_row,
                              .offsets = p->offsets.data,
                              .cols_of = p->cols_of.data,
                              .most = MOST_OF_AN_ENTRY * s->entries};
    TULLE__TRY(tulle__progress(ctx, "storing the pattern", s->rows, s->rows));
    TULLE__TRY(tulle__schedule_of(function, ctx, F->LU, TULLE_LOWER, TULLE_N, &task.schedule));
    TULLE__TRY(tulle__progress(ctx, "storing the pattern", s->rows, s->rows));
    TULLE__TRY(ctx->backend->factor->list_steps(&ctx->place, &task, &s->steps));
    s->ms += 1e3 * (tulle__seconds() - start);
    return TULLE_OK;
}
