/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/order.h"

#include <stdlib.h>

#include "tools/common/error.h"
#include "tulle/advanced.h"

/* Makes a matrix with one entry for each block of A. */
static tulle_status graph_of_blocks(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat_info *info,
                                    tulle_mat **graph) {
    tulle_mat_lengths n;
    tulle_status status = tulle_mat_counts(A, &n);
    if (status != TULLE_OK) return status;
    void *offsets = tool_alloc((size_t)n.offsets, (size_t)tulle_offset_size(info->index));
    void *cols = tool_alloc((size_t)n.cols + 1, (size_t)tulle_index_size(info->index));
    float *ones = tool_alloc((size_t)n.cols + 1, sizeof *ones);
    const tulle_mat_buffers to = {.offsets = offsets, .cols = cols};
    for (int64_t e = 0; e < n.cols; e++) ones[e] = 1;
    status = tulle_mat_read_arrays(ctx, A, &to);
    if (status == TULLE_OK) {
        status = tulle_mat_create_csr(ctx, n.offsets - 1, n.offsets - 1, n.cols, info->index,
                                      offsets, cols, TULLE_F32, ones, NULL, graph);
    }
    free(offsets);
    free(cols);
    free(ones);
    return status;
}

static tulle_status order_rcm(tulle_ctx *ctx, const tulle_mat *A, tulle_order **P) {
    tulle_mat_info info;
    tulle_mat *graph = NULL;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK || info.format != TULLE_BSR) {
        return status == TULLE_OK ? tulle_order_rcm(ctx, A, P) : status;
    }
    status = graph_of_blocks(ctx, A, &info, &graph);
    if (status == TULLE_OK) status = tulle_order_rcm(ctx, graph, P);
    tulle_mat_destroy(graph);
    return status;
}

const char *trial_order_name(trial_order order) {
    static const char *const names[] = {"none", "rcm", "amd", "nd"};
    return names[order];
}

const char *trial_order_title(trial_order order) {
    static const char *const titles[] = {"as given", "reverse Cuthill-McKee",
                                         "approximate minimum degree", "nested dissection"};
    return titles[order];
}

tulle_status trial_order_find(tulle_ctx *ctx, const tulle_mat *A, trial_order wanted,
                              tulle_order **P) {
    if (wanted == TRIAL_ORDER_RCM) return order_rcm(ctx, A, P);
    return tulle_order_fill(ctx, A, wanted == TRIAL_ORDER_AMD ? TULLE_AMD : TULLE_NESTED_DISSECTION,
                            P);
}

tulle_status trial_order_apply(tulle_ctx *ctx, const tulle_mat *A, trial_order wanted,
                               tulle_mat **B, tulle_order **P) {
    tulle_order *order = NULL;
    tulle_status status = trial_order_find(ctx, A, wanted, &order);
    if (status == TULLE_OK) status = tulle_mat_permute(ctx, A, order, order, B);
    if (P && status == TULLE_OK) {
        *P = order;
    } else {
        tulle_order_destroy(order);
    }
    return status;
}
