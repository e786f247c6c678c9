/* SPDX-License-Identifier: Apache-2.0 */
/* The check of tulle factor: it takes what is right, and finds each thing that may be wrong, where
 * it is. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/progress.h"
#include "tools/common/verify_factor.h"

/* Where a matrix written out in full has no entry. */
static const double o = 12345e6;

/* A matrix with room for changes. */
typedef struct part {
    int32_t offsets[5], columns[16];
    double values[16];
    tool_csr csr;
} part;

static void part_of(part *p, int n, const double *whole) {
    int32_t count = 0;
    p->offsets[0] = 0;
    for (int q = 0; q < n * n; q++) {
        if (whole[q] != o) {
            p->columns[count] = q % n;
            p->values[count++] = whole[q];
        }
        p->offsets[q / n + 1] = count;
    }
    p->csr = (tool_csr){.rows = n,
                        .cols = n,
                        .nnz = count,
                        .type = TULLE_F64,
                        .index = TULLE_I32,
                        .heads = n,
                        .offsets = p->offsets,
                        .columns = p->columns,
                        .values = p->values};
}

/* A matrix, its factors and what was asked for; a test changes some of it. */
typedef struct setting {
    part A, L, U;
    tulle_factor_options options;
    tool_factor_claim claim;
} setting;

static void set(setting *s, int n, const double *A, const double *L, const double *U) {
    *s = (setting){.options = {.kind = U ? TULLE_LU : TULLE_CHOLESKY}};
    part_of(&s->A, n, A);
    part_of(&s->L, n, L);
    if (U) part_of(&s->U, n, U);
    s->claim = (tool_factor_claim){.A = &s->A.csr,
                                   .L = &s->L.csr,
                                   .U = U ? &s->U.csr : NULL,
                                   .block = 1,
                                   .options = &s->options};
}

/* No fill comes up. */
static void set_band(setting *s) {
    const double A[] = {4, 2, o, 2, 5, 3, o, 4, 8}, L[] = {1, o, o, 0.5, 1, o, o, 1, 1};
    const double U[] = {4, 2, o, o, 4, 3, o, o, 5};
    set(s, 3, A, L, U);
}

/* Entries (1, 2) and (2, 1) come up. */
static const double arrow[] = {4, 2, 2, 2, 5, o, 2, o, 5};
static const double arrow_l[] = {1, o, o, 0.5, 1, o, 0.5, o, 1};
static const double full_l[] = {1, o, o, 0.5, 1, o, 0.5, -0.25, 1};
static const double full_u[] = {4, 2, 2, o, 4, -1, o, o, 3.75};

static tool_entry_error check(const setting *s) {
    tool_entry_error found;
    assert_int_equal(tool_verify_factor(&s->claim, &found), TULLE_OK);
    return found;
}

static void assert_right(const setting *s) {
    tool_entry_error found = check(s);
    assert_null(found.fault);
    assert_true(found.units >= 0 && found.units <= 1);
}

static void assert_fault(const setting *s, int64_t row, int64_t column, const char *fault) {
    tool_entry_error found = check(s);
    assert_true(isinf(found.units));
    assert_non_null(found.fault);
    assert_non_null(strstr(found.fault, fault));
    assert_int_equal(found.row, row);
    assert_int_equal(found.column, column);
}

static void assert_off(const setting *s, int64_t row, int64_t column) {
    tool_entry_error found = check(s);
    assert_null(found.fault);
    assert_true(found.units > 1);
    assert_int_equal(found.row, row);
    assert_int_equal(found.column, column);
}

static void test_right(void **state) {
    (void)state;
    setting s;
    set_band(&s);
    assert_right(&s);
    assert_true(check(&s).units == 0);
    set(&s, 3, arrow, full_l, full_u);
    s.options.fill = 1;
    assert_right(&s);
    s.options.fill = TULLE_FILL_ALL;
    assert_right(&s);
    const double incomplete[] = {4, 2, 2, o, 4, o, o, o, 4};
    set(&s, 3, arrow, arrow_l, incomplete);
    assert_right(&s);
}

/* Every number that changes is found. */
static void test_numbers(void **state) {
    (void)state;
    setting s;
    for (int e = 0; e < 5; e++) {
        set_band(&s);
        s.U.values[e] *= 1 + 1e-14;
        tool_entry_error found = check(&s);
        assert_true(found.units > 1 && !found.fault && found.row >= 0);
    }
    set_band(&s);
    s.L.values[3] = 1.125;
    assert_off(&s, 2, 1);
    assert_true(check(&s).got == 4.5 && check(&s).want == 4);
}

