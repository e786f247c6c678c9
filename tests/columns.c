/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dense/random.h"
#include "places.h"

static columns columns_of(int64_t rows, int64_t cols) {
    columns c = {rows, cols, calloc((size_t)(rows * cols) + 1, sizeof *c.at)};
    assert_non_null(c.at);
    return c;
}

columns columns_random(int64_t rows, int64_t cols, uint64_t seed, tulle_type type) {
    columns c = columns_of(rows, cols);
    for (int64_t i = 0; i < rows * cols; i++) {
        c.at[i] = type == TULLE_F32 ? (long double)tulle__random_f32(seed, (uint64_t)i)
                                    : (long double)tulle__random_f64(seed, (uint64_t)i);
    }
    return c;
}

columns columns_copy(const columns *from) {
    columns c = columns_of(from->rows, from->cols);
    for (int64_t i = 0; i < c.rows * c.cols; i++) c.at[i] = from->at[i];
    return c;
}

void columns_free(columns *c) {
    free(c->at);
    c->at = NULL;
}

/* Numbers of the whole array, and where (i, c) is in it. */
static int64_t run_of(const lie *how, int64_t rows, int64_t cols) {
    return how->layout == TULLE_COLUMN_MAJOR ? rows : cols;
}
static int64_t numbers_of(const lie *how, int64_t rows, int64_t cols) {
    const int64_t runs = how->layout == TULLE_COLUMN_MAJOR ? cols : rows;
    return how->shift + runs * (run_of(how, rows, cols) + how->gap) + 3;
}
static int64_t place_of(const lie *how, int64_t rows, int64_t cols, int64_t i, int64_t c) {
    const int64_t ld = run_of(how, rows, cols) + how->gap;
    return how->shift + (how->layout == TULLE_COLUMN_MAJOR ? i + c * ld : i * ld + c);
}

static void *array_of(const columns *numbers, tulle_type type, const lie *how) {
    const int64_t count = numbers_of(how, numbers->rows, numbers->cols);
    double *f64 = calloc((size_t)count, sizeof *f64);
    assert_non_null(f64);
    for (int64_t i = 0; i < count; i++) f64[i] = (double)NAN;
    for (int64_t c = 0; c < numbers->cols; c++) {
        for (int64_t i = 0; i < numbers->rows; i++) {
            f64[place_of(how, numbers->rows, numbers->cols, i, c)] =
                (double)numbers->at[i + c * numbers->rows];
        }
    }
    float *f32 = (float *)(void *)f64;
    for (int64_t i = 0; type == TULLE_F32 && i < count; i++) {
        const double v = f64[i];
        f32[i] = (float)v;
    }
    return f64;
}

placed columns_place(tulle_ctx *ctx, const columns *numbers, tulle_type type, lie how) {
    placed p = {.how = how};
    tulle_vec_info info;
    void *host = array_of(numbers, type, &how);
    must(tulle_vec_create(ctx, type, numbers_of(&how, numbers->rows, numbers->cols), &p.array));
    must(tulle_vec_write(ctx, p.array, host, 0));
    must(tulle_vec_describe(p.array, &info));
    must(tulle_vec_wrap(ctx, type, numbers->rows, numbers->cols, how.layout,
                        run_of(&how, numbers->rows, numbers->cols) + how.gap,
                        (char *)info.data + how.shift * tulle_type_size(type), &p.X));
    free(host);
    return p;
}

void placed_free(placed *p) {
    tulle_vec_destroy(p->X);
    tulle_vec_destroy(p->array);
}

columns placed_read(tulle_ctx *ctx, const placed *p) {
    tulle_vec_info info;
    must(tulle_vec_describe(p->X, &info));
    const int64_t count = numbers_of(&p->how, info.rows, info.cols);
    double *f64 = calloc((size_t)count, sizeof *f64);
    bool *inside = calloc((size_t)count, sizeof *inside);
    assert_true(f64 && inside);
    must(tulle_vec_read(ctx, p->array, f64, 0));
    const float *f32 = (const float *)(const void *)f64;
    columns c = columns_of(info.rows, info.cols);
    for (int64_t k = 0; k < c.rows * c.cols; k++) {
        const int64_t at = place_of(&p->how, c.rows, c.cols, k % c.rows, k / c.rows);
        c.at[k] = info.type == TULLE_F32 ? (long double)f32[at] : (long double)f64[at];
        inside[at] = true;
    }
    for (int64_t i = 0; i < count; i++) {
        const double v = info.type == TULLE_F32 ? (double)f32[i] : f64[i];
        if (!inside[i]) assert_true(isnan(v));
    }
    free(inside);
    free(f64);
    return c;
}

long double unit_of(tulle_type type) {
    return type == TULLE_F32 ? 0x1p-24L : 0x1p-53L;
}

long double least_of(tulle_type type) {
    return type == TULLE_F32 ? 0x1p-149L : 0x1p-1074L;
}

long double gamma_of(long double n, tulle_type type) {
    return n * unit_of(type) / (1 - n * unit_of(type));
}

void assert_near(long double got, long double want, long double bound, const char *what) {
    if (isnan(want) ? isnan(got) : got == want || fabsl(got - want) <= bound) return;
    fail_msg("%s: %.20Lg, not %.20Lg within %.3Lg", what, got, want, bound);
}
