/* SPDX-License-Identifier: Apache-2.0 */
/* A triple product is compared with the two products that a caller would make: A P, and the product
 * of P, transposed, with A P. */
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct two_products {
    const trial_making *making;
    tulle_mat *C;
    bool pooled;
    size_t before; /* bytes of the context that were in use before the call */
    int64_t peak;  /* the most bytes in use beside `before` */
} two_products;

static tulle_status available(char version[BENCH_VERSION]) {
    snprintf(version, BENCH_VERSION, "tulle %s", tulle_version());
    return TULLE_OK;
}

/* Frees the product; without a pool, no memory that a call took serves the next one. */
static void drop(void *state) {
    two_products *t = state;
    tulle_mat_destroy(t->C);
    t->C = NULL;
    if (!t->pooled) (void)tulle_ctx_trim(t->making->ctx);
}

static void close_task(void *state) {
    drop(state);
    free(state);
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    two_products *t = tool_alloc(1, sizeof *t);
    tulle_memory_usage usage;
    *t = (two_products){.making = making};
    *task = (trial_task){.state = t, .threads = making->device.threads};
    tulle_status status = tulle_ctx_reset_high(making->ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(making->ctx, &usage);
    if (status == TULLE_OK) {
        t->before = usage.in_use;
    } else {
        free(t);
    }
    return status;
}

static tulle_status multiply(const trial_making *m, tulle_mat **C) {
    tulle_mat *right = NULL;
    tulle_status status =
        tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, NULL, NULL, &right);
    if (status == TULLE_OK) {
        status = tulle_spgemm(m->ctx, TULLE_T, TULLE_N, tulle_num(1), m->B, right, NULL, NULL, C);
    }
    tulle_mat_destroy(right);
    return status;
}

static tulle_status make(void *state, bool pooled) {
    two_products *t = state;
    tulle_memory_usage usage;
    t->pooled = pooled;
    tulle_status status = multiply(t->making, &t->C);
    if (status == TULLE_OK) status = tulle_ctx_memory(t->making->ctx, &usage);
    if (status == TULLE_OK) t->peak = (int64_t)(usage.high - t->before);
    return status;
}

static tulle_status take(void *state, tulle_mat **C) {
    const two_products *t = state;
    *C = tulle_mat_retain(t->C);
    return TULLE_OK;
}

static int64_t peak(const void *state) {
    const two_products *t = state;
    return t->peak;
}

static const bench_peer_maker maker = {
    .open = open_task, .make = make, .drop = drop, .take = take, .peak = peak, .close = close_task};

#define PEER(peer_name, on_gpu)                                                                    \
    const bench_peer bench_peer_##peer_name = {.name = #peer_name,                                 \
                                               .library = "tulle",                                 \
                                               .gpu = on_gpu,                                      \
                                               .op = "galerkin",                                   \
                                               .maker = &maker,                                    \
                                               .available = available};

PEER(tulle_two_products, false)
PEER(tulle_two_products_gpu, true)
