/* SPDX-License-Identifier: Apache-2.0 */
/* The check of tulle spgemm: takes what is right, and finds each thing that may be wrong, where it
 * is. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/progress.h"
#include "tools/common/verify_spgemm.h"
#include "verified.h"

/* A = [1 2 0; 0 0 3], B = [0 4; 5 0; 6 7], A B = [10 4; 18 21] */
static const int32_t a_offsets[] = {0, 2, 3}, a_columns[] = {0, 1, 2};
static const double a_values[] = {1, 2, 3};
static const int32_t b_offsets[] = {0, 1, 2, 4}, b_columns[] = {1, 0, 0, 1};
static const double b_values[] = {4, 5, 6, 7};
static const int32_t c_offsets[] = {0, 2, 4}, c_columns[] = {0, 1, 0, 1};
static const double c_values[] = {10, 4, 18, 21};

static tool_spgemm_error check(const tool_csr *A, tulle_trans op_A, const tool_csr *B,
                               tulle_trans op_B, double alpha, const tool_csr *C, bool rising) {
    const tool_spgemm_claim claim = {
        .A = A, .B = B, .C = C, .op_A = op_A, .op_B = op_B, .alpha = alpha, .rising = rising};
    tool_spgemm_error found;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    return found;
}

/* Of A B = C with another C. */
static tool_spgemm_error check_c(const int32_t *offsets, const int32_t *columns,
                                 const double *values, bool rising) {
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, offsets, columns, values);
    return check(&a, TULLE_N, &b, TULLE_N, 1, &c, rising);
}

static void test_right(void **state) {
    (void)state;
    assert_right(check_c(c_offsets, c_columns, c_values, true));
}

/* A as the transpose of a matrix that holds its transpose, B too. */
static void test_turned(void **state) {
    (void)state;
    static const int32_t at_offsets[] = {0, 1, 2, 3}, at_columns[] = {0, 0, 1};
    static const int32_t bt_offsets[] = {0, 2, 4}, bt_columns[] = {1, 2, 0, 2};
    static const double bt_values[] = {5, 6, 4, 7};
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, c_offsets, c_columns, c_values);
    tool_csr at = csr(3, 2, at_offsets, at_columns, a_values);
    tool_csr bt = csr(2, 3, bt_offsets, bt_columns, bt_values);
    assert_right(check(&at, TULLE_T, &b, TULLE_N, 1, &c, true));
    assert_right(check(&a, TULLE_N, &bt, TULLE_T, 1, &c, true));
    assert_right(check(&at, TULLE_T, &bt, TULLE_T, 1, &c, true));
}

/* B as DCSR, of six rows with entries in rows 1, 3 and 4 only. */
static void test_compressed(void **state) {
    (void)state;
    static const int32_t columns[] = {1, 3, 4}, order[] = {1, 3, 4};
    tool_csr a = csr(2, 6, a_offsets, columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, c_offsets, c_columns, c_values);
    b.rows = 6;
    b.order = order;
    assert_right(check(&a, TULLE_N, &b, TULLE_N, 1, &c, true));
}

static void test_pattern(void **state) {
    (void)state;
    static const int32_t three[] = {0, 1, 3}, five[] = {0, 2, 5}, back[] = {0, 3, 2};
    static const int32_t turned[] = {1, 0, 0, 1}, twice[] = {0, 1, 0, 1, 0}, far[] = {0, 1, 0, 2};
    static const double turned_values[] = {4, 10, 18, 21}, more[] = {10, 4, 18, 21, 18};
    assert_fault(check_c(three, c_columns + 1, c_values + 1, true), 0, 0, "missing");
    assert_fault(check_c(five, twice, more, false), 1, 0, "twice");
    assert_fault(check_c(c_offsets, far, c_values, true), 1, 2, "no products");
    assert_fault(check_c(c_offsets, turned, turned_values, true), 0, 0, "later column");
    assert_right(check_c(c_offsets, turned, turned_values, false));
    assert_fault(check_c(back, c_columns, c_values, true), 1, 0, "before it begins");
}

