/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/work.h"

#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "lab/papers/specs.h"
#include "lab/papers/tuner.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/traffic.h"

bench_row paper_work_row(const paper_work *work, const trial_problem *problem,
                         const bench_variant *variant) {
    return (bench_row){.place = &work->session->place,
                       .experiment = &work->experiment,
                       .matrix = work->matrix,
                       .problem = problem,
                       .variant = variant};
}

static tool_budget budget_of(const paper_work *work) {
    tool_budget budget = work->session->settings->budget;
    if (!work->step->quickly) return budget;
    return (tool_budget){.repeat = (budget.repeat + 3) / 4, .seconds = 0.1 * budget.seconds};
}

/* Estimates the bytes that the pick of Reguly and Giles's rule moves, by the estimate of their
 * paper. */
static tulle_status count_lines(const trial_problem *p, const char *rule, bench_row *row) {
    if (strcmp(rule, "reguly_giles") != 0) return TULLE_OK;
    paper_traffic traffic;
    tulle_status status = paper_traffic_of(p->ctx, p->A, 0, &traffic);
    if (status == TULLE_OK) row->effective_bytes = traffic.effective_bytes;
    return status;
}

/* Measures the pick of a rule. Where the rule has no answer, the reference kernel would run, which
 * is no result of the rule. */
static tulle_status measure_rule(const trial_problem *p, const bench_variant *variant,
                                 const tool_budget *budget, bench_row *row) {
    tulle_choice choice;
    tulle_status status = tulle_ctx_set_rule(p->ctx, variant->spec);
    if (status == TULLE_OK) status = tulle_spmv_describe(p->ctx, p->trans, p->A, true, &choice);
    if (status == TULLE_OK && strcmp(choice.by, "rule") != 0) {
        status = tool_record(TULLE_UNSUPPORTED, "the rule has no answer");
    }
    if (status == TULLE_OK) status = bench_measure(p, variant, budget, row);
    if (status == TULLE_OK) status = count_lines(p, variant->spec, row);
    tulle_status restored = tulle_ctx_set_rule(p->ctx, "tulle");
    return status != TULLE_OK ? status : restored;
}

static tulle_status measure(const paper_work *work, bench_row *row) {
    tool_budget budget = budget_of(work);
    bool by_rule = row->variant->choice == TRIAL_RULE;
    return by_rule ? measure_rule(row->problem, row->variant, &budget, row)
                   : bench_measure(row->problem, row->variant, &budget, row);
}

void paper_work_refused(const paper_work *work, const bench_row *row) {
    bench_session *s = work->session;
    const char *reason = tool_error_line();
    if (s->json && !bench_row_write_unmeasured(row, "refused", reason, s->json)) {
        bench_session_unwritten(s);
    }
    char what[BENCH_ROW_TEXT];
    if (s->table) printf("  %s: refused: %s\n", bench_row_text(row, what), reason);
}

/* Writes a row that could not be measured, because the kernel does not take the case; otherwise
 * notes a failure. */
static void give_up(const paper_work *work, bench_row *row, tulle_status status, bool told) {
    bool not_its_case = status == TULLE_UNSUPPORTED || status == TULLE_NEEDS_PLAN;
    if (!not_its_case) {
        char what[BENCH_ROW_TEXT];
        bench_session_failed(work->session, bench_row_text(row, what), status);
        return;
    }
    if (!told) {
        (void)tool_error_line();
        return;
    }
    snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)strcspn(row->variant->spec, ":"),
             row->variant->spec);
    paper_work_refused(work, row);
}

void paper_work_report(const paper_work *work, const bench_row *rows, int count) {
    if (!work->session->table || count == 0) return;
    const char *arranged = work->experiment.arranged;
    printf("\nPaper %d, %s%s%s:", work->experiment.paper, work->experiment.name,
           arranged ? ", " : "", arranged ? arranged : "");
    bench_report(rows, count);
}

void paper_work_measure(const paper_work *work, const trial_problem *problem,
                        const bench_variants *list, double prep_ms, bool told) {
    bench_session *s = work->session;
    if (work->watch) paper_work_call(work, problem, list);
    if (work->watch || list->count == 0) return;
    bench_row *rows = tool_alloc((size_t)list->count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        s->cut = bench_session_over(s);
        if (s->cut) break;
        bench_row *row = &rows[count];
        *row = paper_work_row(work, problem, &list->item[i]);
        char what[BENCH_ROW_TEXT];
        (void)tool_progress(NULL, bench_row_text(row, what), i, list->count);
        tulle_status status = measure(work, row);
        if (status != TULLE_OK) {
            give_up(work, row, status, told);
            continue;
        }
        row->prep_ms += prep_ms;
        bench_session_keep(s, row);
        count++;
    }
    tool_progress_end();
    paper_work_report(work, rows, count);
    free(rows);
}

tulle_status paper_work_list(const paper_work *work, bench_variants *list) {
    bench_peer_set *peers = &work->session->peers;
    tulle_status status = TULLE_OK;
    for (int i = 0; i < work->step_count && status == TULLE_OK; i++) {
        const paper_step *step = &work->step[i];
        if (step->kernel) status = paper_specs_add(step->kernel, work->problem, list);
        if (step->rule) bench_variants_add(list, TRIAL_RULE, step->rule, NULL);
        for (int p = 0; step->peers && p < peers->count; p++) {
            bench_variants_add(list, TRIAL_PEER, "", &peers->item[p]);
        }
    }
    return status;
}

void paper_work_run(const paper_work *work) {
    const paper_step *step = work->step;
    if (step->formats) {
        (step->ordered  ? paper_work_orders
         : step->solved ? paper_work_systems
                        : paper_work_formats)(work);
        return;
    }
    if (step->tuned) {
        paper_tuner(work);
        return;
    }
    bench_variants list = {0};
    tulle_status status = paper_work_list(work, &list);
    if (status == TULLE_OK && work->step->printed) {
        paper_printed(work, &list);
    } else if (status == TULLE_OK) {
        paper_work_measure(work, work->problem, &list, 0, false);
    } else {
        bench_session_failed(work->session, work->matrix->name, status);
    }
    bench_variants_free(&list);
}
