/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_optimize: from a contest of candidates to a plan. */
#include <math.h>

#include "core/options.h"
#include "core/stopwatch.h"
#include "format/limits.h"
#include "spmv/optimize/contest.h"
#include "spmv/select.h"

enum { DEFAULT_CALLS = 1000, MOST_TRIED = 3 };

static tulle_status check_options(const char *function, const tulle_optimize_options *o) {
    const char *wrong = NULL;
    if (o->expected_calls < 0) wrong = "expected_calls is negative";
    if (o->vectors < 0) wrong = "vectors is negative";
    if (o->memory < 0) wrong = "memory is negative";
    if ((unsigned)o->layout > TULLE_ROW_MAJOR) wrong = "layout is not one of tulle_layout";
    if (!wrong) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "options: %s", wrong);
}

static tulle__spmv_call call_of(tulle_trans op, const tulle_optimize_options *o) {
    if (o->vectors <= 1) return tulle__one_vector(op);
    return (tulle__spmv_call){
        .op = op, .vectors = o->vectors, .x_layout = o->layout, .y_layout = o->layout};
}

/* Factor of the best cost up to which the models cannot tell candidates from the best one. */
static const double near = 1.15;

static int how_many_near(const tulle__contest *c) {
    int count = 1;
    while (count < MOST_TRIED && count < c->count &&
           tulle__contest_total(c, &c->item[count]) <=
               near * tulle__contest_total(c, &c->item[0])) {
        count++;
    }
    return count;
}

/* True when timing a few plans costs at most half of what they are expected to save. */
static bool trying_pays(const tulle__contest *c) {
    if (c->ctx->repeatable || c->count == 0 || !c->now.kernel) return false;
    double gain = tulle__contest_total_now(c) - tulle__contest_total(c, &c->item[0]);
    return gain >= 2 * tulle__price_of_trying(c, how_many_near(c));
}

/* Builds a plan by the models alone, of the first candidate that can be built: *plan is the plan,
 * and *chosen its candidate. Both stay as they are where the models do not promise enough, and
 * where a trial would be due but costs more than it can gain. */
static tulle_status build_first(tulle__contest *c, tulle__plan **plan,
                                const tulle__candidate **chosen) {
    for (int i = 0; i < c->count; i++) {
        const tulle__candidate *candidate = &c->item[i];
        if (!c->must &&
            (!c->ctx->repeatable || candidate->cost > TULLE__WORTH_BY_MODELS * c->now_cost))
            continue;
        tulle_status status = tulle__plan_make(c->ctx, c->A, &candidate->request, plan);
        *chosen = candidate;
        if (!tulle__no_way(status)) return status;
    }
    *chosen = NULL;
    return TULLE_OK;
}

static tulle_status decide(tulle__contest *c, tulle__plan **plan, tulle_optimize_report *report) {
    tulle__trial trial = {0};
    const tulle__candidate *chosen = NULL;
    tulle_status status = TULLE_OK;
    tulle__contest_start(c);
    TULLE__TRY(tulle__contest_enter(c));
    tulle__contest_sort(c);
    if (trying_pays(c)) {
        status = tulle__contest_try(c, how_many_near(c), &trial);
        *plan = trial.plan;
        chosen = trial.chosen;
    } else {
        status = build_first(c, plan, &chosen);
    }
    if (status == TULLE_OK) tulle__contest_explain(c, chosen, &trial, report);
    return status;
}

/* Finds and publishes a plan, if one is worth it. */
static tulle_status optimize(tulle__contest *c, tulle_optimize_report *report) {
    tulle__plan *plan = NULL;
    tulle__error_trying(true);
    tulle_status status = decide(c, &plan, report);
    tulle__error_trying(false);
    tulle__contest_end(c);
    if (status == TULLE_OK && plan) tulle__plan_put(c->A->pattern, plan);
    return status;
}

/* Completes a plan that is there, and stays, with A's values. */
static tulle_status complete(tulle__contest *c, tulle__plan *plan, tulle_optimize_report *report) {
    tulle__contest_start(c);
    tulle_status status = tulle__plan_complete(c->ctx, c->A, plan);
    if (status == TULLE_OK) tulle__contest_explain_old(c, report);
    return status;
}

static tulle_status run(tulle__contest *c, tulle_optimize_report *report) {
    double start = tulle__seconds();
    bool multivector = tulle__is_multivector(&c->call);
    *report = (tulle_optimize_report){0};
    pthread_mutex_lock(&c->A->pattern->building);
    tulle__plan *plan = tulle__plan_there(c->A, c->call.op, multivector);
    tulle_status status = plan ? complete(c, plan, report) : optimize(c, report);
    if (plan) tulle__plan_release(plan);
    tulle__copies_prune(c->A, NULL);
    pthread_mutex_unlock(&c->A->pattern->building);
    if (status == TULLE_OK) tulle__contest_describe(c, 1e3 * (tulle__seconds() - start), report);
    return status;
}

static tulle_status optimize_with(const char *function, tulle_ctx *ctx, tulle_mat *A,
                                  tulle_trans op, const tulle_optimize_options *options,
                                  tulle_optimize_report *report) {
    TULLE__TRY(tulle__plan_check(function, ctx, A, op));
    TULLE__TRY(check_options(function, options));
    tulle_optimize_report unwanted;
    tulle__contest contest = {.function = function,
                              .ctx = ctx,
                              .A = A,
                              .call = call_of(op, options),
                              .options = *options};
    if (contest.options.expected_calls == 0) contest.options.expected_calls = DEFAULT_CALLS;
    return run(&contest, report ? report : &unwanted);
}

tulle_status tulle_mat_optimize_with_sized(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                           const tulle_optimize_options *options,
                                           size_t options_size, tulle_optimize_report *report) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle_optimize_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    return optimize_with(__func__, ctx, A, op, &own, report);
}

tulle_status tulle_mat_optimize(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                int64_t expected_calls) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (expected_calls < 1) {
        return TULLE__BAD("expected_calls", "expected_calls is %lld; it must be at least 1",
                          (long long)expected_calls);
    }
    tulle_optimize_options options = {.expected_calls = expected_calls};
    return optimize_with(__func__, ctx, A, op, &options, NULL);
}
