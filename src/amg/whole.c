/* SPDX-License-Identifier: Apache-2.0 */
/* The first level of which all processes have all rows, behind shared ones: its matrix, and the way
 * of its right-hand side. */
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

tulle_status tulle__amg_gather(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *level = own->level + own->shared;
    tulle_dist_mat *A = level->shared.A;
    const int ranks = A->comm->functions.ranks;
    tulle__amg_whole *w = &own->whole;
    TULLE__TRY(tulle__dist_mat_collect(ctx, A, TULLE_OK, -1, &level->A));
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
