/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Finite elements without a mesh, from lists of the nodes that elements have, and element matrices;
 * and the operator of a mesh that needs no matrices.
 *
 *     tulle_elements hexahedra = {.count = n, .nodes = 8, .list = list};
 *     tulle_assembly_create(ctx, nodes, 1, &hexahedra, NULL, &S);        once
 *     tulle_assembly_matrix(ctx, S, TULLE_F64, &A);
 *     tulle_assembly_values(ctx, S, &(tulle_element_data){.values = K}, tulle_num(0), A);
 *
 * A node has one or more unknowns; unknown r of node p is row and column p * unknowns + r of the
 * matrix, and unknown r of an element's node i is row and column i * unknowns + r of its element
 * matrix, which has m = nodes * unknowns of them.
 *
 * A mask says which unknowns are prescribed (Dirichlet). Their rows and columns of the matrix are
 * zero but for the diagonal, where they keep the numbers of the matrix without the mask: so a
 * matrix stays symmetric, keeps its pattern, and is multiplied by k where its elements are, which
 * no identity would be; a residual then means the same in any unit. Where the diagonal of a masked
 * row is 0, as that of a node that no element has, it becomes the largest magnitude that masked
 * rows have there, or 1 where they all have 0. b of such a row is the diagonal's number times the
 * given one (tulle_linop_get_diagonal).
 */
#ifndef TULLE_FEM_H
#define TULLE_FEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "linop.h"
#include "matrix.h"
#include "mesh.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** Most blocks of elements in one assembly, and most nodes of an element. */
enum { TULLE_ELEMENT_BLOCKS = 16, TULLE_ELEMENT_NODES = 1024 };

/** Largest number of unknowns of a node. */
enum { TULLE_NODE_UNKNOWNS = 6 };

/** Most rows of an element matrix that an operator is made of. */
enum { TULLE_LOCAL_ROWS = 384 };

/** Layouts of the element matrices, and vectors, of a block of elements in memory. */
typedef enum tulle_element_layout {
    TULLE_ELEMENT_MAJOR = 0, /**< entry (i, j) of element e at (e * m + i) * m + j, number i of its
                                  vector at e * m + i */
    TULLE_INTERLEAVED = 1    /**< entry (i, j) of all elements side by side: that of element e at
                                  (i * m + j) * stride + e, number i at i * stride + e */
} tulle_element_layout;

/** A block of elements with as many nodes each. */
typedef struct tulle_elements {
    int64_t count;               /**< number of elements */
    int nodes;                   /**< number of nodes of each element, 1 to TULLE_ELEMENT_NODES */
    const void *list;            /**< the nodes of element 0, of element 1, ...: count * nodes
                                      numbers from 0 on, -1 for one that is left out; copied, from
                                      the host's or the context's memory */
    tulle_index index;           /**< integer type of `list`: int32_t for TULLE_I32, int64_t for
                                      TULLE_I64 */
    tulle_element_layout layout; /**< layout of the element matrices and vectors */
    int64_t stride;              /**< elements between neighbours of one element's matrix under
                                      TULLE_INTERLEAVED: count or more; 0: count */
} tulle_elements;

/** Options of an assembly; zero-initialise for the defaults. */
typedef struct tulle_assembly_options {
    int unknowns;          /**< number of unknowns of a node, 1 to TULLE_NODE_UNKNOWNS; 0: 1 */
    tulle_format format;   /**< format of the matrices: TULLE_CSR, TULLE_ELL, or TULLE_BSR with
                                blocks of unknowns x unknowns; default TULLE_CSR, or TULLE_BSR
                                with more than one unknown */
    const uint8_t *masked; /**< nonzero for each unknown that is prescribed: nodes * unknowns
                                numbers, in the host's or the context's memory, copied; NULL: no
                                unknown is */
} tulle_assembly_options;

/** Element matrices, or vectors, of a block of elements. */
typedef struct tulle_element_data {
    const void *values; /**< the numbers, in the block's layout, of the matrix's or vector's type */
    bool on_host;       /**< true: values are in the host's memory; on a GPU they are copied into
                             memory that the assembly keeps for that. false: they are in the
                             context's memory */
} tulle_element_data;

