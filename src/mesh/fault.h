/* SPDX-License-Identifier: Apache-2.0 */
/* What may be wrong with a mesh, and how it is said. */
#ifndef TULLE_MESH_FAULT_H
#define TULLE_MESH_FAULT_H

#include "mesh/mesh.h"

typedef enum tulle__mesh_fault_kind {
    TULLE__MESH_GOOD,
    TULLE__MESH_INVERTED,
    TULLE__MESH_DEGENERATE,
    TULLE__MESH_REPEATED, /* two cells with the same nodes */
    TULLE__MESH_THIRD,    /* a facet of three cells */
    TULLE__MESH_HANGING,
    TULLE__MESH_LOOSE /* a listed facet of no cell */
} tulle__mesh_fault_kind;

/* The first fault of a mesh. Elements are numbered through all blocks, facets behind cells. */
typedef struct tulle__mesh_fault {
    tulle__mesh_fault_kind kind;
    int64_t element;
    int64_t other; /* the cell that it repeats, or the first of the three */
    int64_t node;  /* that hangs */
    int facet;     /* of the cell: where */
    double scaled; /* the Jacobian */
    int64_t steps; /* boxes and vertices that the search for hanging nodes has looked at */
} tulle__mesh_fault;

/* What elements and nodes are called in messages; NULL: their numbers here, from 0. */
typedef struct tulle__mesh_names {
    const int64_t *elements; /* through all blocks */
    const int64_t *nodes;
} tulle__mesh_names;

enum { TULLE__MESH_FAULT_TEXT = 200 };

TULLE_BEGIN

/* Looks at all that tulle_mesh_check does. */
TULLE_API tulle_status tulle__mesh_find_fault(tulle_ctx *ctx, const tulle_mesh *mesh,
                                              tulle__mesh_fault *fault);

/* One line of it. */
TULLE_API void tulle__mesh_fault_words(const tulle_mesh *mesh, const tulle__mesh_fault *fault,
                                       const tulle__mesh_names *names,
                                       char words[TULLE__MESH_FAULT_TEXT]);

TULLE_END

#endif
