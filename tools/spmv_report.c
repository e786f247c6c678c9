/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "sparse_report.h"
#include "tools/common/json.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"
#include "trial_report.h"

static const char *layout_name(tulle_layout layout) {
    return layout == TULLE_ROW_MAJOR ? "row" : "column";
}

/* "y = 1 A x + 0 y", or for multivectors "Y = 1 A X + 0 Y, 8 vectors by row". */
static void print_product(const tool_spmv_summary *s) {
    const trial_spmv_options *o = &s->options;
    const trial_block *block = &s->trial.given.block;
    const char x = o->multivectors ? 'X' : 'x', y = o->multivectors ? 'Y' : 'y';
    tool_say("%c = %g %s %c + %g %c", y, o->alpha, s->trial.given.trans == TULLE_T ? "A'" : "A", x,
             o->beta, y);
    if (!o->multivectors) return;
    tool_say(", %" PRId64 " vector%s by %s", block->vectors, block->vectors == 1 ? "" : "s",
             layout_name(block->layout));
    if (block->layout != o->y_layout) tool_say(" into %s", layout_name(o->y_layout));
}

static void print_optimized(const tulle_optimize_report *o) {
    char time[TOOL_HUMAN], bytes[TOOL_HUMAN];
    tool_say("  optimize  %s\n            took %s, holds %s", o->why,
             tool_human_seconds(1e-3 * o->prepare_ms, time),
             tool_human_bytes((double)o->plan_bytes, bytes));
    if (o->pays_after >= 0) tool_say(", pays after %" PRId64 " calls", o->pays_after);
    tool_say("\n");
}

static void print_choice(const tool_spmv_summary *s) {
    const tulle_choice *choice = &s->choice;
    char time[TOOL_HUMAN], bytes[TOOL_HUMAN];
    tool_say("  product   ");
    print_product(s);
    tool_say("\n  kernel    %s%s%s (%s)\n", choice->kernel, choice->params[0] ? ":" : "",
             choice->params, choice->by);
    tool_trial_print_format(&s->trial);
    if (s->options.calls > 0) print_optimized(&s->optimized);
    if (!s->plan) return;
    tool_say("  plan      %s, built in %s\n", tool_human_bytes((double)choice->plan_bytes, bytes),
             tool_human_seconds(1e-3 * s->plan_ms, time));
}

void tool_spmv_print_line(const void *user) {
    const tool_spmv_summary *s = user;
    const tulle_mat_info *A = &s->trial.A.info;
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN];
    print_product(s);
    tool_say(": %s x %s, %s entries", tool_human_count(A->rows, rows),
             tool_human_count(A->cols, cols), tool_human_count(A->nnz, nnz));
    tool_say_done(s->trial.first_ms, s->choice.kernel, &s->trial.device);
    tool_trial_print_written(&s->trial);
}

void tool_spmv_print(const void *user) {
    const tool_spmv_summary *s = user;
    tool_operand_print(&s->trial.A);
    tool_sparse_print_place(&s->trial.device);
    print_choice(s);
    tool_trial_print_error(&s->trial, s->options.multivectors ? 'Y' : 'y', "");
    tool_trial_print_written(&s->trial);
    tool_trial_print_times(&s->trial, s->options.multivectors ? "A, X and Y" : "A, x and y");
    if (s->explanation.text) tool_say("\n%s", s->explanation.text);
}

static void add_optimized(cJSON *json, const tulle_optimize_report *o) {
    cJSON *item = tool_json_object();
    tool_json_bool(item, "planned", o->planned);
    tool_json_text(item, "format", tool_format_name(o->format));
    tool_json_bool(item, "transposed", o->transposed);
    tool_json_bool(item, "measured", o->measured);
    tool_json_real(item, "before_us", o->before_us);
    tool_json_real(item, "after_us", o->after_us);
    tool_json_int(item, "plan_bytes", o->plan_bytes);
    tool_json_int(item, "pays_after", o->pays_after);
    tool_json_text(item, "why", o->why);
    cJSON_AddItemToObject(json, "optimize", item);
}

static void add_product(cJSON *json, const tool_spmv_summary *s) {
    const tool_trial *t = &s->trial;
    const tulle_mat_info *A = &t->A.info;
    tool_json_text(json, "op", s->options.multivectors ? "spmm" : "spmv");
    tool_json_text(json, "matrix", t->A.name);
    tool_json_text(json, "source", t->A.source.kind);
    tool_json_int(json, "rows", A->rows);
    tool_json_int(json, "cols", A->cols);
    tool_json_int(json, "nnz", A->nnz);
    tool_json_text(json, "type", tool_type_name(A->type));
    tool_json_text(json, "format", tool_format_name(t->info.format));
    tool_json_int(json, "stored", t->info.storage.stored);
    tool_json_real(json, "convert_ms", t->convert_ms);
    tool_json_text(json, "index", tool_index_name(A->index));
    tool_json_bool(json, "trans", t->given.trans == TULLE_T);
    tool_json_int(json, "k", t->given.block.vectors);
    tool_json_text(json, "layout", layout_name(t->given.block.layout));
    tool_json_text(json, "y_layout", layout_name(s->options.y_layout));
    tool_json_real(json, "alpha", s->options.alpha);
    tool_json_real(json, "beta", s->options.beta);
}

static void add_choice(cJSON *json, const tool_spmv_summary *s) {
    const tulle_choice *choice = &s->choice;
    tool_json_text(json, "kernel", choice->kernel);
    tool_json_text(json, "params", choice->params);
    tool_json_text(json, "choice", choice->by);
    tool_sparse_add_place(json, &s->trial.device);
    tool_json_int(json, "kernel_bytes", choice->kernel_bytes);
    tool_json_int(json, "extra_bytes", choice->workspace_bytes + choice->plan_bytes);
    tool_json_real(json, "prep_ms", s->plan_ms);
    if (s->options.calls > 0) add_optimized(json, &s->optimized);
}

void tool_spmv_print_json(const void *user) {
    const tool_spmv_summary *s = user;
    cJSON *json = tool_json_object();
    add_product(json, s);
    add_choice(json, s);
    tool_trial_add_error(json, &s->trial);
    tool_trial_add_times(json, &s->trial);
    if (s->explanation.text) tool_explanation_add(json, &s->explanation);
    tool_json_report(json);
}
