/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in compact patches where nobody knows where they are. */
#ifndef TULLE_FEM_PATCHES_GROW_H
#define TULLE_FEM_PATCHES_GROW_H

#include "fem/patches/bisect.h"

/* As tulle__bisect, by nodes that elements share: a patch begins with the lowest element that is
 * left, takes those that share nodes with it, then what shares nodes with these, until it is full;
 * where it can grow no more it begins anew. In a grid, patches so are cubes. nodes: `each` of every
 * element, below node_count; centres: of elements, of which `at` is not looked at. Deterministic.
 * Source: C. Farhat, "A simple and efficient automatic FEM domain decomposer" (1988). */
tulle_status tulle__grow(tulle_ctx *ctx, int64_t count, tulle__centre *centres, int each,
                         const int32_t *nodes, int64_t node_count, int64_t most, int64_t *begins);

#endif
