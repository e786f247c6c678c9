/* SPDX-License-Identifier: Apache-2.0 */
/* .npz files whose arrays do not make a matrix, and the messages about them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "npz_files.h"

/* Arrays of a matrix in rows, of which a NULL type leaves one out, and the error that they get. */
typedef struct {
    const char *form, *shape_type, *shape_shape;
    double shape[2];
    const char *offset_type, *offset_shape;
    double offsets[3];
    const char *index_type, *index_shape;
    double indices[3];
    const char *value_type, *value_shape;
    double values[3];
    tulle_status status;
    const char *part;
} fault;

#define SHAPE                                                                                      \
    "<i8", "2,", {                                                                                 \
        2, 3                                                                                       \
    }
#define OFFSETS                                                                                    \
    "<i4", "3,", {                                                                                 \
        0, 2, 3                                                                                    \
    }
#define INDICES                                                                                    \
    "<i4", "3,", {                                                                                 \
        2, 0, 2                                                                                    \
    }
#define VALUES                                                                                     \
    "<f8", "3,", {                                                                                 \
        2, 1, 3                                                                                    \
    }

static const fault faults[] = {
    {"csr", SHAPE, "<i4", "3,", {1, 2, 3}, INDICES, VALUES, TULLE_PARSE_ERROR, "first offset is 1"},
    {"csr",
     SHAPE,
     "<i4",
     "3,",
     {0, 3, 2},
     INDICES,
     VALUES,
     TULLE_PARSE_ERROR,
     "descend from 3 to 2 in row 1 (from 0)"},
    {"csr",
     SHAPE,
     "<i4",
     "3,",
     {0, -1, 3},
     INDICES,
     VALUES,
     TULLE_PARSE_ERROR,
     "descend from 0 to -1 in row 0"},
    {"csr",
     SHAPE,
     "<i4",
     "3,",
     {0, 2, 4},
     INDICES,
     VALUES,
     TULLE_PARSE_ERROR,
     "end at 4, and there are 3"},
    {"csr",
     SHAPE,
     OFFSETS,
     "<i4",
     "3,",
     {2, 0, 3},
     VALUES,
     TULLE_PARSE_ERROR,
     "column index of entry 2 (from 0) is 3, out of range 0 to 2"},
    {"csr",
     SHAPE,
     OFFSETS,
     "<i4",
     "3,",
     {2, -1, 2},
     VALUES,
     TULLE_PARSE_ERROR,
     "column index of entry 1 (from 0) is -1"},
    {"csr",
     SHAPE,
     OFFSETS,
     "<f8",
     "3,",
     {2, 0, 2},
     VALUES,
     TULLE_PARSE_ERROR,
     "indices.npy is no list of integers"},
    {"csr",
     SHAPE,
     OFFSETS,
     "<i4",
     "3,1",
     {2, 0, 2},
     VALUES,
     TULLE_PARSE_ERROR,
     "indices.npy is no list of integers"},
    {"csr",
     "<i8",
     "2,",
     {3, 3},
     OFFSETS,
     INDICES,
     VALUES,
     TULLE_PARSE_ERROR,
     "indptr.npy has 3 numbers, which is not one more than the 3 rows"},
    {"csr", "<i8", "2,", {9e18, 9e18}, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "indptr.npy"},
    {"csr", "<i8", "2,", {-1, 3}, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "below 0"},
    {"csr",
     "<f8",
     "2,",
     {2, 3},
     OFFSETS,
     INDICES,
     VALUES,
     TULLE_PARSE_ERROR,
     "shape.npy is no list of integers"},
    {"csr", "<i8", "1,", {2}, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "shape.npy has"},
    {"csr", NULL, "", {0}, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "without shape.npy"},
    {"csr", SHAPE, NULL, "", {0}, INDICES, VALUES, TULLE_PARSE_ERROR, "without indptr.npy"},
    {"csr", SHAPE, OFFSETS, NULL, "", {0}, VALUES, TULLE_PARSE_ERROR, "without indices.npy"},
    {"csr", SHAPE, OFFSETS, INDICES, NULL, "", {0}, TULLE_PARSE_ERROR, "without data.npy"},
    {"coo", SHAPE, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "form 'coo' without row.npy"},
    {"csr", SHAPE, OFFSETS, INDICES, "<f8", "2,", {2, 1}, TULLE_PARSE_ERROR, "data.npy"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "3,",
     {2, NAN, 1},
     TULLE_PARSE_ERROR,
     "value 1 (from 0) is no finite number"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "3,",
     {2, 1, -INFINITY},
     TULLE_PARSE_ERROR,
     "value 2 (from 0) is no finite number"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "|b1",
     "3,",
     {1, 2, 0},
     TULLE_PARSE_ERROR,
     "value 1 (from 0) is a bool that is neither"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f2",
     "3,",
     {1, 2, 0},
     TULLE_UNSUPPORTED,
     "data.npy holds numbers of NumPy's type '<f2'"},
    {"csr", SHAPE, OFFSETS, INDICES, "<c8", "3,", {1, 2, 0}, TULLE_UNSUPPORTED, "complex"},
    {"csr", SHAPE, OFFSETS, INDICES, "|O", "3,", {1, 2, 0}, TULLE_UNSUPPORTED, "'|O'"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "9000000000000000,",
     {1, 2, 3},
     TULLE_PARSE_ERROR,
     "data.npy is cut off"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "9000000000000000000,",
     {1, 2, 3},
     TULLE_TOO_LARGE,
     "2^63"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "9000000000,9000000000",
     {1, 2, 3},
     TULLE_TOO_LARGE,
     "shape of data.npy"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "99999999999999999999,",
     {1, 2, 3},
     TULLE_TOO_LARGE,
     "shape of data.npy"},
    {"csr", SHAPE, OFFSETS, INDICES, "<f8", "1,1,1,3", {1, 2, 3}, TULLE_PARSE_ERROR, "dimensions"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "4,",
     {1, 2, 3},
     TULLE_PARSE_ERROR,
     "data.npy is cut off: it ends after 24 of the 32 bytes"},
    {"csr", SHAPE, OFFSETS, INDICES, "<f8", "2,", {1, 2, 3}, TULLE_PARSE_ERROR, "surplus bytes"},
    {"csr",
     SHAPE,
     OFFSETS,
     INDICES,
     "<f8",
     "-3,",
     {1, 2, 3},
     TULLE_PARSE_ERROR,
     "the head of data"},
    {"bsr", SHAPE, OFFSETS, INDICES, VALUES, TULLE_PARSE_ERROR, "data.npy is no list of blocks"},
    {"bsr", SHAPE, OFFSETS, INDICES, "<f8", "3,1,0", {0}, TULLE_PARSE_ERROR, "do not tile"},
    {"bsr",
     SHAPE,
     OFFSETS,
     "<i4",
     "1,",
     {0},
     "<f8",
     "1,1,2",
     {1, 2},
     TULLE_PARSE_ERROR,
     "do not tile a matrix of 2 x 3"},
    {"dia", SHAPE, OFFSETS, INDICES, VALUES, TULLE_UNSUPPORTED, "form 'dia'"},
    {"\n<>", SHAPE, OFFSETS, INDICES, VALUES, TULLE_UNSUPPORTED, "form '?<>'"},
    {"", SHAPE, OFFSETS, INDICES, VALUES, TULLE_UNSUPPORTED, "type '|S0'"},
};

