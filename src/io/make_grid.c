/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the stencils on grids: p2d5, p2d9, p3d7, p3d27, fem3, blocks. */
#include "io/generators.h"
#include "io/rows.h"

#define SIDE(name)                                                                                 \
    { name, 1, INT32_MAX, true, 0 }

/* Returns the number of entries: the number of pairs of neighbours, with each node its own
 * neighbour, times the entries of a block. */
static double count_entries(const int64_t size[4], bool star) {
    double nodes = (double)size[0] * (double)size[1] * (double)size[2], along = 0, box = 1;
    for (int i = 0; i < 3; i++) {
        along += 2 * (nodes - nodes / (double)size[i]);
        box *= 3 * (double)size[i] - 2;
    }
    return (star ? nodes + along : box) * (double)size[3] * (double)size[3];
}

static tulle_status make(const tulle__generation *g, const int64_t size[4], bool star,
                         int64_t neighbours, tulle_mat **A) {
    int64_t rows;
    TULLE__TRY(tulle__spec_rows(g, size, &rows));
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_grid, rows, rows);
    args.entries = count_entries(size, star);
    args.max_row = (neighbours + 1) * size[3];
    args.number[TULLE__GRID_NX] = size[0];
    args.number[TULLE__GRID_NY] = size[1];
    args.number[TULLE__GRID_NZ] = size[2];
    args.number[TULLE__GRID_BLOCK] = size[3];
    args.number[TULLE__GRID_STAR] = star;
    args.number[TULLE__GRID_DIAGONAL] = neighbours;
    return tulle__from_rows(g, &args, A);
}

static tulle_status make_plane(const tulle__generation *g, bool star, int64_t neighbours,
                               tulle_mat **A) {
    tulle__spec_number n[] = {SIDE("NX"), SIDE("NY")};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 1, 2, &given));
    int64_t nx = (int64_t)n[0].value, ny = given == 2 ? (int64_t)n[1].value : nx;
    return make(g, (int64_t[]){nx, ny, 1, 1}, star, neighbours, A);
}

/* Makes a stencil in three dimensions with blocks of `block` unknowns; 0: the first number of the
 * specification is the size of the blocks. */
static tulle_status make_box(const tulle__generation *g, int64_t block, bool star,
                             int64_t neighbours, tulle_mat **A) {
    tulle__spec_number n[] = {{"B", 1, 64, true, 0}, SIDE("NX"), SIDE("NY"), SIDE("NZ")};
    int skip = block == 0 ? 0 : 1, given;
    TULLE__TRY(tulle__spec_numbers(g, n + skip, 2 - skip, 4 - skip, &given));
    bool cube = given + skip == 2;
    if (!cube && given + skip < 4) return tulle__spec_bad(g, "NZ is missing");
    int64_t nx = (int64_t)n[1].value;
    int64_t size[4] = {nx, cube ? nx : (int64_t)n[2].value, cube ? nx : (int64_t)n[3].value,
                       block == 0 ? (int64_t)n[0].value : block};
    return make(g, size, star, neighbours, A);
}

tulle_status tulle__make_grid_p2d5(const tulle__generation *g, tulle_mat **A) {
    return make_plane(g, true, 4, A);
}

tulle_status tulle__make_grid_p2d9(const tulle__generation *g, tulle_mat **A) {
    return make_plane(g, false, 8, A);
}

tulle_status tulle__make_grid_p3d7(const tulle__generation *g, tulle_mat **A) {
    return make_box(g, 1, true, 6, A);
}

tulle_status tulle__make_grid_p3d27(const tulle__generation *g, tulle_mat **A) {
    return make_box(g, 1, false, 26, A);
}

tulle_status tulle__make_grid_fem3(const tulle__generation *g, tulle_mat **A) {
    return make_box(g, 3, false, 26, A);
}

tulle_status tulle__make_grid_blocks(const tulle__generation *g, tulle_mat **A) {
    return make_box(g, 0, false, 26, A);
}
