/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vectors beside their numbers: arguments, overlaps, memory, results in the place's
 * memory, and all of it captured in a graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "tulle/vec.h"

static tulle_vec *vector(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols) {
    tulle_vec *X = NULL;
    must(tulle_vec_create_columns(ctx, type, rows, cols, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_random(ctx, X, (uint64_t)(rows + cols)));
    return X;
}

static void *data_of(const tulle_vec *X) {
    tulle_vec_info info;
    must(tulle_vec_describe(X, &info));
    return info.data;
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *function,
                         const char *argument) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
}

/* What every function is called with, one argument of which is wrong. */
typedef struct {
    tulle_ctx *ctx;
    tulle_vec *x, *y, *z;
    tulle_scalar alpha, beta;
    tulle_result result;
} arguments;

static tulle_status axpy(const arguments *a) {
    return tulle_vec_axpy(a->ctx, a->alpha, a->x, a->y);
}
static tulle_status axpby(const arguments *a) {
    return tulle_vec_axpby(a->ctx, a->alpha, a->x, a->beta, a->y);
}
static tulle_status scale(const arguments *a) {
    return tulle_vec_scale(a->ctx, a->alpha, a->x);
}
static tulle_status copy(const arguments *a) {
    return tulle_vec_copy(a->ctx, a->x, a->y);
}
static tulle_status multiply(const arguments *a) {
    return tulle_vec_multiply(a->ctx, a->x, a->y, a->z);
}
static tulle_status divide(const arguments *a) {
    return tulle_vec_divide(a->ctx, a->x, a->y, a->z);
}
static tulle_status dot(const arguments *a) {
    return tulle_vec_dot(a->ctx, a->x, a->y, a->result);
}
static tulle_status axpy_dot(const arguments *a) {
    return tulle_vec_axpy_dot(a->ctx, a->alpha, a->x, a->y, a->z, a->result);
}
static tulle_status norm2(const arguments *a) {
    return tulle_vec_norm2(a->ctx, a->x, a->result);
}
static tulle_status norm_max(const arguments *a) {
    return tulle_vec_norm_max(a->ctx, a->x, a->result);
}

/* out: the operand that is written; the letters are the arguments that a function has: a and b for
 * alpha and beta, r for the result. */
static const struct {
    tulle_status (*call)(const arguments *a);
    const char *name, *has, *out;
} functions[] = {
    {axpy, "tulle_vec_axpy", "XYa", "Y"},
    {axpby, "tulle_vec_axpby", "XYab", "Y"},
    {scale, "tulle_vec_scale", "Xa", "X"},
    {copy, "tulle_vec_copy", "XY", "Y"},
    {multiply, "tulle_vec_multiply", "XYZ", "Z"},
    {divide, "tulle_vec_divide", "XYZ", "Z"},
    {dot, "tulle_vec_dot", "XYr", ""},
    {axpy_dot, "tulle_vec_axpy_dot", "XYZar", "Y"},
    {norm2, "tulle_vec_norm2", "Xr", ""},
    {norm_max, "tulle_vec_norm_max", "Xr", ""},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, SIZE = 40 };

static tulle_vec **operand_of(arguments *a, char name) {
    return name == 'X' ? &a->x : name == 'Y' ? &a->y : &a->z;
}

