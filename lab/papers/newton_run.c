/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/tuning_solve.h"
#include "lab/papers/newton.h"
#include "lab/papers/specs.h"
#include "lab/papers/tuner.h"
#include "tools/common/error.h"
#include "tools/common/fields.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"
#include "tools/common/say.h"
#include "trials/spmv.h"

/* STEPS: number of steps of Newton's method. SIDE, QUICK_SIDE: numbers of points of a side of the
 * grid. tolerance: relative tolerance of each linear system, such that its residual is of the size
 * of the terms that Newton's method leaves out. Everything is in f64: in f32, on so fine a grid,
 * BiCGStab ends when a linear system is hardly begun, since rounding A x leaves 6e-8 |A| |x|, a
 * fortieth of |b|. */
enum { STEPS = 5, SIDE = 1000, QUICK_SIDE = 16 };
static const double tolerance = 1e-4;

static const tulle_method method = TULLE_BICGSTAB;

typedef struct sequence {
    tulle_ctx *ctx;
    newton_grid grid;
    double *change; /* change of u in a step */
    tulle_mat *A;
    tulle_vec *b, *x;
    const char *domain;    /* domain of the tuner; NULL: the tuner's default, no product is noted */
    trial_problem problem; /* problem of the noted products, if there is a domain */
    bench_tuning *tuning;  /* noted products, if there is a domain; NULL: none yet */
    bench_noted noted;
    tulle_tuner *tuner;
    tulle_linop *L, *P, *M; /* products with A by the tuner; A without the tuner; Jacobi's
                               preconditioner, made from P */
    tulle_solver *S;
    double start;          /* norm of the residual at the start */
    tulle_tuner_info info; /* the tuner's state after the last step */
    bench_row_solution step[STEPS];
} sequence;

/* Makes the operator of the tuner's products, each of which is noted. */
static tulle_status make_noted(sequence *s) {
    tulle_status status =
        trial_spmv_open(s->ctx, s->A, TULLE_N, trial_one_vector, 1, false, &s->problem);
    if (status != TULLE_OK) return status;
    s->tuning = tool_alloc(1, sizeof *s->tuning);
    s->tuning->problem = &s->problem;
    s->noted = (bench_noted){.tuning = s->tuning, .tuner = s->tuner};
    return bench_noted_operator(&s->noted, &s->L);
}

static tulle_status make_solver(sequence *s) {
    const tulle_tuner_options alone = {.cache = "", .spec = s->domain};
    const tulle_solver_options options = {.method = method, .tolerance = tolerance};
    tulle_status status = tulle_tuner_create(s->ctx, &alone, &s->tuner);
    if (status == TULLE_OK) {
        status = s->domain ? make_noted(s) : tulle_linop_tuned(s->ctx, s->tuner, s->A, &s->L);
    }
    if (status == TULLE_OK) status = tulle_linop_from_mat(s->ctx, s->A, &s->P);
    if (status == TULLE_OK) status = tulle_linop_jacobi(s->ctx, s->P, &s->M);
    return status == TULLE_OK ? tulle_solver_create(s->ctx, s->L, s->M, &options, &s->S) : status;
}

static tulle_status make_matrix(sequence *s) {
    const newton_grid *g = &s->grid;
    tulle_status status =
        tulle_mat_create_csr(s->ctx, g->rows, g->rows, g->nnz, TULLE_I32, g->offsets, g->columns,
                             TULLE_F64, g->values, NULL, &s->A);
    if (status == TULLE_OK) status = tulle_vec_create(s->ctx, TULLE_F64, g->rows, &s->b);
    return status == TULLE_OK ? tulle_vec_create(s->ctx, TULLE_F64, g->rows, &s->x) : status;
}

/* Gives A the values of the Jacobian at u; the pattern, with all data derived from it, stays. */
static tulle_status renew(sequence *s) {
    const newton_grid *g = &s->grid;
    if (!s->A) {
        tulle_status status = make_matrix(s);
        return status == TULLE_OK ? make_solver(s) : status;
    }
    tulle_status status = tulle_mat_set_values(s->ctx, s->A, g->nnz, g->values);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(s->ctx);
    return status == TULLE_OK ? tulle_linop_renew(s->ctx, s->M) : status;
}

/* Computes u := u + x. */
static tulle_status move(sequence *s) {
    newton_grid *g = &s->grid;
    tulle_status status = tulle_vec_read(s->ctx, s->x, s->change, 0);
    for (int64_t i = 0; i < g->rows && status == TULLE_OK; i++) {
        g->u[i] += s->change[i];
    }
    return status;
}

static tulle_status solve(sequence *s, tulle_solver_report *report) {
    newton_grid *g = &s->grid;
    tulle_status status = renew(s);
    if (status == TULLE_OK) {
        status = tulle_vec_write(s->ctx, s->b, g->left, 0);
    }
    if (status == TULLE_OK) status = tulle_solver_run(s->ctx, s->S, s->b, s->x, report);
    if (status == TULLE_OK) status = tulle_tuner_describe(s->tuner, TULLE_N, s->A, &s->info);
    if (status != TULLE_OK || report->outcome == TULLE_CONVERGED) return status;
    return tool_record(TULLE_INVALID_ARGUMENT, "%s in Newton's method: %s",
                       tulle_method_name(method), tulle_outcome_text(report->outcome));
}

