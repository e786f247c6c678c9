/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/check_factor.h"

#include <stdlib.h>

#include "tools/common/error.h"

/* Opens a factor by block rows. */
static tulle_status open_blocks(tulle_ctx *ctx, const tulle_mat *factor, tool_csr *csr) {
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(factor, &info);
    if (status == TULLE_OK) status = tool_csr_open_stored(ctx, factor, csr);
    if (status != TULLE_OK || info.format != TULLE_BSR) return status;
    csr->rows /= info.storage.block;
    csr->cols /= info.storage.block;
    csr->heads = csr->rows;
    csr->nnz /= (int64_t)info.storage.block * info.storage.block;
    return TULLE_OK;
}

static tulle_status read_order(tulle_ctx *ctx, const tulle_order *P, int64_t **order) {
    if (!P) return TULLE_OK;
    *order = tool_alloc((size_t)tulle_order_length(P) + 1, sizeof **order);
    return tulle_order_read(ctx, P, *order);
}

tulle_status tool_factor_check(tulle_ctx *ctx, const tulle_mat *whole, const tulle_mat *L,
                               const tulle_mat *U, const tulle_factor_options *options,
                               const tulle_order *order, int64_t boosted, tool_entry_error *found) {
    tool_csr a = {0}, l = {0}, u = {0};
    int64_t *places = NULL;
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(L, &info);
    if (status == TULLE_OK) status = tool_csr_open(ctx, whole, &a);
    if (status == TULLE_OK) status = open_blocks(ctx, L, &l);
    if (status == TULLE_OK && U) status = open_blocks(ctx, U, &u);
    if (status == TULLE_OK) status = read_order(ctx, order, &places);
    if (status == TULLE_OK) {
        const tool_factor_claim claim = {
            .A = &a,
            .L = &l,
            .U = U ? &u : NULL,
            .block = info.format == TULLE_BSR ? (int)info.storage.block : 1,
            .options = options,
            .order = places,
            .boosted = boosted};
        status = tool_verify_factor(&claim, found);
    }
    free(places);
    tool_csr_close(&a);
    tool_csr_close(&l);
    tool_csr_close(&u);
    return status;
}
