/* SPDX-License-Identifier: Apache-2.0 */
/* Describes factors. */
#include "factor/object.h"
#include "matrix/build.h"
#include "matrix/derived.h"
#include "trisolve/triangle.h"

static int64_t bytes_of(const tulle_factor *F) {
    const tulle__symbolic *s = F->symbolic;
    tulle_mat_info info;
    if (tulle_mat_describe(F->LU, &info) != TULLE_OK) return 0;
    int64_t bytes = info.pattern_bytes + info.value_bytes + info.plan_bytes;
    int64_t number = tulle_type_size(F->a_type);
    bytes += s->steps.bytes;
    if (s->source) bytes += s->entries * (int64_t)sizeof *s->source;
    if (s->order) bytes += s->n * (int64_t)sizeof *s->order;
    if (F->row_scale) bytes += s->n * number;
    if (F->col_scale) bytes += s->n * number;
    if (F->pivots) bytes += s->rows * s->block;
    return bytes + (int64_t)sizeof *F->seen + (int64_t)F->moved_bytes;
}

tulle_status tulle_factor_describe(const tulle_factor *F, tulle_factor_info *info) {
    TULLE__NEED(F);
    TULLE__NEED(info);
    const tulle__symbolic *s = F->symbolic;
    const tulle__schedule *schedule = NULL;
    if (s->rows > 0) {
        TULLE__TRY(tulle__schedule_of(__func__, F->ctx, F->LU, TULLE_LOWER, TULLE_N, &schedule));
    }
    const bool lu = s->kind == TULLE_LU;
    const int64_t below = schedule ? schedule->entries : 0;
    *info = (tulle_factor_info){.rows = s->n,
                                .block = s->block,
                                .kind = s->kind,
                                .type = F->LU->type,
                                .nnz_a = s->nnz_a,
                                .nnz_l = lu ? below : s->entries,
                                .nnz_u = lu ? s->entries - below : 0,
                                .levels = schedule ? schedule->levels : 0,
                                .bytes = bytes_of(F),
                                .analysis_ms = F->shares_analysis ? 0 : s->ms,
                                .flops = s->flops};
    return TULLE_OK;
}

/* Finds the row of A at a place of the factor's order. */
static tulle_status row_of(tulle_ctx *ctx, const tulle_factor *F, int64_t count, int64_t place,
                           int64_t *row) {
    *row = count > 0 ? place : -1;
    if (count == 0 || !F->symbolic->order) return TULLE_OK;
    return tulle__copy_wait(ctx, row, F->symbolic->order + place, sizeof *row);
}

tulle_status tulle_factor_status(tulle_ctx *ctx, const tulle_factor *F,
                                 tulle_factor_report *report) {
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__NEED(report);
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, __func__, "F", -1,
                           "F lives in other memory than the context's");
    }
    tulle__pivots_seen seen;
    TULLE__TRY(tulle__copy_wait(ctx, &seen, F->seen, sizeof seen));
    const int64_t tiny = seen.tiny - TULLE__NONE_SEEN, bad = seen.bad - TULLE__NONE_SEEN;
    *report = (tulle_factor_report){.tiny = tiny, .bad = bad};
    TULLE__TRY(row_of(ctx, F, tiny, seen.tiny_first, &report->tiny_row));
    return row_of(ctx, F, bad, seen.bad_first, &report->bad_row);
}
