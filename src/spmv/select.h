/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel serves a call, and with what. */
#ifndef TULLE_SPMV_SELECT_H
#define TULLE_SPMV_SELECT_H

#include "dense/dense.h"
#include "matrix/plan.h"
#include "spmv/spmv.h"

/* The order in which a call looks for its kernel. */
typedef enum tulle__spmv_stage {
    TULLE__BY_FORCE,
    TULLE__BY_PLAN,
    TULLE__BY_RULE,
    TULLE__BY_REFERENCE,
    TULLE__STAGES
} tulle__spmv_stage;

typedef struct tulle__spmv_selection {
    tulle__spmv_spec spec;
    tulle__spmv_stage by;
    tulle__spmv_shape shape;
    const tulle__pattern *pattern; /* to run on: the matrix's, or another form of it */
    const void *values;
    tulle__plan *plan; /* held, as is the next; NULL without one */
    tulle__copy *copy; /* the values, where they are not the matrix's own */
    size_t workspace;
} tulle__spmv_selection;

/* The call of tulle_spmv. */
static inline tulle__spmv_call tulle__one_vector(tulle_trans op) {
    return (tulle__spmv_call){.op = op, .vectors = 1};
}

/* The call of tulle_spmm; a single column without gaps is one vector. */
tulle__spmv_call tulle__blocks_call(tulle_trans op, const tulle_dense *X, const tulle_dense *Y);

/* Whether it is for kernels of blocks of vectors: several, or numbers with gaps between them. */
static inline bool tulle__spmv_is_block(const tulle__spmv_call *call) {
    return call->vectors > 1 || call->x_layout == TULLE_ROW_MAJOR ||
           call->y_layout == TULLE_ROW_MAJOR;
}

/* Whether a block that no kernel for blocks takes can be multiplied column by column. */
bool tulle__spmv_by_columns(const tulle_ctx *ctx, const tulle__spmv_call *call);

/* Flags that a kernel must have for the call, repeatable or not. A x is always repeatable. */
unsigned tulle__spmv_need(const tulle__spmv_call *call, bool repeatable);

/* Whether a kernel can take the case: format, types, flags, architecture, its own word. */
bool tulle__spmv_eligible(const tulle__spmv_spec *spec, const tulle__spmv_shape *shape,
                          unsigned need);

tulle__spmv_shape tulle__spmv_shape_of(const tulle_ctx *ctx, const tulle__pattern *pattern,
                                       tulle_type type, const tulle__spmv_call *call);

/* The kernel that is forced for such calls; kernel NULL: none. */
static inline const tulle__spmv_spec *tulle__spmv_forced(const tulle_ctx *ctx,
                                                         const tulle__spmv_call *call) {
    return tulle__spmv_is_block(call) ? &ctx->forced_blocks : &ctx->forced;
}

/* The stages of a call: a forced kernel stands alone. */
static inline tulle__spmv_stage tulle__spmv_first_stage(const tulle_ctx *ctx,
                                                        const tulle__spmv_call *call) {
    return tulle__spmv_forced(ctx, call)->kernel ? TULLE__BY_FORCE : TULLE__BY_PLAN;
}
static inline tulle__spmv_stage tulle__spmv_last_stage(const tulle_ctx *ctx,
                                                       const tulle__spmv_call *call) {
    return tulle__spmv_forced(ctx, call)->kernel ? TULLE__BY_FORCE : TULLE__BY_REFERENCE;
}

/* What one stage offers: TULLE_OK and a selection, which tulle__spmv_unselect gives up, or
 * TULLE_UNSUPPORTED, without a record, where the stage has nothing. */
tulle_status tulle__spmv_select(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__spmv_stage stage,
                                tulle__spmv_selection *selection);

/* The selection of a plan, on the form that it was made for; it holds what was found then. Where
 * the plan does not serve the call, TULLE_UNSUPPORTED, and what was found is lost. */
tulle_status tulle__spmv_use_plan(const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle__spmv_call *call, const tulle__plan_found *plan_found,
                                  tulle__spmv_selection *selection);

void tulle__spmv_unselect(tulle__spmv_selection *selection);

/* The failure of a public function when no stage had a kernel. */
tulle_status tulle__spmv_none(const tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              const tulle__spmv_call *call);

#endif
