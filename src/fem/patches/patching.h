/* SPDX-License-Identifier: Apache-2.0 */
/* How patches are made, on the host: all elements are divided, and then each block of them is
 * filled, when it is known which nodes are in several patches. */
#ifndef TULLE_FEM_PATCHES_PATCHING_H
#define TULLE_FEM_PATCHES_PATCHING_H

#include "core/context.h"
#include "fem/patches/bisect.h"
#include "fem/patches/cells.h"
#include "fem/patches/patches.h"
#include "fem/patches/rest.h"

/* Elements with `each` nodes: those of element e from nodes + e * each on. Patches are divided by
 * where elements are (bisect.c), or, with node_count, by the nodes that all elements, whose centres
 * then are all there in their order, share (grow.c). */
typedef struct tulle__patching {
    tulle_ctx *ctx;
    const int32_t *nodes;
    int64_t node_count; /* all are below it; 0: centres know where elements are */
    int each;
    int more;      /* as in tulle__patches, of patches in steps */
    int round;     /* nodes of a patch are padded to a multiple of so many */
    bool by_place; /* nodes are met place by place of all elements, and not element by element */
    int64_t count; /* of elements */
    tulle__centre *centres; /* of the elements that are meant; in the order of patches in the end */
    double size[3];         /* of an element, in the mean */
    int64_t most_elements;  /* of a patch */
    int64_t most_nodes;     /* of a patch, `each` at least */
    /* Dividing finds the rest. */
    int64_t patches;
    int64_t *begins;     /* of each patch in centres; owned */
    int32_t *nodes_of;   /* of each patch, how many nodes it has; owned */
    int64_t total_nodes; /* of all patches */
    int32_t largest;     /* nodes of the largest patch */
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

/* The nodes of one patch. They have numbers in the order in which they are met, which a table with
 * open addresses keeps. */
typedef struct tulle__meeting {
    tulle_ctx *ctx;
    int32_t *key;    /* of an address: its node plus one; 0: none */
    int32_t *value;  /* of an address: the number of its node */
    uint32_t last;   /* address */
    int32_t count;   /* of nodes */
    uint32_t *where; /* numbers: their address */
    int32_t *node;   /* numbers: their node */
    int32_t *again;  /* numbers: which ones they become in the end */
    int32_t
        *points; /* place i of element k of the patch at k * each + i: the number that is there */
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
