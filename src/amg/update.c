/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for a hierarchy. With P kept, numbers are put into the matrices that there are, so
 * that patterns, plans and captured graphs stay. */
#include "amg/amg.h"
#include "matrix/operand.h"
#include "tulle/spgemm.h"

/* Puts the values of a matrix into one that has the same pattern. */
static tulle_status put_values(tulle_ctx *ctx, const tulle_mat *from, tulle_mat *to) {
    if (from->pattern->nnz != to->pattern->nnz) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_amg_update", "A", -1,
                           "with P kept a matrix of a level has %lld entries, and had %lld: A has "
                           "another pattern",
                           (long long)from->pattern->nnz, (long long)to->pattern->nnz);
    }
    return tulle_mat_set_values(ctx, to, from->pattern->nnz, from->values.data);
}

/* Brings A's values to the first level, whose matrix may be A itself. */
static tulle_status bring_first(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *first = own->level;
    tulle_mat *csr = NULL;
    tulle_status status = tulle__operand_bring(ctx, TULLE_N, own->A, own->A->pattern->index, &csr);
    if (status == TULLE_OK) status = tulle__operand_raise(ctx, &csr);
    const bool itself = status == TULLE_OK && csr->pattern == first->A->pattern;
    if (itself) {
        tulle_mat_destroy(first->A);
        first->A = tulle_mat_retain(csr);
        first->info.A = first->A;
    } else if (status == TULLE_OK) {
        status = put_values(ctx, csr, first->A);
    }
    tulle_mat_destroy(csr);
    return status;
}

/* Brings the matrix of a level from `before`, that of the level before; a passed level has its
 * matrix in *passed until the next one is made. */
static tulle_status bring_level(tulle_ctx *ctx, tulle__amg_level *level, const tulle_mat *before,
                                const tulle_mat *P, tulle_mat **passed) {
    tulle_mat *made = NULL;
    TULLE__TRY(tulle_spgemm_galerkin(ctx, tulle_num(1), before, P, NULL, NULL, &made));
    if (level->passes) {
        *passed = made;
        return TULLE_OK;
    }
    const tulle_status status = put_values(ctx, made, level->A);
    tulle_mat_destroy(made);
    return status;
}

static tulle_status bring_inverse(tulle_ctx *ctx, tulle__amg_level *last) {
    tulle_mat *inverse = NULL;
    if (!last->inverse) return TULLE_OK;
    TULLE__TRY(tulle__amg_invert(ctx, last->A, &inverse));
    const tulle_status status = put_values(ctx, inverse, last->inverse);
    tulle_mat_destroy(inverse);
    return status;
}

tulle_status tulle__amg_bring_values(tulle_ctx *ctx, tulle__amg *own) {
    tulle_mat *passed = NULL;
    if (own->levels == 0) return TULLE_OK;
    tulle_status status = bring_first(ctx, own);
    for (int l = 1; l < own->levels && status == TULLE_OK; l++) {
        tulle_mat *before = passed;
        passed = NULL;
        status = bring_level(ctx, own->level + l, before ? before : own->level[l - 1].A,
                             own->level[l - 1].P, &passed);
        tulle_mat_destroy(before);
    }
    tulle_mat_destroy(passed);
    for (int l = 0; l < own->levels && status == TULLE_OK; l++) {
        if (!own->level[l].passes) status = tulle__amg_set_diagonal(ctx, own->level + l);
    }
    if (status == TULLE_OK) status = bring_inverse(ctx, own->level + own->levels - 1);
    return status == TULLE_OK ? tulle_ctx_synchronize(ctx) : status;
}
