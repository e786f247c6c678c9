/* SPDX-License-Identifier: Apache-2.0 */
/* An operator that solves with factors. */
#include "factor/object.h"
#include "matrix/build.h"
#include "operator/linop.h"
#include "tulle/vec.h"

typedef struct factor_operator {
    tulle_linop head;
    tulle_factor *F;          /* factors, of which the operator is an owner */
    tulle__own_vector before; /* copy of Y, for beta Y */
} factor_operator;

/* Solves into Y, of which a copy is kept first if beta needs it. */
static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    factor_operator *own = (factor_operator *)L;
    if (!beta.address && beta.number == 0) {
        return tulle_factor_solve(ctx, op, alpha, own->F, X, Y);
    }
    tulle_vec before;
    TULLE__TRY(tulle__own_vector_take(ctx, &own->before, L->type, Y->rows, Y, &before));
    TULLE__TRY(tulle_vec_copy(ctx, Y, &before));
    TULLE__TRY(tulle_factor_solve(ctx, op, alpha, own->F, X, Y));
    return tulle_vec_axpy(ctx, beta, &before, Y);
}

static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const factor_operator *own = (const factor_operator *)L;
    (void)ctx;
    const uint64_t values = (uint64_t)(uintptr_t)own->F->LU->values.data;
    return tulle__stamp_join(values, (uint64_t)(uintptr_t)own->F->moved);
}

static void destroy(tulle_linop *L) {
    factor_operator *own = (factor_operator *)L;
    tulle__own_vector_release(&own->before);
    tulle_factor_destroy(own->F);
}

static const tulle__linop_kind kind = {.name = "factors",
                                       .bytes = sizeof(factor_operator),
                                       .apply = apply,
                                       .stamp = stamp,
                                       .destroy = destroy};

tulle_status tulle_linop_from_factor(tulle_ctx *ctx, tulle_factor *F, tulle_type type,
                                     tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__TRY(tulle__check_type(__func__, type));
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, __func__, "F", -1,
                           "F lives in other memory than the context's");
    }
    if (F->LU->type == TULLE_F64 && type == TULLE_F32) {
        return tulle__fail(TULLE_TYPE_MISMATCH, __func__, "type", -1,
                           "factors in f64 solve for f64 alone");
    }
    const int64_t n = F->symbolic->n;
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, n, n, L));
    ((factor_operator *)*L)->F = tulle__factor_retain(F);
    (*L)->transposes = true;
    return TULLE_OK;
}
