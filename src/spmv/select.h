/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the kernel that serves a call, with its plan and parameters. */
#ifndef TULLE_SPMV_SELECT_H
#define TULLE_SPMV_SELECT_H

#include "core/select.h"
#include "dense/dense.h"
#include "spmv/plan/plan.h"
#include "spmv/spmv.h"

typedef struct tulle__spmv_selection {
    tulle__spec spec;
    tulle__stage by;
    tulle__spmv_shape shape;
    const tulle__pattern *pattern; /* pattern to run on: the matrix's, or another form of it */
    const void *values;
    tulle__plan *plan; /* held plan, or NULL */
    tulle__copy *copy; /* held copy of the values, where they are not the matrix's own; NULL
                          without a plan */
    size_t workspace;
} tulle__spmv_selection;

/* The call of tulle_spmv. */
static inline tulle__spmv_call tulle__one_vector(tulle_trans op) {
    return (tulle__spmv_call){.op = op, .vectors = 1};
}

/* The call of tulle_spmm; a single column without gaps is a vector. */
tulle__spmv_call tulle__multivector_call(tulle_trans op, const tulle_vec *X, const tulle_vec *Y);

/* True when the call is for kernels of multivectors: several vectors, or numbers with gaps
 * between them. */
static inline bool tulle__is_multivector(const tulle__spmv_call *call) {
    return call->vectors > 1 || call->x_layout == TULLE_ROW_MAJOR ||
           call->y_layout == TULLE_ROW_MAJOR;
}

/* True when a multivector that no kernel takes can be multiplied column by column. */
bool tulle__spmv_by_columns(const tulle_ctx *ctx, const tulle__spmv_call *call);

/* Flags that a kernel must have for the call, repeatable or not. A x is always repeatable. */
unsigned tulle__spmv_need(const tulle__spmv_call *call, bool repeatable);

/* The kernels of a back end for vectors, or for multivectors. */
const tulle__kernels *tulle__spmv_kernels(const tulle__backend *backend, bool multivector);

/* Fills the parameters that were not given by the kernel's own rule. */
void tulle__spmv_fill(const tulle__spmv_shape *shape, tulle__spec *spec);

/* Returns true when a kernel can take the case, by format, types, flags and its own word; then
 * its parameters are filled too. */
bool tulle__spmv_settle(tulle__spec *spec, const tulle__spmv_shape *shape, unsigned need);

/* True if rules, plans and tuners leave the kernel alone, whatever it costs: the kernel is
 * historical, and its format has another reference kernel. */
static inline bool tulle__spmv_only_by_name(const tulle__kernel *kernel) {
    return (kernel->flags & (TULLE__HISTORICAL | TULLE__REFERENCE)) == TULLE__HISTORICAL;
}

/* Cost, bytes and workspace of a settled kernel, by its own functions. */
double tulle__spmv_cost(const tulle__spec *spec, const tulle__spmv_shape *shape);
int64_t tulle__spmv_bytes(const tulle__spec *spec, const tulle__spmv_shape *shape, bool beta_zero);
size_t tulle__spmv_workspace(const tulle__spec *spec, const tulle__spmv_shape *shape);

tulle__spmv_shape tulle__spmv_shape_of(const tulle_ctx *ctx, const tulle__pattern *pattern,
                                       tulle__values values, const tulle__spmv_call *call);

/* Shape of a call with a matrix as it is. */
static inline tulle__spmv_shape tulle__spmv_shape_now(const tulle_ctx *ctx, const tulle_mat *A,
                                                      const tulle__spmv_call *call) {
    return tulle__spmv_shape_of(ctx, A->pattern, tulle__values_of(A->type), call);
}

/* The kernel that is forced for such calls; kernel NULL: none. */
static inline const tulle__spec *tulle__spmv_forced(const tulle_ctx *ctx,
                                                    const tulle__spmv_call *call) {
    return &ctx->forced[tulle__is_multivector(call) ? TULLE__OP_SPMM : TULLE__OP_SPMV];
}

/* The stages of a call: a forced kernel stands alone. */
static inline tulle__stage tulle__spmv_first_stage(const tulle_ctx *ctx,
                                                   const tulle__spmv_call *call) {
    return tulle__spmv_forced(ctx, call)->kernel ? TULLE__BY_FORCE : TULLE__BY_PLAN;
}
static inline tulle__stage tulle__spmv_last_stage(const tulle_ctx *ctx,
                                                  const tulle__spmv_call *call) {
    return tulle__spmv_forced(ctx, call)->kernel ? TULLE__BY_FORCE : TULLE__BY_REFERENCE;
}

/* Selects by one stage: TULLE_OK and a selection, which tulle__spmv_unselect gives up, or
 * TULLE_UNSUPPORTED, without a record, where the stage has nothing; or TULLE_OUT_OF_MEMORY. */
tulle_status tulle__spmv_select(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__stage stage,
                                tulle__spmv_selection *selection);

/* Makes the selection of a plan, on the form that it was made for; it holds what was found.
 * Where the plan does not serve the call, TULLE_UNSUPPORTED, and what was found is let go. */
tulle_status tulle__spmv_use_plan(const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle__spmv_call *call, const tulle__plan_found *plan_found,
                                  tulle__spmv_selection *selection);

void tulle__spmv_unselect(tulle__spmv_selection *selection);

/* Fails a public function when no stage had a kernel. */
tulle_status tulle__spmv_none(const tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              const tulle__spmv_call *call);

#endif
