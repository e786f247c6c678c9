/* SPDX-License-Identifier: Apache-2.0 */
/* C = P' A P, or A' A A. */
#include <inttypes.h>

#include "tools/common/error.h"
#include "trials/spgemm.h"

static tulle_status fits(const trial_making *m) {
    if (m->a.rows == m->a.cols && m->a.cols == m->b.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and P %" PRId64 " x %" PRId64
                       ": P' A P does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    const trial_spgemm_options *o = trial_spgemm_options_of(m);
    return tulle_spgemm_galerkin(m->ctx, tulle_num(o->alpha), m->A, m->B, &o->call, report, C);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return trial_spgemm_verify(m, C, rising, true, error);
}

static const trial_maker maker = {
    .together = "P' A P",
    .coarse = true,
    .fits = fits,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_galerkin = {
    .name = "galerkin",
    .function = "",
    .formula = "A' A A",
    .fields = trial_making_fields,
    TRIAL_MAKES(maker),
};
