/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/operand.h"

#include <inttypes.h>

#include "core/room.h"
#include "matrix/reformat.h"

tulle_status tulle__check_op(const char *function, const char *name, tulle_trans op) {
    if (op == TULLE_N || op == TULLE_T) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1, "%s is TULLE_N or TULLE_T",
                       name);
}

tulle_status tulle__check_pair(const char *function, const tulle_ctx *ctx, tulle_trans op_A,
                               tulle_trans op_B, const tulle_mat *A, const tulle_mat *B) {
    TULLE__TRY(tulle__check_op(function, "op_A", op_A));
    TULLE__TRY(tulle__check_op(function, "op_B", op_B));
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(tulle__check_space(function, ctx, B));
    if (A->type == B->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, "B", -1,
                       "A and B have different value types");
}

tulle_status tulle__check_rows_fit(const char *function, const char *name, const tulle_ctx *ctx,
                                   tulle_trans op, const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    if (op == TULLE_N && p->format == TULLE_CSR) return TULLE_OK;
    return tulle__check_table_fits(function, name, ctx, tulle__op_rows(op, A), p->index,
                                   op == TULLE_T
                                       ? "leave out columns of the matrix that have no entry"
                                       : "leave out rows of the matrix that have no entry");
}

double tulle__brought_table(tulle_trans op, const tulle_mat *A, tulle_index index) {
    if (!A || (op == TULLE_N && A->pattern->format == TULLE_CSR)) return 0;
    return ((double)tulle__op_rows(op, A) + 1) * (double)tulle_offset_size(index);
}

tulle_status tulle__check_tables_room(const char *function, const tulle_ctx *ctx, double bytes,
                                      int64_t rows) {
    char words[TULLE__ROOM_TEXT];
    if (ctx->kind == TULLE_CUDA || bytes < (double)TULLE__WORTH_ASKING) return TULLE_OK;
    if (tulle__room_for(ctx, bytes, words) != TULLE_TOO_LARGE) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, NULL, -1,
                       "tables of all rows, of operands and of C (%" PRId64 " rows), take %s", rows,
                       words);
}

tulle_status tulle__operand_bring(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                  tulle_index index, tulle_mat **csr) {
    tulle_mat *turned = NULL;
    if (op == TULLE_T) TULLE__TRY(tulle_mat_transpose(ctx, A, &turned));
    tulle_status status = tulle__as_csr(ctx, turned ? turned : A, index, false, csr);
    tulle_mat_destroy(turned);
    return status;
}

tulle_status tulle__operand_raise(tulle_ctx *ctx, tulle_mat **csr) {
    tulle_mat *given = *csr;
    if (given->pattern->stats.rising) return TULLE_OK;
    *csr = NULL;
    tulle_status status = tulle__as_csr(ctx, given, given->pattern->index, true, csr);
    tulle_mat_destroy(given);
    return status;
}

tulle_status tulle__operand_watch(tulle_ctx *ctx, const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    tulle__device *device = ctx->place.device;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        size_t bytes = tulle__bytes(tulle__array_count(&n, k), tulle__array_item(p->index, k));
        TULLE__TRY(ctx->backend->watch(device, p->arrays[k].data, bytes, TULLE__WATCH_INPUT));
    }
    return ctx->backend->watch(device, A->values.data,
                               tulle__bytes(n.values, tulle_type_size(A->type)),
                               TULLE__WATCH_INPUT);
}

void tulle__operands_unwatch(tulle_ctx *ctx) {
    ctx->backend->watch(ctx->place.device, NULL, 0, TULLE__WATCH_NO_INPUTS);
}

tulle_status tulle__scalar_lend(tulle_ctx *ctx, tulle_scalar scalar, tulle_type type) {
    return scalar.address ? tulle__lend(ctx, scalar.address, (size_t)tulle_type_size(type))
                          : TULLE_OK;
}

void tulle__scalar_give_back(tulle_ctx *ctx, tulle_scalar scalar) {
    if (scalar.address) tulle__give_back(ctx, scalar.address);
}
