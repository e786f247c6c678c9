/* SPDX-License-Identifier: Apache-2.0 */
/* What bad arrays and arguments get: a status, the argument and the row named, and nothing made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"

/* One array of the 4 x 5 matrix below spoilt in one place, and what the record must then say. */
typedef struct {
    const char *array; /* "offsets", "rows" or "columns" */
    int64_t place, value;
    const char *argument;
    int64_t row;
    const char *says;
} spoilt;

static const int64_t good_offsets[] = {0, 2, 2, 5, 6};
static const int64_t good_rows[] = {0, 0, 2, 2, 2, 3};
static const int64_t good_columns[] = {0, 4, 1, 2, 3, 4};
static const double good_values[] = {1, 2, 3, 4, 5, 6};

static void spoil(int64_t *array, const char *name, const spoilt *s) {
    if (strcmp(name, s->array) == 0) array[s->place] = s->value;
}

static void try_spoilt(tulle_ctx *ctx, const spoilt *s, bool csr, tulle_index index, int base) {
    int64_t offsets[5], rows[6], columns[6];
    memcpy(offsets, good_offsets, sizeof offsets);
    memcpy(rows, good_rows, sizeof rows);
    memcpy(columns, good_columns, sizeof columns);
    spoil(offsets, "offsets", s);
    spoil(rows, "rows", s);
    spoil(columns, "columns", s);
    void *o = widths(offsets, 5, tulle_offset_size(index), base);
    void *r = widths(rows, 6, tulle_index_size(index), base);
    void *c = widths(columns, 6, tulle_index_size(index), base);
    tulle_mat_options options = {.base = base};
    tulle_mat *A = (tulle_mat *)1;
    tulle_status status =
        csr ? tulle_mat_create_csr(ctx, 4, 5, 6, index, o, c, TULLE_F64, good_values, &options, &A)
            : tulle_mat_create_coo(ctx, 4, 5, 6, index, r, c, TULLE_F64, good_values, &options, &A);
    assert_int_equal(status, TULLE_INVALID_MATRIX);
    assert_null(A);
    const tulle_error *error = tulle_last_error();
    assert_string_equal(error->function, csr ? "tulle_mat_create_csr" : "tulle_mat_create_coo");
    assert_string_equal(error->argument, s->argument);
    assert_int_equal(error->row, s->row);
    if (base == 0 && !strstr(error->message, s->says)) {
        fail_msg("'%s' does not say '%s'", error->message, s->says);
    }
    free(o);
    free(r);
    free(c);
}

static void validation(tulle_ctx *ctx, const char *where) {
    static const spoilt csr[] = {
        {"offsets", 0, 1, "offsets", 0, "first offset is 1"},
        {"offsets", 0, -1, "offsets", 0, "first offset is -1"},
        {"offsets", 2, 1, "offsets", 1, "row 1 ends at offset 1"},
        {"offsets", 1, -7, "offsets", 0, "row 0 ends at offset -7"},
        {"offsets", 3, 1000000000, "offsets", 3, "row 3 ends at offset 6"},
        {"offsets", 4, 5, "offsets", 3, "last offset is 5; it must be 6"},
        {"offsets", 4, 7, "offsets", 3, "last offset is 7; it must be 6"},
        {"columns", 1, 5, "columns", 0, "row 0: column 5 is out of range, 0 to 4"},
        {"columns", 3, -1, "columns", 2, "row 2: column -1 is out of range, 0 to 4"},
        {"columns", 5, INT32_MAX - 1, "columns", 3, "row 3: column 2147483646 is out of range"},
    };
    static const spoilt coo[] = {
        {"rows", 4, 4, "row_indices", -1, "entry 4: row 4 is out of range, 0 to 3"},
        {"rows", 0, -1, "row_indices", -1, "entry 0: row -1 is out of range, 0 to 3"},
        {"columns", 2, 5, "columns", 2, "entry 2 (row 2): column 5 is out of range, 0 to 4"},
        {"columns", 5, -3, "columns", 3, "entry 5 (row 3): column -3 is out of range, 0 to 4"},
    };
    for (int index = 0; index < (is_slow(where) ? 1 : 3); index++) {
        for (int base = 0; base < 2; base++) {
            for (size_t i = 0; i < sizeof csr / sizeof *csr; i++) {
                try_spoilt(ctx, &csr[i], true, (tulle_index)index, base);
            }
            for (size_t i = 0; i < sizeof coo / sizeof *coo; i++) {
                try_spoilt(ctx, &coo[i], false, (tulle_index)index, base);
            }
        }
    }
}

/* Of several faults the one of the lowest row is named, whoever finds it first. */
static void first_fault(tulle_ctx *ctx, const char *where) {
    int64_t n = is_slow(where) ? 300 : 50000;
    int32_t *offsets = malloc((size_t)(n + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)n * sizeof *columns);
    double *values = calloc((size_t)n, sizeof *values);
    assert_true(offsets && columns && values);
    for (int64_t i = 0; i < n; i++) offsets[i] = columns[i] = (int32_t)i;
    offsets[n] = (int32_t)n;
    for (int64_t bad = n - 1; bad > 0; bad /= 3) {
        columns[bad] = -1;
        tulle_mat *A = NULL;
        assert_int_equal(tulle_mat_create_csr(ctx, n, n, n, TULLE_I32, offsets, columns, TULLE_F64,
                                              values, NULL, &A),
                         TULLE_INVALID_MATRIX);
        assert_int_equal(tulle_last_error()->row, bad);
        assert_int_equal(tulle_mat_create_coo(ctx, n, n, n, TULLE_I32, offsets, columns, TULLE_F64,
                                              values, NULL, &A),
                         TULLE_INVALID_MATRIX);
        assert_int_equal(tulle_last_error()->row, bad);
    }
    free(offsets);
    free(columns);
    free(values);
}

