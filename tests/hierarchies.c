/* SPDX-License-Identifier: Apache-2.0 */
#include "hierarchies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "matrix/matrix.h"
#include "places.h"
#include "zoo.h"

static int64_t *read_integers(tulle_ctx *ctx, const void *from, int64_t count, int64_t size) {
    int64_t *numbers = calloc((size_t)count + 1, sizeof *numbers);
    void *raw = calloc((size_t)count + 1, (size_t)size);
    assert_non_null(numbers);
    must(tulle__copy_wait(ctx, raw, from, (size_t)(count * size)));
    for (int64_t k = 0; k < count; k++) {
        numbers[k] = size == 4 ? ((const int32_t *)raw)[k] : ((const int64_t *)raw)[k];
    }
    free(raw);
    return numbers;
}

host_mat read_mat(tulle_ctx *ctx, const tulle_mat *A) {
    if (A->pattern->format != TULLE_CSR) {
        tulle_mat *csr = NULL;
        must(tulle_mat_convert(ctx, A, TULLE_CSR, A->pattern->index, 0, &csr));
        const host_mat rows = read_mat(ctx, csr);
        tulle_mat_destroy(csr);
        return rows;
    }
    const tulle__pattern_view v = tulle__view_of(A->pattern);
    host_mat h = {.rows = v.rows, .cols = v.cols, .nnz = v.nnz};
    h.offsets = read_integers(ctx, v.offsets, v.rows + 1, tulle_offset_size(v.index));
    h.columns = read_integers(ctx, v.cols_of, v.nnz, tulle_index_size(v.index));
    h.values = calloc((size_t)v.nnz + 1, sizeof *h.values);
    must(tulle__copy_wait(ctx, h.values, A->values.data,
                          (size_t)(v.nnz * tulle_type_size(A->type))));
    if (A->type == TULLE_F32) {
        const float *narrow = (const float *)h.values;
        for (int64_t k = v.nnz; k-- > 0;) h.values[k] = (double)narrow[k];
    }
    return h;
}

void free_mat(host_mat *h) {
    free(h->offsets);
    free(h->columns);
    free(h->values);
}

/* Asserts that two matrices have the same bits, where those of `a` are multiplied by 2^power. */
static void assert_same_bits(const host_mat *a, int power, const host_mat *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->nnz, b->nnz);
    assert_memory_equal(a->offsets, b->offsets, (size_t)(a->rows + 1) * sizeof *a->offsets);
    assert_memory_equal(a->columns, b->columns, (size_t)a->nnz * sizeof *a->columns);
    for (int64_t k = 0; k < a->nnz; k++) assert_true(ldexp(a->values[k], power) == b->values[k]);
}

void assert_same_mats(tulle_ctx *ctx, const tulle_mat *A, int power, tulle_ctx *other,
                      const tulle_mat *B) {
    host_mat of_a = read_mat(ctx, A), of_b = read_mat(other, B);
    assert_same_bits(&of_a, power, &of_b);
    free_mat(&of_a);
    free_mat(&of_b);
}

void assert_same(tulle_ctx *ctx, const tulle_linop *M, int power, tulle_ctx *other_ctx,
                 const tulle_linop *other) {
    tulle_amg_info info, of_other;
    must(tulle_amg_describe(M, &info));
    must(tulle_amg_describe(other, &of_other));
    assert_int_equal(info.levels, of_other.levels);
    for (int l = 0; l < info.levels; l++) {
        tulle_amg_level_info a, b;
        must(tulle_amg_level(M, l, &a));
        must(tulle_amg_level(other, l, &b));
        assert_int_equal(a.passed, b.passed);
        assert_int_equal(a.passed, a.A == NULL);
        if (a.A) assert_same_mats(ctx, a.A, power, other_ctx, b.A);
        assert_int_equal(a.P != NULL, b.P != NULL);
        if (a.P) assert_same_mats(ctx, a.P, 0, other_ctx, b.P);
    }
}

host_system rough_grid(int side) {
    host_system s = system_grid(side, 0, 0);
    uint64_t random = 5;
    double *scale = calloc((size_t)s.n, sizeof *scale);
    for (int64_t i = 0; i < s.n; i++) scale[i] = exp(1.5 * zoo_number(&random));
    for (int64_t i = 0; i < s.n; i++) {
        const int64_t begin = s.offsets[i], end = s.offsets[i + 1];
        double sum = (double)(5 - (end - begin)) * scale[i]; /* to the boundary */
        for (int64_t k = begin; k < end; k++) {
            if (s.columns[k] == i) continue;
            s.values[k] = -sqrt(scale[i] * scale[s.columns[k]]);
            sum -= s.values[k];
        }
        for (int64_t k = begin; k < end; k++) {
            if (s.columns[k] == i) s.values[k] = sum;
        }
    }
    free(scale);
    return s;
}

double number_at(const host_mat *h, int64_t i, int64_t j) {
    for (int64_t k = h->offsets[i]; k < h->offsets[i + 1]; k++) {
        if (h->columns[k] == j) return h->values[k];
    }
    return 0;
}

/* Asserts that a level's R is P^T, and the next level's matrix P^T A P. */
static void assert_product(const host_mat *fine, const host_mat *P, const host_mat *R,
                           const host_mat *coarse) {
    assert_int_equal(P->rows, fine->rows);
    assert_int_equal(P->cols, coarse->rows);
    for (int64_t i = 0; i < P->rows; i++) {
        for (int64_t j = 0; j < P->cols; j++) {
            assert_true(number_at(P, i, j) == number_at(R, j, i));
        }
    }
    for (int64_t a = 0; a < coarse->rows; a++) {
        for (int64_t b = 0; b < coarse->rows; b++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < fine->rows; i++) {
                const long double left = number_at(P, i, a);
                for (int64_t k = fine->offsets[i]; left != 0 && k < fine->offsets[i + 1]; k++) {
                    const long double right = number_at(P, fine->columns[k], b);
                    sum += left * fine->values[k] * right;
                    size += fabsl(left * fine->values[k] * right);
                }
            }
            assert_true(fabsl(sum - number_at(coarse, a, b)) <= 1e-14L * size);
        }
    }
}

void assert_products(tulle_ctx *ctx, const tulle_linop *M) {
    tulle_amg_info info;
    must(tulle_amg_describe(M, &info));
    for (int l = 0; l + 1 < info.levels; l++) {
        tulle_amg_level_info level, next;
        must(tulle_amg_level(M, l, &level));
        must(tulle_amg_level(M, l + 1, &next));
        host_mat fine = read_mat(ctx, level.A), P = read_mat(ctx, level.P);
        host_mat R = read_mat(ctx, level.R), coarse = read_mat(ctx, next.A);
        assert_product(&fine, &P, &R, &coarse);
        free_mat(&fine);
        free_mat(&P);
        free_mat(&R);
        free_mat(&coarse);
    }
}

host_system system_of(int64_t n, double (*entry)(int64_t i, int64_t j)) {
    host_system s = {.n = n};
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)(n * n) + 1, sizeof *s.columns);
    s.values = calloc((size_t)(n * n) + 1, sizeof *s.values);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (entry(i, j) == 0) continue;
            s.columns[s.nnz] = j;
            s.values[s.nnz++] = entry(i, j);
        }
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}
