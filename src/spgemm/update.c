/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of values alone, on a known pattern. The data by which rows are shared out, and
 * operands that had to be brought, are kept with C's pattern, for operands of the same patterns
 * and value type; of a triple product A P is kept, too. */
#include "dense/dense.h"
#include "matrix/copies.h"
#include "matrix/derived.h"
#include "spgemm/call.h"
#include "spgemm/functions.h"
#include "spgemm/in_blocks.h"
#include "spgemm/kept_operand.h"
#include "spgemm/stage.h"

/* Head of both kinds of data that an update keeps with C's pattern: the type of the values and the
 * patterns of the operands for which the data was made. A pattern serves matrices of several value
 * types; each type has data of its own. */
typedef struct kept_for {
    tulle__derived base;
    tulle_type type;
    uint64_t a, b; /* serial numbers of the operands' patterns */
} kept_for;

typedef struct kept_product {
    kept_for whom;
    tulle_trans op_A, op_B;
    tulle__spgemm_kept kept;
    tulle__spgemm_kept_operand A, B;
} kept_product;

/* A P of two patterns, whose values are computed anew with each call. */
typedef struct kept_right {
    kept_for whom;
    tulle_mat *right;
} kept_right;

static void free_arrays(tulle_ctx *ctx, tulle__spgemm_kept *kept) {
    for (size_t i = 0; i < sizeof kept->arrays / sizeof *kept->arrays; i++) {
        tulle__free(ctx, kept->arrays[i]);
    }
}

static void free_product(tulle__derived *derived) {
    kept_product *product = (kept_product *)derived;
    free_arrays(derived->ctx, &product->kept);
    tulle__spgemm_drop_operand(derived->ctx, &product->A);
    tulle__spgemm_drop_operand(derived->ctx, &product->B);
}

static int64_t product_bytes(const tulle__derived *derived) {
    const kept_product *product = (const kept_product *)derived;
    return product->kept.bytes + tulle__spgemm_operand_bytes(&product->A) +
           tulle__spgemm_operand_bytes(&product->B);
}

static const tulle__owner products = {.free = free_product, .bytes = product_bytes};

static void free_right(tulle__derived *derived) {
    tulle_mat_destroy(((kept_right *)derived)->right);
}

/* Bytes of A P, with the data that it keeps itself. */
static int64_t right_bytes(const tulle__derived *derived) {
    const tulle_mat *right = ((const kept_right *)derived)->right;
    const tulle__spgemm_kept_operand all = {.csr = (tulle_mat *)right};
    return tulle__spgemm_operand_bytes(&all) + tulle__derived_bytes(right);
}

static const tulle__owner rights = {.free = free_right, .bytes = right_bytes};

static tulle_status refuse(const char *function, tulle_status status, const char *why) {
    return tulle__fail(status, function, "C", -1, "%s", why);
}

/* True when C is in blocks of the shape that those of the product have. */
static bool fits_blocks(const tulle__spgemm_call *c, const tulle_mat *C) {
    const tulle_storage *a = &c->A->pattern->storage, *b = &c->B->pattern->storage;
    const tulle_storage *s = &C->pattern->storage;
    const int64_t tall = c->op_A == TULLE_N ? tulle__block_rows(a) : tulle__block_cols(a);
    const int64_t wide = c->op_B == TULLE_N ? tulle__block_cols(b) : tulle__block_rows(b);
    return s->full && tulle__block_rows(s) == tall && tulle__block_cols(s) == wide;
}

/* in_blocks: the product of the call is one in blocks, and then C may be so, too. */
static tulle_status check_c(const tulle_ctx *ctx, const tulle__spgemm_call *c, bool in_blocks,
                            const tulle_mat *C) {
    const tulle__pattern *p = C->pattern;
    TULLE__TRY(tulle__check_space(c->function, ctx, C));
    if (C == c->A || C == c->B) {
        return refuse(c->function, TULLE_INVALID_ARGUMENT, "C is an operand, too");
    }
    if (C->type != c->A->type) {
        return refuse(c->function, TULLE_TYPE_MISMATCH, "C has another value type than A and B");
    }
    if (p->format == TULLE_BSR && !(in_blocks && fits_blocks(c, C))) {
        return refuse(c->function, TULLE_UNSUPPORTED,
                      "C is in BSR, and its blocks, or those of the operands, have padding or "
                      "shapes that do not fit: make C with tulle_spgemm of these operands");
    }
    if (p->format != TULLE_BSR && (p->format != TULLE_CSR || !p->stats.rising)) {
        return refuse(c->function, TULLE_UNSUPPORTED,
                      "C is no CSR matrix whose columns rise in each row, as tulle_spgemm makes "
                      "it unless columns may be unsorted");
    }
    if (C->values.ownership == TULLE_BORROW) {
        return refuse(c->function, TULLE_INVALID_ARGUMENT,
                      "C borrows its values, which are not written: make C with tulle_spgemm");
    }
    if (p->rows == tulle__op_rows(c->op_A, c->A) && p->cols == tulle__op_cols(c->op_B, c->B)) {
        return TULLE_OK;
    }
    return refuse(c->function, TULLE_SHAPE_MISMATCH, "C has not the shape of op(A) op(B)");
}

