/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/cpu/product.h"

#include <omp.h>

#include "matrix/block_lines_of.h"
#include "matrix/marks_of.h"
#include "spmv/select.h"

extern const tulle__spmv_kernel tulle__cpu_spmm_csr, tulle__cpu_spmm_bsr;

/* Plans and forced kernels are left out: a plan may go while the batch stays. */
static tulle_status pick(tulle_ctx *ctx, const tulle__recorded *r, const tulle__spmv_call *call,
                         tulle__task_host *host) {
    tulle__spmv_selection selection;
    if (ctx->kind == TULLE_CPU) {
        tulle_status status = tulle__spmv_select(ctx, r->A, call, TULLE__BY_RULE, &selection);
        if (status == TULLE_UNSUPPORTED) {
            status = tulle__spmv_select(ctx, r->A, call, TULLE__BY_REFERENCE, &selection);
        }
        if (status == TULLE_UNSUPPORTED) {
            return tulle__spmv_none(ctx, "tulle_batch_run", r->A, call);
        }
        TULLE__TRY(status);
        host->spec[0] = selection.spec;
        host->room = selection.workspace;
        return TULLE_OK;
    }
    const bool blocks = r->A->pattern->format == TULLE_BSR;
    host->spec[0].kernel = blocks ? &tulle__cpu_spmm_bsr.head : &tulle__cpu_spmm_csr.head;
    host->room = tulle__spmv_workspace(&host->spec[0], &host->product.shape);
    return TULLE_OK;
}

tulle_status tulle__batch_product_task(tulle_ctx *ctx, const tulle__recorded *r,
                                       tulle__task_host *host) {
    const tulle_vec *X = r->operand[TULLE_BATCH_X], *Y = r->operand[TULLE_BATCH_Y];
    tulle__pattern *pattern = r->A->pattern;
    const tulle__spmv_call call = tulle__multivector_call(r->op, X, Y);
    *host = (tulle__task_host){0};
    if (Y->rows == 0 || Y->cols == 0) return TULLE_OK;
#define A(number, member, field, item, words) .member = pattern->member.data,
    host->product = (tulle__spmv_task){.shape = tulle__spmv_shape_now(ctx, r->A, &call),
                                       TULLE__EACH_ARRAY(A).marks = tulle__marks_of(pattern),
                                       .values = r->A->values.data,
                                       .x = X->data,
                                       .y = Y->data,
                                       .ldx = X->ld,
                                       .ldy = Y->ld,
                                       .alpha = tulle_num(r->alpha),
                                       .beta = tulle_num(r->beta)};
#undef A
    TULLE__TRY(pick(ctx, r, &call, host));
    const tulle__spmv_kernel *kernel = tulle__spmv_of(host->spec[0].kernel);
    const tulle__spmv_shape *shape = &host->product.shape;
    if (!kernel->wants_lines || !kernel->wants_lines(shape, host->spec[0].params)) return TULLE_OK;
    return tulle__block_lines_of(ctx, pattern, shape->trans, &host->product.lines);
}

tulle_status tulle__batch_product_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                         const tulle__task *t) {
    const tulle__task_host *host = t->host;
    if (!host->spec[0].kernel) return TULLE_OK;
    tulle__spmv_task task = host->product;
    task.place = alone;
    task.params = host->spec[0].params;
    task.workspace = (char *)job->room + (size_t)omp_get_thread_num() * job->room_bytes;
    return tulle__spmv_of(host->spec[0].kernel)->run[task.shape.values][task.shape.index](&task);
}
