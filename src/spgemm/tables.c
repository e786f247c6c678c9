/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, before a call begins, that memory can hold its tables of rows, however few entries the
 * matrices have. */
#include "spgemm/call.h"

/* Bytes of a product's tables of C's rows: offsets and, where it is made at once, the 64-bit
 * numbers in which a kernel counts. */
static double tables_of_c(const tulle_ctx *ctx, int64_t rows, tulle_index index) {
    const int64_t counts = ctx->pool.cap > 0 ? 0 : (int64_t)sizeof(int64_t);
    return ((double)rows + 1) * (double)(tulle_offset_size(index) + counts);
}

tulle_status tulle__spgemm_check_tables(const tulle_ctx *ctx, const tulle__spgemm_call *c,
                                        const tulle_spgemm_options *options) {
    const tulle_mat *D = options ? options->D : NULL, *mask = options ? options->mask : NULL;
    TULLE__TRY(tulle__check_rows_fit(c->function, "A", ctx, c->op_A, c->A));
    TULLE__TRY(tulle__check_rows_fit(c->function, "B", ctx, c->op_B, c->B));
    if (D) TULLE__TRY(tulle__check_rows_fit(c->function, "D", ctx, TULLE_N, D));
    if (mask) TULLE__TRY(tulle__check_rows_fit(c->function, "mask", ctx, TULLE_N, mask));
    const tulle_index index = tulle__wider(c->A->pattern->index, c->B->pattern->index);
    const bool once = c->A == c->B && c->op_A == c->op_B;
    const int64_t rows = tulle__op_rows(c->op_A, c->A);
    const double bytes = tulle__brought_table(c->op_A, c->A, index) +
                         (once ? 0 : tulle__brought_table(c->op_B, c->B, index)) +
                         tulle__brought_table(TULLE_N, D, index) +
                         tulle__brought_table(TULLE_N, mask, index) + tables_of_c(ctx, rows, index);
    return tulle__check_tables_room(c->function, ctx, bytes, rows);
}

tulle_status tulle__spgemm_check_triple_tables(const char *function, const tulle_ctx *ctx,
                                               const tulle_mat *A, const tulle_mat *P,
                                               const tulle_mat *D) {
    TULLE__TRY(tulle__check_rows_fit(function, "A", ctx, TULLE_N, A));
    TULLE__TRY(tulle__check_rows_fit(function, "P", ctx, TULLE_N, P));
    TULLE__TRY(tulle__check_rows_fit(function, "P", ctx, TULLE_T, P));
    if (D) TULLE__TRY(tulle__check_rows_fit(function, "D", ctx, TULLE_N, D));
    const tulle_index index = tulle__wider(A->pattern->index, P->pattern->index);
    const int64_t rows = P->pattern->cols;
    const double right = ((double)A->pattern->rows + 1) * (double)tulle_offset_size(index);
    const double first = tulle__brought_table(TULLE_N, A, index) +
                         tulle__brought_table(TULLE_N, P, index) +
                         tables_of_c(ctx, A->pattern->rows, index);
    const double second = right + tulle__brought_table(TULLE_T, P, index) +
                          tulle__brought_table(TULLE_N, D, index) + tables_of_c(ctx, rows, index);
    return tulle__check_tables_room(function, ctx, first > second ? first : second, rows);
}
