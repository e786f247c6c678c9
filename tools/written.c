/* SPDX-License-Identifier: Apache-2.0 */
#include "written.h"

#include <stdio.h>
#include <sys/stat.h>

#include "core/stopwatch.h"
#include "done.h"
#include "tools/common/json.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

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

static void print_json(const void *user) {
    const tool_written *written = user;
    cJSON *json = tool_json_object();
    tool_json_text(json, "file", written->path);
    tool_json_text(json, "source", written->source.kind);
    tool_json_int(json, "rows", written->info.rows);
    tool_json_int(json, "cols", written->info.cols);
    tool_json_int(json, "nnz", written->info.nnz);
    tool_json_int(json, "file_bytes", written->file_bytes);
    tool_json_real(json, "read_seconds", written->source.seconds);
    tool_json_real(json, "write_seconds", written->seconds);
    if (written->reordered) {
        tool_json_int(json, "bandwidth", written->info.bandwidth);
        tool_json_int(json, "bandwidth_before", written->bandwidth_before);
    }
    tool_json_report(json);
}

static void print_line(const void *user) {
    const tool_written *written = user;
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    tool_say("%s: %s x %s, %s entries, %s in %s", written->path,
             tool_human_count(written->info.rows, rows), tool_human_count(written->info.cols, cols),
             tool_human_count(written->info.nnz, nnz),
             tool_human_bytes((double)written->file_bytes, bytes),
             tool_human_seconds(written->seconds, time));
    if (written->reordered) {
        tool_say("; bandwidth %s, was %s", tool_human_count(written->info.bandwidth, rows),
                 tool_human_count(written->bandwidth_before, cols));
    }
    tool_say("\n");
}

int tool_print_written(const tool_written *written, const tool_common *common) {
    const tool_done done = {.json = print_json, .line = print_line};
    return tool_report_done(common, &done, written);
}
