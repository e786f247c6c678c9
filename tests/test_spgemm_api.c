/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spgemm beside its numbers: arguments, types of C, reports, progress, and what is left after
 * a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/add.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static tulle_status product(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                            const tulle_spgemm_options *options, tulle_mat **C) {
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, options, NULL, C);
}

static void assert_product_fails(tulle_status got, tulle_status wanted, const char *argument,
                                 tulle_mat **C) {
    making_assert_fails(got, "tulle_spgemm", wanted, argument, C);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *f = making_generated(ctx, "random:5,6,2", 1, TULLE_F32);
    tulle_scalar one = tulle_num(1), odd = tulle_at((const char *)&one + 1);
    assert_product_fails(tulle_spgemm(NULL, TULLE_N, TULLE_T, one, A, A, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "ctx", &C);
    assert_product_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, NULL, A, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "A", &C);
    assert_product_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, NULL, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "B", &C);
    assert_int_equal(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, A, NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_product_fails(tulle_spgemm(ctx, (tulle_trans)7, TULLE_T, one, A, A, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "op_A", &C);
    assert_product_fails(tulle_spgemm(ctx, TULLE_N, (tulle_trans)7, one, A, A, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "op_B", &C);
    assert_product_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, odd, A, A, NULL, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "alpha", &C);
    assert_product_fails(product(ctx, A, A, NULL, &C), TULLE_SHAPE_MISMATCH, "B", &C);
    assert_product_fails(product(ctx, A, f, NULL, &C), TULLE_TYPE_MISMATCH, "B", &C);
    tulle_spgemm_options bad = {.index_given = true, .index = (tulle_index)9};
    assert_product_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, A, &bad, NULL, &C),
                         TULLE_INVALID_ARGUMENT, "index", &C);
    tulle_mat_destroy(f);
    tulle_mat_destroy(A);
}

static void assert_too_large(tulle_status got, const char *function, const char *argument) {
    const tulle_error *e = tulle_last_error();
    assert_int_equal(got, TULLE_TOO_LARGE);
    assert_string_equal(e->function, function);
    assert_string_equal(e->argument, argument);
    assert_non_null(strstr(e->message, "leave out columns of the matrix that have no entry"));
}

/* Transposes whose rows the memory has no table for, here that of a tiny machine. */
static void very_many_rows(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t offsets[] = {0, 1, 2}, cols[] = {3, 1000}, small[] = {0, 1};
    const int64_t memory = ctx->info.memory_bytes;
    const double values[] = {1, 2};
    const tulle_scalar one = tulle_num(1);
    const tulle_trans n = TULLE_N, t = TULLE_T;
    tulle_mat *W = NULL, *S = NULL, *C = NULL;
    tulle_spgemm_bounds bounds;
    must(tulle_mat_create_csr(ctx, 2, 2000, 2, TULLE_I64, offsets, cols, TULLE_F64, values, NULL,
                              &W));
    must(
        tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I64, offsets, small, TULLE_F64, values, NULL, &S));
    ctx->info.memory_bytes = 8000;
    assert_too_large(tulle_spgemm(ctx, n, t, one, W, W, NULL, NULL, &C), "tulle_spgemm", "B");
    assert_too_large(tulle_spgemm(ctx, t, n, one, W, S, NULL, NULL, &C), "tulle_spgemm", "A");
    assert_too_large(tulle_spgemm_forecast(ctx, n, t, W, W, NULL, &bounds), "tulle_spgemm_forecast",
                     "B");
    assert_too_large(tulle_spgemm_update(ctx, n, t, one, W, W, S), "tulle_spgemm_update", "B");
    assert_too_large(tulle_spgemm_galerkin(ctx, one, S, W, NULL, NULL, &C), "tulle_spgemm_galerkin",
                     "P");
    assert_too_large(tulle_spgemm_galerkin_forecast(ctx, S, W, NULL, &bounds),
                     "tulle_spgemm_galerkin_forecast", "P");
    assert_too_large(tulle_add(ctx, t, t, one, W, one, W, NULL, NULL, &C), "tulle_add", "A");
    ctx->info.memory_bytes = memory;
    assert_null(C);
    tulle_mat_destroy(S);
    tulle_mat_destroy(W);
}

