/* SPDX-License-Identifier: Apache-2.0 */
/* C = A .* B, entry by entry. Where no B is given it is A with its rows moved down by one, of which
 * some entries meet A's. */
#include "tools/common/error.h"
#include "tools/common/verify.h"
#include "trials/add.h"
#include "tulle/algebra.h"

/* Checks that A and B have one shape, and that the columns of their rows do not fall, because the
 * check merges rows. */
static tulle_status fits(const trial_making *m) {
    if (m->a.rows != m->b.rows || m->a.cols != m->b.cols) {
        return tool_record(TULLE_SHAPE_MISMATCH, "A and B have different shapes");
    }
    if (m->a.sorted && m->b.sorted) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "columns of A or B fall, which the check does not take");
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_mat_multiply(m->ctx, m->A, m->B, C);
}

typedef struct both {
    tool_csr a, b;
} both;

/* Adds the entries of a column that stand beside each other, from *e on, which moves behind them;
 * returns how many there are. */
static int64_t add_run(const tool_csr *A, int64_t *e, int64_t end, long double *sum) {
    const int64_t first = *e, column = tool_csr_column(A, first);
    for (*sum = 0; *e < end && tool_csr_column(A, *e) == column; ++*e) {
        *sum += (long double)tool_csr_value(A, *e);
    }
    return *e - first;
}

static void fill(const void *user, int64_t i, tool_row *row) {
    const tool_csr *A = &((const both *)user)->a, *B = &((const both *)user)->b;
    const int64_t a_end = tool_csr_offset(A, i + 1), b_end = tool_csr_offset(B, i + 1);
    int64_t e = tool_csr_offset(A, i), f = tool_csr_offset(B, i);
    while (e < a_end && f < b_end) {
        const int64_t in_a = tool_csr_column(A, e), in_b = tool_csr_column(B, f);
        long double of_a = 0, of_b = 0;
        int64_t terms = 0;
        if (in_a <= in_b) terms += add_run(A, &e, a_end, &of_a);
        if (in_b <= in_a) terms += add_run(B, &f, b_end, &of_b);
        if (in_a != in_b) continue;
        tool_cell *cell = tool_row_touch(row, in_a);
        cell->sum = of_a * of_b;
        cell->mass = fabsl(of_a * of_b);
        cell->seconds = terms;
    }
}

static double units(const void *user, const tool_cell *cell, double got, double *want) {
    const both *t = user;
    *want = (double)cell->sum;
    return tool_error_units(t->a.type, cell->seconds - 1, 0, cell->mass, cell->mass, cell->sum,
                            (long double)got);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    (void)rising; /* the claim is that they do */
    both t = {tool_rows_of(&m->host_a, TULLE_N), tool_rows_of(&m->host_b, TULLE_N)};
    tool_csr c = tool_rows_of(C, TULLE_N);
    const tool_definition product = {.rows = t.a.rows,
                                     .cols = t.a.cols,
                                     .terms = (double)t.a.nnz + (double)t.b.nnz,
                                     .shape = "is its shape, which is not A's",
                                     .empty = "is an entry where A or B has none",
                                     .rising = true,
                                     .user = &t,
                                     .fill = fill,
                                     .units = units};
    const tulle_status status = tool_verify_rows(&product, &c, error);
    tool_csr_close(&c);
    tool_csr_close(&t.b);
    tool_csr_close(&t.a);
    return status;
}

static const trial_maker maker = {
    .together = "A .* B",
    .other = "A's rows moved down by one",
    .make_other = trial_moved_rows,
    .fits = fits,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_entrywise = {
    .name = "entrywise",
    .function = "tulle_mat_multiply",
    .formula = "A .* B",
    TRIAL_MAKES(maker),
};
