/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration of CG with the matrix of a mesh, by all ways to have that. Its floor has the
 * operator's bytes, and ten numbers a row for the vectors. */
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/mesh_system.h"
#include "trials/solve.h"
#include "trials/vectors.h"

/* ITERATIONS: number of iterations of a call; a solution on a mesh that is worth solving on takes
 * more. NUMBERS: number of numbers of vectors that an iteration reads or writes for each row.
 * worse: factor by which the residual of a call may be above that of the assembled matrix. */
enum { ITERATIONS = 40, NUMBERS = 10 };
static const double worse = 10;

typedef struct reference {
    trial_solve solve; /* comes first: trial_solve_error reads it */
    const trial_mesh_system *system;
    trial_mesh_system own; /* the system, where no other problem shares it */
    trial_operator o;
    tulle_solver *S;
    double prep_ms;
    int64_t extra_bytes;
} reference;

/* Options with which a solution takes exactly ITERATIONS iterations: the tolerance is never
 * reached. */
static const tulle_solver_options options = {
    .method = TULLE_CG, .tolerance = 1e-300, .max_iterations = ITERATIONS, .patience = INT64_MAX};

static tulle_status open_solver(trial_problem *p) {
    reference *r = p->own;
    tulle_memory_usage before, after;
    tulle_status status = tulle_ctx_memory(p->ctx, &before);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = trial_operator_open(&r->system->mesh, (trial_operator_kind)p->detail, &r->o);
    }
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, r->o.L, NULL, &options, &r->S);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    r->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) r->extra_bytes = (int64_t)(after.in_use - before.in_use);
    return status;
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const reference *r = p->own;
    tulle_solver_report report;
    tulle_status status = tulle_solver_run(p->ctx, r->S, p->x, p->y, &report);
    if (status != TULLE_OK || report.iterations == ITERATIONS) return status;
    return tool_record(TULLE_UNSUPPORTED, "CG is done after %d iterations: %s",
                       (int)report.iterations, tulle_outcome_text(report.outcome));
}

static tulle_status apply(void *state) {
    const trial_problem *p = state;
    const reference *r = p->own;
    return tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), r->o.L, p->x, tulle_num(0), p->y);
}

static tulle_status count(trial_problem *p, const tool_budget *budget) {
    const reference *r = p->own;
    tool_timing timing = {.ms = 0};
    const tulle_status status = tool_time_well(p->ctx, budget, apply, p, &timing);
    p->iterations = ITERATIONS;
    p->product_ms = timing.ms;
    p->vector_bytes = NUMBERS * p->info.rows * tulle_type_size(p->info.type);
    p->minimal_bytes = r->o.bytes + p->vector_bytes;
    return status;
}

/* Finds the norm of |A| |x| for the solution x, computed in f64. */
static tulle_status size_of_product(const trial_problem *p, double *size) {
    const reference *r = p->own;
    const tool_csr *A = &r->system->host;
    double *x = tool_block_host(p->y), sum = 0;
    const tulle_status status = tool_block_read(p->ctx, p->y, x);
    for (int64_t i = 0; i < A->rows && status == TULLE_OK; i++) {
        double row = 0;
        for (int64_t k = tool_csr_offset(A, i); k < tool_csr_offset(A, i + 1); k++) {
            row += fabs(tool_csr_value(A, k) * x[tool_csr_column(A, k)]);
        }
        sum += row * row;
    }
    free(x);
    *size = sqrt(sum);
    return status;
}

/* Allows a larger residual where A's numbers are in f32 under vectors in f64. They make another
 * matrix A', and |A' x - A x| is at most a rounding of f32 in each of |A| |x|, as far as numbers of
 * elements do not cancel in A. */
static tulle_status allow_narrow(const trial_problem *p) {
    reference *r = p->own;
    double size = 0;
    if (p->detail != TRIAL_OPERATOR_narrow) return TULLE_OK;
    const tulle_status status = size_of_product(p, &size);
    r->solve.allowed += worse * (double)trial_gamma(TULLE_F32, 1) * size;
    return status;
}

/* Finds the residual after ITERATIONS iterations with the assembled matrix, of which a call may
 * have a multiple. */
static tulle_status open_check(trial_problem *p, bool check) {
    reference *r = p->own;
    tulle_solver_report report = {.norm = 0};
    if (!check) return TULLE_OK;
    tulle_status status = tulle_solver_run(p->ctx, r->S, p->x, p->y, &report);
    if (status != TULLE_OK) return status;
    r->solve.allowed = worse * report.norm;
    r->solve.b = tool_block_host(p->x);
    r->solve.A = r->system->host;
    status = allow_narrow(p);
    return status == TULLE_OK ? tool_block_read(p->ctx, p->x, r->solve.b) : status;
}

static tulle_status open_system(const trial_problem *p, const trial_given *given, reference *r) {
    trial_mesh mesh;
    r->system = given->system ? given->system : &r->own;
    if (given->system) return TULLE_OK;
    const tulle_status status = trial_mesh_open(p->ctx, given->mesh, given->type, &mesh);
    if (status != TULLE_OK) return status;
    r->own.mesh = mesh;
    return trial_mesh_system_make(&r->own, given->type, given->check);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    reference *r = tool_alloc(1, sizeof *r);
    *r = (reference){.system = NULL};
    p->own = r;
    tulle_status status = open_system(p, given, r);
    if (status != TULLE_OK) return status;
    p->info = r->system->mesh.csr;
    p->A = r->system->A;
    status = trial_problem_vectors(p, given->seed);
    if (status == TULLE_OK) status = open_solver(p);
    if (status == TULLE_OK) status = count(p, &given->budget);
    return status == TULLE_OK ? open_check(p, given->check) : status;
}

static void close_problem(trial_problem *p) {
    reference *r = p->own;
    if (!r) return;
    tulle_solver_destroy(r->S);
    trial_operator_close(&r->o);
    free(r->solve.b);
    trial_mesh_system_close(&r->own);
    free(r);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const reference *r = p->own;
    task->state = (void *)p;
    task->prep_ms = r->prep_ms;
    task->extra_bytes = r->extra_bytes;
    return TULLE_OK;
}

static void finish(void *state) {
    (void)state; /* all is the problem's */
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    return trial_solve_error(p, units);
}

const trial_operation trial_operation_mesh_cg = {
    .name = "mesh_cg",
    .function = "tulle_solver_run",
    .formula = "A x = b by CG on a mesh",
    .meshes = true,
#define X(word) #word,
    .detail = {TRIAL_OPERATORS(X)},
#undef X
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
