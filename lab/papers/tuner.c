/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/tuner.h"

#include <stdlib.h>

#include "lab/papers/specs.h"
#include "tools/common/error.h"
#include "trials/spmv.h"
#include "trials/system.h"

tulle_status paper_system_of(const paper_work *work, tulle_mat **A, tulle_method *method) {
    const trial_problem *p = work->problem;
    *method = TULLE_CG;
    tulle_status status = trial_system_of(p->ctx, p->A, true, A);
    if (status != TULLE_UNSUPPORTED) return status;
    (void)tool_error_line();
    *method = TULLE_BICGSTAB;
    return trial_system_of(p->ctx, p->A, false, A);
}

void paper_tuning_keep(bench_session *s, const bench_experiment *experiment,
                       const bench_tuning *tuning) {
    for (int i = 0; i < tuning->tuned_count; i++) {
        s->measured++;
        s->wrong += tuning->tuned[i].row.err > 1;
    }
    if (s->json && !bench_tuning_write(tuning, s->json)) bench_session_unwritten(s);
    if (!s->table) return;
    printf("\nPaper %d, %s:\n", experiment->paper, experiment->name);
    bench_tuning_report(tuning);
}

tulle_status paper_domain_begin(tulle_ctx *ctx, const char *domain) {
    return domain ? tulle_ctx_set_rule(ctx, "reguly_giles") : TULLE_OK;
}

tulle_status paper_domain_end(tulle_ctx *ctx, const char *domain, tulle_status status) {
    tulle_status restored = domain ? tulle_ctx_set_rule(ctx, "tulle") : TULLE_OK;
    return status != TULLE_OK ? status : restored;
}

static tulle_status search(const paper_work *work, tulle_mat *A, tulle_method method) {
    const trial_problem *p = work->problem;
    const tool_budget *budget = &work->session->settings->budget;
    const bench_tuning_settings settings = {.search = TRIAL_BOTH,
                                            .cache = "",
                                            .spec = work->step->domain,
                                            .solving = true,
                                            .method = method,
                                            .experiment = &work->experiment};
    trial_problem problem;
    tulle_status status = trial_spmv_open(p->ctx, A, TULLE_N, trial_one_vector, work->matrix->seed,
                                          p->check, &problem);
    if (status != TULLE_OK) return status;
    bench_tuning *tuning = tool_alloc(1, sizeof *tuning);
    tuning->place = &work->session->place;
    tuning->matrix = work->matrix;
    status = paper_domain_begin(p->ctx, settings.spec);
    if (status == TULLE_OK) status = bench_tuning_run(&problem, &settings, budget, tuning);
    status = paper_domain_end(p->ctx, settings.spec, status);
    if (status == TULLE_OK) paper_tuning_keep(work->session, &work->experiment, tuning);
    free(tuning);
    trial_problem_close(&problem);
    return status;
}

void paper_tuner(const paper_work *work) {
    const char *domain = work->step->domain;
    if (domain && !paper_specs_there(domain, work->problem->device.backend)) return;
    tulle_mat *A = NULL;
    tulle_method method;
    tulle_status status = paper_system_of(work, &A, &method);
    if (status == TULLE_OK) status = search(work, A, method);
    if (status != TULLE_OK) bench_session_failed(work->session, work->matrix->name, status);
    tulle_mat_destroy(A);
}