/* Op(A) B, of a job's first two operands. */
static tulle_status product_of(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                               const tulle_index *index, tulle_mat **C) {
    tulle_spgemm_options options = {.index_given = index != NULL};
    if (index) options.index = *index;
    return tulle_spgemm(ctx, job->op, TULLE_N, tulle_num(1), m[0], m[1], &options, NULL, C);
}

static void twice(tulle_ctx *ctx, const char *spec, tulle_mat *m[]) {
    m[0] = making_generated(ctx, spec, 1, TULLE_F64);
    m[1] = tulle_mat_retain(m[0]);
}

static void grid_twice(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    twice(ctx, "p2d5:9,4", m);
}

static const making square_of_grid = {.operands = grid_twice, .make = product_of};

static void elsewhere(tulle_ctx *ctx, const char *where) {
    making_check_elsewhere(ctx, where, &square_of_grid);
}

static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_indices(ctx, &square_of_grid);
}

/* 32 bits cannot hold the columns: said before anything is computed. */
static void too_narrow(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t offsets[] = {0, 1}, column = 0, last = INT64_C(3000000000);
    const double one = 1;
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    must(
        tulle_mat_create_csr(ctx, 1, 1, 1, TULLE_I64, offsets, &column, TULLE_F64, &one, NULL, &A));
    must(tulle_mat_create_csr(ctx, 1, last + 1, 1, TULLE_I64, offsets, &last, TULLE_F64, &one, NULL,
                              &B));
    tulle_spgemm_options options = {.index_given = true, .index = TULLE_I32};
    assert_int_equal(product(ctx, A, B, &options, &C), TULLE_TOO_LARGE);
    assert_null(C);
    must(product(ctx, A, B, NULL, &C));
    entries c = entries_read(ctx, C);
    assert_int_equal(c.nnz, 1);
    assert_int_equal(c.col[0], last);
    entries_free(&c);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Matrices without rows, columns, entries. */
static void nothing(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t offsets[] = {0, 0, 0, 0};
    for (int64_t m = 0; m <= 2; m += 2) {
        for (int64_t l = 0; l <= 3; l += 3) {
            for (int64_t n = 0; n <= 2; n += 2) {
                tulle_mat *A = NULL, *B = NULL, *C = NULL;
                tulle_mat_info info;
                must(tulle_mat_create_csr(ctx, m, l, 0, TULLE_I64, offsets, NULL, TULLE_F64, NULL,
                                          NULL, &A));
                must(tulle_mat_create_csr(ctx, l, n, 0, TULLE_I64, offsets, NULL, TULLE_F64, NULL,
                                          NULL, &B));
                must(product(ctx, A, B, NULL, &C));
                must(tulle_mat_describe(C, &info));
                assert_int_equal(info.rows, m);
                assert_int_equal(info.cols, n);
                assert_int_equal(info.nnz, 0);
                tulle_mat_destroy(C);
                tulle_mat_destroy(B);
                tulle_mat_destroy(A);
            }
        }
    }
}

static void statistics(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int unsorted = 0; unsorted < 2; unsorted++) {
        tulle_spgemm_options options = {.unsorted = unsorted};
        tulle_mat *A = making_generated(ctx, "rmat:6,4", 1, TULLE_F64), *C = NULL;
        must(product(ctx, A, A, &options, &C));
        making_check_statistics(ctx, C);
        tulle_mat_destroy(C);
        tulle_mat_destroy(A);
    }
}

static void alpha_by_address(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:5", 1, TULLE_F64), *given = NULL, *read = NULL;
    tulle_vec *half = NULL;
    tulle_vec_info info;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 1, 1, TULLE_COLUMN_MAJOR, 0, &half));
    must(tulle_vec_fill(ctx, half, 0.5));
    must(tulle_vec_describe(half, &info));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(0.5), A, A, NULL, NULL, &given));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_at(info.data), A, A, NULL, NULL, &read));
    entries_compare(ctx, given, read, "alpha");
    tulle_mat_destroy(read);
    tulle_mat_destroy(given);
    tulle_vec_destroy(half);
    tulle_mat_destroy(A);
}

