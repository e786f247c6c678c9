/* SPDX-License-Identifier: Apache-2.0 */
/* What plans share: places (i, j) of a lattice that is step times as fine as its cells. */
#ifndef TULLE_IO_MESH_PLAN_H
#define TULLE_IO_MESH_PLAN_H

#include "io/mesh/generator.h"

/* The number of a node; size: whatever the plan needs to know. */
typedef int64_t (*tulle__plan_node)(int64_t size, int64_t i, int64_t j);

/* A straight part of the boundary: from a corner of a cell on, along so many cells. */
typedef struct tulle__plan_side {
    int64_t from[2], step[2], count;
    int32_t group;
} tulle__plan_side;

/* a * b, or TULLE_TOO_LARGE. */
tulle_status tulle__plan_product(const tulle__mesh_request *request, int64_t a, int64_t b,
                                 int64_t *product);

/* Adds the cell (i, j), and the edges of a side; and asks whether to go on. */
tulle_status tulle__plan_patch(const tulle__mesh_request *request, tulle__plan *plan, int64_t *next,
                               tulle__plan_node node, int64_t size, int64_t i, int64_t j);
tulle_status tulle__plan_run(const tulle__mesh_request *request, tulle__plan *plan, int64_t *next,
                             tulle__plan_node node, int64_t size, const tulle__plan_side *side);

#endif
