/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of model problems: an outline of cells in a plane, extruded where the shape has three
 * dimensions. A new mesh is a row of the list here and an outline in a file of its own. */
#ifndef TULLE_IO_MESH_GENERATOR_H
#define TULLE_IO_MESH_GENERATOR_H

#include "mesh/mesh.h"

/* X(name, outline, shape, most numbers of counts in a specification, usage, example, summary).
 * Shapes of two dimensions come first. */
#define TULLE__MESH_GENERATORS(X)                                                                  \
    X("box-tri", box, TULLE_TRIANGLE, 2, "box-tri:NX[xNY][,option=value...]", "box-tri:40x30",     \
      "the unit square, each of NX x NY squares in two triangles")                                 \
    X("box-quad", box, TULLE_QUADRILATERAL, 2, "box-quad:NX[xNY][,option=value...]",               \
      "box-quad:40x30", "the unit square in NX x NY squares")                                      \
    X("box-tet", box, TULLE_TETRAHEDRON, 3, "box-tet:NX[xNYxNZ][,option=value...]", "box-tet:8",   \
      "the unit cube, each of NX x NY x NZ bricks in six tetrahedra")                              \
    X("box-hex", box, TULLE_HEXAHEDRON, 3, "box-hex:NX[xNYxNZ][,option=value...]",                 \
      "box-hex:40x40x40", "the unit cube in NX x NY x NZ bricks")                                  \
    X("box-hex27", box, TULLE_HEXAHEDRON27, 3, "box-hex27:NX[xNYxNZ][,option=value...]",           \
      "box-hex27:20", "the same, of order 2")                                                      \
    X("lshape-tri", lshape, TULLE_TRIANGLE, 1, "lshape-tri:N[,option=value...]", "lshape-tri:64",  \
      "an L of three unit squares with N x N squares each, in triangles")                          \
    X("lshape-quad", lshape, TULLE_QUADRILATERAL, 1, "lshape-quad:N[,option=value...]",            \
      "lshape-quad:64", "an L of three unit squares with N x N squares each")                      \
    X("lshape-tet", lshape, TULLE_TETRAHEDRON, 2, "lshape-tet:N[xNZ][,option=value...]",           \
      "lshape-tet:16x8", "the L times (0, 1) in NZ layers, in tetrahedra")                         \
    X("lshape-hex", lshape, TULLE_HEXAHEDRON, 2, "lshape-hex:N[xNZ][,option=value...]",            \
      "lshape-hex:16x8", "the L times (0, 1) in NZ layers")                                        \
    X("lshape-hex27", lshape, TULLE_HEXAHEDRON27, 2, "lshape-hex27:N[xNZ][,option=value...]",      \
      "lshape-hex27:8x4", "the same, of order 2")                                                  \
    X("cylinder-tri", cylinder, TULLE_TRIANGLE, 2, "cylinder-tri:NxR[,option=value...]",           \
      "cylinder-tri:8x4", "the unit disc: N x N squares, R rings around them, in triangles")       \
    X("cylinder-quad", cylinder, TULLE_QUADRILATERAL, 2, "cylinder-quad:NxR[,option=value...]",    \
      "cylinder-quad:8x4", "the unit disc: N x N squares and R rings around them")                 \
    X("cylinder-tet", cylinder, TULLE_TETRAHEDRON, 3, "cylinder-tet:NxR[xNZ][,option=value...]",   \
      "cylinder-tet:8x4x8", "the disc times (0, 1) in NZ layers, in tetrahedra")                   \
    X("cylinder-hex", cylinder, TULLE_HEXAHEDRON, 3, "cylinder-hex:NxR[xNZ][,option=value...]",    \
      "cylinder-hex:8x4x8,perturb=0.2,seed=1", "the disc times (0, 1) in NZ layers")               \
    X("cylinder-hex27", cylinder, TULLE_HEXAHEDRON27, 3,                                           \
      "cylinder-hex27:NxR[xNZ][,option=value...]", "cylinder-hex27:4x2x4",                         \
      "the same, of order 2, with nodes on the round side")

/* A request for a mesh, read from a specification. */
typedef struct tulle__mesh_request {
    tulle_ctx *ctx;
    const char *spec, *usage;
    tulle_shape shape;
    int64_t count[3]; /* numbers of cells along the directions, as given */
    int given;        /* number of counts that are given */
    double perturb;
    uint64_t seed;
    bool shuffle;
    double size[3];
} tulle__mesh_request;

/* Reports the progress of a step, and fails if the caller asks to stop; the report comes once per
 * so many items. */
static inline tulle_status tulle__mesh_making(const tulle__mesh_request *request, int64_t done,
                                              int64_t total) {
    return tulle__ask(request->ctx, "making the mesh", done, total);
}

/* Fails with TULLE_INVALID_ARGUMENT, for a bad specification; the message has the usage. */
tulle_status tulle__mesh_spec_bad(const tulle__mesh_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cells in a plane, and the edges of the boundary. Each cell is a patch of step x step squares with
 * its nodes row by row; each edge has the number of its group. */
typedef struct tulle__outline {
    int step;       /* squares along a side of a patch: 1, or 2 for cells of order 2 */
    int64_t nodes;  /* number of nodes in the plane */
    int64_t cells;  /* number of patches */
    int64_t edges;  /* number of edges on the boundary */
    int64_t layers; /* number of layers of the extrusion; 0: a mesh of two dimensions */
    double *x;      /* coordinates of the nodes, two per node */
    int32_t *patch; /* nodes of the patches, (step + 1)^2 per patch */
    int32_t *edge;  /* nodes of the edges, step + 1 per edge; the area is to the left of an edge */
    int32_t *group; /* number of each edge's group, from 1 on */
    /* number of groups of edges; an extruded mesh has two more groups, bottom and top */
    int groups;
    const char *name[6];
} tulle__outline;

/* Each of these functions makes the outline for a request. The caller frees the arrays with
 * tulle__host_free, also after a failure. */
tulle_status tulle__outline_box(const tulle__mesh_request *request, tulle__outline *outline);
tulle_status tulle__outline_lshape(const tulle__mesh_request *request, tulle__outline *outline);
tulle_status tulle__outline_cylinder(const tulle__mesh_request *request, tulle__outline *outline);

/* outline.c: allocates the arrays for the numbers that are set; fails if memory has no room for the
 * whole mesh. */
tulle_status tulle__outline_allocate(const tulle__mesh_request *request, tulle__outline *outline);

/* build.c: makes the mesh of an outline. */
tulle_status tulle__mesh_build(const tulle__mesh_request *request, const tulle__outline *outline,
                               tulle_mesh **mesh);

/* perturb.c: moves nodes that are not on the boundary. */
tulle_status tulle__mesh_perturb(const tulle__mesh_request *request, tulle_mesh *mesh);

/* shuffle.c: puts the nodes and elements of a mesh into random order. */
tulle_status tulle__mesh_shuffle(const tulle__mesh_request *request, tulle_mesh **mesh);

#endif