/* Times add up, memory is what the call held, and the context's own mark stays. */
static void reports(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:8", 1, TULLE_F64), *C = NULL;
    tulle_memory_usage before, after;
    tulle_spgemm_report r;
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &before));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, &r, &C));
    must(tulle_ctx_memory(ctx, &after));
    tulle_mat_info info;
    must(tulle_mat_describe(C, &info));
    assert_int_equal(r.nnz, info.nnz);
    /* The squares of all rows' lengths: of corners, edges, and what is inside. */
    assert_int_equal(r.products, 4 * 9 + 24 * 16 + 36 * 25);
    assert_true(r.kernel && strncmp(r.kernel, "spgemm_", 7) == 0);
    double sum =
        r.operands_ms + r.analysis_ms + r.count_ms + r.allocate_ms + r.compute_ms + r.finish_ms;
    assert_true(sum > 0 && sum <= r.total_ms);
    assert_true(r.peak_bytes >= info.pattern_bytes + info.value_bytes);
    assert_true(r.peak_bytes <= r.bound_bytes);
    assert_true(after.high >= before.high);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

/* The peak stays below what was said before anything was counted. */
static void bounds(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"p2d5:20", "rmat:7,8", "dense_rows:60,3,2", "random:9,9,0"};
    (void)where;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            tulle_mat *A = making_generated(ctx, specs[i], 1, TULLE_F32), *C = NULL;
            tulle_spgemm_report r;
            must(tulle_ctx_trim(ctx));
            must(tulle_spgemm(ctx, (tulle_trans)op, TULLE_N, tulle_num(1), A, A, NULL, &r, &C));
            assert_true(r.peak_bytes > 0 && r.peak_bytes <= r.bound_bytes);
            tulle_mat_destroy(C);
            tulle_mat_destroy(A);
        }
    }
}

static void rmat_twice(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    twice(ctx, "rmat:5,6", m);
}

/* Once for each phase. */
static void cancel_each(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)spec;
    (void)number;
    making_check_cancelling(ctx, &(making){.operands = rmat_twice, .make = product_of}, 5);
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, cancel_each);
}

static void dense_rows_twice(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    bool slow = device.backend == TULLE_EMULATED;
    twice(ctx, slow ? "dense_rows:80,4,2" : "dense_rows:150,6,2", m);
}

static void run_out_of_memory(tulle_ctx *ctx, const char *where, const char *spec,
                              unsigned number) {
    (void)ctx;
    (void)number;
    int last = strchr(spec, ':') ? TULLE_N : TULLE_T; /* bringing operands knows no parameters */
    for (int op = TULLE_N; op <= last; op++) {
        const making job = {.operands = dense_rows_twice,
                            .make = product_of,
                            .op = (tulle_trans)op,
                            .kernel = spec};
        making_check_running_out(where, &job, 3);
    }
}

static void running_out(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, run_out_of_memory);
}

/* The repeatable setting refuses kernels that are not, and no others. */
static void repeat(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)number;
    tulle_device_info device;
    tulle_kernel_info info;
    tulle_mat *A = making_generated(ctx, "p2d5:3", 1, TULLE_F64), *C = NULL;
    int k = 0;
    must(tulle_ctx_device(ctx, &device));
    do {
        must(tulle_kernel_describe(device.backend, k++, &info));
    } while (strcmp(info.name, spec) != 0);
    must(tulle_ctx_set_repeatable(ctx, true));
    tulle_status status = product(ctx, A, A, NULL, &C);
    must(tulle_ctx_set_repeatable(ctx, false));
    assert_int_equal(status, info.repeatable ? TULLE_OK : TULLE_UNSUPPORTED);
    assert_int_equal(C != NULL, info.repeatable);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

static void repeatable(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 0, repeat);
}

ONCE_ON_EACH_PLACE(arguments)
ONCE_ON_EACH_PLACE(very_many_rows)
ONCE_ON_EACH_PLACE(elsewhere)
ONCE_ON_EACH_PLACE(indices)
ONCE_ON_EACH_PLACE(too_narrow)
ONCE_ON_EACH_PLACE(nothing)
ONCE_ON_EACH_PLACE(statistics)
ONCE_ON_EACH_PLACE(alpha_by_address)
ONCE_ON_EACH_PLACE(reports)
ONCE_ON_EACH_PLACE(bounds)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)
ONCE_ON_EACH_PLACE(repeatable)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_indices),          cmocka_unit_test(test_too_narrow),
        cmocka_unit_test(test_nothing),          cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_alpha_by_address), cmocka_unit_test(test_reports),
        cmocka_unit_test(test_bounds),           cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),      cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_very_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
