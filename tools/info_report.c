/* SPDX-License-Identifier: Apache-2.0 */
#include "info_report.h"

#include "format/bsr.h"
#include "tools/common/json.h"
#include "tools/common/names.h"

const char tool_info_text[] =
    "{matrix}\n"
    "  shape         {rows:count} x {cols:count}\n"
    "  entries       {nnz:count}, {_percent:3g} % of all places\n"
    "<  blocks        {blocks.count:count} of {blocks.rows} x {blocks.cols}, "
    "{blocks._fill:4g} slots for each entry\n>"
    "<{!file}  made by       a generator, in {seconds:s}\n>"
    "<  file          {file.container}, {file.field}, {file.symmetry}; {file.stored:count} entries "
    "stored\n>"
    "<  read          {file.file_bytes:bytes} in {seconds:s}<: {file._content:bytes}/s of content, "
    "{file._entries:count} entries/s>\n>"
    "  values        {values.type}; |a| from {values.smallest:4g} to {values.largest:4g}, "
    "{values.zeros:count} stored zeros, {values.not_finite:count} Inf or NaN\n"
    "<{?_square}  symmetry      pattern {symmetry.pattern} ({symmetry._mirrored:4g} % of the "
    "off-diagonal entries have a mirror),\n"
    "                values {symmetry.values} ({symmetry._equal:4g} % have the same value there)\n"
    "  diagonal      {values.diagonal:count} of {rows:count} places stored, "
    "{values.diagonal_zeros:count} of them 0\n>"
    "  rows          <{?row_lengths._even}{row_lengths.min:count} {row_lengths._entries} each>"
    "<{!row_lengths._even}{row_lengths.min:count} to {row_lengths.max:count} entries, mean "
    "{row_lengths.mean:4g}, standard deviation {row_lengths.sd:4g}>, {row_lengths.empty:count} "
    "empty\n"
    "  bandwidth     {bandwidth:count} (largest |column - row|)\n";

static double percent(int64_t part, int64_t whole) {
    return whole ? 100 * (double)part / (double)whole : 100;
}

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
    if (!(file->seconds > 0)) return;
    tool_json_real(child, "_content", (double)file->text_bytes / file->seconds);
    tool_json_int(child, "_entries", (int64_t)((double)file->stored / file->seconds));
}

static void add_rows(cJSON *json, const tulle_mat_info *info) {
    cJSON *child = tool_json_child(json, "row_lengths");
    tool_json_bool(child, "_even", info->min_row == info->max_row);
    tool_json_text(child, "_entries", info->min_row == 1 ? "entry" : "entries");
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
    tool_json_real(child, "_mirrored", percent(f->mirrored, f->off_diagonal));
    tool_json_real(child, "_equal", percent(f->equal, f->off_diagonal));
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

static void add_blocks(cJSON *json, const tulle_mat_info *stored) {
    const tulle_storage *s = &stored->storage;
    cJSON *child = tool_json_child(json, "blocks");
    tool_json_int(child, "rows", tulle__block_rows(s));
    tool_json_int(child, "cols", tulle__block_cols(s));
    tool_json_int(child, "count", tulle__bsr_blocks(s));
    tool_json_int(child, "slots", s->stored);
    tool_json_real(child, "_fill", stored->nnz ? (double)s->stored / (double)stored->nnz : 1);
}

void tool_info_add(cJSON *json, const tool_info_report *r) {
    const double places = (double)r->info.rows * (double)r->info.cols;
    tool_json_text(json, "matrix", r->name);
    tool_json_text(json, "source", r->source.kind);
    tool_json_int(json, "rows", r->info.rows);
    tool_json_int(json, "cols", r->info.cols);
    tool_json_int(json, "nnz", r->info.nnz);
    tool_json_bool(json, "_square", r->info.rows == r->info.cols);
    tool_json_real(json, "_percent", places > 0 ? 100 * (double)r->info.nnz / places : 0);
    tool_json_int(json, "bandwidth", r->info.bandwidth);
    tool_json_real(json, "seconds", r->source.seconds);
    if (r->stored.format == TULLE_BSR) add_blocks(json, &r->stored);
    if (r->source.has_file) add_file(json, &r->source);
    add_symmetry(json, r);
    add_values(json, &r->info, &r->facts);
    add_rows(json, &r->info);
    tool_info_add_advice(json, r);
}
