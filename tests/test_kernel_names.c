/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that takes the name of a kernel meets every kernel there is, of each operation: the
 * call takes the kernels of its own operation, and refuses others by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { N = 36, COLUMNS = 2 }; /* of p2d5:6 */

static struct {
    tulle_ctx *ctx;
    tulle_mat *A, *B; /* B: in blocks */
    tulle_vec *x, *y, *X, *Y;
    double right[N]; /* A x by the library's own choice */
} all;

static tulle_backend backend_of(tulle_ctx *ctx) {
    tulle_device_info info;
    must(tulle_ctx_device(ctx, &info));
    return info.backend;
}

static tulle_status multiply(tulle_trans op) {
    return tulle_spmv(all.ctx, op, tulle_num(1), all.A, all.x, tulle_num(0), all.y);
}

static void set_up(tulle_ctx *ctx) {
    all.ctx = ctx;
    must(tulle_generate(ctx, "p2d5:6", 1, TULLE_F64, &all.A));
    const tulle_convert_options pairs = {.block = 2};
    tulle_mat *csr = NULL;
    must(tulle_generate(ctx, "blocks:2,2", 1, TULLE_F64, &csr));
    must(tulle_mat_convert_with(ctx, csr, TULLE_BSR, TULLE_I32, &pairs, &all.B));
    tulle_mat_destroy(csr);
    must(tulle_vec_create(ctx, TULLE_F64, N, &all.x));
    must(tulle_vec_create(ctx, TULLE_F64, N, &all.y));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COLUMNS, TULLE_ROW_MAJOR, 0, &all.X));
    must(tulle_vec_create_columns(ctx, TULLE_F64, N, COLUMNS, TULLE_ROW_MAJOR, 0, &all.Y));
    must(tulle_vec_fill(ctx, all.x, 1));
    must(tulle_vec_fill(ctx, all.X, 1));
    must(multiply(TULLE_N));
    must(tulle_vec_read(ctx, all.y, all.right, 0));
}

static void tear_down(void) {
    tulle_mat_destroy(all.A);
    tulle_mat_destroy(all.B);
    tulle_vec_destroy(all.x);
    tulle_vec_destroy(all.y);
    tulle_vec_destroy(all.X);
    tulle_vec_destroy(all.Y);
}

static tulle_status run_spmv(void) {
    return multiply(TULLE_N);
}
static tulle_status run_spmm(void) {
    return tulle_spmm(all.ctx, TULLE_N, tulle_num(1), all.A, all.X, tulle_num(0), all.Y);
}
static tulle_status run_spgemm(void) {
    tulle_mat *C = NULL;
    tulle_status status =
        tulle_spgemm(all.ctx, TULLE_N, TULLE_N, tulle_num(1), all.A, all.A, NULL, NULL, &C);
    tulle_mat_destroy(C);
    return status;
}
static tulle_status run_masked(void) {
    const tulle_spgemm_options options = {.mask = all.A};
    tulle_mat *C = NULL;
    tulle_status status =
        tulle_spgemm(all.ctx, TULLE_N, TULLE_N, tulle_num(1), all.A, all.A, &options, NULL, &C);
    tulle_mat_destroy(C);
    return status;
}
static tulle_status run_blocks(void) {
    tulle_mat *C = NULL;
    tulle_status status =
        tulle_spgemm(all.ctx, TULLE_N, TULLE_N, tulle_num(1), all.B, all.B, NULL, NULL, &C);
    tulle_mat_destroy(C);
    return status;
}
static tulle_status run_trisolve(void) {
    return tulle_trisolve(all.ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), all.A, all.x,
                          all.y);
}
static tulle_status run_factor(void) {
    tulle_factor *F = NULL;
    tulle_status status = tulle_factor_create(all.ctx, all.A, NULL, &F);
    tulle_factor_destroy(F);
    return status;
}

static const struct {
    const char *operation;
    tulle_status (*run)(void);
} runs[] = {{"spmv", run_spmv},     {"spmm", run_spmm},     {"spgemm", run_spgemm},
            {"masked", run_masked}, {"blocks", run_blocks}, {"trisolve", run_trisolve},
            {"factor", run_factor}};
enum { RUNS = sizeof runs / sizeof *runs };

/* The last failure names the kernel. */
static void refused(const char *kernel) {
    if (!strstr(tulle_last_error()->message, kernel))
        fail_msg("%s is refused without its name: %s", kernel, tulle_last_error()->message);
}

static void product_is_right(const char *kernel) {
    double numbers[N];
    must(multiply(TULLE_N));
    must(tulle_vec_read(all.ctx, all.y, numbers, 0));
    for (int i = 0; i < N; i++) {
        if (numbers[i] != all.right[i]) fail_msg("%s: y[%d] is %g", kernel, i, numbers[i]);
    }
}

