/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Diffusion on a mesh by finite elements of the first and second order: -div(k grad u) + c u = f,
 * with u, its flux, or a mixture of both given on parts of the boundary.
 *
 *     tulle_condition cold = {.group = "x-min", .kind = TULLE_DIRICHLET};
 *     tulle_diffusion_problem problem = {.f = {.number = 1},
 *                                        .condition_count = 1, .conditions = &cold};
 *     tulle_diffusion_create(ctx, mesh, &problem, &D);
 *     tulle_diffusion_assembly(ctx, D, TULLE_CSR, &S);             the pattern, once
 *     tulle_assembly_matrix(ctx, S, TULLE_F64, &A);
 *     tulle_diffusion_values(ctx, D, S, A);
 *     tulle_diffusion_load(ctx, D, S, b);                          now A u = b (solver.h)
 *
 * Row i is node i of the mesh. Nodes where u is given are eliminated symmetrically: their rows and
 * columns are 0 but for the diagonal, which is the matrix's own (fem.h), b has the given number
 * times that, and in other rows it is less by the products of the given numbers and their columns.
 * So a solution has the given numbers at these nodes, but for rounding. Or b becomes 0 there before
 * the system is solved, and the solution gets them afterwards (tulle_diffusion_give): then they are
 * exact, and the residual is measured by b of the other rows alone, which flat cells make much less
 * than the given ones. Nodes that no cell has count as given, with u = 0. Where parts of the
 * boundary are periodic, nodes share rows (tulle_period).
 *
 * Integrals are those of Gauss formulas with as many points as an element has nodes: of second
 * degree on simplices, of third in each coordinate on quadrilaterals and hexahedra, of fifth on
 * those of order 2, whose map from the reference cell has order 2 as well. Triangles and tetrahedra
 * of order 2 have three points along each axis, and prisms and pyramids two, of the formulas of
 * Gauss and Jacobi on squares and cubes of which sides have collapsed: of fifth and of third
 * degree. Element matrices are computed from the coordinates of nodes, which stay in f64, as
 * differences from the element's first node. On meshes of cells in a space of more dimensions
 * (surfaces) the gradient is the one along the surface.
 */
#ifndef TULLE_DIFFUSION_H
#define TULLE_DIFFUSION_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "fem.h"
#include "linop.h"
#include "matrix.h"
#include "mesh.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** A quantity that may depend on where it is: by a function, where one is given, else by a number
 * for each element, else one number for all. */
typedef struct tulle_quantity {
    double number;             /**< value everywhere, where of_elements and function are NULL */
    const double *of_elements; /**< NULL, or an array in host memory with one value for each cell,
                                    or for each facet, in the order of the mesh */
    /** NULL, or the quantity at x, three coordinates, in an element: called once for each point of
     * quadrature, by the thread that makes the problem; where u is given, for each node, with the
     * node's number for the element's. */
    double (*function)(const double x[3], int64_t element, void *user);
    void *user; /**< handed to the function */
} tulle_quantity;

/**
 * Kinds of conditions on a part of the boundary; n is the unit normal that points out of the cells.
 */
typedef enum tulle_condition_kind {
    TULLE_DIRICHLET = 0, /**< u = value */
    TULLE_NEUMANN = 1,   /**< k grad u . n = value */
    TULLE_ROBIN = 2      /**< k grad u . n + factor u = value */
} tulle_condition_kind;

/** A condition on a part of the boundary. Where nothing is given, k grad u . n = 0. A flux or a
 * factor is for facets that one cell has, each once: a facet that a group has twice, or that lies
 * between two cells or beside all of them, is refused (TULLE_INVALID_MESH) by its element's number,
 * cells coming first. u may be given on any facets. */
typedef struct tulle_condition {
    const char *group;         /**< name of a group of facets; NULL: the whole boundary, whose
                                    facets count as in tulle_mesh_boundary */
    tulle_condition_kind kind; /**< kind of the condition */
    tulle_quantity value;      /**< given value of u or of the flux; for TULLE_DIRICHLET without
                                    of_elements */
    tulle_quantity factor;     /**< factor of u, for TULLE_ROBIN alone */
} tulle_condition;

/**
 * Two parts of the boundary where u is the same: that at a node of @a to is that at the node of
 * @a from which is at its place less the shift. Both are then one unknown, whose row has the sums
 * of both; periods may meet, so that a corner has several partners. Where u is given at one of the
 * nodes of an unknown, it is given at all: the number of the lowest node that has one.
 */
