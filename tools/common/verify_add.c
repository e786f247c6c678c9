/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_add.h"

#include <math.h>
#include <string.h>

#include "tools/common/few.h"
#include "tools/common/progress.h"
#include "tools/common/verify.h"

/* Holds the operands in the form that the loops take: CSR, not transposed. */
typedef struct task {
    tool_csr a, b;
    tulle_type type; /* type of C's values */
    long double alpha, beta;
} task;

static tool_cell *add_entry(const tool_csr *A, int64_t e, long double factor, tool_row *row) {
    tool_cell *cell = tool_row_touch(row, tool_csr_column(A, e));
    long double term = factor * (long double)tool_csr_value(A, e);
    cell->sum += term;
    cell->mass += fabsl(term);
    return cell;
}

static void fill(const void *user, int64_t i, tool_row *row) {
    const task *t = user;
    for (int64_t e = tool_csr_offset(&t->a, i); e < tool_csr_offset(&t->a, i + 1); e++) {
        add_entry(&t->a, e, t->alpha, row);
    }
    for (int64_t e = tool_csr_offset(&t->b, i); e < tool_csr_offset(&t->b, i + 1); e++) {
        add_entry(&t->b, e, t->beta, row)->seconds++;
    }
}

/* Returns the largest magnitude that computing an entry may meet: repeated entries of A or of B are
 * added before they are multiplied. A result that is finite met no overflow. */
static long double peak_of(const task *t, int64_t most, long double mass, double got) {
    long double least = fminl(fabsl(t->alpha), fabsl(t->beta));
    if (isfinite(got) || most == 1 || least >= 1) return mass;
    return least > 0 ? mass / least : INFINITY;
}

static double units(const void *user, const tool_cell *cell, double got, double *want) {
    const task *t = user;
    int64_t firsts = cell->terms - cell->seconds;
    int64_t most = firsts > cell->seconds ? firsts : cell->seconds;
    *want = (double)cell->sum;
    return tool_error_units(t->type, most + 1, 0, cell->mass, peak_of(t, most, cell->mass, got),
                            cell->sum, got);
}

static tulle_status compare_sum(const tool_add_claim *claim, tool_entry_error *found) {
    task t = {.a = tool_rows_of(claim->A, claim->op_A),
              .b = tool_rows_of(claim->B, claim->op_B),
              .type = claim->C->type,
              .alpha = tool_rounded(claim->C->type, claim->alpha),
              .beta = tool_rounded(claim->C->type, claim->beta)};
    tool_csr c = tool_rows_of(claim->C, TULLE_N);
    const tool_definition sum = {.rows = t.a.rows,
                                 .cols = t.a.cols,
                                 .terms = (double)t.a.nnz + (double)t.b.nnz,
                                 .shape = "is its shape, which is not the sum's",
                                 .empty = "is an entry where neither A nor B has one",
                                 .rising = true,
                                 .user = &t,
                                 .fill = fill,
                                 .units = units};
    tulle_status status = tool_verify_rows(&sum, &c, found);
    tool_csr_close(&c);
    tool_csr_close(&t.a);
    tool_csr_close(&t.b);
    return status;
}

tulle_status tool_verify_add(const tool_add_claim *claim, tool_entry_error *found) {
    enum { MATRICES = 3 };
    const tool_csr *A = claim->A, *C = claim->C;
    const bool a = claim->op_A == TULLE_T, b = claim->op_B == TULLE_T;
    tool_axis rows = {.size = a ? A->cols : A->rows}, cols = {.size = a ? A->rows : A->cols};
    const tool_axes_of of[MATRICES] = {{A, a ? &cols : &rows, a ? &rows : &cols},
                                       {claim->B, b ? &cols : &rows, b ? &rows : &cols},
                                       {C, &rows, &cols}};
    tool_csr small[MATRICES];
    const bool shaped = C->rows == rows.size && C->cols == cols.size;
    if (!shaped || !tool_few_begin(of, MATRICES, small)) return compare_sum(claim, found);
    tool_add_claim few = *claim;
    few.A = &small[0];
    few.B = &small[1];
    few.C = &small[2];
    tulle_status status = compare_sum(&few, found);
    tool_few_place(&rows, &cols, found);
    tool_few_end(of, MATRICES, small);
    return status;
}

/* Compares the row of B at position p with the right row; returns the first fault. */
static tool_entry_error compare_row(const tool_csr *want, const tool_csr *B, int64_t p) {
    int64_t r = tool_csr_row(B, p), at = tool_csr_offset(want, r),
            end = tool_csr_offset(want, r + 1);
    for (int64_t e = tool_csr_offset(B, p); e < tool_csr_offset(B, p + 1); e++, at++) {
        int64_t column = tool_csr_column(B, e);
        if (at == end || column < tool_csr_column(want, at)) {
            return tool_entry_fault(r, column, "is an entry where A has none");
        }
        if (column > tool_csr_column(want, at)) break;
        double got = tool_csr_value(B, e), right = tool_csr_value(want, at);
        if (memcmp(&got, &right, sizeof got) == 0) continue;
        return (tool_entry_error){INFINITY, r, column, got, right, NULL};
    }
    return at < end ? tool_entry_fault(r, tool_csr_column(want, at), "is missing")
                    : tool_entry_right();
}

static tulle_status compare(const tool_csr *want, const tool_csr *B, tool_entry_error *found) {
    enum { AT_ONCE = 1 << 18 };
    for (int64_t p = 0; p < B->heads && !(found->units > 1); p++) {
        if (p % AT_ONCE == 0 && tool_progress(NULL, "checking", p, B->heads)) {
            return TULLE_CANCELLED;
        }
        *found = compare_row(want, B, p);
    }
    return TULLE_OK;
}

/* Compares B with the transpose of A. Where all rows that B has are right, entries are missing only
 * if B has fewer than A. */
static tulle_status compare_turned(const tool_csr *A, const tool_csr *B, tool_entry_error *found) {
    tool_csr want = tool_rows_of(A, TULLE_T);
    tulle_status status = compare(&want, B, found);
    tool_csr_close(&want);
    if (status == TULLE_OK && found->units <= 1 && B->nnz != A->nnz) {
        *found = tool_entry_fault(B->rows, 0, "ends elsewhere than the entries do");
    }
    return status;
}

tulle_status tool_verify_transpose(const tool_csr *A, const tool_csr *B, tool_entry_error *found) {
    enum { MATRICES = 2 };
    tool_axis rows = {.size = A->rows}, cols = {.size = A->cols};
    const tool_axes_of of[MATRICES] = {{A, &rows, &cols}, {B, &cols, &rows}};
    tool_csr small[MATRICES];
    *found = tool_entry_right();
    if (B->rows != A->cols || B->cols != A->rows) {
        *found = tool_entry_fault(B->rows, B->cols, "is its shape, which is not the transpose's");
        return TULLE_OK;
    }
    if (!tool_few_begin(of, MATRICES, small)) return compare_turned(A, B, found);
    tulle_status status = compare_turned(&small[0], &small[1], found);
    tool_few_place(&cols, &rows, found);
    tool_few_end(of, MATRICES, small);
    return status;
}
