/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/papers/fem.h"
#include "lab/papers/make.h"
#include "lab/papers/profile.h"
#include "lab/papers/tasks.h"
#include "lab/papers/tuner.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/progress.h"
#include "trials/spmv.h"

bool paper_has(const paper_description *paper, const char *experiment) {
    for (int i = 0; i < paper->step_count; i++) {
        if (strcmp(paper->steps[i].experiment, experiment) == 0) return true;
    }
    return false;
}

/* Finds the real matrix's name of a stand-in, "F1" of "like:F1,stored"; false: spec names no
 * stand-in. */
static bool real_name(const char *spec, char name[256]) {
    if (strncmp(spec, "like:", 5) != 0) return false;
    snprintf(name, 256, "%.*s", (int)strcspn(spec + 5, ","), spec + 5);
    return true;
}

bool paper_goes_by(const char *spec, const char *name) {
    char real[256];
    return strcmp(spec, name) == 0 || (real_name(spec, real) && strcmp(real, name) == 0);
}

static const char *const *matrices_of(const paper_settings *p) {
    return p->quick ? p->paper->quick : p->paper->matrices;
}

bool paper_has_matrix(const paper_settings *settings, const char *name) {
    const char *const *spec = matrices_of(settings);
    while (*spec && !paper_goes_by(*spec, name)) spec++;
    return *spec != NULL;
}

/* True for a step with problems of its own, which is measured when the paper's matrices are done.
 */
static bool is_alone(const paper_step *step) {
    return step->fem || step->newton || step->batch || step->timeline;
}

bool paper_is_for(const paper_settings *p, const paper_step *step, const char *name) {
    const char *const *of = p->quick ? step->quick_only : step->only;
    if (is_alone(step)) return false;
    while (of && *of && !paper_goes_by(*of, name)) of++;
    return !of || *of;
}

/* True when a step that is asked for is measured on the matrix. */
static bool needs_matrix(const paper_settings *p, const char *spec) {
    for (int i = 0; i < p->paper->step_count; i++) {
        const paper_step *step = &p->paper->steps[i];
        if (paper_is_for(p, step, spec) && paper_asks(p, step)) return true;
    }
    return false;
}

static bool wanted(const paper_settings *p, const char *spec) {
    if (!needs_matrix(p, spec)) return false;
    for (int i = 0; i < p->only.count; i++) {
        if (paper_goes_by(spec, p->only.item[i])) return true;
    }
    return p->only.count == 0;
}

/* Opens the real matrix where the user has it, else the stand-in for it. */
static tulle_status open_matrix(bench_session *s, const char *spec, bench_matrix *matrix,
                                tulle_mat **A) {
    char path[4096];
    bool real = real_name(spec, matrix->name) && tool_find_matrix(matrix->name, path);
    if (!real) snprintf(matrix->name, sizeof matrix->name, "%s", spec);
    tool_source source;
    tulle_status status =
        tool_open_matrix(s->ctx, real ? path : spec, TULLE_F64, matrix->seed, A, &source);
    matrix->source = source.kind;
    return status == TULLE_OK ? tool_unfold_blocks(s->ctx, A) : status;
}

bool paper_asks(const paper_settings *p, const paper_step *step) {
    if (p->calls && !step->profiled) return false;
    for (int i = 0; i < p->experiments.count; i++) {
        if (strcmp(p->experiments.item[i], step->experiment) == 0) return true;
    }
    return p->experiments.count == 0;
}

/* Returns the number of steps from step `first` on that are run together: all of an experiment,
 * except that a step of formats stands alone. */
static int count_together(const paper_description *paper, int first) {
    const paper_step *step = &paper->steps[first];
    int count = 1;
    while (first + count < paper->step_count && !step->formats && !step[count].formats &&
           strcmp(step[count].experiment, step->experiment) == 0) {
        count++;
    }
    return count;
}

static void run_steps(bench_session *s, const paper_settings *p, const char *spec,
                      const bench_matrix *matrix, const trial_problem *problem) {
    for (int i = 0, count = 0; i < p->paper->step_count && !bench_session_over(s); i += count) {
        const paper_step *step = &p->paper->steps[i];
        count = count_together(p->paper, i);
        if (!paper_asks(p, step) || !paper_is_for(p, step, spec)) continue;
        paper_work work = {.session = s,
                           .matrix = matrix,
                           .problem = problem,
                           .step = step,
                           .step_count = count,
                           .experiment = {.paper = p->paper->number, .name = step->experiment}};
        if (p->calls) {
            paper_work_calls(&work);
        } else {
            paper_work_run(&work);
        }
    }
}

static tulle_status run_products(bench_session *s, const paper_settings *p, const char *spec,
                                 const bench_matrix *matrix, tulle_mat *A) {
    trial_problem problem;
    const bool check = !p->calls && !s->settings->no_check;
    tulle_status status =
        trial_spmv_open(s->ctx, A, TULLE_N, trial_one_vector, matrix->seed, check, &problem);
    if (status != TULLE_OK) return status;
    run_steps(s, p, spec, matrix, &problem);
    trial_problem_close(&problem);
    return TULLE_OK;
}

