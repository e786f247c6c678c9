/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Meshes of finite elements, in host memory: nodes, cells in blocks of one shape, facets that are
 * listed because something is given there, and named groups of both.
 *
 *     tulle_mesh_generate(ctx, "box-hex:40x40x40", &mesh);       or tulle_mesh_load (mesh_io.h)
 *     tulle_mesh_view(mesh, &arrays);
 *     arrays.blocks[0].nodes                      8 nodes a hexahedron: a list for fem.h
 *     arrays.coordinates[dim * node + d]
 *
 * Cells are the elements of the highest dimension that a mesh has, facets are listed elements of
 * one dimension less. Blocks of cells stand before blocks of facets; cells are numbered through all
 * blocks of cells, facets through those of facets, each from 0. A block may have elements of
 * several groups. A mesh never changes: what works on one makes another.
 */
#ifndef TULLE_MESH_H
#define TULLE_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "reorder.h"
#include "status.h"

/**
 * Every shape: name, text, dimension, order, nodes, corners, facets, shape of a facet.
 *
 * Corners come first. Those of a triangle and of a quadrilateral go round counterclockwise; a
 * tetrahedron is a triangle that is seen counterclockwise from its last node; a hexahedron is two
 * quadrilaterals, of which the second lies above the first, and a prism two triangles; a pyramid is
 * a quadrilateral and the node above it: this is the order of Gmsh and, but for prisms, of VTK.
 * Behind the corners stand the middles of edges, then of faces, then of the cell, as VTK has them;
 * tulle_shape_point says where each node is. A quadrilateral of 8 nodes and a hexahedron of 20 have
 * no middles of faces and of the cell. Facets of a prism are two triangles, then three
 * quadrilaterals, those of a pyramid a quadrilateral, then four triangles: the shape of a facet in
 * this list is that of most, and tulle_shape_facet_shape says that of each.
 */
#define TULLE_SHAPES(X)                                                                            \
    X(TULLE_LINE, "line", 1, 1, 2, 2, 0, TULLE_LINE)                                               \
    X(TULLE_TRIANGLE, "triangle", 2, 1, 3, 3, 3, TULLE_LINE)                                       \
    X(TULLE_QUADRILATERAL, "quadrilateral", 2, 1, 4, 4, 4, TULLE_LINE)                             \
    X(TULLE_TETRAHEDRON, "tetrahedron", 3, 1, 4, 4, 4, TULLE_TRIANGLE)                             \
    X(TULLE_HEXAHEDRON, "hexahedron", 3, 1, 8, 8, 6, TULLE_QUADRILATERAL)                          \
    X(TULLE_LINE3, "line of order 2", 1, 2, 3, 2, 0, TULLE_LINE3)                                  \
    X(TULLE_QUADRILATERAL9, "quadrilateral of order 2", 2, 2, 9, 4, 4, TULLE_LINE3)                \
    X(TULLE_HEXAHEDRON27, "hexahedron of order 2", 3, 2, 27, 8, 6, TULLE_QUADRILATERAL9)           \
    X(TULLE_TRIANGLE6, "triangle of order 2", 2, 2, 6, 3, 3, TULLE_LINE3)                          \
    X(TULLE_TETRAHEDRON10, "tetrahedron of order 2", 3, 2, 10, 4, 4, TULLE_TRIANGLE6)              \
    X(TULLE_PRISM, "prism", 3, 1, 6, 6, 5, TULLE_QUADRILATERAL)                                    \
    X(TULLE_PYRAMID, "pyramid", 3, 1, 5, 5, 5, TULLE_TRIANGLE)                                     \
    X(TULLE_QUADRILATERAL8, "quadrilateral of 8 nodes", 2, 2, 8, 4, 4, TULLE_LINE3)                \
    X(TULLE_HEXAHEDRON20, "hexahedron of 20 nodes", 3, 2, 20, 8, 6, TULLE_QUADRILATERAL8)

/** The shapes of elements. */
typedef enum tulle_shape {
/** @cond */
#define X(name, text, dimension, order, nodes, corners, facets, facet) name,
    /** @endcond */
    TULLE_SHAPES(X)
#undef X
} tulle_shape;

enum {
    TULLE_MESH_MOST_NODES = 27, /**< largest number of nodes of an element */
    TULLE_MESH_MOST_FACETS = 6, /**< largest number of facets of a cell */
    TULLE_MESH_BINS = 10        /**< number of bins of a tulle_mesh_quality */
};