static tulle_status check_widths(const tulle__spgemm_call *c, const tulle__spgemm_task *task) {
    if (tulle_index_size(task->index) == tulle_index_size(task->c.index)) return TULLE_OK;
    return refuse(c->function, TULLE_UNSUPPORTED,
                  "C has columns of 32 bits, and A or B of 64: make C with their index type");
}

/* Returns the name of an argument that is read where C's values are written, or NULL. */
static const char *part_in(const tulle_mat *C, const tulle__spgemm_call *c, tulle_scalar alpha) {
    const int64_t size = tulle_type_size(C->type);
    const int64_t bytes = C->pattern->storage.stored * size;
    const tulle_mat *const operands[] = {c->A, c->B};
    static const char *const names[] = {"the values of A", "the values of B"};
    for (int k = 0; k < 2; k++) {
        const int64_t read = operands[k]->pattern->storage.stored * size;
        if (tulle__overlap(C->values.data, bytes, operands[k]->values.data, read)) return names[k];
    }
    return tulle__overlap(C->values.data, bytes, alpha.address, size) ? "alpha" : NULL;
}

static tulle_status check_apart(const tulle__spgemm_call *c, tulle_scalar alpha,
                                const tulle_mat *C) {
    const char *with = part_in(C, c, alpha);
    if (!with) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, c->function, "C", -1, "the values of C overlap %s", with);
}

/* Finds the context's kept data, each context having its own: who frees an array orders that
 * behind its own stream alone. The lock is held. */
static kept_for *kept_of(const tulle_ctx *ctx, const tulle__pattern *pattern,
                         const tulle__owner *owner, tulle_type type) {
    tulle__derived *d = tulle__derived_first(pattern, owner);
    while (d && (d->ctx != ctx || ((kept_for *)d)->type != type)) d = tulle__derived_next(d);
    return (kept_for *)d;
}

static kept_for whom(const tulle__spgemm_call *c) {
    return (kept_for){.type = c->A->type, .a = c->A->pattern->serial, .b = c->B->pattern->serial};
}

/* Finds kept data and adds a user, as a pattern may lose what it keeps at any time; or returns
 * NULL. */
static kept_for *find(const tulle_ctx *ctx, const tulle__spgemm_call *c, tulle__pattern *pattern,
                      const tulle__owner *owner) {
    if (!tulle__derived_ever(pattern, owner)) return NULL;
    const kept_for wanted = whom(c);
    pthread_mutex_lock(&pattern->lock);
    kept_for *found = kept_of(ctx, pattern, owner, wanted.type);
    if (found && (found->a != wanted.a || found->b != wanted.b)) found = NULL;
    if (found) tulle__derived_retain(&found->base);
    pthread_mutex_unlock(&pattern->lock);
    return found;
}

static kept_product *find_product(const tulle_ctx *ctx, const tulle__spgemm_call *c,
                                  tulle__pattern *pattern) {
    kept_product *found = (kept_product *)find(ctx, c, pattern, &products);
    if (!found || (found->op_A == c->op_A && found->op_B == c->op_B)) return found;
    tulle__derived_release(&found->whom.base);
    return NULL;
}

static void *new_kept(tulle_ctx *ctx, const tulle__spgemm_call *c, size_t size,
                      const tulle__owner *owner) {
    kept_for *made = tulle__derived_new(ctx, size, owner);
    const kept_for wanted = whom(c);
    if (!made) return NULL;
    made->type = wanted.type;
    made->a = wanted.a;
    made->b = wanted.b;
    return made;
}

/* Puts data, with a user more, in the place of the context's for that type. */
static void put(tulle__pattern *pattern, kept_for *made) {
    tulle__derived *base = &made->base;
    pthread_mutex_lock(&pattern->lock);
    kept_for *old = kept_of(base->ctx, pattern, base->owner, made->type);
    if (old) tulle__derived_take(&old->base);
    tulle__derived_retain(base);
    tulle__derived_put(pattern, base);
    pthread_mutex_unlock(&pattern->lock);
    if (old) tulle__derived_release(&old->base);
}

