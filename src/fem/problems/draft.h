/* SPDX-License-Identifier: Apache-2.0 */
/* A problem on a mesh while it is made, on the host: elements of one shape, quantities as numbers,
 * and parts of the boundary. Arrays are those of tulle__host_alloc. */
#ifndef TULLE_FEM_PROBLEMS_DRAFT_H
#define TULLE_FEM_PROBLEMS_DRAFT_H

#include "fem/elements/jobs.h"
#include "mesh/mesh.h"
#include "tulle/diffusion.h"

/* Largest number of blocks of elements: four shapes of cells, and three of facets. All elements of
 * a mesh are of one order. */
enum { TULLE__PROBLEM_BLOCKS = 7, TULLE__PROBLEM_QUANTITIES = 8 };

struct tulle__problem_kind; /* problem.h */

typedef struct tulle__problem_draft {
    const struct tulle__problem_kind *kind;
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const void *problem;     /* the caller's struct, of the kind */
    int64_t condition_count; /* number of conditions of the caller's problem */
    int64_t period_count;
    const tulle_period *periods;
    tulle_mesh *boundary; /* the whole boundary, where a condition is for all of it; else NULL */
    int unknowns;         /* number of unknowns of a node */
    int blocks;
    tulle__body body[TULLE__PROBLEM_BLOCKS];
    double *given;   /* for each unknown of each node the number that is given for it, or 0 */
    uint8_t *masked; /* for each unknown of each node: 1 where a number is given */
    /* The members below are for problems with periods, which have one unknown a node; without
     * periods rows are unknowns, and the members are NULL. */
    int64_t row_count;
    int32_t *rows;                         /* row of each node */
    int32_t *lists[TULLE__PROBLEM_BLOCKS]; /* rows of the nodes of elements */
    double *given_rows;                    /* number that is given for each row, or 0 */
    uint8_t *masked_rows;                  /* flag of each row: 1 where a number is given */
} tulle__problem_draft;

/* A condition of a problem of any kind. Quantities are the caller's. */
typedef struct tulle__condition {
    const char *group; /* NULL: the whole boundary */
    tulle_condition_kind kind;
    const tulle_quantity *value; /* one quantity for each unknown of a node */
    const bool *free; /* for each unknown, true when u is not given; NULL: all are given */
    const tulle_quantity *factor; /* factor of a condition of kind TULLE_ROBIN */
} tulle__condition;

/* Returns the number of cells of a shape that a mesh has. */
int64_t tulle__cells_count(const tulle_mesh *mesh, tulle_shape shape);

/* Makes room for `count` elements of a shape behind the other blocks; their nodes are to be filled
 * in. */
tulle_status tulle__draft_block(tulle__problem_draft *draft, tulle_shape shape, int64_t count,
                                tulle__body **body);

/* Lists the quantities of a block, those of both kinds of problems. */
static inline void tulle__body_quantities(tulle__body *body,
                                          tulle__cell_quantity *all[TULLE__PROBLEM_QUANTITIES]) {
    int i = 0;
    all[i++] = &body->cells.k;
    all[i++] = &body->cells.c;
    all[i++] = &body->cells.f;
    all[i++] = &body->lambda;
    all[i++] = &body->mu;
    for (int d = 0; d < 3; d++) all[i++] = &body->force[d];
}

/* Blocks of facets with a flux or a traction, and the unknowns that are given. */
tulle_status tulle__draft_conditions(tulle__problem_draft *draft);

/* The rows of nodes that periods make the same. */
tulle_status tulle__draft_periods(tulle__problem_draft *draft);

/* An array of the host's that belongs to a quantity, of so many numbers for each element. */
tulle_status tulle__quantity_room(tulle_ctx *ctx, const tulle__cells *cells, int per,
                                  tulle__cell_quantity *quantity);

/* Adds the caller's quantity in element e of the cells, the caller's number `element`, to its
 * numbers there. */
tulle_status tulle__quantity_add(const tulle__problem_draft *draft, const char *name,
                                 const tulle_quantity *given, const tulle__cells *cells, int64_t e,
                                 int64_t element, const tulle__cell_quantity *to);

/* A quantity at a place; fails where it is not finite. */
tulle_status tulle__quantity_value(const tulle__problem_draft *draft, const char *name,
                                   const tulle_quantity *given, const double x[3], int64_t element,
                                   double *value);

/* Returns the number of numbers of an element that a quantity takes: 0, 1, or one for each of so
 * many points. */
int tulle__quantity_per(const tulle_quantity *given, int points);

/* Computes all numbers of a quantity of a mesh's cells of one shape, `per` for each element. */
tulle_status tulle__quantity_of_cells(const tulle__problem_draft *draft, const char *name,
                                      const tulle_quantity *given, const tulle__cells *cells,
                                      int per, tulle__cell_quantity *to);

/* The facets that a condition is for: some blocks of a mesh, and of these one group, or all. */
typedef struct tulle__facets {
    const tulle_mesh *mesh;
    int64_t first, count; /* blocks */
    int32_t group;        /* 0: all */
} tulle__facets;

/* Finds the facets of the group with the name; NULL: the whole boundary, which is made once. */
tulle_status tulle__facets_find(tulle__problem_draft *draft, const char *group,
                                tulle__facets *facets);

/* Fails where a flux or a factor on the facets of a group would count twice, or from no side or
 * from both: where the same facet is there twice, or other than one cell has it. */
tulle_status tulle__facets_check(tulle__problem_draft *draft, const char *group);

/* Returns true when element i of a block is one of the facets. */
static inline bool tulle__facets_have(const tulle__facets *f, const tulle_mesh_block *block,
                                      int64_t i) {
    const int dimension = tulle__shape_of(block->shape)->info.dimension;
    return f->group == 0 || (block->groups && tulle_mesh_in_group(&f->mesh->arrays, dimension,
                                                                  block->groups[i], f->group));
}

#endif
