/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/spgemm.h"
#include "core/options.h"

#include "spgemm/cap/cap.h"
#include "spgemm/in_blocks.h"
#include "spgemm/renumbered.h"

static tulle_status without_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                   tulle_mat **C) {
    tulle_mat *product = NULL;
    TULLE__TRY(tulle__spgemm_stage(run, c, tulle__asked_least(run->asked), !run->D, &product));
    return tulle__spgemm_plus(run, product, C);
}

/* Without D, the stage itself is made in pieces where the cap asks for that. */
static tulle_status within_cap(tulle__spgemm_run *run, const tulle__spgemm_call *c, tulle_mat **C) {
    tulle__spgemm_watch_cap(run);
    const tulle_status status = without_groups(run, c, C);
    if (!run->D || !tulle__spgemm_stopped_by_cap(run, status)) return status;
    return tulle__spgemm_in_groups(run, c, false, C);
}

tulle_status tulle__spgemm_ordinary(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                                    const tulle_spgemm_options *options, const tulle__axis *after,
                                    tulle_spgemm_report *report, tulle_mat **C) {
    TULLE__TRY(tulle__spgemm_check_tables(ctx, c, options));
    tulle__spgemm_run run = tulle__spgemm_start(c->function, ctx, c->A->type, alpha, options, 1);
    run.after = after;
    return tulle__spgemm_call_by(within_cap, &run, c, report, C);
}

tulle_status tulle_spgemm_sized(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                tulle_scalar alpha, const tulle_mat *A, const tulle_mat *B,
                                const tulle_spgemm_options *options, size_t options_size,
                                tulle_spgemm_report *report, tulle_mat **C) {
    TULLE__NEED(C);
    *C = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    tulle_spgemm_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    const tulle__spgemm_call c = {.function = __func__, .op_A = op_A, .op_B = op_B, .A = A, .B = B};
    TULLE__TRY(tulle__spgemm_check(ctx, &c));
    TULLE__TRY(tulle__check_aligned(__func__, "alpha", alpha.address, tulle_type_size(A->type)));
    TULLE__TRY(tulle__spgemm_check_options(__func__, ctx, options, A->type, tulle__op_rows(op_A, A),
                                           tulle__op_cols(op_B, B)));
    if (tulle__spgemm_has_blocks(&c, options))
        return tulle__spgemm_in_blocks(ctx, &c, alpha, options, report, C);
    tulle__spgemm_axes x;
    if (tulle__spgemm_find_axes(&c, options, &x))
        return tulle__spgemm_renumbered(ctx, alpha, &x, options, report, C);
    return tulle__spgemm_ordinary(ctx, &c, alpha, options, NULL, report, C);
}
