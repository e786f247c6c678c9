/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_spgemm.h"

#include <math.h>

#include "tools/common/few.h"
#include "tools/common/verify.h"

/* Holds the operands in the form that the loops take: CSR, not transposed. */
typedef struct task {
    /* operands; `left` is the transpose of b in a triple product; `d` is the matrix that is
     * added */
    tool_csr a, b, left, d;
    tool_csr mask;   /* mask of the product; no rows where there is none */
    tulle_type type; /* type of C's values */
    long double alpha, beta;
    bool galerkin, plus, masked;
    long double least, largest; /* least and largest magnitudes in b, for a triple product */
} task;

int64_t tool_verify_spgemm_bytes(int64_t cols) {
    return tool_verify_rows_bytes(cols);
}

int64_t tool_verify_operand_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed) {
    return tool_rows_of_bytes(rows, nnz, turned, compressed);
}

/* Adds the products of an entry, or of two multiplied, with row k of b. */
static void fill_products(const task *t, long double factor, int64_t k, tool_row *row) {
    for (int64_t f = tool_csr_offset(&t->b, k); f < tool_csr_offset(&t->b, k + 1); f++) {
        long double product = factor * (long double)tool_csr_value(&t->b, f);
        tool_cell *cell = tool_row_touch(row, tool_csr_column(&t->b, f));
        cell->sum += product;
        cell->mass += fabsl(product);
    }
}

/* Adds the products of row i of a, all of them times the factor. */
static void fill_row(const task *t, long double factor, int64_t i, tool_row *row) {
    for (int64_t e = tool_csr_offset(&t->a, i); e < tool_csr_offset(&t->a, i + 1); e++) {
        fill_products(t, factor * (long double)tool_csr_value(&t->a, e), tool_csr_column(&t->a, e),
                      row);
    }
}

static void fill_triple(const task *t, int64_t i, tool_row *row) {
    for (int64_t e = tool_csr_offset(&t->left, i); e < tool_csr_offset(&t->left, i + 1); e++) {
        fill_row(t, (long double)tool_csr_value(&t->left, e), tool_csr_column(&t->left, e), row);
    }
}

static void fill_d(const task *t, int64_t i, tool_row *row) {
    for (int64_t e = tool_csr_offset(&t->d, i); e < tool_csr_offset(&t->d, i + 1); e++) {
        tool_cell *cell = tool_row_touch(row, tool_csr_column(&t->d, e));
        cell->second_sum += (long double)tool_csr_value(&t->d, e);
        cell->second_mass += fabsl((long double)tool_csr_value(&t->d, e));
        cell->seconds++;
    }
}

/* Leaves the cells that the mask has, whose columns may stand in any order, and repeat. A product
 * has no second terms, by which such cells are told meanwhile. */
static void apply_mask(const task *t, int64_t i, tool_row *row) {
    enum { MASKED = -1 };
    for (int64_t f = tool_csr_offset(&t->mask, i); f < tool_csr_offset(&t->mask, i + 1); f++) {
        row->cell[tool_csr_column(&t->mask, f)].seconds = MASKED;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < row->count; k++) {
        const int64_t j = row->touched[k];
        if (row->cell[j].seconds == MASKED) {
            row->touched[kept++] = j;
        } else {
            row->cell[j] = (tool_cell){0};
        }
    }
    row->count = kept;
    for (int64_t f = tool_csr_offset(&t->mask, i); f < tool_csr_offset(&t->mask, i + 1); f++) {
        row->cell[tool_csr_column(&t->mask, f)].seconds = 0;
    }
}

static void fill(const void *user, int64_t i, tool_row *row) {
    const task *t = user;
    if (t->galerkin) {
        fill_triple(t, i, row);
    } else {
        fill_row(t, 1, i, row);
    }
    if (t->masked) apply_mask(t, i, row);
    if (t->plus) fill_d(t, i, row);
}

static int64_t roundings(const task *t, const tool_cell *cell) {
    int64_t product = cell->terms - cell->seconds + (t->galerkin ? 2 : 1);
    if (!t->plus) return product;
    return (product > cell->seconds ? product : cell->seconds) + 1;
}

/* Returns the largest magnitude that computing an entry may meet: alpha and beta come last, and so
 * does the left factor of a triple product, after the products with its right factors have been
 * added. A result that is finite met no overflow. */
static long double peak_of(const task *t, const tool_cell *cell, long double mass, double got) {
    long double peak = fmaxl(mass, fmaxl(cell->mass, cell->second_mass));
    if (!t->galerkin || isfinite(got) || t->least >= 1) return peak;
    return t->least > 0 ? fmaxl(peak, cell->mass / t->least) : INFINITY;
}

static double units(const void *user, const tool_cell *cell, double got, double *want) {
    const task *t = user;
    long double alpha = fabsl(t->alpha), mass = alpha * cell->mass, exact = t->alpha * cell->sum;
    if (t->plus) {
        exact += t->beta * cell->second_sum;
        mass += fabsl(t->beta) * cell->second_mass;
    }
    if (t->galerkin) alpha = (1 + alpha) * (1 + t->largest) - 1;
    *want = (double)exact;
    return tool_error_units(t->type, roundings(t, cell), alpha, mass, peak_of(t, cell, mass, got),
                            exact, got);
}

static double length_of(const tool_csr *A, int64_t i) {
    return (double)(tool_csr_offset(A, i + 1) - tool_csr_offset(A, i));
}

