/* SPDX-License-Identifier: Apache-2.0 */
/* New values of a matrix that borrows its arrays: never written, and what plans made of them
 * follows; and the number of values that the caller gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guarded.h"
#include "layouts.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

enum { ZOO = 8, LONGEST = 64 };

/* A matrix around arrays of the caller's in the context's memory, which multivectors lend. */
typedef struct {
    zoo_matrix zoo; /* its values are what a product must use */
    tulle_vec *blocks[3];
    tulle_mat *A;
} lent;

static void *lend(tulle_ctx *ctx, const void *host, int64_t count, tulle_vec **block) {
    tulle_vec_info info;
    must(tulle_vec_create(ctx, TULLE_F64, count, block));
    must(tulle_vec_write(ctx, *block, host, 0));
    must(tulle_vec_describe(*block, &info));
    return info.data;
}

static lent lend_all(tulle_ctx *ctx) {
    lent l = {.zoo = zoo_make(ZOO)};
    const zoo_matrix *z = &l.zoo;
    const void *offsets = lend(ctx, z->offsets, z->rows + 1, &l.blocks[0]);
    const void *columns = lend(ctx, z->columns, z->nnz, &l.blocks[1]);
    const void *values = lend(ctx, z->values, z->nnz, &l.blocks[2]);
    tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    must(tulle_mat_create_csr(ctx, z->rows, z->cols, z->nnz, TULLE_I64, offsets, columns, TULLE_F64,
                              values, &borrow, &l.A));
    return l;
}

static void give_up(lent *l) {
    tulle_mat_destroy(l->A);
    for (int i = 0; i < 3; i++) tulle_vec_destroy(l->blocks[i]);
    zoo_free(&l->zoo);
}

static void other_values(zoo_matrix *m, int shift) {
    for (int64_t e = 0; e < m->nnz; e++) m->values[e] = (double)((e + shift) % 13) - 6;
}

/* Whether y := 2 op(A) x is that of m. */
static bool right(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const zoo_matrix *m) {
    double x_host[LONGEST], y_host[LONGEST], y0[LONGEST] = {0};
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->cols : m->rows, &x));
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->rows : m->cols, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_vec_read(ctx, x, x_host, 0));
    must(tulle_spmv(ctx, op, tulle_num(2), A, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, y_host, 0));
    product p = {.op = op, .alpha = 2, .beta = 0, .x = x_host, .y0 = y0};
    double error = product_error(m, &p, TULLE_F64, y_host);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    return error <= 1;
}

/* The plans that a kernel serves: in its own format, and of the transpose. */
static int try_kernel(tulle_ctx *ctx, const char *name) {
    int copies = 0;
    lent l = lend_all(ctx);
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle_status status = tulle_mat_plan(ctx, (tulle_trans)op, l.A, name);
        if (status == TULLE_UNSUPPORTED) continue;
        must(status);
        for (int shift = 1; shift < 3; shift++) {
            assert_true(right(ctx, (tulle_trans)op, l.A, &l.zoo));
            other_values(&l.zoo, shift);
            must(tulle_vec_write(ctx, l.blocks[2], l.zoo.values, 0));
            if (!right(ctx, (tulle_trans)op, l.A, &l.zoo)) copies++; /* it runs on a copy */
            must(tulle_mat_values_changed(ctx, l.A));
            if (!right(ctx, (tulle_trans)op, l.A, &l.zoo)) fail_msg("%s, op %d: stale", name, op);
        }
    }
    give_up(&l);
    return copies;
}

static void changed_in_place(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    tulle_kernel_info kernel;
    int copies = 0;
    must(tulle_ctx_device(ctx, &device));
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        must(tulle_kernel_describe(device.backend, i, &kernel));
        bool wide = kernel.supports[TULLE_F64][TULLE_I64];
        if (strcmp(kernel.operation, "spmv") == 0 && wide) copies += try_kernel(ctx, kernel.name);
    }
    if (copies < 10) fail_msg("%s: %d products on copies", where, copies);
}

