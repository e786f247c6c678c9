/* SPDX-License-Identifier: Apache-2.0 */
/* A system that a diffusion problem on a mesh makes, for tulle solve. */
#ifndef TOOL_SOLVE_MESH_H
#define TOOL_SOLVE_MESH_H

#include "mesh_input.h"
#include "operand.h"
#include "problem.h"

/* Names what the solver iterates with. */
typedef enum tool_operator {
    TOOL_ASSEMBLED,  /* the matrix, in any format */
    TOOL_LOCAL,      /* element matrices */
    TOOL_MATRIX_FREE /* the mesh, from which these are computed anew each time */
} tool_operator;

typedef struct tool_mesh_system {
    const char *spec; /* NULL: the system is no mesh's */
    tool_operator how;
    tulle_mesh_encoding encoding; /* of a .vtu file that x is written to */
    tulle_mesh *mesh;             /* owned */
    tool_mesh_source source;      /* of the mesh */
    tulle_mesh_info info;
    int64_t given;                         /* nodes where u is given */
    double pattern_ms;                     /* of the matrix: finding its pattern, */
    double values_ms;                      /* its values and the right-hand side, */
    double operator_ms;                    /* and the operator, where it is not the matrix */
    int64_t pattern_bytes, operator_bytes; /* that the assembly and the operator hold */
    tulle_linop *L;                        /* owned; NULL: the matrix */
    void *b;                               /* on the host, of the matrix's type; owned */
    void *held;                            /* the same: of rows where u is given, that; owned */
    uint8_t *is_held;                      /* of each row, whether it is; NULL: none is; owned */
    int32_t *rows;                         /* of each node; NULL: rows are nodes; owned */
    char name[256];                        /* with the shape of elements in it */
} tool_mesh_system;

/* Makes the matrix as an operand, and the rest. element is "tri", "quad", "tet", "hex" or NULL:
 * "box:40" then is "box-hex:40". There is something to close even after a failure. */
tulle_status tool_mesh_system_open(tulle_ctx *ctx, const tool_common *common, const char *element,
                                   const tool_problem *problem, tool_mesh_system *system,
                                   tool_operand *A);
void tool_mesh_system_close(tool_mesh_system *system);

/* The first is true if a path is that of a mesh file with fields; the second writes x to one, as
 * the field u. */
bool tool_is_field_name(const char *path);
tulle_status tool_mesh_system_save(tulle_ctx *ctx, const tool_mesh_system *system, const char *path,
                                   tulle_type type, const void *x);

/* Adds the object "mesh" to a report; the pattern is for its lines. */
void tool_mesh_system_add(cJSON *json, const tool_mesh_system *system);
#define TOOL_MESH_SYSTEM_TEXT                                                                      \
    "<  mesh      {mesh.cells:count} cells, {mesh.nodes:count} nodes, u is given at "              \
    "{mesh.given:count}; {mesh._how} in {mesh.mesh_ms:ms}\n>"                                      \
    "<{?mesh.turned}  turned    {mesh.turned:count} cells, which were turned over in the file\n>"  \
    "<  assembly  the pattern in {mesh.pattern_ms:ms}, values and b in {mesh.values_ms:ms}\n>"     \
    "<{!mesh._assembled}  operator  {mesh.operator}: {mesh._holds} of {mesh.operator_bytes:bytes}" \
    ", in {mesh.operator_ms:ms}\n>"

#endif