/* The row sums of this matrix are small integers, which every kernel has exactly. */
static void plan(const tulle_kernel_info *kernel, const char *spec) {
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        const tulle_status status = tulle_mat_plan(all.ctx, op, all.A, spec);
        if (strcmp(kernel->operation, "spmv") != 0) {
            assert_int_equal(status, TULLE_UNSUPPORTED);
            assert_non_null(strstr(tulle_last_error()->message, "is a kernel of"));
        }
        if (status != TULLE_OK) refused(kernel->name);
        must(multiply(op));
        product_is_right(spec);
        must(tulle_mat_forget_plans(all.A));
    }
}

/* A kernel that is forced serves its own operation or is refused there; others run as ever. */
static void force(const tulle_kernel_info *kernel, const char *spec) {
    must(tulle_ctx_force_kernel(all.ctx, spec));
    for (int r = 0; r < RUNS; r++) {
        const tulle_status status = runs[r].run();
        if (strcmp(runs[r].operation, kernel->operation) != 0) must(status);
        if (status != TULLE_OK) refused(kernel->name);
    }
    must(tulle_ctx_force_kernel(all.ctx, NULL));
    product_is_right(spec);
}

static void with_each_spec(int i, void (*test)(const tulle_kernel_info *, const char *)) {
    tulle_kernel_info kernel;
    must(tulle_kernel_describe(backend_of(all.ctx), i, &kernel));
    if (!is_wanted(kernel.name)) return;
    test(&kernel, kernel.name);
    if (kernel.also) test(&kernel, kernel.also);
    for (int p = 0; p < kernel.param_count; p++) {
        tulle_param_info param;
        char spec[TULLE_SPEC_TEXT];
        must(tulle_kernel_param(backend_of(all.ctx), i, p, &param));
        snprintf(spec, sizeof spec, "%s:%s=%d", kernel.name, param.name, param.values[0]);
        test(&kernel, spec);
    }
}

static void names(tulle_ctx *ctx, const char *where) {
    (void)where;
    set_up(ctx);
    const int count = tulle_kernel_count(backend_of(ctx));
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        with_each_spec(i, plan);
        with_each_spec(i, force);
    }
    tear_down();
}
ONCE_ON_EACH_PLACE(names)

/* Names that are almost one of a kernel: each call refuses them. */
static void almost_names(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const char *const specs[] = {"",       ":",           "spmv_",        "trisolve",
                                        "spmv:",  "spmv_dia:",   "spmv_dia,",    "spmv_dia:=",
                                        "=",      "spmm_csr:x",  "SPMV_DIA",     " spmv_dia",
                                        "%s%n%s", "spmv_dia:x=", "spmv_dia:x=1,"};
    set_up(ctx);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        assert_int_not_equal(tulle_mat_plan(ctx, TULLE_N, all.A, specs[i]), TULLE_OK);
        assert_int_not_equal(tulle_ctx_force_kernel(ctx, specs[i]), TULLE_OK);
        product_is_right(specs[i]);
    }
    tear_down();
}
ONCE_ON_EACH_PLACE(almost_names)

static const char cache[] = "/tmp/tulle-test-kernel-names.txt";

/* Tunes the product; whether the cache knew the result. */
static bool tune(void) {
    const tulle_tuner_options options = {.cache = cache, .max_calls = 1};
    tulle_tuner *tuner = NULL;
    tulle_tuner_info info;
    must(tulle_tuner_create(all.ctx, &options, &tuner));
    do {
        must(tulle_tuner_spmv(tuner, TULLE_N, tulle_num(1), all.A, all.x, tulle_num(0), all.y));
        must(tulle_ctx_synchronize(all.ctx));
        must(tulle_tuner_describe(tuner, TULLE_N, all.A, &info));
    } while (!info.settled);
    tulle_tuner_destroy(tuner);
    product_is_right("the tuner's");
    return info.from_cache;
}

/* Writes the cache anew with another specification as the one result in it. */
static void plant(const char *lines, const char *spec) {
    FILE *file = fopen(cache, "w");
    assert_non_null(file);
    const char *result = strchr(lines, '\n') + 1;
    const char *time = strrchr(result, '\t'), *old = time;
    while (old[-1] != '\t') old--;
    fprintf(file, "%.*s%s%s", (int)(old - lines), lines, spec, time);
    assert_int_equal(fclose(file), 0);
}

/* A result in a tuner's cache may be any text. */
static void cached_names(tulle_ctx *ctx, const char *where) {
    (void)where;
    char lines[2048] = "";
    set_up(ctx);
    unlink(cache);
    assert_false(tune());
    FILE *file = fopen(cache, "r");
    assert_non_null(file);
    assert_true(fread(lines, 1, sizeof lines - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_true(tune());
    const int count = tulle_kernel_count(backend_of(ctx));
    for (int i = 0; i < count; i++) {
        tulle_kernel_info kernel;
        must(tulle_kernel_describe(backend_of(ctx), i, &kernel));
        plant(lines, kernel.name);
        const bool known = tune();
        if (strcmp(kernel.operation, "spmv") != 0) assert_false(known);
    }
    unlink(cache);
    tear_down();
}
ONCE_ON_EACH_PLACE(cached_names)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_almost_names),
        cmocka_unit_test(test_cached_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
