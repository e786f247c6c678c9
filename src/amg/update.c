/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for a hierarchy. With P and A's pattern kept, numbers are put into the matrices that
 * there are, so that patterns, plans and captured graphs stay. With coarsenings kept all levels are
 * made anew, but for coarse rows or aggregates. */
#include "amg/amg.h"
#include "dist/dist.h"
#include "matrix/operand.h"
#include "tulle/spgemm.h"

/* Brings the first level to A, and tells whether its pattern is the one that was there. */
static tulle_status bring_first(tulle_ctx *ctx, tulle__amg *own, bool *same) {
    tulle__amg_level *first = own->level;
    tulle_mat *csr = NULL;
    tulle_status status = tulle__operand_bring(ctx, TULLE_N, own->A, own->A->pattern->index, &csr);
    if (status == TULLE_OK) status = tulle__operand_raise(ctx, &csr);
    if (status != TULLE_OK) {
        tulle_mat_destroy(csr);
        return status;
    }
    *same = csr->pattern == first->A->pattern;
    tulle_mat_destroy(first->A);
    first->A = csr;
    first->info.nnz = csr->pattern->nnz;
    return TULLE_OK;
}

/* Brings the matrix of the next level from `before`, that of a level, without a look at patterns.
 */
static tulle_status renew(tulle_ctx *ctx, tulle__amg_level *level, const tulle_mat *before) {
    const tulle_scalar one = tulle_num(1);
    TULLE__TRY(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, before, level->P, level->AP));
    return tulle_spgemm_update(ctx, TULLE_N, TULLE_N, one, level->R, level->AP, level->next);
}

/* Brings the matrix of a level from `before`, that of the level before; a passed level has its
 * matrix in *passed until the next one is made. */
static tulle_status bring_level(tulle_ctx *ctx, const tulle__amg *own, bool same,
                                tulle__amg_level *level, const tulle_mat *before,
                                tulle_mat **passed) {
    tulle__amg_level *of = level - 1;
    tulle_mat *made = NULL;
    if (same && of->next) {
        TULLE__TRY(renew(ctx, of, before));
        if (level->passes) *passed = tulle_mat_retain(of->next);
        return tulle__amg_set_diagonal(ctx, own, of->next, level);
    }
    TULLE__TRY(tulle__amg_multiply(ctx, own, of, before, &made));
    level->info.nnz = made->pattern->nnz;
    if (level->passes) {
        *passed = made;
        return tulle__amg_set_diagonal(ctx, own, made, level);
    }
    TULLE__TRY(tulle__amg_put(ctx, same, made, level));
    return tulle__amg_set_diagonal(ctx, own, level->A, level);
}

static tulle_status bring_inverse(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *last) {
    return last->inverse ? tulle__amg_invert(ctx, own, last->A, &last->inverse) : TULLE_OK;
}

static void drop(tulle_mat **A) {
    tulle_mat_destroy(*A);
    *A = NULL;
}

/* Gives up what can be made again from P: an update then holds no more than setup did, and after
 * one that has failed no number is left that belongs to another matrix. */
static void keep_P_alone(tulle__amg *own) {
    for (int l = 0; l < own->levels; l++) {
        tulle__amg_level *level = own->level + l;
        tulle_mat **const matrices[] = {&level->R,       &level->cycle.A,
                                        &level->cycle.R, &level->cycle.inverse,
                                        &level->AP,      &level->next};
        tulle_vec **const vectors[] = {&level->b, &level->x, &level->r, level->z, level->z + 1};
        for (int k = 0; k < 6; k++) drop(matrices[k]);
        for (int k = 0; k < 5; k++) {
            tulle_vec_destroy(*vectors[k]);
            *vectors[k] = NULL;
        }
        for (int k = 0; k < 2; k++) tulle__spgemm_lengths_drop(level->lengths + k);
        if (level->cycle.P && level->cycle.P != level->P) drop(&level->P);
        if (l > 0) drop(&level->A);
    }
}

/* Gives up the cycle's P of a level that has another one, of which it is made again. */
static void keep_one_P(tulle__amg_level *level) {
    if (level->P && level->P != level->cycle.P) drop(&level->cycle.P);
}