static tulle_status look(tulle__spgemm_run *run, tulle__spgemm_kept *kept) {
    int64_t outside = -1;
    TULLE__TRY(run->ctx->backend->spgemm->keep_product(&run->task, kept, &outside));
    if (outside < 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, run->function, "C", outside,
                       "row %lld of C lacks an entry that the product has there: make C anew with "
                       "tulle_spgemm",
                       (long long)outside);
}

/* Keeps operands that had to be brought; a B that is the same as A is A's. */
static tulle_status keep_operands(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                  const tulle__spgemm_operands *operands, kept_product *made) {
    TULLE__TRY(tulle__spgemm_keep_operand(ctx, c->op_A, c->A, operands->a, &made->A));
    if (c->A == c->B && c->op_A == c->op_B) return TULLE_OK;
    return tulle__spgemm_keep_operand(ctx, c->op_B, c->B, operands->b, &made->B);
}

static tulle_status make(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                         const tulle__spgemm_operands *operands, tulle__pattern *pattern,
                         kept_product **product) {
    kept_product *made = new_kept(run->ctx, c, sizeof *made, &products);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->op_A = c->op_A;
    made->op_B = c->op_B;
    tulle_status status = look(run, &made->kept);
    if (status == TULLE_OK) status = keep_operands(run->ctx, c, operands, made);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->whom.base);
        return status;
    }
    put(pattern, &made->whom);
    *product = made;
    return TULLE_OK;
}

/* Steps of progress: operands brought, data kept; then C's values change, and nobody is asked. */
enum { BROUGHT = 1, READY, STEPS };

static tulle_status tell(const tulle__spgemm_run *run, int step) {
    return tulle__progress(run->ctx, run->what, step, STEPS);
}

/* Computes C's values. The caller holds `building` of C's pattern. */
static tulle_status compute(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                            const tulle__spgemm_operands *operands, tulle_mat *C) {
    kept_product *product = find_product(run->ctx, c, C->pattern);
    tulle_status status = product ? TULLE_OK : make(run, c, operands, C->pattern, &product);
    if (status == TULLE_OK) status = tell(run, READY);
    if (status == TULLE_OK) {
        status = run->ctx->backend->spgemm->update_product(&run->task, &product->kept);
    }
    if (status == TULLE_OK) status = tulle__copies_refresh(run->ctx, C);
    if (product) tulle__derived_release(&product->whom.base);
    return status;
}

static tulle_status update(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                           const tulle__spgemm_operands *operands, tulle_mat *C) {
    tulle__pattern *p = C->pattern;
    tulle__spgemm_take(&run->task, operands);
    run->task.c = (tulle__spgemm_result){.nnz = p->nnz,
                                         .index = p->index,
                                         .offsets = p->offsets.data,
                                         .cols_of = p->cols_of.data,
                                         .values = C->values.data};
    run->task.widest_row = p->stats.max_row;
    TULLE__TRY(check_widths(c, &run->task));
    TULLE__TRY(tell(run, BROUGHT));
    pthread_mutex_lock(&p->building);
    tulle_status status = tulle__spgemm_watch(run, operands);
    if (status == TULLE_OK) status = compute(run, c, operands, C);
    tulle__spgemm_unwatch(run);
    pthread_mutex_unlock(&p->building);
    return status;
}

/* Gives an operand that is kept its values; or brings it. */
static tulle_status bring_one(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M, tulle_index index,
                              const tulle__spgemm_kept_operand *kept, tulle_mat **csr) {
    if (!kept->csr) return tulle__operand_bring(ctx, op, M, index, csr);
    TULLE__TRY(tulle__spgemm_renew_operand(ctx, M, kept));
    *csr = tulle_mat_retain(kept->csr);
    return TULLE_OK;
}

static tulle_status bring_known(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_index index,
                                const kept_product *known, tulle__spgemm_operands *operands) {
    index = tulle__wider(index, tulle__wider(c->A->pattern->index, c->B->pattern->index));
    TULLE__TRY(bring_one(ctx, c->op_A, c->A, index, &known->A, &operands->a));
    if (c->A == c->B && c->op_A == c->op_B) {
        operands->b = tulle_mat_retain(operands->a);
    } else {
        TULLE__TRY(bring_one(ctx, c->op_B, c->B, index, &known->B, &operands->b));
    }
    return tulle__operand_raise(ctx, &operands->b);
}

/* Does a call whose arguments have been checked, for a C in CSR. */
static tulle_status update_numbers(tulle_ctx *ctx, const char *what, const tulle__spgemm_call *c,
                                   tulle_scalar alpha, tulle_mat *C) {
    tulle__spgemm_run run = {
        .ctx = ctx,
        .function = c->function,
        .what = what,
        .task = {.place = &ctx->place, .device = &ctx->info, .type = c->A->type, .alpha = alpha}};
    tulle__spgemm_operands operands = {.mask = NULL};
    kept_product *known = find_product(ctx, c, C->pattern);
    const tulle_index index = C->pattern->index;
    tulle_status status =
        known ? bring_known(ctx, c, index, known, &operands)
              : tulle__spgemm_bring(ctx, c->op_A, c->op_B, c->A, c->B, NULL, index, &operands);
    if (status == TULLE_OK) status = update(&run, c, &operands, C);
    tulle__spgemm_let_go(&operands);
    if (known) tulle__derived_release(&known->whom.base);
    return status;
}

