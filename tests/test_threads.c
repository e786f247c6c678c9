/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix, several threads with a context each: products run while plans are built, looked up,
 * replaced and forgotten. The same source shows data races when it is built with ThreadSanitizer.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

enum { THREADS = 4, MOST_ROUNDS = 60, SLOW_ROUNDS = 6, LONGEST = 2500 };

typedef struct {
    const char *where;
    const zoo_matrix *zoo;
    tulle_mat *A;
    pthread_barrier_t *start;
    int number, rounds;
    char wrong[256]; /* "" when all was well; a thread cannot fail a test itself */
} worker;

/* A step of a worker; false once something went wrong. */
static bool did(worker *w, tulle_status status, const char *what) {
    if (status == TULLE_OK) return true;
    snprintf(w->wrong, sizeof w->wrong, "%s: %s", what, tulle_last_error()->message);
    return false;
}

static bool multiply(worker *w, tulle_ctx *ctx, tulle_trans op, const tulle_vec *x, tulle_vec *y) {
    double x_host[LONGEST], y_host[LONGEST], y0[LONGEST] = {0};
    product p = {.op = op, .alpha = 1, .beta = 0, .x = x_host, .y0 = y0};
    if (!did(w, tulle_spmv(ctx, op, tulle_num(1), w->A, x, tulle_num(0), y), "spmv") ||
        !did(w, tulle_vec_read(ctx, x, x_host, 0), "read x") ||
        !did(w, tulle_vec_read(ctx, y, y_host, 0), "read y")) {
        return false;
    }
    double error = product_error(w->zoo, &p, TULLE_F64, y_host);
    if (error <= 1) return true;
    snprintf(w->wrong, sizeof w->wrong, "op %d: error %g bounds", op, error);
    return false;
}

/* All workers begin with the same plan; then each changes the plans in its own way. */
static tulle_status change_plans(const worker *w, tulle_ctx *ctx, int round) {
    tulle_trans op = round % 2 ? TULLE_N : TULLE_T;
    tulle_memory_usage usage;
    if (round == 0) return tulle_mat_optimize(ctx, TULLE_T, w->A, 10);
    switch ((w->number + round) % 4) {
        case 0:
            return tulle_mat_optimize(ctx, op, w->A, 10);
        case 1:
            return tulle_mat_plan(ctx, op, w->A, NULL);
        case 2:
            return tulle_mat_forget_plans(w->A);
        default:
            return tulle_ctx_memory(ctx, &usage);
    }
}

static void work(worker *w, tulle_ctx *ctx, tulle_vec *x, tulle_vec *y) {
    tulle_mat_info info;
    if (!did(w, tulle_vec_random(ctx, x, 1), "random") ||
        !did(w, tulle_vec_random(ctx, y, 2), "random")) {
        return;
    }
    for (int round = 0; round < w->rounds; round++) {
        if (!did(w, change_plans(w, ctx, round), "plan") || !multiply(w, ctx, TULLE_N, x, y) ||
            !multiply(w, ctx, TULLE_T, y, x) ||
            !did(w, tulle_mat_describe(w->A, &info), "describe")) {
            return;
        }
    }
}

static void *run_worker(void *user) {
    worker *w = user;
    tulle_ctx *ctx = NULL;
    tulle_vec *x = NULL, *y = NULL;
    bool ready = did(w, tulle_ctx_create(w->where, NULL, &ctx), "context") &&
                 did(w, tulle_vec_create(ctx, TULLE_F64, w->zoo->cols, &x), "vector") &&
                 did(w, tulle_vec_create(ctx, TULLE_F64, w->zoo->rows, &y), "vector");
    pthread_barrier_wait(w->start);
    if (ready) work(w, ctx, x, y);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_ctx_destroy(ctx);
    tulle_mat_destroy(w->A);
    return NULL;
}

/* All threads with the matrix, each its owner too; the last to finish frees it. */
static void share(tulle_mat *A, const zoo_matrix *zoo, const char *where) {
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.where = where,
                              .zoo = zoo,
                              .A = tulle_mat_retain(A),
                              .start = &start,
                              .number = i,
                              .rounds = is_slow(where) ? SLOW_ROUNDS : MOST_ROUNDS};
    }
    tulle_mat_destroy(A);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; i++) assert_string_equal(workers[i].wrong, "");
}

static void shared(tulle_ctx *ctx, const char *where) {
    zoo_matrix zoo = is_slow(where) ? zoo_make(8) : zoo_make_large(1);
    share(zoo_mat(ctx, &zoo, TULLE_I32, TULLE_F64), &zoo, where);
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    assert_int_equal(usage.in_use, usage.workspace);
    zoo_free(&zoo);
}

static void test_shared(void **state) {
    (void)state;
    on_each_place(shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
