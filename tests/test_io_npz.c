/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of scipy.sparse.save_npz: every form, also without entries, and with many rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "npz_files.h"

static void test_forms(void **state) {
    (void)state;
    npz_begin("csc", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "4,", 0, 1, 1, 3);
    NPZ_ADD("indices", "<i4", "3,", 0, 1, 0);
    NPZ_ADD("data", "<f8", "3,", 1, 3, 2);
    zip_end(&npz);
    npz_expect(NPZ_SMALL, TULLE_F64);
    /* Entries in any order, one of them in two parts. */
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("row", "<i4", "4,", 1, 0, 0, 0);
    NPZ_ADD("col", "<i8", "4,", 2, 2, 0, 2);
    NPZ_ADD("data", "<f8", "4,", 3, 0.5, 1, 1.5);
    zip_end(&npz);
    npz_expect(NPZ_SMALL, TULLE_F64);
    /* An old SciPy wrote the name in characters of four bytes; surplus entries stand behind the
     * last offset. */
    zip_begin(&npz);
    zip_array(&npz, "format.npy", "<U3", "", "c\0\0\0s\0\0\0r\0\0", 12);
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "4,", 2, 0, 2, 99);
    NPZ_ADD("data", "<f8", "4,", 2, 1, 3, NAN);
    zip_add(&npz, "_is_array.npy", "?", 1);
    zip_end(&npz);
    npz_expect(NPZ_SMALL, TULLE_F64);
}

static void make_blocks(const char *order, const double *values) {
    char head[128];
    static little_file a;
    a.size = 0;
    npz_begin("bsr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 4, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 1, 2);
    NPZ_ADD("indices", "<i4", "2,", 0, 0);
    for (int i = 0; i < 12; i++) npz_put(&a, "<f8", values[i]);
    snprintf(head, sizeof head, "{'fortran_order':%s,'shape':(2L,2,3),\"descr\":'<f8'}", order);
    zip_array_of_head(&npz, "data.npy", head, a.bytes, a.size);
    zip_end(&npz);
}

static void test_blocks(void **state) {
    (void)state;
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n4 3 12\n"
        "1 1 1\n1 2 2\n1 3 3\n2 1 4\n2 2 0\n2 3 6\n"
        "3 1 7\n3 2 8\n3 3 9\n4 1 10\n4 2 11\n4 3 12\n";
    make_blocks("False", (const double[]){1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 11, 12});
    npz_expect(text, TULLE_F64);
    make_blocks("True", (const double[]){1, 7, 4, 10, 2, 8, 0, 11, 3, 9, 6, 12});
    npz_expect(text, TULLE_F64);
}

static void test_nothing(void **state) {
    (void)state;
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 3, 2);
    NPZ_ADD("indptr", "<i4", "4,", 0, 0, 0, 0);
    npz_add("indices.npy", "<i4", "0,", NULL, 0);
    npz_add("data.npy", "<f8", "0,", NULL, 0);
    zip_end(&npz);
    npz_expect("%%MatrixMarket matrix coordinate real general\n3 2 0\n", TULLE_F64);
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 0, 0);
    npz_add("row.npy", "<i4", "0,", NULL, 0);
    npz_add("col.npy", "<i4", "0,", NULL, 0);
    npz_add("data.npy", "<f8", "0,", NULL, 0);
    zip_end(&npz);
    npz_expect("%%MatrixMarket matrix coordinate real general\n0 0 0\n", TULLE_F64);
}

/* Memory is not allocated for rows of which the file has nothing but their number. */
static void test_many_rows(void **state) {
    (void)state;
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 9e18, 9e18);
    NPZ_ADD("row", "<i8", "1,", 8e18);
    NPZ_ADD("col", "<i8", "1,", 8e18);
    NPZ_ADD("data", "<f8", "1,", 1);
    zip_end(&npz);
    tulle_mat *A;
    tulle_mat_info info;
    assert_int_equal(npz_load(TULLE_F64, &A, NULL), TULLE_OK);
    assert_int_equal(tulle_mat_describe(A, &info), TULLE_OK);
    assert_int_equal(info.format, TULLE_DCSR);
    assert_int_equal(info.rows, 9000000000000000000);
    assert_int_equal(info.nnz, 1);
    tulle_mat_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests_name("npz files", tests, npz_start, npz_end);
}
