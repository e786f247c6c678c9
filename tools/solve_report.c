/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_report.h"

#include <math.h>
#include <string.h>

#include "report_parts.h"
#include "tools/common/names.h"
#include "tools/common/output.h"

const tulle_solve_attempt *tool_solve_before(const tulle_solve_report *r) {
    for (int a = r->used - 1; a >= 0; a--) {
        if (r->attempt[a].made) return &r->attempt[a];
    }
    return NULL;
}

double tool_solve_iteration_ms(const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->report.solver;
    return r->iterations > 0 ? r->solve_ms / (double)r->iterations : 0;
}

static double share_of_b(const tool_solve_summary *s, double norm) {
    return norm == 0 ? 0 : norm / s->found.b_norm;
}

/* Returns true if, without its part along the null space, no more is left of b than numbers are
 * rounded by. */
static bool nothing_is_left(const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->report.solver;
    const bool is_0 = s->options.how.solver.constant_null_space && r->start_norm == 0;
    return is_0 && s->found.right && r->limit > s->found.b_norm;
}

double tool_solve_relative(const tool_solve_summary *s) {
    return nothing_is_left(s) ? 0 : share_of_b(s, s->found.residual);
}

bool tool_solve_is_preconditioned(const tool_solve_summary *s) {
    return s->precond.kind != TULLE__NO_PRECOND &&
           s->options.how.solver.norm == TULLE_PRECONDITIONED_NORM;
}

double tool_solve_wanted(const tool_solve_summary *s) {
    return tool_solve_is_preconditioned(s) ? (double)NAN : share_of_b(s, s->report.solver.limit);
}

const char *tool_solve_residual(const tool_solve_summary *s) {
    const bool turned = s->trial.given.trans == TULLE_T;
    if (s->options.minus_y) return turned ? "|A' x + y|" : "|A x + y|";
    return turned ? "|b - A' x|" : "|b - A x|";
}

#define SYSTEM                                                                                     \
    "  system    A<{?trans}'> x <{?minus_y}+ y = 0><{!minus_y}= b>, <y from {minus_y}>"            \
    "<{?_loads}b the loads of its elements><{?_ones}b all ones><b random with seed {_seed}>"       \
    "<b from {_b_file}><{?_several}, {vectors} right-hand sides><, x from {guess}>"                \
    "<{?constant_null_space}, without their constant parts><{?mixed}, iterated in f32>\n"
#define WAY                                                                                        \
    "<{*attempts}{?_before}  before    {method} with {precond}: {outcome} after "                  \
    "{iterations:count} iterations, {ms:ms}\n>"                                                    \
    "<" TOOL_FORMAT_NAME_TEXT TOOL_FORMAT_MADE_TEXT                                                \
    "<: {why.format}>\n>"                                                                          \
    "  method    {method}<{?_restart}, begun anew every {_restart} iterations><: {why.method}>\n"  \
    "  precond   {precond}<, {_title}>"                                                            \
    "< of {factors._nnz:count} {factors._cells} in {factors.levels:count} levels"                  \
    "<{?_sharers} for the rows of rank 0>>"                                                        \
    "< of {hierarchy.levels} level{hierarchy.levels:plural}<{?_nodes} of nodes>, "                 \
    "{hierarchy.operator_complexity:2f} times the entries of A>"                                   \
    "<: {why.precond}>\n"                                                                          \
    "<{*attempts}{?_after}  after     {method} with {precond}: {outcome} after "                   \
    "{iterations:count} iterations, {ms:ms}\n>"
#define TIMES                                                                                      \
    "  setup     {_setup_ms:ms}<{?_has_precond}, of which the preconditioner took "                \
    "{precond_ms:ms}>"                                                                             \
    "<{?_chosen}; choosing took {choose_ms:ms}>\n"                                                 \
    "  solve     <{!iterations}{_why_none}><{?iterations}{solve_ms:ms}: {iterations:count} "       \
    "iteration{iterations:plural} of {iteration_ms:ms}>\n"
