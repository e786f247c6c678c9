/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED: SELL-32-sigma with columns as small differences, line by line. (Kourtis, Goumas and
 * Koziris, CF 2008, take differences of neighbours in a row; here they are between neighbouring
 * rows, as in Tang et al., SC 2013.) sell.c determines the slots, this file the contents of the
 * lines. */
#include <inttypes.h>

#include "format/lay_out.h"

static tulle_status refuse(const tulle__layout_job *job, int64_t pieces) {
    if (pieces >= TULLE__UNPACKABLE && job->draft.cols > UINT32_MAX) {
        return tulle__fail(TULLE_TOO_LARGE, job->function, "format", -1,
                           "as packed, columns of neighbouring rows may be at most 2^32 apart; "
                           "take another format");
    }
    return tulle__fail(TULLE_TOO_LARGE, job->function, "format", -1,
                       "as packed, the columns would take %" PRId64
                       " times 32 bytes, more than 2^30 of them; take another format",
                       pieces);
}

tulle_status tulle__packed_count(tulle__layout_job *job, const void *order) {
    tulle_ctx *ctx = job->ctx;
    tulle__pattern_view laid = tulle__draft_view(&job->draft);
    laid.order = order;
    size_t bytes;
    int64_t slices = tulle__ceil_div(job->csr.rows, TULLE__LINE), pieces = 0;
    TULLE__TRY(tulle__size(slices + 1, sizeof *job->places, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&job->places));
    TULLE__TRY(
        ctx->backend->format->count_codes(&ctx->place, &job->csr, &laid, job->places, &pieces));
    if (pieces > TULLE__PIECES) return refuse(job, pieces);
    job->draft.storage.coded = pieces * TULLE__PIECE;
    return TULLE_OK;
}

tulle_status tulle__lay_out_packed(tulle__layout_job *job) {
    if (job->options.slice != 0 && job->options.slice != TULLE__LINE) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                           "options: slice is %" PRId64 "; packed has slices of %d",
                           job->options.slice, TULLE__LINE);
    }
    TULLE__TRY(tulle__lay_out_sell(job));
    if (job->forecast) return TULLE_OK;
    tulle_ctx *ctx = job->ctx;
    tulle__pattern_view laid = tulle__draft_view(&job->draft);
    return ctx->backend->format->pack_lines(&ctx->place, &job->csr, &laid, job->places,
                                            &job->draft.arrays);
}
