/* SPDX-License-Identifier: Apache-2.0 */
#include "orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "places.h"
#include "zoo.h"

/* order := a random permutation of n numbers. */
static void shuffle(int64_t n, uint64_t seed, int64_t *order) {
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(zoo_bits(&seed) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

tulle_order *order_shuffled(tulle_ctx *ctx, int64_t n, uint64_t seed) {
    static int64_t order[ORDERS_MOST];
    tulle_order *P = NULL;
    shuffle(n, seed, order);
    must(tulle_order_create(ctx, n, order, &P));
    return P;
}

void order_check(tulle_ctx *ctx, const tulle_order *P, int64_t n, int64_t *order,
                 int64_t *inverse) {
    assert_int_equal(tulle_order_length(P), n);
    assert_true(n <= ORDERS_MOST);
    must(tulle_order_read(ctx, P, order));
    for (int64_t k = 0; k < n; k++) inverse[k] = -1;
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_int_equal(inverse[order[i]], -1);
        inverse[order[i]] = i;
    }
}

tulle_mat *order_apply(tulle_ctx *ctx, const tulle_mat *A, const tulle_order *P,
                       const tulle_order *Q) {
    tulle_mat *B = NULL;
    must(tulle_mat_permute(ctx, A, P, Q, &B));
    return B;
}