/* An entry that is 0 by cancelling belongs to C; one where nothing meets does not. */
static void test_zeros(void **state) {
    (void)state;
    static const int32_t offsets[] = {0, 2}, columns[] = {0, 1}, one[] = {0, 1, 2}, both[] = {0, 0};
    static const double plus_minus[] = {1, -1}, ones[] = {1, 1}, zeros[] = {0, 0};
    tool_csr a = csr(1, 2, offsets, columns, plus_minus), b = csr(2, 2, one, both, ones);
    tool_csr with = csr(1, 2, one, columns, zeros), without = csr(1, 2, both, columns, zeros);
    tool_csr beside = csr(1, 2, offsets, columns, zeros);
    assert_right(check(&a, TULLE_N, &b, TULLE_N, 1, &with, true));
    assert_fault(check(&a, TULLE_N, &b, TULLE_N, 1, &without, true), 0, 0, "missing");
    assert_fault(check(&a, TULLE_N, &b, TULLE_N, 1, &beside, true), 0, 1, "no products");
}

static void test_shape(void **state) {
    (void)state;
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, c_offsets, c_columns, c_values);
    c.cols = 3;
    assert_fault(check(&a, TULLE_N, &b, TULLE_N, 1, &c, true), 2, 3, "shape");
    c.cols = 2;
    c.nnz = 5;
    assert_fault(check(&a, TULLE_N, &b, TULLE_N, 1, &c, true), 2, 0, "ends elsewhere");
}

/* -2 from the products 4 and -6: its bound is gamma(3) 10, or with an alpha gamma(3) |alpha| 10. */
static void test_bound(void **state) {
    (void)state;
    static const int32_t row[] = {0, 2}, column[] = {0, 1, 2}, one[] = {0, 1}, places[] = {0, 1};
    static const int32_t first[] = {0, 0};
    static const double left[] = {2, 3}, right[] = {2, -2}, alphas[] = {1, -4};
    tool_csr A = csr(1, 2, row, places, left), B = csr(2, 1, column, first, right);
    for (int i = 0; i < 4; i++) {
        double alpha = alphas[i / 2], want = -2 * alpha;
        double bound = 3 * (DBL_EPSILON / 2) * 10 * fabs(alpha);
        double value = want + (i % 2 ? 1.5 : 0.6) * bound;
        tool_csr C = csr(1, 1, one, first, &value);
        tool_spgemm_error found = check(&A, TULLE_N, &B, TULLE_N, alpha, &C, true);
        double units = (value - want) / bound;
        assert_true(fabs(found.units - units) < 1e-6 * units);
        assert_true((found.units <= 1) == (i % 2 == 0));
        assert_true(found.got == value && found.want == want);
    }
}

/* The worst entry is named, of equals the first. */
static void test_worst(void **state) {
    (void)state;
    const double last[] = {11, 4, 18, 100}, both[] = {NAN, 4, NAN, 21};
    tool_spgemm_error found = check_c(c_offsets, c_columns, last, true);
    assert_true(found.row == 1 && found.column == 1 && found.got == 100 && found.want == 21);
    found = check_c(c_offsets, c_columns, both, true);
    assert_true(found.row == 0 && found.column == 0 && isinf(found.units) && !found.fault);
}

/* What one product is, in a type. */
static double units_of(tulle_type type, double a, double b, double alpha, double c) {
    static const int32_t offsets[] = {0, 1}, columns[] = {0};
    float narrow = (float)c;
    tool_csr A = csr(1, 1, offsets, columns, &a), B = csr(1, 1, offsets, columns, &b);
    tool_csr C = csr(1, 1, offsets, columns, &c);
    C.type = type;
    if (type == TULLE_F32) C.values = &narrow;
    return check(&A, TULLE_N, &B, TULLE_N, alpha, &C, true).units;
}

/* Underflow counts, and overflow excuses, in the sum as before the alpha as behind it. */
static void test_range(void **state) {
    (void)state;
    assert_true(units_of(TULLE_F64, 1e-200, 1e-200, 1, 0) <= 1);
    assert_true(units_of(TULLE_F64, 1e-200, 1e-200, 1, 1e-300) > 1);
    assert_true(units_of(TULLE_F64, 1e-200, 1e-200, 1e30, 0) <= 1);
    assert_true(units_of(TULLE_F64, 1e-200, 1e-100, 1, 0) > 1);
    assert_true(units_of(TULLE_F64, 1e200, 1e200, 1, INFINITY) <= 1);
    assert_true(units_of(TULLE_F64, 1e200, 1e200, 1e-300, INFINITY) <= 1);
    assert_true(units_of(TULLE_F64, 1e200, 1e200, 0, NAN) <= 1);
    assert_true(units_of(TULLE_F64, 1e200, 1e100, 1e100, INFINITY) <= 1);
    assert_true(units_of(TULLE_F64, 1e200, 1e100, 1, INFINITY) > 1);
    assert_true(units_of(TULLE_F32, 1e30, 1e30, 1, INFINITY) <= 1);
    assert_true(units_of(TULLE_F32, 1, 1, 1, 1 + 1e-7) <= 2);
    assert_true(units_of(TULLE_F64, 1, 1, 1, 1 + 1e-7) > 1e6);
    assert_true(units_of(TULLE_F64, INFINITY, 1, 1, INFINITY) <= 1);
    assert_true(units_of(TULLE_F64, INFINITY, 0, 1, NAN) <= 1);
    assert_true(units_of(TULLE_F64, INFINITY, 1, 0, NAN) <= 1);
    assert_true(units_of(TULLE_F64, INFINITY, 1, 1, 0) > 1);
    assert_true(units_of(TULLE_F64, 2, 3, -0.5, -3) == 0);
    assert_true(units_of(TULLE_F64, 2, 3, -0.5, 6) > 1);
}