static tulle_status create(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz, int index,
                           const void *offsets, const void *columns, tulle_type type,
                           const void *values, const tulle_mat_options *options, bool csr) {
    tulle_mat *A = (tulle_mat *)1;
    tulle_status status = csr ? tulle_mat_create_csr(ctx, rows, cols, nnz, (tulle_index)index,
                                                     offsets, columns, type, values, options, &A)
                              : tulle_mat_create_coo(ctx, rows, cols, nnz, (tulle_index)index,
                                                     offsets, columns, type, values, options, &A);
    if (status != TULLE_OK) assert_null(A);
    if (status == TULLE_OK) tulle_mat_destroy(A);
    return status;
}

static void expect_bad(tulle_status status, const char *argument) {
    assert_int_equal(status, TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_true(strlen(tulle_last_error()->message) > 0);
}

static void misuse_of(tulle_ctx *ctx, bool csr) {
    const int32_t o[] = {0, 1, 2}, c[] = {0, 1};
    const double v[] = {1, 2};
    const tulle_mat_options base = {.base = 2}, in_place = {.base = 1, .ownership = TULLE_BORROW},
                            no_release = {.ownership = TULLE_TAKE},
                            unknown = {.ownership = (tulle_ownership)3};
    const char *first = csr ? "offsets" : "row_indices";
    assert_int_equal(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, v, NULL, csr), TULLE_OK);
    expect_bad(create(NULL, 2, 2, 2, 0, o, c, TULLE_F64, v, NULL, csr), "ctx");
    expect_bad(create(ctx, -1, 2, 2, 0, o, c, TULLE_F64, v, NULL, csr), "rows");
    expect_bad(create(ctx, 2, -2, 2, 0, o, c, TULLE_F64, v, NULL, csr), "cols");
    expect_bad(create(ctx, 2, 2, -3, 0, o, c, TULLE_F64, v, NULL, csr), "nnz");
    expect_bad(create(ctx, 2, 2, 2, 3, o, c, TULLE_F64, v, NULL, csr), "index");
    expect_bad(create(ctx, 2, 2, 2, -1, o, c, TULLE_F64, v, NULL, csr), "index");
    expect_bad(create(ctx, 2, 2, 2, 0, NULL, c, TULLE_F64, v, NULL, csr), first);
    expect_bad(create(ctx, 2, 2, 2, 0, o, NULL, TULLE_F64, v, NULL, csr), "columns");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, (tulle_type)3, v, NULL, csr), "type");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, (tulle_type)0, v, NULL, csr), "type");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, NULL, NULL, csr), "values");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, v, &base, csr), "options");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, v, &in_place, csr), "options");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, v, &no_release, csr), "options");
    expect_bad(create(ctx, 2, 2, 2, 0, o, c, TULLE_F64, v, &unknown, csr), "options");
    const int64_t past = (int64_t)INT32_MAX + 1;
    assert_int_equal(create(ctx, past, 2, 2, 0, o, c, TULLE_F64, v, NULL, csr), TULLE_TOO_LARGE);
    assert_int_equal(create(ctx, 2, past, 2, 1, o, c, TULLE_F64, v, NULL, csr), TULLE_TOO_LARGE);
    assert_int_equal(create(ctx, 2, 2, past, 0, o, c, TULLE_F64, v, NULL, csr), TULLE_TOO_LARGE);
    assert_int_equal(create(ctx, 2, 2, INT64_MAX, 2, o, c, TULLE_F64, v, NULL, csr),
                     TULLE_TOO_LARGE);
    assert_int_equal(create(ctx, 2, 2, INT64_MAX / 4, 2, good_offsets, c, TULLE_F64, v, NULL, csr),
                     csr ? TULLE_INVALID_MATRIX : TULLE_TOO_LARGE); /* offsets know better */
    assert_int_equal(create(ctx, INT64_MAX, 2, 2, 2, o, c, TULLE_F64, v, NULL, csr),
                     TULLE_TOO_LARGE);
    assert_int_equal(create(ctx, 2, 2, 0, 0, csr ? (const int32_t[3]){0} : NULL, NULL, TULLE_F32,
                            NULL, NULL, csr),
                     TULLE_OK);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    misuse_of(ctx, true);
    misuse_of(ctx, false);
    assert_int_equal(create(ctx, (int64_t)1 << 60, 2, 2, 2, good_offsets, good_columns, TULLE_F64,
                            good_values, NULL, true),
                     TULLE_TOO_LARGE);
    expect_bad(tulle_mat_create_csr(ctx, 4, 5, 6, TULLE_I64, good_offsets, good_columns, TULLE_F64,
                                    good_values, NULL, NULL),
               "A");
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, 4, 5, 6, TULLE_I64, good_offsets, good_columns, TULLE_F64,
                              good_values, NULL, &A));
    expect_bad(tulle_mat_describe(NULL, &info), "A");
    expect_bad(tulle_mat_describe(A, NULL), "info");
    expect_bad(tulle_mat_view(NULL, &arrays), "A");
    expect_bad(tulle_mat_view(A, NULL), "arrays");
    expect_bad(tulle_mat_read(NULL, A, NULL, NULL, NULL, NULL), "ctx");
    expect_bad(tulle_mat_read(ctx, NULL, NULL, NULL, NULL, NULL), "A");
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, NULL));
    assert_null(tulle_mat_retain(NULL));
    tulle_mat_destroy(NULL);
    tulle_mat_destroy(A);
}

static void test_validation(void **state) {
    (void)state;
    on_each_place(validation);
}
static void test_first_fault(void **state) {
    (void)state;
    on_each_place(first_fault);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validation),
        cmocka_unit_test(test_first_fault),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
