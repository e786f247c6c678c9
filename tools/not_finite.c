/* SPDX-License-Identifier: Apache-2.0 */
#include "not_finite.h"

#include <inttypes.h>
#include <math.h>

#include "tools/common/error.h"

tool_not_finite tool_not_finite_in_matrix(const tool_csr *A) {
    for (int64_t p = 0; p < A->heads; p++) {
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            const double value = tool_csr_value(A, e);
            if (isfinite(value)) continue;
            return (tool_not_finite){true, tool_csr_row(A, p), tool_csr_column(A, e), value};
        }
    }
    return (tool_not_finite){.found = false};
}

tool_not_finite tool_not_finite_in_vector(tulle_type type, int64_t n, const void *numbers) {
    for (int64_t i = 0; i < n; i++) {
        const double value =
            type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
        if (!isfinite(value)) return (tool_not_finite){true, i, 0, value};
    }
    return (tool_not_finite){.found = false};
}

tulle_status tool_not_finite_find(tulle_ctx *ctx, const tulle_mat *A, tool_not_finite *found) {
    tool_csr csr = {0};
    const tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) *found = tool_not_finite_in_matrix(&csr);
    tool_csr_close(&csr);
    return status;
}

tulle_status tool_not_finite_record(const char *name, const tool_not_finite *found) {
    return tool_record(TULLE_ZERO_PIVOT,
                       "%s: the entry in row %" PRId64 ", column %" PRId64
                       " (from 0) is %g, of which no pivot is a number: correct it",
                       name, found->row, found->column, found->value);
}
