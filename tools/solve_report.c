/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

const tulle_solve_attempt *tool_solve_before(const tulle_solve_report *r) {
    for (int a = r->attempts - 1; a >= 0; a--) {
        if (r->attempt[a].made && a != r->used) return &r->attempt[a];
    }
    return NULL;
}

double tool_solve_iteration_ms(const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->result.report.solver;
    return r->iterations > 0 ? r->solve_ms / (double)r->iterations : 0;
}

static double share_of_b(const tool_solve_summary *s, double norm) {
    return norm == 0 ? 0 : norm / s->result.b_norm;
}

/* Of b no more is left, without the part along the null space, than numbers are rounded by. */
static bool nothing_is_left(const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->result.report.solver;
    const bool is_0 = s->task.options.solver.constant_null_space && r->start_norm == 0;
    return is_0 && s->result.right && r->limit > s->result.b_norm;
}

double tool_solve_relative(const tool_solve_summary *s) {
    return nothing_is_left(s) ? 0 : share_of_b(s, s->result.residual);
}

bool tool_solve_is_preconditioned(const tool_solve_summary *s) {
    return s->result.precond.kind != TULLE__NO_PRECOND &&
           s->task.options.solver.norm == TULLE_PRECONDITIONED_NORM;
}

double tool_solve_wanted(const tool_solve_summary *s) {
    return tool_solve_is_preconditioned(s) ? (double)NAN
                                           : share_of_b(s, s->result.report.solver.limit);
}

const char *tool_solve_residual(const tool_solve_summary *s) {
    const bool turned = s->task.op == TULLE_T;
    if (s->task.minus_y) return turned ? "|A' x + y|" : "|A x + y|";
    return turned ? "|b - A' x|" : "|b - A x|";
}

static void print_b(const tool_solve_task *t) {
    if (t->minus_y) {
        tool_say("y from %s", t->minus_y);
    } else if (t->loads) {
        tool_say("b the loads of its elements");
    } else if (strcmp(t->b, "ones") == 0) {
        tool_say("b all ones");
    } else if (strcmp(t->b, "random") == 0) {
        tool_say("b random with seed %" PRIu64, t->seed);
    } else {
        tool_say("b from %s", t->b);
    }
}

static void print_system(const tool_solve_summary *s) {
    const tool_solve_task *t = &s->task;
    tool_say("  system    A%s x %s, ", t->op == TULLE_T ? "'" : "", t->minus_y ? "+ y = 0" : "= b");
    print_b(t);
    if (t->vectors > 1) tool_say(", %" PRId64 " right-hand sides", t->vectors);
    if (t->guess) tool_say(", x from %s", t->guess);
    if (t->options.solver.constant_null_space) tool_say(", without their constant parts");
    if (t->options.mixed) tool_say(", iterated in f32");
    tool_say("\n");
}

/* Ends a line. */
static void print_why(const char *why) {
    tool_say("%s%s\n", why[0] ? ": " : "", why);
}

static void print_format(const tool_solve_summary *s) {
    const tulle_mat_info *info = &s->result.report.solved;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (info->format == TULLE_CSR) return;
    tool_say("  format    %s", tool_format_name(info->format));
    if (info->format == TULLE_BSR) {
        tool_say(", blocks of %" PRId64 " x %" PRId64, info->storage.block, info->storage.block);
    }
    tool_say(", %s, made in %s", tool_human_bytes((double)tool_matrix_bytes(info), bytes),
             tool_human_seconds(1e-3 * s->result.convert_ms, time));
    print_why(s->result.report.format_why);
}

static void print_method(const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->result.report;
    tool_say("  method    %s", tulle_method_name(r->method));
    if ((r->method == TULLE_GMRES || r->method == TULLE_FGMRES) && r->restart > 0) {
        tool_say(", begun anew every %d iterations", r->restart);
    }
    print_why(r->method_why);
}

