/* SPDX-License-Identifier: Apache-2.0 */
/* Inner products and norms of columns: against the definition in long double, at both ends of the
 * numbers, the same bits whatever the threads, on the host and in the place's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "places.h"
#include "tulle/vec.h"

enum { MOST_COLS = 300 };

static const int64_t shapes[][2] = {{0, 1},     {0, 3},    {1, 1},    {2, 1},    {3, 2},
                                    {15, 1},    {16, 1},   {17, 5},   {255, 1},  {1000, 1},
                                    {1025, 3},  {4095, 1}, {4096, 1}, {4097, 1}, {8193, 2},
                                    {20011, 1}, {7, 300},  {5000, 4}, {300, 33}, {5, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const lie lies[] = {
    {TULLE_COLUMN_MAJOR, 0, 0}, {TULLE_COLUMN_MAJOR, 4, 0}, {TULLE_COLUMN_MAJOR, 3, 1},
    {TULLE_ROW_MAJOR, 0, 0},    {TULLE_ROW_MAJOR, 1, 0},    {TULLE_ROW_MAJOR, 4, 3},
};
enum { LIES = sizeof lies / sizeof *lies };

/* As tulle/vec.h has it. */
static long double depth_of(int64_t n) {
    return 600 + (long double)n / 2048;
}

static void check_dot(const columns *x, const columns *y, const double *got, tulle_type type) {
    for (int64_t c = 0; c < x->cols; c++) {
        long double sum = 0, size = 0;
        for (int64_t i = 0; i < x->rows; i++) {
            const long double product = x->at[i + c * x->rows] * y->at[i + c * x->rows];
            sum += product;
            size += fabsl(product);
        }
        const long double bound = unit_of(type) * fabsl(sum) +
                                  gamma_of(depth_of(x->rows), TULLE_F64) * size +
                                  (long double)x->rows * 0x1p-1074L;
        assert_near((long double)got[c], sum, bound, "dot");
    }
}

static void check_norms(tulle_ctx *ctx, const columns *x, const placed *on, tulle_type type) {
    double norm[MOST_COLS], most[MOST_COLS];
    must(tulle_vec_norm2(ctx, on->X, tulle_to_num(norm)));
    must(tulle_vec_norm_max(ctx, on->X, tulle_to_num(most)));
    for (int64_t c = 0; c < x->cols; c++) {
        long double sum = 0, largest = 0;
        for (int64_t i = 0; i < x->rows; i++) {
            const long double v = fabsl(x->at[i + c * x->rows]);
            sum += v * v; /* the exponents of long double go far enough */
            if (v > largest) largest = v;
        }
        const long double exact = sqrtl(sum);
        const long double bound =
            (3 * unit_of(type) + gamma_of(depth_of(x->rows), TULLE_F64) / 2) * exact +
            least_of(type);
        assert_near((long double)norm[c], exact, bound, "norm2");
        assert_true((long double)most[c] == largest);
    }
}

static void try_shape(tulle_ctx *ctx, const int64_t shape[2], lie of_x, lie of_y, tulle_type type) {
    columns x = columns_random(shape[0], shape[1], 1, type);
    columns y = columns_random(shape[0], shape[1], 2, type);
    placed on_x = columns_place(ctx, &x, type, of_x), on_y = columns_place(ctx, &y, type, of_y);
    double got[MOST_COLS], fused[MOST_COLS], again[MOST_COLS];
    must(tulle_vec_dot(ctx, on_x.X, on_y.X, tulle_to_num(got)));
    check_dot(&x, &y, got, type);
    must(tulle_vec_dot(ctx, on_x.X, on_x.X, tulle_to_num(got)));
    check_dot(&x, &x, got, type);
    check_norms(ctx, &x, &on_x, type);

    /* Fused: the bits of both calls, with a third operand and with Y itself. */
    for (int with_y = 0; with_y < 2; with_y++) {
        placed a = columns_place(ctx, &y, type, of_y), b = columns_place(ctx, &y, type, of_y);
        must(tulle_vec_axpy_dot(ctx, tulle_num(-0.3), on_x.X, a.X, with_y ? a.X : on_x.X,
                                tulle_to_num(fused)));
        must(tulle_vec_axpy(ctx, tulle_num(-0.3), on_x.X, b.X));
        must(tulle_vec_dot(ctx, with_y ? b.X : on_x.X, b.X, tulle_to_num(again)));
        columns of_a = placed_read(ctx, &a), of_b = placed_read(ctx, &b);
        for (int64_t k = 0; k < x.rows * x.cols; k++) assert_true(of_a.at[k] == of_b.at[k]);
        assert_memory_equal(fused, again, (size_t)x.cols * sizeof *fused);
        columns_free(&of_a);
        columns_free(&of_b);
        placed_free(&a);
        placed_free(&b);
    }
    placed_free(&on_x);
    placed_free(&on_y);
    columns_free(&x);
    columns_free(&y);
}

