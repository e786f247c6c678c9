/* SPDX-License-Identifier: Apache-2.0 */
/* The block Jacobi preconditioner: the inverses of the blocks along a matrix's diagonal. */
#include "matrix/operand.h"
#include "operator/functions.h"
#include "operator/linop.h"
#include "vector/operands.h"

typedef struct block_operator {
    tulle_linop head;
    tulle_mat *A; /* matrix whose blocks are inverted; owned */
    int block;
    void *blocks; /* inverted blocks, of A's type, in the memory of the context's place */
} block_operator;

static tulle__blocks_job job_of(const block_operator *own) {
    return (tulle__blocks_job){
        .type = own->head.type, .rows = own->head.rows, .block = own->block, .blocks = own->blocks};
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    tulle__blocks_job job = job_of((const block_operator *)L);
    job.transposed = op == TULLE_T;
    job.cols = X->cols;
    job.alpha = alpha;
    job.beta = beta;
    job.x = tulle__strided_of(X);
    job.y = tulle__strided_of(Y);
    return ctx->backend->op->apply_blocks(&ctx->place, &job);
}

static tulle_status copy_blocks(tulle_ctx *ctx, const block_operator *own) {
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, own->A, own->A->pattern->index, &csr));
    const tulle__rows_job job = {.csr = tulle__view_of(csr->pattern),
                                 .type = csr->type,
                                 .values = csr->values.data,
                                 .block = own->block,
                                 .to = own->blocks};
    const tulle_status status = ctx->backend->op->diagonal_blocks(&ctx->place, &job);
    tulle_mat_destroy(csr);
    return status;
}

static tulle_status renew(tulle_ctx *ctx, tulle_linop *L) {
    const block_operator *own = (const block_operator *)L;
    if (L->rows == 0) return TULLE_OK;
    TULLE__TRY(copy_blocks(ctx, own));
    tulle__blocks_job job = job_of(own);
    int64_t singular = -1;
    job.singular = &singular;
    TULLE__TRY(ctx->backend->op->invert_blocks(&ctx->place, &job));
    if (singular < 0) return TULLE_OK;
    return tulle__fail(TULLE_ZERO_PIVOT, "tulle_linop_block_jacobi", "A", singular,
                       "the block of %d rows from row %lld on is singular", own->block,
                       (long long)singular);
}

static void destroy(tulle_linop *L) {
    block_operator *own = (block_operator *)L;
    tulle__free(L->ctx, own->blocks);
    tulle_mat_destroy(own->A);
}

static const tulle__linop_kind kind = {.name = "block Jacobi",
                                       .bytes = sizeof(block_operator),
                                       .apply = apply,
                                       .renew = renew,
                                       .destroy = destroy};

static tulle_status make_blocks(tulle_ctx *ctx, block_operator *own) {
    const tulle__blocks_job job = job_of(own);
    const int64_t cells = (int64_t)own->block * own->block;
    size_t bytes;
    TULLE__TRY(
        tulle__size(tulle__block_count(&job), cells * tulle_type_size(own->head.type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &own->blocks));
    return renew(ctx, &own->head);
}

tulle_status tulle_linop_block_jacobi(tulle_ctx *ctx, tulle_mat *A, int block, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    if (block < 1 || block > TULLE__MOST_BLOCK) {
        return TULLE__BAD("block", "block is %d; it must be 1 to %d", block,
                          (int)TULLE__MOST_BLOCK);
    }
    tulle_linop *made;
    TULLE__TRY(tulle__linop_make(ctx, &kind, A->type, A->pattern->rows, A->pattern->cols, &made));
    block_operator *own = (block_operator *)made;
    own->A = tulle_mat_retain(A);
    own->block = block;
    made->transposes = true;
    tulle_status status = tulle__linop_check_square(__func__, "A", made);
    if (status == TULLE_OK) status = make_blocks(ctx, own);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}
