/* SPDX-License-Identifier: Apache-2.0 */
/* Solves A x + y = 0 for a random y by an iterative method whose products are those of a format,
 * with the kernel that the library takes by itself. A is the work's matrix where a method can use
 * it, else a matrix that is made from it (trials/system.h). The residual is computed anew from x by
 * A in CSR.
 */
#include "bench/measure.h"
#include "lab/papers/tuner.h"
#include "lab/papers/work.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "trials/spmv.h"

typedef struct equations {
    const paper_work *work; /* work whose problem has A in CSR, and y as its x */
    tulle_method method;
    tulle_vec *minus_y, *x, *left;
    double norm; /* norm of y */
} equations;

static tulle_status open_vectors(equations *e) {
    const trial_problem *p = e->work->problem;
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &e->minus_y);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &e->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &e->left);
    if (status == TULLE_OK) status = tulle_vec_copy(p->ctx, p->x, e->minus_y);
    if (status == TULLE_OK) status = tulle_vec_scale(p->ctx, tulle_num(-1), e->minus_y);
    return status == TULLE_OK ? tulle_vec_norm2(p->ctx, p->x, tulle_to_num(&e->norm)) : status;
}

static void close_vectors(const equations *e) {
    tulle_vec_destroy(e->minus_y);
    tulle_vec_destroy(e->x);
    tulle_vec_destroy(e->left);
}

/* Computes the norm of A x + y over the norm of y. */
static tulle_status find_left(const equations *e, double *left) {
    const trial_problem *p = e->work->problem;
    double norm = 0;
    tulle_status status = tulle_vec_copy(p->ctx, p->x, e->left);
    if (status == TULLE_OK) {
        status = tulle_spmv(p->ctx, TULLE_N, tulle_num(1), p->A, e->x, tulle_num(1), e->left);
    }
    if (status == TULLE_OK) status = tulle_vec_norm2(p->ctx, e->left, tulle_to_num(&norm));
    *left = norm / e->norm;
    return status;
}

/* Solves twice; the second time counts, for the first may load code and fill the pool. */
static tulle_status solve(const equations *e, tulle_mat *A, tulle_solver_report *report) {
    tulle_ctx *ctx = e->work->problem->ctx;
    const tulle_solver_options options = {.method = e->method};
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_status status = tulle_linop_from_mat(ctx, A, &L);
    if (status == TULLE_OK) status = tulle_solver_create(ctx, L, NULL, &options, &S);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_solver_run(ctx, S, e->minus_y, e->x, report);
    }
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    return status;
}

/* Writes a row that says that the method did not converge, which is a result, too. */
static void give_up(const equations *e, const bench_row *row, const tulle_solver_report *report,
                    double left) {
    (void)tool_record(TULLE_UNSUPPORTED, "%s: %s, after %lld iterations; |A x + y| is %.1e of |y|",
                      tulle_method_name(e->method), tulle_outcome_text(report->outcome),
                      (long long)report->iterations, left);
    paper_work_refused(e->work, row);
}

static void keep(const equations *e, const bench_row *row, const bench_row_solution *solution) {
    bench_session *s = e->work->session;
    s->measured++;
    s->wrong += row->err > 1;
    if (s->json && !bench_row_write_solution(row, solution, s->json)) bench_session_unwritten(s);
    if (!s->table) return;
    printf("Paper %d, %s: %s %s in %s: %s, %lld iterations, %.4g ms, |A x + y| %.2g of |y|\n",
           row->experiment->paper, row->experiment->name, row->matrix->name,
           tool_type_name(row->problem->info.type), tool_format_name(row->problem->info.format),
           solution->method, (long long)solution->iterations, solution->ms, solution->left);
}

/* Measures a product with the kernel that the library takes, and the solution. */
static tulle_status measure(const equations *e, const trial_problem *problem, double prep_ms) {
    bench_variants list = {0};
    bench_variants_add(&list, TRIAL_RULE, "", NULL);
    bench_row row = paper_work_row(e->work, problem, &list.item[0]);
    tulle_solver_report report;
    bench_row_solution solution = {.number = 1, .method = tulle_method_name(e->method)};
    tulle_status status =
        bench_measure(problem, &list.item[0], &e->work->session->settings->budget, &row);
    if (status == TULLE_OK) status = solve(e, problem->A, &report);
    if (status == TULLE_OK) status = find_left(e, &solution.left);
    if (status == TULLE_OK && report.outcome != TULLE_CONVERGED) {
        give_up(e, &row, &report, solution.left);
    } else if (status == TULLE_OK) {
        row.prep_ms += prep_ms;
        solution.iterations = report.iterations;
        solution.applications = report.products;
        solution.settled = true;
        solution.ms = report.setup_ms + report.solve_ms;
        keep(e, &row, &solution);
    }
    bench_variants_free(&list);
    return status;
}

static void measure_format(const equations *e, tulle_format format) {
    const trial_problem *csr = e->work->problem;
    trial_problem problem;
    tulle_mat *A = NULL;
    double prep_ms = 0;
    tulle_status status = paper_work_convert(csr, csr->A, format, &A, &prep_ms);
    if (status == TULLE_OK) {
        status = trial_spmv_open(csr->ctx, A, TULLE_N, trial_one_vector, e->work->matrix->seed,
                                 false, &problem);
    }
    if (status == TULLE_OK) {
        problem.check = csr->check;
        status = measure(e, &problem, format == csr->info.format ? 0 : prep_ms);
        problem.check = NULL;
        trial_problem_close(&problem);
    }
    if (status != TULLE_OK) paper_work_without(e->work, format, status);
    tulle_mat_destroy(A);
}

static tulle_status measure_formats(equations *e) {
    tulle_status status = open_vectors(e);
    for (int f = 0; f < TULLE_FORMAT_COUNT && status == TULLE_OK; f++) {
        const bool listed =
            paper_work_lists(e->work->step->formats, tool_format_name((tulle_format)f));
        if (listed && !bench_session_over(e->work->session)) measure_format(e, (tulle_format)f);
    }
    close_vectors(e);
    return status;
}

void paper_work_systems(const paper_work *work) {
    const trial_problem *p = work->problem;
    paper_work on_system = *work;
    equations e = {.work = &on_system};
    trial_problem problem;
    tulle_mat *A = NULL;
    tulle_status status = paper_system_of(work, &A, &e.method);
    if (status == TULLE_OK) {
        status = trial_spmv_open(p->ctx, A, TULLE_N, trial_one_vector, work->matrix->seed,
                                 p->check != NULL, &problem);
    }
    if (status == TULLE_OK) {
        on_system.problem = &problem;
        status = measure_formats(&e);
        trial_problem_close(&problem);
    }
    if (status != TULLE_OK) bench_session_failed(work->session, work->matrix->name, status);
    tulle_mat_destroy(A);
}
