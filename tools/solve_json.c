/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "solve_report.h"
#include "sparse_report.h"
#include "tools/common/names.h"

static void add_system(cJSON *json, const tool_solve_summary *s) {
    const tool_solve_task *t = &s->task;
    tool_json_text(json, "op", "solve");
    tool_json_text(json, "type", tool_type_name(s->A.info.type));
    tool_operand_add(json, "a", &s->A);
    (void)tool_matrix_add(json, "solved", &s->result.report.solved);
    if (s->mesh.spec) tool_mesh_system_add(json, &s->mesh);
    tool_json_bool(json, "trans", t->op == TULLE_T);
    tool_json_text(json, "b", t->minus_y ? NULL : t->loads ? "loads" : t->b);
    tool_json_text(json, "minus_y", t->minus_y);
    tool_json_int(json, "vectors", t->vectors);
    tool_json_text(json, "guess", t->guess);
    tool_json_bool(json, "constant_null_space", t->options.solver.constant_null_space);
    tool_json_bool(json, "mixed", t->options.mixed);
    tool_sparse_add_place(json, &s->device);
}

/* A reason, or null for what was given. */
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
    for (int a = 0; a < r->attempts; a++) add_attempt(tool_json_item(list), &r->attempt[a]);
}

static void add_way(cJSON *json, const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->result.report;
    const tulle_solve_options *o = &s->task.options;
    const tulle_factor_info *f = &r->factors;
    const double lowest = fmax(o->solver.lowest, o->precond_lowest);
    const double highest = fmax(o->solver.highest, o->precond_highest);
    tool_json_text(json, "method", tulle_method_name(r->method));
    tool_json_text(json, "precond", r->precond);
    tool_json_real(json, "shift", o->shift);
    tool_json_real(json, "lowest", lowest > 0 ? lowest : (double)NAN);
    tool_json_real(json, "highest", highest > 0 ? highest : (double)NAN);
    tool_json_text(json, "norm",
                   o->solver.norm == TULLE_PRECONDITIONED_NORM ? "preconditioned" : "true");
    cJSON *item = tool_json_child(json, "why");
    tool_json_text(item, "method", given_or(r->method_why));
    tool_json_text(item, "precond", given_or(r->precond_why));
    tool_json_text(item, "format", given_or(r->format_why));
    const tulle_amg_info *h = &r->hierarchy;
    if (h->levels > 0) {
        item = tool_json_child(json, "hierarchy");
        tool_json_int(item, "levels", h->levels);
        tool_json_real(item, "operator_complexity", h->operator_complexity);
        tool_json_real(item, "grid_complexity", h->grid_complexity);
        tool_json_bool(item, "stalled", h->stalled);
        tool_json_real(item, "setup_ms", h->setup_ms);
        tool_json_int(item, "bytes", h->bytes);
    }
    if (f->rows == 0) return;
    item = tool_json_child(json, "factors");
    tool_json_int(item, "block", f->block);
    tool_json_int(item, "nnz_l", f->nnz_l);
    tool_json_int(item, "nnz_u", f->nnz_u);
    tool_json_int(item, "levels", f->levels);
    tool_json_int(item, "bytes", f->bytes);
}

static void add_outcome(cJSON *json, const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    const tulle_solver_report *report = &r->report.solver;
    tool_json_text(json, "outcome", tulle_outcome_name(report->outcome));
    tool_json_text(json, "outcome_text", tulle_outcome_text(report->outcome));
    tool_json_bool(json, "converged", report->outcome == TULLE_CONVERGED);
    if (r->judged) {
        tool_json_bool(json, "right", r->right);
    } else {
        tool_json_text(json, "right", NULL);
    }
    tool_json_int(json, "iterations", report->iterations);
    tool_json_int(json, "begun_anew", report->begun_anew);
    tool_json_int(json, "products", report->products);
    tool_json_int(json, "preconditions", report->preconditions);
    tool_json_real(json, "start_norm", report->start_norm);
    tool_json_real(json, "end_norm", report->norm);
    tool_json_real(json, "limit", report->limit);
    tool_json_real(json, "b_norm", r->b_norm);
    tool_json_real(json, "residual", r->residual);
    tool_json_real(json, "relative", tool_solve_relative(s));
    if (s->task.vectors > 1) tool_json_int(json, "farthest_vector", r->column);
}

static void add_fault(cJSON *json, const char *of, const tool_not_finite *fault) {
    if (!fault->found) return;
    cJSON *item = tool_json_child(json, of);
    tool_json_int(item, "row", fault->row);
    tool_json_int(item, "column", fault->column);
}

/* Says where Inf or NaN came from. */
static void add_faults(cJSON *json, const tool_causes *c) {
    if (!c->in_A.found && !c->in_b.found) return;
    cJSON *item = tool_json_child(json, "not_finite");
    add_fault(item, "A", &c->in_A);
    add_fault(item, "b", &c->in_b);
}

static void add_times(cJSON *json, const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->result.report;
    tool_json_real(json, "choose_ms", r->choose_ms);
    tool_json_real(json, "convert_ms", s->result.convert_ms);
    tool_json_real(json, "precond_ms", r->precond_ms);
    tool_json_real(json, "create_ms", r->create_ms);
    tool_json_real(json, "setup_ms", r->solver.setup_ms);
    tool_json_real(json, "solve_ms", r->solver.solve_ms);
    tool_json_real(json, "iteration_ms", tool_solve_iteration_ms(s));
}

void tool_solve_print_json(const void *user) {
    const tool_solve_summary *summary = user;
    const tool_history *history = &summary->result.history;
    cJSON *json = tool_json_object();
    add_system(json, summary);
    add_way(json, summary);
    add_attempts(json, &summary->result.report);
    add_outcome(json, summary);
    add_faults(json, &summary->result.causes);
    add_times(json, summary);
    tool_solve_levels_add(json, &summary->result.levels);
    if (summary->task.output) tool_json_text(json, "file", summary->task.output);
    if (summary->field) tool_json_text(json, "field", summary->field);
    if (summary->plot) tool_json_text(json, "plot", summary->plot);
    cJSON *norms = tool_json_list(json, "history");
    for (int64_t i = 0; i < history->count; i++) tool_json_push_real(norms, history->norm[i]);
    tool_json_report(json);
}