typedef struct tulle_period {
    const char *from; /**< name of a group of facets */
    const char *to;   /**< name of the group of their partners */
    double shift[3];  /**< vector from a node of group `from` to its partner; 0 beyond the
                           dimension of space */
    double tolerance; /**< largest distance in each coordinate between a partner and its place by
                           the shift; 0: 1e-8 of the longest side of the box that the mesh is in */
} tulle_period;

/** A problem; zero-initialise for the Laplacian without conditions. */
typedef struct tulle_diffusion_problem {
    const tulle_quantity *k;           /**< diffusion coefficient k; NULL: 1 */
    tulle_quantity c;                  /**< reaction coefficient c */
    tulle_quantity f;                  /**< source f */
    int64_t condition_count;           /**< number of conditions */
    const tulle_condition *conditions; /**< conditions, any number on one facet: fluxes add up;
                                            where u is given twice, the later one counts */
    int64_t period_count;              /**< number of periods */
    const tulle_period *periods;       /**< pairs of parts of the boundary where u is the same */
} tulle_diffusion_problem;

/** A problem on a mesh, in the context's memory. */
typedef struct tulle_diffusion tulle_diffusion;

/** Properties of a problem on a mesh. */
typedef struct tulle_diffusion_info {
    int64_t nodes;                  /**< number of rows of its matrices: nodes of the mesh, those
                                         that periods make the same counted once */
    int64_t given;                  /**< number of rows where u is given */
    const int32_t *rows;            /**< row of each node of the mesh, in host memory; NULL: a
                                         node's row is its own number */
    int blocks;                     /**< number of blocks of elements: those of cells, then those
                                         of facets with a flux */
    const tulle_elements *elements; /**< the blocks of elements, for fem.h; lists are in the
                                         context's memory */
    const uint8_t *masked;          /**< nonzero for each row where u is given; in the context's
                                         memory */
    int64_t bytes;                  /**< bytes of the context's memory that the problem holds */
} tulle_diffusion_info;

TULLE_BEGIN

/**
 * Puts a problem on a mesh: coordinates, nodes, quantities at points of quadrature and conditions
 * go to the context's memory; mesh and problem need not outlive the call. The mesh is one that
 * tulle_mesh_check passes, of cells of any shape of two or three dimensions (tulle_shape). The
 * matrix-free operator is for fewer: see tulle_linop_matrix_free. Synchronises. Deterministic.
 *
 * Errors: TULLE_INVALID_ARGUMENT (a quantity that is not finite, a condition of no kind, a shift
 * that is not finite or 0), TULLE_NOT_FOUND (no group of facets has that name), TULLE_UNSUPPORTED
 * (cells are lines), TULLE_INVALID_MESH (facets: see tulle_mesh_check; a node or facet of a period
 * without a partner, or a cell that has two nodes of one unknown: the message names them),
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_diffusion_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                              const tulle_diffusion_problem *problem,
                                              tulle_diffusion **D);

/** Describes D; arrays live as long as D. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_diffusion_describe(const tulle_diffusion *D,
                                                tulle_diffusion_info *info);

/**
 * Makes the pattern of D's matrices, in CSR or ELL: tulle_assembly_create of D's elements and mask.
 * Synchronises. Errors: as of that function.
 */
TULLE_API tulle_status tulle_diffusion_assembly(tulle_ctx *ctx, const tulle_diffusion *D,
                                                tulle_format format, tulle_assembly **S);

/**
 * K := the element matrices of block @a block, in the context's memory, as its elements lie
 * (tulle_diffusion_info): entry (i, j) is the integral of k grad N_i . grad N_j + c N_i N_j, or
 * factor N_i N_j of facets. They are symmetric bit by bit. Neither synchronises nor allocates.
 *
 * Error of entry (i, j): at most 50 u cond(J)^2 sqrt(K_ii K_jj), u the unit roundoff, cond(J) the
 * largest |J| |J^-1|, by Frobenius' norms, of the Jacobian at the points of quadrature; coordinates
 * count as exact.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_UNSUPPORTED (in f32 the matrix would
 * be 0 or Inf: k, c and factors are to be between 1e-30 and 1e30, lengths counting in units of the
 * mesh's size), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_diffusion_matrices(tulle_ctx *ctx, const tulle_diffusion *D, int block,
                                                tulle_type type, void *K);

/**
 * A := D's matrix, as tulle_assembly_values of its element matrices: sums in the order of elements,
 * blocks of cells first; repeats bit by bit.
 *
 * Where all elements are hexahedra of one Jacobian each, as tulle_linop_matrix_free tells them (by
 * TULLE_F64), with k and c numbers or one for each element, entries are made of six or seven
 * numbers of each cell instead, in another order of operations: as if coordinates were off by as
 * much as makes these cells parallelepipeds, with the error of the element matrices.
 *
 * Does not synchronise. The first call for a type allocates memory of D's, for all element
 * matrices, or 8 numbers of each cell; later ones allocate nothing, and can be captured.
 *
 * @param S from tulle_diffusion_assembly of D
 * @param A from tulle_assembly_matrix of S
 *
 * Errors: as tulle_assembly_values; TULLE_INVALID_ARGUMENT (S has other elements),
 * TULLE_UNSUPPORTED (as of tulle_diffusion_matrices; of a right-hand side f, fluxes and products
 * with given numbers are to be between 1e-30 and 1e30, and of tulle_diffusion_give, these numbers).
 */
