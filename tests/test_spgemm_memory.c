/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any point of a product on a CPU, by any kernel: a clean status, no C, no
 * leak, operands that serve as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"

/* Rows that are the row before moved; B by its words; chunks computed before they are counted. */
static const char *const specs[] = {"p2d5:12", "blocks:6,3", "fem:300"};
enum { SPECS = 3 };

static tulle_status square(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **C) {
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, NULL, C);
}

/* Fails the n-th allocation of a product; true when it no longer gets that far. */
static bool fail_once(const char *spec, const char *kernel, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_memory_usage before, after;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *C = (tulle_mat *)1;
    must(tulle_ctx_create("cpu:2", &options, &ctx));
    must(tulle_ctx_force_kernel(ctx, kernel));
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    must(tulle_ctx_memory(ctx, &before));
    c.fail_at = c.requests + n;
    tulle_status status = square(ctx, A, &C);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        c.fail_at = 0;
        must(square(ctx, A, &C));
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    for (int k = 0; k < tulle_kernel_count(TULLE_CPU); k++) {
        tulle_kernel_info kernel;
        must(tulle_kernel_describe(TULLE_CPU, k, &kernel));
        if (strcmp(kernel.operation, "spgemm") != 0) continue;
        for (int s = 0; s < SPECS; s++) {
            int64_t n = 1;
            while (!fail_once(specs[s], kernel.name, n)) n++;
            assert_true(n > 5);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