/** Properties of a shape. */
typedef struct tulle_shape_info {
    const char *name;        /**< name, e.g. "hexahedron"; static storage */
    int dimension;           /**< dimension: 1, 2 or 3 */
    int order;               /**< order of its polynomials: 1 or 2 */
    int nodes;               /**< number of nodes of an element */
    int corners;             /**< number of corners, which are the first of its nodes */
    int facets;              /**< number of facets of an element; 0: none are told */
    tulle_shape facet_shape; /**< shape of each facet; for prisms and pyramids, of most facets */
} tulle_shape_info;

/** Elements of one shape. */
typedef struct tulle_mesh_block {
    tulle_shape shape;     /**< shape of each element */
    int64_t count;         /**< number of elements */
    const int32_t *nodes;  /**< nodes of the elements, count x nodes of the shape: those of
                                element e stand together */
    const int32_t *groups; /**< number of the group of each element, or of a union (see
                                tulle_mesh_union), 0: none; count numbers; NULL: no element is in
                                a group */
} tulle_mesh_block;

/** A physical group. Numbers are unique among those of one dimension. */
typedef struct tulle_mesh_group {
    int32_t number;    /**< number of the group, from 1 on */
    int32_t dimension; /**< dimension of the group's elements */
    const char *name;  /**< name, "" where the group has none; never NULL in a view */
} tulle_mesh_group;

/** Groups that some elements are all in: such elements have the union's number in place of a
 * group's. Unions rise by dimension, then by number; none has the number of a group of its
 * dimension. tulle_mesh_in_group looks into them. */
typedef struct tulle_mesh_union {
    int32_t number;        /**< number of the union, from 1 on */
    int32_t dimension;     /**< dimension of the elements and of the groups */
    int32_t count;         /**< number of groups: 2 or more */
    const int32_t *groups; /**< numbers of the groups, `count` of them, rising */
} tulle_mesh_union;

/** A mesh as arrays, of the caller or of a mesh. */
typedef struct tulle_mesh_arrays {
    int dimension;                  /**< number of coordinates of a node: 1, 2 or 3 */
    int64_t node_count;             /**< number of nodes, at most 2^31 - 1 */
    const double *coordinates;      /**< coordinates, node_count x dimension: those of a node
                                         stand together */
    int64_t block_count;            /**< number of blocks, of cells and facets together */
    const tulle_mesh_block *blocks; /**< blocks, those of cells first */
    int64_t group_count;            /**< number of groups that are named */
    const tulle_mesh_group *groups; /**< groups, in no order */
    int64_t union_count;            /**< number of unions of groups */
    const tulle_mesh_union *unions; /**< unions, by dimension, then by number */
} tulle_mesh_arrays;

/** A mesh. */
typedef struct tulle_mesh tulle_mesh;

/** Properties of a mesh. */
typedef struct tulle_mesh_info {
    int dimension;        /**< number of coordinates of a node */
    int cell_dimension;   /**< dimension of its cells; less than `dimension` for a surface */
    int64_t nodes;        /**< number of all nodes */
    int64_t unused_nodes; /**< number of nodes that no cell has */
    int64_t cells;        /**< number of cells: elements of the highest dimension */
    int64_t facets;       /**< number of facets: listed elements of one dimension less */
    int64_t cell_blocks;  /**< number of blocks of cells, which are the first blocks */
    int64_t facet_blocks; /**< number of blocks of facets, which stand behind those of cells */
    int64_t groups;       /**< number of groups that are named */
    int64_t bytes;        /**< bytes of its arrays */
    double low[3];        /**< lower end of the box that its nodes are in; 0 beyond its dimension */
    double high[3];       /**< upper end of the box that its nodes are in; 0 beyond its dimension */
} tulle_mesh_info;

/**
 * The quality of cells: the scaled Jacobian, the least over the nodes (and of hexahedra, of a
 * quadrilateral of 8 nodes and of a prism its middle, and of a pyramid without the top) of
 * det J / (|J_1| |J_2| |J_3|), J_i the columns of the Jacobian of the map from the reference cell,
 * or of simplices, prisms and pyramids its derivatives along the edges at each corner, and then
 * times 2 / sqrt(3) for triangles and prisms and sqrt(2) for tetrahedra and pyramids: 1 for a
 * square, a cube and regular simplices, prisms and pyramids, 0 for a cell without volume, below it
 * for one that is turned over. Of surfaces the area stands for the determinant.
 * Source: P. Knupp, "Algebraic mesh quality metrics", SIAM J. Sci. Comput. 23 (2001); the Verdict
 * library (SAND2007-1751).
 */