/** Properties of an assembly. */
typedef struct tulle_assembly_info {
    tulle_format format;   /**< format of the assembly's matrices */
    int64_t rows;          /**< number of rows, and of columns, of the matrices */
    int64_t entries;       /**< number of entries of each matrix */
    int64_t contributions; /**< number of terms that are added up: numbers of element matrices,
                                those of masked unknowns included, and one for each masked
                                unknown */
    int64_t bytes;         /**< bytes of the context's memory that the assembly holds, the
                                pattern not counted */
} tulle_assembly_info;

/** Ways in which an operator of element matrices adds up what elements contribute to an unknown. */
typedef enum tulle_local_scatter {
    TULLE_SCATTER_OWNER = 0, /**< products of elements are stored, and each unknown adds up its own:
                                  repeatable. As TULLE_SCATTER_PATCHES where matrices are
                                  symmetric, have 3, 4 or 8 rows, no unknown twice, and at least
                                  19000 calls are expected on a GPU */
    TULLE_SCATTER_COLOURS = 1, /**< elements that share no unknown at a time, colour by colour:
                                    repeatable, in another order */
    TULLE_SCATTER_ATOMIC = 2,  /**< atomic additions: not repeatable */
    TULLE_SCATTER_PATCHES = 3  /**< patches of elements add up in fast memory, so that sums of
                                    patches are stored instead of products of elements:
                                    repeatable, in another order; 3, 4 or 8 rows, no unknown
                                    twice in an element */
} tulle_local_scatter;

/** Options of an operator of element matrices; zero-initialise for the defaults. */
typedef struct tulle_local_options {
    int unknowns;                /**< number of unknowns of a node, 1 to TULLE_NODE_UNKNOWNS; 0:
                                      1 */
    const uint8_t *masked;       /**< mask of the unknowns, as in tulle_assembly_options */
    tulle_local_scatter scatter; /**< way of adding up; default TULLE_SCATTER_OWNER */
    bool symmetric;              /**< true: all element matrices are symmetric, and only their
                                      upper triangles are read and kept */
    bool narrow;            /**< true: numbers of f64 matrices are kept in f32; products and sums
                                 stay in f64 */
    int64_t expected_calls; /**< number of products that will follow, as far as is known; default
                                 0. From 19000 on TULLE_SCATTER_OWNER takes patches for symmetric
                                 matrices on a GPU, if it can */
    int64_t patch; /**< largest number of elements of a patch, 0 for a default: 2048 of 8 rows,
                        else 4096, or as many as leave a GPU six patches for each multiprocessor;
                        the size that suits a GPU best is to be measured */
} tulle_local_options;

/** Options of a matrix-free operator. */
typedef struct tulle_matrix_free_options {
    double diffusion;             /**< k of all cells, where cell_diffusion is NULL */
    double reaction;              /**< c of all cells, where cell_reaction is NULL */
    const double *cell_diffusion; /**< k of each cell, in the host's memory, copied; NULL: all
                                       cells have `diffusion` */
    const double *cell_reaction;  /**< c of each cell, in the host's memory, copied; NULL: all
                                       cells have `reaction` */
    const uint8_t *masked; /**< nonzero for each node whose unknown is prescribed, in the host's
                                or the context's memory, copied; NULL: no unknown is */
    bool atomic;           /**< true: sums of nodes between patches are added up atomically: not
                                repeatable */
    int64_t patch;         /**< largest number of cells of a patch, 0 for a default; the size
                                that suits a GPU best is to be measured; of order 2 at most 128 */
} tulle_matrix_free_options;

/** Properties of a matrix-free operator. */
typedef struct tulle_matrix_free_info {
    int64_t cells;   /**< number of cells of the mesh */
    int64_t affine;  /**< number of cells whose Jacobian is constant */
    int64_t metrics; /**< number of metrics that are kept of cells with constant Jacobian: one
                          for each, or one for all cells that are alike but for how coordinates
                          are rounded */
    int64_t patches; /**< number of patches into which the cells are divided */
    int64_t nodes;   /**< number of nodes of all patches: a node of several patches counts in
                          each */
    int64_t between; /**< number of sums of patches for nodes that other patches have, too */
    int64_t bytes;   /**< bytes of the context's memory that the operator holds */
} tulle_matrix_free_info;

