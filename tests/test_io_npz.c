/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of scipy.sparse.save_npz: every form, type of numbers and order of bytes, and what
 * broken archives get. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io_help.h"
#include "places.h"
#include "zip_files.h"

static tulle_ctx *cpu;
static zip_file zip;

static int start(void **state) {
    (void)state;
    return tulle_ctx_create("cpu:2", NULL, &cpu);
}

static int end(void **state) {
    (void)state;
    tulle_ctx_destroy(cpu);
    return 0;
}

/* An array in the making: numbers of a type of NumPy's, one after the other. */
typedef struct {
    char bytes[1 << 12];
    size_t size;
} array;

static void put(array *a, const char *type, double number) {
    char bytes[8] = {0};
    const int size = type[2] - '0';
    if (type[1] == 'f' && size == 4) {
        memcpy(bytes, &(float){(float)number}, 4);
    } else if (type[1] == 'f') {
        memcpy(bytes, &number, 8);
    } else {
        memcpy(bytes, &(int64_t){(int64_t)number}, 8);
    }
    for (int i = 0; i < size; i++) a->bytes[a->size++] = bytes[type[0] == '>' ? size - 1 - i : i];
}

static void add(const char *name, const char *type, const char *shape, const double *numbers,
                int count) {
    array a = {.size = 0};
    for (int i = 0; i < count; i++) put(&a, type, numbers[i]);
    zip_array(&zip, name, type, shape, a.bytes, a.size);
}

#define ADD(name, type, shape, ...)                                                                \
    add(name ".npy", type, shape, (const double[]){__VA_ARGS__},                                   \
        sizeof(double[]){__VA_ARGS__} / sizeof(double))

static void begin(const char *form, const char *type) {
    zip.size = 0;
    zip.members = 0;
    zip_array(&zip, "format.npy", type, "", form, strlen(form));
}

/* The matrix [1 0 2; 0 0 3] in rows. */
static void make_csr(const char *index, const char *value) {
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", index, "3,", 0, 2, 3);
    ADD("indices", index, "3,", 2, 0, 2);
    ADD("data", value, "3,", 2, 1, 3);
    zip_end(&zip);
}

static tulle_status load(tulle_type type, tulle_mat **A, tulle_file_info *info) {
    return tulle_mat_load_memory(cpu, zip.bytes, (int64_t)zip.size, "z", type, A, info);
}

/* What was made is the matrix of the text. */
static void expect(const char *text, tulle_type type) {
    tulle_mat *A, *B = io_load_text(cpu, text, type, NULL);
    if (load(type, &A, NULL) != TULLE_OK) fail_msg("%s", tulle_last_error()->message);
    if (!io_equal(cpu, A, B)) fail_msg("not the matrix of %s", text);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

#define SMALL "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 3 3\n"

static void test_types(void **state) {
    (void)state;
    static const char *const indices[] = {"<i4", ">i4", "<i8", ">i8", "<u4", "=i8", "|u1", "<i2"};
    static const char *const values[] = {"<f8", ">f8", "<f4", ">f4", "|i1", "|u1", "<i2", ">u2",
                                         "<i4", ">i4", "<u4", "<i8", ">i8", ">u8", "=f8"};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            make_csr(indices[i], values[v]);
            expect(SMALL, TULLE_F64);
            expect(SMALL, TULLE_F32);
        }
    }
}

static void test_bools(void **state) {
    (void)state;
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 2, 2);
    ADD("row", "<i4", "3,", 1, 0, 0);
    ADD("col", "<i4", "3,", 0, 1, 0);
    ADD("data", "|b1", "3,", 1, 0, 1);
    zip_end(&zip);
    tulle_file_info info;
    tulle_mat *A;
    assert_int_equal(load(TULLE_F64, &A, &info), TULLE_OK);
    assert_string_equal(info.field, "integer");
    assert_string_equal(info.symmetry, "general");
    assert_string_equal(info.container, "npz");
    assert_int_equal(info.stored, 3);
    assert_int_equal(info.rows, 2);
    tulle_mat_destroy(A);
    expect("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 0\n2 1 1\n",
           TULLE_F64);
}

