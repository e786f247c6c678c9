/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices "interp3"; see rows_interp.h. */
#include "io/generators.h"
#include "io/rows.h"

#define SIDE(name)                                                                                 \
    { name, 2, INT32_MAX, true, 0 }

/* Returns the number of entries along an axis: one for each coarse node, two for a node between two
 * coarse ones, one for a node at the outer end. */
static double count_along(int64_t fine) {
    return 3 * (double)(fine / 2) - (fine % 2 == 0 ? 1 : 0);
}

tulle_status tulle__make_interp3(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {SIDE("NX"), SIDE("NY"), SIDE("NZ")};
    int given;
    int64_t rows, size[4], cols = 1;
    TULLE__TRY(tulle__spec_numbers(g, n, 1, 3, &given));
    if (given == 2) return tulle__spec_bad(g, "NZ is missing");
    for (int i = 0; i < 3; i++) size[i] = (int64_t)n[given == 1 ? 0 : i].value;
    size[3] = 1;
    TULLE__TRY(tulle__spec_rows(g, size, &rows));
    for (int i = 0; i < 3; i++) cols *= size[i] / 2;
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_interp, rows, cols);
    args.entries = count_along(size[0]) * count_along(size[1]) * count_along(size[2]);
    args.max_row = 8;
    args.number[TULLE__INTERP_NX] = size[0];
    args.number[TULLE__INTERP_NY] = size[1];
    args.number[TULLE__INTERP_NZ] = size[2];
    return tulle__from_rows(g, &args, A);
}
