/* SPDX-License-Identifier: Apache-2.0 */
/* The values of C = A A or A B, on the pattern that C has. */
#include "bench/making.h"

static tulle_status begin(const bench_making *m, tulle_mat **C) {
    return bench_operation_spgemm.makes->make(m, NULL, C);
}

static tulle_status make(const bench_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_spgemm_update(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, *C);
}

static tulle_status fits(const bench_making *m) {
    return bench_operation_spgemm.makes->fits(m);
}

static int64_t products(const bench_making *m) {
    return bench_operation_spgemm.makes->products(m);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return bench_operation_spgemm.makes->verify(m, C, rising, error);
}

static const bench_maker maker = {
    .together = "A B, values alone",
    .fits = fits,
    .products = products,
    .begin = begin,
    .make = make,
    .verify = verify,
};

const bench_operation bench_operation_update = {
    .name = "update",
    .function = "spgemm_update",
    .formula = "A A, values alone",
    BENCH_MAKES(maker),
};