/* gamma(3) (|l| |u| + |u|) where one row goes before. */
static void test_bound(void **state) {
    (void)state;
    const double bound = 3 * (DBL_EPSILON / 2) * 5;
    for (int i = 0; i < 2; i++) {
        setting s;
        const double A[] = {4, 2, 2, 5}, L[] = {1, o, 0.5, 1}, U[] = {4, 2, o, 4};
        set(&s, 2, A, L, U);
        s.U.values[2] += (i ? 1.4 : 0.6) * bound;
        const double units = (s.U.values[2] - 4) / bound;
        assert_true(fabs(check(&s).units - units) < 1e-6 * units);
        assert_true((check(&s).units <= 1) == (i == 0));
    }
}

static void test_pattern(void **state) {
    (void)state;
    setting s;
    const double zeros[] = {4, 2, 0, o, 4, 3, o, o, 5}, less[] = {4, 2, o, o, 4, o, o, o, 5};
    const double A[] = {4, 2, o, 2, 5, 3, o, 4, 8}, L[] = {1, o, o, 0.5, 1, o, o, 1, 1};
    set(&s, 3, A, L, zeros);
    assert_fault(&s, 0, 2, "not to be kept");
    set(&s, 3, A, L, less);
    assert_fault(&s, 1, 2, "which A' has");
    set(&s, 3, arrow, full_l, full_u);
    assert_fault(&s, 1, 2, "not to be kept");
    const double incomplete[] = {4, 2, 2, o, 4, o, o, o, 4};
    set(&s, 3, arrow, arrow_l, incomplete);
    s.options.fill = 1;
    assert_fault(&s, 1, 2, "fills in");
    s.options.fill = TULLE_FILL_ALL;
    assert_fault(&s, 1, 2, "fills in");
}

/* Entry (3, 2) comes up from (3, 1), of level 1, and (1, 2): it has level 2. All fill is that of a
 * pattern that is made symmetric. */
static void test_levels(void **state) {
    (void)state;
    setting s;
    const double A[] = {1, 1, o, o, o, 1, 1, o, o, o, 1, o, 1, o, o, 1};
    const double L[] = {1, o, o, o, o, 1, o, o, o, o, 1, o, 1, -1, 1, 1};
    const double U[] = {1, 1, o, o, o, 1, 1, o, o, o, 1, o, o, o, o, 1};
    const double L_level[] = {1, o, o, o, o, 1, o, o, o, o, 1, o, 1, -1, o, 1};
    set(&s, 4, A, L, U);
    s.options.fill = 2;
    assert_right(&s);
    s.options.fill = 1;
    assert_fault(&s, 3, 2, "not to be kept");
    set(&s, 4, A, L_level, U);
    s.options.fill = 1;
    assert_right(&s);
    s.options.fill = 2;
    assert_fault(&s, 3, 2, "fills in");
    set(&s, 4, A, L, U);
    s.options.fill = TULLE_FILL_ALL;
    assert_fault(&s, 0, 3, "which A' has");
}

static void test_shape(void **state) {
    (void)state;
    setting s;
    set_band(&s);
    s.L.values[2] = 2;
    assert_fault(&s, 1, 1, "another diagonal than ones");
    set_band(&s);
    s.U.columns[3] = 1;
    assert_fault(&s, 1, 1, "behind an entry of its column");
    set_band(&s);
    s.U.columns[2] = 0;
    assert_fault(&s, 1, 0, "outside of its triangle");
    set_band(&s);
    s.U.columns[1] = 3;
    assert_fault(&s, 0, 3, "outside of its triangle");
    set_band(&s);
    s.L.columns[0] = -1;
    assert_fault(&s, 0, -1, "outside of its triangle");
    set_band(&s);
    s.L.offsets[1] = 0;
    assert_fault(&s, 0, 0, "missing in a factor");
    set_band(&s);
    s.U.offsets[1] = 4;
    s.U.offsets[2] = 2;
    s.U.columns[2] = 2;
    s.U.columns[3] = 3;
    assert_fault(&s, 0, 3, "outside of its triangle");
    set_band(&s);
    s.L.offsets[2] = 0;
    assert_fault(&s, 1, 0, "ends before it begins");
    set_band(&s);
    s.U.csr.nnz = 6;
    assert_fault(&s, 3, 0, "ends elsewhere");
    set_band(&s);
    s.U.csr.heads = 2;
    assert_fault(&s, 2, 2, "not A's");
}

