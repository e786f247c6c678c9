/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in patches: so few, and so near each other, that a block of threads has what they need
 * of all their nodes in shared memory. In a patch nodes and elements have numbers of their own; the
 * former have 16 bits. An inner node, which one patch alone has, is that one's to write; of the
 * others each patch writes down a partial sum, in a slot, and what all have is added up later. */
#ifndef TULLE_FEM_PATCHES_PATCHES_H
#define TULLE_FEM_PATCHES_PATCHES_H

#include "core/place.h"
#include "core/types.h"
#include "tulle/mesh.h"

/* Beside a node's number, which therefore has 30 bits. */
#define TULLE__PATCH_SHARED UINT32_C(0x80000000) /* the patch does not write it */
#define TULLE__PATCH_MASKED UINT32_C(0x40000000) /* 0 stands for what x has there */
#define TULLE__PATCH_NODE UINT32_C(0x3fffffff)
/* Stands behind a patch's nodes, so that there is a multiple of four. */
#define TULLE__PATCH_NONE UINT32_C(0xffffffff)
enum { TULLE__PATCH_ROUND = 4 };

/* Nodes of a patch are in groups. In what a patch is worked on, the first numbers of all nodes of a
 * group are together, then the second ones, ...: who knows where the first one of a node is finds
 * the others at fixed distances, and neighbours are in other banks of shared memory. */
enum { TULLE__PATCH_GROUP = 32 };

/* Elements of a step, at most: threads of a block. */
enum { TULLE__PATCH_STEP = 256 };

/* Elements of one patch are in steps; those of one step share no node. */
typedef struct tulle__patch {
    int64_t node, slot, element, step; /* where the patch's own begin */
    int32_t nodes, slots, elements, steps;
} tulle__patch;

/* Arrays of all patches of one kind of elements, one patch behind the other. */
typedef struct tulle__patches {
    int64_t count, nodes, slots, elements, steps;
    int each, width;     /* nodes of an element; numbers that it has in places: a power of two */
    int more;            /* numbers that a node has beside the first, where a patch is worked on */
    int32_t most;        /* nodes of a patch */
    tulle__patch *patch; /* count */
    uint32_t *list;      /* nodes: which one it is */
    uint16_t *surface;   /* slots: the node in its patch whose partial sum it has */
    uint16_t *places;    /* elements x width: tulle__patch_place of the element's nodes */
    int32_t *step_ends;  /* steps: the element of the patch before which a step ends */
    int32_t *order;      /* elements: which one it is */
} tulle__patches;

/* y := alpha A x + beta y, or, instead of products, a diagonal. Of patches, sums of inner nodes go
 * to y; the others go to slots, or alpha times these are added to y atomically. The first numbers
 * of a node are x and its sum. */
typedef struct tulle__vectors {
    bool diagonal; /* x is not looked at */
    bool atomic;   /* of patches */
    void *slots;   /* of patches, from their slot 0 on */
    tulle_scalar alpha, beta;
    const void *x;
    void *y;
    int64_t x_step, y_step;
} tulle__vectors;
enum { TULLE__PATCH_SUM = TULLE__PATCH_GROUP }; /* from x to the sum */

/* Returns the index of the first number of a patch's node l. */
TULLE_INLINE int32_t tulle__patch_place(int more, int32_t l) {
    return l + more * (l & ~(TULLE__PATCH_GROUP - 1));
}

/* Numbers that so many nodes are worked on in. */
TULLE_INLINE int64_t tulle__patch_room(int more, int64_t nodes) {
    return (nodes + TULLE__PATCH_GROUP - 1) / TULLE__PATCH_GROUP * TULLE__PATCH_GROUP * (1 + more);
}

#endif
