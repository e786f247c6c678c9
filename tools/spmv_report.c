/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv_report.h"

#include "tools/common/names.h"
#include "trial_report.h"

/* "y = 1 A x + 0 y", or for multivectors "Y = 1 A X + 0 Y, 8 vectors by row". */
#define PRODUCT                                                                                    \
    "{_y} = {alpha} A<{?trans}'> {_x} + {beta} {_y}"                                               \
    "<{?_many}, {k} vector{k:plural} by {layout}<{?_turned} into {y_layout}>>"
#define ERROR TOOL_ERROR_TEXT("{_y}[{wrong.row}<{?_many}, {wrong.column}>]", " is", "")
#define TIMES TOOL_TRIAL_TIMES_TEXT("A, {_x} and {_y}")

const char tool_spmv_line[] = PRODUCT
    ": {rows:count} x {cols:count}, {nnz:count} entries" TOOL_DONE_TEXT TOOL_TRIAL_WRITTEN_TEXT;

const char tool_spmv_text[] = TOOL_OPERAND_TEXT("") TOOL_PLACE_TEXT
    "  product   " PRODUCT
    "\n"
    "  kernel    {kernel}<{?params}:{params}> ({choice})\n" TOOL_TRIAL_FORMAT_TEXT
    "<  optimize  {optimize.why}\n"
    "            took {optimize._ms:ms}, holds {optimize.plan_bytes:bytes}"
    "<{?optimize._pays}, pays after {optimize.pays_after} calls>\n>"
    "<  plan      {_plan_bytes:bytes}, built in {prep_ms:ms}\n>" ERROR TOOL_TRIAL_WRITTEN_TEXT TIMES
    "<\n{explanation.text}>";

static const char *layout_name(tulle_layout layout) {
    return layout == TULLE_ROW_MAJOR ? "row" : "column";
}

static void add_optimized(cJSON *json, const tulle_optimize_report *o) {
    cJSON *item = tool_json_child(json, "optimize");
    tool_json_bool(item, "planned", o->planned);
    tool_json_text(item, "format", tool_format_name(o->format));
    tool_json_bool(item, "transposed", o->transposed);
    tool_json_bool(item, "measured", o->measured);
    tool_json_real(item, "before_us", o->before_us);
    tool_json_real(item, "after_us", o->after_us);
    tool_json_int(item, "plan_bytes", o->plan_bytes);
    tool_json_int(item, "pays_after", o->pays_after);
    tool_json_text(item, "why", o->why);
    tool_json_real(item, "_ms", o->prepare_ms);
    tool_json_bool(item, "_pays", o->pays_after >= 0);
}

static void add_product(cJSON *json, const tool_spmv_summary *s) {
    const tool_trial *t = &s->trial;
    const tulle_mat_info *A = &t->A.info;
    const bool many = s->options.multivectors;
    tool_json_text(json, "op", many ? "spmm" : "spmv");
    tool_json_bool(json, "_many", many);
    tool_json_text(json, "_x", many ? "X" : "x");
    tool_json_text(json, "_y", many ? "Y" : "y");
    tool_operand_add_source(json, &t->A);
    tool_json_int(json, "rows", A->rows);
    tool_json_int(json, "cols", A->cols);
    tool_json_int(json, "nnz", A->nnz);
    tool_json_text(json, "type", tool_type_name(A->type));
    tool_json_text(json, "_type", tool_type_name(A->type));
    tool_json_text(json, "format", tool_format_name(t->info.format));
    tool_format_add(json, &t->info, t->convert_ms);
    tool_json_int(json, "stored", t->info.storage.stored);
    tool_json_real(json, "convert_ms", t->convert_ms);
    tool_json_text(json, "index", tool_index_name(A->index));
    tool_json_bool(json, "trans", t->given.trans == TULLE_T);
    tool_json_int(json, "k", t->given.block.vectors);
    tool_json_text(json, "layout", layout_name(t->given.block.layout));
    tool_json_text(json, "y_layout", layout_name(s->options.y_layout));
    tool_json_bool(json, "_turned", t->given.block.layout != s->options.y_layout);
    tool_json_real(json, "alpha", s->options.alpha);
    tool_json_real(json, "beta", s->options.beta);
}

static void add_choice(cJSON *json, const tool_spmv_summary *s) {
    const tulle_choice *choice = &s->choice;
    tool_json_text(json, "kernel", choice->kernel);
    tool_json_text(json, "params", choice->params);
    tool_json_text(json, "choice", choice->by);
    tool_place_add(json, &s->trial.device);
    tool_json_int(json, "kernel_bytes", choice->kernel_bytes);
    tool_json_int(json, "extra_bytes", choice->workspace_bytes + choice->plan_bytes);
    tool_json_real(json, "prep_ms", s->plan_ms);
    if (s->plan) tool_json_int(json, "_plan_bytes", choice->plan_bytes);
    if (s->options.calls > 0) add_optimized(json, &s->optimized);
}

void tool_spmv_add(cJSON *json, const void *user) {
    const tool_spmv_summary *s = user;
    add_product(json, s);
    add_choice(json, s);
    tool_trial_add_error(json, &s->trial);
    tool_trial_add_times(json, &s->trial);
    if (s->explanation.text) tool_explanation_add(json, &s->explanation);
}
