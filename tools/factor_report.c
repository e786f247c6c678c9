/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_report.h"

#include "report_parts.h"
#include "tools/common/names.h"

#define TINY                                                                                       \
    "<{?pivots.tiny}  pivots    {pivots.tiny:count} <{?boost}were tiny and became larger>"         \
    "<{!boost}tiny>, the first in row {pivots.tiny_row}\n>"
#define ENDS                                                                                       \
    "<{?_half_read}  symmetry  A is not symmetric, and L L' knows its lower triangle alone\n>"     \
    "<  written   L: {_l.path}, {_l.bytes:bytes} in {_l.seconds:s}\n>"                             \
    "<  written   U: {_u.path}, {_u.bytes:bytes} in {_u.seconds:s}\n>"

const char tool_factor_line[] =
    "{_factors} of A: {factors._rows:count} rows, {factors._nnz:count} {factors._cells}, "
    "{factors.ratio:3g} times A's, in {factors.levels:count} levels" TOOL_DONE_TEXT TINY ENDS;

const char tool_factor_text[] = TOOL_OPERAND_TEXT("a.") TOOL_PLACE_TEXT
    "  task      {_factors} of A<{?dominant}, whose diagonal was made dominant>, "
    "<{?_all_fill}all fill><{!_all_fill}{?fill}fill up to level {fill}><{!fill}no fill>"
    "<, from the {_triangle} triangle<{?_in_order} in its order>><{?modified}, modified by "
    "{modified}><{?shift}, the diagonal shifted by {shift}><{?inverted}, diagonal blocks inverted>"
    "\n<  kernel    {kernel}\n><" TOOL_FORMAT_NAME_TEXT TOOL_FORMAT_MADE_TEXT "\n>"
    "<{?order_ms}  order     {_order}, in {order_ms:ms}\n>"
    "  factors   L has {factors.nnz_l:count}<{?_lu} and U {factors.nnz_u:count}> "
    "{factors._cells}, {factors.ratio:3g} times A's; {factors.type}, {factors.bytes:bytes}\n"
    "  levels    {factors.levels:count}, of {factors._rows:count} rows\n"
    "<{!pivots.tiny}  pivots    none is tiny\n>" TINY
    TOOL_ERROR_TEXT("(L U)[{wrong.row}, {wrong.column}]", ": its last product is", " by the others")
    "<  growth    (L U)^-1 A makes the numbers of a random vector {growth:3g} times as large\n>"
    "<{?richardson_steps}  quality   a step of Richardson's iteration leaves {richardson:3g} of "
    "the residual<{?_grows}: it grows>\n>" ENDS
    "  analysis  {analysis_ms:ms}\n  first     {first_ms:ms}\n"
    "<  values    " TOOL_TIMING_TEXT("update.") "<, {update._gflops:3g} Gflop/s>\n>"
    "<  solve     " TOOL_TIMING_TEXT("solve.") "\n>";

/* Adds the triangle of A that is read, if only one is: that of L L' lies in the order. */
static void add_triangle(cJSON *json, const trial_factor_options *t) {
    static const char *const reads[] = {"all", "lower", "upper"};
    const tulle_factor_options *o = &t->factors;
    const bool half = o->reads == TULLE_READS_ALL && o->kind == TULLE_CHOLESKY;
    tool_json_text(json, "reads", reads[o->reads]);
    if (half || o->reads != TULLE_READS_ALL) {
        tool_json_text(json, "_triangle", half ? "lower" : reads[o->reads]);
    }
    tool_json_bool(json, "_in_order", half && t->order != TRIAL_ORDER_NONE);
}