typedef struct tulle_mesh_quality {
    double least;                       /**< least quality of all cells; 0 without cells */
    double greatest;                    /**< greatest quality of all cells */
    double mean;                        /**< mean quality of the cells */
    int64_t least_cell;                 /**< index of the first cell with the least quality; -1
                                             without cells */
    int64_t histogram[TULLE_MESH_BINS]; /**< number of cells in each tenth of the range of quality
                                             from 0 to 1; cells of quality below 0 are in the
                                             first */
} tulle_mesh_quality;

/** Description of a generator of meshes. All strings have static storage. */
typedef struct tulle_mesh_generator_info {
    const char *name;    /**< its name, e.g. "box-hex" */
    const char *usage;   /**< form of its specification, e.g. "box-hex:NXxNYxNZ" */
    const char *summary; /**< summary in one line */
    const char *example; /**< a specification, e.g. "box-hex:40x40x40" */
} tulle_mesh_generator_info;

TULLE_BEGIN

/** Describes a shape. Errors: TULLE_INVALID_ARGUMENT (a NULL, no such shape). */
TULLE_API tulle_status tulle_shape_describe(tulle_shape shape, tulle_shape_info *info);

/**
 * Gives the place of a node of a shape in the reference cell. Each coordinate is -1, 0 or 1 for
 * lines, quadrilaterals and hexahedra, 0, 1/2 or 1 for triangles and tetrahedra; a prism is a
 * triangle times a line, a pyramid has a quadrilateral at height 0 and its top at (0, 0, 1); 0
 * beyond the dimension. Errors: TULLE_INVALID_ARGUMENT (a NULL, no such shape, no such node).
 */
TULLE_API tulle_status tulle_shape_point(tulle_shape shape, int node, double point[3]);

/**
 * Gives the nodes of a facet of a shape, as indices in the cell's list of nodes. They stand in the
 * order of the facet's own shape, such that the facet's normal points out of the cell. Errors:
 * TULLE_INVALID_ARGUMENT (a NULL, no such shape, no such facet).
 */
TULLE_API tulle_status tulle_shape_facet(tulle_shape shape, int facet,
                                         int nodes[TULLE_MESH_MOST_NODES]);

/** Gives the shape of a facet of a shape. Errors: as of tulle_shape_facet. */
TULLE_API tulle_status tulle_shape_facet_shape(tulle_shape shape, int facet,
                                               tulle_shape *facet_shape);

/**
 * Makes a mesh from arrays, which are copied. They are looked at one by one: shapes, the order of
 * blocks, node numbers, groups, coordinates (finite); tulle_mesh_check looks at the mesh that they
 * make. Synchronises: no; host work alone. Errors: TULLE_INVALID_ARGUMENT (the message names
 * element and node), TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED.
 */
TULLE_API tulle_status tulle_mesh_create(tulle_ctx *ctx, const tulle_mesh_arrays *arrays,
                                         tulle_mesh **mesh);

/**
 * Checks that finite elements can stand on a mesh. The check fails, with the first element at fault
 * in one line, if - a cell is turned over or without volume: its scaled Jacobian
 * (tulle_mesh_quality) is below 2^-40; of surfaces only the latter is looked for; - two cells have
 * the same nodes, or a facet is that of three cells; - a vertex hangs: it lies in the interior of a
 * facet, or of a facet's edge, which is a facet of one cell alone and does not have it as a node
 * (to 1e-8 of the facet's size): neighbours then do not share all of their facet. A slit that is
 * closed, and whose sides have other nodes, is taken for that; - a listed facet is no facet of a
 * cell. Deterministic. Errors: TULLE_INVALID_ARGUMENT, TULLE_INVALID_MESH (the record's row is the
 * cell; facets count on behind cells), TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED.
 */
TULLE_API tulle_status tulle_mesh_check(tulle_ctx *ctx, const tulle_mesh *mesh);

/** Gives the arrays of a mesh, which live as long as the mesh. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_mesh_view(const tulle_mesh *mesh, tulle_mesh_arrays *arrays);

/** Says whether an element of a dimension that has this number in its block's groups is in a group:
 * the number is the group's, or that of a union which has the group. NULL arrays: no unions. */