#define OUTCOME                                                                                    \
    "  outcome   {outcome}<{!converged}, {outcome_text}>\n"                                        \
    "<  because   A has {not_finite.A._value} in row {not_finite.A.row}, column "                  \
    "{not_finite.A.column} (from 0)\n>"                                                            \
    "<  because   b has {not_finite.b._value} in row {not_finite.b.row} (from 0)\n>"
#define ADVICE                                                                                     \
    "<  because   A is singular: {_empty_rows} of its {a.rows} rows have no entry\n>"              \
    "<{?_is_unsymmetric}  to try    --method gmres: A is not symmetric, which {method} wants\n>"   \
    "<{?_is_stuck}  to try    <{?_lacks_lu}--precond lu, or >--restart 200, or another "           \
    "--precond\n>"                                                                                 \
    "<  to try    <{?_single}--type f64, or --mixed without --type f32, or >--tolerance "          \
    "{_reach:1g}: rounding x to {a._type} leaves about that much\n>"                               \
    "<{?_lacks_null_space}  to try    --constant-null-space: the rows and the columns of A add "   \
    "up to 0\n>"                                                                                   \
    "<  to try    without --constant-null-space: the {_not_null} of A do not add up to 0\n>"
#define RESIDUAL                                                                                   \
    "  residual  <{?_nothing_left}of {_name} nothing is left but rounding: {_residual} is "        \
    "{residual:3g}, computed in long double: right>"                                               \
    "<{!_nothing_left}{_residual} / |{_name}| is {relative:3g}, computed in long double"           \
    "<; {_wanted:3g} was wanted><{?_judged}: "                                                     \
    "<{?right}right><{!right}WRONG>><{!_judged}{?converged}"                                       \
    "; what was tested is the preconditioned norm, which is another>>\n"

const char tool_solve_text[] = TOOL_OPERAND_TEXT("a.") TOOL_PLACE_TEXT
    "<  shared    by {processes} {_sharers}, each with rows of its own<{?_by_metis} by "
    "METIS>; a product moves {halo:count} row{halo:plural} of x\n>" TOOL_MESH_SYSTEM_TEXT SYSTEM WAY
        TIMES OUTCOME ADVICE RESIDUAL
    "<  written   {_output}\n><  written   {field}\n><  plotted   {plot}\n>";

static void add_b(cJSON *json, const tool_solve_summary *s) {
    const trial_solve_options *t = &s->options;
    const bool given = !t->minus_y && !t->loads;
    const bool ones = given && strcmp(t->b, "ones") == 0,
               random = given && strcmp(t->b, "random") == 0;
    tool_json_text(json, "b", t->minus_y ? NULL : t->loads ? "loads" : t->b);
    tool_json_text(json, "minus_y", t->minus_y);
    tool_json_bool(json, "_loads", t->loads && !t->minus_y);
    tool_json_bool(json, "_ones", ones);
    if (random) tool_json_int(json, "_seed", (int64_t)s->trial.given.seed);
    if (given && !ones && !random) tool_json_text(json, "_b_file", t->b);
}

static void add_system(cJSON *json, const tool_solve_summary *s) {
    const int64_t vectors = s->trial.given.block.vectors;
    tool_json_text(json, "op", "solve");
    tool_json_text(json, "type", tool_type_name(s->trial.A.info.type));
    tool_operand_add(json, "a", &s->trial.A);
    (void)tool_matrix_add(json, "solved", &s->report.solved);
    tool_format_add(json, &s->report.solved, s->trial.convert_ms);
    if (s->mesh.spec) tool_mesh_system_add(json, &s->mesh);
    tool_json_bool(json, "trans", s->trial.given.trans == TULLE_T);
    add_b(json, s);
    tool_json_int(json, "vectors", vectors);
    tool_json_bool(json, "_several", vectors > 1);
    tool_json_text(json, "guess", s->options.guess);
    tool_json_bool(json, "constant_null_space", s->options.how.solver.constant_null_space);
    tool_json_bool(json, "mixed", s->options.how.mixed);
    tool_place_add(json, &s->trial.device);
    if (s->ranks == 0) return;
    tool_json_int(json, "processes", s->ranks);
    tool_json_text(json, "_sharers", s->launched ? "processes" : "threads");
    tool_json_text(json, "partition", s->partition == TOOL_BY_METIS ? "metis" : "rows");
    tool_json_bool(json, "_by_metis", s->partition == TOOL_BY_METIS);
    tool_json_int(json, "halo", s->halo);
}

