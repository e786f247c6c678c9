/* SPDX-License-Identifier: Apache-2.0 */
/* Makes triangles and tetrahedra. Triangles are halves of the outline's squares. The prism over a
 * triangle becomes three tetrahedra. The edges on the prism's sides go from the node with the lower
 * number below to the node with the higher number above, so that neighbouring prisms fit together
 * (J. Dompierre, P. Labbe, M.-G. Vallet, R. Camarero, "How to subdivide pyramids, prisms and
 * hexahedra into tetrahedra", 8th International Meshing Roundtable, 1999). */
#include "io/mesh/build.h"
#include "io/rows_common.h"

enum { DIAGONALS = 0x6469 }; /* stream of the random numbers that choose diagonals */

/* Computes the two triangles of a square, counterclockwise. */
static void halve(const tulle__mesh_builder *b, int64_t cell, int32_t half[2][3]) {
    const int32_t *p = b->outline->patch + 4 * cell;
    const int32_t round[4] = {p[0], p[1], p[3], p[2]};
    const bool drawn =
        b->request->perturb > 0 && (tulle__bits(b->request->seed, (uint64_t)cell, DIAGONALS) & 1);
    for (int k = 0; k < 3; k++) {
        half[0][k] = round[(drawn + k) % 4];
        half[1][k] = round[(drawn + 2 + k) % 4];
    }
}

/* Adds a tetrahedron; its last two nodes are exchanged if `turned`, because it would otherwise be
 * turned over. */
static void add_tetrahedron(tulle__mesh_builder *b, bool turned, const int32_t of[4]) {
    int32_t *node = tulle__next_element(b, 0, 1);
    node[0] = of[0];
    node[1] = of[1];
    node[2] = of[turned ? 3 : 2];
    node[3] = of[turned ? 2 : 3];
}

/* Adds the tetrahedra of the prism over a counterclockwise triangle. */
static void add_prism(tulle__mesh_builder *b, int64_t layer, const int32_t corner[3]) {
    int32_t low[3] = {corner[0], corner[1], corner[2]}, high[3];
    bool odd = false;
    for (int pass = 0; pass < 3; pass++) {
        const int i = pass % 2;
        if (low[i] < low[i + 1]) continue;
        const int32_t other = low[i];
        low[i] = low[i + 1];
        low[i + 1] = other;
        odd = !odd;
    }
    for (int k = 0; k < 3; k++) {
        high[k] = tulle__extruded(b, layer + 1, low[k]);
        low[k] = tulle__extruded(b, layer, low[k]);
    }
    add_tetrahedron(b, odd, (int32_t[]){low[0], low[1], low[2], high[2]});
    add_tetrahedron(b, !odd, (int32_t[]){low[0], low[1], high[1], high[2]});
    add_tetrahedron(b, odd, (int32_t[]){low[0], high[0], high[1], high[2]});
}

static void add_triangle(tulle__mesh_builder *b, int block, int32_t group, int32_t p, int32_t q,
                         int32_t r) {
    int32_t *node = tulle__next_element(b, block, group);
    node[0] = p;
    node[1] = q;
    node[2] = r;
}

static void add_side(tulle__mesh_builder *b, int64_t layer, int64_t edge) {
    const int32_t *of = b->outline->edge + 2 * edge;
    const int32_t group = b->outline->group[edge];
    const int32_t p = tulle__extruded(b, layer, of[0]), q = tulle__extruded(b, layer, of[1]);
    if (b->outline->layers == 0) {
        int32_t *node = tulle__next_element(b, 1, group);
        node[0] = p;
        node[1] = q;
        return;
    }
    const int32_t above_p = tulle__extruded(b, layer + 1, of[0]);
    const int32_t above_q = tulle__extruded(b, layer + 1, of[1]);
    const bool rises = of[0] < of[1];
    add_triangle(b, 1, group, p, q, rises ? above_q : above_p);
    add_triangle(b, 1, group, rises ? p : q, above_q, above_p);
}

static void add_ends(tulle__mesh_builder *b, int32_t half[2][3]) {
    for (int h = 0; h < 2; h++) {
        const int32_t *t = half[h];
        int32_t top[3];
        for (int k = 0; k < 3; k++) top[k] = tulle__extruded(b, b->outline->layers, t[k]);
        add_triangle(b, 1, b->outline->groups + 1, t[0], t[2], t[1]);
        add_triangle(b, 1, b->outline->groups + 2, top[0], top[1], top[2]);
    }
}

tulle_status tulle__fill_simplices(tulle__mesh_builder *b) {
    const tulle__outline *outline = b->outline;
    const int64_t layers = outline->layers > 0 ? outline->layers : 1;
    int32_t half[2][3];
    for (int64_t k = 0; k < layers; k++) {
        for (int64_t c = 0; c < outline->cells; c++) {
            TULLE__TRY(
                tulle__mesh_making(b->request, k * outline->cells + c, layers * outline->cells));
            halve(b, c, half);
            for (int h = 0; h < 2; h++) {
                if (outline->layers > 0) {
                    add_prism(b, k, half[h]);
                } else {
                    add_triangle(b, 0, 1, half[h][0], half[h][1], half[h][2]);
                }
            }
            if (outline->layers > 0 && k == 0) add_ends(b, half);
        }
        for (int64_t e = 0; e < outline->edges; e++) {
            TULLE__TRY(
                tulle__mesh_making(b->request, k * outline->edges + e, layers * outline->edges));
            add_side(b, k, e);
        }
    }
    return TULLE_OK;
}