/* Each operand of each function in turn: none, of another shape, type, or place. */
static void wrong(tulle_ctx *ctx, const char *where) {
    tulle_ctx *far = place_elsewhere(where);
    if (!far) return;
    double number[2];
    tulle_vec *bad[] = {NULL, vector(ctx, TULLE_F64, SIZE + 1, 2), vector(ctx, TULLE_F64, SIZE, 1),
                        vector(ctx, TULLE_F32, SIZE, 2), vector(far, TULLE_F64, SIZE, 2)};
    const tulle_status wants[] = {TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH,
                                  TULLE_SHAPE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_SPACE_MISMATCH};
    const arguments good = {ctx,
                            vector(ctx, TULLE_F64, SIZE, 2),
                            vector(ctx, TULLE_F64, SIZE, 2),
                            vector(ctx, TULLE_F64, SIZE, 2),
                            tulle_num(1),
                            tulle_num(1),
                            tulle_to_num(number)};
    const tulle_scalar odd = tulle_at((char *)data_of(good.x) + 1);
    for (int f = 0; f < FUNCTIONS; f++) {
        arguments a = good;
        must(functions[f].call(&a));
        a.ctx = NULL;
        assert_fails(functions[f].call(&a), TULLE_INVALID_ARGUMENT, functions[f].name, "ctx");
        for (const char *has = functions[f].has; *has; has++) {
            a = good;
            if (*has == 'a' || *has == 'b') {
                *(*has == 'a' ? &a.alpha : &a.beta) = odd;
                assert_fails(functions[f].call(&a), TULLE_INVALID_ARGUMENT, functions[f].name,
                             *has == 'a' ? "alpha" : "beta");
            } else if (*has == 'r') {
                a.result = tulle_to_num(NULL);
                assert_fails(functions[f].call(&a), TULLE_INVALID_ARGUMENT, functions[f].name,
                             "result");
                a.result = tulle_to_at(odd.address == NULL ? NULL : (char *)data_of(good.x) + 1);
                assert_fails(functions[f].call(&a), TULLE_INVALID_ARGUMENT, functions[f].name,
                             "result");
            } else {
                for (int b = 0; b < 5; b++) {
                    a = good;
                    *operand_of(&a, *has) = bad[b];
                    /* X says what the others must be, and copies are between types. */
                    if (b > 0 && b < 4 && (*has == 'X' || (b == 3 && f == 3))) continue;
                    const char name[] = {*has, 0};
                    assert_fails(functions[f].call(&a), wants[b], functions[f].name, name);
                }
            }
        }
    }
    for (int b = 1; b < 5; b++) tulle_vec_destroy(bad[b]);
    tulle_vec_destroy(good.x);
    tulle_vec_destroy(good.y);
    tulle_vec_destroy(good.z);
    tulle_ctx_destroy(far);
}
static void test_wrong(void **state) {
    (void)state;
    once_on_each_place(wrong);
}

/* An output that shares numbers with an input and is not it; scalars and results inside operands;
 * columns of one array that alternate, which is fine. */
static void overlaps(tulle_ctx *ctx, const char *where) {
    (void)where;
    double number[2];
    tulle_vec *all = vector(ctx, TULLE_F64, 8 * SIZE, 1), *x = NULL, *shifted = NULL, *row = NULL;
    tulle_vec *wide = NULL, *beside = NULL, *z = vector(ctx, TULLE_F64, SIZE, 2);
    double *data = data_of(all);
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data, &x));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data + 1, &shifted));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_ROW_MAJOR, 3, data, &wide));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_ROW_MAJOR, 2, data, &row));
    must(tulle_vec_wrap(ctx, TULLE_F64, SIZE, 2, TULLE_COLUMN_MAJOR, 2 * SIZE, data + SIZE,
                        &beside));
    tulle_vec *const others[] = {shifted, row};
    for (int f = 0; f < FUNCTIONS; f++) {
        const char *out = functions[f].out, *has = functions[f].has;
        arguments a = {ctx, z, z, z, tulle_num(1), tulle_num(1), tulle_to_num(number)};
        for (const char *in = has; *out && *in; in++) {
            if (*in == *out || *in < 'X' || *in > 'Z') continue;
            for (int o = 0; o < 2; o++) {
                a.x = a.y = a.z = z;
                *operand_of(&a, *out) = x;
                *operand_of(&a, *in) = others[o];
                assert_fails(functions[f].call(&a), TULLE_ALIASED, functions[f].name, out);
            }
            *operand_of(&a, *out) = wide; /* the same first number and the same steps of columns */
            assert_fails(functions[f].call(&a), TULLE_ALIASED, functions[f].name, out);
            *operand_of(&a, *out) = x;
            *operand_of(&a, *in) = beside;
            must(functions[f].call(&a));
        }
        a.x = a.y = a.z = x;
        must(functions[f].call(&a));
        for (const char *in = has; *in; in++) {
            if (*in < 'a') continue;
            arguments b = a;
            if (*in == 'a') b.alpha = tulle_at(data + 3);
            if (*in == 'b') b.beta = tulle_at(data + 3);
            if (*in == 'r') b.result = tulle_to_at(data + 3);
            assert_fails(functions[f].call(&b), TULLE_ALIASED, functions[f].name,
                         *out && *in != 'r' ? out : "X");
        }
    }
    tulle_vec *const made[] = {all, x, shifted, row, wide, beside, z};
    for (int k = 0; k < 7; k++) tulle_vec_destroy(made[k]);
}
static void test_overlaps(void **state) {
    (void)state;
    once_on_each_place(overlaps);
}

