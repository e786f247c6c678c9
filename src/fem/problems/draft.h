/* SPDX-License-Identifier: Apache-2.0 */
/* What problems on meshes are made of while they are on the host: elements of one shape, quantities
 * as numbers, and parts of the boundary. `function` is the public function that fails. */
#ifndef TULLE_FEM_PROBLEMS_DRAFT_H
#define TULLE_FEM_PROBLEMS_DRAFT_H

#include "fem/elements/cell_jobs.h"
#include "mesh/mesh.h"
#include "tulle/diffusion.h"

/* Where in the lattice of a shape of order 2 its nodes are (quadratic.h). */
void tulle__lattice_places(tulle_shape shape, signed char place[TULLE__LATTICE]);

/* The table of a shape that has one (tabulated.h), an array of the host's. */
tulle_status tulle__tabulate(tulle_ctx *ctx, tulle_shape shape, const double **table);

/* Elements of a shape, whose nodes are an array of the host's to be filled. */
tulle_status tulle__cells_new(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_shape shape,
                              int64_t count, tulle__cells *cells);

/* How many cells of a shape a mesh has; and the nodes of all of them, in its order. */
int64_t tulle__cells_count(const tulle_mesh *mesh, tulle_shape shape);
void tulle__cells_fill(const tulle_mesh *mesh, const tulle__cells *cells);

/* An array of the host's that belongs to a quantity, of so many numbers for each element. */
tulle_status tulle__quantity_room(tulle_ctx *ctx, const tulle__cells *cells, int per,
                                  tulle__cell_quantity *quantity);

/* Adds what a quantity of the caller's is in element e of the cells, the caller's number
 * `element`, to its numbers there. */
tulle_status tulle__quantity_add(const char *function, const char *name, const tulle_mesh *mesh,
                                 const tulle_quantity *given, const tulle__cells *cells, int64_t e,
                                 int64_t element, const tulle__cell_quantity *to);

/* A quantity at a place; it is finite, or that is said. */
tulle_status tulle__quantity_value(const char *function, const char *name,
                                   const tulle_quantity *given, const double x[3], int64_t element,
                                   double *value);

/* How many numbers of an element a quantity takes: 0, 1, or one for each of so many points. */
int tulle__quantity_per(const tulle_quantity *given, int points);

/* All numbers of a quantity of a mesh's cells of one shape, `per` of each element. */
tulle_status tulle__quantity_of_cells(const char *function, const char *name, tulle_ctx *ctx,
                                      const tulle_mesh *mesh, const tulle_quantity *given,
                                      const tulle__cells *cells, int per, tulle__cell_quantity *to);

/* The facets that a condition is for: some blocks of a mesh, and of these one group, or all. */
typedef struct tulle__facets {
    const tulle_mesh *mesh;
    int64_t first, count; /* blocks */
    int32_t group;        /* 0: all */
} tulle__facets;

/* Those of the group of that name; NULL: all of the boundary, which is made once. */
tulle_status tulle__facets_find(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                const char *group, tulle_mesh **boundary, tulle__facets *facets);

/* Fails where a flux or a factor on these facets would count twice, or from no side or from both:
 * where the same facet is there twice, or other than one cell has it. */
tulle_status tulle__facets_check(const char *function, tulle_ctx *ctx, const tulle__facets *facets,
                                 const char *group);

/* Whether element i of a block is one of them. */
static inline bool tulle__facets_have(const tulle__facets *f, const tulle_mesh_block *block,
                                      int64_t i) {
    const int dimension = tulle__shape_of(block->shape)->info.dimension;
    return f->group == 0 || (block->groups && tulle_mesh_in_group(&f->mesh->arrays, dimension,
                                                                  block->groups[i], f->group));
}

#endif
