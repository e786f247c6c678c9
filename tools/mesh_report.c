/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh_report.h"

#include <stdio.h>

#include "tools/common/fields.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

const char tool_mesh_text[] =
    "{mesh}\n<{!file}  made by    a generator, in {seconds:s}\n>"
    "<  file       {file._title} {file.version}, {file._written}, {file.container}; "
    "{file.file_bytes:bytes} in {seconds:s}\n>"
    "<{?file._is_less}  left out   {file.left_out:count} elements of fewer dimensions, "
    "{file._unused:count} nodes without elements\n>"
    "<{?file.turned}  turned     {file.turned:count} cells, which were turned over in the file\n>"
    "  nodes      {nodes:count} in {dimension} dimensions"
    "<{*_sides}<{?follows}, ><{!follows}: >{axis} from {low} to {high}>\n"
    "<{?unused_nodes}  unused     {unused_nodes:count} of them\n>"
    "<{*blocks}  {_kind}     {count:count} of shape {shape}\n>"
    "  boundary   {boundary:count} facets\n"
    "  quality    {scaled_jacobian.least:4g} to {scaled_jacobian.greatest:4g}, mean "
    "{scaled_jacobian.mean:4g}; least in cell {scaled_jacobian.least_cell:count}\n"
    "  numbers    nodes of a cell at most {node_distance:count} apart; renumbered "
    "{node_distance_renumbered:count}\n"
    "  memory     {bytes:bytes}\n";

static int64_t bandwidth_of(const tulle_mesh *mesh) {
    tulle_mesh_arrays a;
    tulle_mesh_info info;
    int64_t widest = 0;
    if (tulle_mesh_view(mesh, &a) != TULLE_OK || tulle_mesh_describe(mesh, &info) != TULLE_OK) {
        return 0;
    }
    for (int64_t b = 0; b < info.cell_blocks; b++) {
        tulle_shape_info shape;
        if (tulle_shape_describe(a.blocks[b].shape, &shape) != TULLE_OK) return 0;
        for (int64_t i = 0; i < a.blocks[b].count; i++) {
            const int32_t *node = a.blocks[b].nodes + i * shape.nodes;
            int64_t low = node[0], high = low;
            for (int n = 1; n < shape.nodes; n++) {
                if (node[n] < low) low = node[n];
                if (node[n] > high) high = node[n];
            }
            if (high - low > widest) widest = high - low;
        }
    }
    return widest;
}

static tulle_status count_boundary(tulle_ctx *ctx, tool_mesh_report *r) {
    tulle_mesh *boundary = NULL;
    tulle_mesh_info info;
    if (r->info.cell_dimension < 2) return TULLE_OK;
    tulle_status status = tulle_mesh_boundary(ctx, r->mesh, &boundary, NULL);
    if (status == TULLE_OK) status = tulle_mesh_describe(boundary, &info);
    if (status == TULLE_OK) r->boundary = info.cells;
    tulle_mesh_destroy(boundary);
    return status;
}

tulle_status tool_mesh_look(tulle_ctx *ctx, const tulle_mesh *mesh, tool_mesh_report *r) {
    tulle_mesh *other = NULL;
    r->mesh = mesh;
    tulle_status status = tulle_mesh_describe(mesh, &r->info);
    if (status == TULLE_OK) status = tulle_mesh_measure(ctx, mesh, &r->quality);
    if (status == TULLE_OK) status = count_boundary(ctx, r);
    if (status == TULLE_OK) status = tulle_mesh_renumber(ctx, mesh, &other, NULL, NULL);
    if (status == TULLE_OK) {
        r->bandwidth = bandwidth_of(mesh);
        r->renumbered_to = bandwidth_of(other);
    }
    tulle_mesh_destroy(other);
    return status;
}

/* Counts the elements of a group. */
static int64_t count_group(const tool_mesh_report *r, int dimension, int32_t number) {
    tulle_mesh_arrays a;
    int64_t count = 0;
    if (tulle_mesh_view(r->mesh, &a) != TULLE_OK) return 0;
    for (int64_t b = 0; b < a.block_count; b++) {
        tulle_shape_info shape;
        if (tulle_shape_describe(a.blocks[b].shape, &shape) != TULLE_OK ||
            shape.dimension != dimension)
            continue;
        for (int64_t i = 0; i < a.blocks[b].count; i++) {
            count += a.blocks[b].groups &&
                     tulle_mesh_in_group(&a, dimension, a.blocks[b].groups[i], number);
        }
    }
    return count;
}

static const char *count(int64_t number) {
    static char buffer[4][TOOL_HUMAN];
    static unsigned next;
    return tool_human_count(number, buffer[next++ % 4]);
}

static void print_quality(const tool_mesh_report *r) {
    const tulle_mesh_quality *q = &r->quality;
    tool_say("\n  scaled Jacobian of cells (1: square, cube, regular simplex)\n");
    for (int b = 0; b < TULLE_MESH_BINS; b++) {
        if (q->histogram[b] == 0) continue;
        tool_say("  %.1f to %.1f  %s\n", (double)b / TULLE_MESH_BINS,
                 (double)(b + 1) / TULLE_MESH_BINS, count(q->histogram[b]));
    }
}

