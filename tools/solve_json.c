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
    (void)tool_matrix_add(json, "solved", &s->result.info);
    if (s->mesh.spec) tool_mesh_system_add(json, &s->mesh);
    tool_json_bool(json, "trans", t->op == TULLE_T);
    tool_json_text(json, "b", t->minus_y ? NULL : t->loads ? "loads" : t->b);
    tool_json_text(json, "minus_y", t->minus_y);
    tool_json_text(json, "guess", t->guess);
    tool_json_bool(json, "constant_null_space", t->options.constant_null_space);
    tool_json_bool(json, "mixed", t->mixed);
    tool_sparse_add_place(json, &s->device);
}

/* A reason, or null for what was given. */
static const char *given_or(const char *why) {
    return why[0] ? why : NULL;
}

static void add_before(cJSON *json, const tool_attempt *a) {
    char name[TOOL_PRECOND_NAME];
    if (a->outcome == TULLE_CONVERGED) return;
    cJSON *item = tool_json_child(json, "before");
    tool_json_text(item, "method", tulle_method_name(a->choice.method));
    tool_json_text(item, "precond", tool_precond_name(a->choice.precond, name));
    tool_json_text(item, "outcome", tulle_outcome_name(a->outcome));
    tool_json_int(item, "iterations", a->iterations);
    tool_json_real(item, "ms", a->ms);
}

static void add_way(cJSON *json, const tool_solve_summary *s) {
    const tool_choice *c = &s->result.choice;
    const tulle_factor_info *f = &s->result.factors;
    const double lowest = fmax(s->task.options.lowest, c->precond.lowest);
    const double highest = fmax(s->task.options.highest, c->precond.highest);
    char name[TOOL_PRECOND_NAME];
    tool_json_text(json, "method", tulle_method_name(c->method));
    tool_json_text(json, "precond", tool_precond_name(c->precond, name));
    tool_json_real(json, "shift", s->task.latitude.shift);
    tool_json_real(json, "lowest", lowest > 0 ? lowest : (double)NAN);
    tool_json_real(json, "highest", highest > 0 ? highest : (double)NAN);
    tool_json_text(json, "norm",
                   s->task.options.norm == TULLE_PRECONDITIONED_NORM ? "preconditioned" : "true");
    cJSON *item = tool_json_child(json, "why");
    tool_json_text(item, "method", given_or(c->method_why));
    tool_json_text(item, "precond", given_or(c->precond_why));
    tool_json_text(item, "format", given_or(c->format_why));
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
    const tulle_solver_report *report = &r->report;
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
    const tool_solve_result *r = &s->result;
    tool_json_real(json, "choose_ms", r->choose_ms);
    tool_json_real(json, "convert_ms", r->convert_ms);
    tool_json_real(json, "precond_ms", r->precond_ms);
    tool_json_real(json, "create_ms", r->create_ms);
    tool_json_real(json, "setup_ms", r->report.setup_ms);
    tool_json_real(json, "solve_ms", r->report.solve_ms);
    tool_json_real(json, "iteration_ms", tool_solve_iteration_ms(s));
}

void tool_solve_print_json(const void *user) {
    const tool_solve_summary *summary = user;
    const tool_history *history = &summary->result.history;
    cJSON *json = tool_json_object();
    add_system(json, summary);
    add_way(json, summary);
    add_before(json, &summary->result.before);
    add_outcome(json, summary);
    add_faults(json, &summary->result.causes);
    add_times(json, summary);
    if (summary->task.output) tool_json_text(json, "file", summary->task.output);
    if (summary->field) tool_json_text(json, "field", summary->field);
    if (summary->plot) tool_json_text(json, "plot", summary->plot);
    cJSON *norms = tool_json_list(json, "history");
    for (int64_t i = 0; i < history->count; i++) tool_json_push_real(norms, history->norm[i]);
    tool_json_report(json);
}
