/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices "fem": finite elements on an irregular triangulation; see rows_fem.h. */
#include "io/generators.h"
#include "io/rows.h"

tulle_status tulle__make_fem(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"N", 1, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 1, 1, &given));
    int64_t nodes = (int64_t)n[0].value, nx = 1, rows;
    while ((nx + 1) * (nx + 1) <= nodes) nx++;
    int64_t ny = (nodes + nx - 1) / nx;
    TULLE__TRY(tulle__spec_rows(g, (int64_t[]){nx, ny, 1, 1}, &rows));
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_fem, rows, rows);
    args.max_row = 9;
    /* entries: one per node, and two per edge; the edges are those along both axes and one diagonal
     * per cell */
    double across = (double)(nx - 1) * (double)ny, up = (double)nx * (double)(ny - 1);
    args.entries = (double)rows + 2 * (across + up + (double)(nx - 1) * (double)(ny - 1));
    args.number[TULLE__FEM_NX] = nx;
    args.number[TULLE__FEM_NY] = ny;
    return tulle__from_rows(g, &args, A);
}
