/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of rows that processes share, on their way to the next level: R times them. Each process
 * multiplies its rows of R, joined with columns in the order of the whole matrix, so that sums have
 * the order that they have in one process. */
#include "amg/amg.h"
#include "dist/dist.h"
#include "dist/functions.h"
#include "dist/rows.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* The numbers of a process: rows that go to others, rows that come, and all columns of its rows of
 * R, own numbers behind those that come from lower rows. In the place's memory; owned. */
typedef struct travelling {
    void *go, *come;
    tulle_vec *all;
} travelling;

static tulle_status pick(tulle_ctx *ctx, const tulle_dist_mat *R, const tulle_vec *numbers,
                         travelling *t) {
    const tulle__halo *h = &R->halo;
    const size_t item = (size_t)tulle_type_size(R->type);
    TULLE__TRY(tulle__alloc(ctx, (size_t)h->go_rows * item + 1, &t->go));
    TULLE__TRY(tulle__alloc(ctx, (size_t)h->come_rows * item + 1, &t->come));
    TULLE__TRY(tulle_vec_create(ctx, R->type, R->cols + h->come_rows, &t->all));
    if (h->go_rows == 0) return TULLE_OK;
    return ctx->backend->dist->dist_pick(&ctx->place, h->go_rows, h->order, item, numbers->data,
                                         t->go);
}

static tulle_status copy(tulle_ctx *ctx, void *to, int64_t at, const void *from, int64_t first,
                         int64_t count, int64_t item) {
    if (count == 0) return TULLE_OK;
    return ctx->backend->copy(&ctx->place, (char *)to + at * item,
                              (const char *)from + first * item, (size_t)(count * item));
}

static tulle_status join(tulle_ctx *ctx, const tulle_dist_mat *R, const tulle_vec *numbers,
                         int64_t lower, const travelling *t) {
    const int64_t item = tulle_type_size(R->type), upper = R->halo.come_rows - lower;
    void *to = t->all->data;
    TULLE__TRY(copy(ctx, to, 0, t->come, 0, lower, item));
    TULLE__TRY(copy(ctx, to, lower, numbers->data, 0, R->cols, item));
    return copy(ctx, to, lower + R->cols, t->come, lower, upper, item);
}

static tulle_status arrive(tulle_ctx *ctx, const tulle_dist_mat *R, const tulle_mat *rows,
                           const tulle_vec *numbers, const travelling *t, tulle_vec **next) {
    TULLE__TRY(join(ctx, R, numbers, tulle__columns_of(R).lower, t));
    TULLE__TRY(tulle_vec_create(ctx, R->type, R->rows, next));
    TULLE__TRY(tulle_spmv(ctx, TULLE_N, tulle_num(1), rows, t->all, tulle_num(0), *next));
    return tulle_ctx_synchronize(ctx);
}

tulle_status tulle__amg_restrict_numbers(tulle_ctx *ctx, const tulle_dist_mat *R,
                                         const tulle_mat *rows, tulle_status here,
                                         tulle_vec **numbers) {
    travelling t = {.go = NULL};
    tulle_vec *next = NULL;
    if (here == TULLE_OK) here = pick(ctx, R, *numbers, &t);
    const tulle__halo_items items = {
        .size = (size_t)tulle_type_size(R->type), .in_place = true, .go = t.go, .come = t.come};
    tulle_status status = tulle__halo_send(ctx, R->comm, here, &R->halo, &items);
    if (status == TULLE_OK) status = arrive(ctx, R, rows, *numbers, &t, &next);
    tulle__free(ctx, t.go);
    tulle__free(ctx, t.come);
    tulle_vec_destroy(t.all);
    tulle_vec_destroy(*numbers);
    *numbers = next;
    return tulle__comm_agree(R->comm, NULL, status, NULL, 0);
}