/* Returns how many of three numbers are written for a shape: as many as the shape asks for, if
 * there are as many. */
static int numbers_of(const char *shape) {
    const int first = atoi(shape);
    const size_t length = strlen(shape);
    if (length > 0 && shape[length - 1] == '0') return 0;
    return first == 1 && shape[1] == ',' && shape[2] ? 2 : first > 0 && first < 3 ? first : 3;
}

static void make_fault(const fault *f) {
    const char type[] = {'|', 'S', (char)('0' + strlen(f->form)), 0};
    npz_begin(f->form, type);
    if (f->shape_type)
        npz_add("shape.npy", f->shape_type, f->shape_shape, f->shape, atoi(f->shape_shape));
    if (f->offset_type) npz_add("indptr.npy", f->offset_type, f->offset_shape, f->offsets, 3);
    if (f->index_type)
        npz_add("indices.npy", f->index_type, f->index_shape, f->indices,
                numbers_of(f->index_shape));
    if (f->value_type && !strcmp(f->value_type, "|O")) {
        zip_array(&npz, "data.npy", "|O", "3,", "abc", 3);
    } else if (f->value_type) {
        const bool keep = !strcmp(f->part, "surplus bytes");
        npz_add("data.npy", f->value_type, f->value_shape, f->values,
                keep ? 3 : numbers_of(f->value_shape));
    }
    zip_end(&npz);
}

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        make_fault(&faults[i]);
        npz_expect_complaint(TULLE_F64, faults[i].status, faults[i].part);
    }
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", "<i4", "3,", 0, 2, 3);
    NPZ_ADD("indices", "<i4", "3,", 2, 0, 2);
    NPZ_ADD("data", "<f8", "3,", 2, 1e39, 3);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F32, TULLE_PARSE_ERROR, "value 1 (from 0) is too large for f32");
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("row", "<i4", "2,", 1, 1);
    NPZ_ADD("col", "<i4", "2,", 1, 1);
    NPZ_ADD("data", "<f8", "2,", DBL_MAX, DBL_MAX);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "the sum of the entries in row 2, column 2");
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("row", "<i4", "2,", 1, 2);
    NPZ_ADD("col", "<i4", "2,", 1, 1);
    NPZ_ADD("data", "<f8", "2,", 1, 2);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "row index of entry 1 (from 0) is 2");
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("row", "<i4", "1,", 1);
    NPZ_ADD("col", "<i4", "2,", 1, 1);
    NPZ_ADD("data", "<f8", "2,", 1, 2);
    zip_end(&npz);
    npz_expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "row.npy has 1 numbers instead of 2");
}

/* All threads share this many entries; the message is about the first fault. */
static void test_first_fault(void **state) {
    enum { COUNT = 40000 };
    (void)state;
    static uint8_t numbers[COUNT], good[COUNT];
    static const char *const wheres[] = {"cpu:1", "cpu:5"};
    memset(numbers, 1, COUNT);
    numbers[COUNT - 1] = 200;
    numbers[12345] = 201;
    npz_begin("coo", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 200, 200);
    zip_array(&npz, "row.npy", "|u1", "40000,", good, COUNT);
    zip_array(&npz, "col.npy", "|u1", "40000,", numbers, COUNT);
    zip_array(&npz, "data.npy", "|u1", "40000,", good, COUNT);
    zip_end(&npz);
    for (int w = 0; w < 2; w++) {
        tulle_ctx *ctx;
        tulle_mat *A;
        assert_int_equal(tulle_ctx_create(wheres[w], NULL, &ctx), TULLE_OK);
        assert_int_equal(io_load(ctx, npz_file(), TULLE_F64, &A, NULL), TULLE_PARSE_ERROR);
        assert_non_null(strstr(tulle_last_error()->message, "entry 12345 (from 0) is 201"));
        tulle_ctx_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_first_fault),
    };
    return cmocka_run_group_tests_name("faults of npz files", tests, npz_start, npz_end);
}
