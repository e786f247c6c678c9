/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Linear elasticity on a mesh by finite elements of the first order: -div sigma(u) = f, with
 * sigma(u) = lambda div(u) I + mu (grad u + (grad u)^T), and with u, the traction sigma n, or a
 * mixture of both given on parts of the boundary.
 *
 *     tulle_elastic_condition held = {.group = "x-min", .kind = TULLE_DIRICHLET};
 *     tulle_elasticity_problem steel = {.first = {.number = 2.1e11}, .second = {.number = 0.3},
 *                                       .force = {{0}, {0}, {.number = -7.7e4}},
 *                                       .condition_count = 1, .conditions = &held};
 *     tulle_elasticity_create(ctx, mesh, &steel, &E);
 *     tulle_elasticity_assembly(ctx, E, TULLE_BSR, &S);            the pattern, once
 *     tulle_assembly_matrix(ctx, S, TULLE_F64, &A);
 *     tulle_elasticity_values(ctx, E, S, A);
 *     tulle_elasticity_load(ctx, E, S, b);                         now A u = b (solver.h)
 *
 * A node has as many unknowns as the mesh has dimensions, d: the displacements along the axes;
 * unknown r of node p is row p d + r, and BSR has blocks of d x d. In a plane it is plane strain:
 * nothing moves out of it.
 *
 * Unknowns that are given are eliminated symmetrically, as in diffusion.h: their rows and columns
 * are 0 but for the diagonal, which is the matrix's own, and b has the given number times that. A
 * solution may have them afterwards, too (tulle_elasticity_give). Nodes that no cell has count as
 * given, with u = 0. Quantities, points of quadrature and coordinates are as in diffusion.h.
 */
#ifndef TULLE_ELASTICITY_H
#define TULLE_ELASTICITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "diffusion.h"
#include "export.h"
#include "fem.h"
#include "linop.h"
#include "matrix.h"
#include "mesh.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** Pairs of constants that describe an elastic material. */
typedef enum tulle_elastic_constants {
    TULLE_YOUNG_POISSON = 0, /**< Young's modulus E > 0 and Poisson's ratio nu, -1 < nu < 1/2:
                                  lambda = E nu / ((1 + nu) (1 - 2 nu)), mu = E / (2 (1 + nu)) */
    TULLE_LAME = 1           /**< lambda and mu > 0, with 3 lambda + 2 mu > 0 */
} tulle_elastic_constants;

/** A condition on a part of the boundary. Where nothing is given, sigma n = 0. A traction or a
 * factor is for facets that one cell has, each once, as in diffusion.h. */
typedef struct tulle_elastic_condition {
    const char *group;         /**< name of a group of facets, or NULL, as in tulle_condition */
    tulle_condition_kind kind; /**< TULLE_DIRICHLET: u = value; TULLE_NEUMANN: sigma n = value;
                                    TULLE_ROBIN: sigma n + factor u = value */
    tulle_quantity value[3];   /**< given value along each axis; for TULLE_DIRICHLET without
                                    of_elements */
    bool free[3];              /**< for TULLE_DIRICHLET, true for axes along which u is not
                                    given, as on rollers */
    tulle_quantity factor;     /**< stiffness of springs by area, for TULLE_ROBIN alone */
} tulle_elastic_condition;

/** A problem; constants must be given. */
typedef struct tulle_elasticity_problem {
    tulle_elastic_constants constants;         /**< meaning of `first` and `second` */
    tulle_quantity first;                      /**< Young's modulus, or lambda */
    tulle_quantity second;                     /**< Poisson's ratio, or mu */
    tulle_quantity force[3];                   /**< force f along each axis */
    int64_t condition_count;                   /**< number of conditions */
    const tulle_elastic_condition *conditions; /**< conditions, any number on one facet:
                                                    tractions add up; where an unknown is given
                                                    twice, the later one counts */
} tulle_elasticity_problem;

/** A problem on a mesh, in the context's memory. */
typedef struct tulle_elasticity tulle_elasticity;

/** Properties of a problem on a mesh. */
typedef struct tulle_elasticity_info {
    int64_t nodes;                  /**< number of nodes of the mesh */
    int unknowns;                   /**< number of unknowns of a node; matrices have nodes *
                                         unknowns rows */
    int64_t given;                  /**< number of unknowns that are given */
    int blocks;                     /**< number of blocks of elements: those of cells, then those
                                         of facets with a traction */
    const tulle_elements *elements; /**< the blocks of elements, for fem.h; lists are in the
                                         context's memory */
    const uint8_t *masked; /**< nonzero for each unknown that is given; in the context's memory */
    int64_t bytes;         /**< bytes of the context's memory that the problem holds */
} tulle_elasticity_info;

TULLE_BEGIN

