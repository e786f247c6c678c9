/* SPDX-License-Identifier: Apache-2.0 */
#include "vector/operands.h"

tulle__strided tulle__strided_of(const tulle_vec *X) {
    const bool by_row = X->layout == TULLE_ROW_MAJOR;
    return (tulle__strided){.data = X->data, .row = by_row ? X->ld : 1, .col = by_row ? 1 : X->ld};
}

tulle_status tulle__operand_check(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                  int64_t rows, int64_t cols, tulle_type type) {
    if (!tulle__same_space(ctx, v.X->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, v.name, -1,
                           "%s lives on %s, the context on %s", v.name, v.X->ctx->info.name,
                           ctx->info.name);
    }
    if (v.X->rows != rows || v.X->cols != cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, v.name, -1,
                           "%s is %lld x %lld where %lld x %lld is needed", v.name,
                           (long long)v.X->rows, (long long)v.X->cols, (long long)rows,
                           (long long)cols);
    }
    if (v.X->type != type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, v.name, -1,
                           "%s has another type than the other operands", v.name);
    }
    return TULLE_OK;
}

bool tulle__same_numbers(const tulle_vec *X, const tulle_vec *Y) {
    const tulle__strided x = tulle__strided_of(X), y = tulle__strided_of(Y);
    return X->data == Y->data && X->type == Y->type && (X->rows == 1 || x.row == y.row) &&
           (X->cols == 1 || x.col == y.col);
}

tulle_status tulle__operand_apart(const char *function, tulle__operand out, tulle__operand in) {
    if (tulle__same_numbers(out.X, in.X) || !tulle__dense_overlap(out.X, in.X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, out.name, -1, "%s overlaps %s, and is not the same",
                       out.name, in.name);
}

tulle_status tulle__address_check(const char *function, const char *name, const void *address,
                                  int64_t count, tulle_type type, tulle__operand with) {
    const int64_t size = tulle_type_size(type);
    TULLE__TRY(tulle__check_aligned(function, name, address, size));
    if (!tulle__overlap(address, count * size, with.X->data, (int64_t)tulle__dense_bytes(with.X))) {
        return TULLE_OK;
    }
    return tulle__fail(TULLE_ALIASED, function, with.name, -1, "%s overlaps %s", with.name, name);
}
