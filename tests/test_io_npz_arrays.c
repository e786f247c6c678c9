/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of NumPy's in .npz files: types and orders of bytes, numbers that the type of the matrix
 * lacks, and heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "npz_files.h"

static void test_types(void **state) {
    (void)state;
    static const char *const indices[] = {"<i4", ">i4", "<i8", ">i8", "<u4", "=i8", "|u1", "<i2"};
    static const char *const values[] = {"<f8", ">f8", "<f4", ">f4", "|i1", "|u1", "<i2", ">u2",
                                         "<i4", ">i4", "<u4", "<i8", ">i8", ">u8", "=f8"};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            npz_make_csr(indices[i], values[v]);
            npz_expect(NPZ_SMALL, TULLE_F64);
            npz_expect(NPZ_SMALL, TULLE_F32);
        }
    }
}

static void test_bools(void **state) {
    (void)state;
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 2);
    NPZ_ADD("row", "<i4", "3,", 1, 0, 0);
    NPZ_ADD("col", "<i4", "3,", 0, 1, 0);
    NPZ_ADD("data", "|b1", "3,", 1, 0, 1);
    zip_end(&npz);
    tulle_file_info info;
    tulle_mat *A;
    assert_int_equal(npz_load(TULLE_F64, &A, &info), TULLE_OK);
    assert_string_equal(info.field, "integer");
    assert_string_equal(info.symmetry, "general");
    assert_string_equal(info.container, "npz");
    assert_int_equal(info.stored, 3);
    assert_int_equal(info.rows, 2);
    tulle_mat_destroy(A);
    npz_expect("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 0\n2 1 1\n",
               TULLE_F64);
}

/* Numbers that the type cannot hold are counted, as the reader of Matrix Market does. */
static void test_counts(void **state) {
    (void)state;
    tulle_file_info info;
    tulle_mat *A;
    const int64_t integers[] = {(INT64_C(1) << 53) + 1, INT64_MIN, INT64_C(1) << 53};
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "3,", 2, 0, 2);
    zip_array(&npz, "data.npy", "<i8", "3,", integers, sizeof integers);
    zip_end(&npz);
    assert_int_equal(npz_load(TULLE_F64, &A, &info), TULLE_OK);
    assert_int_equal(info.rounded, 1);
    assert_int_equal(info.rounded_line, 0);
    assert_int_equal(info.vanished, 0);
    tulle_mat_destroy(A);
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "3,", 2, 0, 2);
    NPZ_ADD("data", "<f8", "3,", 1e-60, -1e-50, 0);
    zip_end(&npz);
    assert_int_equal(npz_load(TULLE_F32, &A, &info), TULLE_OK);
    assert_int_equal(info.vanished, 2);
    assert_int_equal(info.rounded, 0);
    tulle_mat_destroy(A);
    const uint64_t most[] = {UINT64_MAX, UINT64_C(1) << 63, 3};
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "3,", 2, 0, 2);
    zip_array(&npz, "data.npy", "<u8", "3,", most, sizeof most);
    zip_end(&npz);
    assert_int_equal(npz_load(TULLE_F64, &A, &info), TULLE_OK);
    assert_int_equal(info.rounded, 1);
    tulle_mat_destroy(A);
    npz_expect(
        "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 9223372036854775808\n"
        "1 3 18446744073709551615\n2 3 3\n",
        TULLE_F64);
}

static void test_heads(void **state) {
    (void)state;
    static const char *const heads[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f8'",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} 5",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'shape': (3,)} ",
        "{'descr': \"<f8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
        "['descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr' '<f8', 'fortran_order': False, 'shape': (3,)}",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        npz_begin("csr", "|S3");
        zip_array_of_head(&npz, "data.npy", heads[i], (const double[]){1, 2, 3}, 24);
        zip_end(&npz);
        npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "the head of data.npy");
    }
    npz_begin("csr", "|S3");
    zip_array_of_head(&npz, "data.npy",
                      "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", "", 0);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "data.npy holds numbers of NumPy's type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_bools),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests_name("arrays of npz files", tests, npz_start, npz_end);
}
