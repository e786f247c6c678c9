/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and multivectors number by number: against the definition, in every layout, with outputs
 * that are inputs, and NaN and Inf where they must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "places.h"
#include "tulle/vec.h"

/* Around packs, units, tiles and pieces, and several columns. */
static const int64_t shapes[][2] = {{0, 1},   {1, 1},    {2, 1},    {3, 1},    {4, 1},   {5, 1},
                                    {15, 1},  {17, 1},   {255, 1},  {257, 1},  {511, 3}, {512, 2},
                                    {515, 3}, {2047, 1}, {2049, 1}, {4101, 1}, {5, 0},   {1, 7},
                                    {3, 40},  {100, 9},  {40, 600}, {1024, 2}, {4099, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const lie lies[] = {
    {TULLE_COLUMN_MAJOR, 0, 0}, {TULLE_COLUMN_MAJOR, 4, 0}, {TULLE_COLUMN_MAJOR, 3, 1},
    {TULLE_ROW_MAJOR, 0, 0},    {TULLE_ROW_MAJOR, 1, 0},    {TULLE_ROW_MAJOR, 4, 3},
};
enum { LIES = sizeof lies / sizeof *lies };

/* What a function of X, Y and Z gives, and how far it may be off. */
typedef struct {
    const char *name;
    tulle_status (*run)(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z);
    long double (*want)(long double x, long double y);
    long double (*size)(long double x, long double y); /* of what is rounded */
    int roundings;
    bool z_is_y; /* else Z is an array of its own */
} operation;

enum { DEVICE_SCALARS = 2 };
static const double alpha = -1.25, beta = 0.75; /* also as f32 */

static tulle_status run_axpy(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z) {
    (void)z;
    return tulle_vec_axpy(ctx, tulle_num(alpha), x->X, y->X);
}
static long double want_axpy(long double x, long double y) {
    return alpha * x + y;
}
static long double size_axpy(long double x, long double y) {
    return fabsl(alpha * x) + fabsl(y);
}

static tulle_status run_axpby(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z) {
    (void)z;
    return tulle_vec_axpby(ctx, tulle_num(alpha), x->X, tulle_num(beta), y->X);
}
static long double want_axpby(long double x, long double y) {
    return alpha * x + beta * y;
}
static long double size_axpby(long double x, long double y) {
    return fabsl(alpha * x) + fabsl(beta * y);
}

static tulle_status run_scale(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z) {
    (void)x;
    (void)z;
    return tulle_vec_scale(ctx, tulle_num(alpha), y->X);
}
static long double want_scale(long double x, long double y) {
    (void)x;
    return alpha * y;
}

static tulle_status run_copy(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z) {
    (void)y;
    return tulle_vec_copy(ctx, x->X, z->X);
}
static long double want_copy(long double x, long double y) {
    (void)y;
    return x;
}

static tulle_status run_multiply(tulle_ctx *ctx, const placed *x, const placed *y,
                                 const placed *z) {
    return tulle_vec_multiply(ctx, x->X, y->X, z->X);
}
static long double want_multiply(long double x, long double y) {
    return x * y;
}

static tulle_status run_divide(tulle_ctx *ctx, const placed *x, const placed *y, const placed *z) {
    return tulle_vec_divide(ctx, x->X, y->X, z->X);
}
static long double want_divide(long double x, long double y) {
    return x / y;
}

static long double no_size(long double x, long double y) {
    (void)x;
    (void)y;
    return 0;
}
static long double size_scale(long double x, long double y) {
    return fabsl(want_scale(x, y));
}
static long double size_multiply(long double x, long double y) {
    return fabsl(x * y);
}
static long double size_divide(long double x, long double y) {
    return fabsl(x / y);
}

static const operation operations[] = {
    {"axpy", run_axpy, want_axpy, size_axpy, 2, true},
    {"axpby", run_axpby, want_axpby, size_axpby, 2, true},
    {"scale", run_scale, want_scale, size_scale, 1, true},
    {"copy", run_copy, want_copy, no_size, 0, false},
    {"multiply", run_multiply, want_multiply, size_multiply, 1, false},
    {"divide", run_divide, want_divide, size_divide, 1, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void check(const operation *o, const columns *got, const columns *x, const columns *y,
                  tulle_type type) {
    for (int64_t k = 0; k < got->rows * got->cols; k++) {
        const long double bound =
            o->roundings *
            (unit_of(type) * (1 + unit_of(type)) * o->size(x->at[k], y->at[k]) + least_of(type));
        assert_near(got->at[k], o->want(x->at[k], y->at[k]), bound, o->name);
    }
}

static void try_operation(tulle_ctx *ctx, const operation *o, const int64_t shape[2],
                          const lie how[3], tulle_type type) {
    columns x = columns_random(shape[0], shape[1], 1, type);
    columns y = columns_random(shape[0], shape[1], 2, type);
    columns z = columns_random(shape[0], shape[1], 3, type);
    placed on_x = columns_place(ctx, &x, type, how[0]), on_y = columns_place(ctx, &y, type, how[1]);
    placed on_z = columns_place(ctx, &z, type, how[2]);
    must(o->run(ctx, &on_x, &on_y, &on_z));
    columns got = placed_read(ctx, o->z_is_y ? &on_y : &on_z), after = placed_read(ctx, &on_x);
    check(o, &got, &x, &y, type);
    for (int64_t k = 0; k < x.rows * x.cols; k++) assert_true(after.at[k] == x.at[k]);
    columns_free(&got);
    columns_free(&after);
    if (!o->z_is_y && o->run != run_copy) { /* the output is an input */
        must(o->run(ctx, &on_x, &on_y, &on_x));
        got = placed_read(ctx, &on_x);
        check(o, &got, &x, &y, type);
        columns_free(&got);
    }
    placed_free(&on_x);
    placed_free(&on_y);
    placed_free(&on_z);
    columns_free(&x);
    columns_free(&y);
    columns_free(&z);
}

/* All shapes and operations; layouts in turn, first alike and then mixed. */
static void definitions(tulle_ctx *ctx, const char *where) {
    for (int s = 0; s < SHAPES; s++) {
        for (int o = 0; o < OPERATIONS; o++) {
            for (int l = 0; l < LIES; l++) {
                if (is_slow(where) && (s + o + l + turn_of(where, 6)) % 6) continue;
                const lie alike[] = {lies[l], lies[l], lies[l]};
                const lie mixed[] = {lies[l], lies[(l + s) % LIES], lies[(l + o + 1) % LIES]};
                try_operation(ctx, operations + o, shapes[s], alike, l % 2 ? TULLE_F32 : TULLE_F64);
                try_operation(ctx, operations + o, shapes[s], mixed, l % 2 ? TULLE_F64 : TULLE_F32);
            }
        }
    }
}
static void test_definitions(void **state) {
    (void)state;
    on_each_place(definitions);
}

/* Large enough for several threads, and for several blocks of everything. */
static void large(tulle_ctx *ctx, const char *where) {
    const int64_t shape[] = {is_slow(where) ? 9001 : 50001, 3};
    for (int o = 0; o < OPERATIONS; o++) {
        const lie *how = lies + (o * 2 + 1) % LIES, all[] = {*how, *how, *how};
        try_operation(ctx, operations + o, shape, all, o % 2 ? TULLE_F32 : TULLE_F64);
        try_operation(ctx, operations + o, shape, lies, o % 2 ? TULLE_F64 : TULLE_F32);
    }
}
static void test_large(void **state) {
    (void)state;
    once_on_each_place(large);
}

/* Copies to the other type: exact, or rounded once. */
static void types(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int l = 0; l < LIES; l++) {
        for (int to = 0; to < 2; to++) {
            const tulle_type types_of[] = {to ? TULLE_F32 : TULLE_F64, to ? TULLE_F64 : TULLE_F32};
            columns x = columns_random(300, 3, 5, types_of[0]), y = columns_copy(&x);
            placed on_x = columns_place(ctx, &x, types_of[0], lies[l]);
            placed on_y = columns_place(ctx, &y, types_of[1], lies[(l * 5 + 1) % LIES]);
            must(tulle_vec_fill(ctx, on_y.X, 7));
            must(tulle_vec_copy(ctx, on_x.X, on_y.X));
            columns got = placed_read(ctx, &on_y);
            for (int64_t k = 0; k < 900; k++) {
                assert_true(got.at[k] == (to ? x.at[k] : (long double)(float)x.at[k]));
            }
            columns_free(&got);
            columns_free(&x);
            columns_free(&y);
            placed_free(&on_x);
            placed_free(&on_y);
        }
    }
}
static void test_types(void **state) {
    (void)state;
    once_on_each_place(types);
}

/* Scalars in the place's memory; a beta of 0 there keeps NaN of Y out; X and Y the same. */
static void scalars(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        columns x = columns_random(1030, 1, 1, (tulle_type)type), y = columns_copy(&x);
        columns two = {DEVICE_SCALARS, 1, (long double[]){alpha, 0}};
        for (int64_t k = 0; k < 1030; k++) y.at[k] = NAN;
        placed on_x = columns_place(ctx, &x, (tulle_type)type, lies[0]);
        placed on_y = columns_place(ctx, &y, (tulle_type)type, lies[0]);
        placed on_two = columns_place(ctx, &two, (tulle_type)type, lies[0]);
        tulle_vec_info info;
        must(tulle_vec_describe(on_two.X, &info));
        const tulle_scalar by = tulle_at(info.data);
        const tulle_scalar zero = tulle_at((char *)info.data + tulle_type_size((tulle_type)type));
        must(tulle_vec_axpby(ctx, by, on_x.X, zero, on_y.X));
        columns got = placed_read(ctx, &on_y);
        check(operations + 2, &got, &x, &x, (tulle_type)type);
        columns_free(&got);
        must(tulle_vec_axpby(ctx, by, on_x.X, tulle_num(0), on_y.X));
        must(tulle_vec_axpby(ctx, tulle_num(1), on_y.X, by, on_y.X)); /* y := y + alpha y */
        got = placed_read(ctx, &on_y);
        for (int64_t k = 0; k < 1030; k++) {
            const long double once = alpha * x.at[k];
            assert_near(got.at[k], once + alpha * once, 4 * unit_of((tulle_type)type) * 4,
                        "y + alpha y");
        }
        columns_free(&got);
        must(tulle_vec_scale(ctx, tulle_num(0), on_y.X));
        got = placed_read(ctx, &on_y);
        for (int64_t k = 0; k < 1030; k++) assert_true(got.at[k] == 0);
        columns_free(&got);
        columns_free(&x);
        columns_free(&y);
        placed_free(&on_x);
        placed_free(&on_y);
        placed_free(&on_two);
    }
}
static void test_scalars(void **state) {
    (void)state;
    on_each_place(scalars);
}

/* What is no number stays none, where it is, and nowhere else. */
static void no_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    columns x = columns_random(1100, 1, 1, TULLE_F64), y = columns_random(1100, 1, 2, TULLE_F64);
    const int64_t at[] = {0, 3, 517, 1099};
    const long double what[] = {NAN, INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 4; k++) x.at[at[k]] = what[k];
    y.at[600] = 0;
    placed on_x = columns_place(ctx, &x, TULLE_F64, lies[0]);
    placed on_y = columns_place(ctx, &y, TULLE_F64, lies[0]);
    placed on_z = columns_place(ctx, &y, TULLE_F64, lies[0]);
    for (int o = 0; o < OPERATIONS; o++) {
        must(tulle_vec_copy(ctx, on_z.X, on_y.X));
        must(operations[o].run(ctx, &on_x, &on_y, &on_z));
        columns got = placed_read(ctx, operations[o].z_is_y ? &on_y : &on_z);
        check(operations + o, &got, &x, &y, TULLE_F64);
        columns_free(&got);
        placed_free(&on_z);
        on_z = columns_place(ctx, &y, TULLE_F64, lies[0]);
    }
    must(tulle_vec_scale(ctx, tulle_num(0), on_x.X));
    columns got = placed_read(ctx, &on_x);
    for (int k = 0; k < 4; k++) assert_true(isnan(got.at[at[k]]));
    columns_free(&got);
    placed_free(&on_x);
    placed_free(&on_y);
    placed_free(&on_z);
    columns_free(&x);
    columns_free(&y);
}
static void test_no_numbers(void **state) {
    (void)state;
    once_on_each_place(no_numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_large),
        cmocka_unit_test(test_types),       cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