static tulle_status take_step(sequence *s, int k) {
    const int before = s->info.steps;
    tulle_solver_report report;
    tulle_status status = solve(s, &report);
    if (status == TULLE_OK) status = move(s);
    if (status != TULLE_OK) return status;
    s->step[k] = (bench_row_solution){.number = k + 1,
                                      .method = tulle_method_name(method),
                                      .iterations = report.iterations,
                                      .applications = report.products,
                                      .trials = s->info.steps - before,
                                      .settled = s->info.settled,
                                      .left = newton_assemble(&s->grid) / s->start,
                                      .ms = report.setup_ms + report.solve_ms};
    return TULLE_OK;
}

static tulle_status take_steps(sequence *s) {
    s->change = tool_alloc((size_t)s->grid.rows, sizeof *s->change);
    s->start = newton_assemble(&s->grid);
    tulle_status status = TULLE_OK;
    for (int k = 0; k < STEPS && status == TULLE_OK; k++) {
        if (tool_progress(NULL, "Newton's method", k, STEPS)) return TULLE_CANCELLED;
        status = take_step(s, k);
    }
    tool_progress_end();
    return status;
}

static void release(sequence *s) {
    tulle_solver_destroy(s->S);
    tulle_linop_destroy(s->M);
    tulle_linop_destroy(s->P);
    tulle_linop_destroy(s->L);
    if (s->tuning) trial_problem_close(&s->problem);
    free(s->tuning);
    tulle_tuner_destroy(s->tuner);
    tulle_vec_destroy(s->b);
    tulle_vec_destroy(s->x);
    tulle_mat_destroy(s->A);
    free(s->change);
    newton_close(&s->grid);
}

static void print(const sequence *s, const bench_experiment *experiment) {
    static const tool_column columns[] = {{">step", "{number}"},
                                          {">products", "{products}"},
                                          {">tried", "{tried}"},
                                          {"settled", "<{?settled}yes><{!settled}no>"},
                                          {">of the start", "{left:2g}"},
                                          {">time", "{ms:ms}"},
                                          {NULL, NULL}};
    cJSON *fields = tool_json_object(), *list = tool_json_list(fields, "steps");
    for (int k = 0; k < STEPS; k++) {
        const bench_row_solution *step = &s->step[k];
        cJSON *item = tool_json_item(list);
        tool_json_int(item, "number", step->number);
        tool_json_int(item, "products", step->applications);
        tool_json_int(item, "tried", step->trials);
        tool_json_bool(item, "settled", step->settled);
        tool_json_real(item, "left", step->left);
        tool_json_real(item, "ms", step->ms);
    }
    tool_say("\nPaper %d, %s: %s\n", experiment->paper, experiment->name,
             tool_type_name(TULLE_F64));
    tool_say_table(fields, "steps", columns);
    cJSON_Delete(fields);
}

/* Writes a row for each noted product, beside the exhaustive search in the same domain. */
static tulle_status keep_products(bench_session *session, const bench_experiment *experiment,
                                  const bench_matrix *matrix, const trial_problem *problem,
                                  sequence *s) {
    const bench_tuning_settings settings = {
        .search = BENCH_EXHAUSTIVE, .cache = "", .spec = s->domain, .experiment = experiment};
    bench_tuning *t = s->tuning;
    t->place = &session->place;
    t->matrix = matrix;
    tulle_status status = bench_tuning_run(problem, &settings, &session->settings->budget, t);
    if (status != TULLE_OK) return status;
    paper_tuning_keep(session, experiment, t);
    return TULLE_OK;
}

/* Writes a row for each step, with the times of the kernel that the tuner ended with, on the last
 * matrix. */
static tulle_status keep(bench_session *session, const bench_experiment *experiment, sequence *s) {
    bench_matrix matrix = {.source = "generated", .seed = (uint64_t)session->settings->seed};
    bench_variant variant = {.choice = TRIAL_FORCED};
    trial_problem problem;
    snprintf(matrix.name, sizeof matrix.name, "newton:%lld", (long long)s->grid.side);
    snprintf(variant.spec, sizeof variant.spec, "%s", s->info.best);
    snprintf(variant.request, sizeof variant.request, "forced %s", s->info.best);
    tulle_status status = trial_spmv_open(s->ctx, s->A, TULLE_N, trial_one_vector, matrix.seed,
                                          !session->settings->no_check, &problem);
    if (status != TULLE_OK) return status;
    bench_row row = {.place = &session->place,
                     .experiment = experiment,
                     .matrix = &matrix,
                     .problem = &problem,
                     .variant = &variant};
    status = bench_measure(&problem, &variant, &session->settings->budget, &row);
    session->measured += status == TULLE_OK;
    session->wrong += status == TULLE_OK && row.err > 1;
    for (int k = 0; k < STEPS && status == TULLE_OK && session->json; k++) {
        if (bench_row_write_solution(&row, &s->step[k], session->json)) continue;
        bench_session_unwritten(session);
        break;
    }
    if (status == TULLE_OK && s->tuning) {
        status = keep_products(session, experiment, &matrix, &problem, s);
    }
    trial_problem_close(&problem);
    return status;
}

static tulle_status run(bench_session *session, const bench_experiment *experiment, sequence *s) {
    tulle_status status = take_steps(s);
    if (status == TULLE_OK && session->table) print(s, experiment);
    return status == TULLE_OK ? keep(session, experiment, s) : status;
}

tulle_status paper_newton(bench_session *session, const bench_experiment *experiment,
                          const char *domain, bool quick) {
    sequence s = {.ctx = session->ctx, .domain = domain};
    if (domain && !paper_specs_there(domain, session->place.device.backend)) return TULLE_OK;
    newton_open(quick ? QUICK_SIDE : SIDE, &s.grid);
    tulle_status status = paper_domain_begin(s.ctx, domain);
    if (status == TULLE_OK) status = run(session, experiment, &s);
    status = paper_domain_end(s.ctx, domain, status);
    release(&s);
    return status;
}
