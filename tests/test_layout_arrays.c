/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_create: every layout of every format from its own arrays, and arrays that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "gaps.h"
#include "layouts.h"
#include "places.h"

/* A matrix's arrays on the host, each with room for one element more. */
typedef struct {
    tulle_mat_info info;
    tulle_mat_lengths n;
    tulle_mat_buffers at;
} arrays;

static void *room(int64_t count, int64_t size) {
    return count > 0 ? calloc((size_t)(count + 1), (size_t)size) : NULL;
}

static arrays arrays_read(tulle_ctx *ctx, const tulle_mat *A) {
    arrays a;
    must(tulle_mat_describe(A, &a.info));
    must(tulle_mat_counts(A, &a.n));
    int64_t size = tulle_index_size(a.info.index);
    a.at = (tulle_mat_buffers){.offsets = room(a.n.offsets, tulle_offset_size(a.info.index)),
                               .rows = room(a.n.rows, size),
                               .cols = room(a.n.cols, size),
                               .order = room(a.n.order, size),
                               .lengths = room(a.n.lengths, size),
                               .mask = room(a.n.mask, 4),
                               .codes = room(a.n.codes, 1),
                               .values = room(a.n.values, tulle_type_size(a.info.type))};
    must(tulle_mat_read_arrays(ctx, A, &a.at));
    return a;
}

static void arrays_free(arrays *a) {
    free(a->at.offsets);
    free(a->at.rows);
    free(a->at.cols);
    free(a->at.order);
    free(a->at.lengths);
    free(a->at.mask);
    free(a->at.codes);
    free(a->at.values);
}

static tulle_status make(tulle_ctx *ctx, const arrays *a, const tulle_mat_options *options,
                         tulle_mat **A) {
    tulle_mat_arrays given = {a->at.offsets, a->at.rows, a->at.cols,  a->at.order,
                              a->at.lengths, a->at.mask, a->at.codes, a->at.values};
    return tulle_mat_create(ctx, a->info.rows, a->info.cols, a->info.format, &a->info.storage,
                            a->info.index, &given, a->info.type, options, A);
}

static void same_csr(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const char *what) {
    tulle_mat *a = NULL, *b = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &a));
    must(tulle_mat_convert(ctx, B, TULLE_CSR, TULLE_I64, 0, &b));
    entries x = entries_read(ctx, a), y = entries_read(ctx, b);
    entries_assert_same(&x, &y, what);
    tulle_mat_info ours, theirs;
    must(tulle_mat_describe(a, &ours));
    must(tulle_mat_describe(b, &theirs));
    info_clear_gaps(&ours);
    info_clear_gaps(&theirs);
    assert_memory_equal(&ours, &theirs, sizeof ours);
    entries_free(&x);
    entries_free(&y);
    tulle_mat_destroy(a);
    tulle_mat_destroy(b);
}

static void given_arrays(tulle_ctx *ctx, const char *where) {
    for (int i = turn_of(where, 3); i < zoo_count(); i += is_slow(where) ? 3 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_index index = (tulle_index)(i % 3);
        tulle_type type = i % 2 ? TULLE_F32 : TULLE_F64;
        tulle_mat *csr = zoo_mat(ctx, &m, index, type);
        for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
            for (int l = 0; l < layout_count((tulle_format)format); l += is_slow(where) ? 6 : 1) {
                tulle_mat *A = layout_make(ctx, csr, (tulle_format)format, index, l), *B = NULL;
                arrays a = arrays_read(ctx, A);
                must(make(ctx, &a, NULL, &B));
                same_csr(ctx, A, B, m.name);
                tulle_mat_info ours, theirs;
                must(tulle_mat_describe(A, &ours));
                must(tulle_mat_describe(B, &theirs));
                info_clear_gaps(&ours);
                info_clear_gaps(&theirs);
                if (memcmp(&ours, &theirs, sizeof ours) != 0) {
                    fail_msg("%s as %s: other numbers", m.name, tulle_format_name(a.info.format));
                }
                tulle_mat_destroy(A);
                tulle_mat_destroy(B);
                arrays_free(&a);
            }
        }
        tulle_mat_destroy(csr);
        zoo_free(&m);
    }
}

/* 4 x 5: rows of 3, 0, 1 and 4 entries. */
static tulle_mat *small(tulle_ctx *ctx, tulle_format format, int layout) {
    static const int32_t offsets[] = {0, 3, 3, 4, 8}, cols[] = {0, 2, 4, 1, 0, 1, 3, 4};
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    tulle_mat *csr = NULL;
    must(tulle_mat_create_csr(ctx, 4, 5, 8, TULLE_I32, offsets, cols, TULLE_F64, values, NULL,
                              &csr));
    tulle_mat *A = layout_make(ctx, csr, format, TULLE_I32, layout);
    tulle_mat_destroy(csr);
    return A;
}

