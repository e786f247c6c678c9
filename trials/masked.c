/* SPDX-License-Identifier: Apache-2.0 */
/* C = (L L) on L, by which triangles are counted: L is the part of A + A' below the diagonal, and
 * all its entries are 1. Entry (i, j) of C is the number of vertices between j and i that are
 * neighbours of both, so that the sum of C's entries is the number of triangles of the graph. */
#include "trials/spgemm.h"
#include "tulle/add.h"
#include "tulle/algebra.h"

/* Makes a matrix with A's places, whose entries are 1. */
static tulle_status ones_of(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **ones) {
    const tulle_mat_options pattern = {.pattern = true};
    tulle_mat_info info;
    tool_csr csr = {0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) {
        status = tulle_mat_create_csr(ctx, info.rows, info.cols, info.nnz, info.index, csr.offsets,
                                      csr.columns, info.type, NULL, &pattern, ones);
    }
    tool_csr_close(&csr);
    return status;
}

static tulle_status choose(tulle_ctx *ctx, tulle_mat *A, tulle_mat **L) {
    const tulle_scalar one = tulle_num(1);
    tulle_mat *both = NULL, *lower = NULL;
    tulle_status status = tulle_add(ctx, TULLE_N, TULLE_T, one, A, one, A, NULL, NULL, &both);
    if (status == TULLE_OK) status = tulle_mat_part(ctx, both, TULLE_LOWER, -1, &lower);
    if (status == TULLE_OK) status = ones_of(ctx, lower, L);
    tulle_mat_destroy(lower);
    tulle_mat_destroy(both);
    return status;
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    const tulle_spgemm_options options = {.mask = m->A};
    return tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->A, &options, report, C);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    const tool_spgemm_claim claim = {.A = &m->host_a,
                                     .B = &m->host_a,
                                     .C = C,
                                     .op_A = TULLE_N,
                                     .op_B = TULLE_N,
                                     .alpha = 1,
                                     .rising = rising,
                                     .mask = &m->host_a};
    return tool_verify_spgemm(&claim, error);
}

static const trial_maker maker = {
    .products = trial_spgemm_products,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_masked = {
    .name = "masked",
    .kernels = "masked",
    .function = "",
    .formula = "(L L) on L",
    .fields = trial_making_fields,
    .choose = choose,
    TRIAL_MAKES_OF_SQUARE(maker),
};