/* Two results that may be stored while alpha is read, and those beside it. */
static void overlaps_alpha(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_vec *x = vector(ctx, TULLE_F64, SIZE, 2), *y = vector(ctx, TULLE_F64, SIZE, 2);
    tulle_vec *numbers = vector(ctx, TULLE_F64, 5, 1);
    double *at = data_of(numbers);
    for (int k = 0; k <= 3; k++) {
        const tulle_status status =
            tulle_vec_axpy_dot(ctx, tulle_at(at + 2), x, y, x, tulle_to_at(at + k));
        if (k == 0 || k == 3) {
            must(status);
        } else {
            assert_fails(status, TULLE_ALIASED, "tulle_vec_axpy_dot", "result");
        }
    }
    tulle_vec *const made[] = {x, y, numbers};
    for (int k = 0; k < 3; k++) tulle_vec_destroy(made[k]);
}
static void test_overlaps_alpha(void **state) {
    (void)state;
    once_on_each_place(overlaps_alpha);
}

/* The same of the products. */
static void products(tulle_ctx *ctx, const char *where) {
    static const char *const axpy_name = "tulle_vec_combine";
    static const char *const dot_name = "tulle_vec_inner";
    tulle_ctx *far = place_elsewhere(where);
    if (!far) return;
    const tulle_scalar one = tulle_num(1);
    tulle_vec *X = vector(ctx, TULLE_F64, 9, 3), *A = vector(ctx, TULLE_F64, 3, 2);
    tulle_vec *Y = vector(ctx, TULLE_F64, 9, 2), *f = vector(ctx, TULLE_F32, 3, 2);
    tulle_vec *away = vector(far, TULLE_F64, 3, 2), *T = vector(ctx, TULLE_F64, 3, 3);
    const tulle_scalar odd = tulle_at((char *)data_of(X) + 1), in_y = tulle_at(data_of(Y));
    tulle_vec *none = NULL;
    const struct {
        tulle_vec *x, *a, *y;
        tulle_scalar alpha, beta;
        tulle_status want;
        const char *argument;
    } cases[] = {
        {none, A, Y, one, one, TULLE_INVALID_ARGUMENT, "X"},
        {X, none, Y, one, one, TULLE_INVALID_ARGUMENT, "A"},
        {X, A, none, one, one, TULLE_INVALID_ARGUMENT, "Y"},
        {X, Y, Y, one, one, TULLE_SHAPE_MISMATCH, "A"},
        {X, A, X, one, one, TULLE_SHAPE_MISMATCH, "Y"},
        {X, A, A, one, one, TULLE_SHAPE_MISMATCH, "Y"},
        {X, f, Y, one, one, TULLE_TYPE_MISMATCH, "A"},
        {X, away, Y, one, one, TULLE_SPACE_MISMATCH, "A"},
        {X, A, Y, odd, one, TULLE_INVALID_ARGUMENT, "alpha"},
        {X, A, Y, one, odd, TULLE_INVALID_ARGUMENT, "beta"},
        {X, A, Y, in_y, one, TULLE_ALIASED, "Y"},
        {X, A, Y, one, in_y, TULLE_ALIASED, "Y"},
        {X, T, X, one, one, TULLE_ALIASED, "Y"},
        {T, T, T, one, one, TULLE_ALIASED, "Y"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_fails(tulle_vec_combine(ctx, cases[k].alpha, cases[k].x, cases[k].a, cases[k].beta,
                                       cases[k].y),
                     cases[k].want, axpy_name, cases[k].argument);
    }
    assert_fails(tulle_vec_combine(NULL, one, X, A, one, Y), TULLE_INVALID_ARGUMENT, axpy_name,
                 "ctx");
    assert_fails(tulle_vec_inner(NULL, one, X, Y, one, A), TULLE_INVALID_ARGUMENT, dot_name, "ctx");
    assert_fails(tulle_vec_inner(ctx, one, NULL, Y, one, A), TULLE_INVALID_ARGUMENT, dot_name, "X");
    assert_fails(tulle_vec_inner(ctx, one, X, NULL, one, A), TULLE_INVALID_ARGUMENT, dot_name, "Z");
    assert_fails(tulle_vec_inner(ctx, one, X, Y, one, NULL), TULLE_INVALID_ARGUMENT, dot_name, "R");
    assert_fails(tulle_vec_inner(ctx, one, X, A, one, A), TULLE_SHAPE_MISMATCH, dot_name, "Z");
    assert_fails(tulle_vec_inner(ctx, one, X, Y, one, T), TULLE_SHAPE_MISMATCH, dot_name, "R");
    assert_fails(tulle_vec_inner(ctx, one, X, Y, one, f), TULLE_TYPE_MISMATCH, dot_name, "R");
    assert_fails(tulle_vec_inner(ctx, one, X, Y, one, away), TULLE_SPACE_MISMATCH, dot_name, "R");
    assert_fails(tulle_vec_inner(ctx, one, T, T, one, T), TULLE_ALIASED, dot_name, "R");
    assert_fails(tulle_vec_inner(ctx, one, X, Y, tulle_at(data_of(A)), A), TULLE_ALIASED, dot_name,
                 "R");
    tulle_vec *const made[] = {X, A, Y, f, away, T};
    for (int k = 0; k < 6; k++) tulle_vec_destroy(made[k]);
    tulle_ctx_destroy(far);
}
static void test_products(void **state) {
    (void)state;
    once_on_each_place(products);
}

/* Results in the place's memory have the bits of those on the host; what stands beside stays. */
static void addresses(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int n = 100; n < 9000; n += 8800) {
        tulle_vec *X = vector(ctx, TULLE_F32, n, 3), *Y = vector(ctx, TULLE_F32, n, 3);
        tulle_vec *results = vector(ctx, TULLE_F32, 5, 1);
        must(tulle_vec_fill(ctx, results, -7));
        for (int f = 6; f < FUNCTIONS; f++) {
            double number[3];
            float got[5];
            arguments a = {ctx, X, Y, X, tulle_num(0), tulle_num(1), tulle_to_num(number)};
            must(functions[f].call(&a));
            a.result = tulle_to_at((float *)data_of(results) + 1);
            must(functions[f].call(&a));
            must(tulle_vec_read(ctx, results, got, 0));
            for (int k = 0; k < 3; k++) assert_true((double)got[k + 1] == number[k]);
            assert_true(got[0] == -7 && got[4] == -7);
        }
        tulle_vec_destroy(results);
        tulle_vec_destroy(X);
        tulle_vec_destroy(Y);
    }
}
static void test_addresses(void **state) {
    (void)state;
    on_each_place(addresses);
}