static void definitions(tulle_ctx *ctx, const char *where) {
    for (int s = 0; s < SHAPES; s++) {
        for (int l = 0; l < LIES; l++) {
            if (is_slow(where) && (s + l + turn_of(where, 4)) % 4) continue;
            try_shape(ctx, shapes[s], lies[l], lies[l], (s + l) % 2 ? TULLE_F32 : TULLE_F64);
            try_shape(ctx, shapes[s], lies[l], lies[(l + s + 1) % LIES],
                      (s + l) % 2 ? TULLE_F64 : TULLE_F32);
        }
    }
}
static void test_definitions(void **state) {
    (void)state;
    on_each_place(definitions);
}

/* A column has the same bits whether it can be loaded by packs or not. */
static void alignment(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        columns x = columns_random(9000, 1, 7, (tulle_type)type);
        double want[3], got[3];
        for (int64_t shift = 0; shift < 5; shift++) {
            placed on = columns_place(ctx, &x, (tulle_type)type,
                                      (lie){shift == 4 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR,
                                            shift == 4 ? 2 : 0, shift});
            must(tulle_vec_dot(ctx, on.X, on.X, tulle_to_num(got)));
            must(tulle_vec_norm2(ctx, on.X, tulle_to_num(got + 1)));
            must(tulle_vec_norm_max(ctx, on.X, tulle_to_num(got + 2)));
            if (shift == 0) memcpy(want, got, sizeof want);
            assert_memory_equal(got, want, sizeof want);
            placed_free(&on);
        }
        columns_free(&x);
    }
}
static void test_alignment(void **state) {
    (void)state;
    once_on_each_place(alignment);
}

/* Numbers whose squares are none; all at one end, and mixed with others. */
static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int exponents[3][2][4] = {
        {{127, -149, 100, -140}, {1023, -1074, 600, -900}},
        {{70, 64, -60, -64}, {495, 492, -505, -511}}, /* around the limits of large and small */
        {{-100, -120, -140, -149}, {-600, -700, -800, -1000}}};
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int mix = 1; mix < 128; mix++) {
            columns x = columns_random(mix % 2 ? 40 : 5000, 2, (uint64_t)mix, (tulle_type)type);
            for (int64_t k = 0; k < x.rows * x.cols; k++) {
                int pick = (int)(k * 7 % 4), by = 0;
                if (mix >> pick & 1) by = exponents[mix % 3][type - TULLE_F32][pick];
                if (mix >> 4 && k % 3) x.at[k] = 0;
                x.at[k] = ldexpl(x.at[k], by) / (by > 0 ? 128 : 1);
                x.at[k] =
                    type == TULLE_F64 ? (long double)(double)x.at[k] : (long double)(float)x.at[k];
            }
            placed on = columns_place(ctx, &x, (tulle_type)type, lies[mix % LIES]);
            check_norms(ctx, &x, &on, (tulle_type)type);
            placed_free(&on);
            columns_free(&x);
            if (mix >= 40 && is_slow(where)) break;
        }
    }
}
static void test_ends(void **state) {
    (void)state;
    once_on_each_place(ends);
}

