/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tulle's that a caller would make instead of those of a trial: two products in the place
 * of a triple product, A P and the product of P, transposed, with A P; and in the place of a
 * product in blocks, or of its values alone, that of the same matrix in CSR. */
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "tools/common/error.h"

typedef struct other_calls {
    const trial_making *making;
    tulle_mat *C;
    bool renews; /* calls renew the values of one and the same C */
    bool pooled;
    size_t before; /* bytes of the context that were in use before the call */
    int64_t peak;  /* the most bytes in use beside `before` */
} other_calls;

static tulle_status available(char version[BENCH_VERSION]) {
    snprintf(version, BENCH_VERSION, "tulle %s", tulle_version());
    return TULLE_OK;
}

static void forget(other_calls *t) {
    tulle_mat_destroy(t->C);
    t->C = NULL;
}

/* Frees the product; without a pool, no memory that a call took serves the next one. */
static void drop(void *state) {
    other_calls *t = state;
    if (!t->renews) forget(t);
    if (!t->pooled) (void)tulle_ctx_trim(t->making->ctx);
}

static void close_task(void *state) {
    forget(state);
    drop(state);
    free(state);
}

static tulle_status begin(other_calls *t) {
    tulle_ctx *ctx = t->making->ctx;
    tulle_memory_usage usage;
    tulle_status status = tulle_ctx_reset_high(ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &usage);
    if (status == TULLE_OK) t->before = usage.in_use;
    return status;
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    other_calls *t = tool_alloc(1, sizeof *t);
    *t = (other_calls){.making = making};
    *task = (trial_task){.state = t, .threads = making->device.threads};
    const tulle_status status = begin(t);
    if (status != TULLE_OK) free(t);
    return status;
}

static tulle_status multiply_numbers(const trial_making *m, tulle_mat **C) {
    return tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->csr, m->csr, NULL, NULL, C);
}

/* Makes the C whose values calls renew, before the memory of calls is counted. */
static tulle_status open_update(const bench_peer *peer, const trial_making *making,
                                trial_task *task) {
    tulle_status status = open_task(peer, making, task);
    if (status != TULLE_OK) return status;
    other_calls *t = task->state;
    t->renews = true;
    status = multiply_numbers(making, &t->C);
    if (status == TULLE_OK) status = begin(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status multiply_twice(const trial_making *m, tulle_mat **C) {
    tulle_mat *right = NULL;
    tulle_status status =
        tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, NULL, NULL, &right);
    if (status == TULLE_OK) {
        status = tulle_spgemm(m->ctx, TULLE_T, TULLE_N, tulle_num(1), m->B, right, NULL, NULL, C);
    }
    tulle_mat_destroy(right);
    return status;
}

static tulle_status renew_numbers(const trial_making *m, tulle_mat **C) {
    return tulle_spgemm_update(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->csr, m->csr, *C);
}

static tulle_status make(other_calls *t, bool pooled,
                         tulle_status (*call)(const trial_making *m, tulle_mat **C)) {
    tulle_memory_usage usage;
    t->pooled = pooled;
    tulle_status status = call(t->making, &t->C);
    if (status == TULLE_OK) status = tulle_ctx_memory(t->making->ctx, &usage);
    if (status == TULLE_OK) t->peak = (int64_t)(usage.high - t->before);
    return status;
}

static tulle_status make_two_products(void *state, bool pooled) {
    return make(state, pooled, multiply_twice);
}

static tulle_status make_numbers(void *state, bool pooled) {
    return make(state, pooled, multiply_numbers);
}

static tulle_status make_values(void *state, bool pooled) {
    return make(state, pooled, renew_numbers);
}

static tulle_status take(void *state, tulle_mat **C) {
    const other_calls *t = state;
    *C = tulle_mat_retain(t->C);
    return TULLE_OK;
}

static int64_t peak(const void *state) {
    const other_calls *t = state;
    return t->peak;
}

#define MAKER(open_one, make_one)                                                                  \
    {                                                                                              \
        .open = open_one, .make = make_one, .drop = drop, .take = take, .peak = peak,              \
        .close = close_task                                                                        \
    }

static const bench_peer_maker two_products = MAKER(open_task, make_two_products);
static const bench_peer_maker numbers = MAKER(open_task, make_numbers);
static const bench_peer_maker values = MAKER(open_update, make_values);

#define PEER(peer_name, operation, functions, on_gpu)                                              \
    const bench_peer bench_peer_##peer_name = {.name = #peer_name,                                 \
                                               .library = "tulle",                                 \
                                               .gpu = on_gpu,                                      \
                                               .op = operation,                                    \
                                               .maker = &(functions),                              \
                                               .available = available};

PEER(tulle_two_products, "galerkin", two_products, false)
PEER(tulle_two_products_gpu, "galerkin", two_products, true)
PEER(tulle_numbers, "blocks", numbers, false)
PEER(tulle_numbers_gpu, "blocks", numbers, true)
PEER(tulle_numbers_update, "blocks_update", values, false)
PEER(tulle_numbers_update_gpu, "blocks_update", values, true)
