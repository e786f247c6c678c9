/* SPDX-License-Identifier: Apache-2.0 */
/* Orders with little fill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "orders.h"
#include "places.h"

/* Entries of L and U with all fill. */
static int64_t fill_of(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P) {
    tulle_factor *F = NULL;
    tulle_factor_info info;
    must(tulle_factor_create(
        ctx, A, &(tulle_factor_options){.fill = TULLE_FILL_ALL, .order = P, .shift = 8}, &F));
    must(tulle_factor_describe(F, &info));
    tulle_factor_destroy(F);
    return info.nnz_l + info.nnz_u;
}

/* Of a grid, shuffled: less fill than its band has, and numbers of rand() that go on. */
static void little_fill(tulle_ctx *ctx, const char *where) {
    const int64_t side = is_slow(where) ? 12 : 40;
    tulle_order *shuffle = order_shuffled(ctx, side * side, 5), *band = NULL;
    tulle_mat *grid = NULL, *A = NULL, *B = NULL;
    char spec[32];
    snprintf(spec, sizeof spec, "p2d5:%d", (int)side);
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &grid));
    must(tulle_mat_permute(ctx, grid, shuffle, shuffle, &A));
    must(tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &(tulle_convert_options){.block = 2},
                                &B));
    must(tulle_order_rcm(ctx, A, &band));
    const int64_t of_band = fill_of(ctx, A, band);
    for (int k = 0; k < 4; k++) {
        const tulle_fill_order method = k % 2 ? TULLE_NESTED_DISSECTION : TULLE_AMD;
        const tulle_mat *of = k < 2 ? A : B;
        tulle_order *P = NULL, *again = NULL;
        static int64_t order[ORDERS_MOST], inverse[ORDERS_MOST], second[ORDERS_MOST];
        const int64_t n = side * side / (k < 2 ? 1 : 2);
        srand(3);
        const int first = rand(), next = rand();
        srand(3);
        assert_int_equal(rand(), first);
        must(tulle_order_fill(ctx, of, method, &P));
        assert_int_equal(rand(), next);
        must(tulle_order_fill(ctx, of, method, &again));
        order_check(ctx, P, n, order, inverse);
        must(tulle_order_read(ctx, again, second));
        assert_memory_equal(order, second, (size_t)n * sizeof *order);
        if (k < 2) assert_true(fill_of(ctx, A, P) < (is_slow(where) ? of_band : of_band * 6 / 10));
        if (k >= 2) assert_true(fill_of(ctx, B, P) < fill_of(ctx, B, NULL));
        tulle_order_destroy(P);
        tulle_order_destroy(again);
    }
    tulle_order_destroy(shuffle);
    tulle_order_destroy(band);
    tulle_mat_destroy(grid);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

/* Graphs without edges, and without nodes. */
static void no_edges(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int64_t n = 0; n < 4; n++) {
        const int32_t offsets[5] = {0, n > 0, n > 0 ? 1 : 0, n > 0 ? 1 : 0, 1}, cols[1] = {0};
        const double values[1] = {1};
        static int64_t order[ORDERS_MOST], inverse[ORDERS_MOST];
        tulle_mat *A = NULL;
        must(tulle_mat_create_csr(ctx, n, n, n > 0, TULLE_I32, offsets, cols, TULLE_F64, values,
                                  NULL, &A));
        for (int k = 0; k < 2; k++) {
            tulle_order *P = NULL;
            must(tulle_order_fill(ctx, A, (tulle_fill_order)k, &P));
            order_check(ctx, P, n, order, inverse);
            tulle_order_destroy(P);
        }
        tulle_mat_destroy(A);
    }
}

static void test_fill(void **state) {
    (void)state;
    on_each_place(little_fill);
    on_each_place(no_edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