static void test_forms(void **state) {
    (void)state;
    begin("csc", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "4,", 0, 1, 1, 3);
    ADD("indices", "<i4", "3,", 0, 1, 0);
    ADD("data", "<f8", "3,", 1, 3, 2);
    zip_end(&zip);
    expect(SMALL, TULLE_F64);
    /* Entries in any order, one of them in two parts. */
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("row", "<i4", "4,", 1, 0, 0, 0);
    ADD("col", "<i8", "4,", 2, 2, 0, 2);
    ADD("data", "<f8", "4,", 3, 0.5, 1, 1.5);
    zip_end(&zip);
    expect(SMALL, TULLE_F64);
    /* An old SciPy wrote the name in characters of four bytes; surplus entries stand behind the
     * last offset. */
    zip.size = 0;
    zip.members = 0;
    zip_array(&zip, "format.npy", "<U3", "", "c\0\0\0s\0\0\0r\0\0", 12);
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "4,", 2, 0, 2, 99);
    ADD("data", "<f8", "4,", 2, 1, 3, NAN);
    zip_add(&zip, "_is_array.npy", "?", 1);
    zip_end(&zip);
    expect(SMALL, TULLE_F64);
}

static void make_blocks(const char *order, const double *values) {
    char head[128];
    array a = {.size = 0};
    begin("bsr", "|S3");
    ADD("shape", "<i8", "2,", 4, 3);
    ADD("indptr", "<i4", "3,", 0, 1, 2);
    ADD("indices", "<i4", "2,", 0, 0);
    for (int i = 0; i < 12; i++) put(&a, "<f8", values[i]);
    snprintf(head, sizeof head, "{'fortran_order':%s,'shape':(2L,2,3),\"descr\":'<f8'}", order);
    zip_array_of_head(&zip, "data.npy", head, a.bytes, a.size);
    zip_end(&zip);
}

static void test_blocks(void **state) {
    (void)state;
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n4 3 12\n"
        "1 1 1\n1 2 2\n1 3 3\n2 1 4\n2 2 0\n2 3 6\n"
        "3 1 7\n3 2 8\n3 3 9\n4 1 10\n4 2 11\n4 3 12\n";
    make_blocks("False", (const double[]){1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 11, 12});
    expect(text, TULLE_F64);
    make_blocks("True", (const double[]){1, 7, 4, 10, 2, 8, 0, 11, 3, 9, 6, 12});
    expect(text, TULLE_F64);
}

static void test_nothing(void **state) {
    (void)state;
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 3, 2);
    ADD("indptr", "<i4", "4,", 0, 0, 0, 0);
    add("indices.npy", "<i4", "0,", NULL, 0);
    add("data.npy", "<f8", "0,", NULL, 0);
    zip_end(&zip);
    expect("%%MatrixMarket matrix coordinate real general\n3 2 0\n", TULLE_F64);
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 0, 0);
    add("row.npy", "<i4", "0,", NULL, 0);
    add("col.npy", "<i4", "0,", NULL, 0);
    add("data.npy", "<f8", "0,", NULL, 0);
    zip_end(&zip);
    expect("%%MatrixMarket matrix coordinate real general\n0 0 0\n", TULLE_F64);
}

/* Numbers that the type cannot hold, as the reader of Matrix Market counts them. */
static void test_counts(void **state) {
    (void)state;
    tulle_file_info info;
    tulle_mat *A;
    const int64_t integers[] = {(INT64_C(1) << 53) + 1, INT64_MIN, INT64_C(1) << 53};
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "3,", 2, 0, 2);
    zip_array(&zip, "data.npy", "<i8", "3,", integers, sizeof integers);
    zip_end(&zip);
    assert_int_equal(load(TULLE_F64, &A, &info), TULLE_OK);
    assert_int_equal(info.rounded, 1);
    assert_int_equal(info.rounded_line, 0);
    assert_int_equal(info.vanished, 0);
    tulle_mat_destroy(A);
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "3,", 2, 0, 2);
    ADD("data", "<f8", "3,", 1e-60, -1e-50, 0);
    zip_end(&zip);
    assert_int_equal(load(TULLE_F32, &A, &info), TULLE_OK);
    assert_int_equal(info.vanished, 2);
    assert_int_equal(info.rounded, 0);
    tulle_mat_destroy(A);
    const uint64_t most[] = {UINT64_MAX, UINT64_C(1) << 63, 3};
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "3,", 2, 0, 2);
    zip_array(&zip, "data.npy", "<u8", "3,", most, sizeof most);
    zip_end(&zip);
    assert_int_equal(load(TULLE_F64, &A, &info), TULLE_OK);
    assert_int_equal(info.rounded, 1);
    tulle_mat_destroy(A);
    expect(
        "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 9223372036854775808\n"
        "1 3 18446744073709551615\n2 3 3\n",
        TULLE_F64);
}

