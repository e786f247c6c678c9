/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cublas_task.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/common/error.h"

static tulle_status describe(const tulle_vec *block, cublas_operand *operand) {
    tulle_vec_info info;
    if (!block) return TULLE_OK;
    tulle_status status = tulle_vec_describe(block, &info);
    if (status != TULLE_OK) return status;
    if (info.rows * info.cols > INT_MAX) {
        return tool_record(TULLE_UNSUPPORTED, "cuBLAS's functions take 32-bit lengths");
    }
    const bool by_row = info.layout == TULLE_ROW_MAJOR;
    *operand = (cublas_operand){.data = info.data,
                                .rows = (int)info.rows,
                                .cols = (int)info.cols,
                                .ld = (int)info.ld,
                                .inc = by_row ? (int)info.ld : 1,
                                .step = by_row ? 1 : (int)info.ld};
    return TULLE_OK;
}

static cublas_scalar scalar(tulle_type type, double number) {
    cublas_scalar made = {.f64 = number};
    if (type == TULLE_F32) made.f32 = (float)number;
    return made;
}

tulle_status cublas_task_open(const trial_problem *problem, bool host, trial_task *task) {
    const tulle_type type = problem->info.type;
    const trial_vectors *vectors = problem->own;
    cublas_task *t = tool_alloc(1, sizeof *t);
    *t = (cublas_task){.ctx = problem->ctx,
                       .vectors = vectors,
                       .type = type,
                       .host = host,
                       .by_row = problem->block.layout == TULLE_ROW_MAJOR,
                       .zero = scalar(type, 0),
                       .one = scalar(type, 1),
                       .factor = scalar(type, vectors->by)};
    *task = (trial_task){.state = t};
    tulle_status status = describe(problem->x, &t->x);
    if (status == TULLE_OK) status = describe(t->vectors->second, &t->second);
    if (status == TULLE_OK) status = describe(problem->y, &t->y);
    if (status == TULLE_OK) status = cublas_open(t->ctx, host, &t->handle, &t->scratch);
    if (status != TULLE_OK) cublas_task_close(t);
    return status;
}

void cublas_task_close(void *state) {
    cublas_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->handle) cublas.cublasDestroy_v2(t->handle);
    tulle_vec_destroy(t->scratch);
    free(t);
}

void *cublas_at(const cublas_task *task, const cublas_operand *o, int row, int column) {
    const int64_t at = (int64_t)row * o->inc + (int64_t)column * o->step;
    return o->data + at * tulle_type_size(task->type);
}

#endif
