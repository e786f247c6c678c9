/* SPDX-License-Identifier: Apache-2.0 */
/* Building plans: the form that a kernel runs on, A's values in its order, prepared data. Who
 * builds holds the pattern's `building` from before the first call to after tulle__copies_prune. */
#ifndef TULLE_SPMV_PLAN_MAKE_H
#define TULLE_SPMV_PLAN_MAKE_H

#include "spmv/plan/plan.h"

/* Description of a plan to be built. */
typedef struct tulle__plan_request {
    const char *function;          /* name of the public function */
    tulle__spmv_call call;         /* products that the plan is for */
    tulle__spec spec;              /* kernel that is asked for; kernel NULL: the rule's */
    tulle_convert_options options; /* layout options of the kernel's format */
    tulle__values values;          /* values as stored in the plan; products are computed in A's
                                      type */
} tulle__plan_request;

/* Makes a plan that nobody knows of yet; its work is done. */
tulle_status tulle__plan_make(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_request *request,
                              tulle__plan **plan);

/* Makes the values that A lacks for a plan that another matrix of the pattern brought about. */
tulle_status tulle__plan_complete(tulle_ctx *ctx, tulle_mat *A, const tulle__plan *plan);

/* Checks that plans for op(A) x may be made in the context. */
tulle_status tulle__plan_check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                               tulle_trans op);

/* The form that a kernel of the format would run on for op(A) x, and the product it would compute:
 * A^T x on A itself where the format's arrays serve both ways, else A x on the transpose. */
tulle__form_key tulle__plan_form(tulle_format format, tulle_trans op,
                                 const tulle_convert_options *options, tulle_trans *run_op);

#endif