static void expect_complaint(tulle_type type, tulle_status status, const char *part) {
    tulle_mat *A;
    tulle_memory_usage usage;
    const tulle_status got = load(type, &A, NULL);
    const char *message = tulle_last_error()->message;
    assert_null(A);
    if (got != status || !strstr(message, part) || strncmp(message, "z: ", 3) ||
        strchr(message, '\n'))
        fail_msg("%s, '%s'; wanted %s, '%s'", tulle_status_name(got), message,
                 tulle_status_name(status), part);
    assert_int_equal(tulle_ctx_memory(cpu, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, usage.workspace);
}

/* Arrays of a matrix in rows, and what they get; NULL: no such member. */
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

/* How many of three numbers are written for a shape: those that it asks for, if there are. */
static int numbers_of(const char *shape) {
    const int first = atoi(shape);
    const size_t length = strlen(shape);
    if (length > 0 && shape[length - 1] == '0') return 0;
    return first == 1 && shape[1] == ',' && shape[2] ? 2 : first > 0 && first < 3 ? first : 3;
}

static void make_fault(const fault *f) {
    const char type[] = {'|', 'S', (char)('0' + strlen(f->form)), 0};
    begin(f->form, type);
    if (f->shape_type)
        add("shape.npy", f->shape_type, f->shape_shape, f->shape, atoi(f->shape_shape));
    if (f->offset_type) add("indptr.npy", f->offset_type, f->offset_shape, f->offsets, 3);
    if (f->index_type)
        add("indices.npy", f->index_type, f->index_shape, f->indices, numbers_of(f->index_shape));
    if (f->value_type && !strcmp(f->value_type, "|O")) {
        zip_array(&zip, "data.npy", "|O", "3,", "abc", 3);
    } else if (f->value_type) {
        const bool keep = !strcmp(f->part, "surplus bytes");
        add("data.npy", f->value_type, f->value_shape, f->values,
            keep ? 3 : numbers_of(f->value_shape));
    }
    zip_end(&zip);
}

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        make_fault(&faults[i]);
        expect_complaint(TULLE_F64, faults[i].status, faults[i].part);
    }
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "3,", 2, 0, 2);
    ADD("data", "<f8", "3,", 2, 1e39, 3);
    zip_end(&zip);
    expect_complaint(TULLE_F32, TULLE_PARSE_ERROR, "value 1 (from 0) is too large for f32");
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("row", "<i4", "2,", 1, 1);
    ADD("col", "<i4", "2,", 1, 1);
    ADD("data", "<f8", "2,", DBL_MAX, DBL_MAX);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "the sum of the entries in row 2, column 2");
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("row", "<i4", "2,", 1, 2);
    ADD("col", "<i4", "2,", 1, 1);
    ADD("data", "<f8", "2,", 1, 2);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "row index of entry 1 (from 0) is 2");
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("row", "<i4", "1,", 1);
    ADD("col", "<i4", "2,", 1, 1);
    ADD("data", "<f8", "2,", 1, 2);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "row.npy has 1 numbers instead of 2");
}

/* Rows that only the file's word stands for: nothing is allocated for them. */
static void test_many_rows(void **state) {
    (void)state;
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 9e18, 9e18);
    ADD("row", "<i8", "1,", 8e18);
    ADD("col", "<i8", "1,", 8e18);
    ADD("data", "<f8", "1,", 1);
    zip_end(&zip);
    tulle_mat *A;
    tulle_mat_info info;
    assert_int_equal(load(TULLE_F64, &A, NULL), TULLE_OK);
    assert_int_equal(tulle_mat_describe(A, &info), TULLE_OK);
    assert_int_equal(info.format, TULLE_DCSR);
    assert_int_equal(info.rows, 9000000000000000000);
    assert_int_equal(info.nnz, 1);
    tulle_mat_destroy(A);
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
        begin("csr", "|S3");
        zip_array_of_head(&zip, "data.npy", heads[i], (const double[]){1, 2, 3}, 24);
        zip_end(&zip);
        expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "the head of data.npy");
    }
    begin("csr", "|S3");
    zip_array_of_head(&zip, "data.npy",
                      "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", "", 0);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "data.npy holds numbers of NumPy's type");
}