/* New values for a matrix whose values may only be read; plans or not, and whoever's context. */
static void never_written(tulle_ctx *ctx, const char *where) {
    lent l = lend_all(ctx);
    double *before = malloc((size_t)l.zoo.nnz * sizeof *before);
    double *after = malloc((size_t)l.zoo.nnz * sizeof *after);
    assert_true(before && after);
    memcpy(before, l.zoo.values, (size_t)l.zoo.nnz * sizeof *before);
    must(tulle_mat_plan(ctx, TULLE_T, l.A, NULL));
    tulle_ctx *other = NULL;
    must(tulle_ctx_create(where, NULL, &other));
    tulle_mat_arrays view, own;
    must(tulle_mat_view(l.A, &view));
    other_values(&l.zoo, 3);
    must(tulle_mat_set_values(other, l.A, l.zoo.nnz, l.zoo.values));
    must(tulle_ctx_synchronize(other));
    tulle_ctx_destroy(other); /* what A has from it lives on */
    must(tulle_mat_view(l.A, &own));
    assert_ptr_not_equal(own.values, view.values);
    assert_true(right(ctx, TULLE_N, l.A, &l.zoo) && right(ctx, TULLE_T, l.A, &l.zoo));
    other_values(&l.zoo, 4); /* once A has an array of its own, it keeps that */
    must(tulle_mat_set_values(ctx, l.A, l.zoo.nnz, l.zoo.values));
    must(tulle_mat_view(l.A, &view));
    assert_ptr_equal(own.values, view.values);
    assert_true(right(ctx, TULLE_N, l.A, &l.zoo) && right(ctx, TULLE_T, l.A, &l.zoo));
    must(tulle_vec_read(ctx, l.blocks[2], after, 0));
    assert_memory_equal(before, after, (size_t)l.zoo.nnz * sizeof *before);
    free(before);
    free(after);
    give_up(&l);
}

/* A write would end the program. */
static void sealed(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend == TULLE_CUDA) return; /* the array is this program's */
    static const int32_t offsets[] = {0, 1, 2}, columns[] = {1, 0};
    static const double old[] = {1, 2}, new[] = {3, 4};
    tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_mat *A = NULL;
    double read[2];
    guarded values = guarded_copy(old, sizeof old);
    guarded_seal(&values);
    must(tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, values.array,
                              &borrow, &A));
    must(tulle_mat_set_values(ctx, A, 2, values.array)); /* onto themselves */
    must(tulle_mat_set_values(ctx, A, 2, new));
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, read));
    assert_memory_equal(read, new, sizeof read);
    tulle_mat_destroy(A);
    guarded_free(&values);
}

static void expect_count(tulle_status status) {
    assert_int_equal(status, TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "count");
}

/* Every format says how many it wants, and takes no other number. */
static void counted(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(ZOO);
    tulle_mat *csr = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int padded = 0;
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *A = layout_make(ctx, csr, (tulle_format)format, TULLE_I32, 0), *B = NULL;
        if (!A) continue;
        tulle_mat_lengths n;
        must(tulle_mat_counts(A, &n));
        padded += n.values > m.nnz;
        double *values = calloc((size_t)n.values + 1, sizeof *values);
        assert_non_null(values);
        for (int off = -1; off < 2; off += 2) {
            expect_count(tulle_mat_set_values(ctx, A, n.values + off, values));
            expect_count(tulle_mat_with_values(ctx, A, TULLE_F64, n.values + off, values, &B));
            assert_null(B);
        }
        must(tulle_mat_set_values(ctx, A, n.values, values));
        must(tulle_mat_with_values(ctx, A, TULLE_F64, n.values, values, &B));
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        free(values);
    }
    assert_true(padded > 0);
    tulle_mat_destroy(csr);
    zoo_free(&m);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 0, 0};
    tulle_mat *empty = NULL, *far = NULL;
    must(tulle_mat_create_csr(ctx, 2, 2, 0, TULLE_I32, offsets, NULL, TULLE_F64, NULL, NULL,
                              &empty));
    must(tulle_mat_set_values(ctx, empty, 0, NULL));
    must(tulle_mat_values_changed(ctx, empty));
    assert_int_equal(tulle_mat_values_changed(NULL, empty), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_values_changed(ctx, NULL), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "A");
    tulle_ctx *home = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &home));
    must(tulle_mat_copy(home, empty, TULLE_F64, &far));
    bool apart = strncmp(where, "cpu", 3) != 0;
    assert_int_equal(tulle_mat_values_changed(ctx, far), apart ? TULLE_SPACE_MISMATCH : TULLE_OK);
    tulle_mat_destroy(far);
    tulle_mat_destroy(empty);
    tulle_ctx_destroy(home);
}

static void test_changed(void **state) {
    (void)state;
    once_on_each_place(changed_in_place);
}
static void test_never_written(void **state) {
    (void)state;
    on_each_place(never_written);
    once_on_each_place(sealed);
}
static void test_counted(void **state) {
    (void)state;
    once_on_each_place(counted);
}
static void test_misuse(void **state) {
    (void)state;
    once_on_each_place(misuse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_never_written),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
