/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of elasticity as people describe them on the command line: the material, the parts of
 * the boundary that are held, and the forces. */
#ifndef TOOL_ELASTIC_H
#define TOOL_ELASTIC_H

#include "tools/common/args.h"
#include "tulle/tulle.h"

typedef struct tool_elastic {
    bool wanted;
    tool_list young, poisson; /* "NUMBER" or "GROUP=NUMBER" */
    tool_list clamp;          /* "GROUP" */
    tool_list traction;       /* "X,Y,Z" or "GROUP=X,Y,Z"; in a plane "X,Y" */
    tool_list force;          /* as traction */
} tool_elastic;

/* Rows of an option table. */
#define TOOL_ELASTIC_LIST(called, list, words, what)                                               \
    { .name = (called), .kind = TOOL_LIST, .target = (list), .value = (words), .help = (what) }
#define TOOL_ELASTIC_OPTIONS(p)                                                                    \
    {.name = "elasticity",                                                                         \
     .kind = TOOL_FLAG,                                                                            \
     .target = &(p)->wanted,                                                                       \
     .help = "of a mesh: how a body gives way, instead of diffusion"},                             \
        TOOL_ELASTIC_LIST("young", &(p)->young, "[GROUP=]NUMBER",                                  \
                          "Young's modulus, in all cells or a group's (default 1)"),               \
        TOOL_ELASTIC_LIST("poisson", &(p)->poisson, "[GROUP=]NUMBER",                              \
                          "Poisson's ratio, above -1 and below 0.5 (default 0.3)"),                \
        TOOL_ELASTIC_LIST("clamp", &(p)->clamp, "GROUP",                                           \
                          "a part of the boundary where nothing moves"),                           \
        TOOL_ELASTIC_LIST("traction", &(p)->traction, "[GROUP=]X,Y,Z",                             \
                          "the force by area on a part of the boundary"),                          \
        TOOL_ELASTIC_LIST("force", &(p)->force, "[GROUP=]X,Y,Z",                                   \
                          "by volume (default 0,0,-1; 0 beside --traction)")

/* True if any option of the problem but --elasticity itself was given. */
bool tool_elastic_given(const tool_elastic *p);

/* A problem of the library's, with the arrays that it refers to; freed by tool_elastic_free. */
typedef struct tool_elastic_made {
    tulle_elasticity_problem problem;
    tulle_elastic_condition *conditions;
    char **names;        /* names of the conditions' groups, one for each condition */
    double *of_cells[5]; /* Young's modulus, Poisson's ratio and the force along each axis, of each
                            cell; NULL: one number for all cells */
} tool_elastic_made;

/* Makes the library's problem on a mesh. Fails with TULLE_INVALID_ARGUMENT (text that is no number,
 * nothing is held) or TULLE_NOT_FOUND (no group of cells has a name; the library itself looks for
 * the groups of facets). */
tulle_status tool_elastic_make(const tool_elastic *p, const tulle_mesh *mesh,
                               tool_elastic_made *made);
void tool_elastic_free(tool_elastic_made *made);

#endif
