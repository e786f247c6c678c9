/* SPDX-License-Identifier: Apache-2.0 */
#include "amg/ghosts.h"

#include <string.h>

#include "amg/part.h"
#include "dist/functions.h"
#include "matrix/operand.h"

/* Makes the local matrix of own rows and those that came. */
static tulle_status stack(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__guests *came,
                          tulle__amg_ghosts *g) {
    TULLE__TRY(tulle__columns_with(ctx, A, came, &g->rows));
    TULLE__TRY(tulle__local_stack(ctx, A, &g->rows, came, A->edge_col, &g->rows, &g->A));
    return tulle__operand_raise(ctx, &g->A);
}

/* Puts the numbers of local rows into the place's memory. */
static tulle_status name_rows(tulle_ctx *ctx, tulle__amg_ghosts *g) {
    const tulle__columns *rows = &g->rows;
    const int64_t own = rows->end - rows->begin, upper = rows->count - rows->lower;
    const size_t item = sizeof *g->names;
    TULLE__TRY(tulle__amg_take(ctx, tulle__columns_all(rows), item, (void *)&g->names));
    int64_t *names = g->names + rows->lower;
    TULLE__TRY(ctx->backend->dist->dist_number(&ctx->place, own, rows->begin, names));
    if (rows->lower > 0) {
        TULLE__TRY(tulle__copy_wait(ctx, g->names, rows->others, (size_t)rows->lower * item));
    }
    if (upper == 0) return TULLE_OK;
    return tulle__copy_wait(ctx, names + own, rows->others + rows->lower, (size_t)upper * item);
}

/* Takes memory for items of rows that go and come, when the halo is known. */
static tulle_status take_memory(tulle_ctx *ctx, tulle__amg_ghosts *g) {
    TULLE__TRY(tulle__halo_place(ctx, &g->halo));
    TULLE__TRY(tulle__amg_take(ctx, g->halo.go_rows, 8, (void *)&g->go));
    return tulle__amg_take(ctx, g->rows.count, 8, (void *)&g->come);
}

tulle_status tulle__amg_ghosts_make(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__amg_ghosts *g) {
    tulle__guests came = {.rows = 0};
    *g = (tulle__amg_ghosts){.comm = A->comm};
    tulle_status status = tulle__rows_fetch(ctx, A, TULLE_OK, &A->halo, &came);
    if (status == TULLE_OK) {
        status = stack(ctx, A, &came, g);
        if (status == TULLE_OK) status = name_rows(ctx, g);
        const tulle__halo_needs needs = {A->row_starts, g->rows.others, g->rows.count};
        status = tulle__halo_make(ctx, A->comm, status, &needs, &g->halo);
    }
    tulle__guests_free(ctx, &came);
    TULLE__TRY(status);
    return tulle__comm_agree(A->comm, NULL, take_memory(ctx, g), NULL, 0);
}

void tulle__amg_ghosts_free(tulle_ctx *ctx, tulle__amg_ghosts *g) {
    tulle__columns_free(ctx, &g->rows);
    tulle_mat_destroy(g->A);
    tulle__free(ctx, g->names);
    tulle__free(ctx, g->number);
    tulle__halo_release(ctx, &g->halo);
    tulle__free(ctx, g->go);
    tulle__free(ctx, g->come);
}

/* Copies items of ghosts that came to their places around those of own rows. */
static tulle_status seat(tulle_ctx *ctx, const tulle__amg_ghosts *g, char *items, size_t size) {
    const size_t lower = (size_t)g->rows.lower * size;
    const size_t own = (size_t)(g->rows.end - g->rows.begin) * size;
    const size_t upper = (size_t)(g->rows.count - g->rows.lower) * size;
    const tulle__backend *backend = ctx->backend;
    if (lower > 0) TULLE__TRY(backend->copy(&ctx->place, items, g->come, lower));
    if (upper == 0) return TULLE_OK;
    return backend->copy(&ctx->place, items + lower + own, (char *)g->come + lower, upper);
}

tulle_status tulle__amg_ghosts_bring(tulle_ctx *ctx, tulle__amg_ghosts *g, tulle_status here,
                                     void *items, size_t size) {
    const tulle__halo *h = &g->halo;
    const char *own = items;
    if (here == TULLE_OK) {
        own += (size_t)g->rows.lower * size;
        here = ctx->backend->dist->dist_pick(&ctx->place, h->go_rows, h->order, size, own, g->go);
    }
    const tulle__halo_items both = {.size = size, .in_place = true, .go = g->go, .come = g->come};
    TULLE__TRY(tulle__halo_send(ctx, g->comm, here, h, &both));
    return seat(ctx, g, items, size);
}

/* Failures are counted with the numbers, so that one message does where there are none. */
tulle_status tulle__amg_sum(tulle_comm *comm, tulle_status here, double *numbers, int count) {
    double all[TULLE__AMG_MOST_SUMS + 1] = {here != TULLE_OK};
    memcpy(all + 1, numbers, (size_t)count * sizeof *numbers);
    TULLE__TRY(tulle__comm_sum_host(comm, all, count + 1));
    if (all[0] > 0) return tulle__comm_agree(comm, NULL, here, NULL, 0);
    memcpy(numbers, all + 1, (size_t)count * sizeof *numbers);
    return TULLE_OK;
}
