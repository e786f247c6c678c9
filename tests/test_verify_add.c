/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of tulle add and tulle transpose: they take what is right, and find each thing that
 * may be wrong, where it is. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/progress.h"
#include "tools/common/verify_add.h"
#include "verified.h"

/* A = [1 2 0; 0 0 3], B = [0 4 5; 6 0 7], A + B = [1 6 5; 6 0 10], A' = [1 0; 2 0; 0 3] */
static const int32_t a_offsets[] = {0, 2, 3}, a_columns[] = {0, 1, 2};
static const double a_values[] = {1, 2, 3};
static const int32_t b_offsets[] = {0, 2, 4}, b_columns[] = {1, 2, 0, 2};
static const double b_values[] = {4, 5, 6, 7};
static const int32_t c_offsets[] = {0, 3, 5}, c_columns[] = {0, 1, 2, 0, 2};
static const double c_values[] = {1, 6, 5, 6, 10};
static const int32_t t_offsets[] = {0, 1, 2, 3}, t_columns[] = {0, 0, 1};

static tool_entry_error check(const tool_csr *A, tulle_trans op_A, double alpha, const tool_csr *B,
                              tulle_trans op_B, double beta, const tool_csr *C) {
    const tool_add_claim claim = {A, B, C, op_A, op_B, alpha, beta};
    tool_entry_error found;
    assert_int_equal(tool_verify_add(&claim, &found), TULLE_OK);
    return found;
}

/* Of A + B = C with another C. */
static tool_entry_error check_c(const int32_t *offsets, const int32_t *columns,
                                const double *values) {
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(2, 3, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 3, offsets, columns, values);
    return check(&a, TULLE_N, 1, &b, TULLE_N, 1, &c);
}

static void test_right(void **state) {
    (void)state;
    assert_right(check_c(c_offsets, c_columns, c_values));
}

/* A as the transpose of its transpose; both turned; factors. */
static void test_turned(void **state) {
    (void)state;
    static const int32_t ct_offsets[] = {0, 2, 3, 5}, ct_columns[] = {0, 1, 0, 0, 1};
    static const double ct_values[] = {-2, 18, 8, 15, 15}, scaled[] = {-2, 8, 15, 18, 15};
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(2, 3, b_offsets, b_columns, b_values);
    tool_csr at = csr(3, 2, t_offsets, t_columns, a_values);
    tool_csr c = csr(2, 3, c_offsets, c_columns, scaled);
    tool_csr ct = csr(3, 2, ct_offsets, ct_columns, ct_values);
    assert_right(check(&a, TULLE_N, -2, &b, TULLE_N, 3, &c));
    assert_right(check(&at, TULLE_T, -2, &b, TULLE_N, 3, &c));
    assert_right(check(&b, TULLE_N, 3, &at, TULLE_T, -2, &c));
    assert_right(check(&a, TULLE_T, -2, &b, TULLE_T, 3, &ct));
}

/* A as DCSR, of four rows with entries in rows 1 and 3 only. */
static void test_compressed(void **state) {
    (void)state;
    static const int32_t order[] = {1, 3}, offsets[] = {0, 0, 2, 2, 3}, none[] = {0, 0, 0, 0, 0};
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(4, 3, none, NULL, NULL), c = csr(4, 3, offsets, a_columns, a_values);
    a.rows = 4;
    a.order = order;
    assert_right(check(&a, TULLE_N, 1, &b, TULLE_N, 1, &c));
}

static void test_pattern(void **state) {
    (void)state;
    static const int32_t four[] = {0, 2, 4}, six[] = {0, 3, 6}, far[] = {0, 1, 2, 0, 3};
    static const int32_t fewer[] = {0, 2, 0, 2}, twice[] = {0, 1, 2, 0, 2, 2};
    static const int32_t more[] = {0, 1, 2, 0, 1, 2}, turned[] = {0, 2, 1, 0, 2};
    static const double other[] = {1, 5, 6, 10}, longer[] = {1, 6, 5, 6, 10, 10};
    static const double turned_values[] = {1, 5, 6, 6, 10};
    assert_fault(check_c(four, fewer, other), 0, 1, "missing");
    assert_fault(check_c(six, twice, longer), 1, 2, "twice");
    assert_fault(check_c(six, more, longer), 1, 1, "neither A nor B");
    assert_fault(check_c(c_offsets, far, c_values), 1, 3, "neither A nor B");
    assert_fault(check_c(c_offsets, turned, turned_values), 0, 1, "later column");
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr wide = csr(2, 3, c_offsets, c_columns, c_values);
    wide.cols = 4;
    assert_fault(check(&a, TULLE_N, 1, &a, TULLE_N, 1, &wide), 2, 4, "not the sum's");
}