static void test_cholesky(void **state) {
    (void)state;
    setting s;
    const double A[] = {4, 2, o, 2, 5, 2, o, 2, 5}, L[] = {2, o, o, 1, 2, o, o, 1, 2};
    set(&s, 3, A, L, NULL);
    assert_right(&s);
    s.A.values[1] = 77; /* above the diagonal */
    assert_right(&s);
    s.L.values[2] = 2.5;
    assert_off(&s, 1, 1);
    const double whole[] = {4, 2, 2, 2, 5, o, 2, o, 5}, root[] = {2, o, o, 1, 2, o, 1, o, 2};
    const double filled[] = {2, o, o, 1, 2, o, 1, -0.5, 1.9364916731037085};
    set(&s, 3, whole, root, NULL);
    assert_right(&s);
    s.options.fill = 1;
    assert_fault(&s, 2, 1, "fills in");
    set(&s, 3, whole, filled, NULL);
    assert_fault(&s, 2, 1, "not to be kept");
    s.options.fill = TULLE_FILL_ALL;
    assert_right(&s);
    s.L.values[4] = 0.5;
    assert_off(&s, 2, 1);
}

/* The dropped entries (1, 2) and (2, 1) of L U are 1 both. */
static void test_modified(void **state) {
    (void)state;
    setting s;
    for (int share = 0; share < 3; share++) {
        const double d = 4 - share * 0.5, U[] = {4, 2, 2, o, d, o, o, o, d};
        set(&s, 3, arrow, arrow_l, U);
        s.options.modified = share * 0.5;
        assert_right(&s);
        s.options.modified = 0.25;
        assert_off(&s, 1, 1);
    }
}

static void test_order(void **state) {
    (void)state;
    setting s;
    static const int64_t order[] = {2, 0, 1}, other[] = {0, 2, 1};
    set_band(&s);
    const double A[] = {5, 3, 2, 4, 8, o, 2, o, 4};
    part_of(&s.A, 3, A);
    s.claim.order = order;
    assert_right(&s);
    s.claim.order = other;
    assert_fault(&s, 0, 2, "which A' has");
}

static void test_shift(void **state) {
    (void)state;
    setting s;
    const double A[] = {4, 2, 2, 5}, L[] = {1, o, 0.4, 1}, U[] = {5, 2, o, 5.45};
    set(&s, 2, A, L, U);
    s.options.shift = 0.25;
    assert_right(&s);
    s.options.shift = 0.125;
    assert_true(check(&s).units > 1);
}

/* Blocks of 2 x 2, of which the last row of the second is none of A's. */
static void set_blocks(setting *s) {
    static const int32_t l_offsets[] = {0, 1, 3}, l_columns[] = {0, 0, 1};
    static const int32_t u_offsets[] = {0, 2, 3}, u_columns[] = {0, 1, 1};
    static const double l[] = {1, 0, 0, 1, -0.5, 1, 0, 0, 1, 0, 0, 1};
    static const double u[] = {4, 2, 2, 5, 0, 0, 3, 0, 5, 0, 0, 1};
    set_band(s);
    memcpy(s->L.offsets, l_offsets, sizeof l_offsets);
    memcpy(s->L.columns, l_columns, sizeof l_columns);
    memcpy(s->L.values, l, sizeof l);
    memcpy(s->U.offsets, u_offsets, sizeof u_offsets);
    memcpy(s->U.columns, u_columns, sizeof u_columns);
    memcpy(s->U.values, u, sizeof u);
    s->L.csr.rows = s->L.csr.cols = s->L.csr.heads = 2;
    s->U.csr.rows = s->U.csr.cols = s->U.csr.heads = 2;
    s->L.csr.nnz = s->U.csr.nnz = 3;
    s->claim.block = 2;
}

static void test_blocks(void **state) {
    (void)state;
    setting s;
    set_blocks(&s);
    assert_right(&s);
    for (int q = 4; q < 12; q++) {
        set_blocks(&s);
        s.U.values[q] += 1e-12;
        assert_true(check(&s).units > 1);
        set_blocks(&s);
        s.L.values[q] += 1e-12;
        assert_true(check(&s).units > 1);
    }
    set_blocks(&s);
    s.U.values[11] = 2; /* beyond A, where the identity goes on, not shifted */
    assert_off(&s, 3, 3);
    set_blocks(&s);
    s.L.columns[1] = 1;
    assert_fault(&s, 2, 2, "behind an entry of its column");
}