/* Returns a reason, or NULL where the user gave what there is a reason for. */
static const char *given_or(const char *why) {
    return why[0] ? why : NULL;
}

static void add_attempt(cJSON *item, const tulle_solve_attempt *a) {
    tool_json_text(item, "method", tulle_method_name(a->method));
    tool_json_text(item, "precond", a->precond);
    tool_json_bool(item, "permuted", a->permuted);
    tool_json_text(item, "outcome", a->made ? tulle_outcome_name(a->outcome) : NULL);
    tool_json_int(item, "iterations", a->iterations);
    tool_json_real(item, "ms", a->ms);
}

/* Adds the last attempt that iterated before the one that counts, and all attempts. */
static void add_attempts(cJSON *json, const tulle_solve_report *r) {
    const tulle_solve_attempt *before = tool_solve_before(r);
    if (before) add_attempt(tool_json_child(json, "before"), before);
    cJSON *list = tool_json_list(json, "attempts");
    for (int a = 0; a < r->attempts; a++) {
        cJSON *item = tool_json_item(list);
        add_attempt(item, &r->attempt[a]);
        tool_json_bool(item, "_before", r->attempt[a].made && a < r->used);
        tool_json_bool(item, "_after", r->attempt[a].made && a > r->used);
    }
}

/* Adds multigrid's hierarchy, or factors, where the preconditioner has them. */
static void add_precond(cJSON *json, const tulle_amg_info *h, const tulle_factor_info *f) {
    cJSON *item;
    if (h->levels > 0) {
        item = tool_json_child(json, "hierarchy");
        tool_json_int(item, "levels", h->levels);
        if (h->block > 0) {
            tool_json_int(item, "block", h->block);
            tool_json_int(item, "near_null", h->near_null);
        }
        tool_json_real(item, "operator_complexity", h->operator_complexity);
        tool_json_real(item, "grid_complexity", h->grid_complexity);
        tool_json_bool(item, "stalled", h->stalled);
        tool_json_real(item, "setup_ms", h->setup_ms);
        tool_json_int(item, "bytes", h->bytes);
    }
    if (f->rows == 0) return;
    item = tool_json_child(json, "factors");
    tool_json_int(item, "block", f->block);
    tool_json_text(item, "_cells", f->block > 1 ? "blocks" : "entries");
    tool_json_int(item, "_nnz", f->nnz_l + f->nnz_u);
    tool_json_int(item, "nnz_l", f->nnz_l);
    tool_json_int(item, "nnz_u", f->nnz_u);
    tool_json_int(item, "levels", f->levels);
    tool_json_int(item, "bytes", f->bytes);
}

