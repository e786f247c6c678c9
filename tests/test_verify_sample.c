/* SPDX-License-Identifier: Apache-2.0 */
/* The sample of rows or tasks whose results are checked where there are many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/common/sample.h"
#include "verified.h"

enum { ALL = 1003, SOME = 10 };
static const tool_sample some = {.most = SOME, .seed = 7};

/* Each part of nearly the same size has one member, and another seed chooses others. */
static void test_places(void **state) {
    (void)state;
    const tool_sample other = {.most = SOME, .seed = 8};
    int alike = 0, at_begin = 0;
    assert_int_equal(tool_sample_count(&some, ALL), SOME);
    for (int64_t i = 0; i < SOME; i++) {
        const int64_t at = tool_sample_at(&some, ALL, i), begin = i * ALL / SOME;
        assert_true(begin <= at && at < (i + 1) * ALL / SOME);
        alike += at == tool_sample_at(&other, ALL, i);
        at_begin += at == begin;
    }
    assert_true(alike < SOME / 2 && at_begin < SOME / 2);
}

static void test_all(void **state) {
    (void)state;
    const tool_sample all = {.most = 0}, many = {.most = ALL};
    assert_false(tool_sample_is_part(&all, ALL) || tool_sample_is_part(&many, ALL));
    assert_int_equal(tool_sample_count(&all, ALL), ALL);
    for (int64_t i = 0; i < ALL; i++) {
        assert_int_equal(tool_sample_at(&all, ALL, i), i);
        assert_int_equal(tool_sample_at(&many, ALL, i), i);
    }
}

/* Row i has i % 3 entries, of which the first is in column i and has the value i. */
static void test_rows(void **state) {
    (void)state;
    static int32_t offsets[ALL + 1], columns[3 * ALL];
    static double values[3 * ALL];
    for (int32_t i = 0; i < ALL; i++) {
        offsets[i + 1] = offsets[i] + i % 3;
        for (int32_t e = offsets[i]; e < offsets[i + 1]; e++) {
            columns[e] = i + e - offsets[i];
            values[e] = columns[e];
        }
    }
    tool_csr A = csr(ALL, ALL + 1, offsets, columns, values);
    assert_true(tool_sample_fits(&A));
    tool_csr few = tool_sample_rows(&some, &A);
    assert_true(few.rows == SOME && few.heads == SOME && few.cols == ALL + 1);
    for (int64_t i = 0; i < SOME; i++) {
        const int64_t row = tool_sample_at(&some, ALL, i), first = tool_csr_offset(&few, i);
        assert_int_equal(tool_csr_offset(&few, i + 1) - first, row % 3);
        for (int64_t e = 0; e < row % 3; e++) {
            assert_int_equal(tool_csr_column(&few, first + e), row + e);
            assert_true(tool_csr_value(&few, first + e) == (double)(row + e));
        }
    }
    assert_int_equal(few.nnz, tool_csr_offset(&few, SOME));
    tool_csr_close(&few);
}

static void test_offsets(void **state) {
    (void)state;
    static const int32_t right[] = {0, 1, 1, 2}, falls[] = {0, 2, 1, 2}, late[] = {1, 1, 1, 2};
    static const int32_t short_[] = {0, 1, 1, 1}, columns[] = {0, 1};
    static const double values[] = {1, 2};
    const int32_t *wrong[] = {falls, late, short_};
    tool_csr A = csr(3, 2, right, columns, values);
    A.nnz = 2;
    assert_true(tool_sample_fits(&A));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        A.offsets = wrong[i];
        assert_false(tool_sample_fits(&A));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
