/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for a hierarchy. With P and A's pattern kept, numbers are put into the matrices that
 * there are, so that patterns, plans and captured graphs stay. With coarsenings kept all levels are
 * made anew, but for coarse rows or aggregates. */
#include "amg/amg.h"
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
        return tulle__amg_set_diagonal(ctx, of->next, level);
    }
    TULLE__TRY(tulle__amg_multiply(ctx, own, of, before, &made));
    level->info.nnz = made->pattern->nnz;
    if (level->passes) {
        *passed = made;
        return tulle__amg_set_diagonal(ctx, made, level);
    }
    TULLE__TRY(tulle__amg_put(ctx, same, made, level));
    return tulle__amg_set_diagonal(ctx, level->A, level);
}

static tulle_status bring_inverse(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *last) {
    tulle_mat *inverse = NULL;
    if (!last->inverse) return TULLE_OK;
    TULLE__TRY(tulle__amg_invert(ctx, last->A, own->single, &inverse));
    const tulle_status status =
        tulle_mat_set_values(ctx, last->inverse, inverse->pattern->nnz, inverse->values.data);
    tulle_mat_destroy(inverse);
    return status;
}

/* Brings all levels to own->A, one after the other. */
static tulle_status bring_levels(tulle_ctx *ctx, tulle__amg *own) {
    tulle_mat *passed = NULL;
    tulle_status status = TULLE_OK;
    bool same = false;
    TULLE__TRY(tulle__amg_begin_cycle(ctx, own, own->single));
    TULLE__TRY(bring_first(ctx, own, &same));
    TULLE__TRY(tulle__amg_set_diagonal(ctx, own->level[0].A, own->level));
    for (int l = 0; l < own->levels && !same; l++) {
        for (int k = 0; k < 2; k++) tulle__spgemm_lengths_drop(own->level[l].lengths + k);
    }
    for (int l = 1; l < own->levels && status == TULLE_OK; l++) {
        tulle_mat *before = passed;
        passed = NULL;
        status = bring_level(ctx, own, same, own->level + l, before ? before : own->level[l - 1].A,
                             &passed);
        tulle_mat_destroy(before);
        if (status == TULLE_OK) status = tulle__amg_narrow_level(ctx, own, l - 1);
    }
    tulle_mat_destroy(passed);
    if (status == TULLE_OK) status = bring_inverse(ctx, own, own->level + own->levels - 1);
    return status;
}

tulle_status tulle__amg_bring_values(tulle_ctx *ctx, tulle__amg *own) {
    if (own->nodes.block > 0) return tulle__amg_bring_nodes(ctx, own);
    tulle_status status = bring_levels(ctx, own);
    if (status == TULLE_OK) status = tulle__amg_prepare_cycle(ctx, own);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) tulle__amg_describe_levels(own);
    if (status != TULLE_OK) tulle__amg_forget(own); /* levels may be of different matrices */
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
