/* SPDX-License-Identifier: Apache-2.0 */
/* The public function for products with many small matrices of one pattern. */
#include "matrix/operand.h"
#include "uniform/uniform.h"

static tulle_status apart(const char *function, const tulle_vec *Y, tulle__operand in) {
    if (!tulle__dense_overlap(Y, in.X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, "Y", -1, "Y overlaps %s", in.name);
}

static tulle_status run(tulle_ctx *ctx, const tulle__uniform_product *job) {
    TULLE__TRY(tulle__scalar_lend(ctx, job->alpha, job->type));
    tulle_status status = tulle__scalar_lend(ctx, job->beta, job->type);
    if (status == TULLE_OK) {
        status = ctx->backend->uniform->uniform_spmv(&ctx->place, job);
        tulle__scalar_give_back(ctx, job->beta);
    }
    tulle__scalar_give_back(ctx, job->alpha);
    return status;
}

tulle_status tulle_uniform_spmv(tulle_ctx *ctx, const tulle_uniform *P, tulle_scalar alpha,
                                const tulle_vec *A, const tulle_vec *X, tulle_scalar beta,
                                tulle_vec *Y) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(A);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const tulle__operand a = {"A", A}, x = {"X", X}, y = {"Y", Y};
    TULLE__TRY(tulle__uniform_check(__func__, ctx, P, a, Y->cols, Y->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, x, P->view.n, Y->cols, Y->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, y, P->view.n, Y->cols, Y->type));
    TULLE__TRY(apart(__func__, Y, a));
    TULLE__TRY(apart(__func__, Y, x));
    TULLE__TRY(tulle__address_check(__func__, "alpha", alpha.address, 1, Y->type, y));
    TULLE__TRY(tulle__address_check(__func__, "beta", beta.address, 1, Y->type, y));
    if (Y->rows == 0 || Y->cols == 0) return TULLE_OK;
    const tulle__uniform_product job = {.pattern = P->view,
                                        .type = Y->type,
                                        .count = Y->cols,
                                        .alpha = alpha,
                                        .beta = beta,
                                        .a = tulle__strided_of(A),
                                        .x = tulle__strided_of(X),
                                        .y = tulle__strided_of(Y),
                                        .shared_bytes = ctx->info.shared_per_block};
    return run(ctx, &job);
}