/* The conditions of [4 2; 2 5] and [5 0; 0 1] are 7 * 7 / 16 and 5: the larger counts where blocks
 * are inverted. */
static void test_inverted(void **state) {
    (void)state;
    setting s;
    set_blocks(&s);
    s.U.values[8] += 1e-14;
    const double plain = check(&s).units;
    s.options.inverted = true;
    assert_true(fabs(plain / check(&s).units - 5) < 1e-9);
}

/* As many diagonal entries may be off as pivots were changed. */
static void test_boosted(void **state) {
    (void)state;
    setting s;
    set_band(&s);
    s.U.values[4] = 7;
    assert_off(&s, 2, 2);
    s.claim.boosted = 1;
    assert_right(&s);
    s.L.values[3] = 1.125;
    assert_off(&s, 2, 1);
    set_band(&s);
    s.U.values[4] = 7;
    s.L.values[1] = 2.0 / 3;
    s.U.values[0] = 3;
    s.U.values[2] = 5 - 4.0 / 3;
    s.L.values[3] = 4 / s.U.values[2];
    s.claim.boosted = 1;
    assert_true(check(&s).units > 1);
    s.claim.boosted = 2;
    assert_right(&s);
}

/* Of two rows, [a 0; b 1], with other numbers in the factors. */
static tool_entry_error check_two(double a, double b, double l, double u0, double u1) {
    setting s;
    const double A[] = {a, o, b, 1}, L[] = {1, o, l, 1}, U[] = {u0, o, o, u1};
    set(&s, 2, A, L, U);
    return check(&s);
}

/* What is not finite by itself is wrong; what overflows or underflows is not. */
static void test_range(void **state) {
    (void)state;
    assert_true(check_two(1, 2, NAN, 1, 1).units > 1);
    assert_true(check_two(1, 2, INFINITY, 1, 1).units > 1);
    assert_true(check_two(1, 2, 2, 1, NAN).units > 1);
    assert_true(check_two(1, 2, 2, NAN, 1).units > 1);
    assert_true(check_two(1e-300, 1e300, INFINITY, 1e-300, 1).units <= 1);
    assert_true(check_two(1e-300, 1e300, 5, 1e-300, 1).units > 1);
    assert_true(check_two(NAN, 2, NAN, NAN, 1).units <= 1);
    assert_true(check_two(INFINITY, 2, 0, INFINITY, 1).units <= 1);
    assert_true(check_two(1e10, 3e-314, DBL_TRUE_MIN, 1e10, 1).units <= 1);
    assert_true(check_two(1e10, 3e-300, DBL_TRUE_MIN, 1e10, 1).units > 1);
}

/* Numbers of f64 become narrower before factors are computed in f32. */
static void test_narrow(void **state) {
    (void)state;
    static const double off[] = {0, 0, 1e-6};
    for (int i = 0; i < 3; i++) {
        setting s;
        const double A[] = {0.1}, L[] = {1}, U[] = {0};
        const float one = 1, narrow = (float)(0.1 * (1 + off[i]));
        set(&s, 1, A, L, U);
        s.L.csr.type = s.U.csr.type = i ? TULLE_F32 : TULLE_F64;
        if (i) s.L.csr.values = &one;
        if (i) s.U.csr.values = &narrow;
        s.U.values[0] = (double)narrow;
        assert_true((check(&s).units <= 1) == (i == 1));
    }
}

static void test_empty(void **state) {
    (void)state;
    setting s;
    static const double none[1];
    set(&s, 0, none, none, none);
    assert_right(&s);
}

/* The last test: the interrupt stays. */
static void test_interrupted(void **state) {
    (void)state;
    setting s;
    tool_entry_error found;
    set_band(&s);
    tool_catch_interrupt();
    raise(SIGTERM);
    assert_int_equal(tool_verify_factor(&s.claim, &found), TULLE_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bound),       cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_levels),      cmocka_unit_test(test_shape),
        cmocka_unit_test(test_cholesky),    cmocka_unit_test(test_modified),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_shift),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_boosted),     cmocka_unit_test(test_range),
        cmocka_unit_test(test_narrow),      cmocka_unit_test(test_empty),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
