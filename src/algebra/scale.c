/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_scale: scales the rows and columns of a matrix. */
#include "algebra/scale.h"

#include "algebra/functions.h"
#include "algebra/vector.h"
#include "matrix/build.h"
#include "matrix/values.h"
#include "tulle/algebra.h"

static tulle_status check_format(const char *function, const tulle__pattern *p) {
    if (p->format == TULLE_CSR) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "values are scaled in place in CSR alone: convert this %s matrix to CSR "
                       "with tulle_mat_convert",
                       tulle_format_name(p->format));
}

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                          const tulle_vec *r, const tulle_vec *c) {
    const tulle__operand rows = {"row_scale", r}, cols = {"col_scale", c};
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(check_format(function, A->pattern));
    if (r) TULLE__TRY(tulle__check_vector_of(function, ctx, rows, A->pattern->rows, A));
    if (c) TULLE__TRY(tulle__check_vector_of(function, ctx, cols, A->pattern->cols, A));
    return TULLE_OK;
}

tulle_status tulle_mat_scale(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *row_scale,
                             const tulle_vec *col_scale) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(check(__func__, ctx, A, row_scale, col_scale));
    if (A->pattern->nnz == 0 || (!row_scale && !col_scale)) return TULLE_OK;
    void *room = NULL;
    TULLE__TRY(tulle__values_room(ctx, A, &room));
    const tulle__pattern_view view = tulle__view_of(A->pattern);
    const tulle__scaling job = {.csr = &view,
                                .type = A->type,
                                .row_scale = row_scale ? row_scale->data : NULL,
                                .col_scale = col_scale ? col_scale->data : NULL,
                                .values = A->values.data,
                                .out = room};
    const tulle_status status = ctx->backend->algebra->scale_entries(&ctx->place, &job);
    if (status == TULLE_OK) return tulle__values_put(ctx, A, room);
    tulle__values_drop(ctx, A, room);
    return status;
}
