/* SPDX-License-Identifier: Apache-2.0 */
/* What a product may take, as said before it is made: with every kernel the bound of the call
 * itself, at least as many entries as C has, and nothing that stays behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

/* Products for each entry: some, as many as C has places, one, none. */
static const char *const specs[] = {"rmat:5,6", "dense_rows:40,4,2", "random:50,60,1",
                                    "random:20,30,0"};
enum { SPECS = 4 };

static tulle_status forecast(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op_B,
                             const tulle_spgemm_options *options, tulle_spgemm_bounds *bounds) {
    return tulle_spgemm_forecast(ctx, TULLE_N, op_B, A, A, options, bounds);
}

static void check_bounds(const tulle_spgemm_bounds *said, const tulle_spgemm_report *is,
                         const tulle_mat *C, bool pooled) {
    tulle_mat_info c;
    must(tulle_mat_describe(C, &c));
    const int64_t places = c.rows * c.cols;
    assert_string_equal(said->kernel, is->kernel);
    assert_string_equal(said->params, is->params);
    assert_int_equal(said->products, is->products);
    assert_int_equal(said->nnz, is->products < places ? is->products : places);
    assert_true(said->nnz >= c.nnz);
    assert_true(is->peak_bytes <= said->bytes);
    if (!pooled) assert_int_equal(said->bytes, is->bound_bytes);
}

/* A A' of matrices in CSR and in what must be converted, C in any order and with wide offsets. */
static void compare(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const tulle_spgemm_options ways[] = {
        {.unsorted = false}, {.unsorted = true}, {.index_given = true, .index = TULLE_I64}};
    (void)spec;
    for (unsigned s = 0; s < SPECS; s++) {
        if (is_slow(where) && s != number % SPECS) continue;
        const tulle_spgemm_options *way = &ways[(s + number) % 3];
        tulle_mat *A = making_generated(ctx, specs[s], 1, TULLE_F64), *C = NULL;
        tulle_memory_usage before, after;
        tulle_spgemm_bounds bounds;
        tulle_spgemm_report report;
        must(tulle_ctx_trim(ctx));
        must(tulle_ctx_memory(ctx, &before));
        must(forecast(ctx, A, TULLE_T, way, &bounds));
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        must(tulle_ctx_trim(ctx));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_T, tulle_num(1), A, A, way, &report, &C));
        check_bounds(&bounds, &report, C, strcmp(where, "cuda") == 0);
        tulle_mat_destroy(C);
        tulle_mat_destroy(A);
    }
}
static void every_kernel(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, compare);
}

/* What the cap leaves is the bound; below what counting takes, that is all that can be said. */
static void capped(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const tulle_ctx_options options = {.memory_cap = 1 << 20};
    tulle_ctx *small = NULL;
    tulle_mat *A = NULL;
    tulle_memory_usage usage;
    tulle_spgemm_bounds bounds;
    must(tulle_ctx_create(where, &options, &small));
    must(tulle_generate(small, "dense_rows:400,30,4", 1, TULLE_F64, &A));
    must(tulle_ctx_trim(small));
    must(tulle_ctx_memory(small, &usage));
    must(forecast(small, A, TULLE_N, NULL, &bounds));
    assert_true(bounds.products > 0 && bounds.nnz > 0);
    assert_true(bounds.bytes > 0 && bounds.bytes <= (1 << 20) - (int64_t)usage.in_use);
    must(tulle_ctx_trim(small)); /* what a GPU keeps for reuse may be used below any cap */
    small->pool.cap = usage.in_use + 64;
    must(forecast(small, A, TULLE_N, NULL, &bounds));
    assert_true(bounds.products == -1 && bounds.nnz == -1);
    assert_int_equal(bounds.bytes, 64);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(small);
}

static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:4", 1, TULLE_F64);
    tulle_mat *B = making_generated(ctx, "p2d5:3", 1, TULLE_F64);
    tulle_spgemm_bounds bounds = {.nnz = 7};
    const tulle_spgemm_options plus = {.D = A, .beta = tulle_num(1)};
    assert_int_equal(forecast(ctx, A, TULLE_N, &plus, &bounds), TULLE_UNSUPPORTED);
    assert_string_equal(tulle_last_error()->argument, "options");
    assert_true(bounds.nnz == 0 && bounds.kernel == NULL);
    assert_int_equal(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, B, NULL, &bounds),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, NULL, NULL, &bounds),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(forecast(ctx, A, TULLE_N, NULL, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static int stop(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    (void)what;
    (void)done;
    (void)total;
    return 1;
}

static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:4", 1, TULLE_F64);
    tulle_spgemm_bounds bounds;
    must(tulle_ctx_set_progress(ctx, stop, NULL));
    assert_int_equal(forecast(ctx, A, TULLE_N, NULL, &bounds), TULLE_CANCELLED);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    must(forecast(ctx, A, TULLE_N, NULL, &bounds));
    tulle_mat_destroy(A);
}

/* Fails the n-th allocation; whether it no longer gets that far. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_memory_usage before, after;
    tulle_spgemm_bounds bounds;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_generate(ctx, "rmat:5,6", 1, TULLE_F64, &A));
    must(tulle_ctx_memory(ctx, &before));
    c.fail_at = c.requests + n;
    const tulle_status status = forecast(ctx, A, TULLE_T, NULL, &bounds);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}
static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 3);
}

ONCE_ON_EACH_PLACE(every_kernel)
ONCE_ON_EACH_PLACE(capped)
ONCE_ON_EACH_PLACE(refused)
ONCE_ON_EACH_PLACE(cancelled)
ONCE_ON_EACH_PLACE(running_out)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel), cmocka_unit_test(test_capped),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_running_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
