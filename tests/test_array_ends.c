/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that claim more elements than there are, where another array knows better: refused, and
 * nothing is read behind the end of an array, which here is the end of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guarded.h"
#include "layouts.h"
#include "places.h"
#include "zoo.h"

enum { ARRAYS = 8 };

/* A matrix's arrays on the host, each up to the end of its memory. */
typedef struct {
    tulle_mat_info info;
    guarded of[ARRAYS];
} arrays;

static arrays arrays_read(tulle_ctx *ctx, const tulle_mat *A) {
    arrays a;
    tulle_mat_lengths n;
    must(tulle_mat_describe(A, &a.info));
    must(tulle_mat_counts(A, &n));
    int64_t item = tulle_index_size(a.info.index), offset = tulle_offset_size(a.info.index);
    const int64_t bytes[ARRAYS] = {
        n.offsets * offset, n.rows * item, n.cols * item, n.order * item,
        n.lengths * item,   n.mask * 4,    n.codes,       n.values * tulle_type_size(a.info.type)};
    for (int k = 0; k < ARRAYS; k++) {
        void *zeros = calloc((size_t)bytes[k] + 1, 1);
        assert_non_null(zeros);
        a.of[k] = guarded_copy(zeros, (size_t)bytes[k]);
        free(zeros);
    }
    tulle_mat_buffers to = {a.of[0].array, a.of[1].array, a.of[2].array, a.of[3].array,
                            a.of[4].array, a.of[5].array, a.of[6].array, a.of[7].array};
    must(tulle_mat_read_arrays(ctx, A, &to));
    return a;
}

static void arrays_free(arrays *a) {
    for (int k = 0; k < ARRAYS; k++) guarded_free(&a->of[k]);
}

static tulle_status make(tulle_ctx *ctx, const arrays *a, tulle_ownership ownership,
                         tulle_mat **A) {
    tulle_mat_options options = {.ownership = ownership};
    tulle_mat_arrays given = {a->of[0].array, a->of[1].array, a->of[2].array, a->of[3].array,
                              a->of[4].array, a->of[5].array, a->of[6].array, a->of[7].array};
    return tulle_mat_create(ctx, a->info.rows, a->info.cols, a->info.format, &a->info.storage,
                            a->info.index, &given, a->info.type, &options, A);
}

/* A number that becomes larger (HYB and the like: whose tail does), and the array that knows. */
static const struct {
    tulle_format format;
    int layout;
    size_t number;
    int64_t more;
    const char *argument;
} claims[] = {{TULLE_CSR, 0, offsetof(tulle_storage, stored), 1, "offsets"},
              {TULLE_CSR, 0, offsetof(tulle_storage, stored), 1000000, "offsets"},
              {TULLE_CSC, 0, offsetof(tulle_storage, stored), 1000000, "offsets"},
              {TULLE_SELL, 2, offsetof(tulle_storage, stored), 4000000, "offsets"},
              {TULLE_CSR_COO, 1, offsetof(tulle_storage, head), -1, "offsets"},
              {TULLE_JDS, 0, offsetof(tulle_storage, stored), 1000000, "offsets"},
              {TULLE_BSR, 2, offsetof(tulle_storage, stored), 4000000, "offsets"},
              {TULLE_PACKED, 1, offsetof(tulle_storage, stored), 3200000, "offsets"},
              {TULLE_PACKED, 1, offsetof(tulle_storage, coded), 32, "mask"},
              {TULLE_PACKED, 1, offsetof(tulle_storage, coded), 3200000, "mask"},
              {TULLE_DCSR, 0, offsetof(tulle_storage, stored), 1000000, "offsets"}};

static void refused(tulle_ctx *ctx, const arrays *a, const char *argument, bool in_place) {
    for (int ownership = TULLE_COPY; ownership <= (in_place ? TULLE_BORROW : TULLE_COPY);
         ownership++) {
        tulle_mat *A = (tulle_mat *)1;
        tulle_status status = make(ctx, a, (tulle_ownership)ownership, &A);
        if (status != TULLE_INVALID_MATRIX) {
            fail_msg("%s: status %d", tulle_format_name(a->info.format), status);
        }
        assert_string_equal(tulle_last_error()->argument, argument);
        assert_null(A);
    }
}

/* 4 x 5: rows of 3, 0, 1 and 4 entries. */
static const int64_t offsets_of[] = {0, 3, 3, 4, 8}, columns_of[] = {0, 2, 4, 1, 0, 1, 3, 4};
static const double values_of[] = {1, 2, 3, 4, 5, 6, 7, 8};

