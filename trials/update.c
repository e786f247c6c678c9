/* SPDX-License-Identifier: Apache-2.0 */
/* The values of C = A A or A B, on the pattern that C has. */
#include "trials/making.h"

static tulle_status begin(const trial_making *m, tulle_mat **C) {
    return trial_operation_spgemm.makes->make(m, NULL, C);
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_spgemm_update(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, *C);
}

static tulle_status fits(const trial_making *m) {
    return trial_operation_spgemm.makes->fits(m);
}

static int64_t products(const trial_making *m) {
    return trial_operation_spgemm.makes->products(m);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return trial_operation_spgemm.makes->verify(m, C, rising, error);
}

static const trial_maker maker = {
    .together = "A B, values alone",
    .fits = fits,
    .products = products,
    .begin = begin,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_update = {
    .name = "update",
    .function = "spgemm_update",
    .formula = "A A, values alone",
    TRIAL_MAKES(maker),
};
