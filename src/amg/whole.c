/* SPDX-License-Identifier: Apache-2.0 */
/* The first level of which all processes have all rows, behind shared ones: its matrix, and the way
 * of its right-hand side. */
#include <string.h>

#include "amg/amg.h"
#include "dist/dist.h"
#include "tulle/vec.h"

/* Writes the pieces of b: rows of each other rank that come, and then own rows that go to it. */
static void put_pieces(const tulle_dist_mat *A, tulle__amg_whole *w) {
    const int ranks = A->comm->functions.ranks, rank = A->comm->functions.rank;
    const int64_t item = tulle_type_size(A->type);
    char *b = w->b->data;
    for (int r = 0; r < ranks; r++) {
        const int64_t first = A->row_starts[r] * item, bytes = A->row_starts[r + 1] * item - first;
        if (r == rank || bytes == 0) continue;
        w->pieces[w->receives++] =
            (tulle_comm_piece){.rank = r, .bytes = (size_t)bytes, .data = b + first};
    }
    for (int r = 0; r < ranks && w->rows > 0; r++) {
        const size_t bytes = (size_t)(w->rows * item);
        if (r == rank) continue;
        w->pieces[w->receives + w->sends++] =
            (tulle_comm_piece){.rank = r, .bytes = bytes, .data = b + w->first * item};
    }
}

tulle_status tulle__amg_gather_numbers(tulle_ctx *ctx, const tulle_dist_mat *A,
                                       tulle_vec **numbers) {
    const int ranks = A->comm->functions.ranks;
    const size_t item = (size_t)tulle_type_size(A->type);
    size_t most = 0;
    if (!*numbers) return TULLE_OK; /* no level is shared */
    for (int r = 0; r < ranks; r++) {
        const size_t rows = (size_t)(A->row_starts[r + 1] - A->row_starts[r]);
        if (rows > most) most = rows;
    }
    char *own = tulle__host_alloc(ctx, most * item + 1);
    char *all = tulle__host_alloc(ctx, (size_t)ranks * most * item + 1);
    tulle_vec *made = NULL;
    tulle_status status = own && all ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) status = tulle_vec_create(ctx, A->type, A->row_starts[ranks], &made);
    if (status == TULLE_OK) status = tulle_vec_read(ctx, *numbers, own, 0);
    status = tulle__comm_agree(A->comm, NULL, status, NULL, 0);
    if (status == TULLE_OK) status = tulle__comm_gather(A->comm, own, most * item, all);
    for (int r = 0; status == TULLE_OK && r < ranks; r++) { /* piece r moves down to its rows */
        memmove(all + (size_t)A->row_starts[r] * item, all + (size_t)r * most * item,
                (size_t)(A->row_starts[r + 1] - A->row_starts[r]) * item);
    }
    if (status == TULLE_OK) status = tulle_vec_write(ctx, made, all, 0);
    tulle__host_free(ctx, own);
    tulle__host_free(ctx, all);
    tulle_vec_destroy(*numbers);
    *numbers = made;
    return tulle__comm_agree(A->comm, NULL, status, NULL, 0);
}

tulle_status tulle__amg_gather(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *level = own->level + own->shared;
    tulle_dist_mat *A = level->shared.A;
    const int ranks = A->comm->functions.ranks;
    tulle__amg_whole *w = &own->whole;
    TULLE__TRY(tulle__dist_mat_collect(ctx, A, TULLE_OK, -1, &level->A));
    TULLE__TRY(tulle__amg_gather_numbers(ctx, A, &own->noise));
    TULLE__TRY(tulle__amg_gather_numbers(ctx, A, &level->sizes));
    w->first = A->row_starts[A->comm->functions.rank];
    w->rows = A->rows;
    w->pieces = tulle__host_alloc(ctx, 2 * (size_t)ranks * sizeof *w->pieces);
    if (!w->pieces) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle_vec_create(ctx, A->type, A->row_starts[ranks], &w->b));
    TULLE__TRY(tulle_vec_create(ctx, A->type, A->row_starts[ranks], &w->x));
    put_pieces(A, w);
    tulle_dist_mat_destroy(A);
    level->shared.A = NULL;
    return TULLE_OK;
}
