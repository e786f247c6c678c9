/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a distributed matrix. */
#include "dense/functions.h"
#include "dist/dist.h"
#include "matrix/operand.h"
#include "vector/operands.h"

static tulle_status edge_rows(tulle_ctx *ctx, const tulle_dist_mat *A, bool add,
                              const tulle_vec *some, const tulle_vec *all) {
    const tulle__strided in_all = tulle__strided_of(all), in_some = tulle__strided_of(some);
    tulle__gather job = {.rows = A->edge_rows,
                         .cols = all->cols,
                         .order_size = sizeof(int64_t),
                         .order = A->edge_order,
                         .item_size = tulle_type_size(A->type),
                         .from = add ? in_some.data : in_all.data,
                         .from_row = add ? in_some.row : in_all.row,
                         .from_col = add ? in_some.col : in_all.col,
                         .to = add ? in_all.data : in_some.data,
                         .to_row = add ? in_all.row : in_some.row,
                         .to_col = add ? in_all.col : in_some.col};
    return add ? ctx->backend->dense->add_rows(&ctx->place, &job)
               : ctx->backend->dense->gather_rows(&ctx->place, &job);
}

/* Returns the first failure. The exchange ends in any case. */
static tulle_status finish(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status status) {
    const tulle_status finished = tulle__comm_exchange_finish(A->comm, ctx);
    return status == TULLE_OK ? finished : status;
}

static tulle_status forward(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                            const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    tulle_vec came, some;
    TULLE__TRY(tulle__halo_start(ctx, A, X, &came));
    TULLE__TRY(finish(ctx, A, tulle__linop_run(ctx, A->inner, TULLE_N, alpha, X, beta, Y)));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(tulle__dist_take(ctx, A, &A->some, A->edge_rows, X->cols, &some));
    TULLE__TRY(tulle__linop_run(ctx, A->outer, TULLE_N, alpha, &came, tulle_num(0), &some));
    return edge_rows(ctx, A, true, &some, Y);
}

/* Makes the transpose of the edge, whose products repeat bitwise on all devices. */
static tulle_status make_back(tulle_ctx *ctx, tulle_dist_mat *A) {
    tulle_mat *turned;
    if (A->back || !A->edge) return TULLE_OK;
    TULLE__TRY(tulle_mat_transpose(ctx, A->edge, &turned));
    const tulle_status status = tulle_linop_from_mat(ctx, turned, &A->back);
    tulle_mat_destroy(turned);
    return status;
}

static tulle_status backward(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                             const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    tulle_vec came, some;
    TULLE__TRY(make_back(ctx, A));
    TULLE__TRY(tulle__dist_take(ctx, A, &A->halo.came, A->halo.come_rows, X->cols, &came));
    if (A->edge_rows > 0) {
        TULLE__TRY(tulle__dist_take(ctx, A, &A->some, A->edge_rows, X->cols, &some));
        TULLE__TRY(edge_rows(ctx, A, false, &some, X));
        TULLE__TRY(tulle__linop_run(ctx, A->back, TULLE_N, alpha, &some, tulle_num(0), &came));
    }
    TULLE__TRY(tulle__halo_start_back(ctx, A, &came));
    TULLE__TRY(finish(ctx, A, tulle__linop_run(ctx, A->inner, TULLE_T, alpha, X, beta, Y)));
    return tulle__halo_add_back(ctx, A, Y);
}

tulle_status tulle__dist_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                  tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y) {
    return op == TULLE_N ? forward(ctx, alpha, A, X, beta, Y) : backward(ctx, alpha, A, X, beta, Y);
}

tulle_status tulle_dist_mat_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                     tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                                     tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    TULLE__TRY(tulle__check_op(__func__, "op", op));
    TULLE__TRY(tulle__check_space_of(__func__, "A", ctx, A->block));
    const int64_t from = op == TULLE_N ? A->cols : A->rows, to = op == TULLE_N ? A->rows : A->cols;
    const tulle__operand x = {"X", X}, y = {"Y", Y};
    TULLE__TRY(tulle__operand_check(__func__, ctx, x, from, X->cols, A->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, y, to, X->cols, A->type));
    TULLE__TRY(tulle__address_check(__func__, "alpha", alpha.address, 1, A->type, y));
    TULLE__TRY(tulle__address_check(__func__, "beta", beta.address, 1, A->type, y));
    if (tulle__dense_overlap(X, Y)) {
        return tulle__fail(TULLE_ALIASED, __func__, "Y", -1, "Y overlaps X");
    }
    return X->cols == 0 ? TULLE_OK : tulle__dist_multiply(ctx, op, alpha, A, X, beta, Y);
}
