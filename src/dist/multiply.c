/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a distributed matrix. */
#include "dense/functions.h"
#include "dist/dist.h"
#include "matrix/operand.h"
#include "vector/operands.h"

static tulle__gather job_of(const tulle_dist_mat *A, const tulle_vec *from, const tulle_vec *to) {
    const tulle__strided f = tulle__strided_of(from), t = tulle__strided_of(to);
    return (tulle__gather){.rows = A->edge_rows,
                           .cols = from->cols,
                           .order_size = sizeof(int64_t),
                           .order = A->edge_order,
                           .item_size = tulle_type_size(from->type),
                           .from = f.data,
                           .from_row = f.row,
                           .from_col = f.col,
                           .to = t.data,
                           .to_row = t.row,
                           .to_col = t.col};
}

tulle_status tulle__edge_gather(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle_vec *all,
                                tulle_vec *some) {
    const tulle__gather job = job_of(A, all, some);
    return ctx->backend->dense->gather_rows(&ctx->place, &job);
}

tulle_status tulle__edge_scatter(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle_vec *some,
                                 bool adds, tulle_vec *all) {
    tulle__gather job = job_of(A, some, all);
    job.adds = adds;
    return ctx->backend->dense->scatter_rows(&ctx->place, &job);
}

tulle_status tulle__halo_finish(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_status here) {
    const tulle_status finished = tulle__comm_exchange_finish(A->comm, ctx);
    return here == TULLE_OK ? finished : here;
}

static tulle_status forward(tulle_ctx *ctx, tulle_scalar alpha, tulle_dist_mat *A,
                            const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    tulle_vec came, some;
    TULLE__TRY(tulle__halo_start(ctx, A, X, &came));
    TULLE__TRY(
        tulle__halo_finish(ctx, A, tulle__linop_run(ctx, A->inner, TULLE_N, alpha, X, beta, Y)));
    if (A->edge_rows == 0) return TULLE_OK;
    TULLE__TRY(tulle__dist_take(ctx, A, &A->some, A->edge_rows, X->cols, &some));
    TULLE__TRY(tulle__linop_run(ctx, A->outer, TULLE_N, alpha, &came, tulle_num(0), &some));
    return tulle__edge_scatter(ctx, A, &some, true, Y);
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
        TULLE__TRY(tulle__edge_gather(ctx, A, X, &some));
        TULLE__TRY(tulle__linop_run(ctx, A->back, TULLE_N, alpha, &some, tulle_num(0), &came));
    }
    TULLE__TRY(tulle__halo_start_back(ctx, A, &came));
    TULLE__TRY(
        tulle__halo_finish(ctx, A, tulle__linop_run(ctx, A->inner, TULLE_T, alpha, X, beta, Y)));
    return tulle__halo_add_back(ctx, A, Y);
}

tulle_status tulle__dist_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                  tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y) {
    return op == TULLE_N ? forward(ctx, alpha, A, X, beta, Y) : backward(ctx, alpha, A, X, beta, Y);
}

static tulle_status check(const tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                          const tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                          const tulle_vec *Y) {
    static const char *const function = "tulle_dist_mat_multiply";
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, X);
    TULLE__NEED_OF(function, Y);
    TULLE__TRY(tulle__check_op(function, "op", op));
    TULLE__TRY(tulle__check_space_of(function, "A", ctx, A->block));
    const int64_t from = op == TULLE_N ? A->cols : A->rows, to = op == TULLE_N ? A->rows : A->cols;
    const tulle__operand x = {"X", X}, y = {"Y", Y};
    TULLE__TRY(tulle__operand_check(function, ctx, x, from, X->cols, A->type));
    TULLE__TRY(tulle__operand_check(function, ctx, y, to, X->cols, A->type));
    TULLE__TRY(tulle__address_check(function, "alpha", alpha.address, 1, A->type, y));
    TULLE__TRY(tulle__address_check(function, "beta", beta.address, 1, A->type, y));
    if (!tulle__dense_overlap(X, Y)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, "Y", -1, "Y overlaps X");
}

tulle_status tulle_dist_mat_multiply(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                     tulle_dist_mat *A, const tulle_vec *X, tulle_scalar beta,
                                     tulle_vec *Y) {
    TULLE__NEED(A);
    tulle_status status = check(ctx, op, alpha, A, X, beta, Y);
    if (status == TULLE_OK && X->cols > 0) {
        status = tulle__dist_multiply(ctx, op, alpha, A, X, beta, Y);
    }
    return tulle__comm_spoil(A->comm, status);
}
