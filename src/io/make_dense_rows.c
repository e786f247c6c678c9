/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices "dense_rows"; see rows_dense.h. */
#include "io/generators.h"
#include "io/rows.h"

tulle_status tulle__make_dense_rows(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"N", 0, INT32_MAX, true, 0},
                              {"PER_ROW", 0, INT32_MAX, true, 0},
                              {"COUNT", 0, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 3, 3, &given));
    if (n[1].value > n[0].value) return tulle__spec_bad(g, "PER_ROW is more than N");
    if (n[2].value > n[0].value) return tulle__spec_bad(g, "COUNT is more than N");
    int64_t rows = (int64_t)n[0].value;
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_dense, rows, rows);
    args.number[TULLE__DENSE_PER_ROW] = (int64_t)n[1].value;
    args.number[TULLE__DENSE_COUNT] = (int64_t)n[2].value;
    args.entries = (n[0].value - n[2].value) * n[1].value + n[2].value * n[0].value;
    args.max_row = args.number[TULLE__DENSE_COUNT] > 0 ? rows : args.number[TULLE__DENSE_PER_ROW];
    return tulle__from_rows(g, &args, A);
}
