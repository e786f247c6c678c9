/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of rows that a triple product leaves for the next one on the same patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "spgemm/galerkin.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"

typedef struct operands {
    tulle_mat *A, *P, *R;
} operands;

static operands operands_of(tulle_ctx *ctx, const char *spec, const char *interpolation) {
    operands o;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &o.A));
    must(tulle_generate(ctx, interpolation, 1, TULLE_F64, &o.P));
    must(tulle_mat_transpose(ctx, o.P, &o.R));
    return o;
}

static void let_go(const operands *o, tulle__spgemm_lengths *lengths) {
    for (int k = 0; k < 2; k++) tulle__spgemm_lengths_drop(lengths + k);
    tulle_mat_destroy(o->A);
    tulle_mat_destroy(o->P);
    tulle_mat_destroy(o->R);
}

/* A product in host memory. */
typedef struct product {
    int64_t rows, nnz;
    int32_t *offsets, *cols;
    double *values;
} product;

static product read(tulle_ctx *ctx, const tulle_mat *C) {
    tulle_mat_info info;
    must(tulle_mat_describe(C, &info));
    product p = {.rows = info.rows, .nnz = info.nnz};
    p.offsets = malloc((size_t)(p.rows + 1) * sizeof *p.offsets);
    p.cols = malloc((size_t)p.nnz * sizeof *p.cols);
    p.values = malloc((size_t)p.nnz * sizeof *p.values);
    must(tulle_mat_read(ctx, C, p.offsets, NULL, p.cols, p.values));
    return p;
}

static product multiply(tulle_ctx *ctx, const operands *o, tulle__spgemm_lengths *lengths) {
    tulle_mat *C = NULL;
    must(tulle__spgemm_galerkin_with(ctx, o->A, o->P, o->R, lengths, NULL, &C));
    const product p = read(ctx, C);
    tulle_mat_destroy(C);
    return p;
}

static void assert_alike(const product *a, const product *b) {
    assert_int_equal(a->nnz, b->nnz);
    assert_memory_equal(a->offsets, b->offsets, (size_t)(a->rows + 1) * sizeof *a->offsets);
    assert_memory_equal(a->cols, b->cols, (size_t)a->nnz * sizeof *a->cols);
    assert_memory_equal(a->values, b->values, (size_t)a->nnz * sizeof *a->values);
}

static void product_free(product *p) {
    free(p->offsets);
    free(p->cols);
    free(p->values);
}

/* The first product leaves the lengths of its rows, and the second one uses them. */
static void taken_and_used(tulle_ctx *ctx, const char *where) {
    const operands o = operands_of(ctx, is_slow(where) ? "p3d7:8" : "p3d7:20",
                                   is_slow(where) ? "interp3:8" : "interp3:20");
    tulle__spgemm_lengths lengths[2] = {{.unfit = NULL}};
    product first = multiply(ctx, &o, lengths);
    assert_non_null(lengths[0].unfit);
    assert_int_equal(lengths[1].rows, first.rows);
    assert_false(lengths[0].looked || lengths[1].looked);
    uint8_t *bytes = malloc((size_t)first.rows);
    must(tulle__copy_wait(ctx, bytes, lengths[1].unfit + 1, (size_t)first.rows));
    for (int64_t i = 0; i < first.rows; i++) {
        assert_int_equal(bytes[i], first.offsets[i + 1] - first.offsets[i]);
    }
    product second = multiply(ctx, &o, lengths);
    assert_true(lengths[0].looked && lengths[1].looked);
    assert_alike(&first, &second);
    free(bytes);
    product_free(&first);
    product_free(&second);
    let_go(&o, lengths);
}
ONCE_ON_EACH_PLACE(taken_and_used)

/* Gives A other numbers. */
static void change(tulle_ctx *ctx, tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    double *values = malloc((size_t)info.nnz * sizeof *values);
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, values));
    for (int64_t k = 0; k < info.nnz; k++) values[k] *= 1 + 0.125 * (double)(k % 7);
    must(tulle__copy_wait(ctx, A->values.data, values, (size_t)info.nnz * sizeof *values));
    free(values);
}

/* With other numbers the product has the bits that it has where nothing is known, and the pattern
 * that it is given. A GPU knows the ways of all rows but for large ones. */
static void other_numbers(tulle_ctx *ctx, const char *where) {
    static const char *const specs[][2] = {{"p3d7:7", "interp3:7"},
                                           {"random:90,90,9", "random:90,40,5"},
                                           {"random:5000,5000,2", "random:5000,2000,2"}};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        const operands o = operands_of(ctx, specs[k][0], specs[k][1]);
        tulle__spgemm_lengths lengths[2] = {{.unfit = NULL}}, none[2] = {{.unfit = NULL}};
        tulle_mat *first = NULL, *second = NULL;
        must(tulle__spgemm_galerkin_with(ctx, o.A, o.P, o.R, lengths, NULL, &first));
        assert_true(lengths[0].ways.known == (strncmp(where, "cpu", 3) != 0));
        change(ctx, o.A);
        must(tulle__spgemm_galerkin_with(ctx, o.A, o.P, o.R, lengths, first->pattern, &second));
        assert_ptr_equal(second->pattern, first->pattern);
        product of_second = read(ctx, second), fresh = multiply(ctx, &o, none);
        assert_alike(&of_second, &fresh);
        product_free(&of_second);
        product_free(&fresh);
        tulle_mat_destroy(first);
        tulle_mat_destroy(second);
        for (int j = 0; j < 2; j++) tulle__spgemm_lengths_drop(none + j);
        let_go(&o, lengths);
    }
}
ONCE_ON_EACH_PLACE(other_numbers)

/* A row of more than 255 entries has no length, and the product is counted each time. */
static void too_long(tulle_ctx *ctx, const char *where) {
    const operands o = operands_of(ctx, "dense_rows:400,3,2", "random:400,300,3");
    tulle__spgemm_lengths lengths[2] = {{.unfit = NULL}};
    (void)where;
    product first = multiply(ctx, &o, lengths);
    for (int again = 0; again < 2; again++) {
        product next = multiply(ctx, &o, lengths);
        assert_true(lengths[0].none);
        assert_null(lengths[0].unfit);
        assert_alike(&first, &next);
        product_free(&next);
    }
    product_free(&first);
    let_go(&o, lengths);
}
ONCE_ON_EACH_PLACE(too_long)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_and_used),
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
