/* SPDX-License-Identifier: Apache-2.0 */
/* The faults that a mesh may have, and their description in words. */
#ifndef TULLE_MESH_FAULT_H
#define TULLE_MESH_FAULT_H

#include "mesh/mesh.h"

typedef enum tulle__mesh_fault_kind {
    TULLE__MESH_GOOD,
    TULLE__MESH_INVERTED,
    TULLE__MESH_DEGENERATE,
    TULLE__MESH_REPEATED, /* two cells have the same nodes */
    TULLE__MESH_THIRD,    /* three cells have the same facet */
    TULLE__MESH_HANGING,
    TULLE__MESH_LOOSE /* a listed facet is a facet of no cell */
} tulle__mesh_fault_kind;

/* The first fault of a mesh. Elements are numbered through all blocks, with facets behind cells. */
typedef struct tulle__mesh_fault {
    tulle__mesh_fault_kind kind;
    int64_t element;
    int64_t other; /* cell that `element` repeats, or first of the three cells */
    int64_t node;  /* node that hangs */
    int facet;     /* index of the facet in the cell */
    double scaled; /* scaled Jacobian of the cell */
    /* number of boxes and vertices that the search for hanging nodes has looked at */
    int64_t steps;
} tulle__mesh_fault;

/* Names (numbers) of elements and nodes in messages; NULL: indices from 0 on. */
typedef struct tulle__mesh_names {
    const int64_t *elements; /* numbers of the elements of all blocks */
    const int64_t *nodes;
} tulle__mesh_names;

enum { TULLE__MESH_FAULT_TEXT = 200 };

TULLE_BEGIN

/* Makes all checks of tulle_mesh_check, and finds the first fault. */
TULLE_API tulle_status tulle__mesh_find_fault(tulle_ctx *ctx, const tulle_mesh *mesh,
                                              tulle__mesh_fault *fault);

/* Describes a fault in one line. */
TULLE_API void tulle__mesh_fault_words(const tulle_mesh *mesh, const tulle__mesh_fault *fault,
                                       const tulle__mesh_names *names,
                                       char words[TULLE__MESH_FAULT_TEXT]);

TULLE_END

#endif
