/* SPDX-License-Identifier: Apache-2.0 */
#include "small_matrices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"

static const int64_t shapes[][3] = {
    {0, 0, 0},     {0, 5, 0},     {5, 0, 0},       {7, 5, 0},        {1, 1, 1},     {20, 20, 70},
    {33, 12, 150}, {12, 40, 130}, {1, 300, 200},   {300, 1, 150},    {400, 30, 90}, {3, 90, 260},
    {64, 64, 64},  {40, 40, 900}, {2, 2000, 1500}, {900, 700, 9000},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

entries small_by_rows(const entries *e) {
    entries sorted = entries_copy(e);
    for (int64_t k = 0; k < e->nnz; k++) sorted.col[k] = k;
    entries_sort(&sorted); /* by rows, and within rows as given */
    for (int64_t k = 0; k < e->nnz; k++) sorted.col[k] = e->col[sorted.col[k]];
    return sorted;
}

entries small_entries(int64_t rows, int64_t cols, int64_t nnz, bool ascend, uint64_t seed) {
    entries e = entries_random(rows, cols, nnz, seed);
    for (int64_t k = 0; k < nnz; k++) {
        e.value[k] = (double)(zoo_bits(&seed) % 31) / 8 - 1.875;
    }
    if (!ascend) return e;
    entries_sort(&e);
    entries_sum(&e, TULLE_F64);
    return e;
}

static void test_one(tulle_ctx *ctx, const int64_t *shape, int variant, uint64_t seed,
                     void (*test)(tulle_ctx *ctx, const small_matrix *m, uint64_t seed)) {
    static const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64};
    entries given = small_entries(shape[0], shape[1], shape[2], variant / 6 == 0, seed);
    small_matrix m = {.e = small_by_rows(&given),
                      .index = indices[variant % 3],
                      .type = variant / 3 % 2 == 0 ? TULLE_F32 : TULLE_F64};
    m.A = entries_to_csr(ctx, &given, m.index, m.type);
    test(ctx, &m, seed);
    tulle_mat_destroy(m.A);
    entries_free(&m.e);
    entries_free(&given);
}

void each_small_matrix(tulle_ctx *ctx, const char *where, uint64_t seed,
                       void (*test)(tulle_ctx *ctx, const small_matrix *m, uint64_t seed)) {
    enum { VARIANTS = 12 };
    const int step = is_slow(where) ? 5 : 1; /* coprime to the variants */
    for (int s = 0; s < SHAPES; s++) {
        for (int v = (int)(seed % (uint64_t)step); v < VARIANTS; v += step) {
            test_one(ctx, shapes[s], (v + s) % VARIANTS, seed + (uint64_t)(VARIANTS * s + v), test);
        }
    }
}

tulle_vec *small_vector(tulle_ctx *ctx, const double *numbers, int64_t n, tulle_type type) {
    tulle_vec *x = NULL;
    void *typed = values_as(numbers, n, type);
    must(tulle_vec_create(ctx, type, n, &x));
    if (n > 0) must(tulle_vec_write(ctx, x, typed, n));
    free(typed);
    return x;
}

double *small_vector_read(tulle_ctx *ctx, const tulle_vec *x, int64_t n, tulle_type type) {
    double *numbers = calloc((size_t)n + 1, sizeof *numbers);
    float *narrow = calloc((size_t)n + 1, sizeof *narrow);
    assert_true(numbers && narrow);
    if (n > 0) must(tulle_vec_read(ctx, x, type == TULLE_F32 ? (void *)narrow : numbers, n));
    for (int64_t i = 0; type == TULLE_F32 && i < n; i++) numbers[i] = narrow[i];
    free(narrow);
    return numbers;
}

void assert_same_number(double got, double want) {
    if (isnan(want)) {
        assert_true(isnan(got));
        return;
    }
    assert_memory_equal(&got, &want, sizeof got);
}