/**
 * An assembly, found once of a list of elements: the pattern of its matrices, and the entry to
 * which each number of an element matrix is added.
 */
typedef struct tulle_assembly tulle_assembly;

TULLE_BEGIN

/** tulle_assembly_create with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_assembly_create_sized(tulle_ctx *ctx, int64_t nodes, int blocks,
                                                   const tulle_elements *elements,
                                                   const tulle_assembly_options *options,
                                                   size_t options_size, tulle_assembly **S);

/**
 * Finds the pattern of the matrix that elements make: with an entry wherever an element has both
 * nodes, for each pair of their unknowns, also where its values are zero or masked; and on the
 * diagonal of masked unknowns. Nodes that are left out (-1) have no part in it. An element may have
 * a node twice; its contributions are then added in the order of its rows.
 *
 * The lists are copied and need not outlive the call. Synchronises. Deterministic.
 *
 * It holds, for each node of an element, 8 bytes and one for each node of the element with the most
 * of them. Where that cannot be told (a row of more than 255 entries, or blocks of BSR; more than
 * 32 rows in an element matrix; more than 3 unknowns in BSR; an element that has a node twice), it
 * holds 4 bytes for each contribution (for each block of BSR that an element has) and each entry or
 * block, and about 8 for each node of an element. Numbers of 32 bits become 64 where there are 2^32
 * or more. While it is made, it takes about 12 times as much as that last list.
 *
 * @param nodes    number of nodes; rows and columns of the matrix are nodes * unknowns
 * @param blocks   number of blocks of elements, 0 to TULLE_ELEMENT_BLOCKS
 * @param elements the blocks; NULL where blocks is 0
 * @param options  NULL for the defaults
 *
 * Errors: TULLE_INVALID_ARGUMENT (sizes, formats; a node out of range: the record names block,
 * element and place), TULLE_TOO_LARGE (2^31 rows or more; too much padding for ELL),
 * TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_HOST_INLINE tulle_status tulle_assembly_create(tulle_ctx *ctx, int64_t nodes, int blocks,
                                                     const tulle_elements *elements,
                                                     const tulle_assembly_options *options,
                                                     tulle_assembly **S) {
    return tulle_assembly_create_sized(ctx, nodes, blocks, elements, options,
                                       sizeof(tulle_assembly_options), S);
}

/** A matrix with the assembly's pattern, which its matrices share, and zeros for values. Does not
 * synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT. */
TULLE_API tulle_status tulle_assembly_matrix(tulle_ctx *ctx, const tulle_assembly *S,
                                             tulle_type type, tulle_mat **A);

/**
 * A := (sum over elements of their matrices) + beta A, and 0 in masked rows and columns beside the
 * diagonal, whatever beta is. With beta == 0, A is not read.
 *
 * Each entry adds, to beta times its old number, one contribution after the other: blocks in their
 * order, elements in theirs, rows and columns of the element matrix. So results repeat bit by bit,
 * with any number of threads. Error of an entry with k contributions: at most gamma(k + 2)
 * (|beta A| + the sum of their magnitudes) + 2 s, s the smallest positive number.
 *
 * Plans and other forms of A get the new values. Does not synchronise where data is in the
 * context's memory; after its first call it allocates nothing, and can be captured.
 *
 * @param K element matrices of each block, in the order of the blocks
 * @param A a matrix from tulle_assembly_matrix, or another one with its pattern
 *
 * Errors: TULLE_INVALID_ARGUMENT (A has another pattern; K is NULL), TULLE_SPACE_MISMATCH,
 * TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT. Source: owner-computes assembly, as C. Cecka, A. J. Lew
 * and E. Darve, "Assembly of finite element methods on graphics processors" (2011).
 */
TULLE_API tulle_status tulle_assembly_values(tulle_ctx *ctx, tulle_assembly *S,
                                             const tulle_element_data *K, tulle_scalar beta,
                                             tulle_mat *A);

/**
 * b := (sum over elements of their vectors) + beta b, and 0 for masked unknowns, whatever beta is;
 * b a vector of as many numbers as the matrix has rows. With beta == 0, b is not read. Order of the
 * sums, error, synchronising and allocating: as tulle_assembly_values.
 *
 * Errors: as tulle_assembly_values, and TULLE_SHAPE_MISMATCH.
 */
