/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the shapes. Corners, edges and faces have the order of the VTK file formats document
 * (Kitware) and the Gmsh reference manual, "Node ordering". The two agree but for prisms and for
 * the middles of a hexahedron and of a tetrahedron. */
#include "mesh/shape.h"

#include "core/error.h"

typedef signed char point[3];
typedef signed char corners[TULLE__FACET_CORNERS];

static const point line_point[] = {{-1}, {1}, {0}};
static const point triangle_point[] = {{0, 0}, {1, 0}, {0, 1}};
static const point quadrilateral_point[] = {{-1, -1}, {1, -1}, {1, 1},  {-1, 1}, {0, -1},
                                            {1, 0},   {0, 1},  {-1, 0}, {0, 0}};
static const point tetrahedron_point[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
/* The next two lists of coordinates are in units of 1 / 2. */
static const point triangle6_point[] = {{0, 0}, {2, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}};
static const point tetrahedron10_point[] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 0, 0},
                                            {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
static const point prism_point[] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1},
                                    {0, 0, 1},  {1, 0, 1},  {0, 1, 1}};
static const point pyramid_point[] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}};
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
/* NONE fills the list of corners of a triangle, which has room for four. */
enum { NONE = -1 };
static const corners prism_facet[] = {
    {0, 2, 1, NONE}, {3, 4, 5, NONE}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
static const corners pyramid_facet[] = {
    {0, 3, 2, 1}, {0, 1, 4, NONE}, {1, 2, 4, NONE}, {2, 3, 4, NONE}, {3, 0, 4, NONE}};

static const signed char hexahedron27_gmsh[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,
                                                11, 16, 9,  17, 10, 18, 19, 12, 15,
                                                13, 14, 24, 22, 20, 21, 23, 25, 26};

static const signed char tetrahedron10_gmsh[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
/* The first triangle of VTK's wedge is counterclockwise as seen from outside. That of Gmsh's prism
 * and of tulle's is counterclockwise as seen from inside. */
static const signed char prism_vtk[] = {0, 2, 1, 3, 5, 4};

/* X(shape, kind, Gmsh's number, VTK's number, places of the nodes, unit of the places as parts of
 * 1, corners of the facets, Gmsh's order, VTK's order). The nodes of a hexahedron without middles
 * of faces are the first nodes of the hexahedron with them. */
#define FORMS(X)                                                                                   \
    X(TULLE_LINE, PRODUCT, 1, 3, line_point, 1, NULL, NULL, NULL)                                  \
    X(TULLE_TRIANGLE, SIMPLEX, 2, 5, triangle_point, 1, triangle_facet, NULL, NULL)                \
    X(TULLE_QUADRILATERAL, PRODUCT, 3, 9, quadrilateral_point, 1, quadrilateral_facet, NULL, NULL) \
    X(TULLE_TETRAHEDRON, SIMPLEX, 4, 10, tetrahedron_point, 1, tetrahedron_facet, NULL, NULL)      \
    X(TULLE_HEXAHEDRON, PRODUCT, 5, 12, hexahedron_point, 1, hexahedron_facet, NULL, NULL)         \
    X(TULLE_LINE3, PRODUCT, 8, 21, line_point, 1, NULL, NULL, NULL)                                \
    X(TULLE_QUADRILATERAL9, PRODUCT, 10, 28, quadrilateral_point, 1, quadrilateral_facet, NULL,    \
      NULL)                                                                                        \
    X(TULLE_HEXAHEDRON27, PRODUCT, 12, 29, hexahedron_point, 1, hexahedron_facet,                  \
      hexahedron27_gmsh, NULL)                                                                     \
    X(TULLE_TRIANGLE6, SIMPLEX, 9, 22, triangle6_point, 2, triangle_facet, NULL, NULL)             \
    X(TULLE_TETRAHEDRON10, SIMPLEX, 11, 24, tetrahedron10_point, 2, tetrahedron_facet,             \
      tetrahedron10_gmsh, NULL)                                                                    \
    X(TULLE_PRISM, PRISM, 6, 13, prism_point, 1, prism_facet, NULL, prism_vtk)                     \
    X(TULLE_PYRAMID, PYRAMID, 7, 14, pyramid_point, 1, pyramid_facet, NULL, NULL)                  \
    X(TULLE_QUADRILATERAL8, SERENDIPITY, 16, 23, quadrilateral_point, 1, quadrilateral_facet,      \
      NULL, NULL)                                                                                  \
    X(TULLE_HEXAHEDRON20, SERENDIPITY, 17, 25, hexahedron_point, 1, hexahedron_facet,              \
      hexahedron27_gmsh, NULL)

static const tulle__shape shapes[TULLE__SHAPES] = {
#define INFO(shape, text, dimension, order, nodes, corners, facets, facet)                         \
    [shape].info = {text, dimension, order, nodes, corners, facets, facet},
    TULLE_SHAPES(INFO)
#undef INFO
#define FORM(shape, of, gmsh_number, vtk_number, points, parts, facets, of_gmsh, of_vtk)           \
    [shape].kind = TULLE__##of, [shape].gmsh = gmsh_number, [shape].vtk = vtk_number,              \
    [shape].point = points, [shape].unit = parts, [shape].facet = facets,                          \
    [shape].gmsh_order = of_gmsh, [shape].vtk_order = of_vtk,
        FORMS(FORM)
#undef FORM
};

int tulle__shape_count(void) {
    return TULLE__SHAPES;
}

const tulle__shape *tulle__shape_of(tulle_shape shape) {
    return (int)shape >= 0 && (int)shape < TULLE__SHAPES ? &shapes[shape] : NULL;
}

tulle_shape tulle__facet_shape(const tulle__shape *cell, int facet) {
    const bool mixed = cell->kind == TULLE__PRISM || cell->kind == TULLE__PYRAMID;
    if (!mixed) return cell->info.facet_shape;
    return cell->facet[facet][TULLE__FACET_CORNERS - 1] == NONE ? TULLE_TRIANGLE
                                                                : TULLE_QUADRILATERAL;
}

/* Returns true when node i of a shape, which is no corner, is in the middle of an edge or a face
 * that has corner c. */
static bool is_around(const tulle__shape *side, int i, int c) {
    if (side->kind == TULLE__SIMPLEX) {
        const int edge = i - side->info.corners;
        return c == edge || c == (edge + 1) % side->info.corners;
    }
    for (int d = 0; d < side->info.dimension; d++) {
        if (side->point[i][d] != 0 && side->point[i][d] != side->point[c][d]) return false;
    }
    return true;
}

/* Computes twice the place, in the cell, of a node of a facet that is no corner: the middle of the
 * corners around the node. */
static void middle(const tulle__shape *cell, const tulle__shape *side, int facet, int i,
                   int twice[3]) {
    const signed char *of = cell->facet[facet];
    int near = 0, sum[3] = {0, 0, 0};
    for (int c = 0; c < side->info.corners; c++) {
        if (!is_around(side, i, c)) continue;
        near++;
        for (int d = 0; d < 3; d++) sum[d] += cell->point[of[c]][d];
    }
    for (int d = 0; d < 3; d++) twice[d] = 2 * sum[d] / near;
}

int tulle__facet_node(const tulle__shape *cell, int facet, int i) {
    const tulle__shape *side = &shapes[tulle__facet_shape(cell, facet)];
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
    for (int d = 0; d < 3; d++) at[d] = (double)s->point[node][d] / s->unit;
    return TULLE_OK;
}

static tulle_status find_facet(const char *function, tulle_shape shape, int facet,
                               const tulle__shape **s) {
    *s = tulle__shape_of(shape);
    if (!*s) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "shape", -1, "%d is no shape",
                           (int)shape);
    }
    if (facet >= 0 && facet < (*s)->info.facets) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "facet", -1,
                       "a %s has %d facets; there is no facet %d", (*s)->info.name,
                       (*s)->info.facets, facet);
}

tulle_status tulle_shape_facet(tulle_shape shape, int facet, int nodes[TULLE_MESH_MOST_NODES]) {
    TULLE__NEED(nodes);
    const tulle__shape *s;
    TULLE__TRY(find_facet(__func__, shape, facet, &s));
    const int count = shapes[tulle__facet_shape(s, facet)].info.nodes;
    for (int i = 0; i < count; i++) nodes[i] = tulle__facet_node(s, facet, i);
    return TULLE_OK;
}

tulle_status tulle_shape_facet_shape(tulle_shape shape, int facet, tulle_shape *facet_shape) {
    TULLE__NEED(facet_shape);
    const tulle__shape *s;
    TULLE__TRY(find_facet(__func__, shape, facet, &s));
    *facet_shape = tulle__facet_shape(s, facet);
    return TULLE_OK;
}
