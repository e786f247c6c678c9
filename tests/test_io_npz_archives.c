/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of .npz files: members that are missing, repeated or no arrays, cut off or damaged
 * archives, and false lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "npz_files.h"

static void test_members(void **state) {
    (void)state;
    zip_begin(&npz);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "is a zip archive without members");
    zip_begin(&npz);
    zip_add(&npz, "a/format.npy", "other", 5);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "a zip archive without format.npy");
    zip_begin(&npz);
    zip_add(&npz, "format.npy", "hello, this is no array", 23);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy is no array of NumPy's");
    zip_begin(&npz);
    zip_add(&npz, "format.npy", "\x93NUMPY\4\0\1\0", 10);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "version 4.0");
    zip_begin(&npz);
    zip_add(&npz, "format.npy", "\x93NUMPY\2\0\1\0\1\0", 12);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "65537 bytes");
    npz_begin("csr", "|S3");
    zip_array(&npz, "format.npy", "|S3", "", "csr", 3);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy twice");
    npz_begin("7", "<i1");
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy is no name");
}

static void test_cut_off(void **state) {
    (void)state;
    npz_make_csr("<i4", "<f8");
    const size_t size = npz.file.size;
    tulle_mat *A;
    for (npz.file.size = 0; npz.file.size < size; npz.file.size++) {
        const tulle_status status = npz_load(TULLE_F64, &A, NULL);
        if (status != TULLE_PARSE_ERROR && status != TULLE_IO_ERROR)
            fail_msg("cut to %zu: %s", npz.file.size, tulle_status_name(status));
        assert_null(A);
    }
    npz.file.bytes[npz.file.size++] = 0;
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "cut off, or other bytes follow it");
}

/* A changed byte is noticed, or the matrix stays the same. */
static void test_damage(void **state) {
    (void)state;
    tulle_mat *A, *B;
    npz_make_csr("<i4", "<f8");
    assert_int_equal(npz_load(TULLE_F64, &B, NULL), TULLE_OK);
    for (size_t i = 0; i < npz.file.size; i++) {
        npz.file.bytes[i] ^= 0x10;
        if (npz_load(TULLE_F64, &A, NULL) == TULLE_OK && !io_equal(npz_cpu, A, B))
            fail_msg("byte %zu changed the matrix", i);
        tulle_mat_destroy(A);
        npz.file.bytes[i] ^= 0x10;
    }
    tulle_mat_destroy(B);
}

/* A false length takes no memory. */
static void test_lies(void **state) {
    (void)state;
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "100000000000000,", 2, 0, 2);
    zip_end(&npz);
    io_expect_little_memory(npz_file(), TULLE_PARSE_ERROR, (size_t)1 << 22);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_lies),
    };
    return cmocka_run_group_tests_name("archives of npz files", tests, npz_start, npz_end);
}
