/* SPDX-License-Identifier: Apache-2.0 */
/* Gram-Schmidt: what is left of a vector is orthogonal to the basis, and the components and the
 * norm make the vector that came in; also where nearly nothing is left. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "solver/functions.h"
#include "zoo.h"

static void *take(tulle_ctx *ctx, size_t bytes) {
    void *pointer = NULL;
    must(tulle__alloc(ctx, bytes, &pointer));
    must(ctx->backend->set_bytes(&ctx->place, pointer, 0, bytes));
    return pointer;
}

static void write_numbers(tulle_ctx *ctx, tulle_type type, void *to, const double *from,
                          int64_t n) {
    float *narrow = calloc((size_t)n, sizeof *narrow);
    for (int64_t i = 0; i < n; i++) narrow[i] = (float)from[i];
    const void *numbers = type == TULLE_F32 ? (const void *)narrow : from;
    must(tulle__copy_wait(ctx, to, numbers, (size_t)(n * tulle_type_size(type))));
    free(narrow);
}

static double *read_numbers(tulle_ctx *ctx, tulle_type type, const void *from, int64_t n) {
    double *numbers = calloc((size_t)n, sizeof *numbers);
    const float *narrow = (const float *)numbers;
    must(tulle__copy_wait(ctx, numbers, from, (size_t)(n * tulle_type_size(type))));
    for (int64_t i = n; type == TULLE_F32 && i-- > 0;) numbers[i] = (double)narrow[i];
    return numbers;
}

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Householder-like: cosines of the discrete transform, which are orthonormal. */
static void fill_basis(double *V, int64_t n, int64_t stride, int columns) {
    const double turn = acos(-1.0) / (double)n;
    for (int c = 0; c < columns; c++) {
        for (int64_t i = 0; i < n; i++) {
            V[c * stride + i] = sqrt(2.0 / (double)n) * cos(turn * ((double)i + 0.5) * (c + 1));
        }
    }
}

/* away: how much of w is not in the basis. */
static void one_vector(tulle_ctx *ctx, tulle_type type, int64_t n, int columns, double away) {
    const size_t size = (size_t)tulle_type_size(type);
    const int64_t pieces = tulle__orthogonal_pieces(n);
    const int64_t stride =
        (n + TULLE__ORTHOGONAL_UNIT - 1) / TULLE__ORTHOGONAL_UNIT * TULLE__ORTHOGONAL_UNIT;
    double *V = calloc((size_t)stride * (size_t)columns, sizeof *V);
    double *w = calloc((size_t)stride, sizeof *w);
    uint64_t random = (uint64_t)n;
    fill_basis(V, n, stride, columns);
    for (int64_t i = 0; i < n; i++) w[i] = away * zoo_number(&random);
    for (int c = 0; c < columns; c++) {
        for (int64_t i = 0; i < n; i++) w[i] += V[c * stride + i] / (1 + c);
    }
    void *on_V = take(ctx, (size_t)(stride * columns) * size);
    void *on_w = take(ctx, (size_t)stride * size);
    write_numbers(ctx, type, on_V, V, stride * columns);
    write_numbers(ctx, type, on_w, w, stride);
    free(V);
    free(w);
    V = read_numbers(ctx, type, on_V, stride * columns); /* as rounded */
    w = read_numbers(ctx, type, on_w, stride);
    const tulle__orthogonal job = {
        .type = type,
        .n = n,
        .stride = stride,
        .columns = columns,
        .V = on_V,
        .w = on_w,
        .first = take(ctx, (size_t)columns * size),
        .again = take(ctx, (size_t)columns * size),
        .norm = take(ctx, size),
        .sums = take(ctx, 2 * (size_t)(columns + 1) * (size_t)pieces * sizeof(double)),
        .whole = take(ctx, (size_t)(columns + 1) * sizeof(double)),
        .pieces = pieces};
    must(ctx->backend->solver->orthogonal(&ctx->place, &job));
    double *left = read_numbers(ctx, type, on_w, stride),
           *norm = read_numbers(ctx, type, job.norm, 1);
    double *first = read_numbers(ctx, type, job.first, columns);
    double *again = read_numbers(ctx, type, job.again, columns);
    for (int64_t i = n; i < stride; i++) assert_true(left[i] == 0);
    const double roundoff = type == TULLE_F32 ? 1e-6 : 1e-14;
    const double loss = type == TULLE_F32 ? 4 * TULLE__LEFT_F32 : 4 * TULLE__LEFT_F64;
    const double length = sqrt(dot(left, left, n));
    assert_true(fabs(length - 1) <= 10 * roundoff);
    for (int c = 0; c < columns; c++) {
        const double along = fabs(dot(V + c * stride, left, n));
        if (!(along <= loss)) {
            fail_msg("type %d, n %lld, column %d of %d: %g of %g is left", (int)type, (long long)n,
                     c, columns, along, length);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = *norm * left[i];
        for (int c = 0; c < columns; c++) sum += (first[c] + again[c]) * V[c * stride + i];
        assert_true(fabs(sum - w[i]) <= 100 * roundoff);
    }
    double *const read[] = {V, w, left, norm, first, again};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) free(read[i]);
    void *const arrays[] = {on_V, on_w, job.first, job.again, job.norm, job.sums, job.whole};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tulle__free(ctx, arrays[i]);
}

static void vectors(tulle_ctx *ctx, const char *where) {
    const int columns[] = {1, 2, 8, 9, 17, 32, 40};
    const int64_t longest = is_slow(where) ? 1500 : 700000;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            one_vector(ctx, (tulle_type)type, 301, columns[i], 1);
            one_vector(ctx, (tulle_type)type, 300, columns[i], type == TULLE_F32 ? 1e-3 : 1e-8);
            one_vector(ctx, (tulle_type)type, 302, columns[i], type == TULLE_F32 ? 1e-5 : 1e-13);
        }
    }
    one_vector(ctx, TULLE_F64, longest, 12, 1);
    one_vector(ctx, TULLE_F32, longest, 12, 1);
}

static void test_vectors(void **state) {
    (void)state;
    on_each_place(vectors);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
