/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in patches: a patch has so few elements, so near each other, that a thread block holds
 * the numbers of all their nodes in shared memory. In a patch nodes and elements have numbers of
 * their own; those of nodes have 16 bits. A node that one patch alone has is an inner node, and its
 * patch writes y there. For any other node each patch writes a partial sum to a slot, and a later
 * launch adds the partial sums. */
#ifndef TULLE_FEM_PATCHES_PATCHES_H
#define TULLE_FEM_PATCHES_PATCHES_H

#include "core/place.h"
#include "core/types.h"
#include "tulle/mesh.h"

/* Flags beside the number of a node, which therefore has 30 bits. */
#define TULLE__PATCH_SHARED UINT32_C(0x80000000) /* flag: y is not the patch's to write */
#define TULLE__PATCH_MASKED UINT32_C(0x40000000) /* flag: x counts as 0 */
#define TULLE__PATCH_NODE UINT32_C(0x3fffffff)
/* Filler after a patch's nodes, so that their number is a multiple of four. */
#define TULLE__PATCH_NONE UINT32_C(0xffffffff)
enum { TULLE__PATCH_ROUND = 4 };

/* Nodes of a patch are in groups. In what a patch is worked on, the first numbers of all nodes of a
 * group are together, then the second ones, ...: who knows where the first one of a node is finds
 * the others at fixed distances, and neighbours are in other banks of shared memory. */
enum { TULLE__PATCH_GROUP = 32 };

/* Largest number of elements of a step: the threads of a block. */
enum { TULLE__PATCH_STEP = 256 };

/* The elements of one patch are in steps; the elements of one step share no node. */
typedef struct tulle__patch {
    int64_t node, slot, element, step; /* index of the patch's first node, slot, element and step */
    int32_t nodes, slots, elements, steps;
} tulle__patch;

/* Arrays of all patches of one kind of elements, one patch behind the other. */
typedef struct tulle__patches {
    int64_t count, nodes, slots, elements, steps;
    int each, width; /* numbers of an element's nodes and of its places, a power of two */
    int more; /* number of numbers that a node has, beside the first, in the memory where a patch is
                 worked on */
    int32_t most;        /* largest number of nodes of a patch */
    tulle__patch *patch; /* count */
    uint32_t *list;      /* number of each node of a patch */
    uint16_t *surface;   /* for each slot the node of its patch whose partial sum it holds */
    uint16_t *places;    /* elements x width: tulle__patch_place of the element's nodes */
    int32_t *step_ends;  /* for each step the element of the patch before which it ends */
    int32_t *order;      /* number of each element */
} tulle__patches;

/* y := alpha A x + beta y, or, instead of products, a diagonal. Of patches, sums of inner nodes go
 * to y; the others go to slots, or alpha times these are added to y atomically. The first numbers
 * of a node are x and its sum. */
typedef struct tulle__vectors {
    bool diagonal; /* true: the diagonal takes the place of products, and x is not read */
    bool atomic;   /* true: the sums of patches are added to y atomically */
    void *slots;   /* sums of patches, from their slot 0 on */
    tulle_scalar alpha, beta;
    const void *x;
    void *y;
    int64_t x_step, y_step;
} tulle__vectors;
enum { TULLE__PATCH_SUM = TULLE__PATCH_GROUP }; /* distance from x to the sum */

/* Returns the index of the first number of a patch's node l. */
TULLE_INLINE int32_t tulle__patch_place(int more, int32_t l) {
    return l + more * (l & ~(TULLE__PATCH_GROUP - 1));
}

/* Returns the number of numbers that so many nodes take in the memory where a patch is worked on.
 */
TULLE_INLINE int64_t tulle__patch_room(int more, int64_t nodes) {
    return (nodes + TULLE__PATCH_GROUP - 1) / TULLE__PATCH_GROUP * TULLE__PATCH_GROUP * (1 + more);
}

#endif
