/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "matrix/matrix.h"
#include "tools/common/progress.h"

/* Blocks count as such where so much of them is entries. */
static const double full = 0.9;

/* The largest size of which the blocks are full. */
static tulle_status find_blocks(tulle_ctx *ctx, const tulle_mat *A, tool_facts *f) {
    static const int64_t sizes[] = {8, 6, 5, 4, 3, 2};
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(A, &info);
    f->rows = info.rows;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == TULLE_OK; i++) {
        const tulle_convert_options options = {.block = sizes[i]};
        tulle_storage storage;
        status = tulle__mat_forecast(ctx, A, TULLE_BSR, &options, &storage);
        if (status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE) return TULLE_OK;
        if (status != TULLE_OK || info.nnz == 0 || info.rows < 2 * sizes[i]) continue;
        const double filled = (double)info.nnz / (double)storage.stored;
        if (filled < full) continue;
        f->block = sizes[i];
        snprintf(f->blocks, sizeof f->blocks,
                 "%.0f %% of its blocks of %" PRId64 " x %" PRId64 " are entries", 100 * filled,
                 f->block, f->block);
        break;
    }
    return status;
}

static tulle_status look_at(tulle_ctx *ctx, const tulle_mat *A, tool_facts *f) {
    tulle_status status = tool_analyse(ctx, A, &f->a);
    if (status != TULLE_OK) return status;
    f->symmetric = f->a.symmetric;
    return find_blocks(ctx, A, f);
}

/* On the host, where a matrix is looked at. */
tulle_status tool_facts_find(tulle_ctx *ctx, const tulle_mat *csr, tool_facts *f) {
    tulle_ctx *host = NULL;
    tulle_mat *copy = NULL;
    tulle_mat_info info;
    *f = (tool_facts){.block = 0};
    tulle_status status = tulle_mat_describe(csr, &info);
    if (status == TULLE_OK && info.backend == TULLE_CPU) return look_at(ctx, csr, f);
    if (status == TULLE_OK) status = tool_open_place("cpu", &host);
    if (status == TULLE_OK) status = tulle_mat_copy(host, csr, info.type, &copy);
    if (status == TULLE_OK) status = look_at(host, copy, f);
    tulle_mat_destroy(copy);
    tulle_ctx_destroy(host);
    return status;
}