/* Rows beyond those between two looks at the interrupt key: A has an entry in the last. */
static void test_many_rows(void **state) {
    (void)state;
    enum { ROWS = (1 << 20) + 7 };
    static const int32_t offsets[] = {0, 1}, columns[] = {0};
    int32_t *many = calloc(ROWS + 1, sizeof *many);
    assert_non_null(many);
    many[ROWS] = 1;
    const double two = 2, three = 3, six = 6, seven = 7;
    tool_csr A = csr(ROWS, 1, many, columns, &two), B = csr(1, 1, offsets, columns, &three);
    tool_csr right = csr(ROWS, 1, many, columns, &six), wrong = csr(ROWS, 1, many, columns, &seven);
    assert_right(check(&A, TULLE_N, &B, TULLE_N, 1, &right, true));
    assert_int_equal(check(&A, TULLE_N, &B, TULLE_N, 1, &wrong, true).row, ROWS - 1);
    free(many);
}

static void test_nothing(void **state) {
    (void)state;
    static const int32_t none[] = {0, 0, 0};
    tool_csr A = csr(2, 0, none, NULL, NULL), B = csr(0, 2, none, NULL, NULL);
    tool_csr C = csr(2, 2, none, NULL, NULL);
    tool_spgemm_error found = check(&A, TULLE_N, &B, TULLE_N, 1, &C, true);
    assert_true(found.units == 0 && found.row == -1 && found.column == -1 && !found.fault);
}

/* A B at the places (0, 1) and (1, 0) of a mask, which has the first twice; and with
 * D = [1 . ; . 3], which is not masked. */
static void test_mask(void **state) {
    (void)state;
    static const int32_t one[] = {0, 1, 2}, places[] = {1, 0}, m_offsets[] = {0, 2, 3};
    static const int32_t m_columns[] = {1, 1, 0}, all_offsets[] = {0, 2, 4}, d_columns[] = {0, 1};
    static const double values[] = {4, 18}, wrong[] = {4, 21}, none[] = {0, 0, 0};
    static const double d_values[] = {1, 3}, sums[] = {1, 4, 18, 3};
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr mask = csr(2, 2, m_offsets, m_columns, none);
    tool_csr d = csr(2, 2, one, d_columns, d_values);
    tool_csr right = csr(2, 2, one, places, values), off = csr(2, 2, one, places, wrong);
    tool_csr whole = csr(2, 2, c_offsets, c_columns, c_values);
    tool_csr sum = csr(2, 2, all_offsets, c_columns, sums);
    tool_spgemm_claim claim = {
        .A = &a, .B = &b, .C = &right, .alpha = 1, .rising = true, .mask = &mask, .beta = 1};
    tool_spgemm_error found;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_right(found);
    claim.C = &off;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_true(found.units > 1 && found.row == 1 && found.want == 18);
    claim.C = &whole;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_fault(found, 0, 0, "where the mask has none");
    claim.C = &sum;
    claim.D = &d;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_right(found);
}

/* A B + 2 D with D = [1 . ; . 3] in places (0, 0) and (1, 1), and one of three entries in a place.
 */
static void test_plus(void **state) {
    (void)state;
    static const int32_t d_offsets[] = {0, 1, 2}, d_columns[] = {0, 1};
    static const double d_values[] = {1, 3}, sums[] = {12, 4, 18, 27}, wrong[] = {12, 4, 18, 21};
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, c_offsets, c_columns, sums);
    tool_csr d = csr(2, 2, d_offsets, d_columns, d_values);
    tool_spgemm_claim claim = {
        .A = &a, .B = &b, .C = &c, .alpha = 1, .rising = true, .D = &d, .beta = 2};
    tool_spgemm_error found;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_right(found);
    c.values = wrong;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_true(found.units > 1 && found.row == 1 && found.column == 1 && found.want == 27);
    /* Where only D has an entry. */
    static const int32_t none[] = {0, 0, 0, 0};
    tool_csr empty = csr(3, 2, none, NULL, NULL), only = csr(2, 2, d_offsets, d_columns, wrong);
    const double twice[] = {2, 6};
    claim.B = &empty;
    claim.C = &only;
    only.values = twice;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_right(found);
    c.values = sums;
    claim.C = &c;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    assert_fault(found, 0, 1, "nor has D one");
}

