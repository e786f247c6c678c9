/* SPDX-License-Identifier: Apache-2.0 */
/* Corners, edges and faces as in the VTK file formats document (Kitware) and the Gmsh reference
 * manual, "Node ordering", which agree but for the middles of a hexahedron. */
#include "mesh/shape.h"

#include "core/error.h"

typedef signed char point[3];
typedef signed char corners[TULLE__FACET_CORNERS];

static const point line_point[] = {{-1}, {1}, {0}};
static const point triangle_point[] = {{0, 0}, {1, 0}, {0, 1}};
static const point quadrilateral_point[] = {{-1, -1}, {1, -1}, {1, 1},  {-1, 1}, {0, -1},
                                            {1, 0},   {0, 1},  {-1, 0}, {0, 0}};
static const point tetrahedron_point[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const point hexahedron_point[] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}, {-1, 0, 0},
    {1, 0, 0},    {0, -1, 0},  {0, 1, 0},   {0, 0, -1},  {0, 0, 1},   {0, 0, 0}};

static const corners triangle_facet[] = {{0, 1}, {1, 2}, {2, 0}};
static const corners quadrilateral_facet[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const corners tetrahedron_facet[] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static const corners hexahedron_facet[] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                           {1, 2, 6, 5}, {2, 3, 7, 6}, {0, 4, 7, 3}};

static const signed char hexahedron27_gmsh[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,
                                                11, 16, 9,  17, 10, 18, 19, 12, 15,
                                                13, 14, 24, 22, 20, 21, 23, 25, 26};

/* X(shape, simplex, Gmsh's number, VTK's, points, corners of facets, Gmsh's order) */
#define FORMS(X)                                                                                   \
    X(TULLE_LINE, false, 1, 3, line_point, NULL, NULL)                                             \
    X(TULLE_TRIANGLE, true, 2, 5, triangle_point, triangle_facet, NULL)                            \
    X(TULLE_QUADRILATERAL, false, 3, 9, quadrilateral_point, quadrilateral_facet, NULL)            \
    X(TULLE_TETRAHEDRON, true, 4, 10, tetrahedron_point, tetrahedron_facet, NULL)                  \
    X(TULLE_HEXAHEDRON, false, 5, 12, hexahedron_point, hexahedron_facet, NULL)                    \
    X(TULLE_LINE3, false, 8, 21, line_point, NULL, NULL)                                           \
    X(TULLE_QUADRILATERAL9, false, 10, 28, quadrilateral_point, quadrilateral_facet, NULL)         \
    X(TULLE_HEXAHEDRON27, false, 12, 29, hexahedron_point, hexahedron_facet, hexahedron27_gmsh)

enum {
#define X(shape, text, dimension, order, nodes, corners, facets, facet) COUNT_TO_##shape,
    TULLE_SHAPES(X)
#undef X
        COUNT
};

static const tulle__shape shapes[COUNT] = {
#define INFO(shape, text, dimension, order, nodes, corners, facets, facet)                         \
    [shape].info = {text, dimension, order, nodes, corners, facets, facet},
    TULLE_SHAPES(INFO)
#undef INFO
#define FORM(shape, is_simplex, gmsh_number, vtk_number, points, facets, order)                    \
    [shape].simplex = is_simplex, [shape].gmsh = gmsh_number, [shape].vtk = vtk_number,            \
    [shape].point = points, [shape].facet = facets, [shape].gmsh_order = order,
        FORMS(FORM)
#undef FORM
};

int tulle__shape_count(void) {
    return COUNT;
}

const tulle__shape *tulle__shape_of(tulle_shape shape) {
    return (int)shape >= 0 && (int)shape < COUNT ? &shapes[shape] : NULL;
}

/* Where a node of a facet is in the cell, twice: a node of a facet's shape that is no corner lies
 * in the middle of the corners around it. */
static void middle(const tulle__shape *cell, const tulle__shape *side, int facet, int i,
                   int twice[3]) {
    const signed char *of = cell->facet[facet];
    int near = 0, sum[3] = {0, 0, 0};
    for (int c = 0; c < side->info.corners; c++) {
        bool meets = true;
        for (int d = 0; d < side->info.dimension; d++) {
            meets = meets && (side->point[i][d] == 0 || side->point[i][d] == side->point[c][d]);
        }
        if (!meets) continue;
        near++;
        for (int d = 0; d < 3; d++) sum[d] += cell->point[of[c]][d];
    }
    for (int d = 0; d < 3; d++) twice[d] = 2 * sum[d] / near;
}

int tulle__facet_node(const tulle__shape *cell, int facet, int i) {
    const tulle__shape *side = &shapes[cell->info.facet_shape];
    if (i < side->info.corners) return cell->facet[facet][i];
    int twice[3], found = 0;
    middle(cell, side, facet, i, twice);
    for (int node = 0; node < cell->info.nodes; node++) {
        const signed char *p = cell->point[node];
        if (2 * p[0] == twice[0] && 2 * p[1] == twice[1] && 2 * p[2] == twice[2]) found = node;
    }
    return found;
}

tulle_status tulle_shape_describe(tulle_shape shape, tulle_shape_info *info) {
    TULLE__NEED(info);
    const tulle__shape *s = tulle__shape_of(shape);
    if (!s) return TULLE__BAD("shape", "%d is no shape", (int)shape);
    *info = s->info;
    return TULLE_OK;
}

tulle_status tulle_shape_point(tulle_shape shape, int node, double at[3]) {
    TULLE__NEED(at);
    const tulle__shape *s = tulle__shape_of(shape);
    if (!s) return TULLE__BAD("shape", "%d is no shape", (int)shape);
    if (node < 0 || node >= s->info.nodes) {
        return TULLE__BAD("node", "a %s has nodes 0 to %d, not %d", s->info.name, s->info.nodes - 1,
                          node);
    }
    for (int d = 0; d < 3; d++) at[d] = s->point[node][d];
    return TULLE_OK;
}

tulle_status tulle_shape_facet(tulle_shape shape, int facet, int nodes[TULLE_MESH_MOST_NODES]) {
    TULLE__NEED(nodes);
    const tulle__shape *s = tulle__shape_of(shape);
    if (!s) return TULLE__BAD("shape", "%d is no shape", (int)shape);
    if (facet < 0 || facet >= s->info.facets) {
        return TULLE__BAD("facet", "a %s has %d facets; there is no facet %d", s->info.name,
                          s->info.facets, facet);
    }
    const int count = shapes[s->info.facet_shape].info.nodes;
    for (int i = 0; i < count; i++) nodes[i] = tulle__facet_node(s, facet, i);
    return TULLE_OK;
}
