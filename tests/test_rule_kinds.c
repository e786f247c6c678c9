/* SPDX-License-Identifier: Apache-2.0 */
/* What the rule takes on an H200 for the kinds of matrices that it was once most wrong about
 * (bench/sets/kinds.txt): of each a part is generated, and the rule is asked about so many copies
 * of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "tulle/generate.h"
#include "tulle/statistics.h"

typedef struct {
    const char *spec;
    int64_t copies;
    const char *kernel, *params; /* how the parameters begin */
} kind;

static const kind kinds[] = {
    {"powerlaw:1000,840,59416,0,0,200,63516", 41, "spmv_csr_merge", ""},       /* railway crews */
    {"powerlaw:509,921,6000,0,0,200,63516", 1, "spmv_csr_vector", "coop=0,"},  /* few crews */
    {"powerlaw:160000,30.5,3753,80,200,16", 10, "spmv_csr_merge", ""},         /* a web crawl */
    {"powerlaw:180000,2.1,6,100,50", 100, "spmv_csr_vector", "coop=1,"},       /* a road network */
    {"powerlaw:230000,1.7,129,90,1000", 100, "spmv_csr_vector", "coop=1,"},    /* an LP */
    {"powerlaw:36,17000,42032,0,0,5000,87482", 61, "spmv_csr_merge", ""},      /* airline crews */
    {"powerlaw:98000,4,41,80,300,2", 100, "spmv_csr_vector", "coop=1,"},       /* a netlist */
    {"powerlaw:50000,6.7,2921,70,50,3", 1, "spmv_csr_adaptive", "block=256,"}, /* a circuit */
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An emulated device that describes itself as an H200. */
static tulle_ctx *open_h200(void) {
    tulle_ctx *ctx = NULL;
    if (tulle_ctx_create("emulated", NULL, &ctx) == TULLE_NO_DEVICE) {
        say_skipped("emulated: %s", tulle_last_error()->message);
        skip();
    }
    ctx->info.multiprocessors = 132;
    ctx->info.cache_bytes = 60 << 20;
    return ctx;
}

static tulle_mat_info describe(const char *spec, int64_t copies) {
    tulle_ctx *cpu = NULL;
    tulle_mat *A = NULL;
    tulle_mat_info info;
    must(tulle_ctx_create("cpu", NULL, &cpu));
    must(tulle_generate(cpu, spec, 1, TULLE_F32, &A));
    must(tulle_mat_describe(A, &info));
    tulle_mat_destroy(A);
    tulle_ctx_destroy(cpu);
    info.rows *= copies;
    info.cols *= copies;
    info.nnz *= copies;
    info.storage.stored *= copies;
    info.empty_rows *= copies;
    for (int bin = 0; bin <= 32; bin++) info.row_histogram[bin] *= copies;
    return info;
}

static tulle_forecast forecast(tulle_ctx *ctx, tulle_mat_info *info, tulle_type type) {
    tulle_forecast f;
    info->type = type;
    must(tulle_spmv_forecast(ctx, info, true, &f));
    return f;
}

static void test_kinds(void **state) {
    (void)state;
    tulle_ctx *ctx = open_h200();
    for (int i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        tulle_mat_info info = describe(k->spec, k->copies);
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            tulle_forecast f = forecast(ctx, &info, (tulle_type)type);
            print_message("%s: %s %s\n", k->spec, f.kernel, f.params);
            assert_string_equal(f.kernel, k->kernel);
            assert_memory_equal(f.params, k->params, strlen(k->params));
        }
    }
    tulle_ctx_destroy(ctx);
}

/* Rows of eight entries, and one that grows: csr_vector, until the lanes of that one would be the
 * last to end; from then on another kernel, and the cost stays within a factor of the first. */
static void test_one_long_row(void **state) {
    (void)state;
    tulle_ctx *ctx = open_h200();
    const char *before = "spmv_csr_vector";
    double first = 0, last = 0;
    for (int64_t longest = 8; longest <= 1 << 20; longest *= 2) {
        char spec[64];
        int64_t rows = 1 << 21;
        snprintf(spec, sizeof spec, "random:%lld,%lld,8", 1LL << 12, 1LL << 20);
        tulle_mat_info info = describe(spec, rows >> 12);
        info.nnz += longest - 8;
        info.storage.stored = info.nnz;
        info.max_row = longest;
        info.mean_row = (double)info.nnz / (double)rows;
        info.sd_row = (double)longest / 1448; /* / sqrt(rows) */
        int bin = 0;
        while (longest >> bin) bin++;
        info.row_histogram[4]--;
        info.row_histogram[bin]++;
        tulle_forecast f = forecast(ctx, &info, TULLE_F64);
        if (longest == 8) first = f.cost_bytes;
        last = f.cost_bytes;
        bool is_vector = strcmp(f.kernel, "spmv_csr_vector") == 0;
        if (is_vector) assert_string_equal(before, "spmv_csr_vector");
        before = f.kernel;
    }
    assert_string_equal(before, "spmv_csr_merge");
    assert_true(last < 1.5 * first);
    tulle_ctx_destroy(ctx);
}

/* 194 rows of 170,000 entries, all over 5.5 million columns: x fits in the cache in f32, where
 * csr_merge has the fastest times, and not in f64, where rows that walk side by side read x once.
 */
static void test_wide_x(void **state) {
    (void)state;
    enum { ROWS = 194, A_ROW = 170000 };
    tulle_ctx *ctx = open_h200();
    tulle_mat_info info = describe("random:194,194,8", 1);
    info.cols = 5492826;
    info.nnz = info.storage.stored = (int64_t)ROWS * A_ROW;
    info.mean_row = A_ROW;
    info.max_row = A_ROW;
    info.row_histogram[4] = 0;
    info.row_histogram[18] = ROWS;
    assert_string_equal(forecast(ctx, &info, TULLE_F32).kernel, "spmv_csr_merge");
    assert_string_equal(forecast(ctx, &info, TULLE_F64).kernel, "spmv_csr_vector");
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_one_long_row),
        cmocka_unit_test(test_wide_x),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