TULLE_API tulle_status tulle_diffusion_values(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                              tulle_mat *A);

/**
 * b := the right-hand side: sums of the integrals of f N_i over cells and of the given fluxes over
 * facets, less K g for the numbers g that are given; at their nodes, these times the diagonal of K.
 * Repeats bit by bit. Does not synchronise. Allocates, and errors, as tulle_diffusion_values.
 */
TULLE_API tulle_status tulle_diffusion_load(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                            tulle_vec *b);

/** x := the numbers that are given, in their rows; the others stay what they are. x is a vector of
 * as many numbers as D has rows. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT. */
TULLE_API tulle_status tulle_diffusion_give(tulle_ctx *ctx, const tulle_diffusion *D, tulle_vec *x);

/** tulle_diffusion_local with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_diffusion_local_sized(tulle_ctx *ctx, tulle_diffusion *D,
                                                   const tulle_local_options *options,
                                                   size_t options_size, tulle_type type,
                                                   tulle_linop **L);

/**
 * Makes D's matrix an operator of its element matrices: tulle_linop_local, with symmetric matrices;
 * of @a options all but unknowns, masked and symmetric count, NULL for the defaults.
 * Synchronises. Errors: as of that function.
 */
TULLE_HOST_INLINE tulle_status tulle_diffusion_local(tulle_ctx *ctx, tulle_diffusion *D,
                                                     const tulle_local_options *options,
                                                     tulle_type type, tulle_linop **L) {
    return tulle_diffusion_local_sized(ctx, D, options, sizeof(tulle_local_options), type, L);
}

/** tulle_diffusion_matrix_free with the size of its options in bytes: bindings for other languages
 * call it. */
TULLE_API tulle_status tulle_diffusion_matrix_free_sized(tulle_ctx *ctx, const tulle_diffusion *D,
                                                         const tulle_mesh *mesh,
                                                         const tulle_matrix_free_options *options,
                                                         size_t options_size, tulle_type type,
                                                         tulle_linop **L);

/**
 * Makes D's matrix an operator that computes what the matrices of cells would do whenever it is
 * applied: tulle_linop_matrix_free with D's k, c and mask. Nodes that periods make the same have
 * one unknown, though of each cell's nodes the own coordinates count. Facets with a factor, which
 * are few, keep their matrices, m (m + 1) / 2 numbers of each for m nodes, and a number and 8 bytes
 * for each of their nodes; their products are added to the sums of patches at the end.
 *
 * Error of number i: as of that function, with, for each facet that has the node, q_f sum over its
 * nodes j of sqrt(F_ii F_jj) |x_j| more in the sum over cells; F the facet's matrix, q_f the square
 * of its cond(J) (tulle_diffusion_matrices). Synchronises. Deterministic but for options->atomic.
 *
 * @param mesh    the mesh that D was made on; it need not outlive the call
 * @param options only atomic and patch count; NULL for the defaults
 *
 * Errors: as of tulle_linop_matrix_free, and TULLE_INVALID_ARGUMENT (another mesh),
 * TULLE_UNSUPPORTED (k or c is a function), TULLE_SPACE_MISMATCH.
 */
TULLE_HOST_INLINE tulle_status tulle_diffusion_matrix_free(tulle_ctx *ctx, const tulle_diffusion *D,
                                                           const tulle_mesh *mesh,
                                                           const tulle_matrix_free_options *options,
                                                           tulle_type type, tulle_linop **L) {
    return tulle_diffusion_matrix_free_sized(ctx, D, mesh, options,
                                             sizeof(tulle_matrix_free_options), type, L);
}

/** Gives up a problem; NULL is fine. Its assemblies, matrices and operators live on. */
TULLE_API void tulle_diffusion_destroy(tulle_diffusion *D);

TULLE_END
#endif
