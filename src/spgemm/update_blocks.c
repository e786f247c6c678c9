/* SPDX-License-Identifier: Apache-2.0 */
/* Values alone of a product in blocks. C's pattern keeps, for operands of the same patterns, that
 * it has been found to have every block of the product, and the transposes that op asks for. */
#include "matrix/copies.h"
#include "matrix/derived.h"
#include "matrix/turn_blocks.h"
#include "spgemm/functions.h"
#include "spgemm/in_blocks.h"

/* An operand that had to be transposed. */
typedef struct turned {
    tulle_mat *matrix; /* owned transpose; NULL: the operand is taken as it is */
    int64_t *perm;     /* owned list of where its blocks come from */
} turned;

typedef struct kept_blocks {
    tulle__derived base;
    tulle_type type;
    tulle_trans op_A, op_B;
    uint64_t a, b; /* serial numbers of the operands' patterns */
    turned A, B;
} kept_blocks;

static void drop(tulle_ctx *ctx, turned *t) {
    tulle_mat_destroy(t->matrix);
    tulle__free(ctx, t->perm);
}

static void free_blocks(tulle__derived *derived) {
    kept_blocks *kept = (kept_blocks *)derived;
    drop(derived->ctx, &kept->A);
    drop(derived->ctx, &kept->B);
}

static int64_t bytes_of(const turned *t) {
    if (!t->matrix) return 0;
    const tulle__pattern *p = t->matrix->pattern;
    const tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    return tulle__structure_bytes(&n, p->index) + n.values * tulle_type_size(t->matrix->type) +
           n.cols * (int64_t)sizeof *t->perm;
}

static int64_t blocks_bytes(const tulle__derived *derived) {
    const kept_blocks *kept = (const kept_blocks *)derived;
    return bytes_of(&kept->A) + bytes_of(&kept->B);
}

static const tulle__owner all_blocks = {.free = free_blocks, .bytes = blocks_bytes};

static bool is_for(const kept_blocks *kept, const tulle_ctx *ctx, const tulle__spgemm_call *c) {
    return kept->base.ctx == ctx && kept->type == c->A->type && kept->op_A == c->op_A &&
           kept->op_B == c->op_B && kept->a == c->A->pattern->serial &&
           kept->b == c->B->pattern->serial;
}

/* Finds what was kept for the call and adds a user, or returns NULL. */
static kept_blocks *find(const tulle_ctx *ctx, const tulle__spgemm_call *c,
                         tulle__pattern *pattern) {
    if (!tulle__derived_ever(pattern, &all_blocks)) return NULL;
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *d = tulle__derived_first(pattern, &all_blocks);
    while (d && !is_for((kept_blocks *)d, ctx, c)) d = tulle__derived_next(d);
    if (d) tulle__derived_retain(d);
    pthread_mutex_unlock(&pattern->lock);
    return (kept_blocks *)d;
}

/* Puts what was made in the place of what the context has kept for other operands. */
static void put(tulle__pattern *pattern, kept_blocks *made) {
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *old = tulle__derived_first(pattern, &all_blocks);
    while (old && (old->ctx != made->base.ctx || ((kept_blocks *)old)->type != made->type)) {
        old = tulle__derived_next(old);
    }
    if (old) tulle__derived_take(old);
    tulle__derived_retain(&made->base);
    tulle__derived_put(pattern, &made->base);
    pthread_mutex_unlock(&pattern->lock);
    if (old) tulle__derived_release(old);
}

static const tulle_mat *brought(const turned *t, const tulle_mat *M) {
    return t->matrix ? t->matrix : M;
}

static tulle__blocks_task task_of(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                  const kept_blocks *kept, tulle_scalar alpha, const tulle_mat *C) {
    const tulle__block_operand pattern = tulle__block_operand_of(C->pattern);
    return tulle__blocks_task_of(ctx, brought(&kept->A, c->A), brought(&kept->B, c->B), &pattern,
                                 C->values.data, alpha);
}

static tulle_status check_inside(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                 const kept_blocks *kept, const tulle_mat *C) {
    const tulle__blocks_task task = task_of(ctx, c, kept, tulle_num(1), C);
    int64_t outside = -1;
    TULLE__TRY(ctx->backend->spgemm->find_outside_blocks(&task, &outside));
    if (outside < 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, c->function, "C", outside * task.tall,
                       "the row of blocks from row %lld of C on lacks a block that the product "
                       "has there: make C anew with tulle_spgemm",
                       (long long)(outside * task.tall));
}

static tulle_status turn(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M, turned *t) {
    return op == TULLE_T ? tulle__turn_bsr(ctx, M, &t->matrix, &t->perm) : TULLE_OK;
}

/* Makes what is kept, with the values that the operands have now. */
static tulle_status make(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_mat *C,
                         kept_blocks **kept) {
    kept_blocks *made = tulle__derived_new(ctx, sizeof *made, &all_blocks);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->type = c->A->type;
    made->op_A = c->op_A;
    made->op_B = c->op_B;
    made->a = c->A->pattern->serial;
    made->b = c->B->pattern->serial;
    tulle_status status = turn(ctx, c->op_A, c->A, &made->A);
    if (status == TULLE_OK) status = turn(ctx, c->op_B, c->B, &made->B);
    if (status == TULLE_OK) status = check_inside(ctx, c, made, C);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->base);
        return status;
    }
    put(C->pattern, made);
    *kept = made;
    return TULLE_OK;
}

static tulle_status renew(tulle_ctx *ctx, const tulle_mat *M, const turned *t) {
    return t->matrix ? tulle__turn_values(ctx, M, t->perm, t->matrix) : TULLE_OK;
}

static tulle_status bring(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_mat *C,
                          kept_blocks **kept) {
    *kept = find(ctx, c, C->pattern);
    if (!*kept) return make(ctx, c, C, kept);
    TULLE__TRY(renew(ctx, c->A, &(*kept)->A));
    return renew(ctx, c->B, &(*kept)->B);
}

/* Computes C's values. The caller holds `building` of C's pattern. */
static tulle_status compute(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                            tulle_mat *C) {
    kept_blocks *kept = NULL;
    tulle__spec spec;
    tulle_status status = bring(ctx, c, C, &kept);
    if (status == TULLE_OK) {
        const tulle__blocks_task task = task_of(ctx, c, kept, alpha, C);
        status = tulle__blocks_run(c->function, &task, &spec);
    }
    if (status == TULLE_OK) status = tulle__copies_refresh(ctx, C);
    if (kept) tulle__derived_release(&kept->base);
    return status;
}

tulle_status tulle__spgemm_update_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                            tulle_scalar alpha, tulle_mat *C) {
    pthread_mutex_lock(&C->pattern->building);
    const tulle_status status = compute(ctx, c, alpha, C);
    pthread_mutex_unlock(&C->pattern->building);
    return status;
}