/* An entry that is 0 by cancelling belongs to C. */
static void test_zeros(void **state) {
    (void)state;
    static const int32_t one[] = {0, 1}, none[] = {0, 0}, first[] = {0};
    static const double two = 2, zero = 0;
    tool_csr a = csr(1, 1, one, first, &two), with = csr(1, 1, one, first, &zero);
    tool_csr without = csr(1, 1, none, first, &zero);
    assert_right(check(&a, TULLE_N, 1, &a, TULLE_N, -1, &with));
    assert_fault(check(&a, TULLE_N, 1, &a, TULLE_N, -1, &without), 0, 0, "missing");
}

/* Of `more` entries of A and one of B, all in one place: gamma(more + 1) times the magnitudes. */
static void test_bound(void **state) {
    (void)state;
    static const int32_t one[] = {0, 1}, first[] = {0, 0, 0};
    static const double three[] = {3, 3, 3}, five = 5;
    for (int32_t more = 1; more <= 3; more++) {
        const int32_t offsets[] = {0, more};
        tool_csr A = csr(1, 1, offsets, first, three), B = csr(1, 1, one, first, &five);
        double want = 4.0 * 3 * more - 2 * 5, mass = 4.0 * 3 * more + 2 * 5;
        for (int i = 0; i < 2; i++) {
            double bound = (more + 1) * (DBL_EPSILON / 2) * mass;
            double value = want + (i ? 1.5 : 0.6) * bound;
            tool_csr C = csr(1, 1, one, first, &value);
            tool_entry_error found = check(&A, TULLE_N, 4, &B, TULLE_N, -2, &C);
            tool_entry_error turned = check(&B, TULLE_N, -2, &A, TULLE_N, 4, &C);
            double units = (value - want) / bound;
            assert_true(fabs(found.units - units) < 1e-6 * units && found.units == turned.units);
            assert_true((found.units <= 1) == (i == 0));
            assert_true(found.got == value && found.want == want);
        }
    }
}

/* Of a once or twice and b, each in the same place. */
static double units_of(tulle_type type, double a, bool twice, double alpha, double b, double beta,
                       double c) {
    static const int32_t offsets[] = {0, 1}, two[] = {0, 2}, columns[] = {0, 0};
    const double both[] = {a, a};
    float narrow = (float)c;
    tool_csr A = csr(1, 1, twice ? two : offsets, columns, both),
             B = csr(1, 1, offsets, columns, &b);
    tool_csr C = csr(1, 1, offsets, columns, &c);
    C.type = type;
    if (type == TULLE_F32) C.values = &narrow;
    return check(&A, TULLE_N, alpha, &B, TULLE_N, beta, &C).units;
}

/* Underflow counts, and overflow excuses: in repeated entries, before they are multiplied. */
static void test_range(void **state) {
    (void)state;
    const tulle_type d = TULLE_F64, f = TULLE_F32;
    assert_true(units_of(d, 1e-200, false, 1e-200, 0, 1, 0) <= 1);
    assert_true(units_of(d, 1e-200, false, 1e-100, 0, 1, 0) > 1);
    assert_true(units_of(d, 1e200, false, 1e200, 1, 1, INFINITY) <= 1);
    assert_true(units_of(d, 1e200, false, 1, 1, 1, INFINITY) > 1);
    assert_true(units_of(d, 1e308, true, 0.5, 0, 1, INFINITY) <= 1);
    assert_true(units_of(d, 1e308, true, 0, 0, 1, NAN) <= 1);
    assert_true(units_of(d, 1e308, false, 0.5, 0, 1, INFINITY) > 1);
    assert_true(units_of(d, 1e300, true, 0.5, 0, 1, 1e300) <= 1);
    assert_true(units_of(d, 1e300, true, 0.5, 0, 1, INFINITY) > 1);
    assert_true(units_of(d, 1e308, true, 0.5, 0, 1, 2e307) > 1);
    assert_true(units_of(d, 3, true, 0.5, 1, 1, 5) > 1);
    assert_true(units_of(d, 3, true, 0, 1, 1, 5) > 1);
    assert_true(units_of(d, INFINITY, false, 1, 1, 1, INFINITY) <= 1);
    assert_true(units_of(d, INFINITY, false, 0, 1, 1, NAN) <= 1);
    assert_true(units_of(d, INFINITY, false, 1, 1, 1, 0) > 1);
    assert_true(units_of(f, 1, false, 1, 1, 1, 2 + 2e-7) <= 2);
    assert_true(units_of(d, 1, false, 1, 1, 1, 2 + 2e-7) > 1e6);
    /* 0.1 is another number as f32 */
    assert_true(units_of(f, 1 << 20, false, 0.1, 0, 1, (double)(0.1f * (1 << 20))) == 0);
}

