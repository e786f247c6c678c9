/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spgemm beside its numbers: arguments, types of C, reports, progress, and what is left after
 * a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "gaps.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static tulle_mat *generated(tulle_ctx *ctx, const char *spec, tulle_type type) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, type, &A));
    return A;
}

static tulle_status product(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                            const tulle_spgemm_options *options, tulle_mat **C) {
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, options, NULL, C);
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *argument,
                         tulle_mat *const *C) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, "tulle_spgemm");
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_null(*C);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "random:6,5,2", TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *f = generated(ctx, "random:5,6,2", TULLE_F32);
    tulle_scalar one = tulle_num(1), odd = tulle_at((const char *)&one + 1);
    assert_fails(tulle_spgemm(NULL, TULLE_N, TULLE_T, one, A, A, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "ctx", &C);
    assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, NULL, A, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "A", &C);
    assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, NULL, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "B", &C);
    assert_int_equal(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, A, NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_fails(tulle_spgemm(ctx, (tulle_trans)7, TULLE_T, one, A, A, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "op_A", &C);
    assert_fails(tulle_spgemm(ctx, TULLE_N, (tulle_trans)7, one, A, A, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "op_B", &C);
    assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, odd, A, A, NULL, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "alpha", &C);
    assert_fails(product(ctx, A, A, NULL, &C), TULLE_SHAPE_MISMATCH, "B", &C);
    assert_fails(product(ctx, A, f, NULL, &C), TULLE_TYPE_MISMATCH, "B", &C);
    tulle_spgemm_options bad = {.index_given = true, .index = (tulle_index)9};
    assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_T, one, A, A, &bad, NULL, &C),
                 TULLE_INVALID_ARGUMENT, "index", &C);
    tulle_mat_destroy(f);
    tulle_mat_destroy(A);
}

static void other_space(tulle_ctx *ctx, const char *where) {
    tulle_ctx *other = NULL;
    tulle_mat *C = NULL;
    must(tulle_ctx_create(strncmp(where, "cpu", 3) == 0 ? "emulated" : "cpu", NULL, &other));
    tulle_mat *A = generated(ctx, "p2d5:4", TULLE_F64),
              *far = generated(other, "p2d5:4", TULLE_F64);
    assert_int_equal(product(ctx, A, far, NULL, &C), TULLE_SPACE_MISMATCH);
    assert_int_equal(product(ctx, far, A, NULL, &C), TULLE_SPACE_MISMATCH);
    assert_null(C);
    tulle_mat_destroy(far);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(other);
}

/* C in each index type that was asked for, and what C has when none was. */
static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "p2d5:9,4", TULLE_F64), *plain = NULL;
    must(product(ctx, A, A, NULL, &plain));
    entries want = entries_read(ctx, plain);
    for (int index = 0; index < 3; index++) {
        tulle_spgemm_options options = {.index_given = true, .index = (tulle_index)index};
        tulle_mat *C = NULL, *wide = NULL;
        tulle_mat_info info;
        must(tulle_mat_convert(ctx, A, TULLE_CSR, (tulle_index)(2 - index), 0, &wide));
        must(product(ctx, wide, A, &options, &C));
        entries_check(ctx, C, &want, TULLE_CSR, (tulle_index)index, TULLE_F64, "given");
        tulle_mat_destroy(C);
        must(product(ctx, A, wide, NULL, &C));
        must(tulle_mat_describe(C, &info));
        assert_int_equal(info.index, 2 - index);
        entries_check(ctx, C, &want, TULLE_CSR, info.index, TULLE_F64, "not given");
        tulle_mat_destroy(C);
        tulle_mat_destroy(wide);
    }
    entries_free(&want);
    tulle_mat_destroy(plain);
    tulle_mat_destroy(A);
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

/* C is described as if it had been made from its arrays. */
static void statistics(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int unsorted = 0; unsorted < 2; unsorted++) {
        tulle_spgemm_options options = {.unsorted = unsorted};
        tulle_mat *A = generated(ctx, "rmat:6,4", TULLE_F64), *C = NULL, *same = NULL;
        tulle_mat_info got, want;
        tulle_mat_arrays arrays;
        must(product(ctx, A, A, &options, &C));
        must(tulle_mat_describe(C, &got));
        must(tulle_mat_view(C, &arrays));
        must(tulle_mat_create_csr(ctx, got.rows, got.cols, got.nnz, got.index, arrays.offsets,
                                  arrays.cols, got.type, arrays.values, NULL, &same));
        must(tulle_mat_describe(same, &want));
        info_clear_gaps(&got);
        info_clear_gaps(&want);
        assert_memory_equal(&got, &want, sizeof got);
        tulle_mat_destroy(same);
        tulle_mat_destroy(C);
        tulle_mat_destroy(A);
    }
}