static void test_members(void **state) {
    (void)state;
    zip.size = 0;
    zip.members = 0;
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "is a zip archive without members");
    zip.size = 0;
    zip.members = 0;
    zip_add(&zip, "a/format.npy", "other", 5);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "a zip archive without format.npy");
    zip.size = 0;
    zip.members = 0;
    zip_add(&zip, "format.npy", "hello, this is no array", 23);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy is no array of NumPy's");
    zip.size = 0;
    zip.members = 0;
    zip_add(&zip, "format.npy", "\x93NUMPY\4\0\1\0", 10);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "version 4.0");
    zip.size = 0;
    zip.members = 0;
    zip_add(&zip, "format.npy", "\x93NUMPY\2\0\1\0\1\0", 12);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "65537 bytes");
    begin("csr", "|S3");
    zip_array(&zip, "format.npy", "|S3", "", "csr", 3);
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy twice");
    begin("7", "<i1");
    zip_end(&zip);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "format.npy is no name");
}

static void test_cut_off(void **state) {
    (void)state;
    make_csr("<i4", "<f8");
    const size_t size = zip.size;
    tulle_mat *A;
    for (zip.size = 0; zip.size < size; zip.size++) {
        const tulle_status status = load(TULLE_F64, &A, NULL);
        if (status != TULLE_PARSE_ERROR && status != TULLE_IO_ERROR)
            fail_msg("cut to %zu: %s", zip.size, tulle_status_name(status));
        assert_null(A);
    }
    zip.bytes[zip.size++] = 0;
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "cut off, or other bytes follow it");
}

/* A byte that changes is noticed, or changes nothing. */
static void test_damage(void **state) {
    (void)state;
    tulle_mat *A, *B;
    make_csr("<i4", "<f8");
    assert_int_equal(load(TULLE_F64, &B, NULL), TULLE_OK);
    for (size_t i = 0; i < zip.size; i++) {
        zip.bytes[i] ^= 0x10;
        if (load(TULLE_F64, &A, NULL) == TULLE_OK && !io_equal(cpu, A, B))
            fail_msg("byte %zu changed the matrix", i);
        tulle_mat_destroy(A);
        zip.bytes[i] ^= 0x10;
    }
    tulle_mat_destroy(B);
}

/* A lie takes no memory. */
static void test_lies(void **state) {
    (void)state;
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_memory_usage usage;
    begin("csr", "|S3");
    ADD("shape", "<i8", "2,", 2, 3);
    ADD("indptr", "<i4", "3,", 0, 2, 3);
    ADD("indices", "<i4", "100000000000000,", 2, 0, 2);
    zip_end(&zip);
    assert_int_equal(tulle_ctx_create("cpu:1", NULL, &ctx), TULLE_OK);
    assert_int_equal(
        tulle_mat_load_memory(ctx, zip.bytes, (int64_t)zip.size, "z", TULLE_F64, &A, NULL),
        TULLE_PARSE_ERROR);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, 0);
    assert_true(usage.high < (size_t)1 << 22);
    tulle_ctx_destroy(ctx);
}

/* So many entries that all threads share them: the first fault is the one told. */
static void test_first_fault(void **state) {
    enum { COUNT = 40000 };
    (void)state;
    static uint8_t numbers[COUNT], good[COUNT];
    static const char *const wheres[] = {"cpu:1", "cpu:5"};
    memset(numbers, 1, COUNT);
    numbers[COUNT - 1] = 200;
    numbers[12345] = 201;
    begin("coo", "|S3");
    ADD("shape", "<i8", "2,", 200, 200);
    zip_array(&zip, "row.npy", "|u1", "40000,", good, COUNT);
    zip_array(&zip, "col.npy", "|u1", "40000,", numbers, COUNT);
    zip_array(&zip, "data.npy", "|u1", "40000,", good, COUNT);
    zip_end(&zip);
    for (int w = 0; w < 2; w++) {
        tulle_ctx *ctx;
        tulle_mat *A;
        assert_int_equal(tulle_ctx_create(wheres[w], NULL, &ctx), TULLE_OK);
        assert_int_equal(
            tulle_mat_load_memory(ctx, zip.bytes, (int64_t)zip.size, "z", TULLE_F64, &A, NULL),
            TULLE_PARSE_ERROR);
        assert_non_null(strstr(tulle_last_error()->message, "entry 12345 (from 0) is 201"));
        tulle_ctx_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),   cmocka_unit_test(test_bools),
        cmocka_unit_test(test_forms),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_faults),  cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_heads),   cmocka_unit_test(test_members),
        cmocka_unit_test(test_cut_off), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_lies),    cmocka_unit_test(test_first_fault),
    };
    return cmocka_run_group_tests_name("npz files", tests, start, end);
}
