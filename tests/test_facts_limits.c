/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of matrices whose numbers are at a limit: infinite or NaN, at the ends of their types, or a
 * rounding away from the limits of the comparisons. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dense_facts.h"
#include "places.h"

/* Numbers that are Inf or NaN, alone, equal to their mirror images, and on the diagonal. */
static void not_finite(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double odd[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 4; at++) {
            dense d = dense_random(&dense_kinds[0], TULLE_F64, (uint64_t)(i + 3));
            dense_put(&d, 13, at == 0 ? 13 : 4, odd[i]);
            if (at == 2) dense_put(&d, 4, 13, odd[i]);
            if (at == 3) dense_put(&d, 19, 0, odd[(i + 1) % 3]);
            facts_check_types(ctx, &d);
        }
    }
}

static void test_not_finite(void **state) {
    (void)state;
    on_each_place(not_finite);
}

/* Numbers at the ends of the types, whose products and sums are beyond them. */
static void extremes(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double sizes[] = {DBL_MAX, 1e300, 1e-300, DBL_MIN, 0x1p-1074, 3 * 0x1p-1060};
    for (int s = 0; s < 6; s++) {
        const double v = sizes[s];
        dense d = {.rows = 4, .cols = 4};
        for (int i = 0; i < 4; i++) dense_put(&d, i, i, v);
        dense_put(&d, 0, 1, v), dense_put(&d, 1, 0, v);
        dense_put(&d, 1, 2, v), dense_put(&d, 2, 1, -v);
        dense_put(&d, 0, 3, v / 2), dense_put(&d, 3, 0, nextafter(v / 2, 0));
        dense_put(&d, 2, 3, v), dense_put(&d, 2, 0, nextafter(v, 0));
        facts_check(ctx, &d, TULLE_I32, TULLE_F64);
    }
    dense d = {.rows = 2, .cols = 2};
    dense_put(&d, 0, 0, 0x1p-149), dense_put(&d, 1, 1, (double)FLT_MAX);
    dense_put(&d, 0, 1, 1.5), dense_put(&d, 1, 0, 1.5 + 0x1p-22);
    facts_check_types(ctx, &d);
}

static void test_extremes(void **state) {
    (void)state;
    on_each_place(extremes);
}

/* The limits themselves: one rounding of u on either side of each. */
static void limits(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int roundings = 1; roundings <= 40; roundings++) {
        const double off = roundings * 0x1p-52;
        dense d = {.rows = 6, .cols = 6};
        for (int i = 0; i < 6; i++) dense_put(&d, i, i, i == 5 ? 0 : 1);
        dense_put(&d, 0, 1, 1), dense_put(&d, 1, 0, 1 + off);     /* within 8 u (2 + off) */
        dense_put(&d, 0, 2, 0.5), dense_put(&d, 2, 0, 0.5 - off); /* within 8 u (3 / 2) */
        dense_put(&d, 3, 4, off / 2); /* alone: within 8 u (1 + off / 2) */
        dense_put(&d, 3, 5, 1),
            dense_put(&d, 5, 3, 1 + off); /* no diagonal: within 8 u (1 + off) */
        dense_put(&d, 4, 0, 1 + off / 2), dense_put(&d, 0, 4, 1 + off / 2);
        facts_check(ctx, &d, TULLE_I32, TULLE_F64);
        dense e = {.rows = 3, .cols = 3};
        dense_put(&e, 0, 0, 1), dense_put(&e, 1, 1, 1), dense_put(&e, 2, 2, 1);
        dense_put(&e, 0, 1, 0.5), dense_put(&e, 0, 2, 0.5 + off);
        facts_check(ctx, &e, TULLE_I64, TULLE_F64);
    }
}

static void test_limits(void **state) {
    (void)state;
    on_each_place(limits);
}

/* Fails unless the last row of so many is counted as not dominant, or is not. One is the column of
 * the entry 1; the others are half a rounding of it. */
static void check_sum(tulle_ctx *ctx, int one, int roundings, int64_t not_dominant) {
    dense d = {.rows = 16, .cols = 16};
    for (int j = 0; j < 15; j++) dense_put(&d, 15, j, j == one ? 1 : 0x1p-53);
    dense_put(&d, 15, 15, 1 - roundings * 0x1p-52);
    entries e = dense_entries(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.not_dominant, not_dominant);
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* Sums that depend on their order: 1 in the order of the columns where 1 is the first number, and
 * seven roundings more where it is the last. Twenty are allowed. */
static void order_of_sums(tulle_ctx *ctx, const char *where) {
    (void)where;
    check_sum(ctx, 0, 18, 0);
    check_sum(ctx, 0, 20, 1);
    check_sum(ctx, 14, 12, 0);
    check_sum(ctx, 14, 13, 1);
}

static void test_order_of_sums(void **state) {
    (void)state;
    on_each_place(order_of_sums);
}

/* Entries that are 0, or what rounding leaves of 0, make no row uneven. */
static void dust(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 3, 6, 9}, columns[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const double values[] = {4, -1, -1e-17, -1, 4, -0.1, 0, -1, 4};
    (void)where;
    for (int power = -900; power <= 900; power += 900) {
        double scaled[9];
        tulle_mat *A = NULL;
        tulle_facts f;
        for (int k = 0; k < 9; k++) scaled[k] = ldexp(values[k], power);
        must(tulle_mat_create_csr(ctx, 3, 3, 9, TULLE_I32, offsets, columns, TULLE_F64, scaled,
                                  NULL, &A));
        must(tulle_mat_facts(ctx, A, &f));
        assert_int_equal(f.uneven, 1);
        tulle_mat_destroy(A);
    }
}

static void test_dust(void **state) {
    (void)state;
    on_each_place(dust);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_order_of_sums),
        cmocka_unit_test(test_dust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
