/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for the levels that processes share, and for the gathered one. Matrices have the
 * patterns that they had, so values are put into those that there are. */
#include "amg/amg.h"
#include "dist/dist.h"

static tulle_status put_part(tulle_ctx *ctx, const tulle_mat *from, tulle_mat *to) {
    return from ? tulle_mat_set_values(ctx, to, from->pattern->nnz, from->values.data) : TULLE_OK;
}

/* Puts the values of one matrix into another one of its pattern, and waits: `from` may go. */
static tulle_status put_values(tulle_ctx *ctx, const tulle_dist_mat *from, tulle_dist_mat *to) {
    TULLE__TRY(put_part(ctx, from->block, to->block));
    TULLE__TRY(put_part(ctx, from->edge, to->edge));
    TULLE__TRY(tulle__dist_refresh(to));
    return tulle_ctx_synchronize(ctx);
}

/* Brings a shared level to the values of A. */
static tulle_status bring_level(tulle_ctx *ctx, tulle__amg *own, tulle_dist_mat *A,
                                tulle__amg_level *level) {
    TULLE__TRY(tulle__amg_set_shared_diagonal(ctx, own, A, level));
    const bool puts = level->shared.A && level->shared.A != A;
    return puts ? put_values(ctx, A, level->shared.A) : TULLE_OK;
}

/* Brings the gathered level to the values of A. */
static tulle_status bring_gathered(tulle_ctx *ctx, tulle__amg *own, const tulle_dist_mat *A) {
    tulle__amg_level *level = own->level + own->shared;
    tulle_mat *to = level->A ? level->A : own->whole.A, *made = NULL;
    TULLE__TRY(tulle__amg_gather_numbers(ctx, A, &own->noise));
    TULLE__TRY(tulle__dist_mat_collect(ctx, A, TULLE_OK, -1, &made));
    tulle_status status = put_part(ctx, made, to);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    tulle_mat_destroy(made);
    return status == TULLE_OK ? tulle__amg_set_diagonal(ctx, own, to, level) : status;
}

/* Brings noise to the next level. Communicates. */
static tulle_status pass_noise(tulle_ctx *ctx, tulle__amg *own, const tulle_dist_mat *R) {
    tulle_mat *rows = NULL;
    const tulle_status here = tulle__amg_own_rows(ctx, R, &rows);
    const tulle_status status = tulle__amg_restrict_numbers(ctx, R, rows, here, &own->noise);
    tulle_mat_destroy(rows);
    return status;
}

tulle_status tulle__amg_bring_shared(tulle_ctx *ctx, tulle__amg *own) {
    tulle_dist_mat *A = tulle_dist_mat_retain(own->dist);
    tulle_status status = TULLE_OK;
    for (int l = 0; l < own->shared && status == TULLE_OK; l++) {
        tulle__amg_level *level = own->level + l;
        tulle_dist_mat *next = NULL;
        const tulle_status here = bring_level(ctx, own, A, level);
        status = tulle__comm_agree(own->head.comm, NULL, here, NULL, 0);
        if (status != TULLE_OK || l + 1 == own->levels) break;
        status = pass_noise(ctx, own, level->shared.R);
        if (status != TULLE_OK) break;
        status =
            tulle__dist_galerkin(ctx, tulle_num(1), A, level->shared.P, level->shared.R, &next);
        tulle_dist_mat_destroy(A);
        A = next;
    }
    if (status == TULLE_OK && own->shared < own->levels) status = bring_gathered(ctx, own, A);
    tulle_dist_mat_destroy(A);
    return tulle__comm_agree(own->head.comm, NULL, status, NULL, 0);
}