void tool_mesh_print_more(const cJSON *fields, const void *user) {
    static const tool_column columns[] = {{"group", "{name}"},
                                          {">number", "{number}"},
                                          {">dimension", "{dimension}"},
                                          {">elements", "{elements:count}"},
                                          {NULL, NULL}};
    tool_say_fields(fields, "<{?_groups}\n>");
    tool_say_table(fields, "groups", columns);
    print_quality(user);
}

static void add_file(cJSON *json, const tool_mesh_report *r) {
    const tulle_mesh_file_info *file = &r->source.file;
    const int64_t unused = file->nodes - r->info.nodes;
    cJSON *child = tool_json_child(json, "file");
    tool_json_text(child, "format", file->format == TULLE_VTU ? "vtu" : "msh");
    tool_json_text(child, "_title", file->format == TULLE_VTU ? "VTK" : "Gmsh");
    tool_json_text(child, "version", file->version);
    tool_json_bool(child, "binary", file->binary);
    tool_json_text(child, "_written", file->binary ? "binary" : "text");
    tool_json_text(child, "container", file->container);
    tool_json_int(child, "nodes", file->nodes);
    tool_json_int(child, "elements", file->elements);
    tool_json_int(child, "left_out", file->left_out);
    tool_json_bool(child, "_is_less", file->left_out > 0 || unused > 0);
    tool_json_int(child, "_unused", unused);
    tool_json_int(child, "turned", file->turned);
    tool_json_int(child, "file_bytes", file->file_bytes);
    tool_json_int(child, "text_bytes", file->text_bytes);
}

static void add_blocks(cJSON *json, const tool_mesh_report *r) {
    tulle_mesh_arrays a;
    cJSON *list = tool_json_list(json, "blocks");
    if (tulle_mesh_view(r->mesh, &a) != TULLE_OK) return;
    for (int64_t b = 0; b < a.block_count; b++) {
        tulle_shape_info shape;
        if (tulle_shape_describe(a.blocks[b].shape, &shape) != TULLE_OK) return;
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "shape", shape.name);
        tool_json_bool(item, "cells", b < r->info.cell_blocks);
        tool_json_text(item, "_kind", b < r->info.cell_blocks ? "cells " : "facets");
        tool_json_int(item, "count", a.blocks[b].count);
    }
}

static void add_groups(cJSON *json, const tool_mesh_report *r) {
    tulle_mesh_arrays a;
    cJSON *list = tool_json_list(json, "groups");
    if (tulle_mesh_view(r->mesh, &a) != TULLE_OK) return;
    tool_json_int(json, "_groups", a.group_count);
    for (int64_t g = 0; g < a.group_count; g++) {
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "name", a.groups[g].name);
        tool_json_int(item, "number", a.groups[g].number);
        tool_json_int(item, "dimension", a.groups[g].dimension);
        tool_json_int(item, "elements", count_group(r, a.groups[g].dimension, a.groups[g].number));
    }
}

static void add_quality(cJSON *json, const tulle_mesh_quality *q) {
    cJSON *child = tool_json_child(json, "scaled_jacobian");
    tool_json_real(child, "least", q->least);
    tool_json_real(child, "greatest", q->greatest);
    tool_json_real(child, "mean", q->mean);
    tool_json_int(child, "least_cell", q->least_cell);
    cJSON *histogram = tool_json_list(child, "tenths");
    for (int b = 0; b < TULLE_MESH_BINS; b++) tool_json_push_int(histogram, q->histogram[b]);
}

/* Adds the sides of the box that the nodes lie in. */
static void add_box(cJSON *json, const tulle_mesh_info *info) {
    static const char *const axes[] = {"x", "y", "z"};
    cJSON *low = tool_json_list(json, "low"), *high = tool_json_list(json, "high");
    cJSON *sides = tool_json_list(json, "_sides");
    for (int d = 0; d < info->dimension; d++) {
        cJSON *side = tool_json_item(sides);
        tool_json_push_real(low, info->low[d]);
        tool_json_push_real(high, info->high[d]);
        tool_json_bool(side, "follows", d > 0);
        tool_json_text(side, "axis", axes[d]);
        tool_json_real(side, "low", info->low[d]);
        tool_json_real(side, "high", info->high[d]);
    }
}

void tool_mesh_add(cJSON *json, const void *user) {
    const tool_mesh_report *r = user;
    tool_json_text(json, "mesh", r->name);
    tool_json_int(json, "dimension", r->info.dimension);
    tool_json_int(json, "cell_dimension", r->info.cell_dimension);
    tool_json_int(json, "nodes", r->info.nodes);
    tool_json_int(json, "unused_nodes", r->info.unused_nodes);
    tool_json_int(json, "cells", r->info.cells);
    tool_json_int(json, "facets", r->info.facets);
    tool_json_int(json, "boundary", r->boundary);
    tool_json_int(json, "node_distance", r->bandwidth);
    tool_json_int(json, "node_distance_renumbered", r->renumbered_to);
    tool_json_int(json, "bytes", r->info.bytes);
    tool_json_real(json, "seconds", r->source.seconds);
    if (r->source.has_file) add_file(json, r);
    add_blocks(json, r);
    add_groups(json, r);
    add_quality(json, &r->quality);
    add_box(json, &r->info);
}
