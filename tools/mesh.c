/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/stopwatch.h"
#include "done.h"
#include "mesh_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"

static const char *const examples[] = {
    "tulle mesh make --list",
    "tulle mesh make cylinder-hex:4x2x6,perturb=0.1 -o can.msh",
    "tulle mesh info can.msh",
    "tulle mesh convert can.msh can.vtu --renumber",
    "tulle mesh convert can.msh skin.vtu --boundary --encoding base64",
    NULL,
};

typedef struct settings {
    tool_common common;
    const char *output;
    int encoding; /* the place of a word in TOOL_ENCODINGS, or TOOL_NOT_GIVEN */
    bool list, renumber, boundary;
} settings;

/* Says which mesh was written, and to which file. */
typedef struct written {
    const char *path;
    tulle_mesh_info info;
    double seconds;
    int64_t file_bytes;
} written;

static const char list_text[] =
    "<{*generators}{usage}\n    {summary}\n    example: {example}\n>"
    "\nOptions: perturb=P moves nodes inside by up to P of the distance to their neighbours, "
    "shuffle=1 numbers nodes and cells at random, seed=S is what both draw from, size=AxBxC "
    "stretches.\n";

static void add_list(cJSON *json, const void *unused) {
    (void)unused;
    cJSON *list = tool_json_list(json, "generators");
    for (int i = 0; i < tulle_mesh_generator_count(); i++) {
        tulle_mesh_generator_info info;
        if (tulle_mesh_generator_describe(i, &info) != TULLE_OK) continue;
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "name", info.name);
        tool_json_text(item, "usage", info.usage);
        tool_json_text(item, "summary", info.summary);
        tool_json_text(item, "example", info.example);
    }
}

static void add_written(cJSON *json, const void *user) {
    const written *w = user;
    tool_json_text(json, "file", tool_output_name(w->path));
    tool_json_int(json, "nodes", w->info.nodes);
    tool_json_int(json, "cells", w->info.cells);
    tool_json_int(json, "facets", w->info.facets);
    tool_json_int(json, "file_bytes", w->file_bytes);
    tool_json_real(json, "write_seconds", w->seconds);
}

/* Puts what a call makes of a mesh in its place. */
static tulle_status change(tulle_ctx *ctx, const settings *s, tulle_mesh **mesh) {
    tulle_mesh *other = NULL;
    if (s->renumber) {
        const tulle_status status = tulle_mesh_renumber(ctx, *mesh, &other, NULL, NULL);
        if (status != TULLE_OK) return status;
        tulle_mesh_destroy(*mesh);
        *mesh = other;
    }
    if (s->boundary) {
        const tulle_status status = tulle_mesh_boundary(ctx, *mesh, &other, NULL);
        if (status != TULLE_OK) return status;
        tulle_mesh_destroy(*mesh);
        *mesh = other;
    }
    return TULLE_OK;
}

typedef struct saving {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    tulle_mesh_save_options options;
    written *written;
} saving;

static tulle_status save_at(const char *path, void *user) {
    const saving *all = user;
    struct stat file;
    const tulle_status status = tulle_mesh_save(all->ctx, all->mesh, path, &all->options);
    all->written->file_bytes = status == TULLE_OK && stat(path, &file) == 0 ? file.st_size : 0;
    return status;
}

static tulle_status save(tulle_ctx *ctx, const settings *s, const tulle_mesh *mesh, written *w) {
    const double start = tulle__seconds();
    saving all = {.ctx = ctx, .mesh = mesh, .written = w};
    all.options.encoding = tool_encoding_of(s->encoding);
    const tulle_status status = tool_write_path(w->path, ".msh", save_at, &all);
    tool_progress_end();
    if (status != TULLE_OK) return status;
    w->seconds = tulle__seconds() - start;
    return tulle_mesh_describe(mesh, &w->info);
}

typedef tulle_status (*open_fn)(tulle_ctx *ctx, const char *argument, tulle_mesh **mesh,
                                tool_mesh_source *source);

static tulle_status write_from(tulle_ctx *ctx, const settings *s, open_fn open,
                               const char *argument, written *w) {
    tulle_mesh *mesh = NULL;
    tool_mesh_source source;
    tulle_status status = tool_check_text_output(w->path, &tool_file_mesh);
    if (status == TULLE_OK) status = open(ctx, argument, &mesh, &source);
    if (status == TULLE_OK) status = change(ctx, s, &mesh);
    if (status == TULLE_OK) status = save(ctx, s, mesh, w);
    tulle_mesh_destroy(mesh);
    return status;
}

static int run_write(tulle_ctx *ctx, const settings *s, open_fn open, const char *argument,
                     const char *path) {
    written w = {.path = path};
    const tulle_status status = write_from(ctx, s, open, argument, &w);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_done done = {.add = add_written,
                            .line =
                                "{file}: {nodes:count} nodes, {cells:count} cells, "
                                "{file_bytes:bytes} in {write_seconds:s}\n"};
    return tool_report_done(&s->common, &done, &w);
}

