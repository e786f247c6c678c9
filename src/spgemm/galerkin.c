/* SPDX-License-Identifier: Apache-2.0 */
/* The triple product: A P, then its product with the transpose of P. */
#include "spgemm/galerkin.h"
#include "core/options.h"
#include "spgemm/cap/cap.h"
#include "spgemm/in_blocks.h"
#include "spgemm/lengths.h"
#include "spgemm/renumbered.h"

tulle_status tulle__spgemm_right(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, tulle_mat **right) {
    const tulle__asked asked = run->asked;
    const tulle__spgemm_task task = run->task;
    run->asked = (tulle__asked){false, least};
    run->task.alpha = tulle_num(1);
    run->task.unsorted = false;
    tulle_status status = tulle__spgemm_stage(run, c, least, false, right);
    run->asked = asked;
    run->task = task;
    return status;
}

/* Gives the next product of a call, of so many rows, their lengths and ways, where these are known.
 */
static tulle_status use_lengths(tulle__spgemm_run *run, tulle__spgemm_lengths *lengths,
                                int64_t rows) {
    if (!lengths) return TULLE_OK;
    TULLE__TRY(tulle__spgemm_lengths_of(run->ctx, lengths, &run->task.lengths));
    return tulle__spgemm_ways_of(run->ctx, lengths, rows, &run->task.ways);
}

/* Takes the lengths of a product's rows, where a caller wants them and they were not known. */
static tulle_status keep_lengths(tulle__spgemm_run *run, tulle__spgemm_lengths *lengths,
                                 tulle_status status, const tulle_mat *product) {
    const bool wanted = lengths && !run->task.lengths;
    run->task.lengths = NULL;
    run->task.ways = NULL;
    if (status != TULLE_OK || !wanted) return status;
    return tulle__spgemm_lengths_take(run->ctx, product, lengths);
}

static tulle_status without_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                   tulle_mat **C) {
    const tulle_index least = tulle__asked_least(run->asked);
    tulle__spgemm_lengths *of_right = c->lengths, *of_left = of_right ? of_right + 1 : NULL;
    tulle_mat *right = NULL, *product = NULL;
    TULLE__TRY(use_lengths(run, of_right, c->A->pattern->rows));
    tulle_status status = tulle__spgemm_right(run, c, least, &right);
    status = keep_lengths(run, of_right, status, right);
    const tulle__spgemm_call left = {.function = c->function,
                                     .op_A = c->R ? TULLE_N : TULLE_T,
                                     .op_B = TULLE_N,
                                     .A = c->R ? c->R : c->B,
                                     .B = right};
    if (status == TULLE_OK) status = use_lengths(run, of_left, c->B->pattern->cols);
    if (run->task.lengths) run->like = c->like;
    if (status == TULLE_OK) status = tulle__spgemm_stage(run, &left, least, !run->D, &product);
    status = keep_lengths(run, of_left, status, product);
    tulle_mat_destroy(right);
    if (status != TULLE_OK) {
        tulle_mat_destroy(product);
        return status;
    }
    return tulle__spgemm_plus(run, product, C);
}

static tulle_status within_cap(tulle__spgemm_run *run, const tulle__spgemm_call *c, tulle_mat **C) {
    tulle__spgemm_watch_cap(run);
    const tulle_status status = without_groups(run, c, C);
    if (!tulle__spgemm_stopped_by_cap(run, status)) return status;
    run->task.lengths = NULL;
    run->task.ways = NULL;
    return tulle__spgemm_in_groups(run, c, true, C);
}

tulle_status tulle__spgemm_check_triple(const char *function, const tulle_ctx *ctx,
                                        const tulle_mat *A, const tulle_mat *P) {
    const tulle__pattern *a = A->pattern, *p = P->pattern;
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(tulle__check_space_of(function, "P", ctx, P));
    if (A->type != P->type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, "P", -1,
                           "A and P have different value types");
    }
    if (a->rows != a->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is %lld x %lld, and must be square", (long long)a->rows,
                           (long long)a->cols);
    }
    if (a->cols != p->rows) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "P", -1,
                           "A has %lld columns and P %lld rows", (long long)a->cols,
                           (long long)p->rows);
    }
    return TULLE_OK;
}

tulle_status tulle__spgemm_ordinary_triple(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                           tulle_scalar alpha, const tulle_spgemm_options *options,
                                           const tulle__axis *after, tulle_spgemm_report *report,
                                           tulle_mat **C) {
    TULLE__TRY(tulle__spgemm_check_triple_tables(c->function, ctx, c->A, c->B, options->D));
    tulle__spgemm_run run = tulle__spgemm_start(c->function, ctx, c->A->type, alpha, options, 2);
    run.after = after;
    return tulle__spgemm_call_by(within_cap, &run, c, report, C);
}

tulle_status tulle_spgemm_galerkin_sized(tulle_ctx *ctx, tulle_scalar alpha, const tulle_mat *A,
                                         const tulle_mat *P, const tulle_spgemm_options *options,
                                         size_t options_size, tulle_spgemm_report *report,
                                         tulle_mat **C) {
    TULLE__NEED(C);
    *C = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(P);
    tulle_spgemm_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    const tulle__spgemm_call c = {
        .function = __func__, .op_A = TULLE_N, .op_B = TULLE_N, .A = A, .B = P};
    TULLE__TRY(tulle__spgemm_check_triple(__func__, ctx, A, P));
    TULLE__TRY(tulle__spgemm_check_unmasked(__func__, options));
    TULLE__TRY(tulle__check_aligned(__func__, "alpha", alpha.address, tulle_type_size(A->type)));
    TULLE__TRY(tulle__spgemm_check_options(__func__, ctx, options, A->type, P->pattern->cols,
                                           P->pattern->cols));
    if (tulle__spgemm_has_triple_blocks(&c, options))
        return tulle__spgemm_triple_in_blocks(ctx, &c, alpha, options, report, C);
    tulle__spgemm_axes x;
    if (tulle__spgemm_triple_axes(&c, options, &x))
        return tulle__spgemm_renumbered(ctx, alpha, &x, options, report, C);
    return tulle__spgemm_ordinary_triple(ctx, &c, alpha, options, NULL, report, C);
}

tulle_status tulle__spgemm_galerkin_with(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *P,
                                         const tulle_mat *R, tulle__spgemm_lengths *lengths,
                                         tulle__pattern *like, tulle_mat **C) {
    static const char *const function = "tulle_spgemm_galerkin";
    const tulle_spgemm_options options = {.unsorted = false};
    const tulle__spgemm_call c = {.function = function,
                                  .op_A = TULLE_N,
                                  .op_B = TULLE_N,
                                  .A = A,
                                  .B = P,
                                  .R = R,
                                  .lengths = lengths,
                                  .like = like};
    tulle__spgemm_axes x;
    *C = NULL;
    TULLE__TRY(tulle__spgemm_check_triple(function, ctx, A, P));
    if (tulle__spgemm_has_triple_blocks(&c, &options))
        return tulle__spgemm_triple_in_blocks(ctx, &c, tulle_num(1), &options, NULL, C);
    if (tulle__spgemm_triple_axes(&c, &options, &x))
        return tulle__spgemm_renumbered(ctx, tulle_num(1), &x, &options, NULL, C);
    return tulle__spgemm_ordinary_triple(ctx, &c, tulle_num(1), &options, NULL, NULL, C);
}