static tulle_mat *small(tulle_ctx *ctx, tulle_format format, int layout, tulle_index index) {
    zoo_matrix m = {.name = "small",
                    .rows = 4,
                    .cols = 5,
                    .nnz = 8,
                    .offsets = (int64_t *)(uintptr_t)offsets_of,
                    .columns = (int64_t *)(uintptr_t)columns_of,
                    .values = (double *)(uintptr_t)values_of};
    tulle_mat *csr = zoo_mat(ctx, &m, index, TULLE_F64);
    tulle_mat *A = layout_make(ctx, csr, format, index, layout);
    tulle_mat_destroy(csr);
    return A;
}

static void more_than_there_is(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    bool in_place = device.backend != TULLE_CUDA; /* the arrays are this program's */
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        for (int index = 0; index < 3; index++) {
            tulle_mat *A = small(ctx, claims[i].format, claims[i].layout, (tulle_index)index);
            tulle_mat *B = NULL;
            arrays a = arrays_read(ctx, A);
            must(make(ctx, &a, TULLE_COPY, &B)); /* nothing is wrong with them yet */
            tulle_mat_destroy(B);
            char *number = (char *)&a.info.storage + claims[i].number;
            *(int64_t *)number += claims[i].more;
            refused(ctx, &a, claims[i].argument, in_place);
            arrays_free(&a);
            tulle_mat_destroy(A);
        }
    }
}

/* tulle_mat_create_csr, with either base; what is wrong with the offsets besides is told first. */
static void csr(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int base = 0; base < 2; base++) {
        int32_t offsets[5], columns[8];
        for (int i = 0; i < 5; i++) offsets[i] = (int32_t)offsets_of[i] + base;
        for (int e = 0; e < 8; e++) columns[e] = (int32_t)columns_of[e] + base;
        guarded o = guarded_copy(offsets, sizeof offsets),
                c = guarded_copy(columns, sizeof columns);
        guarded v = guarded_copy(values_of, sizeof values_of);
        tulle_mat_options options = {.base = base};
        tulle_mat *A = NULL;
        assert_int_equal(tulle_mat_create_csr(ctx, 4, 5, 2000000, TULLE_I32, o.array, c.array,
                                              TULLE_F64, v.array, &options, &A),
                         TULLE_INVALID_MATRIX);
        assert_string_equal(tulle_last_error()->argument, "offsets");
        assert_int_equal(tulle_last_error()->row, 3);
        ((int32_t *)o.array)[2] = base;
        assert_int_equal(tulle_mat_create_csr(ctx, 4, 5, 2000000, TULLE_I32, o.array, c.array,
                                              TULLE_F64, v.array, &options, &A),
                         TULLE_INVALID_MATRIX);
        assert_int_equal(tulle_last_error()->row, 1);
        assert_null(A);
        guarded_free(&o);
        guarded_free(&c);
        guarded_free(&v);
    }
}

/* A PACKED matrix of many lines, of which the last with codes is not the last of all. */
static void codes_found(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 32 * 40, LENGTH = 20 };
    (void)where;
    static int32_t offsets[ROWS + 1], columns[ROWS * LENGTH];
    static double values[ROWS * LENGTH];
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = (i + 1) * LENGTH;
        for (int e = 0; e < LENGTH; e++) columns[i * LENGTH + e] = i + 8 * e;
        columns[i * LENGTH] = i == 5 ? 0 : i; /* the one line that is no diagonal */
    }
    tulle_mat *A = NULL, *packed = NULL, *B = NULL;
    must(tulle_mat_create_csr(ctx, ROWS, ROWS + 8 * LENGTH, ROWS * LENGTH, TULLE_I32, offsets,
                              columns, TULLE_F64, values, NULL, &A));
    must(tulle_mat_convert(ctx, A, TULLE_PACKED, TULLE_I32, 0, &packed));
    arrays a = arrays_read(ctx, packed);
    assert_true(a.info.storage.coded == 32);
    must(make(ctx, &a, TULLE_COPY, &B));
    tulle_mat_destroy(B);
    a.info.storage.coded = 1 << 20;
    refused(ctx, &a, "mask", false);
    arrays_free(&a);
    tulle_mat_destroy(packed);
    tulle_mat_destroy(A);
}

static void test_claims(void **state) {
    (void)state;
    once_on_each_place(more_than_there_is);
}
static void test_csr(void **state) {
    (void)state;
    once_on_each_place(csr);
}
static void test_codes(void **state) {
    (void)state;
    once_on_each_place(codes_found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_csr),
        cmocka_unit_test(test_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
