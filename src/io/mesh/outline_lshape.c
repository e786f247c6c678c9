/* SPDX-License-Identifier: Apache-2.0 */
#include "io/mesh/outline.h"

/* Returns the number of a node; size is the number of the lattice's squares along a unit. The lower
 * half has no nodes to the right of the middle. */
static int64_t node_at(int64_t size, int64_t i, int64_t j) {
    return j < size ? j * (size + 1) + i : size * (size + 1) + (j - size) * (2 * size + 1) + i;
}

static tulle_status fill(const tulle__mesh_request *r, tulle__outline *outline, int64_t n) {
    const int64_t size = n * outline->step;
    int64_t next = 0, edge = 0;
    for (int64_t j = 0; j <= 2 * size; j++) {
        for (int64_t i = 0; i <= (j < size ? size : 2 * size); i++) {
            TULLE__TRY(tulle__mesh_making(r, node_at(size, i, j), outline->nodes));
            double *x = outline->x + 2 * node_at(size, i, j);
            x[0] = (double)(i - size) / (double)size;
            x[1] = (double)(j - size) / (double)size;
        }
    }
    for (int64_t j = 0; j < 2 * n; j++) {
        for (int64_t i = 0; i < (j < n ? n : 2 * n); i++) {
            TULLE__TRY(tulle__outline_patch(r, outline, &next, node_at, size, i, j));
        }
    }
    const tulle__outline_side sides[] = {{{0, 0}, {1, 0}, n, 2},
                                         {{n, 0}, {0, 1}, n, 1},
                                         {{n, n}, {1, 0}, n, 1},
                                         {{2 * n, n}, {0, 1}, n, 2},
                                         {{2 * n, 2 * n}, {-1, 0}, 2 * n, 2},
                                         {{0, 2 * n}, {0, -1}, 2 * n, 2}};
    for (int s = 0; s < 6; s++)
        TULLE__TRY(tulle__outline_run(r, outline, &edge, node_at, size, &sides[s]));
    return TULLE_OK;
}

tulle_status tulle__outline_lshape(const tulle__mesh_request *r, tulle__outline *outline) {
    const int64_t n = r->count[0], size = n * outline->step;
    if (tulle__shape_of(r->shape)->info.dimension == 3) {
        outline->layers = r->given > 1 ? r->count[1] : n;
    }
    TULLE__TRY(tulle__outline_product(r, 3 * size + 1, size + 1, &outline->nodes));
    outline->cells = 3 * n * n;
    outline->edges = 8 * n;
    outline->groups = 2;
    outline->name[0] = "corner";
    outline->name[1] = "outer";
    TULLE__TRY(tulle__outline_allocate(r, outline));
    return fill(r, outline, n);
}
