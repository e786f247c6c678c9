/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in compact patches, by where they are, or, where nobody knows that, by the nodes that
 * they share. */
#ifndef TULLE_FEM_PATCHES_BISECT_H
#define TULLE_FEM_PATCHES_BISECT_H

#include "core/context.h"

/* The centre of an element, and its index. */
typedef struct tulle__centre {
    float at[3];
    int32_t element;
} tulle__centre;

/* Compares two of them, for qsort. */
static inline int tulle__by_element(const void *a, const void *b) {
    const int32_t i = ((const tulle__centre *)a)->element, j = ((const tulle__centre *)b)->element;
    return (i > j) - (i < j);
}

/* ceil(count / most) patches whose sizes differ by one at most: centres become those of patch 0, of
 * patch 1, ..., each by element. Halves again and again, across the direction in which a part is
 * longest, counted in mean sizes of elements. begins: patches + 1 numbers, out; on the host.
 * Deterministic. Source: M. J. Berger and S. H. Bokhari, "A Partitioning Strategy for Nonuniform
 * Problems on Multiprocessors" (1987). */
tulle_status tulle__bisect(tulle_ctx *ctx, int64_t count, tulle__centre *centres,
                           const double size[3], int64_t most, int64_t *begins);

/* Divides elements into patches as tulle__bisect does, but by the nodes that elements share. A
 * patch begins with the lowest element that is left, takes the elements that share nodes with it,
 * then the elements that share nodes with these, until it is full; where it cannot grow, it begins
 * anew. So in a grid patches are cubes. nodes: `each` of every element, below node_count; centres:
 * of elements, whose `at` is not read. Deterministic. Source: C. Farhat, "A simple and efficient
 * automatic FEM domain decomposer" (1988). */
tulle_status tulle__grow(tulle_ctx *ctx, int64_t count, tulle__centre *centres, int each,
                         const int32_t *nodes, int64_t node_count, int64_t most, int64_t *begins);

static inline int64_t tulle__bisect_patches(int64_t count, int64_t most) {
    return (count + most - 1) / most;
}

/* Sets the beginnings of patches that share out elements evenly. */
static inline void tulle__patch_begins(int64_t count, int64_t patches, int64_t *begins) {
    for (int64_t p = 0; p <= patches; p++) {
        begins[p] = patches > 0 ? p * (count / patches) + p * (count % patches) / patches : 0;
    }
}

#endif
