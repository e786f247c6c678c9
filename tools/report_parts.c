/* SPDX-License-Identifier: Apache-2.0 */
#include "report_parts.h"

#include "tools/common/names.h"

void tool_place_add(cJSON *json, const tulle_device_info *device) {
    tool_json_text(json, "backend", tool_backend_name(device->backend));
    tool_json_text(json, "machine", device->name);
    tool_json_int(json, "threads", device->threads);
}

void tool_format_add(cJSON *json, const tulle_mat_info *info, double ms) {
    const tulle_storage *storage = &info->storage;
    if (info->format == TULLE_CSR) return;
    cJSON *format = tool_json_child(json, "_format");
    tool_json_text(format, "name", tool_format_name(info->format));
    if (info->format == TULLE_BSR) {
        tool_json_int(format, "block", storage->block);
        tool_json_int(format, "block_cols", storage->block_cols);
    }
    tool_json_real(format, "slots",
                   info->nnz > 0 ? (double)storage->stored / (double)info->nnz : 1.0);
    tool_json_int(format, "bytes", tool_matrix_bytes(info));
    tool_json_real(format, "ms", ms);
}

void tool_error_add(cJSON *json, const tool_entry_error *error, tool_checked checked) {
    const bool right = error->units <= 1;
    tool_json_real(json, "err", error->units);
    tool_json_text(json, "_verdict", right ? "right" : "WRONG");
    if (!error->fault && checked == TOOL_MOVED) {
        tool_json_text(json, "_exact", right ? "none, bit for bit" : "not exact");
    } else if (!error->fault) {
        tool_json_real(json, "_bound", error->units);
    }
    if (right) return;
    cJSON *wrong = tool_json_child(json, "wrong");
    tool_json_int(wrong, "row", error->row);
    tool_json_int(wrong, "column", error->column);
    if (checked != TOOL_VECTORS) tool_json_text(wrong, "fault", error->fault);
    tool_json_real(wrong, "got", error->got);
    tool_json_real(wrong, "want", error->want);
}

void tool_timing_add(cJSON *json, const tool_timing *timing, int64_t repeat) {
    if (!(timing->ms > 0)) return;
    tool_json_real(json, "ms", timing->ms);
    tool_json_real(json, "ms_q10", timing->q10);
    tool_json_real(json, "ms_q90", timing->q90);
    tool_json_int(json, "_repeat", repeat);
}

void tool_speed_add(cJSON *json, const tool_timing *timing, int64_t bytes, double copy_gbs,
                    const tulle_device_info *device) {
    if (!(timing->ms > 0)) return;
    const double gbs = 1e-6 * (double)bytes / timing->ms;
    tool_json_real(json, "gbs", gbs);
    tool_json_real(json, "floor", copy_gbs > 0 ? gbs / copy_gbs : 0);
    tool_json_real(json, "copy_gbs", copy_gbs);
    tool_json_bool(json, "_cached", bytes < device->cache_bytes);
}