static void print_precond(const tool_solve_summary *s) {
    const tulle_factor_info *f = &s->result.report.factors;
    const tulle_amg_info *h = &s->result.report.hierarchy;
    const char *title = tool_precond_title(s->result.precond.kind);
    char entries[TOOL_HUMAN], levels[TOOL_HUMAN];
    tool_say("  precond   %s", s->result.report.precond);
    if (title) tool_say(", %s", title);
    if (f->rows > 0) {
        tool_say(" of %s %s in %s levels", tool_human_count(f->nnz_l + f->nnz_u, entries),
                 f->block > 1 ? "blocks" : "entries", tool_human_count(f->levels, levels));
    }
    if (h->levels > 0) {
        tool_say(" of %d levels, %.2f times the entries of A", h->levels, h->operator_complexity);
    }
    print_why(s->result.report.precond_why);
}

/* Prints the attempts that iterated, but for the one that counts. */
static void print_before(const tulle_solve_report *r) {
    char count[TOOL_HUMAN], time[TOOL_HUMAN];
    for (int i = 0; i < r->attempts; i++) {
        const tulle_solve_attempt *a = &r->attempt[i];
        if (!a->made || i == r->used) continue;
        tool_say("  before    %s with %s: %s after %s iterations, %s\n",
                 tulle_method_name(a->method), a->precond, tulle_outcome_name(a->outcome),
                 tool_human_count(a->iterations, count), tool_human_seconds(1e-3 * a->ms, time));
    }
}

/* Why a solution took no iteration. */
static const char *why_none(const tool_solve_summary *s) {
    if (s->A.info.rows == 0) return "nothing was to be solved: A has no rows";
    if (s->mesh.spec && s->mesh.given == s->mesh.info.nodes) {
        return "nothing was to be solved: u is given at all nodes";
    }
    if (s->result.report.solver.outcome != TULLE_CONVERGED) return "no iteration";
    return "no iteration: x is right where it begins";
}

static void print_iterations(const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->result.report.solver;
    char all[TOOL_HUMAN], one[TOOL_HUMAN], count[TOOL_HUMAN];
    if (r->iterations == 0) {
        tool_say("  solve     %s\n", why_none(s));
        return;
    }
    tool_say("  solve     %s: %s iteration%s of %s\n", tool_human_seconds(1e-3 * r->solve_ms, all),
             tool_human_count(r->iterations, count), r->iterations == 1 ? "" : "s",
             tool_human_seconds(1e-3 * tool_solve_iteration_ms(s), one));
}

static void print_times(const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->result.report;
    const tulle_solve_options *o = &s->task.options;
    char all[TOOL_HUMAN], precond[TOOL_HUMAN];
    tool_say("  setup     %s",
             tool_human_seconds(1e-3 * (r->precond_ms + r->create_ms + r->solver.setup_ms), all));
    if (s->result.precond.kind != TULLE__NO_PRECOND) {
        tool_say(", of which the preconditioner took %s",
                 tool_human_seconds(1e-3 * r->precond_ms, precond));
    }
    if (!o->method || !o->precond) {
        tool_say("; choosing took %s", tool_human_seconds(1e-3 * r->choose_ms, all));
    }
    tool_say("\n");
}

/* True if the sums say that constant vectors are null vectors, and no option does. */
static bool lacks_null_space(const tool_solve_summary *s) {
    const tool_causes *c = &s->result.causes;
    return c->rows_add_to_0 && c->columns_add_to_0 && !s->task.options.solver.constant_null_space;
}

static void print_null_space(const tool_solve_summary *s) {
    const tool_causes *c = &s->result.causes;
    const bool both = c->rows_add_to_0 && c->columns_add_to_0;
    if (lacks_null_space(s)) {
        tool_say("  to try    --constant-null-space: the rows and the columns of A add up to 0\n");
    }
    if (!both && s->task.options.solver.constant_null_space) {
        tool_say("  to try    without --constant-null-space: the %s of A do not add up to 0\n",
                 c->rows_add_to_0 ? "columns" : "rows");
    }
}

