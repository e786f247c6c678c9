/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"
#include "trial_report.h"

static const char *part_name(const tool_trisolve_summary *s) {
    return trial_operation_detail(s->trial.operation, s->trial.given.detail);
}

static void print_formula(const tool_trisolve_summary *s) {
    tool_say("T%s X = %g B, T the %s triangle of A", s->trial.given.trans == TULLE_T ? "'" : "",
             s->options.alpha, part_name(s));
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static void print_system(const tool_trisolve_summary *s) {
    const trial_block *block = &s->trial.given.block;
    tool_say("  system    ");
    print_formula(s);
    if (s->options.diag == TULLE_UNIT) tool_say(" with ones on its diagonal");
    if (s->trial.dominant) tool_say(", whose diagonal was made dominant");
    tool_say(", %" PRId64 " vector%s by %s\n", block->vectors, plural(block->vectors),
             block->layout == TULLE_ROW_MAJOR ? "row" : "column");
    if (s->trial.kernel) tool_say("  kernel    %s\n", s->trial.kernel);
}

static void print_analysis(const tulle_trisolve_info *t) {
    char count[TOOL_HUMAN], widest[TOOL_HUMAN], longest[TOOL_HUMAN];
    char time[TOOL_HUMAN], bytes[TOOL_HUMAN];
    tool_say("  levels    %s; the widest has %s of %" PRId64 " rows; a row waits for %s at most\n",
             tool_human_count(t->levels, count), tool_human_count(t->widest, widest), t->rows,
             tool_human_count(t->longest, longest));
    tool_say("  analysis  %s, keeps %s\n", tool_human_seconds(1e-3 * t->ms, time),
             tool_human_bytes((double)t->bytes, bytes));
}

static void print_not_finite(const tool_trisolve_summary *s) {
    if (s->not_finite == 0) return;
    tool_say("  X         %" PRId64
             " of its numbers %s not finite, though B is: a diagonal entry is zero "
             "or much too small, or T's numbers are not finite\n",
             s->not_finite, s->not_finite == 1 ? "is" : "are");
}

void tool_trisolve_print_line(const void *user) {
    const tool_trisolve_summary *s = user;
    const int64_t vectors = s->trial.given.block.vectors;
    char rows[TOOL_HUMAN], levels[TOOL_HUMAN];
    print_formula(s);
    tool_say(": %s rows in %s levels, %" PRId64 " vector%s",
             tool_human_count(s->analysis.rows, rows), tool_human_count(s->analysis.levels, levels),
             vectors, plural(vectors));
    tool_say_done(s->trial.first_ms, s->trial.kernel, &s->trial.device);
    print_not_finite(s);
    tool_trial_print_written(&s->trial);
}

void tool_trisolve_print(const void *user) {
    const tool_trisolve_summary *s = user;
    tool_operand_print(&s->trial.A);
    tool_sparse_print_place(&s->trial.device);
    print_system(s);
    tool_trial_print_format(&s->trial);
    print_analysis(&s->analysis);
    tool_trial_print_error(&s->trial, 'X', " by the others");
    print_not_finite(s);
    tool_trial_print_written(&s->trial);
    tool_trial_print_times(&s->trial, "T, B and X");
}

static void add_system(cJSON *json, const tool_trisolve_summary *s) {
    const tool_trial *t = &s->trial;
    tool_json_text(json, "op", t->operation->name);
    tool_json_text(json, "type", tool_type_name(t->info.type));
    tool_operand_add(json, "a", &t->A);
    (void)tool_matrix_add(json, "solved", &t->info);
    tool_json_text(json, "part", part_name(s));
    tool_json_bool(json, "unit", s->options.diag == TULLE_UNIT);
    tool_json_bool(json, "trans", t->given.trans == TULLE_T);
    tool_json_bool(json, "dominant", t->dominant);
    tool_json_real(json, "alpha", s->options.alpha);
    tool_json_int(json, "k", t->given.block.vectors);
    tool_json_text(json, "layout", t->given.block.layout == TULLE_ROW_MAJOR ? "row" : "column");
    tool_json_text(json, "kernel", t->kernel);
    tool_sparse_add_place(json, &t->device);
}

static void add_analysis(cJSON *json, const tulle_trisolve_info *t) {
    tool_json_int(json, "rows", t->rows);
    tool_json_int(json, "entries", t->entries);
    tool_json_int(json, "levels", t->levels);
    tool_json_int(json, "widest", t->widest);
    tool_json_int(json, "longest", t->longest);
    tool_json_int(json, "schedule_bytes", t->bytes);
    tool_json_real(json, "analysis_ms", t->ms);
}

void tool_trisolve_print_json(const void *user) {
    const tool_trisolve_summary *s = user;
    cJSON *json = tool_json_object();
    add_system(json, s);
    add_analysis(json, &s->analysis);
    tool_trial_add_error(json, &s->trial);
    tool_json_int(json, "x_not_finite", s->not_finite);
    tool_trial_add_times(json, &s->trial);
    tool_json_report(json);
}
