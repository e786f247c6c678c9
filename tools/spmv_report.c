/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "tools/common/json.h"
#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static int64_t columns(const tool_spmv_report *r) {
    return r->product.vectors > 0 ? r->product.vectors : 1;
}

/* Two operations for each entry and vector; the fewest bytes; the machine's own time for those. */
static double gflops(const tool_spmv_report *r) {
    return 2e-6 * (double)r->info.nnz * (double)columns(r) / r->result.ms;
}

static double gbs(const tool_spmv_report *r) {
    return 1e-6 * (double)r->result.choice.minimal_bytes / r->result.ms;
}

static double floor_fraction(const tool_spmv_report *r) {
    return r->copy_gbs > 0 ? gbs(r) / r->copy_gbs : 0;
}

static void print_matrix(const tool_spmv_report *r) {
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], time[TOOL_HUMAN];
    tool_say("%s: %s x %s, %s entries, %s, index %s, %s in %s\n", r->matrix,
             tool_human_count(r->info.rows, rows), tool_human_count(r->info.cols, cols),
             tool_human_count(r->info.nnz, nnz), tool_type_name(r->info.type),
             tool_index_name(r->info.index), r->source.has_file ? "read" : "made",
             tool_human_seconds(r->source.seconds, time));
}

static const char *layout_name(tulle_layout layout) {
    return layout == TULLE_ROW_MAJOR ? "row" : "column";
}

/* "y = 1 A x + 0 y", or for blocks "Y = 1 A X + 0 Y, 8 vectors by row". */
static void print_product(const tool_product *p) {
    bool blocks = p->vectors > 0;
    char x = blocks ? 'X' : 'x', y = blocks ? 'Y' : 'y';
    tool_say("%c = %g %s %c + %g %c", y, p->alpha, p->op == TULLE_T ? "A'" : "A", x, p->beta, y);
    if (blocks) {
        tool_say(", %" PRId64 " vector%s by %s", p->vectors, p->vectors == 1 ? "" : "s",
                 layout_name(p->x_layout));
    }
    if (blocks && p->x_layout != p->y_layout) tool_say(" into %s", layout_name(p->y_layout));
}

static void print_optimized(const tulle_optimize_report *o) {
    char time[TOOL_HUMAN], bytes[TOOL_HUMAN];
    tool_say("  optimize  %s\n            took %s, holds %s", o->why,
             tool_human_seconds(1e-3 * o->prepare_ms, time),
             tool_human_bytes((double)o->plan_bytes, bytes));
    if (o->pays_after >= 0) tool_say(", pays after %" PRId64 " calls", o->pays_after);
    tool_say("\n");
}

static void print_choice(const tool_spmv_report *r) {
    const tulle_choice *choice = &r->result.choice;
    tool_say("  place     %s, %s", tool_backend_name(r->device.backend), r->device.name);
    if (r->device.threads > 0) tool_say(", %d threads", r->device.threads);
    tool_say("\n  product   ");
    print_product(&r->product);
    tool_say("\n");
    tool_say("  kernel    %s%s%s (%s)\n", choice->kernel, choice->params[0] ? ":" : "",
             choice->params, choice->by);
    char time[TOOL_HUMAN], bytes[TOOL_HUMAN];
    const tulle_mat_info *info = &r->result.info;
    if (info->format != TULLE_CSR) {
        tool_say("  format    %s, %s, %.3g slots for each entry, made in %s\n",
                 tool_format_name(info->format),
                 tool_human_bytes((double)(info->pattern_bytes + info->value_bytes), bytes),
                 info->nnz > 0 ? (double)info->storage.stored / (double)info->nnz : 1.0,
                 tool_human_seconds(1e-3 * r->result.convert_ms, time));
    }
    if (r->product.optimize > 0) print_optimized(&r->result.optimized);
    if (r->product.plan) {
        tool_say("  plan      %s, built in %s\n",
                 tool_human_bytes((double)choice->plan_bytes, bytes),
                 tool_human_seconds(1e-3 * r->result.plan_ms, time));
    }
}

static void print_error(const tool_spmv_report *r) {
    const tool_error_found *error = &r->result.error;
    if (!r->product.check) {
        tool_say("  error     not checked");
    } else {
        tool_say("  error     %.3g of the bound: %s", error->units,
                 error->units <= 1 ? "right" : "WRONG");
    }
    if (!(error->units <= 1)) {
        tool_say("; y[%" PRId64 "]", error->row);
        if (r->product.vectors > 0) tool_say(" of column %" PRId64, error->column);
        tool_say(" is %.17g, should be %.17g", error->got, error->want);
    }
    tool_say("\n");
}

