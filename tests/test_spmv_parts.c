/* SPDX-License-Identifier: Apache-2.0 */
/* A^T x of bands, whose rows are cut into parts with windows of y on a CPU, some of which end
 * before y does: the numbers are small integers, so that every order of additions gives the same
 * sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/tulle.h"

enum { LENGTH = 20 }; /* entries of a row inside the band */

typedef struct band {
    int64_t rows, cols, shift; /* the columns of row i are those from i + shift on that A has */
    int64_t nnz;
    int32_t *offsets, *columns;
    double *values;
} band;

static double small(int64_t i) {
    return (double)(i * 5 % 11 - 5);
}

static void *numbers(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static band make(int64_t rows, int64_t cols, int64_t shift) {
    band b = {.rows = rows, .cols = cols, .shift = shift};
    b.offsets = numbers(rows + 1, sizeof *b.offsets);
    b.columns = numbers(rows * LENGTH, sizeof *b.columns);
    b.values = numbers(rows * LENGTH, sizeof *b.values);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < LENGTH; k++) {
            const int64_t j = i + shift + k;
            if (j < 0 || j >= cols) continue;
            b.columns[b.nnz] = (int32_t)j;
            b.values[b.nnz++] = small(3 * i + k);
        }
        b.offsets[i + 1] = (int32_t)b.nnz;
    }
    return b;
}

/* Computes y := 2 A^T x + beta y by the definition. */
static void define(const band *b, const double *x, double beta, double *y) {
    for (int64_t j = 0; j < b->cols; j++) y[j] = beta == 0 ? 0 : beta * y[j];
    for (int64_t i = 0; i < b->rows; i++) {
        for (int32_t e = b->offsets[i]; e < b->offsets[i + 1]; e++) {
            y[b->columns[e]] += 2 * b->values[e] * x[i];
        }
    }
}

static void compare(tulle_ctx *ctx, const band *b, const tulle_mat *A, double beta) {
    double *x = numbers(b->rows, sizeof *x), *want = numbers(b->cols, sizeof *want);
    double *found = numbers(b->cols, sizeof *found);
    tulle_vec *from = NULL, *to = NULL;
    for (int64_t i = 0; i < b->rows; i++) x[i] = small(i);
    for (int64_t j = 0; j < b->cols; j++) want[j] = found[j] = beta == 0 ? NAN : small(7 * j);
    must(tulle_vec_create(ctx, TULLE_F64, b->rows, &from));
    must(tulle_vec_create(ctx, TULLE_F64, b->cols, &to));
    must(tulle_vec_write(ctx, from, x, b->rows));
    must(tulle_vec_write(ctx, to, found, b->cols));
    must(tulle_spmv(ctx, TULLE_T, tulle_num(2), A, from, tulle_num(beta), to));
    must(tulle_vec_read(ctx, to, found, b->cols));
    define(b, x, beta, want);
    for (int64_t j = 0; j < b->cols; j++) assert_true(found[j] == want[j]);
    tulle_vec_destroy(from);
    tulle_vec_destroy(to);
    free(x);
    free(want);
    free(found);
}

static void bands(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t shapes[][3] = {{3000, 3000, -10},
                                        {3000, 3100, -10},
                                        {3000, 9000, -10},
                                        {4000, 3000, -10},
                                        {3000, 3000, 5}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        band b = make(shapes[s][0], shapes[s][1], shapes[s][2]);
        tulle_mat *A = NULL;
        must(tulle_mat_create_csr(ctx, b.rows, b.cols, b.nnz, TULLE_I32, b.offsets, b.columns,
                                  TULLE_F64, b.values, NULL, &A));
        compare(ctx, &b, A, 0);
        compare(ctx, &b, A, -3);
        tulle_mat_destroy(A);
        free(b.offsets);
        free(b.columns);
        free(b.values);
    }
}

ONCE_ON_EACH_PLACE(bands)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
