/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle_mat_optimize_with. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/print.h"
#include "spmv/optimize/contest.h"
#include "spmv/select.h"

enum { WHAT = 160 };

/* Adds to the report's words. */
__attribute__((format(printf, 2, 3))) static void say(tulle_optimize_report *report,
                                                      const char *format, ...) {
    size_t used = strlen(report->why);
    va_list arguments;
    va_start(arguments, format);
    tulle__print_v(report->why + used, sizeof report->why - used, format, arguments);
    va_end(arguments);
}

/* Names a candidate, as "spmv_sell on a copy in sell (1.02 slots an entry)". */
static const char *what(const tulle__contest *c, const tulle__candidate *candidate,
                        char text[WHAT]) {
    const tulle__kernel *kernel = candidate->request.spec.kernel;
    const tulle__pattern *p = c->A->pattern;
    tulle_trans run_op;
    tulle__form_key key =
        tulle__plan_form(kernel->format, c->call.op, &candidate->request.options, &run_op);
    const char *narrow =
        candidate->request.values == TULLE__VALUES_F32_F64 ? ", values in f32" : "";
    double fill = p->nnz > 0 ? (double)candidate->storage.stored / (double)p->nnz : 1;
    if (kernel->format == TULLE_CSR) {
        const char *how = tulle__spmv_of(kernel)->prepare ? " with prepared data" : "";
        snprintf(text, WHAT, "%s%s%s", kernel->name, key.transposed ? " on a transposed copy" : how,
                 narrow);
    } else {
        tulle__print(text, WHAT, "%s on a copy %s in %s (%.3g slots an entry%s)", kernel->name,
                     key.transposed ? "of the transpose" : "of A",
                     tulle_format_name(kernel->format), fill, narrow);
    }
    return text;
}

static const char *name_now(const tulle__contest *c) {
    return c->now.kernel ? c->now.kernel->name : "nothing";
}

static void explain_chosen(const tulle__contest *c, const tulle__candidate *chosen,
                           tulle_optimize_report *report) {
    char text[WHAT];
    say(report, "%s: %.4g us a call %s", what(c, chosen, text), report->after_us,
        report->measured ? "measured" : "by the model");
    if (c->now.kernel) say(report, ", against %.4g of %s", report->before_us, name_now(c));
    if (c->must) say(report, "; only a plan makes the product repeatable here");
}

static void explain_none(const tulle__contest *c, tulle_optimize_report *report) {
    char text[WHAT];
    const tulle__candidate *nearest = &c->nearest;
    say(report, "No plan: %s serves the product", name_now(c));
    if (!nearest->request.spec.kernel) {
        say(report, ", and no other kernel would be worth preparing");
        return;
    }
    say(report, "; the nearest, %s, would take %s%.4g us a call by the model, against %.4g",
        what(c, nearest, text), nearest->hopeful ? "at best " : "",
        tulle__contest_us(c, nearest->cost), report->before_us);
    double saved = c->now_cost - nearest->cost;
    if (saved > 0) {
        say(report, ", and %.4g us to build: it pays after %.0f calls, and %lld are expected",
            tulle__contest_us(c, nearest->prepare), ceil(nearest->prepare / saved),
            (long long)c->options.expected_calls);
    }
}

static void explain_memory(const tulle__contest *c, tulle_optimize_report *report) {
    char text[WHAT], needs[TULLE__HUMAN], limit[TULLE__HUMAN];
    if (!c->too_large.request.spec.kernel) return;
    tulle__human_bytes((double)c->too_large.bytes, needs);
    tulle__human_bytes((double)c->options.memory, limit);
    say(report, "; %s would need %s, more than the limit of %s", what(c, &c->too_large, text),
        needs, limit);
}

static double us_of(const tulle__contest *c, double cost) {
    return isfinite(cost) ? tulle__contest_us(c, cost) : 0;
}

void tulle__contest_explain(const tulle__contest *c, const tulle__candidate *chosen,
                            const tulle__trial *trial, tulle_optimize_report *report) {
    report->measured = trial->tried > 0;
    report->before_us = report->measured ? trial->now_us : us_of(c, c->now_cost);
    report->after_us = report->before_us;
    if (chosen) report->after_us = report->measured ? trial->us : us_of(c, chosen->cost);
    if (chosen) {
        explain_chosen(c, chosen, report);
    } else if (trial->tried > 0) {
        say(report, "No plan: %s serves the product", name_now(c));
    } else {
        explain_none(c, report);
    }
    if (trial->tried > 0) {
        say(report, "; %s of %d plan%s tried", chosen ? "the fastest" : "not slower than any",
            trial->tried, trial->tried > 1 ? "s" : "");
    }
    explain_memory(c, report);
    say(report, ".");
}

void tulle__contest_explain_old(const tulle__contest *c, tulle_optimize_report *report) {
    report->before_us = us_of(c, c->now_cost);
    report->after_us = report->before_us;
    say(report, "The plan that was there stays (tulle_mat_forget_plans makes room for another).");
}

static void describe_plan(const tulle__contest *c, const tulle__plan *plan,
                          tulle_optimize_report *report) {
    report->planned = true;
    report->format = plan->spec.kernel->format;
    report->transposed = plan->form && plan->form->key.transposed;
    report->narrow = plan->values == TULLE__VALUES_F32_F64;
    report->kernel = plan->spec.kernel->name;
    report->plan_bytes = tulle__plan_bytes(c->A, plan);
    tulle__params_text(&plan->spec, report->params, sizeof report->params);
}

static void describe_unplanned(const tulle__contest *c, tulle_optimize_report *report) {
    report->format = c->A->pattern->format;
    if (!c->now.kernel) return;
    report->kernel = c->now.kernel->name;
    tulle__params_text(&c->now, report->params, sizeof report->params);
}

void tulle__contest_describe(const tulle__contest *c, double prepare_ms,
                             tulle_optimize_report *report) {
    tulle__plan *plan = tulle__plan_there(c->A, c->call.op, tulle__is_multivector(&c->call));
    if (plan) {
        describe_plan(c, plan, report);
        tulle__plan_release(plan);
    } else {
        describe_unplanned(c, report);
    }
    double saved = report->before_us - report->after_us;
    report->prepare_ms = prepare_ms;
    report->pays_after = plan && saved > 0 ? (int64_t)ceil(1e3 * prepare_ms / saved) : -1;
}
