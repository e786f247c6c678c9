/* SPDX-License-Identifier: Apache-2.0 */
#include "amg/ghosts.h"

#include <string.h>

#include "matrix/operand.h"

/* Makes the local matrix of own rows and those that came. */
static tulle_status stack(tulle_ctx *ctx, const tulle_dist_mat *A, const tulle__rows *own,
                          const tulle__rows *came, tulle__amg_ghosts *g) {
    const int rank = A->comm->functions.rank;
    TULLE__TRY(tulle__columns_make(ctx, A->row_starts[rank], A->row_starts[rank + 1], own, came,
                                   &g->rows));
    TULLE__TRY(tulle__rows_stack(ctx, &g->rows, own, came, A->edge_col, &g->rows, &g->A));
    return tulle__operand_raise(ctx, &g->A);
}

/* Puts the numbers of local rows into the place's memory, and takes memory for their items. */
static tulle_status take_memory(tulle_ctx *ctx, tulle__amg_ghosts *g) {
    const int64_t all = tulle__columns_all(&g->rows), ghosts = g->rows.count;
    const size_t bytes = (size_t)all * sizeof *g->names;
    int64_t *names = tulle__host_alloc(ctx, bytes + 1);
    if (!names) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < all; i++) names[i] = tulle__columns_name(&g->rows, i);
    tulle_status status = tulle__alloc(ctx, bytes, (void **)&g->names);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, g->names, names, bytes);
    tulle__host_free(ctx, names);
    TULLE__TRY(status);
    g->own = tulle__host_alloc(ctx, (size_t)(all - ghosts) * 8 + 1);
    g->come = tulle__host_alloc(ctx, (size_t)ghosts * 8 + 1);
    return g->own && g->come ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__amg_ghosts_make(tulle_ctx *ctx, const tulle_dist_mat *A, tulle__amg_ghosts *g) {
    tulle__rows own = {.rows = 0}, came = {.rows = 0};
    *g = (tulle__amg_ghosts){.comm = A->comm};
    tulle_status status = tulle__rows_of_dist(ctx, A, &own);
    status = tulle__rows_fetch(ctx, A->comm, status, &A->halo, &own, &came);
    if (status == TULLE_OK) {
        status = stack(ctx, A, &own, &came, g);
        if (status == TULLE_OK) status = take_memory(ctx, g);
        const tulle__halo_needs needs = {A->row_starts, g->rows.others, g->rows.count};
        status = tulle__halo_make(ctx, A->comm, status, &needs, &g->halo);
    }
    tulle__rows_free(ctx, &own);
    tulle__rows_free(ctx, &came);
    TULLE__TRY(status);
    g->go = tulle__host_alloc(ctx, (size_t)g->halo.go_rows * 8 + 1);
    return tulle__comm_agree(A->comm, NULL, g->go ? TULLE_OK : TULLE_OUT_OF_MEMORY, NULL, 0);
}

void tulle__amg_ghosts_free(tulle_ctx *ctx, tulle__amg_ghosts *g) {
    tulle__columns_free(ctx, &g->rows);
    tulle_mat_destroy(g->A);
    tulle__free(ctx, g->names);
    tulle__halo_release(ctx, &g->halo);
    tulle__host_free(ctx, g->own);
    tulle__host_free(ctx, g->go);
    tulle__host_free(ctx, g->come);
}

tulle_status tulle__amg_ghosts_bring(tulle_ctx *ctx, tulle__amg_ghosts *g, tulle_status here,
                                     void *items, size_t size) {
    const size_t lower = (size_t)g->rows.lower * size;
    const size_t own = (size_t)(g->rows.end - g->rows.begin) * size;
    const size_t upper = (size_t)(g->rows.count - g->rows.lower) * size;
    if (here == TULLE_OK) here = tulle__copy_wait(ctx, g->own, (char *)items + lower, own);
    for (int64_t k = 0; here == TULLE_OK && k < g->halo.go_rows; k++) {
        memcpy(g->go + (size_t)k * size, g->own + (size_t)g->halo.go_row[k] * size, size);
    }
    TULLE__TRY(tulle__halo_send(ctx, g->comm, here, &g->halo,
                                &(tulle__halo_items){.size = size, .go = g->go, .come = g->come}));
    TULLE__TRY(tulle__copy_wait(ctx, items, g->come, lower));
    return tulle__copy_wait(ctx, (char *)items + lower + own, g->come + lower, upper);
}

tulle_status tulle__amg_sum(tulle_comm *comm, tulle_status here, double *numbers, int count) {
    TULLE__TRY(tulle__comm_agree(comm, NULL, here, NULL, 0));
    return tulle__comm_sum_host(comm, numbers, count);
}
