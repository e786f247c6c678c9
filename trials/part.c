/* SPDX-License-Identifier: Apache-2.0 */
/* C = the lower triangle of A with its diagonal, whose values are A's to the bit. */
#include "tulle/algebra.h"

#include "trials/making.h"

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_mat_part(m->ctx, m->A, TULLE_LOWER, 0, C);
}

static void fill(const void *user, int64_t i, tool_row *row) {
    const tool_csr *A = user;
    for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) {
        if (tool_csr_column(A, e) > i) continue;
        tool_row_touch(row, tool_csr_column(A, e))->sum += (long double)tool_csr_value(A, e);
    }
}

/* Returns 0 for A's number; any number is right where A has NaN. */
static double units(const void *user, const tool_cell *cell, double got, double *want) {
    (void)user;
    *want = (double)cell->sum;
    return got == *want || isnan(*want) ? 0 : INFINITY;
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    tool_csr a = tool_rows_of(&m->host_a, TULLE_N), c = tool_rows_of(C, TULLE_N);
    const tool_definition part = {.rows = a.rows,
                                  .cols = a.cols,
                                  .terms = (double)a.nnz,
                                  .shape = "is its shape, which is not A's",
                                  .empty = "is an entry that the part does not have",
                                  .rising = rising,
                                  .user = &a,
                                  .fill = fill,
                                  .units = units};
    const tulle_status status = tool_verify_rows(&part, &c, error);
    tool_csr_close(&c);
    tool_csr_close(&a);
    return status;
}

static const trial_maker maker = {
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_part = {
    .name = "part",
    .function = "tulle_mat_part",
    .formula = "lower part of A",
    TRIAL_MAKES(maker),
};
