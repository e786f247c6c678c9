/* SPDX-License-Identifier: Apache-2.0 */
/* C = P' A P, or A' A A. */
#include <inttypes.h>

#include "bench/making.h"
#include "tools/common/error.h"

static tulle_status fits(const bench_making *m) {
    if (m->a.rows == m->a.cols && m->a.cols == m->b.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and P %" PRId64 " x %" PRId64
                       ": P' A P does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

static tulle_status make(const bench_making *m, tulle_spgemm_report *report, tulle_mat **C) {
    return tulle_spgemm_galerkin(m->ctx, tulle_num(1), m->A, m->B, NULL, report, C);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    const tool_spgemm_claim claim = {.A = &m->host_a,
                                     .B = &m->host_b,
                                     .C = C,
                                     .op_A = TULLE_N,
                                     .op_B = TULLE_N,
                                     .alpha = 1,
                                     .rising = rising,
                                     .galerkin = true};
    return tool_verify_spgemm(&claim, error);
}

static const bench_maker maker = {
    .together = "P' A P",
    .reports = true,
    .coarse = true,
    .fits = fits,
    .make = make,
    .verify = verify,
};

const bench_operation bench_operation_galerkin = {
    .name = "galerkin",
    .function = "",
    .formula = "A' A A",
    BENCH_MAKES(maker),
};
