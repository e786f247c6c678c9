/* SPDX-License-Identifier: Apache-2.0 */
/* C = A', whose values are A's to the bit. */
#include "tools/common/verify_add.h"
#include "trials/making.h"

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_mat_transpose(m->ctx, m->A, C);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    (void)rising; /* entries that are in A's order rise */
    return tool_verify_transpose(&m->host_a, C, error);
}

static const trial_maker maker = {
    .turned = true,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_transpose = {
    .name = "transpose",
    .function = "tulle_mat_transpose",
    .formula = "A'",
    TRIAL_MAKES(maker),
};
