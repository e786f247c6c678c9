/* SPDX-License-Identifier: Apache-2.0 */
/* Makes quadrilaterals and hexahedra: products of a patch of the outline and a layer. The table of
 * shapes has the places of the nodes in an element. */
#include "io/mesh/build.h"

/* Returns the lattice's coordinate, 0 to step, for a coordinate -1, 0 or 1 of the table of
 * shapes. */
static int64_t place(const tulle__mesh_builder *b, signed char at) {
    return (at + 1) * b->outline->step / 2;
}

static void add_cell(tulle__mesh_builder *b, int64_t layer, int64_t cell, int32_t *node) {
    const tulle__shape *shape = tulle__shape_of(b->request->shape);
    const int64_t side = b->outline->step + 1;
    const int32_t *patch = b->outline->patch + cell * side * side;
    for (int n = 0; n < shape->info.nodes; n++) {
        const signed char *p = shape->point[n];
        const int64_t high = b->outline->layers > 0 ? layer * b->outline->step + place(b, p[2]) : 0;
        node[n] = tulle__extruded(b, high, patch[place(b, p[1]) * side + place(b, p[0])]);
    }
}

/* Adds the facet over an edge of the outline; its normal points away from the area. */
static void add_side(tulle__mesh_builder *b, int64_t layer, int64_t edge) {
    const tulle__shape *facet =
        tulle__shape_of(tulle__shape_of(b->request->shape)->info.facet_shape);
    const int32_t *of = b->outline->edge + edge * (b->outline->step + 1);
    int32_t *node = tulle__next_element(b, 1, b->outline->group[edge]);
    for (int n = 0; n < facet->info.nodes; n++) {
        const signed char *p = facet->point[n];
        const int64_t high = b->outline->layers > 0 ? layer * b->outline->step + place(b, p[1]) : 0;
        node[n] = tulle__extruded(b, high, of[place(b, p[0])]);
    }
}

/* Adds the facet of a cell at the bottom (which = 0) or top (which = 1), which are the first two
 * facets in the table of shapes. */
static void add_end(tulle__mesh_builder *b, int64_t layer, int64_t cell, int which) {
    const tulle__shape *shape = tulle__shape_of(b->request->shape);
    int32_t of[TULLE_MESH_MOST_NODES];
    int32_t *node = tulle__next_element(b, 1, b->outline->groups + 1 + which);
    add_cell(b, layer, cell, of);
    for (int n = 0; n < tulle__shape_of(shape->info.facet_shape)->info.nodes; n++) {
        node[n] = of[tulle__facet_node(shape, which, n)];
    }
}

tulle_status tulle__fill_products(tulle__mesh_builder *b) {
    const tulle__outline *outline = b->outline;
    const int64_t layers = outline->layers > 0 ? outline->layers : 1;
    for (int64_t k = 0; k < layers; k++) {
        for (int64_t c = 0; c < outline->cells; c++) {
            TULLE__TRY(
                tulle__mesh_making(b->request, k * outline->cells + c, layers * outline->cells));
            add_cell(b, k, c, tulle__next_element(b, 0, 1));
        }
        for (int64_t e = 0; e < outline->edges; e++) {
            TULLE__TRY(
                tulle__mesh_making(b->request, k * outline->edges + e, layers * outline->edges));
            add_side(b, k, e);
        }
    }
    for (int64_t c = 0; outline->layers > 0 && c < outline->cells; c++) {
        TULLE__TRY(tulle__mesh_making(b->request, c, outline->cells));
        add_end(b, 0, c, 0);
        add_end(b, layers - 1, c, 1);
    }
    return TULLE_OK;
}
