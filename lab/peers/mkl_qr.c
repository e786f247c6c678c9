/* SPDX-License-Identifier: Apache-2.0 */
/* MKL: X = Q R by LAPACK's geqrf, whose reflections orgqr makes into Q; R is copied in between. */
#include <stdlib.h>

#include "lab/peers/mkl_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/qr.h"

typedef struct qr_task {
    const trial_problem *problem;
    tulle_vec_info y;
    double *tau; /* tau as doubles, or as floats */
} qr_task;

static void close_task(void *state) {
    qr_task *t = state;
    free(t->tau);
    free(t);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *p, trial_task *task) {
    (void)peer;
    tulle_vec_info y;
    tulle_status status = trial_qr_check_lapack(p);
    if (status == TULLE_OK) status = tulle_vec_describe(p->y, &y);
    if (status != TULLE_OK) return status;
    mkl.MKL_Set_Num_Threads(p->device.threads);
    qr_task *t = tool_alloc(1, sizeof *t);
    *t = (qr_task){.problem = p, .y = y, .tau = tool_alloc((size_t)y.cols, sizeof *t->tau)};
    *task = (trial_task){.state = t, .threads = p->device.threads};
    return TULLE_OK;
}

static tulle_status check(int info, const char *call) {
    if (info == 0) return TULLE_OK;
    return tool_record(TULLE_INVALID_ARGUMENT, "%s: info %d", call, info);
}

static int factorise(const qr_task *t, int rows, int columns, int ld) {
    return t->y.type == TULLE_F32
               ? mkl.LAPACKE_sgeqrf(MKL_BY_COLUMN, rows, columns, t->y.data, ld, (float *)t->tau)
               : mkl.LAPACKE_dgeqrf(MKL_BY_COLUMN, rows, columns, t->y.data, ld, t->tau);
}

static int make_q(const qr_task *t, int rows, int columns, int ld) {
    return t->y.type == TULLE_F32
               ? mkl.LAPACKE_sorgqr(MKL_BY_COLUMN, rows, columns, columns, t->y.data, ld,
                                    (const float *)t->tau)
               : mkl.LAPACKE_dorgqr(MKL_BY_COLUMN, rows, columns, columns, t->y.data, ld, t->tau);
}

static tulle_status run(void *state) {
    const qr_task *t = state;
    const trial_qr *q = t->problem->own;
    const int rows = (int)t->y.rows, columns = (int)t->y.cols, ld = (int)t->y.ld;
    tulle_status status = check(factorise(t, rows, columns, ld), "geqrf");
    if (status == TULLE_OK) status = tulle_vec_copy(t->problem->ctx, q->top, q->R);
    return status == TULLE_OK ? check(make_q(t, rows, columns, ld), "orgqr") : status;
}

const bench_peer bench_peer_mkl_geqrf_orgqr = {
    .name = "mkl_geqrf_orgqr",
    .library = "mkl",
    .op = "qr",
    .available = mkl_available,
    .prepare = prepare,
    .run = run,
    .close = close_task,
};
