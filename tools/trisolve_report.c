/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static const char *part_name(tulle_part part) {
    return part == TULLE_LOWER ? "lower" : "upper";
}

static double gbs(const tool_trisolve_summary *s) {
    return 1e-6 * (double)s->result.minimal_bytes / s->result.ms;
}

static double floor_fraction(const tool_trisolve_summary *s) {
    return s->copy_gbs > 0 ? gbs(s) / s->copy_gbs : 0;
}

static void print_formula(const tool_system *p) {
    tool_say("T%s X = %g B, T the %s triangle of A", p->op == TULLE_T ? "'" : "", p->alpha,
             part_name(p->part));
}

static void print_system(const tool_trisolve_summary *s) {
    const tool_system *p = &s->system;
    tool_say("  system    ");
    print_formula(p);
    if (p->diag == TULLE_UNIT) tool_say(" with ones on its diagonal");
    if (p->dominant) tool_say(", whose diagonal was made dominant");
    tool_say(", %" PRId64 " vector%s by %s\n", p->vectors, p->vectors == 1 ? "" : "s",
             p->layout == TULLE_ROW_MAJOR ? "row" : "column");
    if (p->kernel) tool_say("  kernel    %s\n", p->kernel);
}

static void print_format(const tool_trisolve_summary *s) {
    const tulle_mat_info *info = &s->result.info;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (info->format == TULLE_CSR) return;
    tool_say("  format    %s, blocks of %" PRId64 " x %" PRId64 ", %s, made in %s\n",
             tool_format_name(info->format), info->storage.block, info->storage.block,
             tool_human_bytes((double)tool_matrix_bytes(info), bytes),
             tool_human_seconds(1e-3 * s->result.convert_ms, time));
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

static void print_error(const tool_trisolve_summary *s) {
    const tool_error_found *error = &s->result.error;
    if (!s->system.check) {
        tool_say("  error     not checked\n");
        return;
    }
    tool_say("  error     %.3g of the bound: %s", error->units,
             error->units <= 1 ? "right" : "WRONG");
    if (!(error->units <= 1)) {
        tool_say("; X[%" PRId64 ", %" PRId64 "] is %.17g, should be %.17g by the others",
                 error->row, error->column, error->got, error->want);
    }
    tool_say("\n");
}

static void print_infinite(const tool_trisolve_summary *s) {
    const int64_t count = s->result.infinite;
    if (count == 0) return;
    tool_say("  X         %" PRId64
             " of its numbers %s not finite, though B is: a diagonal entry is zero "
             "or much too small, or T's numbers are not finite\n",
             count, count == 1 ? "is" : "are");
}

/* Prints the time of converting T; the time left for solving is the difference of two medians. */
static void print_conversion(const tool_system_result *r) {
    char converting[TOOL_HUMAN], rest[TOOL_HUMAN];
    const double left = r->ms - r->conversion_ms;
    if (!(r->conversion_ms > 0)) return;
    tool_say("  of it     %s for converting T, which leaves %s for solving\n",
             tool_human_seconds(1e-3 * r->conversion_ms, converting),
             tool_human_seconds(1e-3 * (left > 0 ? left : 0), rest));
}

static void print_times(const tool_trisolve_summary *s) {
    char time[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    const tool_system_result *r = &s->result;
    tool_say("  first     %s\n", tool_human_seconds(1e-3 * r->first_ms, time));
    if (!(r->ms > 0)) return;
    tool_say("  time      %s (median of %" PRId64 "; deciles %s, %s)\n",
             tool_human_seconds(1e-3 * r->ms, time), s->system.repeat,
             tool_human_seconds(1e-3 * r->ms_q10, low), tool_human_seconds(1e-3 * r->ms_q90, high));
    print_conversion(r);
    tool_say("  speed     %.4g GB/s, T, B and X read or written once\n", gbs(s));
    if (!(s->copy_gbs > 0)) return;
    tool_say("  floor     %.3g of the machine's %.4g GB/s%s\n", floor_fraction(s), s->copy_gbs,
             r->minimal_bytes < s->device.cache_bytes ? "; the data fit in its cache" : "");
}

static void print_written(const tool_system *p) {
    if (p->output) tool_say("  written   %s\n", tool_output_name(p->output));
}

void tool_trisolve_print_line(const void *user) {
    const tool_trisolve_summary *s = user;
    char rows[TOOL_HUMAN], levels[TOOL_HUMAN];
    print_formula(&s->system);
    tool_say(": %s rows in %s levels, %" PRId64 " vector%s",
             tool_human_count(s->result.analysis.rows, rows),
             tool_human_count(s->result.analysis.levels, levels), s->system.vectors,
             s->system.vectors == 1 ? "" : "s");
    tool_say_done(s->result.first_ms, s->system.kernel, &s->device);
    print_infinite(s);
    print_written(&s->system);
}

void tool_trisolve_print(const void *user) {
    const tool_trisolve_summary *summary = user;
    tool_operand_print(&summary->A);
    tool_sparse_print_place(&summary->device);
    print_system(summary);
    print_format(summary);
    print_analysis(&summary->result.analysis);
    print_error(summary);
    print_infinite(summary);
    print_written(&summary->system);
    print_times(summary);
}

static void add_system(cJSON *json, const tool_trisolve_summary *s) {
    const tool_system *p = &s->system;
    tool_json_text(json, "op", "trisolve");
    tool_json_text(json, "type", tool_type_name(s->result.info.type));
    tool_operand_add(json, "a", &s->A);
    (void)tool_matrix_add(json, "solved", &s->result.info);
    tool_json_text(json, "part", part_name(p->part));
    tool_json_bool(json, "unit", p->diag == TULLE_UNIT);
    tool_json_bool(json, "trans", p->op == TULLE_T);
    tool_json_bool(json, "dominant", p->dominant);
    tool_json_real(json, "alpha", p->alpha);
    tool_json_int(json, "k", p->vectors);
    tool_json_text(json, "layout", p->layout == TULLE_ROW_MAJOR ? "row" : "column");
    tool_json_text(json, "kernel", p->kernel);
    tool_sparse_add_place(json, &s->device);
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

static void add_error(cJSON *json, const tool_trisolve_summary *s) {
    const tool_error_found *error = &s->result.error;
    if (!s->system.check) return;
    tool_json_real(json, "err", error->units);
    if (error->units <= 1) return;
    cJSON *item = tool_json_child(json, "wrong");
    tool_json_int(item, "row", error->row);
    tool_json_int(item, "column", error->column);
    tool_json_real(item, "got", error->got);
    tool_json_real(item, "want", error->want);
}

void tool_trisolve_print_json(const void *user) {
    const tool_trisolve_summary *summary = user;
    const tool_system_result *r = &summary->result;
    cJSON *json = tool_json_object();
    add_system(json, summary);
    add_analysis(json, &r->analysis);
    add_error(json, summary);
    tool_json_int(json, "x_not_finite", summary->result.infinite);
    if (summary->system.output) tool_json_text(json, "file", summary->system.output);
    tool_json_int(json, "minimal_bytes", r->minimal_bytes);
    tool_json_real(json, "first_ms", r->first_ms);
    if (r->ms > 0) {
        tool_json_real(json, "ms", r->ms);
        tool_json_real(json, "ms_q10", r->ms_q10);
        tool_json_real(json, "ms_q90", r->ms_q90);
        tool_json_real(json, "conversion_ms", r->conversion_ms);
        tool_json_real(json, "gbs", gbs(summary));
        tool_json_real(json, "floor", floor_fraction(summary));
        tool_json_real(json, "copy_gbs", summary->copy_gbs);
    }
    tool_json_report(json);
}
