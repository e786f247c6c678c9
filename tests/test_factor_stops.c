/* SPDX-License-Identifier: Apache-2.0 */
/* Factors that end early: memory runs out, or a caller cancels; nothing stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

static tulle_mat *made(tulle_ctx *ctx, const char *spec) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    return A;
}

/* Fails the n-th allocation of factors and a solve; whether they no longer get that far. */
static bool fail_once(const char *where, tulle_factor_options options, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options all = {.host = &allocator};
    if (is_slow(where)) all.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_mat *L = NULL;
    tulle_factor *F = NULL;
    tulle_vec *b = NULL;
    must(tulle_ctx_create(where, &all, &ctx));
    tulle_mat *A = made(ctx, "p2d:5");
    must(tulle_vec_create(ctx, TULLE_F64, 25, &b));
    must(tulle_vec_fill(ctx, b, 1));
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_factor_create(ctx, A, &options, &F);
    if (status == TULLE_OK) status = tulle_factor_export(ctx, F, &L, NULL);
    if (status == TULLE_OK) status = tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, b);
    const bool done = c.requests < c.fail_at;
    c.fail_at = 0;
    assert_int_equal(status, done ? TULLE_OK : TULLE_OUT_OF_MEMORY);
    if (!F) must(tulle_factor_create(ctx, A, &options, &F));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, b));
    const int64_t requests = c.requests;
    must(tulle_factor_update(ctx, F, A));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, b));
    assert_int_equal(c.requests, requests);
    tulle_mat_destroy(L);
    tulle_factor_destroy(F);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    if (ctx->kind == TULLE_CUDA) return;
    const tulle_factor_options options[] = {
        {.fill = 0}, {.fill = 1}, {.fill = TULLE_FILL_ALL, .kind = TULLE_CHOLESKY}};
    for (int i = 0; i < 3; i++) {
        int64_t n = 1;
        while (!fail_once(where, options[i], n)) n++;
        assert_true(n > 5);
    }
}

/* Calls for progress, by what is being done; the n-th of all cancels. */
typedef struct {
    int left, filling, storing, factorising;
} asked;

static int ask(void *user, const char *what, int64_t done, int64_t total) {
    asked *a = user;
    assert_true(done >= 0 && done <= total);
    a->filling += strcmp(what, "finding fill") == 0;
    a->storing += strcmp(what, "storing the pattern") == 0;
    a->factorising += strcmp(what, "factorising") == 0;
    return --a->left == 0;
}

/* Cancels all fill the n-th time that it asks: nothing stays. Whether it no longer asks. */
static bool cancel_once(const char *where, const char *kernel, int n, asked *a) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options all = {.host = &allocator};
    if (is_slow(where)) all.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_factor *F = NULL;
    must(tulle_ctx_create(where, &all, &ctx));
    tulle_mat *A = made(ctx, is_slow(where) ? "p2d:5" : "p3d7:14");
    if (kernel && ctx->kind == TULLE_CPU) must(tulle_ctx_force_kernel(ctx, kernel));
    *a = (asked){.left = n};
    must(tulle_ctx_set_progress(ctx, ask, a));
    const tulle_factor_options options = {.fill = TULLE_FILL_ALL};
    const tulle_status status = tulle_factor_create(ctx, A, &options, &F);
    const bool cancelled = status == TULLE_CANCELLED;
    assert_int_equal(cancelled, a->left <= 0);
    if (cancelled) {
        assert_null(F);
    } else {
        must(status);
    }
    if (cancelled && n == 1) {
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        must(tulle_factor_create(ctx, A, &options, &F));
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return !cancelled;
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    static const char *const kernels[] = {NULL, "factor_rows"};
    if (ctx->kind == TULLE_CUDA) return;
    for (int k = 0; k < 2; k++) {
        asked a;
        int n = 1;
        while (!cancel_once(where, kernels[k], n, &a)) n += 1 + n / 4;
        assert_true(a.filling >= 1);
        assert_true(a.storing >= 5); /* before each pass over all entries */
        assert_true(ctx->kind != TULLE_CPU || a.factorising >= 3);
    }
}

/* Fill by levels tells by its work: here each row but the first fills up, and they are few. */
static void cancelling_levels(tulle_ctx *ctx, const char *where) {
    enum { N = 500, TENTH = 10 };
    (void)where;
    if (ctx->kind != TULLE_CPU) return; /* fill is found by the host everywhere */
    int32_t offsets[N + 1] = {0, N}, cols[3 * N];
    double values[3 * N];
    for (int j = 0; j < N; j++) cols[j] = j;
    for (int i = 1; i < N; i++) {
        cols[offsets[i]] = 0;
        cols[offsets[i] + 1] = i;
        offsets[i + 1] = offsets[i] + 2;
    }
    for (int e = 0; e < 3 * N - 2; e++) values[e] = cols[e] > 0 && e >= N ? 2 * N : 1;
    tulle_mat *A = NULL;
    tulle_factor *F = NULL;
    must(tulle_mat_create_csr(ctx, N, N, 3 * N - 2, TULLE_I32, offsets, cols, TULLE_F64, values,
                              NULL, &A));
    asked a = {.left = TENTH};
    must(tulle_ctx_set_progress(ctx, ask, &a));
    const tulle_factor_options options = {.fill = 1};
    assert_int_equal(tulle_factor_create(ctx, A, &options, &F), TULLE_CANCELLED);
    assert_int_equal(a.filling, TENTH);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(out_of_memory)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(cancelling_levels)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_cancelling_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