static tool_entry_error check_turned(const int32_t *offsets, const int32_t *columns,
                                     const double *values) {
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr t = csr(3, 2, offsets, columns, values);
    tool_entry_error found;
    assert_int_equal(tool_verify_transpose(&a, &t, &found), TULLE_OK);
    return found;
}

static void test_transpose(void **state) {
    (void)state;
    static const int32_t fewer[] = {0, 1, 1, 2}, later[] = {0, 1, 2, 2}, swapped[] = {0, 1, 1};
    static const int32_t back[] = {0, 1, 2, 4}, more[] = {0, 0, 1, 1};
    static const double other[] = {1, 2, 3.5, 0}, longer[] = {1, 2, 3, 3};
    assert_right(check_turned(t_offsets, t_columns, a_values));
    assert_fault(check_turned(fewer, t_columns, a_values), 1, 0, "missing");
    assert_fault(check_turned(later, t_columns, a_values), 2, 1, "missing");
    assert_fault(check_turned(t_offsets, swapped, a_values), 1, 0, "missing");
    assert_fault(check_turned(back, more, longer), 2, 1, "A has none");
    tool_entry_error found = check_turned(t_offsets, t_columns, other);
    assert_true(found.units > 1 && !found.fault && found.row == 2 && found.column == 1);
    assert_true(found.got == 3.5 && found.want == 3);
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    assert_int_equal(tool_verify_transpose(&a, &a, &found), TULLE_OK);
    assert_fault(found, 2, 3, "not the transpose's");
}

/* Repeated entries keep their order, and -0 is not 0. */
static void test_transpose_bits(void **state) {
    (void)state;
    static const int32_t two[] = {0, 2}, first[] = {0, 0};
    static const double given[] = {0.0, 2}, turned[] = {2, 0.0}, negative[] = {-0.0, 2};
    tool_csr a = csr(1, 1, two, first, given), wrong = csr(1, 1, two, first, turned);
    tool_csr other = csr(1, 1, two, first, negative);
    tool_entry_error found;
    assert_int_equal(tool_verify_transpose(&a, &a, &found), TULLE_OK);
    assert_right(found);
    assert_int_equal(tool_verify_transpose(&a, &wrong, &found), TULLE_OK);
    assert_true(found.units > 1 && !found.fault && found.got == 2);
    assert_int_equal(tool_verify_transpose(&a, &other, &found), TULLE_OK);
    assert_true(found.units > 1 && !found.fault && signbit(found.got));
}

/* A transpose as DCSR: of A's four columns, the second has no entries. */
static void test_transpose_compressed(void **state) {
    (void)state;
    static const int32_t columns[] = {0, 2, 3}, order[] = {0, 2, 3}, swapped[] = {0, 1, 3};
    tool_csr a = csr(2, 4, a_offsets, columns, a_values);
    tool_csr t = csr(3, 2, t_offsets, t_columns, a_values);
    tool_entry_error found;
    t.rows = 4;
    t.order = order;
    assert_int_equal(tool_verify_transpose(&a, &t, &found), TULLE_OK);
    assert_right(found);
    t.order = swapped;
    assert_int_equal(tool_verify_transpose(&a, &t, &found), TULLE_OK);
    assert_fault(found, 1, 0, "A has none");
    t.order = order;
    t.heads = 2;
    t.nnz = 2;
    assert_int_equal(tool_verify_transpose(&a, &t, &found), TULLE_OK);
    assert_fault(found, 4, 0, "ends elsewhere");
}

/* The last test: the interrupt stays. */
static void test_interrupted(void **state) {
    (void)state;
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr t = csr(3, 2, t_offsets, t_columns, a_values);
    const tool_add_claim claim = {&a, &a, &a, TULLE_N, TULLE_N, 1, 0};
    tool_entry_error found;
    tool_catch_interrupt();
    raise(SIGTERM);
    assert_int_equal(tool_verify_add(&claim, &found), TULLE_CANCELLED);
    assert_int_equal(tool_verify_transpose(&a, &t, &found), TULLE_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),          cmocka_unit_test(test_turned),
        cmocka_unit_test(test_compressed),     cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_zeros),          cmocka_unit_test(test_bound),
        cmocka_unit_test(test_range),          cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_transpose_bits), cmocka_unit_test(test_transpose_compressed),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