/* Brings all levels of which this process has all rows to the first one's values, one after the
 * other; that is own->A, or was gathered. sparing: there is no memory for a second P of a level. */
static tulle_status bring_levels(tulle_ctx *ctx, tulle__amg *own, bool sparing) {
    tulle_mat *passed = own->whole.A ? tulle_mat_retain(own->whole.A) : NULL;
    tulle_status status = TULLE_OK;
    bool same = true;
    if (!own->dist) TULLE__TRY(bring_first(ctx, own, &same));
    if (!own->dist) TULLE__TRY(tulle__amg_set_diagonal(ctx, own, own->level[0].A, own->level));
    for (int l = 0; l < own->levels && !same; l++) {
        for (int k = 0; k < 2; k++) tulle__spgemm_lengths_drop(own->level[l].lengths + k);
    }
    for (int l = own->shared + 1; l < own->levels && status == TULLE_OK; l++) {
        tulle_mat *before = passed;
        passed = NULL;
        status = tulle__amg_pass_noise(ctx, own, own->level + l - 1);
        if (sparing) keep_one_P(own->level + l - 1);
        if (status == TULLE_OK) {
            status = bring_level(ctx, own, same, own->level + l,
                                 before ? before : own->level[l - 1].A, &passed);
        }
        tulle_mat_destroy(before);
        if (status == TULLE_OK) status = tulle__amg_narrow_level(ctx, own, l - 1);
    }
    tulle_mat_destroy(passed);
    if (status == TULLE_OK) status = tulle__amg_look_for_unfit(ctx, own);
    if (status == TULLE_OK) status = bring_inverse(ctx, own, own->level + own->levels - 1);
    tulle__amg_drop_noise(own);
    return status;
}

/* Brings all levels to new values. gives_up: each gives up its numbers in f64. */
static tulle_status bring(tulle_ctx *ctx, tulle__amg *own, bool gives_up, bool sparing) {
    tulle_status status = tulle__amg_begin_cycle(ctx, own, gives_up);
    if (own->dist) status = tulle__comm_agree(own->head.comm, NULL, status, NULL, 0);
    if (status == TULLE_OK && own->dist) status = tulle__amg_bring_shared(ctx, own);
    return status == TULLE_OK ? bring_levels(ctx, own, sparing) : status;
}

tulle_status tulle__amg_bring_values(tulle_ctx *ctx, tulle__amg *own) {
    if (own->nodes.block > 0) return tulle__amg_bring_nodes(ctx, own);
    const bool gives_up = own->single;
    tulle_status status = bring(ctx, own, gives_up, false);
    if (status == TULLE_OUT_OF_MEMORY && !own->dist) {
        keep_P_alone(own);
        status = bring(ctx, own, gives_up, true);
    }
    if (status == TULLE_OK) status = tulle__amg_prepare_cycle(ctx, own);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    if (own->dist) status = tulle__comm_agree(own->head.comm, NULL, status, NULL, 0);
    own->stale = status != TULLE_OK; /* levels may be of different matrices */
    if (own->stale && own->dist) {
        tulle__amg_forget(own);
        return status;
    }
    if (own->stale) keep_P_alone(own);
    tulle__amg_describe_levels(own);
    return status;
}

/* Aggregates are numbers in the type of the columns that the matrix had. */
static bool fits(const tulle__amg *own) {
    const tulle_mat *before = own->level[0].A;
    if (own->options.family != TULLE_AMG_SMOOTHED || !before) return true;
    return tulle_index_size(before->pattern->index) == tulle_index_size(own->A->pattern->index);
}

tulle_status tulle__amg_keep_coarsening(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_coarsening kept[TULLE__AMG_MOST_LEVELS];
    const bool keeps = fits(own);
    for (int l = 0; l < TULLE__AMG_MOST_LEVELS; l++) {
        if (!keeps) tulle__amg_drop(&own->level[l].kept);
        kept[l] = own->level[l].kept;
        own->level[l].kept = (tulle__amg_coarsening){.coarse = 0};
    }
    tulle__amg_forget(own);
    return tulle__amg_build(ctx, own, kept);
}