/* All steps of a conjugate gradient method but the product, with no number on the host. */
static void steps(tulle_ctx *ctx, tulle_vec *const v[4], tulle_vec *const scalars_of[3]) {
    void *alpha = data_of(scalars_of[0]), *rho = data_of(scalars_of[1]);
    tulle_vec *x = v[0], *r = v[1], *p = v[2], *q = v[3];
    must(tulle_vec_dot(ctx, p, q, tulle_to_at(alpha)));
    must(tulle_vec_divide(ctx, scalars_of[1], scalars_of[0], scalars_of[0]));
    must(tulle_vec_axpy(ctx, tulle_at(alpha), p, x));
    must(tulle_vec_scale(ctx, tulle_num(-1), scalars_of[0]));
    must(tulle_vec_copy(ctx, scalars_of[1], scalars_of[2]));
    must(tulle_vec_axpy_dot(ctx, tulle_at(alpha), q, r, r, tulle_to_at(rho)));
    must(tulle_vec_divide(ctx, scalars_of[1], scalars_of[2], scalars_of[2]));
    must(tulle_vec_axpby(ctx, tulle_num(1), r, tulle_at(data_of(scalars_of[2])), p));
    must(tulle_vec_norm2(ctx, p, tulle_to_at(alpha)));
    must(tulle_vec_norm_max(ctx, x, tulle_to_at(data_of(scalars_of[2]))));
    must(tulle_vec_inner(ctx, tulle_num(1), x, r, tulle_at(alpha), scalars_of[2]));
    must(tulle_vec_combine(ctx, tulle_num(1e-3), q, scalars_of[2], tulle_num(1), x));
}