/* The bound of one product of 5 with D of three entries in its place: gamma(4) of all magnitudes.
 */
static void test_bound_of_plus(void **state) {
    (void)state;
    static const int32_t one[] = {0, 1}, three[] = {0, 3}, columns[] = {0, 0, 0};
    static const double five[] = {5}, minus[] = {-1}, parts[] = {1, 2, 3};
    tool_csr A = csr(1, 1, one, columns, five), B = csr(1, 1, one, columns, minus);
    tool_csr D = csr(1, 1, three, columns, parts);
    for (int i = 0; i < 2; i++) {
        double bound = 4 * (DBL_EPSILON / 2) * 11, value = 1 + (i ? 1.5 : 0.6) * bound;
        tool_csr C = csr(1, 1, one, columns, &value);
        const tool_spgemm_claim claim = {
            .A = &A, .B = &B, .C = &C, .alpha = 1, .rising = true, .D = &D, .beta = 1};
        tool_spgemm_error found;
        assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
        double units = (value - 1) / bound;
        assert_true(fabs(found.units - units) < 1e-6 * units && found.want == 1);
    }
}

/* P = [1; 2; 0] and A = [1 2 0; 0 0 3; 1 1 1]: P^T A P = 5. */
static tool_spgemm_error check_triple(double value, double alpha, double p1) {
    static const int32_t offsets[] = {0, 2, 3, 6}, columns[] = {0, 1, 2, 0, 1, 2};
    static const int32_t p_offsets[] = {0, 1, 2, 2}, first[] = {0, 0}, one[] = {0, 1};
    static const double values[] = {1, 2, 3, 1, 1, 1};
    const double p_values[] = {1, p1};
    tool_csr A = csr(3, 3, offsets, columns, values), P = csr(3, 1, p_offsets, first, p_values);
    tool_csr C = csr(1, 1, one, first, &value);
    const tool_spgemm_claim claim = {
        .A = &A, .B = &P, .C = &C, .alpha = alpha, .rising = true, .galerkin = true};
    tool_spgemm_error found;
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_OK);
    return found;
}

/* Two products of three meet: gamma(4) of 5, or of 5 |alpha|. */
static void test_triple(void **state) {
    (void)state;
    assert_right(check_triple(5, 1, 2));
    assert_right(check_triple(-2.5, -0.5, 2));
    assert_true(check_triple(6, 1, 2).units > 1);
    for (int i = 0; i < 2; i++) {
        double bound = 4 * (DBL_EPSILON / 2) * 5, value = 5 + (i ? 1.5 : 0.6) * bound;
        double units = (value - 5) / bound;
        assert_true(fabs(check_triple(value, 1, 2).units - units) < 1e-6 * units);
    }
    /* What overflows on the way. */
    assert_true(check_triple(INFINITY, 1, DBL_MAX).units <= 1);
    assert_true(check_triple(INFINITY, 1, 2).units > 1);
}

/* The last test: the interrupt stays. */
static void test_interrupted(void **state) {
    (void)state;
    tool_csr a = csr(2, 3, a_offsets, a_columns, a_values);
    tool_csr b = csr(3, 2, b_offsets, b_columns, b_values);
    tool_csr c = csr(2, 2, c_offsets, c_columns, c_values);
    const tool_spgemm_claim claim = {.A = &a, .B = &b, .C = &c, .alpha = 1, .rising = true};
    tool_spgemm_error found;
    tool_catch_interrupt();
    raise(SIGTERM);
    assert_int_equal(tool_verify_spgemm(&claim, &found), TULLE_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),      cmocka_unit_test(test_turned),
        cmocka_unit_test(test_compressed), cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_zeros),      cmocka_unit_test(test_shape),
        cmocka_unit_test(test_bound),      cmocka_unit_test(test_worst),
        cmocka_unit_test(test_range),      cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_nothing),    cmocka_unit_test(test_plus),
        cmocka_unit_test(test_mask),       cmocka_unit_test(test_bound_of_plus),
        cmocka_unit_test(test_triple),     cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