typedef enum { OFFSETS, ROWS, COLS, ORDER, LENGTHS, MASK, CODES } which;

static int32_t *array_of(arrays *a, which w) {
    void *const all[] = {a->at.offsets, a->at.rows, a->at.cols, a->at.order,
                         a->at.lengths, a->at.mask, a->at.codes};
    return all[w];
}

/* One number of one array changed, and the argument that must be blamed. */
static const struct {
    tulle_format format;
    int layout;
    which array;
    int at;
    int32_t number;
    const char *argument;
} broken[] = {{TULLE_CSC, 0, OFFSETS, 0, 1, "offsets"},
              {TULLE_CSC, 0, OFFSETS, 2, 9, "offsets"},
              {TULLE_CSC, 0, ROWS, 3, 4, "rows"},
              {TULLE_CSC, 0, ROWS, 3, -1, "rows"},
              {TULLE_ELL, 0, COLS, 0, 5, "cols"},
              {TULLE_ELL, 0, COLS, 0, -2, "cols"},
              {TULLE_ELL, 0, COLS, 0, -1, "cols"},
              {TULLE_ELL, 0, COLS, 31, 0, "cols"},
              {TULLE_ELLR, 0, LENGTHS, 1, 1, "lengths"},
              {TULLE_SELL, 2, OFFSETS, 1, 15, "offsets"},
              {TULLE_SELL, 1, ORDER, 0, 4, "order"},
              {TULLE_SELL, 1, ORDER, 0, 0, "order"},
              {TULLE_SELL, 2, COLS, 2, 7, "cols"},
              {TULLE_SELL, 2, COLS, 5, 0, "cols"},
              {TULLE_HYB, 1, ROWS, 0, 3, "rows"},
              {TULLE_HYB, 1, ROWS, 4, 4, "rows"},
              {TULLE_HYB, 1, COLS, 32, -1, "cols"},
              {TULLE_CSR_COO, 1, OFFSETS, 4, 4, "offsets"},
              {TULLE_CSR_COO, 1, COLS, 0, -1, "cols"},
              {TULLE_CSR_COO, 1, ROWS, 4, 2, "rows"},
              {TULLE_JDS, 0, OFFSETS, 1, 5, "offsets"},
              {TULLE_JDS, 0, OFFSETS, 2, 7, "offsets"},
              {TULLE_JDS, 0, ORDER, 3, 3, "order"},
              {TULLE_JDS, 0, COLS, 7, 5, "cols"},
              {TULLE_JDS_ELL, 0, ORDER, 1, -1, "order"},
              {TULLE_JDS_ELL, 0, COLS, 0, -1, "cols"},
              {TULLE_DIA, 0, COLS, 0, -4, "cols"},
              {TULLE_DIA, 0, COLS, 1, -3, "cols"},
              {TULLE_DIA, 0, MASK, 0, 1, "mask"},
              {TULLE_BSR, 2, COLS, 0, 3, "cols"},
              {TULLE_BSR, 2, COLS, 1, 0, "cols"},
              {TULLE_BSR, 2, MASK, 2, 2, "mask"},
              {TULLE_BSR, 2, OFFSETS, 1, 9, "offsets"},
              {TULLE_BSR, 2, MASK, 0, 16, "mask"},
              {TULLE_PACKED, 1, OFFSETS, 1, 127, "offsets"},
              {TULLE_PACKED, 2, ORDER, 0, 4, "order"},
              {TULLE_PACKED, 2, ORDER, 0, 0, "order"},
              /* Out of range: by the base, on a diagonal, by a code. */
              {TULLE_PACKED, 1, COLS, 0, 4, "cols"},
              {TULLE_PACKED, 1, COLS, 0, -1, "cols"},
              {TULLE_PACKED, 1, COLS, 3, -4, "cols"},
              {TULLE_PACKED, 1, CODES, 0, 5, "cols"},
              /* Codes that end outside codes, by the place, by either wider kind. */
              {TULLE_PACKED, 1, MASK, 3, 13, "mask"},
              {TULLE_PACKED, 1, MASK, 5, 11, "mask"},
              {TULLE_PACKED, 1, MASK, 7, 10, "mask"},
              /* An entry behind padding, and one at a position without a row. */
              {TULLE_PACKED, 1, MASK, 2, 11, "mask"},
              {TULLE_PACKED, 1, MASK, 0, 29, "mask"},
              {TULLE_DCSR, 0, OFFSETS, 0, 1, "offsets"},
              {TULLE_DCSR, 0, OFFSETS, 1, 4, "offsets"},
              {TULLE_DCSR, 0, OFFSETS, 3, 7, "offsets"},
              {TULLE_DCSR, 0, ORDER, 0, -1, "order"},
              {TULLE_DCSR, 0, ORDER, 1, 0, "order"},
              {TULLE_DCSR, 0, ORDER, 2, 4, "order"},
              {TULLE_DCSR, 0, COLS, 7, 5, "cols"},
              {TULLE_DCSR, 0, COLS, 0, -1, "cols"}};

