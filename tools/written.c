/* SPDX-License-Identifier: Apache-2.0 */
#include "written.h"

#include <sys/stat.h>

#include "core/stopwatch.h"
#include "done.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"

typedef struct saving {
    tulle_ctx *ctx;
    const tulle_mat *A;
    tulle_save_options options;
    tool_written *written;
} saving;

static tulle_status save(const char *path, void *user) {
    const saving *s = user;
    struct stat file;
    const tulle_status status = tulle_mat_save(s->ctx, s->A, path, &s->options);
    s->written->file_bytes = status == TULLE_OK && stat(path, &file) == 0 ? file.st_size : 0;
    return status;
}

tulle_status tool_write_matrix(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                               const tulle_save_options *options, tool_written *written) {
    tulle_status status = tulle_mat_describe(A, &written->info);
    double start = tulle__seconds();
    saving s = {.ctx = ctx, .A = A, .options = *options, .written = written};
    s.options.binary = tool_is_binary_name(path);
    if (status == TULLE_OK) status = tool_write_path(path, ".mtx", save, &s);
    tool_progress_end();
    written->seconds = tulle__seconds() - start;
    written->path = tool_output_name(path);
    return status;
}

static void add_fields(cJSON *json, const void *user) {
    const tool_written *written = user;
    tool_json_text(json, "file", written->path);
    tool_json_text(json, "source", written->source.kind);
    tool_json_int(json, "rows", written->info.rows);
    tool_json_int(json, "cols", written->info.cols);
    tool_json_int(json, "nnz", written->info.nnz);
    tool_json_int(json, "file_bytes", written->file_bytes);
    tool_json_real(json, "read_seconds", written->source.seconds);
    tool_json_real(json, "write_seconds", written->seconds);
    if (!written->reordered) return;
    tool_json_int(json, "bandwidth", written->info.bandwidth);
    tool_json_int(json, "bandwidth_before", written->bandwidth_before);
}

int tool_print_written(const tool_written *written, const tool_common *common) {
    const tool_done done = {
        .add = add_fields,
        .line =
            "{file}: {rows:count} x {cols:count}, {nnz:count} entries, {file_bytes:bytes} in "
            "{write_seconds:s}<; bandwidth {bandwidth:count}, was {bandwidth_before:count}>\n"};
    return tool_report_done(common, &done, written);
}