static void prepare(tulle_ctx *ctx, tulle_vec *const v[4], tulle_vec *const scalars_of[3]) {
    for (int k = 0; k < 4; k++) must(tulle_vec_random(ctx, v[k], (uint64_t)k));
    for (int k = 0; k < 3; k++) must(tulle_vec_fill(ctx, scalars_of[k], 2));
}

/* Captured after a first call, three steps later they have the bits of steps one by one. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    enum { N = 9001, TIMES = 3 };
    const tulle__place *place = &ctx->place;
    tulle_vec *v[4], *numbers[3];
    double want[4][N], got[N];
    void *graph = NULL;
    for (int k = 0; k < 4; k++) v[k] = vector(ctx, TULLE_F64, N, 1);
    for (int k = 0; k < 3; k++) numbers[k] = vector(ctx, TULLE_F64, 1, 1);
    prepare(ctx, v, numbers);
    for (int k = 0; k < TIMES; k++) steps(ctx, v, numbers);
    for (int k = 0; k < 4; k++) must(tulle_vec_read(ctx, v[k], want[k], 0));
    must(ctx->backend->capture_begin(place));
    steps(ctx, v, numbers);
    must(ctx->backend->capture_end(place, &graph));
    prepare(ctx, v, numbers);
    for (int k = 0; k < TIMES; k++) must(ctx->backend->graph_launch(place, graph));
    for (int k = 0; k < 4; k++) {
        must(tulle_vec_read(ctx, v[k], got, 0));
        assert_memory_equal(got, want[k], sizeof got);
    }
    must(ctx->backend->graph_destroy(place->device, graph));
    for (int k = 0; k < 4; k++) tulle_vec_destroy(v[k]);
    for (int k = 0; k < 3; k++) tulle_vec_destroy(numbers[k]);
}
static void test_captured(void **state) {
    (void)state;
    once_on_each_place(captured);
}

/* Fails the n-th allocation of a dot and of a product; whether they no longer get that far. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_vec *X = vector(ctx, TULLE_F64, 9000, 2), *R = vector(ctx, TULLE_F64, 2, 2);
    double number[2] = {-7, -7}, before[4], after[4];
    must(tulle_vec_read(ctx, R, before, 0));
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    const tulle_status product = tulle_vec_inner(ctx, tulle_num(1), X, X, tulle_num(0), R);
    const tulle_status status = tulle_vec_dot(ctx, X, X, tulle_to_num(number));
    const bool done = c.requests < c.fail_at;
    c.fail_at = 0;
    must(tulle_vec_read(ctx, R, after, 0));
    assert_true(product == TULLE_OK || product == TULLE_OUT_OF_MEMORY);
    assert_true(status == TULLE_OK || status == TULLE_OUT_OF_MEMORY);
    assert_true(!done || (product == TULLE_OK && status == TULLE_OK));
    if (product != TULLE_OK) assert_memory_equal(after, before, sizeof before);
    assert_int_equal(number[0] == -7, status != TULLE_OK);

    /* What a call needed once, the next one has. */
    must(tulle_vec_inner(ctx, tulle_num(1), X, X, tulle_num(0), R));
    must(tulle_vec_dot(ctx, X, X, tulle_to_num(number)));
    const int64_t requests = c.requests;
    must(tulle_vec_inner(ctx, tulle_num(1), X, X, tulle_num(0), R));
    must(tulle_vec_dot(ctx, X, X, tulle_to_num(number)));
    assert_int_equal(c.requests, requests);
    tulle_vec_destroy(X);
    tulle_vec_destroy(R);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    bool done = false;
    int64_t n = 0;
    while (!done && n < 50) done = fail_once(where, ++n);
    assert_true(done);
    if (is_slow(where) || strncmp(where, "cpu", 3) == 0) assert_true(n > 1);
}
static void test_out_of_memory(void **state) {
    (void)state;
    once_on_each_place(out_of_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong),          cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_overlaps_alpha), cmocka_unit_test(test_products),
        cmocka_unit_test(test_addresses),      cmocka_unit_test(test_captured),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
