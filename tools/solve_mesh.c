/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/say.h"
#include "tools/common/table.h"
#include "trials/mesh_problem.h"

static double ms_since(double start) {
    return 1e3 * (tulle__seconds() - start);
}

/* Makes "box-hex:40" of "box:40" and "hex". */
static tulle_status name_mesh(tool_mesh_system *s, const char *element) {
    const int stem = (int)strcspn(s->spec, ":");
    const int length = snprintf(s->name, sizeof s->name, "%.*s%s%s%s", stem, s->spec,
                                element ? "-" : "", element ? element : "", s->spec + stem);
    if (length >= 0 && (size_t)length < sizeof s->name) return TULLE_OK;
    return tool_record(TULLE_INVALID_ARGUMENT, "the name of the mesh is too long");
}

static tulle_status open_mesh(tulle_ctx *ctx, const char *element, tool_mesh_system *s) {
    tulle_status status = TULLE_OK;
    if (element) {
        status = name_mesh(s, element);
        if (status == TULLE_OK) {
            status = tool_open_mesh_generated(ctx, s->name, &s->mesh, &s->source);
            s->spec = s->name;
        }
    } else {
        status = tool_open_mesh(ctx, s->spec, &s->mesh, &s->source);
    }
    return status == TULLE_OK ? tulle_mesh_describe(s->mesh, &s->info) : status;
}

static tulle_status make_values(const trial_mesh_problem *posed, tool_mesh_system *s,
                                tool_operand *A) {
    tulle_ctx *ctx = posed->ctx;
    tulle_vec *b = NULL;
    const double start = tulle__seconds();
    tulle_status status = tulle_vec_create(ctx, A->info.type, A->info.rows, &b);
    if (status == TULLE_OK) status = trial_mesh_problem_values(posed, A->matrix, b);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    s->values_ms = ms_since(start);
    if (status == TULLE_OK) {
        s->b = tool_block_host(b);
        status = tool_block_read(ctx, b, s->b);
    }
    tulle_vec_destroy(b);
    return status;
}

static tulle_status assemble(tulle_type type, trial_mesh_problem *posed, tool_mesh_system *s,
                             tool_operand *A) {
    tulle_assembly_info info;
    const double start = tulle__seconds();
    tulle_status status = trial_mesh_problem_pattern(posed);
    if (status == TULLE_OK) status = trial_mesh_problem_matrix(posed, type, &A->matrix);
    if (status == TULLE_OK) status = tulle_assembly_describe(posed->S, &info);
    if (status == TULLE_OK) status = tulle_mat_describe(A->matrix, &A->info);
    s->pattern_ms = ms_since(start);
    if (status == TULLE_OK) s->pattern_bytes = info.bytes;
    if (status == TULLE_OK) status = make_values(posed, s, A);
    tool_progress_end();
    return status;
}

