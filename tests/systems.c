/* SPDX-License-Identifier: Apache-2.0 */
#include "systems.h"

#include <math.h>
#include <stdlib.h>

#include "places.h"

enum { MOST_IN_ROW = 5 };

static host_system make(int64_t n) {
    host_system s = {.n = n};
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)n * MOST_IN_ROW, sizeof *s.columns);
    s.values = calloc((size_t)n * MOST_IN_ROW, sizeof *s.values);
    return s;
}

static void add(host_system *s, int64_t column, double value) {
    s->columns[s->nnz] = column;
    s->values[s->nnz++] = value;
}

host_system system_grid(int side, double convection, double shift) {
    host_system s = make((int64_t)side * side);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const int64_t i = (int64_t)y * side + x;
            if (y > 0) add(&s, i - side, -1);
            if (x > 0) add(&s, i - 1, -1 - convection);
            add(&s, i, 4 + shift);
            if (x + 1 < side) add(&s, i + 1, -1 + convection);
            if (y + 1 < side) add(&s, i + side, -1);
            s.offsets[i + 1] = s.nnz;
        }
    }
    return s;
}

host_system system_torus(int side) {
    host_system s = make((int64_t)side * side);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const int64_t row = (int64_t)y * side;
            add(&s, row + (x + side - 1) % side, -1);
            add(&s, row + (x + 1) % side, -1);
            add(&s, (int64_t)((y + side - 1) % side) * side + x, -1);
            add(&s, (int64_t)((y + 1) % side) * side + x, -1);
            add(&s, row + x, 4);
            s.offsets[row + x + 1] = s.nnz;
        }
    }
    return s;
}

void system_free(host_system *s) {
    free(s->offsets);
    free(s->columns);
    free(s->values);
}

bool system_wants_symmetric(tulle_method method) {
    return method == TULLE_CG || method == TULLE_CHEBYSHEV || method == TULLE_MINRES;
}

tulle_mat *system_mat(tulle_ctx *ctx, const host_system *s, tulle_type type) {
    tulle_mat *A = NULL, *narrow = NULL;
    must(tulle_mat_create_csr(ctx, s->n, s->n, s->nnz, TULLE_I64, s->offsets, s->columns, TULLE_F64,
                              s->values, NULL, &A));
    if (type == TULLE_F64) return A;
    must(tulle_mat_copy(ctx, A, type, &narrow));
    tulle_mat_destroy(A);
    return narrow;
}

tulle_vec *system_vector(tulle_ctx *ctx, tulle_type type, int64_t n, uint64_t seed) {
    tulle_vec *x = NULL;
    must(tulle_vec_create(ctx, type, n, &x));
    must(tulle_vec_random(ctx, x, seed));
    return x;
}

static double *read_vector(tulle_ctx *ctx, tulle_type type, const tulle_vec *x, int64_t n) {
    double *numbers = calloc((size_t)n + 1, sizeof *numbers);
    must(tulle_vec_read(ctx, x, numbers, 0));
    const float *narrow = (const float *)numbers;
    for (int64_t i = n; type == TULLE_F32 && i-- > 0;) numbers[i] = (double)narrow[i];
    return numbers;
}

system_norms system_check(tulle_ctx *ctx, const host_system *s, tulle_type type, const tulle_vec *b,
                          const tulle_vec *x) {
    double *right = read_vector(ctx, type, b, s->n), *left = read_vector(ctx, type, x, s->n);
    long double squares = 0, all = 0;
    for (int64_t i = 0; i < s->n; i++) {
        long double r = (long double)right[i];
        for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            const double a = type == TULLE_F32 ? (double)(float)s->values[k] : s->values[k];
            r -= (long double)a * (long double)left[s->columns[k]];
        }
        squares += r * r;
        all += (long double)right[i] * (long double)right[i];
    }
    free(right);
    free(left);
    return (system_norms){(double)sqrtl(squares), (double)sqrtl(all)};
}
