/* SPDX-License-Identifier: Apache-2.0 */
#include "trial_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static double gbs(const tool_trial *t) {
    return 1e-6 * (double)t->minimal_bytes / t->timing.ms;
}

static double floor_fraction(const tool_trial *t) {
    return t->copy_gbs > 0 ? gbs(t) / t->copy_gbs : 0;
}

static double gflops(const tool_trial *t) {
    return 1e-6 * t->flops / t->timing.ms;
}

/* Prints, for example, "sell, 1.02 slots for each entry, 12.3 kB, made in 1.2 ms". */
void tool_trial_print_format(const tool_trial *t) {
    const tulle_storage *storage = &t->info.storage;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (t->info.format == TULLE_CSR) return;
    tool_say("  format    %s, ", tool_format_name(t->info.format));
    if (t->info.format == TULLE_BSR) {
        tool_say("blocks of %" PRId64 " x %" PRId64 ", ", storage->block, storage->block);
    }
    tool_say("%.3g slots for each entry, %s, made in %s\n",
             t->info.nnz > 0 ? (double)storage->stored / (double)t->info.nnz : 1.0,
             tool_human_bytes((double)tool_matrix_bytes(&t->info), bytes),
             tool_human_seconds(1e-3 * t->convert_ms, time));
}

void tool_trial_print_error(const tool_trial *t, char result, const char *due) {
    if (!t->given.check) {
        tool_say("  error     not checked\n");
        return;
    }
    const bool right = tool_trial_is_right(t);
    tool_say("  error     %.3g of the bound: %s", t->units, right ? "right" : "WRONG");
    if (!right) {
        tool_say("; %c[%" PRId64, result, t->worst.row);
        if (isupper(result)) tool_say(", %" PRId64, t->worst.column);
        tool_say("] is %.17g, should be %.17g%s", t->worst.got, t->worst.want, due);
    }
    tool_say("\n");
}

void tool_trial_print_written(const tool_trial *t) {
    if (t->output) tool_say("  written   %s\n", tool_output_name(t->output));
}

/* Prints the time of converting operands, and the time left beside it, which is the difference of
 * two medians. */
static void print_converted(const tool_trial *t) {
    char converting[TOOL_HUMAN], rest[TOOL_HUMAN];
    const double left = t->timing.ms - t->converted.ms;
    if (!(t->converted.ms > 0)) return;
    tool_say("  of it     %s for converting operands, which leaves %s\n",
             tool_human_seconds(1e-3 * t->converted.ms, converting),
             tool_human_seconds(1e-3 * (left > 0 ? left : 0), rest));
}

void tool_trial_print_times(const tool_trial *t, const char *fewest) {
    char time[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    tool_say("  first     %s\n", tool_human_seconds(1e-3 * t->first_ms, time));
    if (!(t->timing.ms > 0)) return;
    tool_say("  time      %s (median of %" PRId64 "; deciles %s, %s)\n",
             tool_human_seconds(1e-3 * t->timing.ms, time), t->repeat,
             tool_human_seconds(1e-3 * t->timing.q10, low),
             tool_human_seconds(1e-3 * t->timing.q90, high));
    print_converted(t);
    tool_say("  speed     %.4g GFLOP/s, %.4g GB/s, %s read or written once\n", gflops(t), gbs(t),
             fewest);
    if (!(t->copy_gbs > 0)) return;
    tool_say("  floor     %.3g of the machine's %.4g GB/s%s\n", floor_fraction(t), t->copy_gbs,
             t->minimal_bytes < t->device.cache_bytes ? "; the data fit in its cache" : "");
}

void tool_trial_add_error(cJSON *json, const tool_trial *t) {
    if (!t->given.check) return;
    tool_json_real(json, "err", t->units);
    if (tool_trial_is_right(t)) return;
    cJSON *item = tool_json_child(json, "wrong");
    tool_json_int(item, "row", t->worst.row);
    tool_json_int(item, "column", t->worst.column);
    tool_json_real(item, "got", t->worst.got);
    tool_json_real(item, "want", t->worst.want);
}

void tool_trial_add_times(cJSON *json, const tool_trial *t) {
    if (t->output) tool_json_text(json, "file", t->output);
    tool_json_int(json, "minimal_bytes", t->minimal_bytes);
    tool_json_real(json, "first_ms", t->first_ms);
    if (!(t->timing.ms > 0)) return;
    tool_json_real(json, "ms", t->timing.ms);
    tool_json_real(json, "ms_q10", t->timing.q10);
    tool_json_real(json, "ms_q90", t->timing.q90);
    if (t->operation->convert) tool_json_real(json, "conversion_ms", t->converted.ms);
    tool_json_real(json, "gflops", gflops(t));
    tool_json_real(json, "gbs", gbs(t));
    tool_json_real(json, "floor", floor_fraction(t));
    tool_json_real(json, "copy_gbs", t->copy_gbs);
}
