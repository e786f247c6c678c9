/* SPDX-License-Identifier: Apache-2.0 */
/* Making patches in host memory: all elements are divided, and then each block of elements is
 * filled, when it is known which nodes are in several patches. */
#ifndef TULLE_FEM_PATCHES_PATCHING_H
#define TULLE_FEM_PATCHES_PATCHING_H

#include "core/context.h"
#include "fem/patches/bisect.h"
#include "fem/patches/cells.h"
#include "fem/patches/patches.h"
#include "fem/patches/rest.h"

/* Elements with `each` nodes: element e has the nodes from nodes + e * each on. Patches are divided
 * by the coordinates of elements (bisect.c); or, with node_count, by the nodes that elements share
 * (grow.c), and then centres has all elements in their order. */
typedef struct tulle__patching {
    tulle_ctx *ctx;
    const int32_t *nodes;
    int64_t node_count; /* bound of all node numbers; 0: patches are divided by centres */
    int each;
    int more;      /* more of tulle__patches, for patches in steps */
    int round;     /* nodes of a patch are padded to a multiple of so many */
    bool by_place; /* nodes are met place by place of all elements, and not element by element */
    int64_t count; /* number of elements */
    tulle__centre *centres; /* centres of the elements that are to be divided; at the end in the
                               order of patches */
    double size[3];         /* mean size of an element along each axis */
    int64_t most_elements;  /* largest number of elements of a patch */
    int64_t most_nodes;     /* largest number of nodes of a patch, at least `each` */
    /* tulle__patches_divide finds the members below. */
    int64_t patches;
    int64_t *begins;     /* first element of each patch in centres; owned */
    int32_t *nodes_of;   /* number of nodes of each patch; owned */
    int64_t total_nodes; /* number of nodes of all patches together */
    int32_t largest;     /* number of nodes of the largest patch */
} tulle__patching;

/* Divides the elements. touched: of each node, in how many patches it is; these are added. */
tulle_status tulle__patches_divide(tulle__patching *p, int32_t *touched);

/* Gives back the arrays, not the counts. */
void tulle__patching_close(tulle__patching *p);

/* Fills patches in steps, or in ranks, in arrays of the host's, to be given back by *_free, also
 * after a failure. The masks and the counts of nodes are those of the rest. Deterministic. */
tulle_status tulle__steps_fill(const tulle__patching *p, const tulle__rest_making *rest,
                               tulle__patches *host);
tulle_status tulle__ranks_fill(const tulle__patching *p, const tulle__rest_making *rest,
                               tulle__lattice_patches *host);
void tulle__steps_free(tulle_ctx *ctx, tulle__patches *host);
void tulle__ranks_free(tulle_ctx *ctx, tulle__lattice_patches *host);

/* Lists the slots of patches with their rows, in the order of patches. */
void tulle__steps_list_slots(const tulle__patches *host, int64_t first_slot,
                             const tulle__rest_making *rest);
void tulle__ranks_list_slots(const tulle__lattice_patches *host, int64_t first_slot,
                             const tulle__rest_making *rest);

/* Copies all arrays but order to the place's memory; those of a failed call are NULL. */
tulle_status tulle__steps_bring(tulle_ctx *ctx, const tulle__patches *host, tulle__patches *to);
tulle_status tulle__ranks_bring(tulle_ctx *ctx, const tulle__lattice_patches *host,
                                tulle__lattice_patches *to);
void tulle__steps_release(tulle_ctx *ctx, const tulle__patches *patches);
void tulle__ranks_release(tulle_ctx *ctx, const tulle__lattice_patches *patches);

/* The nodes of one patch, numbered in the order in which they are met, and a table with open
 * addresses that finds the number of a node. */
typedef struct tulle__meeting {
    tulle_ctx *ctx;
    int32_t *key;    /* at each address: its node plus one; 0: none */
    int32_t *value;  /* at each address: the number of its node */
    uint32_t last;   /* largest address */
    int32_t count;   /* number of nodes */
    uint32_t *where; /* address of each number */
    int32_t *node;   /* node of each number */
    int32_t *again;  /* final number of each number */
    int32_t *points; /* at k * each + i: the number of node i of element k of the patch */
} tulle__meeting;

/* A meeting for each thread, for patches of so many elements at most. */
typedef struct tulle__meetings {
    tulle_ctx *ctx;
    int threads;
    tulle__meeting *of;
} tulle__meetings;
tulle_status tulle__meetings_open(const tulle__patching *p, int64_t elements, tulle__meetings *all);
void tulle__meetings_close(const tulle__meetings *all);

/* The nodes of patch k. */
void tulle__meet(const tulle__patching *p, int64_t k, tulle__meeting *m);

/* The nodes of a patch, with flags, where `again` has them. */
void tulle__list_nodes(const tulle__meeting *m, const tulle__rest_making *rest, uint32_t *list);

/* Elements of the largest patch. */
int64_t tulle__largest_patch(const tulle__patching *p);

#endif