/* A norm beyond the largest number is Inf; NaN wins over all, wherever it stands. */
static void no_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t places_of[] = {0, 5, 4500, 8999};
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        const long double huge = type == TULLE_F64 ? 0x1.8p1023L : 0x1.8p127L,
                          tiny = type == TULLE_F64 ? 0x1p-1074L : 0x1p-149L;
        for (int p = 0; p < 4; p++) {
            for (int what = 0; what < 5; what++) {
                columns x = columns_random(9000, 1, 1, (tulle_type)type);
                const int64_t at = places_of[p];
                x.at[at] = what == 0 ? NAN : INFINITY;
                if (what == 2) x.at[(at + 4000) % 9000] = NAN;
                for (int64_t k = 0; k < 9000 && what > 2; k++) x.at[k] = what == 3 ? huge : tiny;
                if (what == 4) x.at[at] = NAN;
                placed on = columns_place(ctx, &x, (tulle_type)type, lies[0]);
                double norm, most, dot;
                must(tulle_vec_norm2(ctx, on.X, tulle_to_num(&norm)));
                must(tulle_vec_norm_max(ctx, on.X, tulle_to_num(&most)));
                must(tulle_vec_dot(ctx, on.X, on.X, tulle_to_num(&dot)));
                const bool nan = what == 0 || what == 2 || what == 4;
                assert_true(nan ? isnan(norm) : isinf(norm));
                assert_true(nan ? isnan(dot) : isinf(dot));
                assert_true(nan         ? isnan(most)
                            : what == 3 ? (long double)most == huge
                                        : isinf(most));
                placed_free(&on);
                columns_free(&x);
            }
        }
    }
}
static void test_no_numbers(void **state) {
    (void)state;
    once_on_each_place(no_numbers);
}

/* The same bits for any number of threads, and in any order of a GPU's. */
static void test_threads(void **state) {
    (void)state;
    static const char *const where[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
    double want[12], got[12];
    columns x = columns_random(60013, 3, 1, TULLE_F64), y = columns_random(60013, 3, 2, TULLE_F64);
    for (int w = 0; w < 4; w++) {
        tulle_ctx *ctx = NULL;
        must(tulle_ctx_create(where[w], NULL, &ctx));
        placed on_x = columns_place(ctx, &x, TULLE_F64, lies[w % 2]);
        placed on_y = columns_place(ctx, &y, TULLE_F64, lies[w % 2]);
        must(tulle_vec_dot(ctx, on_x.X, on_y.X, tulle_to_num(got)));
        must(tulle_vec_norm2(ctx, on_x.X, tulle_to_num(got + 3)));
        must(tulle_vec_norm_max(ctx, on_x.X, tulle_to_num(got + 6)));
        must(
            tulle_vec_axpy_dot(ctx, tulle_num(0.1), on_x.X, on_y.X, on_y.X, tulle_to_num(got + 9)));
        if (w == 0) memcpy(want, got, sizeof want);
        assert_memory_equal(got, want, sizeof want);
        placed_free(&on_x);
        placed_free(&on_y);
        tulle_ctx_destroy(ctx);
    }
    columns_free(&x);
    columns_free(&y);
}

static double first_bits; /* of the first order of the emulator's threads */
static void orders(tulle_ctx *ctx, const char *where) {
    if (!is_slow(where)) return;
    columns x = columns_random(30011, 1, 1, TULLE_F64);
    placed on = columns_place(ctx, &x, TULLE_F64, lies[0]);
    double got;
    must(tulle_vec_dot(ctx, on.X, on.X, tulle_to_num(&got)));
    if (first_bits == 0) first_bits = got;
    assert_memory_equal(&got, &first_bits, sizeof got);
    placed_free(&on);
    columns_free(&x);
}
static void test_orders(void **state) {
    (void)state;
    on_each_place(orders);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
