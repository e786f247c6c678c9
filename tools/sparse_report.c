/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse_report.h"

#include <ctype.h>

#include "tools/common/names.h"

void tool_sparse_add_matrices(cJSON *json, const tool_sparse *s, const tool_sparse_result *r) {
    const char name[] = {(char)tolower(s->result), '\0'};
    tool_json_text(json, "type", tool_type_name(r->info.type));
    tool_operand_add(json, "a", &s->A);
    if (s->B.name) tool_operand_add(json, "b", &s->B);
    (void)tool_matrix_add(json, name, &r->info);
    tool_json_int(json, "matrix_bytes", tool_sparse_bytes(s, r));
    tool_json_bool(json, "_alone", s->alone);
    tool_json_bool(json, "_added", s->added);
    tool_json_bool(json, "_masked", s->mask);
}

void tool_sparse_add_result(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                            int64_t peak) {
    if (s->check) tool_error_add(json, &r->error, s->exact ? TOOL_MOVED : TOOL_ENTRIES);
    tool_json_int(json, "_peak", peak);
    if (!s->output) return;
    tool_json_text(json, "file", s->output);
    tool_json_int(json, "file_bytes", r->written.file_bytes);
    tool_json_text(json, "_path", r->written.path);
    tool_json_real(json, "_written_seconds", r->written.seconds);
}

void tool_sparse_add_times(cJSON *json, const tool_sparse *s, const tool_sparse_result *r) {
    tool_json_real(json, "first_ms", r->first_ms);
    tool_timing_add(json, &r->timing, s->repeat);
}

void tool_sparse_add_floor(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                           const tulle_device_info *device, double copy_gbs) {
    tool_speed_add(json, &r->timing, tool_sparse_bytes(s, r), copy_gbs, device);
}