static double products_of(const task *t) {
    double products = 0;
#pragma omp parallel for schedule(static) reduction(+ : products)
    for (int64_t i = 0; i < t->a.rows; i++) {
        double here = 0, times = t->galerkin ? length_of(&t->b, i) : 1;
        for (int64_t e = tool_csr_offset(&t->a, i); e < tool_csr_offset(&t->a, i + 1); e++) {
            here += length_of(&t->b, tool_csr_column(&t->a, e));
        }
        products += times * here;
    }
    return products;
}

static void take_triple(task *t, const tool_csr *B) {
    t->left = tool_rows_of(B, TULLE_T);
    t->least = INFINITY;
    for (int64_t e = 0; e < t->left.nnz; e++) {
        long double size = fabsl((long double)tool_csr_value(&t->left, e));
        t->least = fminl(t->least, size);
        t->largest = fmaxl(t->largest, size);
    }
}

static task task_of(const tool_spgemm_claim *claim) {
    task t = {.a = tool_rows_of(claim->A, claim->op_A),
              .b = tool_rows_of(claim->B, claim->op_B),
              .type = claim->C->type,
              .alpha = tool_rounded(claim->C->type, claim->alpha),
              .beta = tool_rounded(claim->C->type, claim->beta),
              .galerkin = claim->galerkin,
              .plus = claim->D != NULL,
              .masked = claim->mask != NULL};
    if (t.galerkin) take_triple(&t, claim->B);
    if (t.plus) t.d = tool_rows_of(claim->D, TULLE_N);
    if (t.masked) t.mask = tool_rows_of(claim->mask, TULLE_N);
    return t;
}

static const char *empty_of(const task *t) {
    if (t->masked) return "is an entry where no products meet, or where the mask has none";
    return t->plus ? "is an entry where no products meet, nor has D one"
                   : "is an entry where no products meet";
}

static tulle_status compare(const tool_spgemm_claim *claim, tool_spgemm_error *found) {
    task t = task_of(claim);
    tool_csr c = tool_rows_of(claim->C, TULLE_N);
    const tool_definition product = {.rows = t.galerkin ? t.left.rows : t.a.rows,
                                     .cols = t.b.cols,
                                     .terms = products_of(&t) + (double)t.d.nnz,
                                     .shape = "is its shape, which is not the product's",
                                     .empty = empty_of(&t),
                                     .rising = claim->rising,
                                     .user = &t,
                                     .fill = fill,
                                     .units = units};
    tulle_status status = tool_verify_rows(&product, &c, found);
    tool_csr_close(&c);
    tool_csr_close(&t.a);
    tool_csr_close(&t.b);
    if (t.galerkin) tool_csr_close(&t.left);
    if (t.plus) tool_csr_close(&t.d);
    if (t.masked) tool_csr_close(&t.mask);
    return status;
}

/* Axes of the rows of C, of its columns, and of the columns of A, which are rows of B. */
typedef struct axes {
    tool_axis rows, cols, inner;
} axes;

/* The number of the matrices A, B, D, the mask and C. */
enum { MATRICES = 5 };
static int members(const tool_spgemm_claim *claim, axes *x, tool_axes_of of[MATRICES]) {
    const tool_csr *A = claim->A, *B = claim->B;
    const bool a = claim->op_A == TULLE_T, b = claim->op_B == TULLE_T;
    int count = 2;
    tool_axis *cols = claim->galerkin ? &x->rows : &x->cols;
    if (claim->galerkin) {
        *x = (axes){.rows = {.size = B->cols}, .inner = {.size = B->rows}};
        of[0] = (tool_axes_of){A, &x->inner, &x->inner};
        of[1] = (tool_axes_of){B, &x->inner, &x->rows};
    } else {
        *x = (axes){.rows = {.size = a ? A->cols : A->rows},
                    .cols = {.size = b ? B->rows : B->cols},
                    .inner = {.size = b ? B->cols : B->rows}};
        of[0] = (tool_axes_of){A, a ? &x->inner : &x->rows, a ? &x->rows : &x->inner};
        of[1] = (tool_axes_of){B, b ? &x->cols : &x->inner, b ? &x->inner : &x->cols};
    }
    if (claim->D) of[count++] = (tool_axes_of){claim->D, &x->rows, cols};
    if (claim->mask) of[count++] = (tool_axes_of){claim->mask, &x->rows, cols};
    of[count++] = (tool_axes_of){claim->C, &x->rows, cols};
    return count;
}

tulle_status tool_verify_spgemm(const tool_spgemm_claim *claim, tool_spgemm_error *found) {
    axes x;
    tool_axes_of of[MATRICES];
    tool_csr small[MATRICES];
    const int count = members(claim, &x, of);
    const tool_axis *cols = of[count - 1].cols;
    const bool shaped = claim->C->rows == x.rows.size && claim->C->cols == cols->size;
    if (!shaped || !tool_few_begin(of, count, small)) return compare(claim, found);
    tool_spgemm_claim few = *claim;
    few.A = &small[0];
    few.B = &small[1];
    if (claim->D) few.D = &small[2];
    if (claim->mask) few.mask = &small[count - 2];
    few.C = &small[count - 1];
    tulle_status status = compare(&few, found);
    tool_few_place(&x.rows, cols, found);
    tool_few_end(of, count, small);
    return status;
}
