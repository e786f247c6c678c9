/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of the next level, R A P. */
#include "amg/amg.h"
#include "spgemm/galerkin.h"
#include "tulle/spgemm.h"

/* Makes both products one by one, with the bits of the triple product, and keeps them. */
static tulle_status multiply_and_keep(tulle_ctx *ctx, tulle__amg_level *level, const tulle_mat *A,
                                      tulle_mat **next) {
    const tulle_scalar one = tulle_num(1);
    tulle_mat_destroy(level->AP);
    tulle_mat_destroy(level->next);
    level->AP = level->next = NULL;
    TULLE__TRY(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A, level->P, NULL, NULL, &level->AP));
    TULLE__TRY(
        tulle_spgemm(ctx, TULLE_N, TULLE_N, one, level->R, level->AP, NULL, NULL, &level->next));
    *next = tulle_mat_retain(level->next);
    return TULLE_OK;
}

tulle_status tulle__amg_multiply(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *level,
                                 const tulle_mat *A, tulle_mat **next) {
    TULLE__TRY(tulle__amg_need_R(ctx, level));
    if (own->options.keep_plans) return multiply_and_keep(ctx, level, A, next);
    const tulle_mat *before = level[1].A ? level[1].A : level[1].cycle.A;
    return tulle__spgemm_galerkin_with(ctx, A, level->P, level->R, level->lengths,
                                       before ? before->pattern : NULL, next);
}