static void print_written(const tool_spmv_report *r) {
    if (r->product.output) tool_say("  written   %s\n", tool_output_name(r->product.output));
}

static void print_speed(const tool_spmv_report *r) {
    char median[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    tool_say("  first     %s\n", tool_human_seconds(1e-3 * r->result.first_ms, median));
    if (!(r->result.ms > 0)) return;
    tool_say("  time      %s (median of %" PRId64 "; deciles %s, %s)\n",
             tool_human_seconds(1e-3 * r->result.ms, median), r->product.repeat,
             tool_human_seconds(1e-3 * r->result.ms_q10, low),
             tool_human_seconds(1e-3 * r->result.ms_q90, high));
    tool_say("  speed     %.4g GFLOP/s, %.4g GB/s\n", gflops(r), gbs(r));
    if (r->copy_gbs > 0) {
        bool cached = r->result.choice.minimal_bytes < r->device.cache_bytes;
        tool_say("  floor     %.3g of the machine's %.4g GB/s%s\n", floor_fraction(r), r->copy_gbs,
                 cached ? "; the data fit in its cache" : "");
    }
}

void tool_spmv_print_line(const void *user) {
    const tool_spmv_report *r = user;
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN];
    print_product(&r->product);
    tool_say(": %s x %s, %s entries", tool_human_count(r->info.rows, rows),
             tool_human_count(r->info.cols, cols), tool_human_count(r->info.nnz, nnz));
    tool_say_done(r->result.first_ms, r->result.choice.kernel, &r->device);
    print_written(r);
}

void tool_spmv_print(const void *user) {
    const tool_spmv_report *report = user;
    print_matrix(report);
    print_choice(report);
    print_error(report);
    print_written(report);
    print_speed(report);
    if (report->result.explanation.text) tool_say("\n%s", report->result.explanation.text);
}

static void add_speed(cJSON *json, const tool_spmv_report *r) {
    tool_json_real(json, "ms", r->result.ms);
    tool_json_real(json, "ms_q10", r->result.ms_q10);
    tool_json_real(json, "ms_q90", r->result.ms_q90);
    tool_json_real(json, "gflops", gflops(r));
    tool_json_real(json, "gbs", gbs(r));
    tool_json_real(json, "floor", floor_fraction(r));
    tool_json_real(json, "copy_gbs", r->copy_gbs);
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

void tool_spmv_print_json(const void *user) {
    const tool_spmv_report *r = user;
    const tulle_choice *choice = &r->result.choice;
    cJSON *json = tool_json_object();
    tool_json_text(json, "op", r->product.vectors > 0 ? "spmm" : "spmv");
    tool_json_text(json, "matrix", r->matrix);
    tool_json_text(json, "source", r->source.kind);
    tool_json_int(json, "rows", r->info.rows);
    tool_json_int(json, "cols", r->info.cols);
    tool_json_int(json, "nnz", r->info.nnz);
    tool_json_text(json, "type", tool_type_name(r->info.type));
    tool_json_text(json, "format", tool_format_name(r->result.info.format));
    tool_json_int(json, "stored", r->result.info.storage.stored);
    tool_json_real(json, "convert_ms", r->result.convert_ms);
    tool_json_text(json, "index", tool_index_name(r->info.index));
    tool_json_bool(json, "trans", r->product.op == TULLE_T);
    tool_json_int(json, "k", columns(r));
    tool_json_text(json, "layout", layout_name(r->product.x_layout));
    tool_json_text(json, "y_layout", layout_name(r->product.y_layout));
    tool_json_real(json, "alpha", r->product.alpha);
    tool_json_real(json, "beta", r->product.beta);
    tool_json_text(json, "kernel", choice->kernel);
    tool_json_text(json, "params", choice->params);
    tool_json_text(json, "choice", choice->by);
    tool_json_text(json, "backend", tool_backend_name(r->device.backend));
    tool_json_text(json, "machine", r->device.name);
    tool_json_int(json, "threads", r->device.threads);
    tool_json_int(json, "minimal_bytes", choice->minimal_bytes);
    tool_json_int(json, "kernel_bytes", choice->kernel_bytes);
    tool_json_int(json, "extra_bytes", choice->workspace_bytes + choice->plan_bytes);
    tool_json_real(json, "prep_ms", r->result.plan_ms);
    if (r->product.optimize > 0) add_optimized(json, &r->result.optimized);
    if (r->product.check) tool_json_real(json, "err", r->result.error.units);
    tool_json_real(json, "first_ms", r->result.first_ms);
    if (r->result.ms > 0) add_speed(json, r);
    if (r->result.explanation.text) tool_explanation_add(json, &r->result.explanation);
    tool_json_report(json);
}
