/* SPDX-License-Identifier: Apache-2.0 */
/* Nested dissection: the process's signals stay as they are, grids get little fill, and a
 * graph of many parts takes no longer than one of few. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "orders.h"
#include "places.h"

enum { SIGNALS = 64 };

static void read_handlers(struct sigaction handlers[SIGNALS]) {
    memset(handlers, 0, SIGNALS * sizeof *handlers);
    for (int s = 1; s < SIGNALS; s++) (void)sigaction(s, NULL, &handlers[s]);
}

static volatile sig_atomic_t handled;

static void mine(int signal_number) {
    (void)signal_number;
    handled++;
}

/* From within the ordering: the program's own handler is called. */
static int raise_signal(void *user, const char *what, int64_t done, int64_t total) {
    (void)what, (void)done, (void)total;
    (*(int *)user)++;
    raise(SIGTERM);
    return 0;
}

static int stop(void *user, const char *what, int64_t done, int64_t total) {
    (void)user, (void)what;
    return done > 0 && done < total;
}

static int64_t fill_of(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P) {
    tulle_factor *F = NULL;
    tulle_factor_info info;
    must(tulle_factor_create(
        ctx, A, &(tulle_factor_options){.fill = TULLE_FILL_ALL, .order = P, .shift = 8}, &F));
    must(tulle_factor_describe(F, &info));
    tulle_factor_destroy(F);
    return info.nnz_l + info.nnz_u;
}

static void test_grid(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_order *amd = NULL, *nested = NULL, *none = NULL;
    struct sigaction before[SIGNALS], after[SIGNALS];
    int asked = 0;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p3d7:24", 1, TULLE_F64, &A));
    signal(SIGTERM, mine);
    read_handlers(before);
    must(tulle_ctx_set_progress(ctx, raise_signal, &asked));
    must(tulle_order_fill(ctx, A, TULLE_AMD, &amd));
    must(tulle_order_fill(ctx, A, TULLE_NESTED_DISSECTION, &nested));
    read_handlers(after);
    for (int s = 1; s < SIGNALS; s++) {
        assert_ptr_equal(before[s].sa_handler, after[s].sa_handler);
        assert_int_equal(before[s].sa_flags, after[s].sa_flags);
    }
    assert_true(asked > 4); /* at both ends of each call, and in between */
    assert_int_equal(handled, asked);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    assert_true(fill_of(ctx, A, nested) * 10 < fill_of(ctx, A, amd) * 8);
    must(tulle_ctx_set_progress(ctx, stop, NULL));
    assert_int_equal(tulle_order_fill(ctx, A, TULLE_NESTED_DISSECTION, &none), TULLE_CANCELLED);
    assert_null(none);
    signal(SIGTERM, SIG_DFL);
    tulle_order_destroy(amd);
    tulle_order_destroy(nested);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Processor time for the order of a path, a twentieth of the nodes, and nodes without a neighbour.
 */
static double time_of_parts(tulle_ctx *ctx, int32_t nodes) {
    const int32_t path = nodes / 20;
    int32_t *offsets = malloc(((size_t)nodes + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)(nodes + path) * sizeof *columns), nnz = 0;
    tulle_mat *A = NULL;
    tulle_order *P = NULL;
    assert_true(offsets && columns);
    for (int32_t i = 0; i < nodes; i++) {
        offsets[i] = nnz;
        columns[nnz++] = i;
        if (i + 1 < path) columns[nnz++] = i + 1;
    }
    offsets[nodes] = nnz;
    must(tulle_mat_create_csr(ctx, nodes, nodes, nnz, TULLE_I32, offsets, columns, TULLE_F32, NULL,
                              &(tulle_mat_options){.pattern = true}, &A));
    const clock_t start = clock();
    must(tulle_order_fill(ctx, A, TULLE_NESTED_DISSECTION, &P));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
    free(offsets);
    free(columns);
    return seconds;
}

/* A part of the graph that is used up is passed once in the search for the next part: four times
 * the nodes take some four times as long, and not sixteen times. */
static void test_many_parts(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    const double few = time_of_parts(ctx, 100000), many = time_of_parts(ctx, 400000);
    if (many > 9 * few) fail_msg("%g s, and %g s for four times the nodes", few, many);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_many_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
