/* SPDX-License-Identifier: Apache-2.0 */
/* Products, and solutions in one call. */
#include "bench_calls.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/block.h"
#include "tools/common/error.h"

const tool_call_kind *tool_call_kind_of(const trial_operation *operation) {
    if (strcmp(operation->name, "spmv") == 0) return &tool_call_product;
    if (strcmp(operation->name, "solve") == 0) return &tool_call_solution;
    if (operation->hierarchy && !operation->meshes) return &tool_call_multigrid;
    return operation->iterates && !operation->meshes ? &tool_call_method : NULL;
}

static void close_nothing(tool_measured *m) {
    (void)m;
}

static tulle_status multiply(void *measured) {
    const tool_measured *m = measured;
    return tulle_dist_mat_multiply(m->member->ctx, TULLE_N, tulle_num(1), m->A, m->x, tulle_num(0),
                                   m->y);
}

static tulle_status open_product(tool_measured *m, trial_problem *p, bench_row *row) {
    (void)row;
    p->flops = 2 * (double)m->info.nnz;
    return multiply(m);
}

/* Finds the error of y = A x in units of its bound (tulle_dist_mat_multiply). */
static tulle_status product_error(tool_measured *m, double *units) {
    const double unit = m->info.type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const double least = m->info.type == TULLE_F32 ? 0x1p-149 : 0x1p-1074;
    char *x = tool_block_host(m->x), *y = tool_block_host(m->y);
    double worst = 0;
    tulle_status status = tool_block_read(m->member->ctx, m->x, x);
    if (status == TULLE_OK) status = tool_block_read(m->member->ctx, m->y, y);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) status = tool_shared_rows_gather(&m->rows, x);
    for (int64_t i = 0; status == TULLE_OK && i < m->info.local_rows; i++) {
        const tool_shared_row due = tool_shared_rows_multiply(&m->rows, i);
        const double roundings = (double)(due.terms + 2 + 2 * m->member->ranks);
        const double gamma = roundings * unit / (1 - roundings * unit);
        const double bound = gamma * (double)due.mass + 2 * roundings * least;
        const double off = (double)fabsl(tool_shared_number(&m->rows, y, i) - due.sum);
        worst = off <= bound * worst ? worst : off / bound;
    }
    free(x);
    free(y);
    return status == TULLE_OK ? tool_measured_join(m, worst, false, units) : status;
}

/* Names the kernel that this member's own columns are multiplied by. */
static tulle_status name_kernel(const tool_measured *m, bench_row *row) {
    tulle_choice choice;
    const tulle_status status =
        tulle_spmv_describe(m->member->ctx, TULLE_N, tulle_dist_mat_block(m->A), true, &choice);
    if (status != TULLE_OK) return status;
    snprintf(row->kernel, sizeof row->kernel, "%s", choice.kernel);
    snprintf(row->params, sizeof row->params, "%s", choice.params);
    return TULLE_OK;
}

static tulle_status solve(void *measured) {
    tool_measured *m = measured;
    return tulle_dist_solve(m->member->ctx, m->A, m->x, m->y, &m->way, &m->report);
}

/* Takes a way to solve by its name, "METHOD-PRECOND"; the first has another name and is the
 * library's choice. */
static tulle_status open_solution(tool_measured *m, trial_problem *p, bench_row *row) {
    const char *name = trial_operation_detail(p->operation, p->detail);
    const char *dash = strchr(name, '-');
    (void)row;
    m->way = (tulle_solve_options){.method = NULL};
    if (dash) {
        snprintf(m->method, sizeof m->method, "%.*s", (int)(dash - name), name);
        m->way.method = m->method;
        m->way.precond = dash + 1;
    }
    const tulle_status status = solve(m);
    if (status != TULLE_OK || m->report.solver.outcome == TULLE_CONVERGED) return status;
    return tool_record(TULLE_UNSUPPORTED, "%s: %s", name,
                       tulle_outcome_text(m->report.solver.outcome));
}

/* Finds the residual in units of the limit that the solution had. */
static tulle_status solution_error(tool_measured *m, double *units) {
    static const double slack = 1e-12;
    char *b = tool_block_host(m->x), *x = tool_block_host(m->y);
    double residual, b_norm;
    tulle_status status = tool_block_read(m->member->ctx, m->x, b);
    if (status == TULLE_OK) status = tool_block_read(m->member->ctx, m->y, x);
    status = tool_member_agree(m->member, status);
    if (status == TULLE_OK) {
        status = tool_shared_rows_residual(&m->rows, b, x, &residual, &b_norm);
    }
    if (status == TULLE_OK) *units = residual / (m->report.solver.limit * (1 + slack));
    free(b);
    free(x);
    return status;
}

static tulle_status name_way(const tool_measured *m, bench_row *row) {
    snprintf(row->kernel, sizeof row->kernel, "%s %s", tulle_method_name(m->report.method),
             m->report.precond);
    return TULLE_OK;
}

const tool_call_kind tool_call_product = {.open = open_product,
                                          .call = multiply,
                                          .error = product_error,
                                          .name = name_kernel,
                                          .close = close_nothing};

const tool_call_kind tool_call_solution = {.open = open_solution,
                                           .call = solve,
                                           .error = solution_error,
                                           .name = name_way,
                                           .close = close_nothing};
