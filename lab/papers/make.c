/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "trials/making.h"
#include "trials/op.h"

enum { CAPPED_SECONDS = 60 };

/* Most multiplications of a product of which all rows are checked, and the number of rows that are
 * checked of a larger product: the reference in long double takes minutes for each of those. */
static const int64_t most_checked = 1000000000, quick_most_checked = 1000;
enum { CHECKED_ROWS = 1000, QUICK_CHECKED_ROWS = 10 };

typedef struct work {
    bench_session *session;
    const paper_settings *settings;
    const bench_matrix *matrix;
    const trial_problem *problem;
    bench_experiment experiment;
    tool_budget budget;
} work;

/* True when kernel number i of the back end has all the parameters of "NAME:param=value,...". */
static bool has_params(tulle_backend backend, int i, const char *spec) {
    const char *rest = spec + strcspn(spec, ":");
    while (*rest) {
        const char *name = rest + 1;
        size_t length = strcspn(name, "=");
        tulle_param_info param;
        bool found = false;
        for (int p = 0; tulle_kernel_param(backend, i, p, &param) == TULLE_OK && !found; p++) {
            found = strlen(param.name) == length && strncmp(param.name, name, length) == 0;
        }
        (void)tool_error_line();
        if (!found) return false;
        rest = name + strcspn(name, ",");
    }
    return true;
}

/* Adds the kernels that a pattern means among the kernels that the place has. */
static void add_kernels(const work *w, const char *pattern, bench_variants *list) {
    const trial_problem *p = w->problem;
    tulle_backend backend = p->device.backend;
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        bool its = strcmp(info.operation, p->operation->name) == 0;
        if (!its || !info.supports[p->info.type][p->info.index]) continue;
        bool any = strcmp(pattern, "*") == 0 && strcmp(info.name, w->session->own) != 0;
        if (any) bench_variants_add(list, TRIAL_FORCED, info.name, NULL);
        bool named = tool_kernel_means(pattern, info.name) && has_params(backend, i, pattern);
        if (named) bench_variants_add(list, TRIAL_FORCED, pattern, NULL);
    }
}

static void add_step(const work *w, const paper_step *step, bench_variants *list) {
    const bench_peer_set *peers = &w->session->peers;
    if (step->kernel) add_kernels(w, step->kernel, list);
    if (step->rule) bench_variants_add(list, TRIAL_RULE, "", NULL);
    for (int i = 0; step->peers && i < peers->count; i++) {
        bench_variants_add(list, TRIAL_PEER, "", &peers->item[i]);
    }
}

static void run_list(const work *w, const bench_variants *list) {
    bench_session *s = w->session;
    bench_row *rows = tool_alloc((size_t)list->count + 1, sizeof *rows);
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        s->cut = bench_session_over(s);
        if (s->cut) break;
        bench_row *row = &rows[count];
        *row = (bench_row){.place = &s->place,
                           .experiment = &w->experiment,
                           .matrix = w->matrix,
                           .problem = w->problem,
                           .variant = &list->item[i]};
        char what[BENCH_ROW_TEXT];
        (void)tool_progress(NULL, bench_row_text(row, what), i, list->count);
        tulle_status status = bench_measure(w->problem, row->variant, &w->budget, row);
        if (status != TULLE_OK) {
            bench_session_give_up(s, row, status, true);
            continue;
        }
        bench_session_keep(s, row);
        count++;
    }
    tool_progress_end();
    if (s->table && count) {
        printf("\nPaper %d, %s:", w->experiment.paper, w->experiment.name);
        bench_report(rows, count);
    }
    free(rows);
}

/* Runs the steps of an experiment from step `first` on; returns the number of these steps. */
static int run_experiment(work *w, int first) {
    const paper_description *paper = w->settings->paper;
    const char *name = paper->steps[first].experiment;
    bench_variants list = {0};
    int count = 0;
    w->experiment = (bench_experiment){.paper = paper->number, .name = name};
    while (first + count < paper->step_count &&
           strcmp(paper->steps[first + count].experiment, name) == 0) {
        add_step(w, &paper->steps[first + count++], &list);
    }
    if (!paper->steps[first].capped) bench_variants_pool(&list, w->problem->device.backend);
    run_list(w, &list);
    bench_variants_free(&list);
    return count;
}

