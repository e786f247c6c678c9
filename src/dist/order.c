/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors whose rows move to other processes, and back, by way of host memory. */
#include "dist/order.h"

#include "core/access.h"
#include "vector/operands.h"

tulle_status tulle__dist_order_make(const tulle_dist_mat *A, tulle_dist_order **P) {
    *P = tulle__host_alloc(A->ctx, sizeof **P);
    if (!*P) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(A->ctx);
    (*P)->ctx = A->ctx;
    (*P)->comm = tulle__comm_retain(A->comm);
    (*P)->rows = A->rows;
    return TULLE_OK;
}

void tulle_dist_order_destroy(tulle_dist_order *P) {
    if (!P) return;
    tulle_ctx *ctx = P->ctx;
    tulle__halo_release(ctx, &P->halo);
    tulle_comm_destroy(P->comm);
    tulle__host_free(ctx, P);
    tulle__ctx_release(ctx);
}

/* A column in host memory: before, in the order in which its rows went, and after. */
typedef struct columns {
    void *before, *went, *after;
} columns;

static tulle_status take(tulle_ctx *ctx, const tulle_dist_order *P, tulle_type type, columns *c) {
    const int64_t size = tulle_type_size(type);
    size_t before, after;
    TULLE__TRY(tulle__size(P->rows, size, 1, &before));
    TULLE__TRY(tulle__size(P->halo.come_rows, size, 1, &after));
    c->before = tulle__host_alloc(ctx, before);
    c->went = tulle__host_alloc(ctx, before);
    c->after = tulle__host_alloc(ctx, after);
    return c->before && c->went && c->after ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void give_back(tulle_ctx *ctx, columns *c) {
    tulle__host_free(ctx, c->before);
    tulle__host_free(ctx, c->went);
    tulle__host_free(ctx, c->after);
}

/* Moves one column to the new processes of its rows. */
static tulle_status go(tulle_ctx *ctx, const tulle_dist_order *P, const tulle_vec *x,
                       const columns *c, tulle_vec *y) {
    const tulle_status here = tulle_vec_read(ctx, x, c->before, 0);
    for (int64_t k = 0; here == TULLE_OK && k < P->halo.go_rows; k++) {
        tulle__move_value(x->type, c->went, k, c->before, P->halo.go_row[k]);
    }
    const tulle__halo_items items = {
        .size = (size_t)tulle_type_size(x->type), .go = c->went, .come = c->after};
    TULLE__TRY(tulle__halo_send(ctx, P->comm, here, &P->halo, &items));
    return tulle__comm_agree(P->comm, NULL, tulle_vec_write(ctx, y, c->after, 0), NULL, 0);
}

/* Moves one column back. */
static tulle_status come(tulle_ctx *ctx, const tulle_dist_order *P, const tulle_vec *y,
                         const columns *c, tulle_vec *x) {
    const tulle_status here = tulle_vec_read(ctx, y, c->after, 0);
    const tulle__halo_items items = {
        .size = (size_t)tulle_type_size(y->type), .go = c->after, .come = c->went};
    const tulle__halo back = {.come_rows = P->halo.go_rows,
                              .go_rows = P->halo.come_rows,
                              .come_count = P->halo.go_count,
                              .go_count = P->halo.come_count,
                              .come = P->halo.go,
                              .go = P->halo.come,
                              .pieces = P->halo.pieces};
    TULLE__TRY(tulle__halo_send(ctx, P->comm, here, &back, &items));
    for (int64_t k = 0; k < P->halo.go_rows; k++) {
        tulle__move_value(y->type, c->before, P->halo.go_row[k], c->went, k);
    }
    return tulle__comm_agree(P->comm, NULL, tulle_vec_write(ctx, x, c->before, 0), NULL, 0);
}

/* Operands of a move, X before and Y after it, of which the output is `out`. */
typedef struct operands {
    const char *function;
    tulle_ctx *ctx;
    const tulle_dist_order *P;
    const tulle_vec *X, *Y;
    bool back; /* X is the output */
} operands;

static tulle_status check(const operands *o) {
    const tulle__operand X = {"X", o->X}, Y = {"Y", o->Y};
    TULLE__NEED_OF(o->function, o->ctx);
    if (!o->X || !o->Y) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, o->function, o->X ? "Y" : "X", -1, "%s is NULL",
                           o->X ? "Y" : "X");
    }
    TULLE__TRY(tulle__operand_check(o->function, o->ctx, X, o->P->rows, o->Y->cols, o->Y->type));
    TULLE__TRY(
        tulle__operand_check(o->function, o->ctx, Y, o->P->halo.come_rows, o->X->cols, o->X->type));
    if (o->X == o->Y || (o->X->rows > 0 && o->X->cols > 0 && tulle__same_numbers(o->X, o->Y))) {
        return tulle__fail(TULLE_ALIASED, o->function, o->back ? "X" : "Y", -1,
                           "X and Y are the same array");
    }
    return o->back ? tulle__operand_apart(o->function, X, Y)
                   : tulle__operand_apart(o->function, Y, X);
}

static tulle_status move(const operands *o) {
    columns c = {NULL, NULL, NULL};
    tulle_status status = check(o);
    if (status == TULLE_OK) status = take(o->ctx, o->P, o->X->type, &c);
    const tulle__agreement facts[] = {{"columns of X", o->X ? (uint64_t)o->X->cols : 0},
                                      {"type of X", o->X ? (uint64_t)o->X->type : 0}};
    status = tulle__comm_agree(o->P->comm, o->function, status, facts, 2);
    for (int64_t j = 0; status == TULLE_OK && j < o->X->cols; j++) {
        tulle_vec x = tulle__column_of(o->X, j), y = tulle__column_of(o->Y, j);
        status = o->back ? come(o->ctx, o->P, &y, &c, &x) : go(o->ctx, o->P, &x, &c, &y);
    }
    give_back(o->P->ctx, &c);
    return status;
}

tulle_status tulle_dist_vec_permute(tulle_ctx *ctx, const tulle_dist_order *P, const tulle_vec *X,
                                    tulle_vec *Y) {
    TULLE__NEED(P);
    return move(&(operands){__func__, ctx, P, X, Y, false});
}

tulle_status tulle_dist_vec_unpermute(tulle_ctx *ctx, const tulle_dist_order *P, const tulle_vec *Y,
                                      tulle_vec *X) {
    TULLE__NEED(P);
    return move(&(operands){__func__, ctx, P, X, Y, true});
}
