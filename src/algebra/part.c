/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_part: the entries of a matrix on some neighbouring diagonals. */
#include "algebra/picked.h"
#include "matrix/operand.h"
#include "tulle/algebra.h"

tulle_status tulle_mat_part(tulle_ctx *ctx, const tulle_mat *A, tulle_part part, int64_t offset,
                            tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (part != TULLE_LOWER && part != TULLE_UPPER) {
        return TULLE__BAD("part", "part is TULLE_LOWER or TULLE_UPPER");
    }
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    TULLE__TRY(tulle__check_rows_fit(__func__, "A", ctx, TULLE_N, A));
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, A, A->pattern->index, &csr));
    const tulle__pattern_view view = tulle__view_of(csr->pattern);
    const tulle__pick pick = {.a = &view,
                              .type = csr->type,
                              .values = csr->values.data,
                              .least = part == TULLE_UPPER ? offset : INT64_MIN,
                              .most = part == TULLE_LOWER ? offset : INT64_MAX};
    const bool rising = csr->pattern->stats.rising;
    const tulle_status status = tulle__picked_make(__func__, ctx, &pick, rising, B);
    tulle_mat_destroy(csr);
    return status;
}