TULLE_API tulle_status tulle_assembly_vector(tulle_ctx *ctx, tulle_assembly *S,
                                             const tulle_element_data *f, tulle_scalar beta,
                                             tulle_vec *b);

/** Describes S. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_assembly_describe(const tulle_assembly *S, tulle_assembly_info *info);

/** Gives up an assembly; NULL is fine. Its matrices live on. */
TULLE_API void tulle_assembly_destroy(tulle_assembly *S);

/** tulle_linop_local with the size of its options in bytes: bindings for other languages call it.
 */
TULLE_API tulle_status tulle_linop_local_sized(tulle_ctx *ctx, int64_t nodes, int blocks,
                                               const tulle_elements *elements,
                                               const tulle_local_options *options,
                                               size_t options_size, tulle_type type,
                                               const tulle_element_data *K, tulle_linop **L);

/**
 * The local matrix approach: the matrix that tulle_assembly_values would make, as an operator that
 * multiplies element matrices by the numbers that elements have of x, and adds up the products:
 * Y := alpha A X + beta Y, A never being there. It can be transposed and knows its diagonal, and
 * may be captured; one use at a time.
 *
 * Element matrices are copied, interleaved, so that threads that have neighbouring elements read
 * neighbours. It holds them, 4 bytes for each row of an element, and, for TULLE_SCATTER_OWNER, a
 * number and 4 or 8 bytes more for each. Where unknowns are masked, it holds 4 bytes more for each
 * row of an element, and a number and 4 bytes for each of these unknowns.
 *
 * In patches, which grow along the nodes that elements share, so that elements may come in any
 * order, matrices are copied in the order of patches, 32 of them interleaved: 2 bytes for each row
 * of an element (of 3 rows 8 in all), 4 for the element, 4 for each node of a patch, and where
 * several patches have it a number and 6 bytes. Dividing takes the host half a microsecond an
 * element and 50 bytes for each row of one. Other matrices (tulle_linop_local_values) take a pass
 * of their own, as long as reading and writing all of them once or twice.
 *
 * Error of number i: at most gamma(m + k + 4) (|alpha| (sum over elements of |K_e| |x|)_i +
 * |beta y_i|) + (m k + 4) (1 + |alpha|) s, m the rows of the largest element matrix, k how often
 * elements have the unknown, s the smallest positive number; with narrow, of the matrices rounded
 * to f32. Deterministic but for TULLE_SCATTER_ATOMIC, which the repeatable setting refuses.
 *
 * Synchronises. Elements and masks are as in tulle_assembly_create; at most TULLE_LOCAL_ROWS rows
 * an element.
 *
 * @param type value type of the vectors and of the element matrices
 * @param K    element matrices of each block, in the order of the blocks
 *
 * Errors: as tulle_assembly_create, and TULLE_UNSUPPORTED (TULLE_SCATTER_ATOMIC under the
 * repeatable setting). Source: I. Z. Reguly and M. B. Giles, "Finite element algorithms and data
 * structures on graphical processing units" (2015).
 */
TULLE_HOST_INLINE tulle_status tulle_linop_local(tulle_ctx *ctx, int64_t nodes, int blocks,
                                                 const tulle_elements *elements,
                                                 const tulle_local_options *options,
                                                 tulle_type type, const tulle_element_data *K,
                                                 tulle_linop **L) {
    return tulle_linop_local_sized(ctx, nodes, blocks, elements, options,
                                   sizeof(tulle_local_options), type, K, L);
}

/** L, from tulle_linop_local, gets other element matrices. Does not synchronise, and allocates
 * nothing, where K is in the context's memory. Errors: TULLE_INVALID_ARGUMENT (L is another kind of
 * operator; K), TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT. */
TULLE_API tulle_status tulle_linop_local_values(tulle_ctx *ctx, tulle_linop *L,
                                                const tulle_element_data *K);