/* Of a norm that x in its type cannot reach. */
static void print_reach(const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    const bool single = s->A.info.type == TULLE_F32;
    if (r->report.solver.outcome != TULLE_STAGNATED || lacks_null_space(s)) return;
    if (!(tool_solve_wanted(s) * r->b_norm < r->causes.reach)) return;
    tool_say("  to try    %s--tolerance %.1g: rounding x to %s leaves about that much\n",
             single ? "--type f64, or --mixed without --type f32, or " : "",
             share_of_b(s, r->causes.reach), single ? "f32" : "f64");
}

/* Prints what helps, as far as anything says. */
static void print_advice(const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    const tulle_method method = r->report.method;
    const bool wants_symmetric =
        method == TULLE_CG || method == TULLE_CHEBYSHEV || method == TULLE_MINRES;
    if (!r->causes.found) return;
    if (s->A.info.empty_rows > 0) {
        tool_say("  because   A is singular: %" PRId64 " of its %" PRId64 " rows have no entry\n",
                 s->A.info.empty_rows, s->A.info.rows);
        return;
    }
    if (wants_symmetric && !r->causes.symmetric) {
        tool_say("  to try    --method gmres: A is not symmetric, which %s wants\n",
                 tulle_method_name(method));
    }
    if (r->report.solver.outcome == TULLE_STAGNATED && method == TULLE_GMRES &&
        r->report.restart == 0) {
        tool_say("  to try    --restart 200, or another --precond\n");
    }
    print_reach(s);
    print_null_space(s);
}

/* Prints where Inf or NaN came from. */
static void print_faults(const tool_causes *c) {
    if (c->in_A.found) {
        tool_say("  because   A has %g in row %" PRId64 ", column %" PRId64 " (from 0)\n",
                 c->in_A.value, c->in_A.row, c->in_A.column);
    }
    if (c->in_b.found) {
        tool_say("  because   b has %g in row %" PRId64 " (from 0)\n", c->in_b.value, c->in_b.row);
    }
}

static void print_outcome(const tool_solve_summary *s) {
    const tulle_outcome outcome = s->result.report.solver.outcome;
    tool_say("  outcome   %s", tulle_outcome_name(outcome));
    if (outcome != TULLE_CONVERGED) tool_say(", %s", tulle_outcome_text(outcome));
    tool_say("\n");
    print_faults(&s->result.causes);
    print_advice(s);
}

static void print_residual(const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    if (nothing_is_left(s)) {
        tool_say(
            "  residual  of %s nothing is left but rounding: %s is %.3g, computed in long double: "
            "right\n",
            s->task.minus_y ? "y" : "b", tool_solve_residual(s), r->residual);
        return;
    }
    const double wanted = tool_solve_wanted(s);
    tool_say("  residual  %s / %s is %.3g, computed in long double", tool_solve_residual(s),
             s->task.minus_y ? "|y|" : "|b|", tool_solve_relative(s));
    if (isfinite(wanted)) tool_say("; %.3g was wanted", wanted);
    if (r->judged) {
        tool_say(": %s", r->right ? "right" : "WRONG");
    } else if (r->report.solver.outcome == TULLE_CONVERGED) {
        tool_say("; what was tested is the preconditioned norm, which is another");
    }
    tool_say("\n");
}

void tool_solve_print(const void *user) {
    const tool_solve_summary *summary = user;
    tool_operand_print(&summary->A);
    tool_sparse_print_place(&summary->device);
    if (summary->mesh.spec) tool_mesh_system_print(&summary->mesh);
    print_system(summary);
    print_before(&summary->result.report);
    print_format(summary);
    print_method(summary);
    print_precond(summary);
    print_times(summary);
    print_iterations(summary);
    print_outcome(summary);
    print_residual(summary);
    if (summary->task.output) tool_say("  written   %s\n", tool_output_name(summary->task.output));
    if (summary->field) tool_say("  written   %s\n", summary->field);
    if (summary->plot) tool_say("  plotted   %s\n", summary->plot);
    tool_solve_levels_print(&summary->result.levels);
}
