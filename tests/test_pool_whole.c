/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU's context keeps freed blocks whole: which serve again, what counts as in use, and how many
 * are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"

/* ASIDE: bytes that a block of the C library has beside what was asked for. */
enum { MEGABYTE = 1 << 20, MOST = 32 * MEGABYTE, ASIDE = 4096 };

static tulle_ctx *open_ctx(size_t cap) {
    const tulle_ctx_options options = {.memory_cap = cap};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", &options, &ctx));
    return ctx;
}

static void *get(tulle_ctx *ctx, size_t bytes) {
    void *got = NULL;
    must(tulle__alloc(ctx, bytes, &got));
    return got;
}

static void expect_usage(const tulle_ctx *ctx, size_t in_use, size_t pooled) {
    const tulle_memory_usage usage = tulle__pool_usage(&ctx->pool);
    assert_int_equal(usage.in_use, in_use);
    assert_int_equal(usage.pooled, pooled);
}

/* A block serves what is at least 7/8 as large, and counts as what was asked for. */
static void test_which_serve(void **state) {
    tulle_ctx *ctx = open_ctx(0);
    (void)state;
    void *first = get(ctx, MEGABYTE);
    tulle__free(ctx, first);
    expect_usage(ctx, 0, MEGABYTE + ASIDE);
    void *again = get(ctx, MEGABYTE / 8 * 7);
    assert_ptr_equal(again, first);
    expect_usage(ctx, MEGABYTE / 8 * 7, 0);
    tulle__free(ctx, again);
    expect_usage(ctx, 0, MEGABYTE + ASIDE);
    void *less = get(ctx, MEGABYTE / 8 * 7 - 1), *more = get(ctx, MEGABYTE + 1);
    expect_usage(ctx, MEGABYTE / 8 * 7 + MEGABYTE, MEGABYTE + ASIDE);
    tulle__free(ctx, less);
    tulle__free(ctx, more);
    must(tulle_ctx_trim(ctx));
    expect_usage(ctx, 0, 0);
    tulle_ctx_destroy(ctx);
}

/* Of more than MOST bytes those go that were kept longest; small and huge blocks are not kept. */
static void test_most(void **state) {
    enum { BLOCKS = 5 };
    const size_t bytes = MOST / 4 - ASIDE;
    tulle_ctx *ctx = open_ctx(0);
    void *blocks[BLOCKS];
    (void)state;
    for (int k = 0; k < BLOCKS; k++) blocks[k] = get(ctx, bytes + (size_t)k);
    for (int k = BLOCKS; k-- > 0;) tulle__free(ctx, blocks[k]);
    expect_usage(
        ctx, 0,
        3 * (bytes + ASIDE) + 3); /* blocks 0 to 2: four of them would be 6 bytes too many */
    assert_ptr_equal(get(ctx, bytes + 2), blocks[2]);
    tulle__free(ctx, blocks[2]);
    tulle__free(ctx, get(ctx, 4096));
    tulle__free(ctx, get(ctx, MOST + 1));
    expect_usage(ctx, 0, 3 * (bytes + ASIDE) + 3);
    tulle_ctx_destroy(ctx);
}

static void test_none_under_cap(void **state) {
    tulle_ctx *ctx = open_ctx(MOST);
    (void)state;
    tulle__free(ctx, get(ctx, MEGABYTE));
    expect_usage(ctx, 0, 0);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_serve),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_none_under_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
