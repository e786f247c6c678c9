/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins on every place: the same bits, bad names, cancelling, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "entries.h"
#include "lab/papers/like/like.h"
#include "places.h"

static tulle_ctx *all_cores(void) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    return ctx;
}

static entries made(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type) {
    tulle_mat *A = NULL;
    tulle_mat_info info;
    must(paper_like_generator.make(ctx, spec, seed, type, &A));
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.index, TULLE_I32);
    assert_int_equal(info.type, type);
    entries e = entries_read(ctx, A);
    tulle_mat_destroy(A);
    return e;
}

/* The same bits as on one thread of a CPU. */
static void same_bits(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"like:conf5_4-8x8-05", "like:mac_econ_fwd500",
                                        "like:cant,stored"};
    tulle_ctx *reference = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &reference));
    for (int s = 0; s < 3 && !is_slow(where); s++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            entries here = made(ctx, specs[s], 5, type), there = made(reference, specs[s], 5, type);
            entries_assert_same(&here, &there, specs[s]);
            entries_free(&here);
            entries_free(&there);
        }
    }
    tulle_ctx_destroy(reference);
}

static void test_same_bits(void **state) {
    (void)state;
    on_each_place(same_bits);
}

/* The seed gives other values and the same pattern. */
static void test_seeds_differ(void **state) {
    (void)state;
    tulle_ctx *ctx = all_cores();
    entries a = made(ctx, "like:cant,stored", 1, TULLE_F64);
    entries b = made(ctx, "like:cant,stored", 2, TULLE_F64);
    assert_int_equal(a.nnz, b.nnz);
    assert_memory_equal(a.col, b.col, (size_t)a.nnz * sizeof *a.col);
    assert_memory_not_equal(a.value, b.value, (size_t)a.nnz * sizeof *a.value);
    entries_free(&a);
    entries_free(&b);
    tulle_ctx_destroy(ctx);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        tulle_status status;
        const char *says; /* part of the message */
    } bad[] = {
        {"like:cant2", TULLE_NOT_FOUND, "like:NAME"},
        {"like:", TULLE_NOT_FOUND, "like:NAME"},
        {"like:can", TULLE_NOT_FOUND, "like:NAME"},
        {"like:cant,store", TULLE_INVALID_ARGUMENT, "what does \",store\" mean?"},
        {"like", TULLE_INVALID_ARGUMENT, "numbers are missing"},
    };
    tulle_ctx *ctx = all_cores();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tulle_mat *A = (tulle_mat *)ctx;
        tulle_status status = paper_like_generator.make(ctx, bad[i].spec, 1, TULLE_F64, &A);
        const char *message = tulle_last_error()->message;
        assert_int_equal(status, bad[i].status);
        if (!strstr(message, bad[i].says)) fail_msg("\"%s\": %s", bad[i].spec, message);
        assert_null(A);
    }
    tulle_ctx_destroy(ctx);
}

static int stop_at(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    int *calls_left = user;
    assert_true(done >= 0 && done <= total);
    return (*calls_left)-- == 0;
}

/* Cancelled at each report in turn, until the matrix is made. */
static void test_cancelled(void **state) {
    (void)state;
    tulle_ctx *ctx = all_cores();
    tulle_mat *A = NULL;
    int reports = 0;
    for (tulle_status status = TULLE_CANCELLED; status != TULLE_OK; reports++) {
        int calls_left = reports;
        must(tulle_ctx_set_progress(ctx, stop_at, &calls_left));
        status = paper_like_generator.make(ctx, "like:torso2", 1, TULLE_F32, &A);
        if (status != TULLE_OK) assert_int_equal(status, TULLE_CANCELLED);
        assert_true((status == TULLE_OK) == (A != NULL));
    }
    assert_true(reports > 3);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Each request for memory fails in turn, until the matrix is made. */
static void run_out(tulle_ctx *unused, const char *where) {
    (void)unused;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    int failures = -1;
    for (int64_t n = 1; status != TULLE_OK; n++, failures++) {
        counting c = {0};
        tulle_allocator allocator = counting_allocator(&c);
        tulle_ctx_options options = {.host = &allocator};
        tulle_ctx *ctx = NULL;
        tulle_mat *A = NULL;
        must(tulle_ctx_create(where, &options, &ctx));
        c.requests = 0;
        c.fail_at = n;
        status = paper_like_generator.make(ctx, "like:torso2", 1, TULLE_F32, &A);
        c.fail_at = 0;
        if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_true((status == TULLE_OK) == (A != NULL));
        tulle_mat_destroy(A);
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
    assert_true(failures > 2);
}

static void test_out_of_memory(void **state) {
    (void)state;
    once_on_each_place(run_out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