static tulle_status make_operator(tulle_type type, const trial_mesh_problem *posed,
                                  tool_mesh_system *s) {
    tulle_ctx *ctx = posed->ctx;
    tulle_memory_usage before, after;
    if (s->how == TOOL_ASSEMBLED) return TULLE_OK;
    const double start = tulle__seconds();
    tulle_status status = tulle_ctx_memory(ctx, &before);
    if (status == TULLE_OK && posed->E) {
        status = tulle_elasticity_local(ctx, posed->E, NULL, type, &s->L);
    } else if (status == TULLE_OK) {
        status = s->how == TOOL_LOCAL
                     ? tulle_diffusion_local(ctx, posed->D, NULL, type, &s->L)
                     : tulle_diffusion_matrix_free(ctx, posed->D, s->mesh, NULL, type, &s->L);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    s->operator_ms = ms_since(start);
    if (status == TULLE_OK) s->operator_bytes = (int64_t)(after.in_use - before.in_use);
    return status;
}

/* Keeps what the report tells of rows and nodes. A clamp gives all unknowns of a node. */
static void keep_rows(const trial_mesh_problem *posed, tool_mesh_system *s) {
    const size_t nodes = (size_t)s->info.nodes;
    s->unknowns = posed->unknowns;
    s->given = posed->given / posed->unknowns;
    if (!posed->row_of) return;
    s->rows = tool_alloc(nodes, sizeof *s->rows);
    memcpy(s->rows, posed->row_of, nodes * sizeof *s->rows);
}

/* Keeps the numbers that are given, in their rows, and marks these rows. */
static tulle_status hold_given(tulle_type type, const trial_mesh_problem *posed,
                               tool_mesh_system *s) {
    tulle_ctx *ctx = posed->ctx;
    tulle_vec *x = NULL;
    if (posed->given == 0) return TULLE_OK;
    tulle_status status = tulle_vec_create(ctx, type, posed->rows, &x);
    if (status == TULLE_OK) status = tulle_vec_fill(ctx, x, 0);
    if (status == TULLE_OK) status = trial_mesh_problem_give(posed, x);
    if (status == TULLE_OK) {
        s->held = tool_block_host(x);
        status = tool_block_read(ctx, x, s->held);
    }
    if (status == TULLE_OK) {
        s->is_held = tool_alloc((size_t)posed->rows, 1);
        status = tulle__copy_wait(ctx, s->is_held, posed->masked, (size_t)posed->rows);
    }
    tulle_vec_destroy(x);
    return status;
}

static tulle_status pose_diffusion(tulle_ctx *ctx, const tool_problem *problem,
                                   const tool_mesh_system *s, trial_mesh_problem *posed) {
    tool_problem_made made;
    tulle_status status = tool_problem_make(problem, s->mesh, &made);
    if (status == TULLE_OK) status = trial_mesh_problem_open(ctx, s->mesh, &made.problem, posed);
    tool_problem_free(&made);
    return status;
}

static tulle_status pose_elastic(tulle_ctx *ctx, const tool_elastic *problem,
                                 const tool_mesh_system *s, trial_mesh_problem *posed) {
    tool_elastic_made made;
    tulle_status status = tool_elastic_make(problem, s->mesh, &made);
    if (status == TULLE_OK) status = trial_elastic_problem_open(ctx, s->mesh, &made.problem, posed);
    tool_elastic_free(&made);
    return status;
}

static tulle_status make_system(tulle_ctx *ctx, tulle_type type, const tool_mesh_problem *problem,
                                tool_mesh_system *s, tool_operand *A) {
    trial_mesh_problem posed = {.ctx = ctx};
    tulle_status status = problem->elastic.wanted
                              ? pose_elastic(ctx, &problem->elastic, s, &posed)
                              : pose_diffusion(ctx, &problem->diffusion, s, &posed);
    if (status == TULLE_OK) keep_rows(&posed, s);
    if (status == TULLE_OK) status = hold_given(type, &posed, s);
    if (status == TULLE_OK) status = make_operator(type, &posed, s);
    if (status == TULLE_OK) status = assemble(type, &posed, s, A);
    trial_mesh_problem_close(&posed);
    return status;
}

tulle_status tool_mesh_system_open(tulle_ctx *ctx, const tool_common *common, const char *element,
                                   const tool_mesh_problem *problem, tool_mesh_system *system,
                                   tool_operand *A) {
    const double start = tulle__seconds();
    tulle_status status = open_mesh(ctx, element, system);
    A->name = system->spec;
    A->source.kind = "mesh";
    A->source.has_file = system->source.has_file;
    if (status == TULLE_OK) {
        status = make_system(ctx, (tulle_type)common->type, problem, system, A);
    }
    A->source.seconds = tulle__seconds() - start;
    return status;
}

void tool_mesh_system_close(tool_mesh_system *system) {
    tulle_linop_destroy(system->L);
    tulle_mesh_destroy(system->mesh);
    free(system->rows);
    free(system->b);
    free(system->held);
    free(system->is_held);
    system->held = NULL;
    system->is_held = NULL;
    system->rows = NULL;
    system->L = NULL;
    system->mesh = NULL;
    system->b = NULL;
}

bool tool_is_field_name(const char *path) {
    static const char *const endings[] = {".vtu", ".vtu.gz", ".vtu.xz", ".vtu.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(path), own = strlen(endings[i]);
        if (length > own && strcmp(path + length - own, endings[i]) == 0) return true;
    }
    return false;
}

/* Numbers of a node in a file: viewers draw three as arrows, of a plane, too. */
static int components_of(const tool_mesh_system *s) {
    return s->unknowns == 1 ? 1 : 3;
}

/* Returns x by nodes, with the components that a file has, 0 along an axis that the mesh lacks;
 * nodes that share a row have the row's number. */
static void *at_nodes(const tool_mesh_system *s, tulle_type type, const void *x) {
    const size_t size = (size_t)tulle_type_size(type), own = (size_t)s->unknowns * size;
    const size_t wide = (size_t)components_of(s) * size;
    char *spread = tool_alloc((size_t)s->info.nodes, wide);
    for (int64_t i = 0; i < s->info.nodes; i++) {
        const size_t row = (size_t)(s->rows ? s->rows[i] : i);
        memcpy(spread + (size_t)i * wide, (const char *)x + row * own, own);
    }
    return spread;
}

tulle_status tool_mesh_system_save(tulle_ctx *ctx, const tool_mesh_system *system, const char *path,
                                   tulle_type type, const void *x) {
    const int components = components_of(system);
    const bool as_is = !system->rows && components == system->unknowns;
    void *spread = as_is ? NULL : at_nodes(system, type, x);
    const tulle_mesh_field u = {
        .name = "u", .type = type, .components = components, .values = spread ? spread : x};
    const tulle_mesh_save_options options = {
        .encoding = system->encoding, .field_count = 1, .fields = &u};
    const tulle_status status = tulle_mesh_save(ctx, system->mesh, path, &options);
    free(spread);
    tool_progress_end();
    return status;
}

static const char *name_of(tool_operator how) {
    if (how == TOOL_MATRIX_FREE) return "matrix-free";
    return how == TOOL_LOCAL ? "local" : "assembled";
}

void tool_mesh_system_add(cJSON *json, const tool_mesh_system *s) {
    cJSON *item = tool_json_child(json, "mesh");
    tool_json_int(item, "cells", s->info.cells);
    tool_json_int(item, "nodes", s->info.nodes);
    tool_json_int(item, "facets", s->info.facets);
    tool_json_int(item, "given", s->given);
    tool_json_int(item, "unknowns", s->unknowns);
    tool_json_int(item, "turned", s->source.file.turned);
    tool_json_text(item, "operator", name_of(s->how));
    tool_json_bool(item, "_assembled", s->how == TOOL_ASSEMBLED);
    tool_json_text(item, "_holds", s->how == TOOL_LOCAL ? "element matrices" : "patches of cells");
    tool_json_text(item, "_how", s->source.has_file ? "read" : "made");
    tool_json_int(item, "assembly_bytes", s->pattern_bytes);
    tool_json_int(item, "operator_bytes", s->operator_bytes);
    tool_json_real(item, "mesh_ms", 1e3 * s->source.seconds);
    tool_json_real(item, "pattern_ms", s->pattern_ms);
    tool_json_real(item, "values_ms", s->values_ms);
    tool_json_real(item, "operator_ms", s->operator_ms);
}
