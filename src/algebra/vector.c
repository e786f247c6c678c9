/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/vector.h"

tulle_status tulle__check_vector_of(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                    int64_t length, const tulle_mat *A) {
    TULLE__TRY(tulle__operand_check(function, ctx, v, length, 1, A->type));
    if (v.X->layout == TULLE_ROW_MAJOR && v.X->ld != 1) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, v.name, -1,
                           "the numbers of %s are %lld apart: they must be side by side", v.name,
                           (long long)v.X->ld);
    }
    const char *with = tulle__dense_overlaps_matrix(v.X, A);
    if (!with) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, v.name, -1, "%s overlaps %s", v.name, with);
}
