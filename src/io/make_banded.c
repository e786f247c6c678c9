/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices "banded"; see rows_banded.h. */
#include "io/generators.h"
#include "io/rows.h"

tulle_status tulle__make_banded(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"N", 0, INT32_MAX, true, 0},
                              {"WIDTH", 0, INT32_MAX, true, 0},
                              {"FILL_PERCENT", 0, 100, false, 100}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 2, 3, &given));
    int64_t rows = (int64_t)n[0].value, width = (int64_t)n[1].value;
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_banded, rows, rows);
    /* pairs: number of places within the band above the diagonal. The number of places that are
     * filled scatters little around its mean. */
    double band = (double)(width < rows ? width : rows - 1);
    double pairs = band * (double)rows - band * (band + 1) / 2;
    double fill = n[2].value / 100;
    if (rows > 0) args.entries = (double)rows + 2 * pairs * (fill < 1 ? 0.95 * fill : 1);
    args.max_row = 2 * width + 1 < rows ? 2 * width + 1 : rows;
    args.number[TULLE__BANDED_WIDTH] = width;
    args.real[TULLE__BANDED_FILL] = fill;
    return tulle__from_rows(g, &args, A);
}
