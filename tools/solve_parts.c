/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_parts.h"

#include "core/stopwatch.h"
#include "tools/common/progress.h"

tulle_status tool_parts_make(tulle_ctx *ctx, tulle_mat *csr, tulle_linop *instead,
                             tool_layout format, tool_precond precond, double shift,
                             tool_parts *parts) {
    *parts = (tool_parts){.L = instead, .lent = instead};
    tulle_status status = tool_layout_apply(ctx, csr, &format, &parts->A, &parts->convert_ms);
    if (status == TULLE_OK) status = tulle_mat_describe(parts->A, &parts->info);
    if (status == TULLE_OK && !instead) status = tulle_linop_from_mat(ctx, parts->A, &parts->L);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = tool_precond_make(ctx, precond, shift, parts->A, parts->L, &parts->precond);
    }
    parts->precond_ms = 1e3 * (tulle__seconds() - start);
    tool_progress_end();
    if (status != TULLE_OK) tool_parts_free(parts);
    return status;
}

void tool_parts_free(tool_parts *parts) {
    tool_precond_free(&parts->precond);
    if (!parts->lent) tulle_linop_destroy(parts->L);
    tulle_mat_destroy(parts->A);
    *parts = (tool_parts){.A = NULL};
}