static void add_way(cJSON *json, const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->report;
    const tulle_solve_options *o = &s->options.how;
    const bool restarts = r->method == TULLE_GMRES || r->method == TULLE_FGMRES;
    const double lowest = fmax(o->solver.lowest, o->precond_lowest);
    const double highest = fmax(o->solver.highest, o->precond_highest);
    tool_json_text(json, "method", tulle_method_name(r->method));
    tool_json_int(json, "_restart", restarts ? r->restart : 0);
    tool_json_text(json, "precond", r->precond);
    tool_json_text(json, "_title", tool_precond_title(s->precond.kind));
    tool_json_real(json, "shift", o->shift);
    tool_json_real(json, "lowest", lowest > 0 ? lowest : (double)NAN);
    tool_json_real(json, "highest", highest > 0 ? highest : (double)NAN);
    tool_json_text(json, "norm",
                   o->solver.norm == TULLE_PRECONDITIONED_NORM ? "preconditioned" : "true");
    cJSON *item = tool_json_child(json, "why");
    tool_json_text(item, "method", given_or(r->method_why));
    tool_json_text(item, "precond", given_or(r->precond_why));
    tool_json_text(item, "format", given_or(r->format_why));
    add_precond(json, &r->hierarchy, &r->factors);
    tool_json_bool(json, "_nodes", r->hierarchy.block > 0);
    tool_near_null_add(json, &s->near_null);
}

/* Says why a solution took no iteration. */
static const char *why_none(const tool_solve_summary *s) {
    if (s->trial.A.info.rows == 0) return "nothing was to be solved: A has no rows";
    if (s->mesh.spec && s->mesh.given == s->mesh.info.nodes) {
        return "nothing was to be solved: u is given at all nodes";
    }
    if (s->report.solver.outcome != TULLE_CONVERGED) return "no iteration";
    return "no iteration: x is right where it begins";
}

static void add_outcome(cJSON *json, const tool_solve_summary *s) {
    const tulle_solver_report *report = &s->report.solver;
    tool_json_text(json, "outcome", tulle_outcome_name(report->outcome));
    tool_json_text(json, "outcome_text", tulle_outcome_text(report->outcome));
    tool_json_bool(json, "converged", report->outcome == TULLE_CONVERGED);
    tool_json_bool(json, "_judged", s->found.judged);
    if (s->found.judged) {
        tool_json_bool(json, "right", s->found.right);
    } else {
        tool_json_text(json, "right", NULL);
    }
    tool_json_int(json, "iterations", report->iterations);
    tool_json_int(json, "begun_anew", report->begun_anew);
    tool_json_int(json, "products", report->products);
    tool_json_int(json, "preconditions", report->preconditions);
    tool_json_text(json, "_why_none", why_none(s));
}

static void add_residual(cJSON *json, const tool_solve_summary *s) {
    const tulle_solver_report *r = &s->report.solver;
    const double wanted = tool_solve_wanted(s);
    tool_json_real(json, "start_norm", r->start_norm);
    tool_json_real(json, "end_norm", r->norm);
    tool_json_real(json, "limit", r->limit);
    tool_json_real(json, "b_norm", s->found.b_norm);
    tool_json_real(json, "residual", s->found.residual);
    tool_json_real(json, "relative", tool_solve_relative(s));
    if (s->trial.given.block.vectors > 1) {
        tool_json_int(json, "farthest_vector", s->found.column);
    }
    tool_json_text(json, "_residual", tool_solve_residual(s));
    tool_json_text(json, "_name", s->options.minus_y ? "y" : "b");
    tool_json_bool(json, "_nothing_left", nothing_is_left(s));
    if (isfinite(wanted)) tool_json_real(json, "_wanted", wanted);
}

/* True if the sums say that constant vectors are null vectors, and no option does. */
static bool lacks_null_space(const tool_solve_summary *s) {
    const tool_causes *c = &s->causes;
    return c->rows_add_to_0 && c->columns_add_to_0 && !s->options.how.solver.constant_null_space;
}

/* Adds the norm that x in its type leaves, where that is more than was wanted. */
static void add_reach(cJSON *json, const tool_solve_summary *s) {
    const double reach = s->causes.reach;
    if (s->report.solver.outcome != TULLE_STAGNATED || lacks_null_space(s)) return;
    if (!(tool_solve_wanted(s) * s->found.b_norm < reach)) return;
    tool_json_bool(json, "_single", s->trial.A.info.type == TULLE_F32);
    tool_json_real(json, "_reach", share_of_b(s, reach));
}

