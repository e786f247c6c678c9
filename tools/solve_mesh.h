/* SPDX-License-Identifier: Apache-2.0 */
/* A system that a problem of diffusion or of elasticity on a mesh makes, for tulle solve. */
#ifndef TOOL_SOLVE_MESH_H
#define TOOL_SOLVE_MESH_H

#include "elastic.h"
#include "mesh_input.h"
#include "operand.h"
#include "problem.h"

/* Names the operator that the solver iterates with. */
typedef enum tool_operator {
    TOOL_ASSEMBLED,  /* the matrix, in any format */
    TOOL_LOCAL,      /* element matrices */
    TOOL_MATRIX_FREE /* the mesh; element matrices are computed anew in each product */
} tool_operator;

typedef struct tool_mesh_system {
    const char *spec; /* specification or file of the mesh; NULL: the system is no mesh's */
    tool_operator how;
    tulle_mesh_encoding encoding; /* encoding of a .vtu file that x is written to */
    tulle_mesh *mesh;             /* mesh; owned */
    tool_mesh_source source;      /* source of the mesh */
    tulle_mesh_info info;
    int unknowns;       /* number of unknowns of a node */
    int64_t given;      /* number of nodes where u is given */
    double pattern_ms;  /* time of finding the matrix's pattern, in milliseconds */
    double values_ms;   /* time of the matrix's values and of b, in milliseconds */
    double operator_ms; /* time of making the operator, in milliseconds; 0: the matrix is the
                           operator */
    int64_t pattern_bytes, operator_bytes; /* bytes of memory of the assembly and of the operator */
    tulle_linop *L;                        /* operator; NULL: the matrix is the operator; owned */
    void *b;          /* right-hand side in host memory, of the matrix's type; owned */
    void *held;       /* values that are given, by rows, as b is; owned */
    uint8_t *is_held; /* for each row 1 where a value is given, else 0; NULL: none is; owned */
    int32_t *rows;    /* row of each node; NULL: rows are nodes; owned */
    char name[256];   /* specification with the shape of elements in it */
} tool_mesh_system;

/* A problem on a mesh: of elasticity where that is wanted, else of diffusion. */
typedef struct tool_mesh_problem {
    tool_problem diffusion;
    tool_elastic elastic;
} tool_mesh_problem;

/* Makes the system, and its matrix as an operand. element is "tri", "quad", "tet", "hex" or NULL:
 * "box:40" then is "box-hex:40". There is something to close even after a failure. */
tulle_status tool_mesh_system_open(tulle_ctx *ctx, const tool_common *common, const char *element,
                                   const tool_mesh_problem *problem, tool_mesh_system *system,
                                   tool_operand *A);
void tool_mesh_system_close(tool_mesh_system *system);

/* The first function returns true if a path is that of a mesh file with fields; the second one
 * writes x to such a file, as the field u. */
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
