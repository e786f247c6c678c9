/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/progress.h"
#include "tools/common/stdin.h"
#include "tools/common/suggest.h"

static bool exists(const char *path) {
    struct stat unused;
    return stat(path, &unused) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* True if a specification begins with a generator's name; else there are names that are close. */
static bool is_generator(const char *spec, tool_suggestions *close) {
    static char name[64];
    const size_t length = strcspn(spec, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), spec);
    *close = tool_suggest(name);
    for (int i = 0; i < tulle_mesh_generator_count(); i++) {
        tulle_mesh_generator_info info;
        if (tulle_mesh_generator_describe(i, &info) != TULLE_OK) continue;
        if (strcmp(info.name, name) == 0) return true;
        tool_suggest_offer(close, info.name);
    }
    return false;
}

tulle_mesh_encoding tool_encoding_of(int word) {
    static const tulle_mesh_encoding of[] = {TULLE_ENCODE_RAW, TULLE_ENCODE_TEXT,
                                             TULLE_ENCODE_BASE64};
    return word < 0 ? TULLE_ENCODE_BY_FORMAT : of[word];
}

bool tool_names_mesh(const char *argument) {
    tool_suggestions close;
    return tool_names_mesh_file(argument) || (!exists(argument) && is_generator(argument, &close));
}

static tulle_status load_stdin(tulle_ctx *ctx, tulle_mesh **mesh, tool_mesh_source *source) {
    int64_t size = 0;
    void *bytes = tool_read_stdin(&size);
    if (!bytes) return tool_interrupted() ? TULLE_CANCELLED : TULLE_IO_ERROR;
    const tulle_status status =
        tulle_mesh_load_memory(ctx, bytes, size, "standard input", mesh, &source->file);
    free(bytes);
    return status;
}

static tulle_status open_any(tulle_ctx *ctx, const char *argument, bool files, tulle_mesh **mesh,
                             tool_mesh_source *source) {
    tool_suggestions close;
    source->has_file = files && (strcmp(argument, "-") == 0 || exists(argument));
    if (source->has_file) {
        return strcmp(argument, "-") == 0 ? load_stdin(ctx, mesh, source)
                                          : tulle_mesh_load(ctx, argument, mesh, &source->file);
    }
    if (is_generator(argument, &close)) return tulle_mesh_generate(ctx, argument, mesh);
    const char *near = tool_suggest_text(&close);
    return tool_record(
        TULLE_NOT_FOUND, "%s: %s of that name%s%s", argument,
        files ? "no such file, and no generator of meshes" : "there is no generator of meshes",
        near, near[0] ? "" : " (tulle mesh make --list prints them)");
}

static tulle_status timed(tulle_ctx *ctx, const char *argument, bool files, tulle_mesh **mesh,
                          tool_mesh_source *source) {
    const double start = tulle__seconds();
    *source = (tool_mesh_source){.has_file = false};
    *mesh = NULL;
    const tulle_status status = open_any(ctx, argument, files, mesh, source);
    source->seconds = tulle__seconds() - start;
    tool_progress_end();
    return status;
}

tulle_status tool_open_mesh(tulle_ctx *ctx, const char *argument, tulle_mesh **mesh,
                            tool_mesh_source *source) {
    return timed(ctx, argument, true, mesh, source);
}

tulle_status tool_open_mesh_generated(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh,
                                      tool_mesh_source *source) {
    return timed(ctx, spec, false, mesh, source);
}
