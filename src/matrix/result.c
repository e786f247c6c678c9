/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/result.h"

#include <inttypes.h>

#include "core/room.h"
#include "matrix/reformat.h"

tulle_status tulle__asked_check(const char *function, tulle__asked asked, int64_t rows,
                                int64_t cols) {
    if (!asked.given) return TULLE_OK;
    TULLE__TRY(tulle__check_index(function, asked.index));
    return tulle__check_sizes(function, rows, cols, 0, asked.index);
}

tulle_status tulle__result_check_count(const char *function, tulle__asked asked, int64_t nnz) {
    if (!asked.given || nnz <= INT32_MAX || tulle_offset_size(asked.index) == 8) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, "options", -1,
                       "C has %" PRId64
                       " entries, which 32-bit offsets cannot count: ask for TULLE_I64_I32, or "
                       "for no index type",
                       nnz);
}

/* Returns the index type of a result: 32-bit offsets where they can count the entries, unless
 * others were asked for. */
tulle_index tulle__result_index(tulle_index operands, tulle__asked asked, int64_t nnz) {
    if (operands == TULLE_I64) return TULLE_I64;
    if (asked.given) return asked.index;
    return nnz <= INT32_MAX ? operands : TULLE_I64_I32;
}

static double bytes_of(const tulle__draft *d) {
    const int64_t entry = tulle_index_size(d->index) + tulle_type_size(d->type);
    return ((double)d->rows + 1) * (double)tulle_offset_size(d->index) +
           (double)d->nnz * (double)entry;
}

/* Checks that this machine has the memory for C. The memory of a GPU and the context's cap are not
 * looked at here: the allocation itself fails where they are exceeded. */
static tulle_status check_room(const char *function, const tulle__draft *draft) {
    const double bytes = bytes_of(draft);
    char words[TULLE__ROOM_TEXT];
    if (draft->ctx->kind == TULLE_CUDA || bytes < TULLE__WORTH_ASKING) return TULLE_OK;
    if (tulle__room_for(draft->ctx, bytes, words) != TULLE_TOO_LARGE) return TULLE_OK;
    return tulle__fail(TULLE_OUT_OF_MEMORY, function, NULL, -1,
                       "C has %" PRId64 " entries, which take %s", draft->nnz, words);
}

tulle_status tulle__result_make(const char *function, tulle__asked asked, tulle__draft *draft) {
    TULLE__TRY(tulle__result_check_count(function, asked, draft->nnz));
    draft->format = TULLE_CSR;
    draft->together = true;
    draft->index = tulle__result_index(draft->index, asked, draft->nnz);
    TULLE__TRY(check_room(function, draft));
    return tulle__draft_alloc(draft);
}

/* Converts C to the index type that was asked for. */
static tulle_status narrow(tulle_ctx *ctx, tulle__asked asked, tulle_mat **C) {
    if (!asked.given || (*C)->pattern->index == asked.index) return TULLE_OK;
    tulle_mat *wide = *C;
    *C = NULL;
    tulle_status status = tulle__as_csr(ctx, wide, asked.index, false, C);
    tulle_mat_destroy(wide);
    return status;
}

static tulle_status find_rising(tulle_ctx *ctx, const tulle__pattern_view *view, const void *known,
                                tulle__stats *stats) {
    (void)known;
    return ctx->backend->matrix->rising_stats(&ctx->place, view, stats);
}

static tulle_status find_banded(tulle_ctx *ctx, const tulle__pattern_view *view,
                                const void *bandwidth, tulle__stats *stats) {
    return ctx->backend->matrix->banded_stats(&ctx->place, view, *(const int64_t *)bandwidth,
                                              stats);
}

tulle_status tulle__result_finish(tulle__draft *draft, tulle__asked asked, bool rising,
                                  tulle_mat **C) {
    tulle_ctx *ctx = draft->ctx;
    TULLE__TRY(rising ? tulle__draft_finish_by(draft, find_rising, NULL, C)
                      : tulle__draft_finish(draft, NULL, C));
    return narrow(ctx, asked, C);
}

tulle_status tulle__result_finish_banded(tulle__draft *draft, tulle__asked asked, int64_t bandwidth,
                                         tulle_mat **C) {
    tulle_ctx *ctx = draft->ctx;
    TULLE__TRY(tulle__draft_finish_by(draft, find_banded, &bandwidth, C));
    return narrow(ctx, asked, C);
}
