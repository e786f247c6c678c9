/* SPDX-License-Identifier: Apache-2.0 */
#include "info_report.h"
#include "tools/common/json.h"
#include "tools/common/names.h"

static void add_file(cJSON *json, const tool_source *source) {
    const tulle_file_info *file = &source->file;
    cJSON *child = tool_json_child(json, "file");
    tool_json_text(child, "path", source->path);
    tool_json_text(child, "container", file->container);
    tool_json_text(child, "field", file->field);
    tool_json_text(child, "symmetry", file->symmetry);
    tool_json_int(child, "stored", file->stored);
    tool_json_int(child, "vanished", file->vanished);
    tool_json_int(child, "rounded", file->rounded);
    tool_json_int(child, "file_bytes", file->file_bytes);
    tool_json_int(child, "text_bytes", file->text_bytes);
    tool_json_real(child, "parse_seconds", file->parse_seconds);
    tool_json_real(child, "seconds", file->seconds);
}

static void add_rows(cJSON *json, const tulle_mat_info *info) {
    cJSON *child = tool_json_child(json, "row_lengths");
    tool_json_int(child, "min", info->min_row);
    tool_json_int(child, "max", info->max_row);
    tool_json_real(child, "mean", info->mean_row);
    tool_json_real(child, "sd", info->sd_row);
    tool_json_int(child, "empty", info->empty_rows);
    cJSON *histogram = tool_json_list(child, "histogram");
    for (int bin = 0; bin < 33; bin++) {
        if (!info->row_histogram[bin]) continue;
        cJSON *item = tool_json_item(histogram);
        tool_json_int(item, "from", bin ? (int64_t)1 << (bin - 1) : 0);
        tool_json_int(item, "to", bin ? ((int64_t)1 << bin) - 1 : 0);
        tool_json_int(item, "rows", info->row_histogram[bin]);
    }
}

static void add_symmetry(cJSON *json, const tool_info_report *r) {
    const tulle_facts *f = &r->facts;
    cJSON *child = tool_json_child(json, "symmetry");
    tool_json_text(child, "pattern", tool_info_pattern(r));
    tool_json_text(child, "values", tool_info_values(r));
    tool_json_int(child, "off_diagonal", f->off_diagonal);
    tool_json_int(child, "mirrored", f->mirrored);
    tool_json_int(child, "equal", f->equal);
    tool_json_int(child, "opposite", f->opposite);
}

static void add_values(cJSON *json, const tulle_mat_info *info, const tulle_facts *f) {
    cJSON *child = tool_json_child(json, "values");
    tool_json_text(child, "type", tool_type_name(info->type));
    tool_json_real(child, "smallest", f->smallest);
    tool_json_real(child, "largest", f->largest);
    tool_json_int(child, "zeros", f->zeros);
    tool_json_int(child, "not_finite", f->not_finite);
    tool_json_int(child, "diagonal", f->diagonal);
    tool_json_int(child, "diagonal_zeros", f->diagonal_zero);
}

void tool_info_print_json(const void *user) {
    const tool_info_report *r = user;
    cJSON *json = tool_json_object();
    tool_json_text(json, "matrix", r->name);
    tool_json_text(json, "source", r->source.kind);
    tool_json_int(json, "rows", r->info.rows);
    tool_json_int(json, "cols", r->info.cols);
    tool_json_int(json, "nnz", r->info.nnz);
    tool_json_int(json, "bandwidth", r->info.bandwidth);
    tool_json_real(json, "seconds", r->source.seconds);
    if (r->source.has_file) add_file(json, &r->source);
    add_symmetry(json, r);
    add_values(json, &r->info, &r->facts);
    add_rows(json, &r->info);
    tool_info_add_advice(json, r);
    tool_json_report(json);
}
