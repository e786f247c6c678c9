/* SPDX-License-Identifier: Apache-2.0 */
/* A diffusion problem on a mesh, and how it is made: on the host first, then in the context's
 * memory. */
#ifndef TULLE_FEM_PROBLEMS_DIFFUSION_H
#define TULLE_FEM_PROBLEMS_DIFFUSION_H

#include "fem/assembly/assembly.h"
#include "fem/problems/draft.h"

/* Blocks: four shapes of cells, and three of facets, at most. */
enum { TULLE__DIFFUSION_BLOCKS = 7 };

struct tulle_diffusion {
    tulle_ctx *ctx;             /* owned */
    int64_t nodes, given_count; /* of rows */
    int64_t mesh_nodes;
    int blocks;
    bool affine; /* one block of hexahedra with one Jacobian, k and c each */
    tulle__cells cells[TULLE__DIFFUSION_BLOCKS];
    tulle_elements elements[TULLE__DIFFUSION_BLOCKS];
    void *arrays[6 * TULLE__DIFFUSION_BLOCKS + 5]; /* all that it owns, in the order made */
    int array_count;
    double *coordinates;
    double *given;       /* of each node of the mesh */
    double *given_rows;  /* of each row; the same array without periods */
    double *scales;      /* of each row that is masked, its diagonal entry; NULL: none is */
    uint8_t *masked;     /* of each row */
    int32_t *rows;       /* on the host: of each node of the mesh, its row; NULL: its own number */
    tulle__staging room; /* of element matrices, or vectors */
    /* The largest magnitudes, in units of the mesh (units.h): of k, c and factors, and of f, fluxes
     * and what given numbers come to. */
    double most_matrix, most_load, most_given;
    int64_t bytes;
};

/* On the host: the same, with arrays of tulle__host_alloc. */
typedef struct tulle__diffusion_draft {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const tulle_diffusion_problem *problem;
    tulle_mesh *boundary; /* where a condition is for all of it */
    int blocks;
    tulle__cells cells[TULLE__DIFFUSION_BLOCKS];
    double *given;
    uint8_t *masked;
    /* Of periods; without them rows are nodes, and these NULL. */
    int64_t row_count;
    int32_t *rows;
    int32_t *lists[TULLE__DIFFUSION_BLOCKS]; /* rows of elements */
    double *given_rows;
    uint8_t *masked_rows;
} tulle__diffusion_draft;

/* TULLE_SPACE_MISMATCH if D lives elsewhere. */
tulle_status tulle__diffusion_check_space(const char *function, const tulle_ctx *ctx,
                                          const tulle_diffusion *D);

/* Room for so many elements of a shape behind the others. */
tulle_status tulle__draft_block(tulle__diffusion_draft *draft, tulle_shape shape, int64_t count,
                                tulle__cells **cells);

/* Blocks of facets with a flux, and the nodes where u is given. */
tulle_status tulle__draft_conditions(tulle__diffusion_draft *draft);

/* The rows of nodes that periods make the same. */
tulle_status tulle__draft_periods(tulle__diffusion_draft *draft);

#endif
