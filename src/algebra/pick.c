/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/functions.h"
#include "algebra/picked.h"
#include "matrix/result.h"

static const tulle__asked asked_none = {.given = false};

/* A pick, and the matrix C that becomes of it. */
typedef struct run {
    tulle__pick pick; /* the pick; must be the first member, because back ends get its address */
    const char *function;
    tulle__draft draft;
} run;

static tulle_status make_c(tulle__pick *pick, int64_t nnz) {
    run *r = (run *)pick;
    r->draft.nnz = nnz;
    TULLE__TRY(tulle__result_make(r->function, asked_none, &r->draft));
    pick->c = (tulle__sum){.nnz = nnz,
                           .index = r->draft.index,
                           .offsets = r->draft.arrays.offsets,
                           .cols_of = r->draft.arrays.cols_of,
                           .values = r->draft.values};
    return TULLE_OK;
}

static tulle_status fill(run *r) {
    static const char *const what = "picking entries";
    tulle_ctx *ctx = r->draft.ctx;
    const int64_t nnz = r->pick.a->nnz;
    TULLE__TRY(tulle__progress(ctx, what, 0, nnz));
    TULLE__TRY(ctx->backend->algebra->pick_entries(&ctx->place, &r->pick));
    return tulle__progress(ctx, what, nnz, nnz);
}

tulle_status tulle__picked_make(const char *function, tulle_ctx *ctx, const tulle__pick *pick,
                                bool rising, tulle_mat **C) {
    run r = {.pick = *pick,
             .function = function,
             .draft = {.ctx = ctx,
                       .rows = pick->a->rows,
                       .cols = pick->a->cols,
                       .format = TULLE_CSR,
                       .index = pick->a->index,
                       .type = pick->type}};
    r.pick.make_c = make_c;
    const tulle_status status = fill(&r);
    if (status == TULLE_OK) return tulle__result_finish(&r.draft, asked_none, rising, C);
    tulle__draft_free(&r.draft);
    return status;
}
