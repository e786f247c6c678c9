/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve_report.h"

#include "tools/common/names.h"
#include "trial_report.h"

#define FORMULA "T<{?trans}'> X = {alpha} B, T the {part} triangle of A"
#define NOT_FINITE                                                                                 \
    "<{?x_not_finite}  X         {x_not_finite} of its numbers {_are} not finite, though B is: a " \
    "diagonal entry is zero or much too small, or T's numbers are not finite\n>"
#define ERROR TOOL_ERROR_TEXT("X[{wrong.row}, {wrong.column}]", " is", " by the others")
#define TIMES TOOL_TRIAL_TIMES_TEXT("T, B and X")

const char tool_trisolve_line[] = FORMULA
    ": {rows:count} rows in {levels:count} levels, {k} vector{k:plural}" TOOL_DONE_TEXT NOT_FINITE
        TOOL_TRIAL_WRITTEN_TEXT;

const char tool_trisolve_text[] = TOOL_OPERAND_TEXT("a.") TOOL_PLACE_TEXT
    "  system    " FORMULA
    "<{?unit} with ones on its diagonal>"
    "<{?dominant}, whose diagonal was made dominant>, {k} vector{k:plural} by {layout}\n"
    "<  kernel    {kernel}\n>" TOOL_TRIAL_FORMAT_TEXT
    "  levels    {levels:count}; the widest has {widest:count} of {rows} rows; a row waits for "
    "{longest:count} at most\n"
    "  analysis  {analysis_ms:ms}, keeps {schedule_bytes:bytes}\n" ERROR NOT_FINITE
        TOOL_TRIAL_WRITTEN_TEXT TIMES;

static void add_system(cJSON *json, const tool_trisolve_summary *s) {
    const tool_trial *t = &s->trial;
    tool_json_text(json, "op", t->operation->name);
    tool_json_text(json, "type", tool_type_name(t->info.type));
    tool_operand_add(json, "a", &t->A);
    (void)tool_matrix_add(json, "solved", &t->info);
    tool_json_text(json, "part", trial_operation_detail(t->operation, t->given.detail));
    tool_json_bool(json, "unit", s->options.diag == TULLE_UNIT);
    tool_json_bool(json, "trans", t->given.trans == TULLE_T);
    tool_json_bool(json, "dominant", t->dominant);
    tool_json_real(json, "alpha", s->options.alpha);
    tool_json_int(json, "k", t->given.block.vectors);
    tool_json_text(json, "layout", t->given.block.layout == TULLE_ROW_MAJOR ? "row" : "column");
    tool_json_text(json, "kernel", t->kernel);
    tool_format_add(json, &t->info, t->convert_ms);
    tool_place_add(json, &t->device);
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

void tool_trisolve_add(cJSON *json, const void *user) {
    const tool_trisolve_summary *s = user;
    add_system(json, s);
    add_analysis(json, &s->analysis);
    tool_trial_add_error(json, &s->trial);
    tool_json_int(json, "x_not_finite", s->not_finite);
    tool_json_text(json, "_are", s->not_finite == 1 ? "is" : "are");
    tool_trial_add_times(json, &s->trial);
}
