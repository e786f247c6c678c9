/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

void tool_sparse_print_operands(const tool_sparse *s) {
    tool_operand_print(&s->A);
    if (!s->alone) tool_operand_print(&s->B);
}

void tool_sparse_print_place(const tulle_device_info *device) {
    tool_say("  place     %s, %s", tool_backend_name(device->backend), device->name);
    if (device->threads > 0) tool_say(", %d threads", device->threads);
    tool_say("\n");
}

void tool_sparse_print_result(const tool_sparse *s, const tool_sparse_result *r, const char *more) {
    tool_say("  %c         ", s->result);
    tool_matrix_print(&r->info);
    tool_say("%s\n", more);
}

void tool_sparse_print_line(const tool_sparse_result *r, const char *more, const char *kernel,
                            const tulle_device_info *device) {
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN];
    tool_say(": %s x %s, %s entries%s", tool_human_count(r->info.rows, rows),
             tool_human_count(r->info.cols, cols), tool_human_count(r->info.nnz, nnz), more);
    tool_say_done(r->first_ms, kernel, device);
}

/* Prints the error in units of its bound; numbers that are only moved have none: they are exact or
 * not. */
static void print_units(const tool_sparse *s, const tool_sparse_result *r) {
    if (!s->exact) {
        tool_say("  error     %.3g of the bound: ", r->error.units);
    } else {
        tool_say("  error     %s: ", r->error.units <= 1 ? "none, bit for bit" : "not exact");
    }
}

void tool_sparse_print_error(const tool_sparse *s, const tool_sparse_result *r) {
    const tool_entry_error *error = &r->error;
    const char name = s->result;
    if (!s->check) {
        tool_say("  error     not checked\n");
    } else if (error->fault) {
        tool_say("  error     WRONG; %c[%" PRId64 ", %" PRId64 "] %s\n", name, error->row,
                 error->column, error->fault);
    } else if (error->units <= 1) {
        print_units(s, r);
        tool_say("right\n");
    } else {
        print_units(s, r);
        tool_say("WRONG; %c[%" PRId64 ", %" PRId64 "] is %.17g, should be %.17g\n", name,
                 error->row, error->column, error->got, error->want);
    }
}

void tool_sparse_print_written(const tool_sparse *s, const tool_sparse_result *r) {
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (!s->output) return;
    tool_say("  written   %s, %s in %s\n", r->written.path,
             tool_human_bytes((double)r->written.file_bytes, bytes),
             tool_human_seconds(r->written.seconds, time));
}

void tool_sparse_print_memory(const tool_sparse *s, const tool_sparse_result *r, int64_t peak) {
    char held[TOOL_HUMAN], matrices[TOOL_HUMAN];
    const char name = s->result;
    tool_say("  memory    ");
    if (peak > 0) {
        tool_say("at most %s at a time, with %c; ", tool_human_bytes((double)peak, held), name);
    }
    tool_say("A%s%s%s and %c take %s\n", s->alone ? "" : ", B", s->added ? ", D" : "",
             s->mask ? ", M" : "", name,
             tool_human_bytes((double)tool_sparse_bytes(s, r), matrices));
}

void tool_sparse_print_phases(const tool_phase *phases, int count) {
    char time[TOOL_HUMAN];
    tool_say("  phases    ");
    for (int i = 0; i < count; i++) {
        tool_say("%s%s %s", i ? ", " : "", phases[i].name,
                 tool_human_seconds(1e-3 * phases[i].ms, time));
    }
    tool_say("\n");
}

void tool_sparse_print_times(const tool_sparse *s, const tool_sparse_result *r) {
    char time[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    tool_say("  first     %s\n", tool_human_seconds(1e-3 * r->first_ms, time));
    if (!(r->timing.ms > 0)) return;
    tool_say("  time      %s (median of %" PRId64 "; deciles %s, %s)\n",
             tool_human_seconds(1e-3 * r->timing.ms, time), s->repeat,
             tool_human_seconds(1e-3 * r->timing.q10, low),
             tool_human_seconds(1e-3 * r->timing.q90, high));
}

static double gbs(const tool_sparse *s, const tool_sparse_result *r) {
    return 1e-6 * (double)tool_sparse_bytes(s, r) / r->timing.ms;
}

static double floor_fraction(const tool_sparse *s, const tool_sparse_result *r, double copy_gbs) {
    return copy_gbs > 0 ? gbs(s, r) / copy_gbs : 0;
}

void tool_sparse_print_floor(const tool_sparse *s, const tool_sparse_result *r,
                             const tulle_device_info *device, double copy_gbs) {
    if (!(r->timing.ms > 0)) return;
    tool_say("  speed     %.4g GB/s, each matrix read or written once\n", gbs(s, r));
    if (!(copy_gbs > 0)) return;
    bool cached = tool_sparse_bytes(s, r) < device->cache_bytes;
    tool_say("  floor     %.3g of the machine's %.4g GB/s%s\n", floor_fraction(s, r, copy_gbs),
             copy_gbs, cached ? "; the data fit in its cache" : "");
}

void tool_sparse_add_matrices(cJSON *json, const tool_sparse *s, const tool_sparse_result *r) {
    const char name[] = {(char)tolower(s->result), '\0'};
    tool_json_text(json, "type", tool_type_name(r->info.type));
    tool_operand_add(json, "a", &s->A);
    if (s->B.name) tool_operand_add(json, "b", &s->B);
    (void)tool_matrix_add(json, name, &r->info);
    tool_json_int(json, "matrix_bytes", tool_sparse_bytes(s, r));
}

void tool_sparse_add_place(cJSON *json, const tulle_device_info *device) {
    tool_json_text(json, "backend", tool_backend_name(device->backend));
    tool_json_text(json, "machine", device->name);
    tool_json_int(json, "threads", device->threads);
}

void tool_sparse_add_error(cJSON *json, const tool_sparse *s, const tool_sparse_result *r) {
    const tool_entry_error *error = &r->error;
    if (!s->check) return;
    tool_json_real(json, "err", error->units);
    if (error->units <= 1) return;
    cJSON *item = tool_json_child(json, "wrong");
    tool_json_int(item, "row", error->row);
    tool_json_int(item, "column", error->column);
    tool_json_text(item, "fault", error->fault);
    tool_json_real(item, "got", error->got);
    tool_json_real(item, "want", error->want);
}

void tool_sparse_add_written(cJSON *json, const tool_sparse *s, const tool_sparse_result *r) {
    if (!s->output) return;
    tool_json_text(json, "file", s->output);
    tool_json_int(json, "file_bytes", r->written.file_bytes);
}

void tool_sparse_add_phases(cJSON *json, const tool_phase *phases, int count, double total) {
    cJSON *item = tool_json_child(json, "phases_ms");
    for (int i = 0; i < count; i++) tool_json_real(item, phases[i].name, phases[i].ms);
    tool_json_real(item, "total", total);
}

void tool_sparse_add_times(cJSON *json, const tool_sparse_result *r) {
    tool_json_real(json, "first_ms", r->first_ms);
    if (!(r->timing.ms > 0)) return;
    tool_json_real(json, "ms", r->timing.ms);
    tool_json_real(json, "ms_q10", r->timing.q10);
    tool_json_real(json, "ms_q90", r->timing.q90);
}

void tool_sparse_add_floor(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                           double copy_gbs) {
    if (!(r->timing.ms > 0)) return;
    tool_json_real(json, "gbs", gbs(s, r));
    tool_json_real(json, "floor", floor_fraction(s, r, copy_gbs));
    tool_json_real(json, "copy_gbs", copy_gbs);
}
