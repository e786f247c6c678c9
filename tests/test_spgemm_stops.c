/* SPDX-License-Identifier: Apache-2.0 */
/* A product on a CPU that is cancelled while its threads are at work: the caller's thread is asked
 * in both long phases, and nothing stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"

/* Of a product that counts, makes room for C, and computes. */
enum { PHASES = 6, COUNT = 2, COMPUTE = 4 };

/* Questions by phase; the one that leaves none says no. */
typedef struct {
    pthread_t caller;
    int left, in[PHASES + 1];
    bool stopped;
    int64_t done;
} asked;

static int ask(void *user, const char *what, int64_t done, int64_t total) {
    asked *a = user;
    assert_string_equal(what, "multiplying");
    assert_true(pthread_equal(a->caller, pthread_self()));
    assert_true(done > a->done && done <= total);
    if (a->stopped) fail_msg("asked again after it was cancelled");
    a->done = done;
    if (done % (total / PHASES) != 0) a->in[done / (total / PHASES)]++;
    a->stopped = --a->left == 0;
    return a->stopped;
}

typedef struct {
    tulle_ctx *ctx;
    counting memory;
    tulle_mat *A;
} product;

static void open_product(const char *where, const char *kernel, const char *spec, product *p) {
    *p = (product){0};
    const tulle_allocator allocator = counting_allocator(&p->memory);
    const tulle_ctx_options options = {.host = &allocator};
    must(tulle_ctx_create(where, &options, &p->ctx));
    must(tulle_ctx_force_kernel(p->ctx, kernel));
    must(tulle_generate(p->ctx, spec, 1, TULLE_F64, &p->A));
}

static void close_product(product *p) {
    tulle_mat_destroy(p->A);
    tulle_ctx_destroy(p->ctx);
    assert_int_equal(p->memory.live, 0);
}

static tulle_status square(product *p, asked *a, int n, tulle_mat **C) {
    *a = (asked){.caller = pthread_self(), .left = n};
    *C = (tulle_mat *)1;
    must(tulle_ctx_set_progress(p->ctx, ask, a));
    return tulle_spgemm(p->ctx, TULLE_N, TULLE_N, tulle_num(1), p->A, p->A, NULL, NULL, C);
}

/* Cancels it the n-th time that it asks; whether it no longer does. */
static bool cancel_once(product *p, int n, asked *a) {
    const int64_t live = p->memory.live;
    tulle_mat *C = NULL;
    const tulle_status status = square(p, a, n, &C);
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_CANCELLED);
        assert_string_equal(tulle_last_error()->message, "multiplying was cancelled");
        assert_null(C);
    }
    assert_int_equal(a->stopped, status != TULLE_OK);
    tulle_mat_destroy(C);
    assert_int_equal(p->memory.live, live);
    return status == TULLE_OK;
}

/* Some million products, in rows that are nothing to each other. Where there are two threads, the
 * other one may have done the work before the caller's is back. */
static void try_kernel(const char *where, int least, const char *kernel) {
    product p;
    asked a;
    int n = 1;
    open_product(where, kernel, "random:500,500,130", &p);
    while (!cancel_once(&p, n, &a)) n++;
    if (a.in[COUNT] < least || a.in[COMPUTE] < least) {
        fail_msg("%s, %s: asked %d times while counting, %d while computing", where, kernel,
                 a.in[COUNT], a.in[COMPUTE]);
    }
    close_product(&p);
}

static void test_cancelling(void **state) {
    (void)state;
    for (int k = 0; k < tulle_kernel_count(TULLE_CPU); k++) {
        tulle_kernel_info kernel;
        must(tulle_kernel_describe(TULLE_CPU, k, &kernel));
        if (strcmp(kernel.operation, "spgemm") != 0 || !is_wanted(kernel.name)) continue;
        try_kernel("cpu:1", 5, kernel.name);
        try_kernel("cpu:2", 0, kernel.name);
    }
}

/* More products do not mean that whoever cancels waits longer. */
static void test_often(void **state) {
    (void)state;
    enum { N = 640, PRODUCTS_OF_TWO = 1 << 22 };
    product p;
    asked a;
    tulle_mat *C = NULL;
    open_product("cpu:1", "spgemm_auto", "random:640,640,640", &p);
    must(square(&p, &a, 0, &C));
    tulle_mat_destroy(C);
    close_product(&p);
    if (a.in[COMPUTE] < N * N * N / PRODUCTS_OF_TWO) fail_msg("asked %d times", a.in[COMPUTE]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