static void run_type(bench_session *s, const paper_settings *p, const char *spec,
                     const bench_matrix *matrix, const tulle_mat *A, tulle_type type) {
    tulle_mat *typed = NULL;
    tulle_status status = tulle_mat_copy(s->ctx, A, type, &typed);
    if (status == TULLE_OK) {
        status = p->paper->op ? paper_make(s, p, matrix, typed)
                              : run_products(s, p, spec, matrix, typed);
    }
    if (status != TULLE_OK) bench_session_failed(s, matrix->name, status);
    tulle_mat_destroy(typed);
}

static void run_matrix(bench_session *s, const paper_settings *p, const char *spec) {
    bench_matrix matrix = {.source = "", .seed = (uint64_t)s->settings->seed};
    tulle_mat *A = NULL;
    tulle_status status = open_matrix(s, spec, &matrix, &A);
    if (status == TULLE_OK) status = bench_session_measure_place(s);
    if (status != TULLE_OK) {
        tulle_mat_destroy(A);
        bench_session_failed(s, matrix.name, status);
        return;
    }
    for (int type = TULLE_F32; type <= TULLE_F64 && !bench_session_over(s); type++) {
        bool asked_for = s->settings->type == TRIAL_BOTH_TYPES || s->settings->type == type;
        if (asked_for) run_type(s, p, spec, &matrix, A, (tulle_type)type);
    }
    tulle_mat_destroy(A);
}

static tulle_status run_batches(bench_session *s, const paper_settings *p, const paper_step *step) {
    tulle_status status = TULLE_OK;
    for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK; type++) {
        const bool asked_for = s->settings->type == TRIAL_BOTH_TYPES || s->settings->type == type;
        if (!asked_for || bench_session_over(s)) continue;
        status = paper_tasks(s, p, step, (tulle_type)type);
    }
    return status;
}

static void run_step(bench_session *s, const paper_settings *p, const paper_step *step) {
    tulle_status status = bench_session_measure_place(s);
    const bench_experiment experiment = {.paper = p->paper->number, .name = step->experiment};
    if (status == TULLE_OK && step->timeline) status = paper_timeline(s, p, step);
    if (status == TULLE_OK && step->fem) paper_fem(s, &experiment, p->quick);
    if (status == TULLE_OK && step->batch) status = run_batches(s, p, step);
    if (status == TULLE_OK && step->newton && s->settings->type != TULLE_F32) {
        status = paper_newton(s, &experiment, step->domain, p->quick);
    }
    if (status != TULLE_OK) bench_session_failed(s, step->experiment, status);
}

/* Runs the steps with problems of their own, unless only some matrices are wanted. */
static void run_alone(bench_session *s, const paper_settings *p) {
    for (int i = 0; i < p->paper->step_count && p->only.count == 0; i++) {
        const paper_step *step = &p->paper->steps[i];
        if (is_alone(step) && paper_asks(p, step) && !bench_session_over(s)) run_step(s, p, step);
    }
}

static void print_end(const bench_session *s, int begun, int count) {
    if (s->settings->quiet) return;
    if (begun < count || s->cut) {
        fprintf(stderr, "tulle: paper: stopped early");
        if (count > 0) fprintf(stderr, ": %d of %d matrices not begun", count - begun, count);
        fputc('\n', stderr);
    }
    fprintf(stderr, "tulle: paper: %s: %d %s, %" PRId64 " measurements", s->place.machine, begun,
            begun == 1 ? "matrix" : "matrices", s->measured);
    if (s->wrong) fprintf(stderr, ", %" PRId64 " WRONG", s->wrong);
    if (s->failed) fprintf(stderr, ", %" PRId64 " failed", s->failed);
    fputc('\n', stderr);
}

static int code_of(const bench_session *s) {
    if (s->code != TOOL_OK) return s->code;
    if (tool_interrupted()) return TOOL_INTERRUPTED;
    return s->wrong > 0 || s->failed > 0 ? TOOL_FAILED : TOOL_OK;
}

static int measure_all(const paper_settings *p) {
    bench_session session;
    int code = bench_session_open(&p->bench, &session);
    if (code != TOOL_OK) return code;
    int count = 0, begun = 0;
    for (const char *const *spec = matrices_of(p); *spec; spec++) count += wanted(p, *spec);
    for (const char *const *spec = matrices_of(p); *spec && !bench_session_over(&session); spec++) {
        if (!wanted(p, *spec)) continue;
        begun++;
        run_matrix(&session, p, *spec);
    }
    run_alone(&session, p);
    print_end(&session, begun, count);
    bench_session_close(&session);
    return code_of(&session);
}

int paper_run(const paper_settings *settings) {
    /* CUDA reads this variable when the program first uses the GPU. */
    if (settings->paper->many_streams) setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    return settings->profile ? paper_profile(settings) : measure_all(settings);
}
