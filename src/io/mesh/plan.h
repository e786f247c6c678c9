/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that plans share. Places (i, j) are those of a lattice that is step times as fine as
 * the cells. */
#ifndef TULLE_IO_MESH_PLAN_H
#define TULLE_IO_MESH_PLAN_H

#include "io/mesh/generator.h"

/* Returns the number of the node at place (i, j); size is a number that the plan gives to its own
 * function. */
typedef int64_t (*tulle__plan_node)(int64_t size, int64_t i, int64_t j);

/* A straight part of the boundary, which begins at a corner of a cell and goes along `count`
 * cells. */
typedef struct tulle__plan_side {
    int64_t from[2], step[2], count;
    int32_t group;
} tulle__plan_side;

/* Computes a * b; fails with TULLE_TOO_LARGE if the product is too large. */
tulle_status tulle__plan_product(const tulle__mesh_request *request, int64_t a, int64_t b,
                                 int64_t *product);

/* tulle__plan_patch adds the cell (i, j), tulle__plan_run the edges of a side; both report
 * progress, and fail if the caller asks to stop. */
tulle_status tulle__plan_patch(const tulle__mesh_request *request, tulle__plan *plan, int64_t *next,
                               tulle__plan_node node, int64_t size, int64_t i, int64_t j);
tulle_status tulle__plan_run(const tulle__mesh_request *request, tulle__plan *plan, int64_t *next,
                             tulle__plan_node node, int64_t size, const tulle__plan_side *side);

#endif
