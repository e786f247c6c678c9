/* SPDX-License-Identifier: Apache-2.0 */
#include "trial_report.h"

#include <math.h>

#include "tools/common/output.h"

void tool_trial_add_error(cJSON *json, const tool_trial *t) {
    const tool_error_found *worst = &t->worst;
    const tool_entry_error error = {.units = t->units,
                                    .row = worst->row,
                                    .column = worst->column,
                                    .got = worst->got,
                                    .want = worst->want};
    if (t->given.check) tool_error_add(json, &error, TOOL_VECTORS);
}

void tool_trial_add_times(cJSON *json, const tool_trial *t) {
    if (t->output) tool_json_text(json, "file", t->output);
    if (t->output) tool_json_text(json, "_output", tool_output_name(t->output));
    tool_json_int(json, "minimal_bytes", t->minimal_bytes);
    tool_json_real(json, "first_ms", t->first_ms);
    tool_timing_add(json, &t->timing, t->repeat);
    if (!(t->timing.ms > 0)) return;
    if (t->operation->convert) {
        tool_json_real(json, "conversion_ms", t->converted.ms);
        tool_json_real(json, "_rest_ms", fmax(t->timing.ms - t->converted.ms, 0));
    }
    tool_json_real(json, "gflops", 1e-6 * t->flops / t->timing.ms);
    tool_speed_add(json, &t->timing, t->minimal_bytes, t->copy_gbs, &t->device);
}
