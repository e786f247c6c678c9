/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_task.h"

#include <inttypes.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"

tulle_status tool_solve_advise_pivot(const char *name, tulle__precond_kind precond, int64_t row) {
    if (precond == TULLE__BLOCK_JACOBI) {
        return tool_record(TULLE_ZERO_PIVOT,
                           "%s: a block of its diagonal, from row %" PRId64
                           " on, is singular: try --precond jacobi, or another size of blocks",
                           name, row);
    }
    return tool_record(TULLE_ZERO_PIVOT,
                       "%s: the pivot of row %" PRId64
                       " is %s: try --precond jacobi, or --shift "
                       "0.1, with which the diagonal counts 1.1 times",
                       name, row,
                       precond == TULLE__IC ? "not positive, or Inf" : "zero, Inf or NaN");
}

/* Records advice about a pivot, or an eigenvalue, of a method or preconditioner that was given. */
tulle_status tool_solve_advise(const tool_trial *trial, const trial_problem *problem,
                               tulle_status status) {
    const tool_solve_summary *s = (const tool_solve_summary *)trial;
    const tulle__precond_kind precond = s->asked.kind;
    const char *method = s->options.how.method;
    const bool chebyshev = method && strcmp(method, tulle_method_name(TULLE_CHEBYSHEV)) == 0;
    const char *name = trial->A.name;
    const int64_t row = tulle_last_error()->row;
    tool_not_finite fault;
    const bool bounds = status == TULLE_UNSUPPORTED && (chebyshev || precond == TULLE__POLYNOMIAL);
    tool_progress_end();
    if (!bounds && status != TULLE_ZERO_PIVOT) return status;
    const tulle_status looked = tool_not_finite_find(problem->ctx, trial->A.matrix, &fault);
    if (looked != TULLE_OK) return looked;
    if (fault.found) return tool_not_finite_record(name, &fault);
    if (bounds) {
        return tool_record(status,
                           "%s: chebyshev needs a positive definite matrix, which this one, "
                           "preconditioned, is not: try %s, or give --lowest and --highest",
                           name, chebyshev ? "--method gmres" : "another --precond");
    }
    return tool_solve_advise_pivot(name, precond, row);
}

/* Vectors of GMRES before it begins anew, where nobody says how many (tulle_solver_options). */
enum { USUAL_RESTART = 30 };

bool tool_solve_is_stuck(const tulle_solve_report *r) {
    const bool long_enough =
        r->solver.outcome == TULLE_MOST_ITERATIONS && r->solver.iterations > USUAL_RESTART;
    return (r->solver.outcome == TULLE_STAGNATED || long_enough) && r->method == TULLE_GMRES &&
           r->restart == 0;
}

/* Finds the causes of an outcome that somebody can be advised on. */
static tulle_status find_causes(tool_solve_summary *s, const trial_problem *p, const void *x) {
    const tulle_outcome outcome = s->report.solver.outcome;
    const bool stuck = outcome == TULLE_STAGNATED || outcome == TULLE_BROKE_DOWN ||
                       outcome == TULLE_INDEFINITE || tool_solve_is_stuck(&s->report);
    /* The column of the right-hand side that is farthest from its limit counts. */
    const int64_t at = s->found.column * p->info.rows * tulle_type_size(p->info.type);
    tulle_facts facts = {.symmetric = false};
    tool_csr A = {0};
    if (!stuck && outcome != TULLE_NOT_A_NUMBER) return TULLE_OK;
    tulle_status status = tool_csr_open(p->ctx, s->trial.given.csr, &A);
    if (status == TULLE_OK && stuck) status = tulle_mat_facts(p->ctx, p->A, &facts);
    if (status == TULLE_OK && stuck) {
        tool_causes_find(&A, p->trans, (const char *)x + at, &s->causes);
        s->causes.symmetric = facts.symmetric;
    } else if (status == TULLE_OK) {
        const char *b = (const char *)trial_solve_b(p) + at;
        s->causes.in_A = tool_not_finite_in_matrix(&A);
        s->causes.in_b = tool_not_finite_in_vector(A.type, A.rows, b);
    }
    tool_csr_close(&A);
    return status;
}

tulle_status tool_solve_look(tool_trial *trial, const trial_problem *problem, void *x) {
    tool_solve_summary *s = (tool_solve_summary *)trial;
    tool_progress_end();
    s->report = *trial_solve_reported(problem);
    tulle_status status = tool_solve_levels_take(s->M, &s->levels);
    if (status != TULLE_OK) return status;
    trial->convert_ms += s->report.convert_ms;
    (void)tool_precond_parse("solve", s->report.precond, &s->precond);
    if (s->report.solver.outcome == TULLE_STOPPED) return TULLE_CANCELLED;
    status = trial_solve_verify(problem, x, &s->found);
    if (status == TULLE_OK) status = find_causes(s, problem, x);
    if (status != TULLE_OK) return status;
    trial_solve_give_held(problem, x);
    if (!s->field) return TULLE_OK;
    return tool_mesh_system_save(problem->ctx, &s->mesh, s->field, problem->info.type, x);
}