static int run_info(tulle_ctx *ctx, const settings *s, const char *argument) {
    tool_mesh_report report = {.name = argument};
    tulle_mesh *mesh = NULL;
    tulle_status status = tool_open_mesh(ctx, argument, &mesh, &report.source);
    if (status == TULLE_OK) status = tool_mesh_look(ctx, mesh, &report);
    tool_progress_end();
    int code = status == TULLE_OK ? TOOL_OK : tool_fail(status);
    if (code == TOOL_OK) {
        const tool_form form = {
            .add = tool_mesh_add, .text = tool_mesh_text, .more = tool_mesh_print_more};
        code = tool_report_fields(&s->common, &form, &report);
    }
    tulle_mesh_destroy(mesh);
    return code;
}

static int run(tulle_ctx *ctx, const settings *s, char **operand) {
    if (strcmp(operand[0], "info") == 0) return run_info(ctx, s, operand[1]);
    if (strcmp(operand[0], "make") == 0) {
        return run_write(ctx, s, tool_open_mesh_generated, operand[1], s->output);
    }
    return run_write(ctx, s, tool_open_mesh, operand[1], operand[2]);
}

/* Refuses what does not belong to the work that is to be done. */
static int check(const settings *s, const tool_parsed *parsed) {
    const char *what = parsed->operand[0];
    const bool info = strcmp(what, "info") == 0, make = strcmp(what, "make") == 0;
    const bool convert = strcmp(what, "convert") == 0;
    if (!info && !make && !convert) {
        const char *hint = strchr(what, '.') ? ": tulle mesh info FILE says what a file has" : "";
        return tool_misuse("mesh", "'%s' is none of info, make and convert%s", what, hint);
    }
    if (s->list && !make) return tool_misuse("mesh", "--list belongs to make");
    if (make && s->list) return TOOL_OK;
    if (parsed->count < (convert ? 3 : 2)) {
        return tool_misuse("mesh", "what is missing: %s", convert ? "MESH FILE" : "MESH");
    }
    if (parsed->count > (convert ? 3 : 2)) {
        return tool_misuse("mesh", "'%s' is too much", parsed->operand[convert ? 3 : 2]);
    }
    if (make != (s->output != NULL)) {
        return tool_misuse(
            "mesh", make ? "--output is missing: where to write it" : "--output belongs to make");
    }
    if (info && (s->renumber || s->boundary)) {
        return tool_misuse("mesh", "--renumber and --boundary belong to make and convert");
    }
    return TOOL_OK;
}

int tulle_tool_mesh(int argc, char **argv) {
    settings s = {.common = tool_common_defaults(), .encoding = TOOL_NOT_GIVEN};
    const tool_option options[] = {
        TOOL_OUTPUT(&s.output, "make: where to write it, .msh or .vtu, and .gz, .xz, .zst behind"),
        TOOL_ENCODING(&s.encoding, "of numbers (default raw in .msh, base64 in .vtu)"),
        {.name = "renumber",
         .kind = TOOL_FLAG,
         .target = &s.renumber,
         .help = "make, convert: number nodes and cells for locality"},
        {.name = "boundary",
         .kind = TOOL_FLAG,
         .target = &s.boundary,
         .help = "make, convert: the facets of the boundary in place of cells"},
        {.name = "list",
         .letter = 'l',
         .kind = TOOL_FLAG,
         .target = &s.list,
         .help = "make: list the generators"},
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "mesh",
        .operands = "info MESH | make SPEC | convert MESH FILE",
        .about =
            "info says what a mesh is like: its elements, groups, quality and boundary; make "
            "writes\n"
            "the mesh of a model problem, convert another file of a mesh, for Gmsh (.msh) or\n"
            "ParaView (.vtu). Read are Gmsh's files, versions 4.1 and 2.2, and VTK's. Cells that "
            "are\n"
            "turned over in a file are turned back, and counted. A mesh on which finite elements\n"
            "cannot stand is refused with the number of the element: flat ones, those that are\n"
            "turned over in part, hanging nodes, repeated ones.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 3,
        .result_operand = 3,
    };
    const tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    int code = check(&s, &parsed);
    if (code != TOOL_OK) return code;
    const tool_form form = {.add = add_list, .text = list_text};
    if (s.list) return tool_report_fields(&s.common, &form, NULL);
    tool_progress_allow(!s.common.quiet);

    tulle_ctx *ctx = NULL;
    const tulle_status status = tool_open_place("cpu", &ctx);
    if (status != TULLE_OK) return tool_fail(status);
    code = run(ctx, &s, parsed.operand);
    tulle_ctx_destroy(ctx);
    return code;
}