static void broken_arrays(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        tulle_mat *A = small(ctx, broken[i].format, broken[i].layout), *B = A;
        arrays a = arrays_read(ctx, A);
        array_of(&a, broken[i].array)[broken[i].at] = broken[i].number;
        tulle_status status = make(ctx, &a, NULL, &B);
        if (status != TULLE_INVALID_MATRIX) {
            fail_msg("%s, case %d: status %d", tulle_format_name(a.info.format), (int)i, status);
        }
        assert_string_equal(tulle_last_error()->argument, broken[i].argument);
        assert_null(B);
        arrays_free(&a);
        tulle_mat_destroy(A);
    }
}

static void expect_bad(tulle_ctx *ctx, const arrays *a, const char *argument) {
    tulle_mat *B = (tulle_mat *)1;
    assert_int_equal(make(ctx, a, NULL, &B), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_null(B);
}

static void wrong_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int format = TULLE_ELL; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *A = small(ctx, (tulle_format)format, 0);
        arrays a = arrays_read(ctx, A);
        tulle_storage good = a.info.storage, *s = &a.info.storage;
        s->stored++;
        s->width = s->slice = s->block = s->heads = -1;
        s->head = s->stored + 1;
        expect_bad(ctx, &a, "storage");
        *s = good;
        a.info.format = (tulle_format)TULLE_FORMAT_COUNT;
        expect_bad(ctx, &a, "format");
        a.info.format = (tulle_format)format;
        void *values = a.at.values;
        a.at.values = NULL;
        expect_bad(ctx, &a, "values");
        a.at.values = values;
        arrays_free(&a);
        tulle_mat_destroy(A);
    }
}

/* Numbers that the format lacks are not looked at, and become 0. */
static void foreign_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *A = small(ctx, (tulle_format)format, 0), *B = NULL;
        arrays a = arrays_read(ctx, A);
        tulle_storage good = a.info.storage, *s = &a.info.storage;
        int64_t *const numbers[] = {&s->width, &s->stride, &s->head,  &s->slice,     &s->window,
                                    &s->coded, &s->block,  &s->heads, &s->block_cols};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            if (*numbers[i] == 0) *numbers[i] = -7;
        }
        if (s->sections == 0) s->sections = 40;
        if (format != TULLE_BSR) s->full = true;
        must(make(ctx, &a, NULL, &B));
        tulle_mat_info theirs;
        must(tulle_mat_describe(B, &theirs));
        storage_clear_gaps(&good);
        storage_clear_gaps(&theirs.storage);
        assert_memory_equal(&good, &theirs.storage, sizeof good);
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        arrays_free(&a);
    }
}

static void count_release(void *user, void *array) {
    (void)array;
    ++*(int *)user;
}

/* Empty arrays are taken too; those that the format lacks are not. */
static void test_taken(void **state) {
    (void)state;
    static int32_t offsets[3], cols[1], order[1];
    static double values[1];
    int releases = 0;
    tulle_mat_options take = {.ownership = TULLE_TAKE, .release = count_release, .user = &releases};
    tulle_mat_arrays given = {.offsets = offsets, .cols = cols, .order = order, .values = values};
    tulle_storage storage = {0};
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    must(tulle_mat_create(ctx, 2, 2, TULLE_CSR, &storage, TULLE_I32, &given, TULLE_F64, &take, &A));
    tulle_mat_destroy(A);
    assert_int_equal(releases, 3);
    tulle_ctx_destroy(ctx);
}

/* More diagonals than any table can have, by a size that wraps around in eight bytes each too. */
static void many_diagonals(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t widths[] = {INT64_MAX - 1, (INT64_C(1) << 61) - 2};
    for (int i = 0; i < 2; i++) {
        int64_t row = 1, col = 1;
        double value = 1;
        tulle_mat *A = NULL, *B = NULL;
        must(tulle_mat_create_coo(ctx, 2, widths[i], 1, TULLE_I64, &row, &col, TULLE_F64, &value,
                                  NULL, &A));
        assert_int_equal(tulle_mat_convert(ctx, A, TULLE_DIA, TULLE_I64, 0, &B), TULLE_TOO_LARGE);
        tulle_mat_destroy(A);
    }
}

static void test_foreign(void **state) {
    (void)state;
    on_each_place(foreign_numbers);
}

static void test_diagonals(void **state) {
    (void)state;
    on_each_place(many_diagonals);
}

static void test_given(void **state) {
    (void)state;
    on_each_place(given_arrays);
}

static void test_broken(void **state) {
    (void)state;
    on_each_place(broken_arrays);
}

static void test_numbers(void **state) {
    (void)state;
    on_each_place(wrong_numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given),   cmocka_unit_test(test_broken),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_taken),   cmocka_unit_test(test_diagonals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