static void add_task(cJSON *json, const tool_factor_summary *s) {
    const tulle_factor_options *o = &s->options.factors;
    const bool lu = o->kind == TULLE_LU, all = o->fill == TULLE_FILL_ALL;
    tool_json_text(json, "op", "factor");
    tool_json_text(json, "type", tool_type_name(s->trial.info.type));
    tool_operand_add(json, "a", &s->trial.A);
    (void)tool_matrix_add(json, "factorised", &s->trial.info);
    tool_format_add(json, &s->trial.info, s->trial.convert_ms);
    tool_json_text(json, "kind", lu ? "lu" : "cholesky");
    tool_json_text(json, "_factors", lu ? "L U" : "L L'");
    tool_json_bool(json, "_lu", lu);
    tool_json_bool(json, "_all_fill", all);
    if (all) tool_json_text(json, "fill", "all");
    if (!all) tool_json_int(json, "fill", o->fill);
    add_triangle(json, &s->options);
    tool_json_text(json, "order", trial_order_name(s->options.order));
    tool_json_text(json, "_order", trial_order_title(s->options.order));
    tool_json_bool(json, "dominant", s->trial.dominant);
    tool_json_real(json, "modified", o->modified);
    tool_json_real(json, "shift", o->shift);
    tool_json_real(json, "tiny", o->tiny);
    tool_json_bool(json, "boost", o->boost);
    tool_json_bool(json, "inverted", o->inverted);
    tool_json_text(json, "kernel", s->trial.kernel);
    tool_place_add(json, &s->trial.device);
}

static void add_factors(cJSON *json, const tool_factor_summary *s) {
    const tulle_factor_info *f = &s->factors;
    const int64_t nnz = f->nnz_l + f->nnz_u;
    cJSON *item = tool_json_child(json, "factors");
    tool_json_text(item, "type", tool_type_name(f->type));
    tool_json_int(item, "block", f->block);
    tool_json_text(item, "_cells", f->block > 1 ? "blocks" : "entries");
    tool_json_int(item, "_rows", f->rows);
    tool_json_int(item, "_nnz", nnz);
    tool_json_int(item, "nnz_a", f->nnz_a);
    tool_json_int(item, "nnz_l", f->nnz_l);
    tool_json_int(item, "nnz_u", f->nnz_u);
    tool_json_real(item, "ratio", f->nnz_a > 0 ? (double)nnz / (double)f->nnz_a : 0);
    tool_json_int(item, "bytes", f->bytes);
    tool_json_int(item, "levels", f->levels);
    tool_json_real(item, "flops", f->flops);
    item = tool_json_child(json, "pivots");
    tool_json_int(item, "tiny", s->pivots.tiny);
    tool_json_int(item, "tiny_row", s->pivots.tiny_row);
    tool_json_int(item, "bad", s->pivots.bad);
    tool_json_int(item, "bad_row", s->pivots.bad_row);
}

static void add_check(cJSON *json, const tool_factor_summary *s) {
    tool_error_add(json, &s->error, TOOL_ENTRIES);
    tool_json_real(json, "growth", s->quality.growth);
    tool_json_real(json, "richardson", s->quality.left);
    tool_json_int(json, "richardson_steps", s->quality.steps);
    tool_json_bool(json, "_grows", !(s->quality.left < 1));
}

static void add_written(cJSON *json, const char *key, const char *about, const tool_written *w) {
    if (!w->path) return;
    tool_json_text(json, key, w->path);
    cJSON *item = tool_json_child(json, about);
    tool_json_text(item, "path", w->path);
    tool_json_int(item, "bytes", w->file_bytes);
    tool_json_real(item, "seconds", w->seconds);
}

static void add_calls(cJSON *json, const char *key, const tool_timing *t, double flops,
                      int64_t repeat) {
    if (!(t->ms > 0)) return;
    cJSON *item = tool_json_child(json, key);
    tool_timing_add(item, t, repeat);
    if (flops > 0) tool_json_real(item, "_gflops", 1e-6 * flops / t->ms);
}

void tool_factor_add(cJSON *json, const void *user) {
    const tool_factor_summary *s = user;
    const tool_trial *t = &s->trial;
    add_task(json, s);
    add_factors(json, s);
    if (t->given.check) add_check(json, s);
    add_written(json, "file_l", "_l", &s->l);
    add_written(json, "file_u", "_u", &s->u);
    tool_json_bool(json, "_half_read", s->half_read);
    tool_json_real(json, "convert_ms", t->convert_ms);
    tool_json_real(json, "order_ms", s->order_ms);
    tool_json_real(json, "analysis_ms", s->factors.analysis_ms);
    tool_json_real(json, "first_ms", t->first_ms);
    add_calls(json, "update", &t->timing, s->factors.flops, t->repeat);
    add_calls(json, "solve", &s->solve, 0, t->repeat);
}