static void alpha_by_address(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "p2d5:5", TULLE_F64), *given = NULL, *read = NULL;
    tulle_dense *half = NULL;
    tulle_dense_info info;
    must(tulle_dense_create(ctx, TULLE_F64, 1, 1, TULLE_COLUMN_MAJOR, 0, &half));
    must(tulle_dense_fill(ctx, half, 0.5));
    must(tulle_dense_describe(half, &info));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(0.5), A, A, NULL, NULL, &given));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_at(info.data), A, A, NULL, NULL, &read));
    entries one = entries_read(ctx, given), two = entries_read(ctx, read);
    entries_assert_same(&one, &two, "alpha");
    entries_free(&one);
    entries_free(&two);
    tulle_mat_destroy(read);
    tulle_mat_destroy(given);
    tulle_dense_destroy(half);
    tulle_mat_destroy(A);
}

/* Times add up, memory is what the call held, and the context's own mark stays. */
static void reports(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "p2d5:8", TULLE_F64), *C = NULL;
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
            tulle_mat *A = generated(ctx, specs[i], TULLE_F32), *C = NULL;
            tulle_spgemm_report r;
            must(tulle_ctx_trim(ctx));
            must(tulle_spgemm(ctx, (tulle_trans)op, TULLE_N, tulle_num(1), A, A, NULL, &r, &C));
            assert_true(r.peak_bytes > 0 && r.peak_bytes <= r.bound_bytes);
            tulle_mat_destroy(C);
            tulle_mat_destroy(A);
        }
    }
}

/* Says no at the n-th time that it is asked. */
static int cancel(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)done;
    (void)total;
    int *left = user;
    return --*left == 0;
}

static void cancel_each(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)spec;
    (void)number;
    tulle_mat *A = generated(ctx, "rmat:5,6", TULLE_F64);
    bool finished = false;
    for (int n = 1; !finished; n++) {
        tulle_mat *C = (tulle_mat *)1;
        tulle_memory_usage before, after;
        int left = n;
        must(tulle_ctx_memory(ctx, &before));
        must(tulle_ctx_set_progress(ctx, cancel, &left));
        tulle_status status = product(ctx, A, A, NULL, &C);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        finished = status == TULLE_OK;
        if (!finished) assert_int_equal(status, TULLE_CANCELLED);
        if (!finished) assert_null(C);
        tulle_mat_destroy(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use - after.workspace, before.in_use - before.workspace);
        assert_true(n < 50);
        if (finished) assert_true(n > 5); /* once for each phase */
    }
    tulle_mat_destroy(A);
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, cancel_each);
}

/* Fails the n-th allocation of a product; whether it no longer gets that far. */
static bool fail_once(const char *where, int64_t n, tulle_trans op, const char *kernel) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_ctx_force_kernel(ctx, kernel));
    const char *spec = is_slow(where) ? "dense_rows:80,4,2" : "dense_rows:150,6,2";
    tulle_mat *A = generated(ctx, spec, TULLE_F64), *C = (tulle_mat *)1;
    entries before = entries_read(ctx, A);
    must(tulle_ctx_trim(ctx));
    tulle_memory_usage had, has;
    must(tulle_ctx_memory(ctx, &had));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_spgemm(ctx, op, TULLE_N, tulle_num(1), A, A, NULL, NULL, &C);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
    }
    tulle_mat_destroy(C);
    must(tulle_ctx_memory(ctx, &has));
    assert_int_equal(has.in_use - has.workspace, had.in_use - had.workspace);
    entries after = entries_read(ctx, A);
    entries_assert_same(&before, &after, "A");
    entries_free(&before);
    entries_free(&after);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void run_out_of_memory(tulle_ctx *ctx, const char *where, const char *spec,
                              unsigned number) {
    (void)ctx;
    (void)number;
    int last = strchr(spec, ':') ? TULLE_N : TULLE_T; /* bringing operands knows no parameters */
    for (int op = TULLE_N; op <= last; op++) {
        int64_t n = 1;
        while (!fail_once(where, n, (tulle_trans)op, spec)) n++;
        assert_true(n > 3);
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
    tulle_mat *A = generated(ctx, "p2d5:3", TULLE_F64), *C = NULL;
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

#define ON_EACH_PLACE(name)                                                                        \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        once_on_each_place(name);                                                                  \
    }
ON_EACH_PLACE(arguments)
ON_EACH_PLACE(other_space)
ON_EACH_PLACE(indices)
ON_EACH_PLACE(too_narrow)
ON_EACH_PLACE(nothing)
ON_EACH_PLACE(statistics)
ON_EACH_PLACE(alpha_by_address)
ON_EACH_PLACE(reports)
ON_EACH_PLACE(bounds)
ON_EACH_PLACE(cancelling)
ON_EACH_PLACE(running_out)
ON_EACH_PLACE(repeatable)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),        cmocka_unit_test(test_other_space),
        cmocka_unit_test(test_indices),          cmocka_unit_test(test_too_narrow),
        cmocka_unit_test(test_nothing),          cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_alpha_by_address), cmocka_unit_test(test_reports),
        cmocka_unit_test(test_bounds),           cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),      cmocka_unit_test(test_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