/* True if no attempt had complete factors. */
static bool lacks_complete(const tulle_solve_report *r) {
    for (int a = 0; a < r->attempts; a++) {
        if (strcmp(r->attempt[a].precond, "lu") == 0) return false;
    }
    return true;
}

/* Adds what helps, as far as anything says. */
static void add_advice(cJSON *json, const tool_solve_summary *s) {
    const tool_causes *c = &s->causes;
    const tulle_solve_report *r = &s->report;
    const bool wants_symmetric =
        r->method == TULLE_CG || r->method == TULLE_CHEBYSHEV || r->method == TULLE_MINRES;
    const bool null_space = c->rows_add_to_0 && c->columns_add_to_0;
    if (!c->found) return;
    if (s->trial.A.info.empty_rows > 0) {
        tool_json_int(json, "_empty_rows", s->trial.A.info.empty_rows);
        return;
    }
    tool_json_bool(json, "_is_unsymmetric", wants_symmetric && !c->symmetric);
    tool_json_bool(json, "_is_stuck", tool_solve_is_stuck(r));
    tool_json_bool(json, "_lacks_lu", lacks_complete(r));
    add_reach(json, s);
    tool_json_bool(json, "_lacks_null_space", lacks_null_space(s));
    if (!null_space && s->options.how.solver.constant_null_space) {
        tool_json_text(json, "_not_null", c->rows_add_to_0 ? "columns" : "rows");
    }
}

static void add_fault(cJSON *json, const char *of, const tool_not_finite *fault) {
    if (!fault->found) return;
    cJSON *item = tool_json_child(json, of);
    tool_json_int(item, "row", fault->row);
    tool_json_int(item, "column", fault->column);
    tool_json_real(item, "_value", fault->value);
}

/* Says where Inf or NaN came from. */
static void add_faults(cJSON *json, const tool_causes *c) {
    if (!c->in_A.found && !c->in_b.found) return;
    cJSON *item = tool_json_child(json, "not_finite");
    add_fault(item, "A", &c->in_A);
    add_fault(item, "b", &c->in_b);
}

static void add_times(cJSON *json, const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->report;
    const tulle_solve_options *o = &s->options.how;
    tool_json_bool(json, "_chosen", !o->method || !o->precond);
    tool_json_bool(json, "_has_precond", s->precond.kind != TULLE__NO_PRECOND);
    tool_json_real(json, "_setup_ms", r->precond_ms + r->create_ms + r->solver.setup_ms);
    tool_json_real(json, "choose_ms", r->choose_ms);
    tool_json_real(json, "convert_ms", s->trial.convert_ms);
    tool_json_real(json, "precond_ms", r->precond_ms);
    tool_json_real(json, "create_ms", r->create_ms);
    tool_json_real(json, "setup_ms", r->solver.setup_ms);
    tool_json_real(json, "solve_ms", r->solver.solve_ms);
    tool_json_real(json, "iteration_ms", tool_solve_iteration_ms(s));
}

void tool_solve_add(cJSON *json, const void *user) {
    const tool_solve_summary *summary = user;
    const tool_history *history = &summary->history;
    add_system(json, summary);
    add_way(json, summary);
    add_attempts(json, &summary->report);
    add_outcome(json, summary);
    add_residual(json, summary);
    add_faults(json, &summary->causes);
    add_advice(json, summary);
    add_times(json, summary);
    tool_solve_levels_add(json, &summary->levels);
    const char *output = summary->trial.output;
    if (output) tool_json_text(json, "file", output);
    if (output) tool_json_text(json, "_output", tool_output_name(output));
    if (summary->field) tool_json_text(json, "field", summary->field);
    if (summary->plot) tool_json_text(json, "plot", summary->plot);
    cJSON *norms = tool_json_list(json, "history");
    for (int64_t i = 0; i < history->count; i++) tool_json_push_real(norms, history->norm[i]);
}

void tool_solve_print_levels(const cJSON *fields, const void *user) {
    (void)user;
    tool_solve_levels_print(fields);
}