static void run_steps(work *w, bool capped) {
    const paper_description *paper = w->settings->paper;
    for (int i = 0, count = 1; i < paper->step_count && !bench_session_over(w->session);
         i += count) {
        const paper_step *step = &paper->steps[i];
        bool asked = step->capped == capped && paper_asks(w->settings, step) &&
                     paper_is_for(w->settings, step, w->matrix->name);
        count = asked ? run_experiment(w, i) : 1;
    }
}

static bool is_large(const paper_settings *p, const bench_matrix *matrix) {
    const char *const *spec = p->quick ? p->paper->quick_large : p->paper->large;
    while (*spec && !paper_goes_by(*spec, matrix->name)) spec++;
    return *spec != NULL;
}

static bool asks_for_capped(const paper_settings *p) {
    for (int i = 0; i < p->paper->step_count; i++) {
        const paper_step *step = &p->paper->steps[i];
        if (step->capped && paper_asks(p, step)) return true;
    }
    return false;
}

/* Runs the capped steps on a context of their own, whose memory cap is what the paper's cap leaves
 * beside the matrix. A call has a minute, unless the command line gives another limit. */
static tulle_status run_capped(const work *w, const trial_problem *problem) {
    const paper_settings *p = w->settings;
    int64_t cap = p->quick ? p->paper->quick_cap : p->paper->cap;
    trial_making capped = *trial_making_of(problem);
    trial_problem once_capped = *problem;
    once_capped.own = &capped;
    capped.cap = cap - (capped.a.pattern_bytes + capped.a.value_bytes);
    if (capped.cap < 1) capped.cap = 1; /* the matrix alone is larger than the cap */
    const tulle_ctx_options options = {.memory_cap = (size_t)capped.cap};
    tulle_status status = tulle_ctx_create(p->bench.on, &options, &capped.ctx);
    if (status != TULLE_OK) return status;
    trial_limit *limit = &w->session->limit;
    const double asked = limit->seconds;
    if (asked == 0) limit->seconds = CAPPED_SECONDS;
    work once = *w;
    once_capped.ctx = capped.ctx;
    once.problem = &once_capped;
    once.budget = (tool_budget){.repeat = 1, .seconds = 0};
    status = trial_limit_watch(limit, capped.ctx);
    if (status == TULLE_OK) run_steps(&once, true);
    limit->seconds = asked;
    tulle_ctx_destroy(capped.ctx);
    return status;
}

/* Has a sample of the rows of large products checked. */
static void choose_rows(bool quick, uint64_t seed, trial_problem *p) {
    trial_making *m = trial_making_of(p);
    if (!m->known || m->products <= (quick ? quick_most_checked : most_checked)) return;
    m->sample = (tool_sample){.most = quick ? QUICK_CHECKED_ROWS : CHECKED_ROWS, .seed = seed};
    if (tool_sample_is_part(&m->sample, m->a.rows)) p->checked_rows = m->sample.most;
}

tulle_status paper_make(bench_session *session, const paper_settings *settings,
                        const bench_matrix *matrix, tulle_mat *A) {
    const trial_given given = {.A = A,
                               .csr = A,
                               .block = trial_one_vector,
                               .check = !session->settings->no_check,
                               .limit = &session->limit};
    trial_problem problem;
    tulle_status status = trial_problem_open(
        session->ctx, trial_operation_of(session->settings->op), &given, &problem);
    if (status != TULLE_OK) return status;
    choose_rows(settings->quick, matrix->seed, &problem);
    work w = {.session = session,
              .settings = settings,
              .matrix = matrix,
              .problem = &problem,
              .budget = session->settings->budget};
    run_steps(&w, false);
    if (is_large(settings, matrix) && asks_for_capped(settings)) {
        status = tulle_ctx_trim(session->ctx);
        if (status == TULLE_OK) status = run_capped(&w, &problem);
    }
    trial_problem_close(&problem);
    return status;
}