static tulle_status update_values(tulle_ctx *ctx, const char *what, const tulle__spgemm_call *c,
                                  tulle_scalar alpha, tulle_mat *C) {
    if (C->pattern->format == TULLE_BSR) return tulle__spgemm_update_in_blocks(ctx, c, alpha, C);
    return update_numbers(ctx, what, c, alpha, C);
}

tulle_status tulle_spgemm_update(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                 tulle_scalar alpha, const tulle_mat *A, const tulle_mat *B,
                                 tulle_mat *C) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(C);
    const tulle__spgemm_call c = {.function = __func__, .op_A = op_A, .op_B = op_B, .A = A, .B = B};
    TULLE__TRY(tulle__spgemm_check(ctx, &c));
    TULLE__TRY(tulle__spgemm_check_tables(ctx, &c, NULL));
    TULLE__TRY(check_c(ctx, &c, tulle__spgemm_has_blocks(&c, NULL), C));
    TULLE__TRY(tulle__check_aligned(__func__, "alpha", alpha.address, tulle_type_size(A->type)));
    TULLE__TRY(check_apart(&c, alpha, C));
    return update_values(ctx, "updating", &c, alpha, C);
}

/* Computes A P: in blocks if C is so, else with an index type as wide as C's, since C is made of
 * it. */
static tulle_status multiply_right(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                   const tulle__pattern *pattern, tulle_mat **right) {
    static const tulle_spgemm_options defaults = {0};
    if (pattern->format == TULLE_BSR) {
        return tulle__spgemm_in_blocks(ctx, c, tulle_num(1), &defaults, NULL, right);
    }
    tulle__spgemm_run run =
        tulle__spgemm_start(c->function, ctx, c->A->type, tulle_num(1), &defaults, 1);
    return tulle__spgemm_stage(&run, c, pattern->index, true, right);
}

static tulle_status make_right(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle__pattern *pattern,
                               kept_right **right) {
    kept_right *made = new_kept(ctx, c, sizeof *made, &rights);
    if (!made) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = multiply_right(ctx, c, pattern, &made->right);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->whom.base);
        return status;
    }
    put(pattern, &made->whom);
    *right = made;
    return TULLE_OK;
}

/* Computes new values of C = alpha P^T A P. c holds A as its A, and P as its B. */
static tulle_status update_triple(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                                  tulle_mat *C) {
    kept_right *kept = (kept_right *)find(ctx, c, C->pattern, &rights);
    tulle_status status = kept ? TULLE_OK : make_right(ctx, c, C->pattern, &kept);
    if (status == TULLE_OK) {
        status = update_values(ctx, "updating A P", c, tulle_num(1), kept->right);
    }
    if (status == TULLE_OK) {
        const tulle__spgemm_call left = {
            .function = c->function, .op_A = TULLE_T, .op_B = TULLE_N, .A = c->B, .B = kept->right};
        status = update_values(ctx, "updating", &left, alpha, C);
    }
    if (kept) tulle__derived_release(&kept->whom.base);
    return status;
}

tulle_status tulle_spgemm_galerkin_update(tulle_ctx *ctx, tulle_scalar alpha, const tulle_mat *A,
                                          const tulle_mat *P, tulle_mat *C) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(P);
    TULLE__NEED(C);
    const tulle__spgemm_call c = {
        .function = __func__, .op_A = TULLE_N, .op_B = TULLE_N, .A = A, .B = P};
    const tulle__spgemm_call shape = {
        .function = __func__, .op_A = TULLE_T, .op_B = TULLE_N, .A = P, .B = P};
    TULLE__TRY(tulle__spgemm_check_triple(__func__, ctx, A, P));
    TULLE__TRY(tulle__spgemm_check_triple_tables(__func__, ctx, A, P, NULL));
    if (C == A) return refuse(__func__, TULLE_INVALID_ARGUMENT, "C is an operand, too");
    TULLE__TRY(check_c(ctx, &shape, tulle__spgemm_has_triple_blocks(&c, NULL), C));
    TULLE__TRY(tulle__check_aligned(__func__, "alpha", alpha.address, tulle_type_size(A->type)));
    TULLE__TRY(check_apart(&c, alpha, C));
    return update_triple(ctx, &c, alpha, C);
}
