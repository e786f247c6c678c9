/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_advice.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"

/* Holds what a row, or a column, adds up to. */
typedef struct total {
    long double sum, mass; /* sums of the numbers and of their magnitudes */
    long double reach;     /* sum of the magnitudes of the products with x */
} total;

static double roundoff(tulle_type type) {
    return type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON;
}

static double number_at(const void *x, tulle_type type, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void add(total *t, double value, double x) {
    t->sum += (long double)value;
    t->mass += fabsl((long double)value);
    t->reach += fabsl((long double)value * (long double)x);
}

static void add_up(const tool_csr *A, const void *x, total *rows, total *columns) {
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t i = tool_csr_row(A, p);
        for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
            const int64_t j = tool_csr_column(A, k);
            add(rows + i, tool_csr_value(A, k), number_at(x, A->type, j));
            add(columns + j, tool_csr_value(A, k), number_at(x, A->type, i));
        }
    }
}

/* Returns true if each sum is 0, but for some roundoffs of its numbers. */
static bool all_are_0(const total *of, int64_t n, tulle_type type) {
    enum { SOME = 4 };
    for (int64_t i = 0; i < n; i++) {
        if (!(fabsl(of[i].sum) <= SOME * (long double)roundoff(type) * of[i].mass)) return false;
    }
    return n > 0;
}

static double norm_of_reach(const total *of, int64_t n) {
    long double squares = 0;
    for (int64_t i = 0; i < n; i++) squares += of[i].reach * of[i].reach;
    return (double)sqrtl(squares);
}

void tool_causes_find(const tool_csr *A, tulle_trans op, const void *x, tool_causes *causes) {
    const int64_t n = A->rows; /* number of rows, and of columns */
    total *rows = tool_alloc((size_t)n, sizeof *rows),
          *columns = tool_alloc((size_t)n, sizeof *rows);
    add_up(A, x, rows, columns);
    const bool turned = op == TULLE_T;
    causes->found = true;
    causes->rows_add_to_0 = all_are_0(turned ? columns : rows, n, A->type);
    causes->columns_add_to_0 = all_are_0(turned ? rows : columns, n, A->type);
    causes->reach = roundoff(A->type) * norm_of_reach(turned ? columns : rows, n);
    free(rows);
    free(columns);
}
