/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A of a matrix in BSR, made in blocks (blocks), and its values alone on the pattern that C
 * has (blocks_update). Peers make the same C of A in CSR, so that the quotient of both times is
 * what blocks save. */
#include <inttypes.h>

#include "tools/common/error.h"
#include "trials/spgemm.h"

static tulle_status choose(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    (void)ctx;
    *B = tulle_mat_retain(A);
    return TULLE_OK;
}

/* Leaves out what is not multiplied in blocks, and blocks that are the entries themselves. */
static tulle_status fits(const trial_making *m) {
    const tulle_storage *s = &m->a.storage;
    if (s->full && s->block > 1 && s->block == s->block_cols) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED,
                       "blocks of %" PRId64 " x %" PRId64
                       "%s; square ones of several rows that "
                       "are full are multiplied, as --format bsr:block=3 asks for",
                       s->block, s->block_cols, s->full ? "" : " with padding");
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    return tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, NULL, report, C);
}

static tulle_status begin(const trial_making *m, tulle_mat **C) {
    return make(m, NULL, C);
}

static tulle_status renew(const trial_making *m, void *report, tulle_mat **C) {
    (void)report;
    return tulle_spgemm_update(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, *C);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    return trial_operation_spgemm.makes->verify(m, C, rising, error);
}

static const trial_maker product = {
    .fits = fits,
    .products = trial_spgemm_products,
    .make = make,
    .verify = verify,
};

static const trial_maker values = {
    .fits = fits,
    .products = trial_spgemm_products,
    .begin = begin,
    .make = renew,
    .verify = verify,
};

const trial_operation trial_operation_blocks = {
    .name = "blocks",
    .kernels = "blocks",
    .function = "",
    .formula = "A A in blocks",
    .in_blocks = true,
    .fields = trial_making_fields,
    .choose = choose,
    TRIAL_MAKES_OF_SQUARE(product),
};

const trial_operation trial_operation_blocks_update = {
    .name = "blocks_update",
    .kernels = "blocks",
    .function = "spgemm_update",
    .formula = "A A in blocks, values alone",
    .in_blocks = true,
    .choose = choose,
    TRIAL_MAKES_OF_SQUARE(values),
};
