/* SPDX-License-Identifier: Apache-2.0 */
/* C = A + A or C = A + B. */
#include <inttypes.h>

#include "bench/making.h"
#include "tools/common/error.h"
#include "tools/common/verify_add.h"

static tulle_status fits(const bench_making *m) {
    if (m->a.rows == m->b.rows && m->a.cols == m->b.cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and B %" PRId64 " x %" PRId64
                       ": A + B does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

static tulle_status make(const bench_making *m, tulle_spgemm_report *report, tulle_mat **C) {
    (void)report;
    return tulle_add(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, tulle_num(1), m->B, NULL, NULL,
                     C);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    (void)rising; /* the claim is that they do */
    const tool_add_claim claim = {.A = &m->host_a,
                                  .B = &m->host_b,
                                  .C = C,
                                  .op_A = TULLE_N,
                                  .op_B = TULLE_N,
                                  .alpha = 1,
                                  .beta = 1};
    return tool_verify_add(&claim, error);
}

const bench_maker bench_maker_add = {
    .name = "add",
    .alone = "A + A",
    .together = "A + B",
    .kernel = "tulle_add",
    .fits = fits,
    .make = make,
    .verify = verify,
};
