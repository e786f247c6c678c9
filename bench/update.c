/* SPDX-License-Identifier: Apache-2.0 */
/* The values of C = A A or A B, on the pattern that C has. */
#include "bench/making.h"

static tulle_status begin(const bench_making *m, tulle_mat **C) {
    return bench_maker_spgemm.make(m, NULL, C);
}

static tulle_status make(const bench_making *m, tulle_spgemm_report *report, tulle_mat **C) {
    (void)report;
    return tulle_spgemm_update(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, *C);
}

static tulle_status fits(const bench_making *m) {
    return bench_maker_spgemm.fits(m);
}

static int64_t products(const bench_making *m) {
    return bench_maker_spgemm.products(m);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return bench_maker_spgemm.verify(m, C, rising, error);
}

const bench_maker bench_maker_update = {
    .name = "update",
    .alone = "A A, values alone",
    .together = "A B, values alone",
    .kernel = "spgemm_update",
    .fits = fits,
    .products = products,
    .begin = begin,
    .make = make,
    .verify = verify,
};