/** tulle_linop_matrix_free with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_linop_matrix_free_sized(tulle_ctx *ctx, const tulle_mesh *mesh,
                                                     const tulle_matrix_free_options *options,
                                                     size_t options_size, tulle_type type,
                                                     tulle_linop **L);

/**
 * The matrix of -div(k grad u) + c u on a mesh, as an operator that computes the products of
 * element matrices from the cells' geometry whenever it is applied, and stores no matrices:
 *
 *     Y := alpha A X + beta Y,   a_ij = sum over cells of integral of k grad N_i . grad N_j
 *                                                                    + c N_i N_j
 *
 * with one unknown for each node of the mesh, N_i its polynomial, and k and c constant in a cell.
 * Integrals are those of two Gauss points in each direction, of three in hexahedra of order 2, and
 * exact for triangles and tetrahedra. It is symmetric, knows its diagonal, and may be captured; one
 * use at a time.
 *
 * Cells are quadrilaterals and triangles, or hexahedra and tetrahedra. Those whose corners are a
 * parallelogram's or parallelepiped's have one Jacobian: if the coefficients of xi eta and so on in
 * the map from the reference cell are at most 2^-51 of the largest coordinate of the cell's
 * corners, or less than a quarter of the type's unit roundoff, of the shortest column of the
 * Jacobian. They are told one by one. Or all cells are hexahedra of order 2: these have one
 * Jacobian if no node is further than 2^-50 of the largest coordinate, or that of the shortest
 * column, from where the map that the middles of the facets make has it.
 *
 * Cells are divided into patches; a patch adds up the products at its nodes, colour by colour, and
 * a node of several patches their sums, in their order: so bits repeat, with any number of threads,
 * unless options->atomic, which the repeatable setting refuses. For each cell it holds 2 bytes a
 * node (of triangles 8 in all); of cells with one Jacobian J 3 numbers of k det J J^-1 J^-T in the
 * plane, 6 in space, and one more where there is a c, or, where up to 256 such metrics stand for 16
 * times as many cells to within 16 units of rounding times s, below, a byte; for each node of a
 * patch 4 bytes, its coordinates if cells are of the other kind, and where other patches have it a
 * number and 6 bytes more. In f32 coordinates count from the middle of the patch.
 *
 * Hexahedra of order 2 go from nodes to points of quadrature and back direction by direction. Their
 * products are all there before a node adds up its own, in the order of cells. Kept are 108 bytes a
 * cell for places, 6 for each node of a patch, a number and 4 bytes more where others have it, and
 * the metric: six numbers a cell with one Jacobian, else 162, and a sixth more where there is a c.
 *
 * Error of number i: at most gamma(200 (1 + s)) (|alpha| (sum over the cells that have node i of V
 * (k J^(d-2) q^2 + |c| J^d) sum over their nodes of |x|) + |beta y_i|) + 200 (1 + |alpha|) t, with
 * d the dimension, J the length of the longest column of the cell's Jacobians, q the largest J^d /
 * det, V the reference cell's volume, s the largest coordinate, in f32 the patch's or, of order 2,
 * the cell's diameter, over the shortest column, t the smallest positive number.
 *
 * Synchronises. Deterministic but for options->atomic. The mesh need not outlive the call.
 *
 * @param type    value type of the vectors and of the arithmetic
 * @param options NULL for k = 1, c = 0, no mask
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_INVALID_MESH (a cell is turned over, without volume, or has
 * a node twice; the record's row is the cell), TULLE_UNSUPPORTED (prisms, pyramids, other cells of
 * order 2, lines,
 * cells of both orders or in a space of more dimensions; atomic under the repeatable setting),
 * TULLE_TOO_LARGE (2^30 nodes or more), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT. Source: K.
 * Ljungkvist, "Matrix-free finite-element computations on graphics processors with adaptively
 * refined unstructured meshes" (2017).
 */
TULLE_HOST_INLINE tulle_status tulle_linop_matrix_free(tulle_ctx *ctx, const tulle_mesh *mesh,
                                                       const tulle_matrix_free_options *options,
                                                       tulle_type type, tulle_linop **L) {
    return tulle_linop_matrix_free_sized(ctx, mesh, options, sizeof(tulle_matrix_free_options),
                                         type, L);
}

/**
 * Describes L, an operator from tulle_linop_matrix_free. Errors: TULLE_INVALID_ARGUMENT (L is
 * another kind of operator).
 */
TULLE_API tulle_status tulle_linop_matrix_free_describe(const tulle_linop *L,
                                                        tulle_matrix_free_info *info);

TULLE_END
#endif
