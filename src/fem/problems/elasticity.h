/* SPDX-License-Identifier: Apache-2.0 */
/* A problem of elasticity on a mesh, and how it is made: on the host first, then in the context's
 * memory. */
#ifndef TULLE_FEM_PROBLEMS_ELASTICITY_H
#define TULLE_FEM_PROBLEMS_ELASTICITY_H

#include "fem/assembly/assembly.h"
#include "fem/elements/elastic_jobs.h"
#include "fem/problems/draft.h"
#include "tulle/elasticity.h"

/* Blocks: two shapes of cells, and two of facets, at most. */
enum { TULLE__ELASTIC_BLOCKS = 4, TULLE__ELASTIC_QUANTITIES = 6 };

struct tulle_elasticity {
    tulle_ctx *ctx; /* owned */
    int64_t nodes, given_count;
    int unknowns, blocks;
    tulle__elastic body[TULLE__ELASTIC_BLOCKS];
    tulle_elements elements[TULLE__ELASTIC_BLOCKS];
    /* All that it owns, in the order made. */
    void *arrays[(1 + TULLE__ELASTIC_QUANTITIES) * TULLE__ELASTIC_BLOCKS + 4];
    int array_count;
    double *coordinates, *given;
    double *scales; /* of each unknown that is masked, its diagonal entry; NULL: none is */
    uint8_t *masked;
    tulle__staging room; /* of element matrices, or vectors */
    /* The largest magnitudes, in units of the mesh (units.h): of material and factors, and of
     * forces, tractions and what given numbers come to. */
    double most_matrix, most_load, most_given;
    int64_t bytes;
};

/* On the host: the same, with arrays of tulle__host_alloc. */
typedef struct tulle__elastic_draft {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const tulle_elasticity_problem *problem;
    tulle_mesh *boundary; /* where a condition is for all of it */
    int unknowns, blocks;
    tulle__elastic body[TULLE__ELASTIC_BLOCKS];
    double *given;
    uint8_t *masked;
} tulle__elastic_draft;

/* The quantities of a block, all TULLE__ELASTIC_QUANTITIES. */
void tulle__elastic_quantities(tulle__elastic *body,
                               tulle__cell_quantity *all[TULLE__ELASTIC_QUANTITIES]);

/* Room for so many elements of a shape behind the others. */
tulle_status tulle__elastic_block(tulle__elastic_draft *draft, tulle_shape shape, int64_t count,
                                  tulle__elastic **body);

/* lambda and mu of a block of cells. */
tulle_status tulle__elastic_constants(tulle__elastic_draft *draft, tulle__elastic *body);

/* Blocks of facets with a traction, and the unknowns that are given. */
tulle_status tulle__elastic_conditions(tulle__elastic_draft *draft);

#endif
