/* SPDX-License-Identifier: Apache-2.0 */
/* C = P' A P, or A' A A. */
#include <inttypes.h>

#include "bench/spgemm.h"
#include "tools/common/error.h"

static tulle_status fits(const bench_making *m) {
    if (m->a.rows == m->a.cols && m->a.cols == m->b.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and P %" PRId64 " x %" PRId64
                       ": P' A P does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

static tulle_status make(const bench_making *m, void *report, tulle_mat **C) {
    const bench_spgemm_options *o = bench_spgemm_options_of(m);
    return tulle_spgemm_galerkin(m->ctx, tulle_num(o->alpha), m->A, m->B, &o->call, report, C);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return bench_spgemm_verify(m, C, rising, true, error);
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
