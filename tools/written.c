/* SPDX-License-Identifier: Apache-2.0 */
#include "written.h"

#include <stdio.h>
#include <sys/stat.h>

#include "core/stopwatch.h"
#include "output.h"
#include "tools/common/json.h"
#include "tools/common/progress.h"
#include "tools/common/table.h"

tulle_status tool_write_matrix(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                               const tulle_save_options *options, tool_written *written) {
    tulle_status status = tulle_mat_describe(A, &written->info);
    double start = tulle__seconds();
    tulle_save_options chosen = *options;
    chosen.binary = tool_is_binary_name(path);
    if (status == TULLE_OK) status = tulle_mat_save(ctx, A, path, &chosen);
    tool_progress_end();
    if (status != TULLE_OK) return status;
    written->seconds = tulle__seconds() - start;
    written->path = path;
    struct stat file;
    written->file_bytes = stat(path, &file) == 0 ? file.st_size : 0;
    return TULLE_OK;
}

static void print_json(const tool_written *written) {
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
    tool_json_print(json, stdout, false);
}

static void print_line(const tool_written *written) {
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    printf("%s: %s x %s, %s entries, %s in %s", written->path,
           tool_human_count(written->info.rows, rows), tool_human_count(written->info.cols, cols),
           tool_human_count(written->info.nnz, nnz),
           tool_human_bytes((double)written->file_bytes, bytes),
           tool_human_seconds(written->seconds, time));
    if (written->reordered) {
        printf("; bandwidth %s, was %s", tool_human_count(written->info.bandwidth, rows),
               tool_human_count(written->bandwidth_before, cols));
    }
    printf("\n");
}

void tool_print_written(const tool_written *written, const tool_common *common) {
    if (common->json) {
        print_json(written);
    } else if (!common->quiet) {
        print_line(written);
    }
}