/**
 * Puts a problem on a mesh: coordinates, nodes, quantities at points of quadrature and conditions
 * go to the context's memory; mesh and problem need not outlive the call. The mesh is one that
 * tulle_mesh_check passes, of triangles and quadrilaterals in a plane or of tetrahedra and
 * hexahedra, all of order 1. Synchronises. Deterministic.
 *
 * Errors: TULLE_INVALID_ARGUMENT (a quantity that is not finite, constants of no material, a
 * condition of no kind), TULLE_NOT_FOUND (no group of facets has that name), TULLE_UNSUPPORTED
 * (other shapes, surfaces in space), TULLE_INVALID_MESH (facets: see tulle_mesh_check),
 * TULLE_TOO_LARGE (2^31 rows or more), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_elasticity_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                               const tulle_elasticity_problem *problem,
                                               tulle_elasticity **E);

/** Describes E; arrays live as long as E. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_elasticity_describe(const tulle_elasticity *E,
                                                 tulle_elasticity_info *info);

/**
 * Makes the pattern of E's matrices, in BSR with blocks of d x d, CSR or ELL: tulle_assembly_create
 * of E's elements, unknowns and mask. Synchronises. Errors: as of that function.
 */
TULLE_API tulle_status tulle_elasticity_assembly(tulle_ctx *ctx, const tulle_elasticity *E,
                                                 tulle_format format, tulle_assembly **S);

/**
 * K := the element matrices of block @a block, in the context's memory, as its elements lie
 * (tulle_elasticity_info): entry (i d + r, j d + s) is the integral of
 * lambda dN_i/dx_r dN_j/dx_s + mu dN_i/dx_s dN_j/dx_r + mu delta_rs grad N_i . grad N_j, or of
 * facets of factor delta_rs N_i N_j. They are symmetric bit by bit. Neither synchronises nor
 * allocates.
 *
 * Error of entry (i, j): at most 100 u cond(J)^2 c sqrt(K_ii K_jj), u the unit roundoff, cond(J) as
 * in tulle_diffusion_matrices, c the largest (lambda + 2 mu) / mu at the element's points of
 * quadrature; 1 for facets.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_UNSUPPORTED (in f32 the matrix would
 * be 0 or Inf: the material and factors are to be between 1e-30 and 1e30, lengths counting in units
 * of the mesh's size), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_elasticity_matrices(tulle_ctx *ctx, const tulle_elasticity *E,
                                                 int block, tulle_type type, void *K);

/**
 * A := E's matrix, as tulle_assembly_values of its element matrices: sums in the order of elements,
 * blocks of cells first; repeats bit by bit.
 *
 * Does not synchronise. The first call for a type allocates memory of E's, for all element
 * matrices; later ones allocate nothing, and can be captured.
 *
 * @param S from tulle_elasticity_assembly of E
 * @param A from tulle_assembly_matrix of S
 *
 * Errors: as tulle_assembly_values; TULLE_INVALID_ARGUMENT (S has other elements),
 * TULLE_UNSUPPORTED (as of tulle_elasticity_matrices; of a right-hand side forces, tractions and
 * products with given numbers are to be between 1e-30 and 1e30, and of tulle_elasticity_give, these
 * numbers).
 */
TULLE_API tulle_status tulle_elasticity_values(tulle_ctx *ctx, tulle_elasticity *E,
                                               tulle_assembly *S, tulle_mat *A);

/**
 * b := the right-hand side: sums of the integrals of f . N_i over cells and of the given tractions
 * over facets, less K g for the numbers g that are given; in their rows, these times the diagonal
 * of K. Repeats bit by bit. Does not synchronise. Allocates, and errors, as
 * tulle_elasticity_values.
 */
TULLE_API tulle_status tulle_elasticity_load(tulle_ctx *ctx, tulle_elasticity *E, tulle_assembly *S,
                                             tulle_vec *b);

/** x := the numbers that are given, in their rows; the others stay what they are. x is a vector of
 * as many numbers as E has rows. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT. */
TULLE_API tulle_status tulle_elasticity_give(tulle_ctx *ctx, const tulle_elasticity *E,
                                             tulle_vec *x);

/** tulle_elasticity_local with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_elasticity_local_sized(tulle_ctx *ctx, tulle_elasticity *E,
                                                    const tulle_local_options *options,
                                                    size_t options_size, tulle_type type,
                                                    tulle_linop **L);

/**
 * Makes E's matrix an operator of its element matrices: tulle_linop_local, with symmetric matrices;
 * of @a options all but unknowns, masked and symmetric count, NULL for the defaults.
 * Synchronises. Errors: as of that function.
 */
TULLE_HOST_INLINE tulle_status tulle_elasticity_local(tulle_ctx *ctx, tulle_elasticity *E,
                                                      const tulle_local_options *options,
                                                      tulle_type type, tulle_linop **L) {
    return tulle_elasticity_local_sized(ctx, E, options, sizeof(tulle_local_options), type, L);
}

/** Gives up a problem; NULL is fine. Its assemblies, matrices and operators live on. */
TULLE_API void tulle_elasticity_destroy(tulle_elasticity *E);

TULLE_END
#endif
