/* SPDX-License-Identifier: Apache-2.0 */
/* cuSOLVER: X = Q R by geqrf, whose reflections orgqr makes into Q; R is copied in between. */
#ifdef TULLE_PEER_CUSOLVER
#include <stdlib.h>

#include "lab/peers/cusolver_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/qr.h"

typedef struct qr_task {
    const trial_problem *problem;
    cusolverDnHandle_t handle;
    tulle_type type;
    int rows, columns, ld, length;
    void *y;
    tulle_vec *tau, *work, *info;
    void *tau_data, *work_data, *info_data;
} qr_task;

static void close_task(void *state) {
    qr_task *t = state;
    (void)tulle_ctx_synchronize(t->problem->ctx);
    if (t->handle) cusolver.cusolverDnDestroy(t->handle);
    tulle_vec_destroy(t->tau);
    tulle_vec_destroy(t->work);
    tulle_vec_destroy(t->info);
    free(t);
}

static tulle_status take(const qr_task *t, int64_t count, tulle_vec **made, void **data) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_create(t->problem->ctx, t->type, count, made);
    if (status == TULLE_OK) status = tulle_vec_describe(*made, &info);
    if (status == TULLE_OK) *data = info.data;
    return status;
}

/* Finds the scratch that both functions need. */
static tulle_status measure_work(qr_task *t) {
    int first = 0, second = 0;
    CUSOLVER_TRY_TYPED(t->type, geqrf_bufferSize, t->handle, t->rows, t->columns, t->y, t->ld,
                       &first);
    CUSOLVER_TRY_TYPED(t->type, orgqr_bufferSize, t->handle, t->rows, t->columns, t->columns, t->y,
                       t->ld, t->tau_data, &second);
    t->length = first > second ? first : second;
    return TULLE_OK;
}

static tulle_status make(qr_task *t) {
    const trial_problem *p = t->problem;
    CUSOLVER_TRY(cusolverDnCreate, &t->handle);
    CUSOLVER_TRY(cusolverDnSetStream, t->handle, (cudaStream_t)tulle_ctx_stream(p->ctx));
    tulle_status status = take(t, t->columns, &t->tau, &t->tau_data);
    if (status == TULLE_OK) status = measure_work(t);
    if (status == TULLE_OK) status = take(t, t->length, &t->work, &t->work_data);
    return status == TULLE_OK ? take(t, 2, &t->info, &t->info_data) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    (void)peer;
    tulle_vec_info y;
    tulle_status status = trial_qr_check_lapack(p);
    if (status == TULLE_OK) status = tulle_vec_describe(p->y, &y);
    if (status != TULLE_OK) return status;
    qr_task *t = tool_alloc(1, sizeof *t);
    *t = (qr_task){.problem = p,
                   .type = y.type,
                   .rows = (int)y.rows,
                   .columns = (int)y.cols,
                   .ld = (int)y.ld,
                   .y = y.data};
    status = make(t);
    *task = (trial_task){.state = t, .extra_bytes = t->length * tulle_type_size(t->type)};
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const qr_task *t = state;
    const trial_qr *q = t->problem->own;
    CUSOLVER_TRY_TYPED(t->type, geqrf, t->handle, t->rows, t->columns, t->y, t->ld, t->tau_data,
                       t->work_data, t->length, t->info_data);
    tulle_status status = tulle_vec_copy(t->problem->ctx, q->top, q->R);
    if (status != TULLE_OK) return status;
    CUSOLVER_TRY_TYPED(t->type, orgqr, t->handle, t->rows, t->columns, t->columns, t->y, t->ld,
                       t->tau_data, t->work_data, t->length, t->info_data);
    return TULLE_OK;
}

const bench_peer bench_peer_cusolver_geqrf_orgqr = {
    .name = "cusolver_geqrf_orgqr",
    .library = "cusolver",
    .gpu = true,
    .op = "qr",
    .available = cusolver_available,
    .prepare = prepare,
    .run = run,
    .close = close_task,
};

#endif
