/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/renumbered.h"

#include "core/stopwatch.h"
#include "spgemm/budget.h"

enum { GIVEN = TULLE__SPGEMM_GIVEN };

bool tulle__spgemm_find_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                             tulle__spgemm_axes *x) {
    const bool a = call->op_A == TULLE_T, b = call->op_B == TULLE_T;
    *x = (tulle__spgemm_axes){.call = call,
                              .of = {{call->A, a ? &x->inner : &x->rows, a ? &x->rows : &x->inner},
                                     {call->B, b ? &x->cols : &x->inner, b ? &x->inner : &x->cols},
                                     {options->D, &x->rows, &x->cols},
                                     {options->mask, &x->rows, &x->cols}}};
    return tulle__axes_find(x->of, GIVEN);
}

bool tulle__spgemm_triple_axes(const tulle__spgemm_call *call, const tulle_spgemm_options *options,
                               tulle__spgemm_axes *x) {
    *x = (tulle__spgemm_axes){.call = call,
                              .triple = true,
                              .of = {{call->A, &x->inner, &x->inner},
                                     {call->B, &x->inner, &x->rows},
                                     {options->D, &x->rows, &x->rows},
                                     {NULL, &x->rows, &x->rows}}};
    return tulle__axes_find(x->of, GIVEN);
}

/* Axis of C's columns. */
static const tulle__axis *columns_of(const tulle__spgemm_axes *x) {
    return x->triple ? &x->rows : &x->cols;
}

/* Makes the operands with new indices; one that is given twice is made once. */
static tulle_status make_small(tulle_ctx *ctx, const tulle__spgemm_axes *x,
                               tulle_mat *small[GIVEN]) {
    const tulle__spgemm_call *c = x->call;
    const bool twice = !x->triple && c->A == c->B && x->of[0].rows->few == x->of[1].rows->few &&
                       x->of[0].rows == x->of[1].rows && x->of[0].cols == x->of[1].cols;
    TULLE__TRY(tulle__axes_list(ctx, x->of, GIVEN));
    TULLE__TRY(tulle__renumber(ctx, &x->of[0], &small[0]));
    if (twice) {
        small[1] = tulle_mat_retain(small[0]);
    } else {
        TULLE__TRY(tulle__renumber(ctx, &x->of[1], &small[1]));
    }
    TULLE__TRY(tulle__renumber(ctx, &x->of[2], &small[2]));
    return tulle__renumber(ctx, &x->of[3], &small[3]);
}

static void let_go(tulle_mat *small[GIVEN]) {
    for (int k = 0; k < GIVEN; k++) tulle_mat_destroy(small[k]);
}

static tulle_status make_small_c(tulle_ctx *ctx, tulle_scalar alpha, tulle__spgemm_axes *x,
                                 const tulle_spgemm_options *options, tulle_spgemm_report *report,
                                 tulle_mat **small_c) {
    const tulle__spgemm_call *c = x->call;
    tulle_mat *small[GIVEN] = {NULL};
    const size_t before = tulle__pool_usage(&ctx->pool).in_use;
    tulle_status status = make_small(ctx, x, small);
    const size_t held = tulle__pool_usage(&ctx->pool).in_use - before;
    tulle_spgemm_options inner = *options;
    inner.D = small[2];
    inner.mask = small[3];
    tulle__spgemm_call of_small = *c;
    of_small.A = small[0];
    of_small.B = small[1];
    if (status == TULLE_OK) {
        status = (x->triple ? tulle__spgemm_ordinary_triple : tulle__spgemm_ordinary)(
            ctx, &of_small, alpha, &inner, &x->rows, report, small_c);
    }
    let_go(small);
    if (status != TULLE_OK || !report) return status;
    report->bound_bytes += (int64_t)held;
    report->predicted_bytes += (int64_t)held;
    return TULLE_OK;
}

/* Completes the report: the call held more memory than the inner one did. */
static void complete(const tulle__spgemm_axes *x, const tulle_mat *C, int64_t peak,
                     tulle_spgemm_report *report) {
    const double after =
        tulle__renumber_back_bytes(&x->rows, C->pattern->index, (double)C->pattern->nnz);
    report->peak_bytes = peak;
    report->bound_bytes += (int64_t)after;
    report->predicted_bytes += (int64_t)after;
}

tulle_status tulle__spgemm_renumbered(tulle_ctx *ctx, tulle_scalar alpha, tulle__spgemm_axes *x,
                                      const tulle_spgemm_options *options,
                                      tulle_spgemm_report *report, tulle_mat **C) {
    tulle_mat *small = NULL;
    tulle__spgemm_measure measure;
    const double start = tulle__seconds();
    tulle__spgemm_measure_open(ctx, &measure);
    tulle_status status = make_small_c(ctx, alpha, x, options, report, &small);
    if (status == TULLE_OK) {
        status = tulle__renumber_back(ctx, &x->rows, columns_of(x), small, C);
    }
    tulle__spgemm_measure_close(ctx, &measure);
    tulle__axes_free(ctx, x->of, GIVEN);
    if (status != TULLE_OK || !report) return status;
    complete(x, *C, (int64_t)measure.peak, report);
    report->total_ms = (tulle__seconds() - start) * 1e3;
    return TULLE_OK;
}

static tulle_status foresee(tulle_ctx *ctx, const tulle__spgemm_axes *x,
                            const tulle_spgemm_options *options, tulle_mat *small[GIVEN],
                            tulle_spgemm_bounds *bounds) {
    const tulle__spgemm_call *c = x->call;
    const size_t before = tulle__pool_usage(&ctx->pool).in_use;
    TULLE__TRY(make_small(ctx, x, small));
    const size_t held = tulle__pool_usage(&ctx->pool).in_use - before;
    tulle_spgemm_options inner = *options;
    inner.D = small[2];
    inner.mask = small[3];
    if (x->triple) {
        TULLE__TRY(tulle_spgemm_galerkin_forecast(ctx, small[0], small[1], &inner, bounds));
    } else {
        TULLE__TRY(
            tulle_spgemm_forecast(ctx, c->op_A, c->op_B, small[0], small[1], &inner, bounds));
    }
    const double after = tulle__renumber_back_bytes(&x->rows, TULLE_I64, (double)bounds->nnz);
    const double bytes = (double)bounds->bytes + (double)held + (bounds->nnz > 0 ? after : 0);
    bounds->bytes = bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
    return TULLE_OK;
}

tulle_status tulle__spgemm_renumbered_forecast(tulle_ctx *ctx, tulle__spgemm_axes *x,
                                               const tulle_spgemm_options *options,
                                               tulle_spgemm_bounds *bounds) {
    tulle_mat *small[GIVEN] = {NULL};
    tulle_status status = foresee(ctx, x, options, small, bounds);
    let_go(small);
    tulle__axes_free(ctx, x->of, GIVEN);
    return status;
}