TULLE_API bool tulle_mesh_in_group(const tulle_mesh_arrays *arrays, int dimension, int32_t number,
                                   int32_t group);

/** Describes a mesh. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_mesh_describe(const tulle_mesh *mesh, tulle_mesh_info *info);

/**
 * Measures the quality of a mesh's cells. Deterministic. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_CANCELLED.
 */
TULLE_API tulle_status tulle_mesh_measure(tulle_ctx *ctx, const tulle_mesh *mesh,
                                          tulle_mesh_quality *quality);

/**
 * The facets that one cell alone has, as a mesh of its own with the same nodes: in the order of
 * cells, then of their facets; a block for each shape of facets. A facet that the mesh lists has
 * its group, others have none. Deterministic.
 *
 * @param sides  NULL, or for each element of the boundary, counted through its blocks,
 *               TULLE_MESH_MOST_FACETS times the cell plus the facet's number in it: an array of
 *               the boundary's, which lives as long.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_INVALID_MESH (facets: see tulle_mesh_check),
 * TULLE_UNSUPPORTED (cells are lines), TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED.
 */
TULLE_API tulle_status tulle_mesh_boundary(tulle_ctx *ctx, const tulle_mesh *mesh,
                                           tulle_mesh **boundary, const int64_t **sides);

/**
 * Makes the same mesh with other numbers: nodes in the reverse Cuthill-McKee order of the graph in
 * which nodes of one cell are neighbours, and the elements of each block by their least node, equal
 * ones by their number before. Deterministic.
 *
 * @param nodes  NULL, or the order of nodes (order[i]: which node of @a mesh number i is), for data
 *               on nodes: to be given up by the caller.
 * @param cells  NULL, or the order of cells, likewise.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED,
 * TULLE_DEVICE_FAULT. Source: see tulle_order_rcm.
 */
TULLE_API tulle_status tulle_mesh_renumber(tulle_ctx *ctx, const tulle_mesh *mesh,
                                           tulle_mesh **renumbered, tulle_order **nodes,
                                           tulle_order **cells);

/**
 * Makes the mesh of a model problem from a specification, "NAME:COUNTS[,option=value...]":
 *
 *     box-tri:40x30  box-quad:40  box-tet:8  box-hex:40x40x40  box-hex27:20     the unit box
 *     lshape-tri:64  lshape-quad:64  lshape-tet:16x8  lshape-hex:16x8  lshape-hex27:16x8
 *     cylinder-tri:8x4  cylinder-quad:8x4  cylinder-hex:8x4x10  and so on
 *
 * An L is (-1,1)^2 without [0,1) x (-1,0], N cells to a unit, times (0,1) with NZ layers. A
 * cylinder of radius and height 1 has a core of N x N cells, R rings of 4 N cells around it and NZ
 * layers. One count stands for all directions of a box, and for the layers where they are left out.
 * Options: `perturb=P` moves each node that is not on the boundary by up to P (at most 0.5) of the
 * distance to its nearest neighbour, and draws the diagonals of triangles; `shuffle=1` numbers
 * nodes and cells at random; `seed=S` is the seed of both (default 1); `size=AxB` or `AxBxC`
 * stretches. Groups: cells are "domain", the facets of a box "x-min" to "z-max", of an L "corner"
 * (both faces at the reentrant edge), "outer", "z-min" and "z-max", of a cylinder "side", "z-min"
 * and "z-max". The same specification gives the same bits on every machine, those of cylinders up
 * to its sine and cosine.
 *
 * Errors: TULLE_INVALID_ARGUMENT (a NULL, a number out of range, so much perturbed that a cell
 * turns over), TULLE_NOT_FOUND, TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED.
 */
TULLE_API tulle_status tulle_mesh_generate(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh);

/** Number of generators of meshes. */
TULLE_API int tulle_mesh_generator_count(void);

/** Generator number @a i. Errors: TULLE_INVALID_ARGUMENT, TULLE_NOT_FOUND. */
TULLE_API tulle_status tulle_mesh_generator_describe(int i, tulle_mesh_generator_info *info);

/** Gives up a mesh; NULL is fine. */
TULLE_API void tulle_mesh_destroy(tulle_mesh *mesh);

TULLE_END
#endif
