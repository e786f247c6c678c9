/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle mesh info, for people and for programs. */
#ifndef TOOL_MESH_REPORT_H
#define TOOL_MESH_REPORT_H

#include "mesh_input.h"
#include "tools/common/json.h"

typedef struct tool_mesh_report {
    const char *name; /* name of the mesh, as it was given */
    tool_mesh_source source;
    const tulle_mesh *mesh;
    tulle_mesh_info info;
    tulle_mesh_quality quality;
    int64_t boundary;      /* number of facets of one cell alone */
    int64_t bandwidth;     /* largest difference of node numbers in a cell */
    int64_t renumbered_to; /* largest difference of node numbers in a cell after renumbering */
} tool_mesh_report;

/* Fills a report with facts of a mesh. */
tulle_status tool_mesh_look(tulle_ctx *ctx, const tulle_mesh *mesh, tool_mesh_report *report);

/* Adds the fields of a tool_mesh_report; the pattern is for most of them, and the last function
 * prints the rest, in tables. */
void tool_mesh_add(cJSON *json, const void *report);
extern const char tool_mesh_text[];
void tool_mesh_print_more(const cJSON *fields, const void *report);

#endif
