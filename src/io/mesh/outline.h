/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that outlines share. Places (i, j) are those of a lattice that is step times as fine as
 * the cells. */
#ifndef TULLE_IO_MESH_OUTLINE_H
#define TULLE_IO_MESH_OUTLINE_H

#include "io/mesh/generator.h"

/* Returns the number of the node at place (i, j); size is a number that the outline gives to its
 * own function. */
typedef int64_t (*tulle__outline_node)(int64_t size, int64_t i, int64_t j);

/* A straight part of the boundary, which begins at a corner of a cell and goes along `count`
 * cells. */
typedef struct tulle__outline_side {
    int64_t from[2], step[2], count;
    int32_t group;
} tulle__outline_side;

/* Computes a * b; fails with TULLE_TOO_LARGE if the product is too large. */
tulle_status tulle__outline_product(const tulle__mesh_request *request, int64_t a, int64_t b,
                                    int64_t *product);

/* tulle__outline_patch adds the cell (i, j), tulle__outline_run the edges of a side; both report
 * progress, and fail if the caller asks to stop. */
tulle_status tulle__outline_patch(const tulle__mesh_request *request, tulle__outline *outline,
                                  int64_t *next, tulle__outline_node node, int64_t size, int64_t i,
                                  int64_t j);
tulle_status tulle__outline_run(const tulle__mesh_request *request, tulle__outline *outline,
                                int64_t *next, tulle__outline_node node, int64_t size,
                                const tulle__outline_side *side);

#endif
